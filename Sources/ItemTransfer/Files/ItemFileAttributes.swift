// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

package import DropSystem
public import FoundationEssentials

/// What a source says of the file that an item was, beside its name: a destination may give its own file the same.
public struct ItemFileAttributes: Sendable, Hashable {
  /// The permission bits with the sticky bit, `0o1777` at most: never the right to run as the file's owner or group.
  public var permissions: UInt16? {
    didSet { permissions = permissions.map { $0 & Self.permissionMask } }
  }

  private static let permissionMask: UInt16 = 0o1777

  /// The folder the file was in, relative to a root that the items of a drop share; `nil` for the root itself.
  ///
  /// Names separated by slashes, such as `Tales/Odyssey`. It comes from the source: a destination checks every name.
  public var folder: String?

  /// When the content was last changed; travels to the nanosecond where it comes from a file system.
  public var modificationDate: Date? {
    get { modificationTime?.date }
    set { modificationTime = newValue.flatMap(FileTime.init) }
  }

  package var modificationTime: FileTime?

  /// Says nothing of what is left out.
  ///
  /// - Parameters:
  ///   - permissions: Of which the lower nine bits and the sticky bit count.
  ///   - modificationDate: When the content was last changed.
  public init(permissions: UInt16? = nil, modificationDate: Date? = nil) {
    self.permissions = permissions.map { $0 & Self.permissionMask }
    modificationTime = modificationDate.flatMap(FileTime.init)
  }

  package init(permissions: UInt16?, modificationTime: FileTime?) {
    self.permissions = permissions.map { $0 & Self.permissionMask }
    self.modificationTime = modificationTime
  }

  /// Whether nothing is said.
  package var isEmpty: Bool { permissions == nil && modificationTime == nil && folder == nil }
}
