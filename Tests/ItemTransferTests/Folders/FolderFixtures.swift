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
      let left = try FileManager.default.contentsOfDirectory(atPath: directory.path)
      #expect(left.isEmpty, "left behind after \(error)", sourceLocation: sourceLocation)
      #expect(!error.description.isEmpty && !error.description.contains("\n"))
      throw error
    }
    return try body(directory)
  }
}

/// Runs `body`, which must throw a `FolderArchiveError` with this code.
@discardableResult
func requireFolderError(
  _ code: FolderArchiveError.Code, _ path: String? = nil, sourceLocation: SourceLocation = #_sourceLocation,
  _ body: () throws -> Void
) throws -> FolderArchiveError {
  let error = try #require(throws: FolderArchiveError.self, sourceLocation: sourceLocation) { try body() }
  #expect(error.code == code, "\(error)", sourceLocation: sourceLocation)
  if let path { #expect(error.path?.bytes == Array(path.utf8), "\(error)", sourceLocation: sourceLocation) }
  return error
}
