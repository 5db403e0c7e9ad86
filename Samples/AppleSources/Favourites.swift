// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The window that collects favourite heroes, in the way of Swift 6: its state is the main actor's.
@MainActor
final class Favourites {
  private(set) var heroes: [SagaHero] = []

  /// How many heroes are on their way.
  private(set) var loadingCount = 0

  /// Takes the heroes of a drop, each once, sorted by their names.
  ///
  /// - Parameter providers: What was dropped; whatever is no hero is left alone.
  func drop(_ providers: [NSItemProvider]) {
    for provider in providers where provider.canLoadObject(ofClass: SagaHero.self) {
      loadingCount += 1
      provider.loadObject(ofClass: SagaHero.self) { object, _ in
        let hero = object as? SagaHero
        Task { @MainActor in
          if let hero { self.add(hero) }
          self.loadingCount -= 1
        }
      }
    }
  }

  private func add(_ hero: SagaHero) {
    guard !heroes.contains(hero) else { return }
    heroes.append(hero)
    heroes.sort { $0.name < $1.name }
  }
}
