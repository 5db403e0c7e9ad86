// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

public import Foundation
internal import ItemCoding
public import ItemTransfer
internal import Synchronization
internal import UniformTypes

/// Apple's item provider as code for Apple's systems names it, for that code to compile here unchanged.
///
/// ```swift
/// let provider = NSItemProvider(object: "Hail, Odysseus" as NSString)
/// _ = provider.loadObject(ofClass: String.self) { text, error in print(text ?? "\(error!)") }
/// ```
///
/// Every call forwards to ``itemProvider``. What Apple leaves open is decided as follows:
/// - Whoever answers twice is heard once; who answers with neither a value nor an error has failed.
/// - Handlers are called on a queue of the system, never on the caller's thread, and once; also after a cancellation.
/// - A type that is registered twice keeps its first loader.
/// - A progress counts the bytes, and the whole is unknown (-1) until somebody knows it.
///
/// Follows Apple's [`NSItemProvider`](https://developer.apple.com/documentation/foundation/nsitemprovider).
open class NSItemProvider: NSObject, NSCopying, @unchecked Sendable {
  /// Answers a request for an item; `nil` and `nil` is an answer without an item.
  public typealias CompletionHandler = @Sendable ((any NSSecureCoding)?, (any Error)?) -> Void
  /// Makes an item: it is given whom to tell, what class is wanted if somebody knows that, and options.
  public typealias LoadHandler = @Sendable (CompletionHandler?, AnyClass?, [AnyHashable: Any]?) -> Void

  /// The domain of the errors that loads end with.
  public static let errorDomain = "NSItemProviderErrorDomain"

  /// The provider that does the work: what a drop stream writes, and what it is read as.
  public let itemProvider: ItemProvider
  /// What was registered as an object, for those who want it as one.
  let items: Lock<ItemHandlers>

  /// Offers nothing yet.
  public override init() {
    itemProvider = ItemProvider()
    items = Lock(ItemHandlers())
    super.init()
  }

  /// Offers what another provider does: one that came through a drop stream, for example.
  public init(_ itemProvider: ItemProvider) {
    self.itemProvider = itemProvider
    items = Lock(ItemHandlers())
    super.init()
  }

  private init(copying other: NSItemProvider) {
    itemProvider = ItemProvider(copying: other.itemProvider)
    items = Lock(other.items.withLock { $0 })
    super.init()
  }

  /// A provider that offers the same; what either registers later is its own.
  open override func copy() -> Any { copy(with: nil) }

  /// A provider that offers the same; what either registers later is its own.
  open func copy(with zone: NSZone? = nil) -> Any { NSItemProvider(copying: self) }

  // MARK: What there is

  /// What a file made of the item should be called.
  open var suggestedName: String? {
    get { itemProvider.suggestedName }
    set { itemProvider.suggestedName = newValue }
  }

  /// The types the item can be had as, in the order of their registration.
  open var registeredTypeIdentifiers: [String] { itemProvider.contentTypes.map(\.identifier) }

  /// The types the item can be had as in a certain way, in the order of their registration.
  ///
  /// - Parameter fileOptions: With `openInPlace`, only those of which the source's own file may be used.
  /// - Returns: Their identifiers.
  open func registeredTypeIdentifiers(fileOptions: NSItemProviderFileOptions = []) -> [String] {
    types(fileOptions).map(\.identifier)
  }

  /// Whether anything may be used where a type is wanted.
  open func hasItemConformingToTypeIdentifier(_ typeIdentifier: String) -> Bool {
    hasRepresentationConforming(toTypeIdentifier: typeIdentifier)
  }

  /// Whether anything may be used where a type is wanted.
  ///
  /// - Parameters:
  ///   - typeIdentifier: The type; any text is one.
  ///   - fileOptions: With `openInPlace`, only what can be opened where it is counts.
  /// - Returns: Whether there is one.
  open func hasRepresentationConforming(
    toTypeIdentifier typeIdentifier: String, fileOptions: NSItemProviderFileOptions = []
  ) -> Bool {
    let wanted = UTType(named: typeIdentifier)
    if fileOptions.isEmpty { return itemProvider.hasRepresentation(conformingTo: wanted) }
    return types(fileOptions).contains { $0.conforms(to: wanted) }
  }

  private func types(_ fileOptions: NSItemProviderFileOptions) -> [UTType] {
    fileOptions.contains(.openInPlace) ? itemProvider.contentTypesForOpeningInPlace : itemProvider.contentTypes
  }
}
