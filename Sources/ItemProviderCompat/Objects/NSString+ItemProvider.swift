// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

public import Foundation
internal import ItemTransfer
internal import UniformTypes

extension NSString: NSItemProviderWriting, NSItemProviderReading {
  /// Text in UTF-8.
  public static var writableTypeIdentifiersForItemProvider: [String] { [UTType.utf8PlainText.identifier] }

  /// Text in UTF-8 and UTF-16, and plain text, whose byte order mark tells its encoding.
  public static var readableTypeIdentifiersForItemProvider: [String] {
    [UTType.utf8PlainText, .utf16ExternalPlainText, .utf16PlainText, .plainText].map(\.identifier)
  }

  /// The text's bytes.
  public func loadData(
    withTypeIdentifier typeIdentifier: String,
    forItemProviderCompletionHandler completionHandler: @escaping @Sendable (Data?, (any Error)?) -> Void
  ) -> Progress? {
    completionHandler(Data(String._unconditionallyBridgeFromObjectiveC(self).utf8), nil)
    return nil
  }

  /// The text.
  ///
  /// - Throws: `DecodingError` for bytes that are no text: text with holes in it would look like a success.
  public static func object(withItemProviderData data: Data, typeIdentifier: String) throws -> Self {
    Self(string: try ForeignText.text(data, of: UTType(named: typeIdentifier)))
  }
}
