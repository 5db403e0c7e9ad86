// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
public import Foundation
internal import Glibc

extension FileManager {
  /// Returns the directory that the programs of a group share, and creates it if it does not exist.
  ///
  /// The directory is `app-groups/IDENTIFIER` in the user's data directory: `$XDG_DATA_HOME`, or `~/.local/share`. A new
  /// directory has the mode 0700. All programs of the user can open the directory, because Linux has no entitlements.
  /// An existing directory must be the user's own, and only the user may write to it. Blocks while the directory is
  /// created.
  ///
  /// - Parameter groupIdentifier: The name of the group: 1 to 255 bytes without a slash, control characters and invisible
  ///   characters, and neither `.` nor `..`.
  /// - Returns: The directory; `nil` for another identifier, or if the directory cannot be created or is not safe.
  public func containerURL(forSecurityApplicationGroupIdentifier groupIdentifier: String) -> URL? {
    guard Self.isGroupIdentifier(groupIdentifier) else { return nil }
    let groups = URL.applicationSupportDirectory.appendingPathComponent("app-groups", isDirectory: true)
    let container = groups.appendingPathComponent(groupIdentifier, isDirectory: true)
    do {
      for directory in [groups, container] {
        // Succeeds without a change if the directory exists.
        try createDirectory(at: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let status = try SystemCalls.statusAt(AT_FDCWD, directory.path, AT_SYMLINK_NOFOLLOW)
        guard status.kind == .directory, status.owner == geteuid(), status.permissions & 0o022 == 0 else { return nil }
      }
      return container
    } catch {
      return nil
    }
  }

  /// Returns whether an identifier is one component of a path.
  private static func isGroupIdentifier(_ text: String) -> Bool {
    1...255 ~= text.utf8.count && text != "." && text != ".." && !text.utf8.contains(UInt8(ascii: "/"))
      && text.firstInvisibleControl == nil
  }
}
