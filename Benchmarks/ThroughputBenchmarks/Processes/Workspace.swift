// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Synchronization

/// A directory for the files of a run, which is removed at its end.
final class Workspace: Sendable {
  /// The paths of all workspaces, which an interrupted program must remove.
  private static let present = Mutex(Set<String>())

  let path: String
  /// A workspace in memory (tmpfs); `nil` in that workspace, and without such a file system.
  let inMemory: Workspace?
  private let made = Mutex(Set<String>())

  convenience init() throws {
    try self.init(in: FileManager.default.temporaryDirectory, try? Workspace(in: URL(fileURLWithPath: "/dev/shm"), nil))
  }

  private init(in parent: URL, _ inMemory: Workspace?) throws {
    let directory = parent.appendingPathComponent("dragpipe-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
    path = directory.path
    self.inMemory = inMemory
    Self.present.withLock { _ = $0.insert(path) }
  }

  func remove() {
    inMemory?.remove()
    try? FileManager.default.removeItem(atPath: path)
    Self.present.withLock { _ = $0.remove(path) }
  }

  /// Ends all processes that write to workspaces, then removes all workspaces.
  static func removeAll() {
    MeasuredProcess.endAll()
    for path in present.withLock({ $0 }) { try? FileManager.default.removeItem(atPath: path) }
  }

  /// Returns a file or directory that stays for the complete run.
  ///
  /// The first call creates it.
  ///
  /// It gets its name when it is complete, so a failed attempt can be repeated.
  ///
  /// - Returns: The path.
  func file(_ name: String, _ make: (String) async throws -> Void) async throws -> String {
    let file = path + "/" + name
    guard !made.withLock({ $0.contains(name) }) else { return file }
    let unfinished = try emptyDirectory("unfinished") + "/" + name
    try await make(unfinished)
    try FileManager.default.moveItem(atPath: unfinished, toPath: file)
    _ = made.withLock { $0.insert(name) }
    return file
  }

  /// Returns a file with `byteCount` bytes, which all cases that transfer a file share.
  ///
  /// - Returns: The path.
  func source(_ byteCount: Int) async throws -> String {
    try await file("source") { try BenchmarkFile.make($0, byteCount: byteCount) }
  }

  /// Creates an empty directory.
  ///
  /// An existing directory of that name is removed.
  ///
  /// - Returns: The path.
  func emptyDirectory(_ name: String) throws -> String {
    let directory = path + "/" + name
    try? FileManager.default.removeItem(atPath: directory)
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
    return directory
  }
}
