// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Synchronization

/// A directory for the files of a run, which goes with it.
final class Workspace: Sendable {
  let path: String
  private let made = Mutex(Set<String>())

  init() throws {
    let directory = FileManager.default.temporaryDirectory.appendingPathComponent("dragpipe-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
    path = directory.path
  }

  func remove() {
    try? FileManager.default.removeItem(atPath: path)
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

  /// An empty directory; what was in one of that name is gone.
  ///
  /// - Returns: Its path.
  func emptyDirectory(_ name: String) throws -> String {
    let directory = path + "/" + name
    try? FileManager.default.removeItem(atPath: directory)
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
    return directory
  }

  /// Removes the directory when the run is interrupted, too.
  ///
  /// To be called before there are other threads, whose signals these would stay.
  func removeWhenInterrupted() {
    var signals = sigset_t()
    sigemptyset(&signals)
    for signal in [SIGINT, SIGTERM, SIGHUP] { sigaddset(&signals, signal) }
    pthread_sigmask(SIG_BLOCK, &signals, nil)
    Thread.detachNewThread { [self] in
      var signals = sigset_t()
      sigemptyset(&signals)
      for signal in [SIGINT, SIGTERM, SIGHUP] { sigaddset(&signals, signal) }
      var received: CInt = 0
      sigwait(&signals, &received)
      remove()
      _exit(128 + received)
    }
  }
}
