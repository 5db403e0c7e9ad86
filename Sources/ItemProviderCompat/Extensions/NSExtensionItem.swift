// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
public import Foundation
internal import Synchronization

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The key of the title in the user info of an item.
public let NSExtensionItemAttributedTitleKey = "NSExtensionItemAttributedTitleKey"
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The key of the text in the user info of an item.
public let NSExtensionItemAttributedContentTextKey = "NSExtensionItemAttributedContentTextKey"
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The key of the attachments in the user info of an item.
public let NSExtensionItemAttachmentsKey = "NSExtensionItemAttachmentsKey"

/// An item of a request to an app extension: a title, a text and providers of its attachments.
///
/// ```swift
/// let item = NSExtensionItem()
/// item.attachments = [NSItemProvider(item: url as NSURL, typeIdentifier: "public.url")]
/// ```
///
/// All properties are entries of ``userInfo``.
///
/// A keyed archive contains the title and the text without their attributes, and the other entries that are objects of a
/// property list. It does not contain the attachments, whose content is loaded only on demand. Follows Apple's
/// [`NSExtensionItem`](https://developer.apple.com/documentation/foundation/nsextensionitem).
// Sendable because a lock protects its state. A subclass must protect its own state.
open class NSExtensionItem: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
  private let entries = Lock(Shared([AnyHashable: Any]()))

  /// Creates an empty item.
  public override init() {
    super.init()
  }

  /// Decodes an item from an archive, which may be untrusted.
  ///
  /// - Returns: `nil` if the archive contains no item.
  public required init?(coder: NSCoder) {
    super.init()
    guard let list = coder.decodeObject(of: NSData.self, forKey: Self.entriesKey),
      let all = (try? ItemCoercion.propertyList(of: Data(referencing: list))) as? [String: Any]
    else { return nil }
    for (key, value) in all {
      guard Self.textKeys.contains(key) else {
        setEntry(key, value)
        continue
      }
      if let text = value as? String { setEntry(key, NSAttributedString(string: text)) }
    }
  }

  /// Encodes the title, the text, and the entries that are objects of a property list.
  open func encode(with coder: NSCoder) {
    var all: [String: Any] = [:]
    for (key, value) in userInfo ?? [:] {
      guard let key = key.base as? String else { continue }
      let text = Self.textKeys.contains(key) ? (value as? NSAttributedString)?.string : nil
      let value = text ?? value
      if PropertyListSerialization.propertyList(value, isValidFor: .binary) { all[key] = value }
    }
    let list = try? PropertyListSerialization.data(fromPropertyList: all, format: .binary, options: 0)
    coder.encode(list.map { NSData(data: $0) }, forKey: Self.entriesKey)
  }

  /// Returns `true`.
  open class var supportsSecureCoding: Bool { true }

  private static let entriesKey = "entries"
  private static let textKeys = [NSExtensionItemAttributedTitleKey, NSExtensionItemAttributedContentTextKey]

  /// The title for display.
  open var attributedTitle: NSAttributedString? {
    get { entry(NSExtensionItemAttributedTitleKey) }
    set { setEntry(NSExtensionItemAttributedTitleKey, newValue) }
  }

  /// The text of the item, for example a selection.
  open var attributedContentText: NSAttributedString? {
    get { entry(NSExtensionItemAttributedContentTextKey) }
    set { setEntry(NSExtensionItemAttributedContentTextKey, newValue) }
  }

  /// The attachments.
  ///
  /// Each provider offers one object in several types.
  open var attachments: [NSItemProvider]? {
    get { entry(NSExtensionItemAttachmentsKey) }
    set { setEntry(NSExtensionItemAttachmentsKey, newValue) }
  }

  /// All entries, with the title, the text and the attachments.
  open var userInfo: [AnyHashable: Any]? {
    get { entries.withLock { $0 }.value }
    set {
      let new = Shared(newValue ?? [:])
      // The old entries are released outside the lock, since their deinitializers may run any code.
      let old = entries.withLock { entries in
        defer { entries = new }
        return entries
      }
      withExtendedLifetime(old) {}
    }
  }

  private func entry<Value>(_ key: String) -> Value? { userInfo?[key] as? Value }

  private func setEntry(_ key: String, _ value: Any?) {
    var all = userInfo ?? [:]
    all[key] = value
    userInfo = all
  }

  /// Returns an item with the same entries.
  open override func copy() -> Any { copy(with: nil) }

  /// Returns an item with the same entries; the attachments are the same providers.
  open func copy(with zone: NSZone? = nil) -> Any {
    let copy = NSExtensionItem()
    copy.userInfo = userInfo
    return copy
  }
}
