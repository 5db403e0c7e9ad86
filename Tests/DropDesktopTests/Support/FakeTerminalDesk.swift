// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import Foundation
import ItemTransfer
import TestSupport
import Testing

@testable import DropDesktop

extension FakeTerminal {
  /// Creates a terminal and the device of its program.
  static func pair(answer: String? = "\u{1B}]72;t=q\u{1B}\\") throws -> (FakeTerminal, TerminalDevice) {
    let ends = try SystemCalls.socketPair()
    return (
      try FakeTerminal(OwnedDescriptor(ends.0), answer: answer), try TerminalDevice(OwnedDescriptor(ends.1))
    )
  }
}

/// A file, a link or a folder on the machine of a terminal.
indirect enum FakeNode: Sendable, Equatable {
  case file(Data)
  case link(String)
  case folder([String: FakeNode])

  /// Reads a tree from the disk.
  init(at url: URL) throws {
    if let target = try? FileManager.default.destinationOfSymbolicLink(atPath: url.path) {
      self = .link(target)
    } else if (try? url.resourceValues(forKeys: [.isDirectoryKey]))?.isDirectory == true {
      let names = try FileManager.default.contentsOfDirectory(atPath: url.path)
      self = .folder(
        Dictionary(uniqueKeysWithValues: try names.map { ($0, try FakeNode(at: url.appendingPathComponent($0))) }))
    } else {
      self = .file(try Data(contentsOf: url))
    }
  }

  /// Writes the tree to the disk.
  func write(to url: URL) throws {
    switch self {
    case .file(let data): try data.write(to: url)
    case .link(let target): try FileManager.default.createSymbolicLink(atPath: url.path, withDestinationPath: target)
    case .folder(let entries):
      try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
      for (name, node) in entries { try node.write(to: url.appendingPathComponent(name)) }
    }
  }
}

/// A desktop with two windows of a terminal, which passes a drag from the program of one to that of the other.
struct FakeTerminalDesk: Sendable {
  let source: FakeTerminal
  let target: FakeTerminal
  /// Whether the program that is the source runs on another machine than the terminal.
  var isSourceRemote = false
  /// Whether the program that is the target runs on another machine than the terminal.
  var isTargetRemote = false
  /// Whether the types of this package are left out, as if the source were a program of others.
  var hidesOwnTypes = false
  /// Whether data is sent in messages of any length, as kitty does.
  var isCut = false
  /// The machine of the terminal.
  let directory: TemporaryDirectory

  init(_ source: FakeTerminal, _ target: FakeTerminal) throws {
    (self.source, self.target) = (source, target)
    directory = try TemporaryDirectory()
  }

  /// The messages of the source before the start of the drag: section "Starting drags".
  struct Offer: Sendable {
    var names: [String] = []
    var operations = 0
    var presented: [Int: Data] = [:]

    func names(hidingOwn: Bool) -> [String] {
      names.filter { !hidingOwn || !$0.hasPrefix("application/vnd.dragpipe") }
    }
  }

  /// Performs the gesture of a drag, and receives the offer: section "Starting drags".
  func begin() async throws -> Offer {
    // The registration precedes the gesture.
    #expect(try await source.next(kind: "o").number("x") == 1)
    source.send("t=o:x=3:y=1:X=30:Y=10")
    var offer = Offer()
    let first = try await source.next(kind: "o")
    offer.operations = first.number("o")
    offer.names = try await source.text(of: first).split(separator: " ").map(String.init)
    while true {
      let message = try await source.next()
      if message.kind == "P" { break }
      #expect(message.kind == "p")
      offer.presented[message.number("x")] = try await source.data(of: message)
    }
    source.send("t=E", "OK")
    return offer
  }

  /// Passes a drag from one window to the other: sections "Starting drags" and "Accepting drops".
  func drag() async throws {
    #expect(try await target.next(kind: "a").number("x") == 0)
    #expect(try await target.next(kind: "a").number("x") == 1)
    let offer = try await begin()
    let names = offer.names(hidingOwn: hidesOwnTypes)
    target.send("t=m:x=1:y=1:X=10:Y=10:o=\(offer.operations)", names.joined(separator: " "))
    let answer = try await target.next(kind: "m")
    let accepted = try await target.text(of: answer).split(separator: " ").map(String.init)
    #expect(answer.number("o") == 1)
    #expect(accepted.allSatisfy { names.contains($0) })
    source.send("t=e:x=1:y=\(offer.names.firstIndex(of: accepted.first ?? "") ?? 0)")
    source.send("t=e:x=2:o=1")
    source.send("t=e:x=3")
    target.send("t=M:x=1:y=1:X=10:Y=10:o=\(offer.operations)", names.joined(separator: " "))
    try await serve(offer)
  }

  // MARK: Data

  /// Answers the requests of the target until it reports the end: section "Accepting drops".
  func serve(_ offer: Offer) async throws {
    let names = offer.names(hidingOwn: hidesOwnTypes)
    var files: [FakeNode] = []
    var handles: [Int: [(name: String, node: FakeNode)]] = [:]
    var lastHandle = 1
    func send(_ node: FakeNode?, _ keys: String) async throws {
      switch node {
      case .file(let data)?: try await target.send("t=r:\(keys)", data: data, isCut: isCut)
      case .link(let path)?: try await target.send("t=r:\(keys):X=1", data: Data(path.utf8))
      case .folder(let entries)?:
        lastHandle += 1
        handles[lastHandle] = entries.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        let names = handles[lastHandle]?.map(\.name).joined(separator: "\0") ?? ""
        try await target.send("t=r:\(keys):X=\(lastHandle)", data: Data(names.utf8))
      case nil: target.send("t=R:\(keys)", "ENOENT:no such entry")
      }
    }
    while true {
      let request = try await target.next(kind: "r")
      let (x, y, handle) = (request.number("x"), request.number("y"), request.number("Y"))
      if handle != 0 {
        guard x > 0 else {
          handles[handle] = nil
          continue
        }
        let entries = handles[handle] ?? []
        try await send(x <= entries.count ? entries[x - 1].node : nil, "x=\(x):Y=\(handle)")
      } else if y != 0 {
        try await send(y <= files.count ? files[y - 1] : nil, "x=\(x):y=\(y)")
      } else if x == 0 {
        // The end of the drop; the source learns of it in section "Starting drags".
        let operation = request.number("o")
        #expect(handles.isEmpty || operation == 0)
        if operation != 0 { source.send("t=e:x=2:o=\(operation)") }
        return source.send("t=e:x=4:y=\(operation == 0 ? 1 : 0)")
      } else if names[x - 1] == "text/uri-list" {
        let list = try await addresses(offer, &files)
        try await target.send("t=r:x=\(x)\(isTargetRemote ? ":X=1" : "")", data: Data(list.utf8))
      } else if let data = try await value(offer, names[x - 1]) {
        try await target.send("t=r:x=\(x)", data: data, isCut: isCut)
      } else {
        target.send("t=R:x=\(x)", "EIO:the source has failed")
      }
    }
  }

  /// Requests a value of the source; `nil` after an error: section "Starting drags".
  private func value(_ offer: Offer, _ name: String) async throws -> Data? {
    let index = try #require(offer.names.firstIndex(of: name))
    source.send("t=e:x=5:y=\(index)")
    let message = try await source.next()
    #expect(message.number("y") == index)
    return message.kind == "E" ? nil : try await source.data(of: message)
  }

  /// Returns the list of addresses for the target, and the files at the addresses.
  private func addresses(_ offer: Offer, _ files: inout [FakeNode]) async throws -> String {
    guard isSourceRemote else {
      let data = try #require(try await value(offer, "text/uri-list"))
      let list = String(decoding: data, as: UTF8.self)
      if isTargetRemote { files = try Self.urls(list).map { try FakeNode(at: $0) } }
      return list
    }
    // Section "Dragging to remote machines": the list was sent before, and the files are requested by their numbers.
    let presented = try #require(offer.names.firstIndex(of: "text/uri-list").flatMap { offer.presented[$0] })
    let urls = Self.urls(String(decoding: presented, as: UTF8.self))
    for number in 1...urls.count {
      source.send("t=k:x=\(number)")
      let (node, isFolder) = try await file(number)
      #expect(isFolder == urls[number - 1].absoluteString.hasSuffix("/"))
      files.append(node)
    }
    guard !isTargetRemote else { return urls.map { "\($0.absoluteString)\r\n" }.joined() }
    let copies = try zip(urls, files).enumerated().map { index, file in
      let folder = directory.url.appendingPathComponent("\(index)")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
      let copy = folder.appendingPathComponent(file.0.lastPathComponent)
      try file.1.write(to: copy)
      return copy
    }
    return copies.map { "\($0.absoluteString)\r\n" }.joined()
  }

  private static func urls(_ list: String) -> [URL] {
    list.split(whereSeparator: \.isNewline).compactMap { URL(string: String($0)) }
  }

  /// Receives a file of the source, and its children: section "Dragging to remote machines".
  private func file(_ number: Int) async throws -> (FakeNode, isFolder: Bool) {
    struct Folder {
      var names: [String]
      var nodes: [Int: FakeNode] = [:]
    }
    var folders: [Int: Folder] = [:]
    var parents: [Int: (parent: Int, number: Int)] = [:]
    var top: FakeNode?
    var topHandle: Int?
    var missing = 1
    while missing > 0 {
      let message = try await source.next(kind: "k")
      #expect(message.number("x") == number)
      let (parent, entry, kind) = (message.number("Y"), message.number("y"), message.number("X"))
      let data = try await source.data(of: message)
      missing -= 1
      var node: FakeNode?
      switch kind {
      case 0: node = .file(data)
      case 1: node = .link(String(decoding: data, as: UTF8.self))
      default:
        let names = String(decoding: data, as: UTF8.self).split(separator: "\0").map(String.init)
        #expect(folders[kind] == nil)
        folders[kind] = Folder(names: names)
        missing += names.count
        if parent == 0 { topHandle = kind } else { parents[kind] = (parent, entry) }
      }
      if parent == 0 { top = node } else { folders[parent]?.nodes[entry] = node }
    }
    func node(_ handle: Int) -> FakeNode {
      let folder = folders[handle] ?? Folder(names: [])
      var entries: [String: FakeNode] = [:]
      for (index, name) in folder.names.enumerated() {
        let child = parents.first { $0.value == (handle, index + 1) }?.key
        entries[name] = child.map { node($0) } ?? folder.nodes[index + 1]
      }
      return .folder(entries)
    }
    if let topHandle { return (node(topHandle), true) }
    return (try #require(top), false)
  }
}
