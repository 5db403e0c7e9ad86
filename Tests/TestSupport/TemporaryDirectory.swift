// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A new directory, which is removed with its contents when the last reference is released.
public final class TemporaryDirectory: Sendable {
  /// The URL of the directory.
  public let url: URL

  /// Creates the directory, which only this user can read.
  public init() throws {
    url = FileManager.default.temporaryDirectory
      .appendingPathComponent("dragpipe-tests-\(UUID().uuidString)", isDirectory: true)
    try FileManager.default.createDirectory(
      at: url, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
  }

  deinit {
    remove()
  }

  /// Removes the directory early, unless it was removed before.
  public func remove() {
    try? FileManager.default.removeItem(at: url)
  }

  /// Returns the URL of a file in the directory, which need not exist.
  public func file(_ name: String) -> URL {
    url.appendingPathComponent(name, isDirectory: false)
  }

  /// Writes a file in the directory, and returns its URL.
  @discardableResult
  public func write(_ data: Data, to name: String) throws -> URL {
    let file = file(name)
    try data.write(to: file)
    return file
  }
}

extension TemporaryDirectory {
  /// Writes a file with a modification time in the distant past, and returns its URL.
  public func writeOld(_ data: Data, to name: String) throws -> URL {
    let file = try write(data, to: name)
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSince1970: 1e9)], ofItemAtPath: file.path)
    return file
  }

  /// Changes the last byte of a file without changing its length.
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

/// Passes a new directory to `body`, and removes it when `body` returns or throws.
public func withTemporaryDirectory<Result>(_ body: (URL) throws -> Result) throws -> Result {
  let directory = try TemporaryDirectory()
  defer { directory.remove() }
  return try body(directory.url)
}

/// Passes a new directory to `body`, and removes it when `body` returns or throws.
public func withTemporaryDirectory<Result>(
  isolation: isolated (any Actor)? = #isolation, _ body: (URL) async throws -> Result
) async throws -> Result {
  let directory = try TemporaryDirectory()
  defer { directory.remove() }
  return try await body(directory.url)
}

/// Returns the number of descriptors that this process has open, without the descriptor for this query.
///
/// Tests run in parallel. Compare two numbers only in a suite that runs alone, or wait for the number to decrease.
public func openDescriptorCount() throws -> Int {
  // Subtracts the directory's own descriptor, which every listing includes.
  try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count - 1
}
