// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DisplayWire
import DropSystem
import DropTransport
import Foundation
import ItemTransfer
import TestSupport
import Testing
import UniformTypes

@testable import DropDesktop

/// Drops from sources that vanish, offer too much, or send forged messages.
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct DropTests {
  /// Passes `body` a target and a source that the test controls.
  private func receiving(
    names: [String] = ["text/plain"],
    _ body: (HostileSource, X11Identifier, DesktopDrop.Events) async throws -> Void
  ) async throws {
    try await withLoopback { display, _ in
      let window = try await display.x11.window()
      try await DesktopDrop(display, window: window.rawValue).withEvents {
        try await body(HostileSource(display, names: names), window, $0)
      }
    }
  }

  @Test(arguments: [
    ((0..<300).map { "application/x-\($0)" }, (0..<256).map { "application/x-\($0)" }),
    (["a\u{1B}[31m", "text/plain", "ü", ""], ["text/plain"]),
  ])
  func typesAreBoundedAndNamesWithControlCharactersLeftOut(names: [String], expected: [String]) async throws {
    try await receiving(names: names) { source, window, events in
      try source.enter(window)
      guard case .entered(expected)? = try await events.next() else { throw Unexpected("no entry") }
    }
  }

  @Test func vanishedSourceLeaves() async throws {
    try await receiving { source, window, events in
      try source.enter(window)
      guard case .entered? = try await events.next() else { throw Unexpected("no entry") }
      try source.display.connection.send(.destroyWindow(source.window))
      guard case .left? = try await events.next() else { throw Unexpected("no end") }
    }
  }

  @Test func sourceThatVanishesAfterTheDropIsAnError() async throws {
    try await receiving { source, window, events in
      try await source.dropOn(window)
      let session = try await events.nextDrop()
      try source.display.connection.send(.destroyWindow(source.window))
      try source.display.connection.send(
        .setSelectionOwner(.none, selection: source.atoms[.selection], time: .current))
      try await source.display.connection.synchronize()
      #expect(try await failure { try await session.finish(.copy) } == .sourceFailed)
      let item = try await session.items.first
      await #expect(throws: (any Error).self) { try await item?.data(for: .utf8PlainText) }
    }
  }

  @Test func dropIsFinishedOnceEvenIfTheProgramIgnoresIt() async throws {
    try await receiving { source, window, events in
      try await source.dropOn(window)
      do {
        let session = try await events.nextDrop()
        try await session.finish(.copy)
        #expect(try await failure { try await session.finish(.copy) } == .notAllowed)
        session.refuse(because: "too late")
      }
      #expect(try await source.nextMessage() == .finished(target: window, isAccepted: true, action: .copy))
      // The next message belongs to the next drag.
      try await source.dropOn(window)
      _ = try await events.nextDrop()
      #expect(try await source.nextMessage() == .finished(target: window, isAccepted: false, action: nil))
    }
  }

  @Test func unreadEventsAreBounded() async throws {
    try await receiving { source, window, events in
      // No event is read, so some of the drops are refused.
      var count = 0
      for _ in 0..<40 { count += try await source.dropOn(window) }
      #expect(count >= 10)
      withExtendedLifetime(events) {}
    }
  }
}

/// The direct save protocol: its file addresses, and a target with a source that the test controls.
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct DirectSaveTests {
  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
  }

  // MARK: Source

  private func address(_ name: String) throws -> DirectSaveAddress {
    try DirectSaveAddress(parsing: Array(directory.file(name).absoluteString.utf8), dropTime: Date())
  }

  /// Saves a text, as the source of a drag does.
  private func save(to name: String) async throws {
    try await address(name).write(try await DragItems.text("hero").bytes(for: .utf8PlainText))
  }

  private func text(of name: String) -> String? { try? String(contentsOf: directory.file(name), encoding: .utf8) }

  @Test func sourceWritesANewFile() async throws {
    try await save(to: "a b.txt")
    #expect(text(of: "a b.txt") == "hero")
    // The target has just created this empty file to reserve its name, so the source may replace it.
    try directory.write(Data(), to: "reserved")
    try await save(to: "reserved")
    #expect(text(of: "reserved") == "hero")
  }

  @Test func sourceReplacesNoFile() async throws {
    try directory.write(Data("old".utf8), to: "full")
    _ = try directory.writeOld(Data(), to: "old-empty")
    try FileManager.default.createSymbolicLink(at: directory.file("link"), withDestinationURL: directory.file("new"))
    for (name, content) in [("full", "old"), ("old-empty", ""), ("link", nil)] {
      await #expect(throws: (any Error).self, "\(name)") { try await save(to: name) }
      #expect(text(of: name) == content)
    }
    #expect(text(of: "new") == nil)
  }

  @Test func failedItemLeavesNoFile() async throws {
    struct Failure: Error {}
    let item = ItemProvider()
    item.registerStream(.data) { _ in
      AsyncThrowingStream<Data, any Error> { continuation in
        continuation.yield(Data("part".utf8))
        continuation.finish(throwing: Failure())
      }
    }
    await #expect(throws: (any Error).self) { try await address("x").write(try await item.bytes(for: .data)) }
    #expect(text(of: "x") == nil)
  }

  @Test func otherAddressesAreRefused() async throws {
    for address in [
      "http://localhost/tmp/x", "file://another.host/tmp/x", "x.txt", "file:///tmp/", "file:///tmp/..", "file:///tmp/.",
      "file:///tmp/a%00b", "", "file:///tmp/x?y",
    ] {
      #expect(throws: DesktopError.self) { try DirectSaveAddress(parsing: Array(address.utf8), dropTime: Date()) }
    }
  }

  @Test func onlyOneItemWithAValidNameIsSaved() {
    for (names, saved) in [
      (["a/b"], nil), (["hero", "b"], nil), ([nil], nil), (["hero"], "hero.txt"),
    ] as [([String?], String?)] {
      #expect(DirectSave.name(of: names.map { DragItems.text("x", name: $0) }) == saved, "\(names)")
    }
  }

  @Test func itemIsSavedOnlyAfterTheDropAndOnce() async throws {
    let content = DragContent([DragItems.picture(5, name: "map.png")], files: .directSave, limit: 1 << 20)
    await #expect(throws: DesktopError.self) { try await content.value(for: "XdndDirectSave0") }
    let results = [await content.save(at: try address("a")), await content.save(at: try address("b"))]
    #expect(results == [.saved, .failed])
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory.url.path) == ["a"])
  }

  // MARK: Target

  /// Drops from a source that offers types, and answers requests with the values of `respond`.
  private func dropping<Result: Sendable>(
    _ names: [String] = ["XdndDirectSave0"], name: String,
    respond: @escaping @Sendable (String, String) async -> Data?,
    drop: (DesktopDrop.Session) async throws -> Result
  ) async throws -> Result {
    try await withLoopback { display, _ in
      let window = try await display.x11.window()
      let source = try await HostileSource(display, names: names, name: name)
      let target = DesktopDrop(display, window: window.rawValue, directory: directory.url)
      return try await target.withEvents { events in
        let serving = Task { try await source.serve(respond) }
        defer { serving.cancel() }
        try await source.dropOn(window)
        let session = try await events.nextDrop()
        let result = try await drop(session)
        session.refuse(because: "the end of the test")
        return result
      }
    }
  }

  @Test(arguments: ["", "[", #"{"name":"a"}"#, #"[{"name":"a"}]"#, #"[{"name":1,"type":"a"}]"#])
  func anInvalidListOfSummariesIsAnError(list: String) async throws {
    let names = ["application/vnd.dragpipe.drop", "application/vnd.dragpipe.items+json"]
    let code = try await dropping(names, name: "a") { _, _ in
      Data(list.utf8)
    } drop: { session in
      try await failure { try await session.summaries }
    }
    #expect(code == .malformed)
  }

  @Test(arguments: [("ü & hero.txt", UTType.plainText, true), ("map.png", .png, false)])
  func savedFileArrivesUnderItsNameOrItsBytesFollow(name: String, type: UTType, canSave: Bool) async throws {
    let found = try await dropping(["XdndDirectSave0", "application/octet-stream"], name: name) { target, address in
      guard target == "XdndDirectSave0" else { return canSave ? nil : Data("hero".utf8) }
      guard canSave, let url = URL(string: address) else { return Data("F".utf8) }
      return Data(((try? Data("hero".utf8).write(to: url)) != nil ? "S" : "E").utf8)
    } drop: { session in
      let item = try #require(try await session.items.first)
      return [item.suggestedName ?? "", String(decoding: try await item.data(for: type), as: UTF8.self)]
    }
    #expect(found == [name, "hero"])
  }

  /// Firefox creates the file and reports it, and writes it afterwards.
  ///
  /// Without content, the empty file arrives after a wait.
  @Test(arguments: ["closed", "open", "empty"]) func contentWrittenAfterTheReportArrives(file: String) async throws {
    let content = Data(repeating: 0x61, count: file == "empty" ? 0 : 100_000)
    let found = try await dropping(name: "picture.png") { _, address in
      guard let url = URL(string: address), FileManager.default.createFile(atPath: url.path, contents: nil)
      else { return nil }
      guard file != "empty" else { return Data("S".utf8) }
      let openFile = file == "open" ? try? FileHandle(forWritingTo: url) : nil
      Thread.detachNewThread {
        Thread.sleep(forTimeInterval: 0.1)
        guard let handle = openFile ?? (try? FileHandle(forWritingTo: url)) else { return }
        for part in [content.prefix(1000), content.dropFirst(1000)] {
          try? handle.write(contentsOf: part)
          Thread.sleep(forTimeInterval: 0.1)
        }
        try? handle.close()
      }
      return Data("S".utf8)
    } drop: { session in
      try await session.items.first?.data(for: .png)
    }
    #expect(found?.count == content.count)
  }

  /// The source has reported a saved file, which has no content yet.
  @Test func sourceThatClosesBeforeTheContentIsAnError() async throws {
    let code = try await failure {
      try await withLoopback { display, _ in
        let window = try await display.x11.window()
        let source = try await HostileSource(display, names: ["XdndDirectSave0"], name: "picture.png")
        let target = DesktopDrop(display, window: window.rawValue, directory: directory.url)
        try await target.withEvents { events in
          let serving = Task {
            try await source.serve { _, address in
              guard let url = URL(string: address), FileManager.default.createFile(atPath: url.path, contents: nil)
              else { return nil }
              Task {
                try await Task.sleep(for: .milliseconds(100))
                try display.x11.connection.send(.destroyWindow(source.window))
              }
              return Data("S".utf8)
            }
          }
          defer { serving.cancel() }
          try await source.dropOn(window)
          _ = try await events.nextDrop().items
        }
      }
    }
    #expect(code == .sourceFailed)
  }

  @Test(arguments: ["E", "S", "link", "nonsense"]) func falseReportsAreErrors(report: String) async throws {
    let code = try await dropping(name: "passwd") { _, address in
      guard report == "link", let url = URL(string: address) else { return Data(report.utf8) }
      try? FileManager.default.createSymbolicLink(atPath: url.path, withDestinationPath: "/etc/passwd")
      return Data("S".utf8)
    } drop: { session in
      try await failure { try await session.items }
    }
    #expect(code == .sourceFailed)
  }

  @Test(arguments: ["../../etc/passwd", "a/b", "", ".hidden", "a\nb"])
  func unsafeNamesAreNotSaved(name: String) async throws {
    let asked = Collector<String>()
    let found = try await dropping(["XdndDirectSave0", "text/plain"], name: name) { target, _ in
      asked.add(target)
      return Data("text".utf8)
    } drop: { session in
      let item = try #require(try await session.items.first)
      return try await item.value(as: String.self)
    }
    #expect(found == "text" && asked.values == ["text/plain"])
  }
}
