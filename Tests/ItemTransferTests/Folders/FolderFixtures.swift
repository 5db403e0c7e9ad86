// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import ItemTransfer

/// The properties of a file or folder that tests compare.
struct TreeItem: Hashable {
  var permissions: Int
  var modified: Int
  /// `nil` for a folder.
  var content: Data?
}

/// Returns all files and folders in a folder by path.
///
/// The folder itself has an empty path.
func tree(at url: URL) throws -> [[UInt8]: TreeItem] {
  var items: [[UInt8]: TreeItem] = [:]
  for path in [""] + (try FileManager.default.subpathsOfDirectory(atPath: url.path)) {
    let full = path.isEmpty ? url.path : url.path + "/" + path
    let attributes = try FileManager.default.attributesOfItem(atPath: full)
    let isFolder = attributes[.type] as? FileAttributeType == .typeDirectory
    let modified = try #require(attributes[.modificationDate] as? Date)
    items[Array(path.utf8)] = TreeItem(
      permissions: try #require(attributes[.posixPermissions] as? Int),
      modified: Int(modified.timeIntervalSince1970.rounded(.down)),
      content: isFolder ? nil : try Data(contentsOf: URL(fileURLWithPath: full)))
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
  /// Returns the complete archive.
  func archive(isCancelled: () -> Bool = { false }) throws -> Data {
    var data = Data()
    try write(isCancelled: isCancelled) { chunk in
      #expect((1...FolderArchive.chunkSize).contains(chunk.count))
      data.append(contentsOf: chunk)
    }
    return data
  }
}

/// Extracts an archive into a new folder, and returns the folder.
///
/// If the extraction throws, it must leave no file behind.
@discardableResult
func extract<Result>(
  _ archive: some Collection<UInt8>, as name: String? = nil, limits: FolderArchive.Limits = .init(),
  isCancelled: () -> Bool = { false }, sourceLocation: SourceLocation = #_sourceLocation,
  _ body: (URL) throws -> Result
) throws -> Result {
  try withTemporaryDirectory { directory in
    let file = directory.appendingPathComponent("archive.zip")
    try Data(archive).write(to: file)
    let destination = directory.appendingPathComponent("destination")
    try FileManager.default.createDirectory(at: destination, withIntermediateDirectories: false)
    do throws(FolderArchiveError) {
      let reader = try FolderArchiveReader(path: file.path, limits: limits, isCancelled: isCancelled)
      try reader.extract(into: destination.path, as: name, isCancelled: isCancelled)
    } catch {
      let left = try FileManager.default.contentsOfDirectory(atPath: destination.path)
      #expect(left.isEmpty, "left behind after \(error)", sourceLocation: sourceLocation)
      #expect(!error.description.isEmpty)
      throw error
    }
    return try body(destination)
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

/// A cancellation that takes effect at a given check.
final class CancellationCountdown {
  private var rest: Int

  init(after questions: Int) {
    rest = questions
  }

  func isCancelled() -> Bool {
    rest -= 1
    return rest < 0
  }
}
