// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSceneUI
import DropScenes
import Foundation
import HeroCards
import ItemTransfer

/// A window with a hero and the comics, series, stories and events of the hero.
struct HeroWindow {
  private let window: SceneWindow
  private let loader: CatalogueLoader

  init(_ window: SceneWindow, _ loader: CatalogueLoader) {
    self.window = window
    self.loader = loader
  }

  func run() async throws {
    for activity in window.activities { try await show(activity) }
    for await event in window.events {
      switch event {
      case .activate(let activity): try await show(activity, again: true)
      case .input("close"): return try await window.close()
      default: break
      }
    }
  }

  private func show(_ activity: UserActivity, again: Bool = false) async throws {
    let heroes: [Hero]
    do throws(SampleError) {
      heroes = try await loader.heroes()
    } catch {
      return try await window.show(["! \(error)"])
    }
    guard case .integer(let id)? = activity.userInfo["heroID"], let hero = heroes.first(where: { $0.id == Int(id) })
    else { return try await window.show(["! the catalogue does not contain the hero"]) }
    try await window.update { session in
      session.title = hero.name
      session.stateRestorationActivity = hero.showing
      session.activationConditions = SceneActivationConditions(
        canActivate: .never, prefersToActivate: .equal(to: "hero/\(hero.id)"))
    }
    var rows = [SceneRow(hero.description)]
    for (name, references) in [
      ("comics", hero.comics), ("series", hero.series), ("stories", hero.stories), ("events", hero.events),
    ] {
      rows.append(.heading("\(references.available) \(name)"))
      rows += references.items.map { SceneRow("  \($0.name)") }
    }
    if let image = try await loader.image(of: hero) {
      let picture = ScenePicture(
        "\(hero.id)", caption: "picture, \(image.count.formatted(.byteCount(style: .file)))", side: 256
      ) { image }
      rows.insert(SceneRow(hero.name, picture: picture), at: 0)
    }
    try await window.show(
      rows: SceneRow.status(again ? "this window was open already" : "") + rows + [.button("Close", input: "close")])
  }
}

/// A row for a hero: one line in a wide window, otherwise two.
struct HeroRow {
  /// The minimum width for one line, in columns.
  static let regularWidth = 60

  let number: Int
  let hero: Hero

  func row(width: Int) -> SceneRow {
    let number = "\(number)".padding(toLength: 3, withPad: " ", startingAt: 0)
    let counts =
      "comics \(hero.comics.available)  series \(hero.series.available)  stories \(hero.stories.available)"
    var row = SceneRow(
      hero.name.isEmpty ? "(empty)" : hero.name, detail: counts, lineWidth: width >= Self.regularWidth ? width : nil)
    row.prefix = number
    return row
  }
}
