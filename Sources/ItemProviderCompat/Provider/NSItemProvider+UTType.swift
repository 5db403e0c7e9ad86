// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

public import Foundation
internal import ItemTransfer
public import UniformTypes

/// The interface by types rather than by their identifiers.
extension NSItemProvider {
  /// Offers a file, or the text of an address that leads elsewhere.
  ///
  /// There is a provider whatever the address leads to: the file is looked at when it is asked for.
  ///
  /// - Parameter fileURL: The address; the file's type is taken from its extension, its name is suggested.
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

  /// Offers a file under its own name.
  ///
  /// - Parameters:
  ///   - fileURL: The file or folder.
  ///   - contentType: What it is; `nil` takes it from its extension.
  ///   - openInPlace: Whether a destination may use the file itself.
  ///   - coordinated: Without meaning here, where nobody coordinates files.
  ///   - visibility: Who may have it.
  public convenience init(
    contentsOf fileURL: URL, contentType: UTType?, openInPlace: Bool = false, coordinated: Bool = false,
    visibility: NSItemProviderRepresentationVisibility = .all
  ) {
    self.init(
      ItemProvider(
        contentsOf: fileURL, contentType: contentType, openInPlace: openInPlace,
        visibility: visibility.itemVisibility))
  }

  /// Promises the item as bytes; see ``registerDataRepresentation(forTypeIdentifier:visibility:loadHandler:)``.
  @preconcurrency
  public func registerDataRepresentation(
    for contentType: UTType, visibility: NSItemProviderRepresentationVisibility = .all,
    loadHandler: @escaping @Sendable (@escaping @Sendable (Data?, (any Error)?) -> Void) -> Progress?
  ) {
    promise(contentType, visibility.itemVisibility, loadHandler)
  }

  /// Promises the item as a file; see
  /// ``registerFileRepresentation(forTypeIdentifier:fileOptions:visibility:loadHandler:)``.
  @preconcurrency
  public func registerFileRepresentation(
    for contentType: UTType, visibility: NSItemProviderRepresentationVisibility = .all, openInPlace: Bool = false,
    loadHandler: @escaping @Sendable (@escaping @Sendable (URL?, Bool, (any Error)?) -> Void) -> Progress?
  ) {
    promiseFile(contentType, visibility.itemVisibility, openInPlace: openInPlace, loadHandler)
  }

  /// The types the item can be had as, the one that keeps most first.
  public var registeredContentTypes: [UTType] { itemProvider.contentTypes }

  /// The types of which a destination may use the source's own file.
  public var registeredContentTypesForOpenInPlace: [UTType] { itemProvider.contentTypesForOpeningInPlace }

  /// The types the item can be had as that may be used where `contentType` is wanted.
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

  /// Loads a file, or with `openInPlace` the source's own where that is allowed.
  ///
  /// - Parameters:
  ///   - contentType: The type wanted.
  ///   - openInPlace: Whether to use the source's own file.
  ///   - completionHandler: Called once, with the file and whether it is the original; a copy is removed when it
  ///     returns, unless `openInPlace` was asked for.
  /// - Returns: Shows how far the load is, and cancels it.
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
