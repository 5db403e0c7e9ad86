// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Glibc
import Synchronization

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A directory for the files of a run, which goes with it.
final class Workspace: Sendable {
  /// Those that are there now, which an interrupted program must not leave.
  private static let present = Mutex(Set<String>())

  let path: String
  private let made = Mutex(Set<String>())

  init() throws {
    let directory = FileManager.default.temporaryDirectory.appendingPathComponent("dragpipe-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
    path = directory.path
    Self.present.withLock { _ = $0.insert(path) }
  }

  func remove() {
    try? FileManager.default.removeItem(atPath: path)
    Self.present.withLock { _ = $0.remove(path) }
  }

  static func removeAll() {
    for path in present.withLock({ $0 }) { try? FileManager.default.removeItem(atPath: path) }
  }

  /// A file or directory that stays for the whole run, made when it is first asked for.
  ///
  /// - Returns: Its path.
  func file(_ name: String, _ make: (String) throws -> Void) throws -> String {
    let file = path + "/" + name
    guard made.withLock({ $0.insert(name).inserted }) else { return file }
    do {
      try make(file)
    } catch {
      _ = made.withLock { $0.remove(name) }
      throw error
    }
    return file
  }

  /// Makes sure that a program has done its work: a shell does not tell of one before the last.
  ///
  /// - Throws: When the files of a directory have not so many bytes.
  func expect(_ byteCount: Int, in directory: String, of program: String) throws {
    let sizes = try FileManager.default.contentsOfDirectory(atPath: directory).map { name in
      var status = stat()
      return lstat(directory + "/" + name, &status) == 0 ? Int(status.st_size) : 0
    }
    let found = sizes.reduce(0, +)
    guard found == byteCount else {
      throw OwnProcess.Failure(description: "\(program) left \(found) bytes instead of \(byteCount)")
    }
  }

  /// An empty directory; what was in one of that name is gone.
  ///
  /// - Returns: Its path.
  func emptyDirectory(_ name: String) throws -> String {
    let directory = path + "/" + name
    try? FileManager.default.removeItem(atPath: directory)
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
    return directory
  }
}
