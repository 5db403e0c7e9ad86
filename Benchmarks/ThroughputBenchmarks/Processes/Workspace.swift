// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Synchronization

/// A directory for the files of a run, which goes with it.
final class Workspace: Sendable {
  /// The existing workspaces, which an interrupted program must remove.
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

  /// Removes all workspaces, once no process writes there.
  static func removeAll() {
    MeasuredProcess.endAll()
    for path in present.withLock({ $0 }) { try? FileManager.default.removeItem(atPath: path) }
  }

  /// A file or directory that stays for the whole run, made when it is first asked for.
  ///
  /// It gets its name once it is complete; a failed attempt is repeated.
  ///
  /// - Returns: Its path.
  func file(_ name: String, _ make: (String) async throws -> Void) async throws -> String {
    let file = path + "/" + name
    guard !made.withLock({ $0.contains(name) }) else { return file }
    let unfinished = try emptyDirectory("unfinished") + "/" + name
    try await make(unfinished)
    try FileManager.default.moveItem(atPath: unfinished, toPath: file)
    _ = made.withLock { $0.insert(name) }
    return file
  }

  /// Returns a file with `byteCount` bytes, shared by all cases that move a file.
  ///
  /// - Returns: Its path.
  func source(_ byteCount: Int) async throws -> String {
    try await file("source") { try BenchmarkFile.make($0, byteCount: byteCount) }
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
