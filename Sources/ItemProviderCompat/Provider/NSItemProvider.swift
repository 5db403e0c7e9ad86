// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
public import Foundation
public import ItemTransfer
internal import Synchronization
internal import UniformTypes

/// An item provider with the members of Apple's class, so that code for Apple's systems compiles unchanged.
///
/// ```swift
/// let provider = NSItemProvider(object: "Hail, Odysseus" as NSString)
/// _ = provider.loadObject(ofClass: String.self) { text, error in print(text ?? "\(error!)") }
/// ```
///
/// Every call forwards to ``itemProvider``. Behaviour that Apple leaves open is as follows:
/// - Only the first completion of a handler has an effect. Completing with neither a value nor an error is a failure.
/// - Handlers are called once, on a system queue and never on the caller's thread, even after a cancellation.
/// - If a type is registered twice, the first loader is kept.
/// - A progress has units of its own, and is indeterminate (-1) while its total is unknown. It is finished before the
///   handler is called, even with an error. Its parents show the end up to 50 ms later.
/// - A file from ``loadFileRepresentation(forTypeIdentifier:completionHandler:)`` has the name of the source's file if
///   a file handler has created it, else the suggested name, else a name for its type.
///
/// Follows Apple's [`NSItemProvider`](https://developer.apple.com/documentation/foundation/nsitemprovider).
// Sendable because locks protect its state. A subclass must protect its own state.
open class NSItemProvider: NSObject, NSCopying, @unchecked Sendable {
  /// A handler for a loaded item; two `nil` arguments mean that there is no item.
  public typealias CompletionHandler = @Sendable ((any NSSecureCoding)?, (any Error)?) -> Void
  /// A handler that creates an item.
  ///
  /// Its arguments are the completion handler, the requested class if it is known, and options.
  public typealias LoadHandler = @Sendable (CompletionHandler?, AnyClass?, [AnyHashable: Any]?) -> Void

  /// The domain of the errors of loads.
  public static let errorDomain = "NSItemProviderErrorDomain"

  // `itemProvider` is set before the object is shared.
  /// The underlying provider, which a drop stream reads and writes.
  public private(set) final var itemProvider: ItemProvider
  /// The handlers of items that were registered as objects.
  let items: Lock<ItemHandlers>

  /// Creates a provider that offers nothing yet.
  public override init() {
    itemProvider = ItemProvider()
    items = Lock(ItemHandlers())
    super.init()
  }

  /// Creates a provider that offers an object as one type.
  ///
  /// - Parameters:
  ///   - item: The object; with `nil`, the provider offers nothing yet.
  ///   - typeIdentifier: The type; with `nil`, the provider offers nothing yet.
  public init(item: (any NSSecureCoding)?, typeIdentifier: String?) {
    itemProvider = ItemProvider()
    items = Lock(ItemHandlers())
    super.init()
    guard let item, let typeIdentifier else { return }
    let shared = Shared(item)
    promise(typeIdentifier, as: ItemCoercion.form(of: item, as: UTType(named: typeIdentifier))) { completion, _, _ in
      completion?(shared.value, nil)
    }
  }

  // This is a convenience initializer, so that a subclass that overrides Apple's two designated initializers inherits
  // all others.
  /// Creates a provider from an `ItemProvider`, for example from a drop stream.
  ///
  /// - Parameter itemProvider: The provider, which is shared and not copied.
  public convenience init(_ itemProvider: ItemProvider) {
    self.init()
    self.itemProvider = itemProvider
  }

  /// Returns a provider with the same representations; later registrations are independent.
  open override func copy() -> Any { copy(with: nil) }

  /// Returns a provider with the same representations; later registrations are independent.
  ///
  /// The copy of a subclass is a plain provider.
  open func copy(with zone: NSZone? = nil) -> Any {
    let copy = NSItemProvider(ItemProvider(copying: itemProvider))
    let items = items.withLock { $0 }
    copy.items.withLock { $0 = items }
    return copy
  }

  // MARK: Types

  /// The suggested name for a file of the item.
  open var suggestedName: String? {
    get { itemProvider.suggestedName }
    set { itemProvider.suggestedName = newValue }
  }

  /// The types as which the item can be loaded, in the order of registration.
  open var registeredTypeIdentifiers: [String] { itemProvider.contentTypes.map(\.identifier) }

  /// Returns the types as which the item can be loaded, in the order of registration.
  ///
  /// - Parameter fileOptions: With `openInPlace`, only types whose original file may be used.
  /// - Returns: The type identifiers.
  open func registeredTypeIdentifiers(fileOptions: NSItemProviderFileOptions = []) -> [String] {
    types(fileOptions).map(\.identifier)
  }

  /// Returns whether a representation conforms to a type.
  open func hasItemConformingToTypeIdentifier(_ typeIdentifier: String) -> Bool {
    hasRepresentationConforming(toTypeIdentifier: typeIdentifier)
  }

  /// Returns whether a representation conforms to a type.
  ///
  /// - Parameters:
  ///   - typeIdentifier: The type; any string is accepted.
  ///   - fileOptions: With `openInPlace`, only types whose original file may be used are considered.
  /// - Returns: Whether there is such a representation.
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

  /// Offers the item as bytes, which are created when they are loaded.
  ///
  /// - Parameters:
  ///   - typeIdentifier: The type of the bytes; any string is accepted.
  ///   - visibility: The processes that may load the bytes.
  ///   - loadHandler: Creates the bytes, and calls its argument with the bytes or an error. The progress that it
  ///     returns becomes a child of the load's progress and is cancelled with it.
  @preconcurrency
  open func registerDataRepresentation(
    forTypeIdentifier typeIdentifier: String, visibility: NSItemProviderRepresentationVisibility,
    loadHandler: @escaping @Sendable (@escaping @Sendable (Data?, (any Error)?) -> Void) -> Progress?
  ) {
    promise(UTType(named: typeIdentifier), visibility.itemVisibility, loadHandler)
  }

  /// Offers the item as a file, which is created or located when it is loaded.
  ///
  /// - Parameters:
  ///   - typeIdentifier: The type of the file; for a folder, a type that conforms to `public.directory`.
  ///   - fileOptions: With `openInPlace`, a destination may use the original file.
  ///   - visibility: The processes that may load the file.
  ///   - loadHandler: Creates the file, and calls its argument with the file or an error. The flag for file
  ///     coordination has no effect. The source owns the file and may remove it when that call returns, unless a
  ///     destination may use the original file.
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

  /// Loads the first representation that conforms to a type, as bytes; a folder as a tar archive.
  ///
  /// - Parameters:
  ///   - typeIdentifier: The requested type; the representation may have a more specific type.
  ///   - completionHandler: Called once, with the bytes or an error of ``errorDomain``.
  /// - Returns: The progress, which can cancel the load.
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
  ///   - typeIdentifier: The requested type; the representation may have a more specific type.
  ///   - completionHandler: Called once, with a file or folder to move or copy, or with an error.
  /// - Returns: The progress, which can cancel the load.
  @preconcurrency @discardableResult
  open func loadFileRepresentation(
    forTypeIdentifier typeIdentifier: String,
    completionHandler: @escaping @Sendable (URL?, (any Error)?) -> Void
  ) -> Progress {
    startLoadingFile(typeIdentifier, completionHandler)
  }

  /// Loads the first representation that conforms to a type, as the original file or as a copy.
  ///
  /// The original file is used if the source allows it. A copy stays in the directory for temporary files until a
  /// program moves or removes it.
  ///
  /// - Parameters:
  ///   - typeIdentifier: The requested type; the representation may have a more specific type.
  ///   - completionHandler: Called once, with the file and whether it is the original, or with an error.
  /// - Returns: The progress, which can cancel the load.
  @preconcurrency @discardableResult
  open func loadInPlaceFileRepresentation(
    forTypeIdentifier typeIdentifier: String,
    completionHandler: @escaping @Sendable (URL?, Bool, (any Error)?) -> Void
  ) -> Progress {
    startLoadingFileInPlace(typeIdentifier, completionHandler)
  }

  // MARK: Objects

  /// Offers an object as well; types that are already offered keep their first loader.
  ///
  /// - Parameters:
  ///   - object: The object, which the provider retains.
  ///   - visibility: The processes that may load the object; the object may restrict a representation further.
  open func registerObject(_ object: any NSItemProviderWriting, visibility: NSItemProviderRepresentationVisibility) {
    promise(object, visibility)
  }

  /// Offers an object of a class, which is created when one of its representations is loaded.
  ///
  /// - Parameters:
  ///   - aClass: The class, which declares the writable types.
  ///   - visibility: The processes that may load the object; the class may restrict a representation further.
  ///   - loadHandler: Creates the object, once for each load, and calls its argument with the object or an error.
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

  /// Returns whether an object of a class can be created from an offered representation.
  open func canLoadObject(ofClass aClass: any NSItemProviderReading.Type) -> Bool {
    !choices(for: aClass).isEmpty
  }

  /// Creates an object from the first representation, in the source's order, that its class can read.
  ///
  /// - Parameters:
  ///   - aClass: The class; it receives the readable type that the representation conforms to.
  ///   - completionHandler: Called once, with the object or an error of ``errorDomain``. The error is
  ///     `itemUnavailableError` if no representation is readable, and `unexpectedValueClassError` with the class's
  ///     reason if the class throws.
  /// - Returns: The progress, which can cancel the load.
  @preconcurrency @discardableResult
  open func loadObject(
    ofClass aClass: any NSItemProviderReading.Type,
    completionHandler: @escaping @Sendable ((any NSItemProviderReading)?, (any Error)?) -> Void
  ) -> Progress {
    startLoadingObject(aClass, completionHandler)
  }

  // MARK: Items

  /// Offers an object, which is created when it is loaded.
  ///
  /// A load as bytes returns the bytes of `NSData`. If the type is a property list, any other object becomes one.
  /// Otherwise, text is returned in UTF-8, and a file URL as the contents of its file. Other URLs, and any URL for a
  /// type of URLs, are returned as text. Numbers, dates, arrays and dictionaries become property lists if they can. For
  /// other objects, the load returns a keyed archive.
  ///
  /// In another process, a loaded item has the class that the type suggests, since the object does not exist when it is
  /// offered: `NSURL` for a type of URLs, `NSString` for text and HTML, the object of a property list, otherwise
  /// `NSData`. The object of ``init(item:typeIdentifier:)`` keeps its class there.
  ///
  /// - Parameters:
  ///   - typeIdentifier: The type.
  ///   - loadHandler: Creates the object.
  @preconcurrency
  open func registerItem(forTypeIdentifier typeIdentifier: String, loadHandler: @escaping LoadHandler) {
    promise(typeIdentifier, as: nil, loadHandler)
  }

  /// Loads the first item that conforms to a type, as what the source has registered.
  ///
  /// | registered as | loaded |
  /// |---|---|
  /// | bytes, or an object with its writable types | `NSData` |
  /// | a file | `NSURL` of a copy; the original for ``init(contentsOf:)`` in the same process |
  /// | an object for a type identifier | the object |
  ///
  /// The same holds for an item from another process. There, an object that is not a string, a URL or the object of a
  /// property list arrives as `NSData`, the bytes of its keyed archive. Bytes that are not what the source states also
  /// arrive as `NSData`. A copy of a file stays in the directory for temporary files until a program moves or removes it.
  ///
  /// - Parameters:
  ///   - typeIdentifier: The requested type.
  ///   - options: Options for the handler that creates the item.
  ///   - completionHandler: Called once, with the item or an error of ``errorDomain``.
  @preconcurrency
  open func loadItem(
    forTypeIdentifier typeIdentifier: String, options: [AnyHashable: Any]? = nil,
    completionHandler: CompletionHandler? = nil
  ) {
    startLoadingItem(typeIdentifier, options, completionHandler)
  }

  /// Loads the first item that conforms to a type, as what the source has registered.
  ///
  /// - Parameters:
  ///   - typeIdentifier: The requested type.
  ///   - options: Options for the handler that creates the item.
  /// - Returns: The item.
  /// - Throws: An error of ``errorDomain``.
  nonisolated(nonsending) open func loadItem(
    forTypeIdentifier typeIdentifier: String, options: [AnyHashable: Any]? = nil
  ) async throws -> any NSSecureCoding {
    try await Self.awaiting { loadItem(forTypeIdentifier: typeIdentifier, options: options, completionHandler: $0) }
  }

  /// A handler that creates a preview image: an `NSData`, or an `NSURL` of a file.
  open var previewImageHandler: LoadHandler? {
    get { items.withLock { $0.preview } }
    set { promisePreview(newValue) }
  }

  /// Loads the preview image, or else the first representation that is an image.
  ///
  /// - Parameters:
  ///   - options: Options for the handler that creates the image, such as ``NSItemProviderPreferredImageSizeKey``.
  ///   - completionHandler: Called once, with the image or an error of ``errorDomain``.
  @preconcurrency
  open func loadPreviewImage(options: [AnyHashable: Any]! = [:], completionHandler: @escaping CompletionHandler) {
    startLoadingPreview(options, completionHandler)
  }

  /// Loads the preview image, or else the first representation that is an image.
  ///
  /// - Parameter options: Options for the handler that creates the image.
  /// - Returns: The image.
  /// - Throws: An error of ``errorDomain``.
  nonisolated(nonsending) open func loadPreviewImage(
    options: [AnyHashable: Any]! = [:]
  ) async throws -> any NSSecureCoding {
    try await Self.awaiting { loadPreviewImage(options: options, completionHandler: $0) }
  }
}
