// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

public import Foundation
internal import ItemCoding
internal import ItemTransfer
internal import Synchronization
internal import UniformTypes

/// The older interface, which hands objects over and coerces them.
///
/// Where Apple's looks at what class a completion handler takes, which Swift cannot know, an object comes as what it was
/// registered as. What is only bytes, because another process made it, comes as an `NSURL` where it conforms to
/// `public.url`, as an `NSString` where it conforms to `public.plain-text`, else as `NSData`.
extension NSItemProvider {
  /// Offers an object as one type.
  ///
  /// - Parameters:
  ///   - item: The object; `nil` offers nothing yet.
  ///   - typeIdentifier: The type; without one, nothing is offered.
  public convenience init(item: (any NSSecureCoding)?, typeIdentifier: String?) {
    self.init()
    guard let item, let typeIdentifier else { return }
    let shared = SharedItem(item)
    registerItem(forTypeIdentifier: typeIdentifier) { completion, _, _ in completion?(shared.item, nil) }
  }

  /// Promises an object, which is made when it is asked for.
  ///
  /// Whoever wants bytes gets those of `NSData`, text in UTF-8, the contents of a file that an `NSURL` leads to unless
  /// the type is that of addresses, and of other objects a keyed archive.
  ///
  /// - Parameters:
  ///   - typeIdentifier: The type.
  ///   - loadHandler: Makes the object.
  @preconcurrency
  public func registerItem(forTypeIdentifier typeIdentifier: String, loadHandler: @escaping LoadHandler) {
    let type = UTType(named: typeIdentifier)
    let isNew = itemProvider.register(type) { progress in
      let item: SharedItem = try await Self.answer(progress) { reply in
        loadHandler({ item, error in reply(item.map(SharedItem.init), error) }, NSData.self, nil)
        return nil
      }
      return try ItemCoercion.data(of: item.item, type)
    }
    if isNew { items.withLock { $0.byType[type] = loadHandler } }
  }

  /// Loads the first item that conforms to a type.
  ///
  /// - Parameters:
  ///   - typeIdentifier: The type wanted.
  ///   - options: Handed to the handler that makes the item.
  ///   - completionHandler: Called once, with the item or with an error of ``errorDomain``.
  @preconcurrency
  public func loadItem(
    forTypeIdentifier typeIdentifier: String, options: [AnyHashable: Any]? = nil,
    completionHandler: CompletionHandler? = nil
  ) {
    let wanted = UTType(named: typeIdentifier)
    let offered = itemProvider.contentTypes.first { itemProvider.offers($0, conformingTo: wanted) }
    let handler = offered.flatMap { type in items.withLock { $0.byType[type] } }
    let shared = SharedOptions(options)
    _ = load(typeIdentifier) { provider, type, progress in
      if let handler { return try await Self.item(of: handler, shared, progress) }
      return SharedItem(
        try ItemCoercion.item(of: try await provider.data(for: type, progress: progress), offered ?? type))
    } completionHandler: { (item: SharedItem?, error) in
      completionHandler?(item?.item, error)
    }
  }

  // MARK: Previews

  /// Makes a picture that stands for the item: an `NSData`, or an `NSURL` of a file.
  public var previewImageHandler: LoadHandler? {
    get { items.withLock { $0.preview } }
    set {
      items.withLock { $0.preview = newValue }
      guard let newValue else { return }
      itemProvider.registerPreview(.image) { progress in
        try ItemCoercion.data(of: try await Self.item(of: newValue, SharedOptions(nil), progress).item, .image)
      }
    }
  }

  /// Loads the picture that stands for the item, or else the first representation that is one.
  ///
  /// - Parameters:
  ///   - options: Handed to the handler that makes it, such as ``NSItemProviderPreferredImageSizeKey``.
  ///   - completionHandler: Called once, with the picture or with an error of ``errorDomain``.
  @preconcurrency
  public func loadPreviewImage(options: [AnyHashable: Any]! = [:], completionHandler: @escaping CompletionHandler) {
    let handler = previewImageHandler
    let shared = SharedOptions(options)
    _ = load(UTType.image.identifier) { provider, _, progress in
      if let handler { return try await Self.item(of: handler, shared, progress) }
      return SharedItem(NSData(data: try await provider.preview(progress: progress).data))
    } completionHandler: { (item: SharedItem?, error) in
      completionHandler(item?.item, error)
    }
  }

  private static func item(
    of handler: @escaping LoadHandler, _ options: SharedOptions, _ progress: ItemProgress
  ) async throws -> SharedItem {
    try await answer(progress) { reply in
      handler({ item, error in reply(item.map(SharedItem.init), error) }, nil, options.options)
      return nil
    }
  }
}

/// Objects of others cross threads here as they do on Apple's systems, where nobody is asked whether they may.
struct SharedItem: @unchecked Sendable {
  let item: any NSSecureCoding

  init(_ item: any NSSecureCoding) {
    self.item = item
  }
}

private struct SharedOptions: @unchecked Sendable {
  let options: [AnyHashable: Any]?

  init(_ options: [AnyHashable: Any]?) {
    self.options = options
  }
}
