// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropScenes
internal import DropSystem
public import Foundation
internal import Glibc

/// The directory in which an app keeps its state between two runs.
///
/// Only one run at a time can use it, since two would overwrite each other's files. The lock (`flock`) ends with the last
/// reference to the object, or with the process. Pass it to ``SceneApp/run(_:state:windowArguments:opening:)``.
public final class SceneStateDirectory: Sendable {
  /// The directory.
  public let url: URL
  private let lock: OwnedDescriptor

  /// Creates the directory if it is missing, for this user only, and locks it.
  ///
  /// - Parameter path: The path.
  /// - Throws: `SceneAppError` with the exit code 75 if another process uses the directory, and 73 if it cannot be
  ///   created or opened.
  public init(_ path: String) throws(SceneAppError) {
    guard !path.isEmpty else { throw SceneAppError(reason: "the directory for the state has no name", exitCode: 64) }
    url = URL(fileURLWithPath: path, isDirectory: true)
    do {
      try FileManager.default.createDirectory(
        at: url, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
      lock = try OwnedDescriptor.open(path, O_RDONLY | O_DIRECTORY)
      try SystemCalls.lock(lock.raw, LOCK_EX | LOCK_NB)
    } catch {
      let shown = path.escapedForDisplay()
      if (error as? SystemError)?.errorNumber == EWOULDBLOCK {
        throw SceneAppError(
          reason: "another process of the app uses \(shown); end it, or choose another directory", exitCode: 75)
      }
      throw SceneAppError(reason: "cannot use \(shown): \(SceneApp.reason(of: error))", exitCode: 73)
    }
  }

  /// The file of the app's scene sessions.
  var restoration: SceneRestorationFile {
    SceneRestorationFile(path: url.appendingPathComponent("scenes.drop").path)
  }
}
