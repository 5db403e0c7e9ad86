// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

public import Foundation
internal import ItemTransfer
internal import UniformTypes

extension NSURL: NSItemProviderWriting, NSItemProviderReading {
  /// An address.
  public static var writableTypeIdentifiersForItemProvider: [String] { [UTType.url.identifier] }

  /// An address; of a file, that of a file first.
  public var writableTypeIdentifiersForItemProvider: [String] {
    isFileURL ? [UTType.fileURL.identifier, UTType.url.identifier] : [UTType.url.identifier]
  }

  /// Addresses.
  public static var readableTypeIdentifiersForItemProvider: [String] {
    [UTType.fileURL.identifier, UTType.url.identifier]
  }

  /// The address in UTF-8; only an absolute one has a meaning elsewhere.
  public func loadData(
    withTypeIdentifier typeIdentifier: String,
    forItemProviderCompletionHandler completionHandler: @escaping @Sendable (Data?, (any Error)?) -> Void
  ) -> Progress? {
    do {
      completionHandler(try URL._unconditionallyBridgeFromObjectiveC(self).foreignText(), nil)
    } catch {
      completionHandler(nil, error)
    }
    return nil
  }

  /// The address.
  ///
  /// - Throws: `DecodingError` for bytes that are none.
  public static func object(withItemProviderData data: Data, typeIdentifier: String) throws -> Self {
    let url = try URL(foreignText: data)
    guard typeIdentifier != UTType.fileURL.identifier || url.isFileURL,
      let object = NSURL(string: url.absoluteString) as? Self
    else {
      throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "not the URL of a file"))
    }
    return object
  }
}
