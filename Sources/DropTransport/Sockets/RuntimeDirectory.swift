// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import Glibc
internal import ItemTransfer

/// The directory for this user's sockets.
///
/// Other users cannot access it.
enum RuntimeDirectory {
  /// `$XDG_RUNTIME_DIR/dragpipe`; without that variable, a directory with the user's number in `/tmp`.
  static var path: String {
    let variable = getenv("XDG_RUNTIME_DIR").map { String(cString: $0) } ?? ""
    if variable.hasPrefix("/") { return variable + "/dragpipe" }
    return "/tmp/dragpipe-\(geteuid())"
  }

  /// Creates the directory, if it does not exist.
  ///
  /// - Throws: `destinationUnavailable` if the directory cannot be created, or if another user owns it or has access to
  ///   it. Another user may have created it first.
  static func prepare(_ path: String = path) throws(DropStreamError) {
    do throws(SystemError) {
      do throws(SystemError) { try SystemCalls.makeDirectory(path, 0o700) } catch {
        if error.errorNumber != EEXIST { throw error }
      }
      let status = try SystemCalls.statusAt(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW)
      guard status.kind == .directory, status.owner == geteuid(), status.permissions & 0o077 == 0 else {
        throw SystemError(EPERM, in: "mkdir")
      }
    } catch {
      throw DropStreamError(
        .destinationUnavailable, "\(path.escapedForDisplay()) is not a directory of this user alone", error)
    }
  }
}
