// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
package import Foundation
internal import ItemTransfer
internal import Synchronization
internal import UniformTypes

/// The older functions, which load objects and convert between objects and bytes.
///
/// Apple's implementation inspects the class that a completion handler accepts; Swift cannot, so an object arrives as
/// it was registered.
extension NSItemProvider {
  /// Offers an object; `form` is `nil` if the type alone suggests the class.
  func promise(
    _ typeIdentifier: String, as form: ItemRepresentation.Form?, _ loadHandler: @escaping LoadHandler
  ) {
    let type = UTType(named: typeIdentifier)
    let form = form ?? ItemCoercion.form(suggestedBy: type)
    let traits = ItemRepresentation.Traits(contentType: type, isNamedFile: form == .file, form: form)
    let isNew = itemProvider.register(
      ItemRepresentation(traits) { progress in
        let item: Shared<any NSSecureCoding> = try await Self.handlerResult(progress) { reply in
          loadHandler({ item, error in reply(item.map(Shared.init), error) }, NSData.self, nil)
          return nil
        }
        return try await runBlocking {
          try ItemCoercion.content(of: item.value, type, form) { progress.isCancelled }
        }
      })
    if isNew { items.withLock { $0.byType[type] = loadHandler } }
  }

  func startLoadingItem(
    _ typeIdentifier: String, _ options: [AnyHashable: Any]?, _ completionHandler: CompletionHandler?
  ) {
    let wanted = UTType(named: typeIdentifier)
    let offered = itemProvider.contentTypes.first { itemProvider.offers($0, conformingTo: wanted) }
    // The handlers belong to the representations as they were registered.
    let handler = itemProvider.isEdited ? nil : offered.flatMap { type in items.withLock { $0.byType[type] } }
    let shared = Shared(options)
    _ = load(typeIdentifier) { provider, type, progress, _ in
      if let handler { return try await Self.item(of: handler, shared, progress) }
      let (only, form) = await provider.choosing(type)
      if form == .file {
        let file = try await only.withFile(for: type, progress: progress) { file in
          completionHandler == nil ? file : try await runBlocking { try Self.keep(file) }
        }
        return Shared(file._bridgeToObjectiveC())
      }
      let data = try await only.data(for: type, progress: progress)
      let found = only.contentTypes.first ?? type
      return await runBlocking { Shared(ItemCoercion.item(of: data, found, form)) }
    } completionHandler: { (item: Shared<any NSSecureCoding>?, error) in
      completionHandler?(item?.value, error)
    }
  }

  // MARK: Previews

  func promisePreview(_ handler: LoadHandler?) {
    // The old handler is released outside the lock, since that may run any code.
    let old = items.withLock { items in
      let old = items.preview
      items.preview = handler
      return old
    }
    defer { withExtendedLifetime(old) {} }
    guard let handler else {
      itemProvider.preview = nil
      return
    }
    itemProvider.registerPreview(.image) { progress in
      let picture = try await Self.item(of: handler, Shared(nil), progress)
      return try await runBlocking { try ItemCoercion.data(of: picture.value, .image) }
    }
  }

  func startLoadingPreview(_ options: [AnyHashable: Any]?, _ completionHandler: @escaping CompletionHandler) {
    let handler = previewImageHandler
    let shared = Shared(options)
    _ = load(UTType.image.identifier) { provider, _, progress, _ in
      if let handler { return try await Self.item(of: handler, shared, progress) }
      return Shared(NSData(data: try await provider.preview(progress: progress).data))
    } completionHandler: { (item: Shared<any NSSecureCoding>?, error) in
      completionHandler(item?.value, error)
    }
  }

  private static func item(
    of handler: @escaping LoadHandler, _ options: Shared<[AnyHashable: Any]?>, _ progress: ItemProgress
  ) async throws -> Shared<any NSSecureCoding> {
    try await handlerResult(progress) { reply in
      handler({ item, error in reply(item.map(Shared.init), error) }, nil, options.value)
      return nil
    }
  }
}

/// The state of an item provider beside its representations.
struct ItemHandlers: Sendable {
  var byType: [UTType: NSItemProvider.LoadHandler] = [:]
  var preview: NSItemProvider.LoadHandler?
  /// The relative URLs that were registered as objects.
  var relativeAddresses: [UTType: Shared<NSURL>] = [:]
  var presentation = ItemPresentation()
}

/// A source's hints for the display of its item.
///
/// The module `UIKit` gives them Apple's names.
package struct ItemPresentation: Sendable {
  /// Data for programs of the same team.
  package var teamData: Data?
  /// The preferred width in points.
  package var width = 0.0
  /// The preferred height in points.
  package var height = 0.0
  /// The raw value of the preferred style.
  package var style = 0
}

extension NSItemProvider {
  /// Hints for the display, which stay in this process.
  package final var presentation: ItemPresentation {
    get { items.withLock { $0.presentation } }
    set { items.withLock { $0.presentation = newValue } }
  }
}
