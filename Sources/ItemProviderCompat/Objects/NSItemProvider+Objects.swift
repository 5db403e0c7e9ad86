// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import Foundation
internal import ItemTransfer
internal import UniformTypes

extension NSItemProvider {
  /// Offers an object in every representation that it can be had as.
  public convenience init(object: any NSItemProviderWriting) {
    self.init()
    registerObject(object, visibility: .all)
  }

  func promise(_ object: any NSItemProviderWriting, _ visibility: NSItemProviderRepresentationVisibility) {
    let source = Shared(object)
    for identifier in object.writableTypeIdentifiersForItemProvider {
      let own = object.itemProviderVisibilityForRepresentation(withTypeIdentifier: identifier)
      promise(UTType(named: identifier), Self.narrower(visibility, own)) { completion in
        source.value.loadData(withTypeIdentifier: identifier, forItemProviderCompletionHandler: completion)
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
        let source: Shared<any NSItemProviderWriting> = try await Self.answer(progress, share: 0.5) { reply in
          loadHandler { object, error in reply(object.map(Shared.init), error) }
        }
        return try await Self.answer(progress, share: 0.5) { reply in
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
    let choice = choice(for: aClass)
    let reader = Shared(aClass)
    let wanted = choice?.offered.identifier ?? aClass.readableTypeIdentifiersForItemProvider.first ?? ""
    return load(wanted) { provider, type, progress in
      guard let choice else { throw NothingToRead() }
      let data = try await provider.data(for: choice.offered, progress: progress)
      do {
        // The class may take its time, and others need the few threads that all tasks share.
        return try await runBlocking {
          Shared(try reader.value.object(withItemProviderData: data, typeIdentifier: choice.readable))
        }
      } catch {
        throw ItemProviderError(.undecodable, contentType: type, underlyingError: error)
      }
    } completionHandler: { (object: Shared<any NSItemProviderReading>?, error) in
      completionHandler(object?.value, error)
    }
  }

  /// The first type offered that a class can read, and what the class calls it.
  func choice(for aClass: any NSItemProviderReading.Type) -> (offered: UTType, readable: String)? {
    let readable = aClass.readableTypeIdentifiersForItemProvider.map { (identifier: $0, type: UTType(named: $0)) }
    for offered in itemProvider.contentTypes {
      // By its own name rather than by what it conforms to.
      let fitting =
        readable.first { $0.type == offered } ?? readable.first { itemProvider.offers(offered, conformingTo: $0.type) }
      if let fitting { return (offered, fitting.identifier) }
    }
    return nil
  }
}

private struct NothingToRead: Error, CustomStringConvertible {
  var description: String { "nothing that is offered can be read by the class" }
}
