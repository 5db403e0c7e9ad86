// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
public import Foundation
public import ItemTransfer
internal import Synchronization
public import UniformTypes

/// Functions that take types in place of their identifiers.
extension NSItemProvider {
  /// Creates a provider for a file, or for a URL that is not a file URL.
  ///
  /// The file is opened only when it is loaded.
  ///
  /// - Parameter fileURL: The URL; with `nil`, the result is `nil`. The name of a file determines its type, and becomes
  ///   the suggested name.
  public convenience init?(contentsOf fileURL: URL!) {
    guard let fileURL else { return nil }
    guard fileURL.isFileURL else {
      guard let address = NSURL(string: fileURL.absoluteString) else { return nil }
      self.init(object: address)
      return
    }
    self.init(contentsOf: fileURL, contentType: nil)
    registerObject(fileURL._bridgeToObjectiveC(), visibility: .all)
  }

  /// Creates a provider for a file under its own name.
  ///
  /// - Parameters:
  ///   - fileURL: The file or folder.
  ///   - contentType: The type; `nil` derives it from the name, and from whether the file is a folder.
  ///   - openInPlace: Whether a destination may use the original file.
  ///   - coordinated: Has no effect, since loads of files are not coordinated.
  ///   - visibility: The processes that may load the file.
  public convenience init(
    contentsOf fileURL: URL, contentType: UTType?, openInPlace: Bool = false, coordinated: Bool = false,
    visibility: NSItemProviderRepresentationVisibility = .all
  ) {
    self.init(
      ItemProvider(
        contentsOf: fileURL, contentType: contentType, openInPlace: openInPlace,
        visibility: visibility.itemVisibility))
    guard let type = registeredContentTypes.first else { return }
    let address = Shared(fileURL._bridgeToObjectiveC())
    items.withLock { items in items.byType[type] = { completion, _, _ in completion?(address.value, nil) } }
  }

  /// Offers the item as bytes; see ``registerDataRepresentation(forTypeIdentifier:visibility:loadHandler:)``.
  @preconcurrency
  public func registerDataRepresentation(
    for contentType: UTType, visibility: NSItemProviderRepresentationVisibility = .all,
    loadHandler: @escaping @Sendable (@escaping @Sendable (Data?, (any Error)?) -> Void) -> Progress?
  ) {
    promise(contentType, visibility.itemVisibility, loadHandler)
  }

  /// Offers the item as a file; see
  /// ``registerFileRepresentation(forTypeIdentifier:fileOptions:visibility:loadHandler:)``.
  @preconcurrency
  public func registerFileRepresentation(
    for contentType: UTType, visibility: NSItemProviderRepresentationVisibility = .all, openInPlace: Bool = false,
    loadHandler: @escaping @Sendable (@escaping @Sendable (URL?, Bool, (any Error)?) -> Void) -> Progress?
  ) {
    promiseFile(contentType, visibility.itemVisibility, openInPlace: openInPlace, loadHandler)
  }

  /// The types as which the item can be loaded, best representation first.
  public var registeredContentTypes: [UTType] { itemProvider.contentTypes }

  /// The types whose original file a destination may use.
  public var registeredContentTypesForOpenInPlace: [UTType] { itemProvider.contentTypesForOpeningInPlace }

  /// Returns the item's types that conform to `contentType`.
  public func registeredContentTypes(conformingTo contentType: UTType) -> [UTType] {
    itemProvider.contentTypes(conformingTo: contentType, visibleTo: .ownProcess)
  }

  /// Loads bytes; see ``loadDataRepresentation(forTypeIdentifier:completionHandler:)``.
  @preconcurrency
  public func loadDataRepresentation(
    for contentType: UTType, completionHandler: @escaping @Sendable (Data?, (any Error)?) -> Void
  ) -> Progress {
    loadDataRepresentation(forTypeIdentifier: contentType.identifier, completionHandler: completionHandler)
  }

  /// Loads a file; with `openInPlace`, the original file if the source allows it.
  ///
  /// - Parameters:
  ///   - contentType: The requested type.
  ///   - openInPlace: Whether to use the original file.
  ///   - completionHandler: Called once, with the file and whether it is the original. Unless `openInPlace` is set, the
  ///     file is removed when the handler returns.
  /// - Returns: The progress, which can cancel the load.
  @preconcurrency
  public func loadFileRepresentation(
    for contentType: UTType, openInPlace: Bool = false,
    completionHandler: @escaping @Sendable (URL?, Bool, (any Error)?) -> Void
  ) -> Progress {
    if openInPlace {
      return loadInPlaceFileRepresentation(
        forTypeIdentifier: contentType.identifier, completionHandler: completionHandler)
    }
    return loadFileRepresentation(forTypeIdentifier: contentType.identifier) { file, error in
      completionHandler(file, false, error)
    }
  }
}

extension NSItemProvider {
  /// Offers all representations of a value, which is created when a representation is loaded.
  public func register<T: Transferable>(_ transferable: @autoclosure @escaping @Sendable () -> T) {
    itemProvider.register(T.self) { _ in transferable() }
  }

  /// Creates a value from the first representation that its type can import.
  ///
  /// - Parameters:
  ///   - type: The type of the value.
  ///   - completionHandler: Called once, with the value or an error of ``errorDomain``.
  /// - Returns: The progress, which can cancel the load.
  @preconcurrency
  public func loadTransferable<T: Transferable>(
    type: T.Type, completionHandler: @escaping @Sendable (Result<T, any Error>) -> Void
  ) -> Progress {
    load(String(describing: type)) { provider, _, progress, _ in
      try await provider.value(as: T.self, progress: progress)
    } completionHandler: { value, error in
      if let value { completionHandler(.success(value)) }
      if let error { completionHandler(.failure(error)) }
    }
  }
}

// swift-format-ignore: NoLeadingUnderscores
/// The name of the result of `exportingCondition(_:)` in Apple's CoreTransferable.
public typealias _ConditionalTransferRepresentation = ConditionalRepresentation
