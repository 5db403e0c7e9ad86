// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import ItemTransfer

/// The properties of a file, a folder or a link that tests compare.
struct TreeItem: Hashable {
  var permissions: Int
  /// Seconds and nanoseconds.
  var modified: [Int]
  /// `nil` for a folder.
  var content: Data?
  /// `nil` for a file or a folder.
  var target: String?
  /// The number of names of a file.
  var names: Int
}

/// Returns all files, folders and links in a folder by path.
///
/// The folder itself has an empty path.
func tree(at url: URL) throws -> [[UInt8]: TreeItem] {
  var items: [[UInt8]: TreeItem] = [:]
  for path in [""] + (try FileManager.default.subpathsOfDirectory(atPath: url.path)) {
    let full = path.isEmpty ? url.path : url.path + "/" + path
    var status = stat()
    try #require(lstat(full, &status) == 0)
    let kind = status.st_mode & S_IFMT
    items[Array(path.utf8)] = TreeItem(
      permissions: kind == S_IFLNK ? 0 : Int(status.st_mode & 0o7777),
      modified: [status.st_mtim.tv_sec, status.st_mtim.tv_nsec],
      content: kind == S_IFREG ? try Data(contentsOf: URL(fileURLWithPath: full)) : nil,
      target: kind == S_IFLNK ? try FileManager.default.destinationOfSymbolicLink(atPath: full) : nil,
      names: kind == S_IFDIR ? 1 : Int(status.st_nlink))
  }
  return items
}

/// Creates files.
///
/// A path with a slash at its end creates a folder.
func makeTree(_ items: KeyValuePairs<String, String>, at url: URL) throws {
  try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  for (path, text) in items {
    let full = url.path + "/" + path
    let folder = path.hasSuffix("/") ? full : (full as NSString).deletingLastPathComponent
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    if !path.hasSuffix("/") { try Data(text.utf8).write(to: URL(fileURLWithPath: full)) }
  }
}

/// Expects that a system call has succeeded.
func expectSuccess(_ result: CInt, sourceLocation: SourceLocation = #_sourceLocation) {
  if result != 0 { Issue.record("\(String(cString: strerror(errno)))", sourceLocation: sourceLocation) }
}

/// Passes `body` a new folder with files.
func withFolder(
  _ items: KeyValuePairs<String, String> = [:], named name: String = "Tales", _ body: (URL) throws -> Void
) throws {
  try withTemporaryDirectory { directory in
    let folder = directory.appendingPathComponent(name)
    try makeTree(items, at: folder)
    try body(folder)
  }
}

extension FolderArchiveWriter {
  /// Returns the complete archive, produced in chunks of `chunkSize` bytes.
  func archive(chunkSize: Int = FolderArchive.chunkSize, _ onChunk: () throws -> Void = {}) throws -> Data {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: chunkSize, alignment: 16)
    defer { buffer.deallocate() }
    var data = Data()
    while case let count = try fill(buffer), count > 0 {
      data.append(contentsOf: buffer[..<count])
      try onChunk()
    }
    return data
  }
}

/// Returns the archive of a folder.
func archive(of folder: URL, _ options: FolderArchiveOptions = .init()) throws -> Data {
  try FolderArchiveWriter(folder: folder.path, options: options).archive()
}

extension FolderArchiveOptions {
  init(_ change: (inout FolderArchiveOptions) -> Void) {
    self.init()
    change(&self)
  }
}

extension FolderUnpacker.Options {
  init(_ change: (inout FolderUnpacker.Options) -> Void) {
    self.init()
    change(&self)
  }
}

extension FolderArchive.Limits {
  init<Number: FixedWidthInteger>(_ path: WritableKeyPath<FolderArchive.Limits, Number>, _ bound: Number) {
    self.init()
    self[keyPath: path] = bound
  }
}

/// Extracts an archive into a new folder, and returns the result of `body` for the folder's parent.
///
/// If the extraction throws, it must leave no file behind.
@discardableResult
func extract<Result>(
  _ archive: some Collection<UInt8>, as name: String = "Tales", limits: FolderArchive.Limits = .init(),
  chunkSize: Int = 100_000, options: FolderUnpacker.Options = .init(),
  sourceLocation: SourceLocation = #_sourceLocation, _ body: (URL) throws -> Result
) throws -> Result {
  try withTemporaryDirectory { directory in
    let raw = open(directory.path, O_RDONLY | O_DIRECTORY)
    defer { close(raw) }
    do throws(FolderArchiveError) {
      let unpacker = try FolderUnpacker(into: raw, as: name, options: options, limits: limits)
      var rest = Array(archive)[...]
      while !rest.isEmpty {
        let chunk = Array(rest.prefix(chunkSize))
        let result = chunk.withUnsafeBytes { bytes in
          Swift.Result { () throws(FolderArchiveError) in try unpacker.append(bytes) }
        }
        try result.get()
        rest = rest.dropFirst(chunkSize)
      }
      try unpacker.finish()
    } catch {
      let left = try names(in: directory)
      if !left.isEmpty { Issue.record("\(left) left behind after \(error)", sourceLocation: sourceLocation) }
      if error.description.isEmpty || error.description.contains("\n") { Issue.record("\(error)") }
      throw error
    }
    return try body(directory)
  }
}

/// Extracts an archive, and returns the files, folders and links of the new folder.
func extractedTree(
  _ archive: some Collection<UInt8>, options: FolderUnpacker.Options = .init(), chunkSize: Int = 100_000
) throws -> [[UInt8]: TreeItem] {
  try extract(archive, chunkSize: chunkSize, options: options) { try tree(at: $0.appendingPathComponent("Tales")) }
}

extension [[UInt8]: TreeItem] {
  subscript(_ path: String) -> TreeItem? { self[Array(path.utf8)] }
}

/// Runs `body`, which must throw a `FolderArchiveError` with this code.
@discardableResult
func requireFolderError(
  _ code: FolderArchiveError.Code, _ path: String? = nil, sourceLocation: SourceLocation = #_sourceLocation,
  _ body: () throws -> Void
) throws -> FolderArchiveError {
  do {
    try body()
  } catch let error as FolderArchiveError {
    if error.code != code || path != nil && error.path?.bytes != path.map({ Array($0.utf8) }) {
      Issue.record("\(error) instead of \(code)", sourceLocation: sourceLocation)
    }
    return error
  }
  try #require(Bool(false), "no error", sourceLocation: sourceLocation)
  throw CancellationError()
}

/// Requires that the extraction fails with `code`, at the member `path` if that is given, and leaves no files behind.
@discardableResult
func refuse(
  _ code: FolderArchiveError.Code, at path: String? = nil, _ tar: CraftedTar, limits: FolderArchive.Limits = .init(),
  options: FolderUnpacker.Options = .init(), sourceLocation: SourceLocation = #_sourceLocation
) throws -> FolderArchiveError {
  try requireFolderError(code, path, sourceLocation: sourceLocation) {
    try extract(tar.bytes, limits: limits, options: options, sourceLocation: sourceLocation) { _ in }
  }
}

/// A tar archive whose fields may be wrong.
struct CraftedTar {
  struct Entry {
    var name: [UInt8]
    var kind: Character
    var content: [UInt8]
    var target: [UInt8]
    var mode = "0000644\0"
    var time = "00000000000\0"
    /// `nil` stands for the size of the content.
    var size: [UInt8]?
    var magic = "ustar\u{0}00"
    var prefix = ""
    /// Bytes at offsets of the header, set before the checksum.
    var patches: [Int: [UInt8]] = [:]
    /// `nil` stands for the right one.
    var checksum: String?

    init(_ name: String, _ text: String = "", kind: Character? = nil, target: String = "") {
      self.name = Array(name.utf8)
      content = Array(text.utf8)
      self.kind = kind ?? (name.hasSuffix("/") ? "5" : "0")
      self.target = Array(target.utf8)
      if self.kind == "5" { mode = "0000755\0" }
    }

    func with(_ change: (inout Entry) -> Void) -> Entry {
      var copy = self
      change(&copy)
      return copy
    }

    var header: [UInt8] {
      var block = [UInt8](repeating: 0, count: 512)
      func put(_ bytes: some Sequence<UInt8>, _ offset: Int) {
        for (index, byte) in bytes.enumerated() { block[offset + index] = byte }
      }
      put(name.prefix(100), 0)
      put(mode.utf8, 100)
      put("0000000\u{0}0000000\u{0}".utf8, 108)
      let octal = String(content.count, radix: 8)
      put(size ?? Array((String(repeating: "0", count: 11 - octal.count) + octal).utf8), 124)
      put(time.utf8, 136)
      put(String(kind).utf8, 156)
      put(target.prefix(100), 157)
      put(magic.utf8, 257)
      put(prefix.utf8, 345)
      for (offset, bytes) in patches { put(bytes, offset) }
      put("        ".utf8, 148)
      let sum = String(block.reduce(0) { $0 + Int($1) }, radix: 8)
      put((checksum ?? String(repeating: "0", count: 6 - sum.count) + sum + "\u{0} ").utf8, 148)
      return block
    }

    var bytes: [UInt8] { header + content + [UInt8](repeating: 0, count: -content.count & 511) }
  }

  var entries: [Entry]
  /// The bytes after the entries.
  var end = [UInt8](repeating: 0, count: 1024)

  init(_ entries: Entry...) {
    self.entries = entries
  }

  var bytes: [UInt8] { entries.flatMap(\.bytes) + end }

  func with(_ change: (inout CraftedTar) -> Void) -> CraftedTar {
    var copy = self
    change(&copy)
    return copy
  }

  /// Returns a copy with more entries.
  func adding(_ entries: Entry...) -> CraftedTar { with { $0.entries += entries } }

  /// Returns a copy whose file is changed.
  func changingFile(_ change: (inout Entry) -> Void) -> CraftedTar { with { change(&$0.entries[1]) } }

  /// Returns pax records.
  static func records(_ pairs: KeyValuePairs<String, String>, kind: Character = "x") -> Entry {
    var bytes: [UInt8] = []
    for (key, value) in pairs { PaxAttributes.append(key, value.utf8, to: &bytes) }
    return Entry("PaxHeaders/x", kind: kind).with { $0.content = bytes }
  }

  /// A folder with a file.
  static let sound = CraftedTar(Entry("Tales/"), Entry("Tales/a", "once upon a time"))
}
