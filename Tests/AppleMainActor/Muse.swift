// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import UIKit

/// A class of items, which loads use on other threads.
nonisolated final class Muse: NSObject, Codable, NSItemProviderWriting, NSItemProviderReading, Sendable {
  static let writableTypeIdentifiersForItemProvider = ["org.example.muse"]
  static let readableTypeIdentifiersForItemProvider = ["org.example.muse"]

  let art: String

  init(art: String) {
    self.art = art
  }

  func loadData(
    withTypeIdentifier typeIdentifier: String,
    forItemProviderCompletionHandler completionHandler: @escaping @Sendable (Data?, Error?) -> Void
  ) -> Progress? {
    completionHandler(try? JSONEncoder().encode(self), nil)
    return nil
  }

  static func object(withItemProviderData data: Data, typeIdentifier: String) throws -> Self {
    try JSONDecoder().decode(Self.self, from: data)
  }
}

/// A list that is isolated to the main actor without an attribute.
class MuseList {
  static let shared = MuseList()

  var muses: [Muse] = []

  func add(from provider: NSItemProvider) {
    provider.loadObject(ofClass: Muse.self) { object, _ in
      let muse = object as? Muse
      Task { @MainActor in
        if let muse { self.muses.append(muse) }
      }
    }
  }
}
