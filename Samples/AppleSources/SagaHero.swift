// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import UniformTypeIdentifiers

extension UTType {
  static let sagaHero = UTType(exportedAs: "org.dragpipe.sample.saga-hero", conformingTo: .json)
}

/// A hero that is dragged between windows.
final class SagaHero: NSObject, Codable, NSItemProviderWriting, NSItemProviderReading, Sendable {
  let name: String
  let home: String
  let deeds: [String]

  init(name: String, home: String, deeds: [String] = []) {
    self.name = name
    self.home = home
    self.deeds = deeds
  }

  override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? SagaHero else { return false }
    return name == other.name && home == other.home && deeds == other.deeds
  }

  override var hash: Int { name.hashValue }

  // MARK: Writing

  static var writableTypeIdentifiersForItemProvider: [String] {
    [UTType.sagaHero.identifier, UTType.utf8PlainText.identifier]
  }

  func loadData(
    withTypeIdentifier typeIdentifier: String,
    forItemProviderCompletionHandler completionHandler: @escaping @Sendable (Data?, Error?) -> Void
  ) -> Progress? {
    let progress = Progress(totalUnitCount: 100)
    do {
      let data: Data
      if typeIdentifier == UTType.utf8PlainText.identifier {
        data = Data("\(name) of \(home)".utf8)
      } else {
        data = try JSONEncoder().encode(self)
      }
      progress.completedUnitCount = 100
      completionHandler(data, nil)
    } catch {
      completionHandler(nil, error)
    }
    return progress
  }

  // MARK: Reading

  static var readableTypeIdentifiersForItemProvider: [String] {
    [UTType.sagaHero.identifier]
  }

  static func object(withItemProviderData data: Data, typeIdentifier: String) throws -> SagaHero {
    try JSONDecoder().decode(SagaHero.self, from: data)
  }
}
