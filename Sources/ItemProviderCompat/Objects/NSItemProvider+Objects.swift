// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
public import Foundation
internal import ItemTransfer
internal import Synchronization
internal import UniformTypes

extension NSItemProvider {
  /// Creates a provider that offers an object in all of its writable types.
  public convenience init(object: any NSItemProviderWriting) {
    self.init()
    registerObject(object, visibility: .all)
  }

  func promise(_ object: any NSItemProviderWriting, _ visibility: NSItemProviderRepresentationVisibility) {
    let source = Shared(object)
    for identifier in object.writableTypeIdentifiersForItemProvider {
      let type = UTType(named: identifier)
      let own = object.itemProviderVisibilityForRepresentation(withTypeIdentifier: identifier)
      let isNew = promise(type, Self.narrower(visibility, own)) { completion in
        source.value.loadData(withTypeIdentifier: identifier, forItemProviderCompletionHandler: completion)
      }
      // The bytes of a URL have no base, since another process may have another.
      if isNew, let address = object as? NSURL, address.baseURL != nil || address.scheme == nil {
        let kept = Shared(address)
        items.withLock { $0.relativeAddresses[type] = kept }
      }
    }
  }

  func promise(
    _ aClass: any NSItemProviderWriting.Type, _ visibility: NSItemProviderRepresentationVisibility,
    _ loadHandler:
      @escaping @Sendable (
        @escaping @Sendable ((any NSItemProviderWriting)?, (any Error)?) -> Void
      ) -> Progress?
  ) {
    for identifier in aClass.writableTypeIdentifiersForItemProvider {
      let own = aClass.itemProviderVisibilityForRepresentation(withTypeIdentifier: identifier)
      itemProvider.register(UTType(named: identifier), visibility: Self.narrower(visibility, own)) { progress in
        let source: Shared<any NSItemProviderWriting> = try await Self.handlerResult(progress, share: 0.5) { reply in
          loadHandler { object, error in reply(object.map(Shared.init), error) }
        }
        return try await Self.handlerResult(progress, share: 0.5) { reply in
          source.value.loadData(withTypeIdentifier: identifier) { reply($0, $1) }
        }
      }
    }
  }

  private static func narrower(
    _ one: NSItemProviderRepresentationVisibility, _ other: NSItemProviderRepresentationVisibility
  ) -> ItemVisibility {
    other.itemVisibility.includes(one.itemVisibility) ? one.itemVisibility : other.itemVisibility
  }

  func startLoadingObject(
    _ aClass: any NSItemProviderReading.Type,
    _ completionHandler: @escaping @Sendable ((any NSItemProviderReading)?, (any Error)?) -> Void
  ) -> Progress {
    let choices = choices(for: aClass)
    let reader = Shared(aClass)
    let addresses =
      aClass == NSURL.self && !itemProvider.isEdited ? items.withLock { $0.relativeAddresses } : [:]
    let wanted = choices.first?.offered.identifier ?? aClass.readableTypeIdentifiersForItemProvider.first ?? ""
    return load(wanted) { provider, type, progress, _ in
      for choice in choices {
        if let address = addresses[choice.offered] { return Shared(address.value) }
        // A condition may exclude the representation. The next choice is then used.
        guard let data = try await provider.presentData(of: choice.offered, progress: progress) else { continue }
        do {
          // The class may block, and must not occupy a thread of the cooperative pool.
          return try await runBlocking {
            Shared(try reader.value.object(withItemProviderData: data, typeIdentifier: choice.readable))
          }
        } catch {
          throw ItemProviderError(.undecodable, contentType: type, underlyingError: error)
        }
      }
      throw NothingReadable()
    } completionHandler: { (object: Shared<any NSItemProviderReading>?, error) in
      completionHandler(object?.value, error)
    }
  }

  /// Returns the offered types that a class can read, and the class's identifier for each.
  func choices(for aClass: any NSItemProviderReading.Type) -> [(offered: UTType, readable: String)] {
    let readable = aClass.readableTypeIdentifiersForItemProvider.map { (identifier: $0, type: UTType(named: $0)) }
    return itemProvider.contentTypes.compactMap { offered in
      // An equal type is preferred to a supertype.
      let fitting =
        readable.first { $0.type == offered } ?? readable.first { itemProvider.offers(offered, conformingTo: $0.type) }
      return fitting.map { (offered, $0.identifier) }
    }
  }
}

private struct NothingReadable: Error, CustomStringConvertible {
  var description: String { "the class can read none of the offered types" }
}

/// Swift types that are bridged to classes, such as `String` and `URL`.
extension NSItemProvider {
  /// Offers a value, which is created when one of its representations is loaded.
  ///
  /// - Parameters:
  ///   - type: The type of the value.
  ///   - visibility: The processes that may load it.
  ///   - loadHandler: Creates the value, and calls its argument with the value or an error.
  @preconcurrency
  public func registerObject<T: _ObjectiveCBridgeable>(
    ofClass type: T.Type, visibility: NSItemProviderRepresentationVisibility,
    loadHandler: @escaping @Sendable (@escaping @Sendable (T?, (any Error)?) -> Void) -> Progress?
  ) where T._ObjectiveCType: NSItemProviderWriting {
    let handler = Shared { (completion: @escaping @Sendable ((any NSItemProviderWriting)?, (any Error)?) -> Void) in
      loadHandler(sendableHandler { value, error in completion(value?._bridgeToObjectiveC(), error) })
    }
    registerObject(ofClass: T._ObjectiveCType.self, visibility: visibility) { handler.value($0) }
  }

  /// Returns whether a value can be created from an offered representation.
  public func canLoadObject<T: _ObjectiveCBridgeable>(ofClass type: T.Type) -> Bool
  where T._ObjectiveCType: NSItemProviderReading {
    canLoadObject(ofClass: T._ObjectiveCType.self)
  }

  /// Creates a value from the first representation that its class can read.
  ///
  /// - Parameters:
  ///   - type: The type of the value.
  ///   - completionHandler: Called once, with the value or an error.
  /// - Returns: The progress, which can cancel the load.
  @preconcurrency
  public func loadObject<T: _ObjectiveCBridgeable>(
    ofClass type: T.Type, completionHandler: @escaping @Sendable (T?, (any Error)?) -> Void
  ) -> Progress where T._ObjectiveCType: NSItemProviderReading {
    loadObject(
      ofClass: T._ObjectiveCType.self,
      completionHandler: sendableHandler { object, error in
        let value = object as? T._ObjectiveCType
        completionHandler(value.map { T._unconditionallyBridgeFromObjectiveC($0) }, error)
      })
  }
}

/// Wraps a handler so that it can cross threads.
///
/// Apple's signatures do not require that the conformances of the handler's types are Sendable.
private func sendableHandler<Value>(
  _ handler: @escaping (Value?, (any Error)?) -> Void
) -> @Sendable (Value?, (any Error)?) -> Void {
  let shared = Shared(handler)
  return { value, error in shared.value(value, error) }
}
