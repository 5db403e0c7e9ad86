// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

extension UTType {
  /// Whether data of this type may be used where `type` is wanted: it is that type, or conforms to it by any path.
  ///
  /// A type that nobody declared conforms to itself and to ``data``.
  public func conforms(to type: UTType) -> Bool {
    self == type || isSubtype(of: type)
  }

  /// Whether this type conforms to `type` without being it.
  public func isSubtype(of type: UTType) -> Bool {
    TypeRegistry.shared.supertypes(of: identifier).contains(type)
  }

  /// Whether `type` conforms to this one without being it.
  public func isSupertype(of type: UTType) -> Bool {
    type.isSubtype(of: self)
  }

  /// Every type this one conforms to, directly or not, itself excluded.
  public var supertypes: Set<UTType> {
    TypeRegistry.shared.supertypes(of: identifier)
  }
}
