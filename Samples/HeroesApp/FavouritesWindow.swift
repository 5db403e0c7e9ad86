// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropScenes
import HeroCards
import ItemTransfer
import SceneTerminal

/// The window of favourites, which accepts dropped heroes.
actor FavouritesWindow {
  private let window: SceneWindow
  private var favourites = Favourites()
  private var message = ""
  private var width = 80

  init(_ window: SceneWindow) {
    self.window = window
  }

  func run() async throws {
    try await show()
    async let _: Void = takeDrops()
    for await event in window.events {
      switch event {
      case .size(let columns):
        width = columns
        message = "\(columns) columns"
      case .input(let line): perform(line)
      default: break
      }
      try await show()
    }
  }

  private func takeDrops() async throws {
    for await drop in window.drops {
      try await take(drop)
    }
  }

  /// Keeps new heroes of a drop.
  ///
  /// All other items stay with the source.
  private func take(_ drop: SceneDrop) async throws {
    let heroes = drop.items.enumerated().filter { $0.element.hasRepresentation(conformingTo: .hero) }
    guard !heroes.isEmpty else {
      message = "not a hero"
      try await show()
      return try await drop.refuse(because: "only heroes can be favourites")
    }
    var kept: [Int] = []
    for (index, item) in heroes {
      do {
        var hero = try await item.value(as: Hero.self)
        guard !favourites.contains(named: hero.name) else { continue }
        if item.hasRepresentation(conformingTo: .image) { hero.image = try? await item.data(for: .image) }
        if favourites.add(hero) { kept.append(index) }
      } catch {
        // A hero that fails to load does not affect the other heroes.
        message = "! \(error)"
      }
    }
    let place = drop.position.map { " at \($0 + 1)" } ?? ""
    message = "\(kept.count) of \(drop.items.count) added\(place)"
    try await show()
    try await drop.finish(.copy, keeping: kept)
  }

  private func perform(_ line: String) {
    let words = line.split(separator: " ")
    guard words.first == "remove", let number = Int(words.last ?? ""), favourites.indices.contains(number - 1) else {
      let error = SceneTerminalError(reason: "expected remove N, with a number from 1 to \(favourites.count)")
      message = "! \(words.first == "remove" ? error : .unknownCommand(line))"
      return
    }
    message = "\(favourites.remove(named: favourites[number - 1].name)?.name ?? "the hero") is removed"
  }

  private func show() async throws {
    let rows = favourites.enumerated().map { offset, hero in
      var row = HeroRow(number: offset + 1, hero: hero).row(width: width)
      row.picture = hero.image.map { image in
        ScenePicture("\(hero.id)", caption: "picture of \(image.count) bytes") { image }
      }
      row.position = offset
      row.items = { [ItemProvider(hero, suggestedName: hero.suggestedName)] }
      return row
    }
    let title = message.isEmpty ? [] : [SceneRow(message)]
    try await window.show(rows: title + (rows.isEmpty ? [SceneRow("drop heroes here")] : rows))
  }
}
