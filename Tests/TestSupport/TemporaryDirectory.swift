// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A fresh directory with a name of its own, removed with everything in it when the last reference goes.
public final class TemporaryDirectory: Sendable {
  /// Where it is.
  public let url: URL

  /// Makes the directory, which only this user can read.
  public init() throws {
    url = FileManager.default.temporaryDirectory
      .appendingPathComponent("dragpipe-tests-\(UUID().uuidString)", isDirectory: true)
    try FileManager.default.createDirectory(
      at: url, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
  }

  deinit {
    remove()
  }

  /// Removes the directory before the last reference goes; twice does no harm.
  public func remove() {
    try? FileManager.default.removeItem(at: url)
  }

  /// The address of a file in the directory, whether it exists or not.
  public func file(_ name: String) -> URL {
    url.appendingPathComponent(name, isDirectory: false)
  }

  /// Writes a file into the directory.
  ///
  /// - Returns: Its address.
  @discardableResult
  public func write(_ data: Data, to name: String) throws -> URL {
    let file = file(name)
    try data.write(to: file)
    return file
  }
}

extension TemporaryDirectory {
  /// Writes a file that nobody has written to for long, as its time says.
  ///
  /// - Returns: Its address.
  public func writeOld(_ data: Data, to name: String) throws -> URL {
    let file = try write(data, to: name)
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSince1970: 1e9)], ofItemAtPath: file.path)
    return file
  }

  /// Writes another last byte, so that the file is as long as before.
  public func overwriteEnd(of file: URL) throws {
    let handle = try FileHandle(forUpdating: file)
    defer { try? handle.close() }
    let end = try handle.seekToEnd()
    try handle.seek(toOffset: end - 1)
    let last = try handle.read(upToCount: 1)?.first ?? 0
    try handle.seek(toOffset: end - 1)
    try handle.write(contentsOf: Data([~last]))
  }
}

/// Lends a fresh directory, which is removed when `body` returns or throws.
public func withTemporaryDirectory<Result>(_ body: (URL) throws -> Result) throws -> Result {
  let directory = try TemporaryDirectory()
  defer { directory.remove() }
  return try body(directory.url)
}

/// Lends a fresh directory, which is removed when `body` returns or throws.
public func withTemporaryDirectory<Result>(
  isolation: isolated (any Actor)? = #isolation, _ body: (URL) async throws -> Result
) async throws -> Result {
  let directory = try TemporaryDirectory()
  defer { directory.remove() }
  return try await body(directory.url)
}
