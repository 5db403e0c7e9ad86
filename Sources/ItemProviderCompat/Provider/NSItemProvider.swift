// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
public import Foundation
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
/// - A progress says which part is done, in units of its own, is indeterminate (-1) while nobody knows, and is finished
///   when the load has ended, also with an error.
///
/// Follows Apple's [`NSItemProvider`](https://developer.apple.com/documentation/foundation/nsitemprovider).
// Sendable because what it keeps is behind locks of its own; a subclass answers for what it adds.
open class NSItemProvider: NSObject, NSCopying, @unchecked Sendable {
  /// Answers a request for an item; `nil` and `nil` is an answer without an item.
  public typealias CompletionHandler = @Sendable ((any NSSecureCoding)?, (any Error)?) -> Void
  /// Makes an item: it is given whom to tell, what class is wanted if somebody knows that, and options.
  public typealias LoadHandler = @Sendable (CompletionHandler?, AnyClass?, [AnyHashable: Any]?) -> Void

  /// The domain of the errors that loads end with.
  public static let errorDomain = "NSItemProviderErrorDomain"

  // Set before anybody else has the object.
  /// The provider that does the work: what a drop stream writes, and what it is read as.
  public private(set) final var itemProvider: ItemProvider
  /// What was registered as an object, for those who want it as one.
  let items: Lock<ItemHandlers>

  /// Offers nothing yet.
  public override init() {
    itemProvider = ItemProvider()
    items = Lock(ItemHandlers())
    super.init()
  }

  /// Offers an object as one type.
  ///
  /// - Parameters:
  ///   - item: The object; `nil` offers nothing yet.
  ///   - typeIdentifier: The type; without one, nothing is offered.
  public init(item: (any NSSecureCoding)?, typeIdentifier: String?) {
    itemProvider = ItemProvider()
    items = Lock(ItemHandlers())
    super.init()
    guard let item, let typeIdentifier else { return }
    let shared = Shared(item)
    promise(typeIdentifier) { completion, _, _ in completion?(shared.value, nil) }
  }

  // Convenient, as a subclass that has both of Apple's own inherits all others then.
  /// Offers what another provider does: one that came through a drop stream, for example.
  ///
  /// - Parameter itemProvider: The provider, which is shared and not copied.
  public convenience init(_ itemProvider: ItemProvider) {
    self.init()
    self.itemProvider = itemProvider
  }

  /// A provider that offers the same; what either registers later is its own.
  open override func copy() -> Any { copy(with: nil) }

  /// A provider that offers the same; what either registers later is its own.
  ///
  /// Of a subclass, too, it is a plain one.
  open func copy(with zone: NSZone? = nil) -> Any {
    let copy = NSItemProvider(ItemProvider(copying: itemProvider))
    let items = items.withLock { $0 }
    copy.items.withLock { $0 = items }
    return copy
  }

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
    return types(fileOptions).contains { itemProvider.offers($0, conformingTo: wanted) }
  }

  private func types(_ fileOptions: NSItemProviderFileOptions) -> [UTType] {
    fileOptions.contains(.openInPlace) ? itemProvider.contentTypesForOpeningInPlace : itemProvider.contentTypes
  }

  // MARK: Bytes and files

  /// Promises the item as bytes, which are made when they are asked for.
  ///
  /// - Parameters:
  ///   - typeIdentifier: What the bytes will be; any text is kept as it is.
  ///   - visibility: Who may have them.
  ///   - loadHandler: Makes them, and calls what it is given with the bytes or an error. The progress it returns shows
  ///     in the progress of the load, and is cancelled with it.
  @preconcurrency
  open func registerDataRepresentation(
    forTypeIdentifier typeIdentifier: String, visibility: NSItemProviderRepresentationVisibility,
    loadHandler: @escaping @Sendable (@escaping @Sendable (Data?, (any Error)?) -> Void) -> Progress?
  ) {
    promise(UTType(named: typeIdentifier), visibility.itemVisibility, loadHandler)
  }

  /// Promises the item as a file, which is made or found when it is asked for.
  ///
  /// - Parameters:
  ///   - typeIdentifier: What the file will be; for a folder a type that conforms to `public.directory`.
  ///   - fileOptions: With `openInPlace`, a destination may use the file itself.
  ///   - visibility: Who may have it.
  ///   - loadHandler: Makes the file, and calls what it is given with the file and whether its readers are coordinated
  ///     (nobody is here), or with an error. The file stays the source's, which may remove it when that call returns,
  ///     unless a destination may use it.
  @preconcurrency
  open func registerFileRepresentation(
    forTypeIdentifier typeIdentifier: String, fileOptions: NSItemProviderFileOptions = [],
    visibility: NSItemProviderRepresentationVisibility,
    loadHandler: @escaping @Sendable (@escaping @Sendable (URL?, Bool, (any Error)?) -> Void) -> Progress?
  ) {
    promiseFile(
      UTType(named: typeIdentifier), visibility.itemVisibility, openInPlace: fileOptions.contains(.openInPlace),
      loadHandler)
  }

  /// Loads the first representation that conforms to a type, as bytes; a folder as a zip archive.
  ///
  /// - Parameters:
  ///   - typeIdentifier: The type wanted; a more special one may come.
  ///   - completionHandler: Called once, with the bytes or with an error of ``errorDomain``.
  /// - Returns: Shows how far the load is, and cancels it.
  @preconcurrency @discardableResult
  open func loadDataRepresentation(
    forTypeIdentifier typeIdentifier: String,
    completionHandler: @escaping @Sendable (Data?, (any Error)?) -> Void
  ) -> Progress {
    startLoadingData(typeIdentifier, completionHandler)
  }

  /// Loads the first representation that conforms to a type, as a file that is removed when the handler returns.
  ///
  /// - Parameters:
  ///   - typeIdentifier: The type wanted; a more special one may come.
  ///   - completionHandler: Called once, with a file or a folder to be moved or copied, or with an error.
  /// - Returns: Shows how far the load is, and cancels it.
  @preconcurrency @discardableResult
  open func loadFileRepresentation(
    forTypeIdentifier typeIdentifier: String,
    completionHandler: @escaping @Sendable (URL?, (any Error)?) -> Void
  ) -> Progress {
    startLoadingFile(typeIdentifier, completionHandler)
  }

  /// Loads the first representation that conforms to a type: the source's own file where that is allowed, else a copy
  /// which stays in the directory for temporary files until somebody moves or removes it.
  ///
  /// - Parameters:
  ///   - typeIdentifier: The type wanted; a more special one may come.
  ///   - completionHandler: Called once, with the file and whether it is the original, or with an error.
  /// - Returns: Shows how far the load is, and cancels it.
  @preconcurrency @discardableResult
  open func loadInPlaceFileRepresentation(
    forTypeIdentifier typeIdentifier: String,
    completionHandler: @escaping @Sendable (URL?, Bool, (any Error)?) -> Void
  ) -> Progress {
    startLoadingFileInPlace(typeIdentifier, completionHandler)
  }

  // MARK: Objects

  /// Offers an object as well; types that are offered already keep their first loader.
  ///
  /// - Parameters:
  ///   - object: The object, which is kept until nobody can ask for it any more.
  ///   - visibility: Who may have it; what the object says of a representation may be narrower.
  open func registerObject(_ object: any NSItemProviderWriting, visibility: NSItemProviderRepresentationVisibility) {
    promise(object, visibility)
  }

  /// Promises an object of a class, which is made when one of its representations is asked for.
  ///
  /// - Parameters:
  ///   - aClass: The class, which says what its objects can be had as.
  ///   - visibility: Who may have it; what the class says of a representation may be narrower.
  ///   - loadHandler: Makes the object, once for each load, and calls what it is given with it or with an error.
  @preconcurrency
  open func registerObject(
    ofClass aClass: any NSItemProviderWriting.Type, visibility: NSItemProviderRepresentationVisibility,
    loadHandler:
      @escaping @Sendable (
        @escaping @Sendable ((any NSItemProviderWriting)?, (any Error)?) -> Void
      ) -> Progress?
  ) {
    promise(aClass, visibility, loadHandler)
  }

  /// Whether an object of a class can be made of what is offered.
  open func canLoadObject(ofClass aClass: any NSItemProviderReading.Type) -> Bool {
    choice(for: aClass) != nil
  }

  /// Makes an object of the first representation, in the source's order, that its class can read.
  ///
  /// - Parameters:
  ///   - aClass: The class; it is given its own type that the representation is or conforms to.
  ///   - completionHandler: Called once, with the object or with an error of ``errorDomain``: `itemUnavailableError`
  ///     where there is nothing to read, `unexpectedValueClassError` with the reason of the class where it throws.
  /// - Returns: Shows how far the load is, and cancels it.
  @preconcurrency @discardableResult
  open func loadObject(
    ofClass aClass: any NSItemProviderReading.Type,
    completionHandler: @escaping @Sendable ((any NSItemProviderReading)?, (any Error)?) -> Void
  ) -> Progress {
    startLoadingObject(aClass, completionHandler)
  }

  // MARK: Items

  /// Promises an object, which is made when it is asked for.
  ///
  /// Whoever wants bytes gets those of `NSData`, text in UTF-8, the contents of a file that an `NSURL` leads to unless
  /// the type is that of addresses, and of other objects a keyed archive.
  ///
  /// - Parameters:
  ///   - typeIdentifier: The type.
  ///   - loadHandler: Makes the object.
  @preconcurrency
  open func registerItem(forTypeIdentifier typeIdentifier: String, loadHandler: @escaping LoadHandler) {
    promise(typeIdentifier, loadHandler)
  }

  /// Loads the first item that conforms to a type.
  ///
  /// - Parameters:
  ///   - typeIdentifier: The type wanted.
  ///   - options: Handed to the handler that makes the item.
  ///   - completionHandler: Called once, with the item or with an error of ``errorDomain``.
  @preconcurrency
  open func loadItem(
    forTypeIdentifier typeIdentifier: String, options: [AnyHashable: Any]? = nil,
    completionHandler: CompletionHandler? = nil
  ) {
    startLoadingItem(typeIdentifier, options, completionHandler)
  }

  /// Loads the first item that conforms to a type.
  ///
  /// - Parameters:
  ///   - typeIdentifier: The type wanted.
  ///   - options: Handed to the handler that makes the item.
  /// - Returns: The item.
  /// - Throws: An error of ``errorDomain``.
  open func loadItem(
    forTypeIdentifier typeIdentifier: String, options: [AnyHashable: Any]? = nil
  ) async throws -> any NSSecureCoding {
    try await Self.awaiting { loadItem(forTypeIdentifier: typeIdentifier, options: options, completionHandler: $0) }
  }

  /// Makes a picture that stands for the item: an `NSData`, or an `NSURL` of a file.
  open var previewImageHandler: LoadHandler? {
    get { items.withLock { $0.preview } }
    set { promisePreview(newValue) }
  }

  /// Loads the picture that stands for the item, or else the first representation that is one.
  ///
  /// - Parameters:
  ///   - options: Handed to the handler that makes it, such as ``NSItemProviderPreferredImageSizeKey``.
  ///   - completionHandler: Called once, with the picture or with an error of ``errorDomain``.
  @preconcurrency
  open func loadPreviewImage(options: [AnyHashable: Any]! = [:], completionHandler: @escaping CompletionHandler) {
    startLoadingPreview(options, completionHandler)
  }

  /// Loads the picture that stands for the item, or else the first representation that is one.
  ///
  /// - Parameter options: Handed to the handler that makes it.
  /// - Returns: The picture.
  /// - Throws: An error of ``errorDomain``.
  open func loadPreviewImage(options: [AnyHashable: Any]! = [:]) async throws -> any NSSecureCoding {
    try await Self.awaiting { loadPreviewImage(options: options, completionHandler: $0) }
  }
}
