// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

public import Foundation
internal import ItemCoding
internal import ItemTransfer
internal import Synchronization
internal import UniformTypes

extension NSItemProvider {
  /// Offers an object in every representation that it can be had as.
  public convenience init(object: any NSItemProviderWriting) {
    self.init()
    registerObject(object, visibility: .all)
  }

  /// Offers an object as well; types that are offered already keep their first loader.
  ///
  /// - Parameters:
  ///   - object: The object, which is kept until nobody can ask for it any more.
  ///   - visibility: Who may have it; what the object says of a representation may be narrower.
  public func registerObject(_ object: any NSItemProviderWriting, visibility: NSItemProviderRepresentationVisibility) {
    let source = SharedObject(object)
    for identifier in object.writableTypeIdentifiersForItemProvider {
      let own = object.itemProviderVisibilityForRepresentation(withTypeIdentifier: identifier)
      register(UTType(named: identifier), Self.narrower(visibility, own)) { completion in
        source.object.loadData(withTypeIdentifier: identifier, forItemProviderCompletionHandler: completion)
      }
    }
  }

  /// Promises an object of a class, which is made when one of its representations is asked for.
  ///
  /// - Parameters:
  ///   - aClass: The class, which says what its objects can be had as.
  ///   - visibility: Who may have it; what the class says of a representation may be narrower.
  ///   - loadHandler: Makes the object, once for each load, and calls what it is given with it or with an error.
  @preconcurrency
  public func registerObject(
    ofClass aClass: any NSItemProviderWriting.Type, visibility: NSItemProviderRepresentationVisibility,
    loadHandler:
      @escaping @Sendable (
        @escaping @Sendable ((any NSItemProviderWriting)?, (any Error)?) -> Void
      ) -> Progress?
  ) {
    for identifier in aClass.writableTypeIdentifiersForItemProvider {
      let own = aClass.itemProviderVisibilityForRepresentation(withTypeIdentifier: identifier)
      itemProvider.register(UTType(named: identifier), visibility: Self.narrower(visibility, own)) { progress in
        let source: SharedObject = try await Self.answer(progress) { reply in
          loadHandler { object, error in reply(object.map(SharedObject.init), error) }
        }
        return try await Self.answer(progress) { reply in
          source.object.loadData(withTypeIdentifier: identifier) { reply($0, $1) }
        }
      }
    }
  }

  private static func narrower(
    _ one: NSItemProviderRepresentationVisibility, _ other: NSItemProviderRepresentationVisibility
  ) -> ItemVisibility {
    other.itemVisibility.includes(one.itemVisibility) ? one.itemVisibility : other.itemVisibility
  }

  /// Whether an object of a class can be made of what is offered.
  public func canLoadObject(ofClass aClass: any NSItemProviderReading.Type) -> Bool {
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
  public func loadObject(
    ofClass aClass: any NSItemProviderReading.Type,
    completionHandler: @escaping @Sendable ((any NSItemProviderReading)?, (any Error)?) -> Void
  ) -> Progress {
    let choice = choice(for: aClass)
    let reader = SharedClass(aClass)
    let wanted = choice?.offered.identifier ?? aClass.readableTypeIdentifiersForItemProvider.first ?? ""
    return load(wanted) { provider, type, progress in
      guard let choice else { throw NothingToRead() }
      let data = try await provider.data(for: choice.offered, progress: progress)
      do {
        return SharedReading(try reader.type.object(withItemProviderData: data, typeIdentifier: choice.readable))
      } catch {
        throw ItemProviderError(.undecodable, contentType: type, underlyingError: error)
      }
    } completionHandler: { (object: SharedReading?, error) in
      completionHandler(object?.object, error)
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

/// Objects of others cross threads here as they do on Apple's systems, where nobody is asked whether they may.
struct SharedObject: @unchecked Sendable {
  let object: any NSItemProviderWriting

  init(_ object: any NSItemProviderWriting) {
    self.object = object
  }
}

struct SharedReading: @unchecked Sendable {
  let object: any NSItemProviderReading

  init(_ object: any NSItemProviderReading) {
    self.object = object
  }
}

struct SharedClass: @unchecked Sendable {
  let type: any NSItemProviderReading.Type

  init(_ type: any NSItemProviderReading.Type) {
    self.type = type
  }
}
