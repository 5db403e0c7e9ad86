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
    let rows = HeroDetail(hero: hero, loader: loader).rows()
    try await window.show(
      rows: SceneRow.status(again ? "this window was open already" : "") + rows + [.button("Close", input: "close")])
  }
}

/// A hero with the comics, series, stories and events of the hero.
struct HeroDetail {
  let hero: Hero
  let loader: CatalogueLoader

  /// Returns the rows, in a column of the window.
  func rows(column: Int = 0) -> [SceneRow] {
    var portrait = SceneRow(hero.name)
    if hero.thumbnail.url != nil {
      portrait.style = .tile
      portrait.picture = loader.picture(of: hero, side: 192, caption: "picture")
    }
    var rows = [portrait, SceneRow(hero.description)]
    for (plural, singular, references) in [
      ("comics", "comic", hero.comics), ("series", "series", hero.series), ("stories", "story", hero.stories),
      ("events", "event", hero.events),
    ] {
      rows.append(.heading("\(references.available) \(references.available == 1 ? singular : plural)"))
      rows += references.items.map { SceneRow("  \($0.name)") }
    }
    for index in rows.indices { rows[index].column = column }
    return rows
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
