// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// Access to files outside of a sandbox, which Linux does not restrict: the calls have no effect.
extension URL {
  /// Returns `true` without an effect: the permissions of the file alone decide on the access.
  public func startAccessingSecurityScopedResource() -> Bool { true }

  /// Has no effect.
  public func stopAccessingSecurityScopedResource() {}
}

extension NSURL {
  /// Returns `true` without an effect: the permissions of the file alone decide on the access.
  public func startAccessingSecurityScopedResource() -> Bool { true }

  /// Has no effect.
  public func stopAccessingSecurityScopedResource() {}
}
