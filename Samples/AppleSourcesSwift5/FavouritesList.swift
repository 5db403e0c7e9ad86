// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The window that collects favourite heroes, in the way of Swift 5: its state is the main queue's.
class FavouritesList {
  private(set) var heroes: [SagaHero] = []

  /// Told on the main queue that there are others now.
  var didChange: (() -> Void)?

  func canHandle(_ itemProviders: [NSItemProvider]) -> Bool {
    return itemProviders.contains { $0.canLoadObject(ofClass: SagaHero.self) }
  }

  /// Takes the heroes of a drop, each once, sorted by their names; whatever is no hero is left alone.
  func performDrop(of itemProviders: [NSItemProvider]) {
    for itemProvider in itemProviders where itemProvider.canLoadObject(ofClass: SagaHero.self) {
      itemProvider.loadObject(ofClass: SagaHero.self) { [weak self] object, error in
        guard let hero = object as? SagaHero else {
          print("no hero: \(String(describing: error))")
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
