// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import UniformTypes

/// Types are objects of ``UTTypeReference`` where objects are wanted.
extension UTType: ReferenceConvertible {
  /// The class of the objects.
  public typealias ReferenceType = UTTypeReference

  // swift-format-ignore: NoLeadingUnderscores
  /// Wraps the type.
  public func _bridgeToObjectiveC() -> UTTypeReference { UTTypeReference(self) }

  // swift-format-ignore: NoLeadingUnderscores
  /// Takes the type of an object.
  public static func _forceBridgeFromObjectiveC(_ source: UTTypeReference, result: inout UTType?) {
    result = source.type
  }

  // swift-format-ignore: NoLeadingUnderscores
  /// Takes the type of an object, which always has one.
  public static func _conditionallyBridgeFromObjectiveC(_ source: UTTypeReference, result: inout UTType?) -> Bool {
    result = source.type
    return true
  }

  // swift-format-ignore: NoLeadingUnderscores
  /// Takes the type of an object; of none, `public.item`, which says nothing.
  public static func _unconditionallyBridgeFromObjectiveC(_ source: UTTypeReference?) -> UTType {
    source?.type ?? .item
  }
}
