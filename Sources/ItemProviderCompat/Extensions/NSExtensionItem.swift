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
/// item.attachments = [NSItemProvider(object: url as NSURL)]
/// ```
///
/// All properties are entries of ``userInfo``. Follows Apple's
/// [`NSExtensionItem`](https://developer.apple.com/documentation/foundation/nsextensionitem).
// Sendable because a lock protects its state. A subclass must protect its own state.
open class NSExtensionItem: NSObject, NSCopying, @unchecked Sendable {
  private let entries = Lock(Shared([AnyHashable: Any]()))

  /// Creates an empty item.
  public override init() {
    super.init()
  }

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
