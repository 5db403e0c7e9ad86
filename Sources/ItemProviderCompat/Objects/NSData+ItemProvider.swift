// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

public import Foundation
internal import UniformTypes

/// Bytes of whatever type; ours, as Apple's class has neither conformance.
extension NSData: NSItemProviderWriting, NSItemProviderReading {
  /// Data, which says nothing about them.
  public static var writableTypeIdentifiersForItemProvider: [String] { [UTType.data.identifier] }

  /// Data of every type.
  public static var readableTypeIdentifiersForItemProvider: [String] { [UTType.data.identifier] }

  /// The bytes.
  public func loadData(
    withTypeIdentifier typeIdentifier: String,
    forItemProviderCompletionHandler completionHandler: @escaping @Sendable (Data?, (any Error)?) -> Void
  ) -> Progress? {
    completionHandler(Data(referencing: self), nil)
    return nil
  }

  /// The bytes.
  ///
  /// - Throws: `featureUnsupported` for classes that are not Foundation's.
  public static func object(withItemProviderData data: Data, typeIdentifier: String) throws -> Self {
    let object = self is NSMutableData.Type ? NSMutableData(data: data) : NSData(data: data)
    guard let object = object as? Self else { throw CocoaError(.featureUnsupported) }
    return object
  }
}
