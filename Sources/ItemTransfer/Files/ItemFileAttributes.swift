// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// What a source says of the file that an item was, beside its name: a destination may give its own file the same.
public struct ItemFileAttributes: Sendable, Hashable {
  /// The permission bits, `0o777` at most: never the right to run as the file's owner or group.
  public var permissions: UInt16? {
    didSet { permissions = permissions.map { $0 & 0o777 } }
  }

  /// When the content was last changed; travels to the nanosecond where it comes from a file system.
  public var modificationDate: Date? {
    get { modificationTime?.date }
    set { modificationTime = newValue.flatMap(FileTime.init) }
  }

  package var modificationTime: FileTime?

  /// Says nothing of what is left out.
  ///
  /// - Parameters:
  ///   - permissions: Of which the lower nine bits count.
  ///   - modificationDate: When the content was last changed.
  public init(permissions: UInt16? = nil, modificationDate: Date? = nil) {
    self.permissions = permissions.map { $0 & 0o777 }
    modificationTime = modificationDate.flatMap(FileTime.init)
  }

  package init(permissions: UInt16?, modificationTime: FileTime?) {
    self.permissions = permissions.map { $0 & 0o777 }
    self.modificationTime = modificationTime
  }

  /// Whether nothing is said.
  package var isEmpty: Bool { permissions == nil && modificationTime == nil }
}
