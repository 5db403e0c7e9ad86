// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
public import Foundation
internal import ItemTransfer
internal import UniformTypes

extension NSURL: NSItemProviderWriting, NSItemProviderReading {
  /// The type of URLs.
  public static var writableTypeIdentifiersForItemProvider: [String] { [UTType.url.identifier] }

  /// The type of URLs; for a file URL, the type of file URLs comes first.
  public var writableTypeIdentifiersForItemProvider: [String] {
    isFileURL ? [UTType.fileURL.identifier, UTType.url.identifier] : [UTType.url.identifier]
  }

  /// The types of file URLs and URLs.
  public static var readableTypeIdentifiersForItemProvider: [String] {
    [UTType.fileURL.identifier, UTType.url.identifier]
  }

  /// Calls the completion handler with the URL as a string in UTF-8.
  ///
  /// A relative URL is an error, since it has no meaning in another process.
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

  /// Creates a URL.
  ///
  /// - Throws: `DecodingError` for bytes that are not an absolute URL, or not a file URL for the type of file URLs.
  public static func object(withItemProviderData data: Data, typeIdentifier: String) throws -> Self {
    let url = try URL(foreignText: data)
    guard typeIdentifier != UTType.fileURL.identifier || url.isFileURL,
      let object = NSURL(string: url.absoluteString) as? Self
    else {
      throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "the URL is not a file URL"))
    }
    return object
  }
}

extension NSString: NSItemProviderWriting, NSItemProviderReading {
  /// The type of UTF-8 text.
  public static var writableTypeIdentifiersForItemProvider: [String] { [UTType.utf8PlainText.identifier] }

  /// The types of UTF-8 and UTF-16 text, and of plain text, whose byte order mark determines its encoding.
  public static var readableTypeIdentifiersForItemProvider: [String] {
    [UTType.utf8PlainText, .utf16ExternalPlainText, .utf16PlainText, .plainText].map(\.identifier)
  }

  /// Calls the completion handler with the string in UTF-8.
  public func loadData(
    withTypeIdentifier typeIdentifier: String,
    forItemProviderCompletionHandler completionHandler: @escaping @Sendable (Data?, (any Error)?) -> Void
  ) -> Progress? {
    completionHandler(Data(String._unconditionallyBridgeFromObjectiveC(self).utf8), nil)
    return nil
  }

  /// Creates a string.
  ///
  /// - Throws: `DecodingError` for bytes that are not valid text: replacing invalid bytes would hide the fault.
  public static func object(withItemProviderData data: Data, typeIdentifier: String) throws -> Self {
    Self(string: try ForeignText.text(data, of: UTType(named: typeIdentifier)))
  }
}

extension NSAttributedString: NSItemProviderWriting, NSItemProviderReading {
  /// The type of UTF-8 text: the attributes are not written.
  public static var writableTypeIdentifiersForItemProvider: [String] { NSString.writableTypeIdentifiersForItemProvider }

  /// The types of plain text; rich text is not read.
  public static var readableTypeIdentifiersForItemProvider: [String] { NSString.readableTypeIdentifiersForItemProvider }

  /// Calls the completion handler with the string in UTF-8, without attributes.
  public func loadData(
    withTypeIdentifier typeIdentifier: String,
    forItemProviderCompletionHandler completionHandler: @escaping @Sendable (Data?, (any Error)?) -> Void
  ) -> Progress? {
    completionHandler(Data(string.utf8), nil)
    return nil
  }

  /// Creates a string without attributes.
  ///
  /// - Throws: `DecodingError` for bytes that are not valid text; `featureUnsupported` for subclasses other than
  ///   Foundation's.
  public static func object(withItemProviderData data: Data, typeIdentifier: String) throws -> Self {
    let text = try ForeignText.text(data, of: UTType(named: typeIdentifier))
    let object =
      self is NSMutableAttributedString.Type
      ? NSMutableAttributedString(string: text) : NSAttributedString(string: text)
    guard let object = object as? Self else { throw CocoaError(.featureUnsupported) }
    return object
  }
}

/// Bytes of any type. These conformances are additions: Apple's class has neither of them.
extension NSData: NSItemProviderWriting, NSItemProviderReading {
  /// The generic type of data.
  public static var writableTypeIdentifiersForItemProvider: [String] { [UTType.data.identifier] }

  /// The type to which all types of data conform.
  public static var readableTypeIdentifiersForItemProvider: [String] { [UTType.data.identifier] }

  /// Calls the completion handler with the bytes.
  public func loadData(
    withTypeIdentifier typeIdentifier: String,
    forItemProviderCompletionHandler completionHandler: @escaping @Sendable (Data?, (any Error)?) -> Void
  ) -> Progress? {
    completionHandler(Data(referencing: self), nil)
    return nil
  }

  /// Creates data.
  ///
  /// - Throws: `featureUnsupported` for subclasses other than Foundation's.
  public static func object(withItemProviderData data: Data, typeIdentifier: String) throws -> Self {
    let object = self is NSMutableData.Type ? NSMutableData(data: data) : NSData(data: data)
    guard let object = object as? Self else { throw CocoaError(.featureUnsupported) }
    return object
  }
}

extension NSUserActivity: NSItemProviderWriting, NSItemProviderReading {
  /// The complete activity, in the encoding of `UserActivity`.
  public static var writableTypeIdentifiersForItemProvider: [String] { [UTType.userActivity.identifier] }

  /// The complete activity, in the encoding of `UserActivity`.
  public static var readableTypeIdentifiersForItemProvider: [String] { [UTType.userActivity.identifier] }

  /// Calls the completion handler with the encoded activity, or with an error that names the entry that cannot be sent.
  public func loadData(
    withTypeIdentifier typeIdentifier: String,
    forItemProviderCompletionHandler completionHandler: @escaping @Sendable (Data?, (any Error)?) -> Void
  ) -> Progress? {
    do {
      completionHandler(try userActivity().coded(), nil)
    } catch {
      completionHandler(nil, error)
    }
    return nil
  }

  /// Creates an activity.
  ///
  /// - Throws: `DecodingError` and other errors for bytes that are not an activity.
  public static func object(withItemProviderData data: Data, typeIdentifier: String) throws -> Self {
    guard let activity = NSUserActivity(try UserActivity(coded: data)) as? Self else {
      throw CocoaError(.featureUnsupported)
    }
    return activity
  }
}

/// Conversions between objects and bytes, for the functions of ``NSItemProvider`` that load objects.
enum ItemCoercion {
  /// Returns the file of an object, or its bytes.
  ///
  /// - Parameters:
  ///   - item: The object; the URL of a file stands for that file, unless the type is one of URLs.
  ///   - type: The type of the content.
  ///   - form: The form that an offer has stated. The object may have changed since.
  ///   - isCancelled: Returns whether the load was cancelled.
  /// - Returns: The content.
  /// - Throws: The errors of ``data(of:_:_:)``.
  static func content(
    of item: any NSSecureCoding, _ type: UTType, _ form: ItemRepresentation.Form, isCancelled: () -> Bool
  ) throws -> ItemContent {
    guard let file = file(of: item, type) else { return .data(try data(of: item, type, form)) }
    // The name of a handler's file is a technical one.
    let sent =
      form == .file
      ? SentTransferredFile(named: file, allowAccessingOriginalFile: false) : SentTransferredFile(file)
    return try ItemContent.file(sent).kept(as: type, isCancelled: isCancelled)
  }

  /// Returns the bytes of an object.
  ///
  /// - Parameters:
  ///   - item: `NSData` is used unchanged. The contents of the file are read for the URL of a file, unless the type is
  ///     one of URLs. If the type is a property list, any other object becomes one. Otherwise, `NSString` is encoded
  ///     as UTF-8, and `NSURL` as text. Any other object becomes a property list if it can, else a keyed archive.
  ///   - type: The type of the bytes.
  ///   - form: The form of the bytes, if it is known.
  /// - Returns: The bytes.
  /// - Throws: The reason why the object has no such bytes.
  static func data(
    of item: any NSSecureCoding, _ type: UTType, _ form: ItemRepresentation.Form = .data
  ) throws -> Data {
    if let data = item as? NSData { return Data(referencing: data) }
    if let file = file(of: item, type) { return try Data(contentsOf: file) }
    if form != .propertyList, !type.conforms(to: .propertyList) {
      if let text = item as? NSString { return Data(String._unconditionallyBridgeFromObjectiveC(text).utf8) }
      if let address = item as? NSURL { return try URL._unconditionallyBridgeFromObjectiveC(address).foreignText() }
      if !isPropertyList(item) {
        return try NSKeyedArchiver.archivedData(withRootObject: item, requiringSecureCoding: true)
      }
    }
    return try PropertyListSerialization.data(fromPropertyList: item, format: .binary, options: 0)
  }

  private static func file(of item: any NSSecureCoding, _ type: UTType) -> URL? {
    guard let address = item as? NSURL, address.isFileURL, !type.conforms(to: .url) else { return nil }
    return URL._unconditionallyBridgeFromObjectiveC(address)
  }

  /// Returns whether an object is the same after it was a property list, which has no decimal numbers.
  private static func isPropertyList(_ item: any NSSecureCoding) -> Bool {
    !(item is NSDecimalNumber) && PropertyListSerialization.propertyList(item, isValidFor: .binary)
  }

  /// Returns the form of the bytes of an object; a keyed archive has the form of data.
  static func form(of item: any NSSecureCoding, as type: UTType) -> ItemRepresentation.Form {
    if item is NSData { return .data }
    if file(of: item, type) != nil { return .file }
    if type.conforms(to: .propertyList) { return .propertyList }
    if item is NSString { return .text }
    if item is NSURL { return .url }
    return isPropertyList(item) ? .propertyList : .data
  }

  /// Returns the form that objects of a type usually have.
  static func form(suggestedBy type: UTType) -> ItemRepresentation.Form {
    if type.conforms(to: .url) { return .url }
    if type == .utf16PlainText || type == .utf16ExternalPlainText { return .data }
    if type == .text || type.conforms(to: .plainText) || type.conforms(to: .html) { return .text }
    return type.conforms(to: .propertyList) ? .propertyList : .data
  }

  /// Returns the object for bytes.
  ///
  /// - Parameters:
  ///   - data: The bytes, which may be untrusted.
  ///   - type: The type of the bytes.
  ///   - form: The form that the source has stated.
  /// - Returns: The object; the bytes themselves if they do not have that form. A source cannot make its address of a
  ///   file the answer to a request for content: that file is one of this machine.
  static func item(of data: Data, _ type: UTType, _ form: ItemRepresentation.Form) -> any NSSecureCoding {
    switch form {
    case .url:
      let address = try? NSURL.object(withItemProviderData: data, typeIdentifier: UTType.url.identifier)
      if let address, !address.isFileURL || type.conforms(to: .url) { return address }
    case .text:
      if let text = String(validating: data, as: UTF8.self) { return text._bridgeToObjectiveC() }
    case .propertyList:
      if let list = try? propertyList(of: data), let object = (list as AnyObject) as? any NSSecureCoding {
        return object
      }
    case .data, .file: break
    }
    return NSData(data: data)
  }

  /// Returns the objects of a property list, which may be untrusted.
  static func propertyList(of data: Data) throws -> Any {
    try PropertyListValidator().validate(data)
    return try PropertyListSerialization.propertyList(from: data, format: nil)
  }
}
