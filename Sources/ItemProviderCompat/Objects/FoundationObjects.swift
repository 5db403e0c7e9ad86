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
  /// Returns the bytes of an object.
  ///
  /// - Parameters:
  ///   - item: `NSData` is used unchanged. If the type is a property list, any other object becomes one. Otherwise,
  ///     `NSString` is encoded as UTF-8. `NSURL` is encoded as text if it is not a file URL, and for a type of URLs;
  ///     else the contents of its file are read. Any other object becomes a keyed archive.
  ///   - type: The type of the bytes.
  /// - Returns: The bytes.
  /// - Throws: The reason why the object has no such bytes.
  static func data(of item: any NSSecureCoding, _ type: UTType) throws -> Data {
    if form(of: type) == .propertyList, !(item is NSData) {
      return try PropertyListSerialization.data(fromPropertyList: item, format: .binary, options: 0)
    }
    return switch item {
    case let data as NSData: Data(referencing: data)
    case let text as NSString: Data(String._unconditionallyBridgeFromObjectiveC(text).utf8)
    case let address as NSURL:
      if type.conforms(to: .url) || !address.isFileURL {
        try URL._unconditionallyBridgeFromObjectiveC(address).foreignText()
      } else {
        try Data(contentsOf: URL._unconditionallyBridgeFromObjectiveC(address))
      }
    default: try NSKeyedArchiver.archivedData(withRootObject: item, requiringSecureCoding: true)
    }
  }

  /// The kind of object that bytes of a type become.
  enum Form {
    case address
    case text
    case propertyList
    case bytes
  }

  static func form(of type: UTType) -> Form {
    if type.conforms(to: .url) { return .address }
    if type == .text || type.conforms(to: .plainText) || type.conforms(to: .html) { return .text }
    return type.conforms(to: .propertyList) ? .propertyList : .bytes
  }

  /// Returns the object for bytes.
  ///
  /// - Parameters:
  ///   - data: The bytes, which may be untrusted.
  ///   - type: The type of the bytes.
  ///   - requested: The type that was requested.
  /// - Returns: The object.
  /// - Throws: The reason why the bytes are not of their type.
  static func item(of data: Data, _ type: UTType, requested: UTType) throws -> any NSSecureCoding {
    switch form(of: type) {
    case .address:
      // Nineteen public programs that request a file URL were examined: 10 accept only data, 2 only a URL, and 7 both.
      if type.conforms(to: .fileURL), requested != .url { return NSData(data: data) }
      return try NSURL.object(withItemProviderData: data, typeIdentifier: type.identifier)
    case .text:
      let encoding: UTType = type.conforms(to: .plainText) ? type : .utf8PlainText
      return try NSString.object(withItemProviderData: data, typeIdentifier: encoding.identifier)
    case .propertyList:
      try PropertyListValidator().validate(data)
      let list = try PropertyListSerialization.propertyList(from: data, format: nil)
      guard let object = (list as AnyObject) as? any NSSecureCoding else { throw CocoaError(.coderReadCorrupt) }
      return object
    case .bytes: return NSData(data: data)
    }
  }
}
