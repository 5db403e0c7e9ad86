// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The model of a window that collects favourite heroes.
///
/// In the style of Swift 5, its state belongs to the main queue.
class FavouritesList {
  private(set) var heroes: [SagaHero] = []

  /// A closure that is called on the main queue after the heroes have changed.
  var didChange: (() -> Void)?

  func canHandle(_ itemProviders: [NSItemProvider]) -> Bool {
    return itemProviders.contains { $0.canLoadObject(ofClass: SagaHero.self) }
  }

  /// Adds the heroes of a drop, sorted by name.
  ///
  /// Items that are not heroes are ignored.
  func performDrop(of itemProviders: [NSItemProvider]) {
    for itemProvider in itemProviders where itemProvider.canLoadObject(ofClass: SagaHero.self) {
      itemProvider.loadObject(ofClass: SagaHero.self) { [weak self] object, error in
        guard let hero = object as? SagaHero else {
          print("not a hero: \(String(describing: error))")
          return
        }
        DispatchQueue.main.async {
          self?.add(hero)
        }
      }
    }
  }

  private func add(_ hero: SagaHero) {
    if heroes.contains(hero) { return }
    heroes.append(hero)
    heroes.sort { $0.name < $1.name }
    didChange?()
  }
}
