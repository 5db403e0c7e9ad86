// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The model of a window that collects favourite heroes.
///
/// In the style of Swift 6, its state is isolated to the main actor.
@MainActor
final class Favourites {
  private(set) var heroes: [SagaHero] = []

  /// The number of dropped heroes that are still loading.
  private(set) var loadingCount = 0

  /// Adds the heroes of a drop, sorted by name.
  ///
  /// A hero that is in the list is not added again.
  ///
  /// - Parameter providers: The dropped items; items that are not heroes are ignored.
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
