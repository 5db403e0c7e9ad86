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

  /// Whether the system or this process has declared the type.
  package var isKnown: Bool {
    TypeRegistry.shared.declaration(of: identifier) != nil
  }

  /// The supertypes that another process must be told of to know them all; none for a type of the system.
  package var supertypesToState: [UTType] {
    TypeRegistry.shared.statement(of: self)
  }

  /// Every type this one conforms to, directly or not, itself excluded.
  public var supertypes: Set<UTType> {
    TypeRegistry.shared.supertypes(of: identifier)
  }
}
