// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSceneUI
import DropScenes
import Foundation
import HeroCards
import ItemTransfer

/// The window of favourites, which accepts dropped heroes.
actor FavouritesWindow {
  private let window: SceneWindow
  private var favourites = Favourites()
  private var message = ""
  private var width = 80
  /// The loads of pictures by the names of their heroes.
  private var loads: [String: ItemProgress] = [:]

  init(_ window: SceneWindow) {
    self.window = window
  }

  func run() async throws {
    try await show()
    async let _: Void = takeDrops()
    for await event in window.events {
      switch event {
      case .size(let columns): width = columns
      case .input(let line): await perform(line)
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
    let candidates = drop.items.enumerated().filter { $0.element.hasRepresentation(conformingTo: .json) }
    guard !candidates.isEmpty else {
      message = "not a hero"
      try await show()
      return try await drop.refuse(because: "only heroes can be favourites")
    }
    var kept: [Int] = []
    var pictures: [(hero: Hero, item: ItemProvider)] = []
    for (index, item) in candidates {
      do {
        for hero in try await heroes(of: item) where favourites.add(hero) {
          if kept.last != index { kept.append(index) }
          if item.hasRepresentation(conformingTo: .image) { pictures.append((hero, item)) }
        }
      } catch {
        // A hero that fails to load does not affect the other heroes.
        message = "! \(error)"
      }
    }
    await withDiscardingTaskGroup { group in
      for (hero, item) in pictures { group.addTask { await self.loadPicture(of: hero, from: item) } }
    }
    message = Self.report(addedCount: kept.count, of: drop.items.count)
    try await show()
    try await drop.finish(.copy, keeping: kept)
  }

  private static func report(addedCount count: Int, of total: Int) -> String {
    switch (count, total) {
    case (0, 1): "the hero is here already"
    case (0, _): "all heroes are here already"
    case (total, _): count == 1 ? "1 hero added" : "\(count) heroes added"
    default: "\(count) of \(total) heroes added"
    }
  }

  /// Loads the hero of an item, or the heroes of a file that a file manager offers as JSON.
  private func heroes(of item: ItemProvider) async throws -> [Hero] {
    if item.hasRepresentation(conformingTo: .hero) { return [try await item.value(as: Hero.self)] }
    return try HeroReader.heroes(from: try await item.data(for: .json))
  }

  /// Loads the picture of a hero, and shows the progress.
  private func loadPicture(of hero: Hero, from item: ItemProvider) async {
    let progress = ItemProgress()
    loads[hero.name] = progress
    async let _: Void = {
      // The last update is the end of the load.
      for await _ in progress.updates { try? await show() }
    }()
    let image = try? await item.data(for: .image, progress: progress)
    loads[hero.name] = nil
    // The hero may have been removed meanwhile.
    guard let image, var shown = favourites.remove(named: hero.name) else { return }
    shown.image = image
    favourites.add(shown)
  }

  private func perform(_ line: String) async {
    let words = line.split(separator: " ")
    let verb = words.first ?? ""
    guard ["open", "remove", "cancel"].contains(verb) else {
      message = "! \(SceneAppError.unknownCommand(line))"
      return
    }
    guard let number = Int(words.last ?? ""), favourites.indices.contains(number - 1) else {
      message = "! expected \(verb) N, with a number from 1 to \(favourites.count)"
      return
    }
    let name = favourites[number - 1].name
    if verb == "open" {
      do {
        try await window.open(favourites[number - 1].showing)
        message = "\(name) is shown"
      } catch {
        message = "! \(SceneApp.reason(of: error))"
      }
      return
    }
    let isLoading = loads[name] != nil
    loads[name]?.cancel()
    if verb == "remove" {
      favourites.remove(named: name)
      message = "\(name.isEmpty ? "the hero" : name) is removed"
    } else {
      message = isLoading ? "the picture of \(name) is cancelled" : "! the picture of \(name) is not loading"
    }
  }

  private func show() async throws {
    let rows = favourites.enumerated().map { offset, hero in
      var row = HeroRow(number: offset + 1, hero: hero).row(width: width)
      row.progress = loads[hero.name]
      // A picture that is still loading, or that failed, has another name than the complete one.
      let caption = hero.image.map { "picture, \($0.count.formatted(.byteCount(style: .file)))" } ?? ""
      row.picture = ScenePicture("\(hero.id) \(caption)", caption: caption) { [image = hero.image] in
        guard let image else { throw SampleError(reason: "there is no picture") }
        return image
      }
      row.position = offset
      row.input = "open \(offset + 1)"
      row.removal = "remove \(offset + 1)"
      row.items = {
        let item = ItemProvider(hero, suggestedName: hero.suggestedName)
        item.register(hero.showing)
        return [item]
      }
      return row
    }
    try await window.show(rows: SceneRow.status(message) + (rows.isEmpty ? [.placeholder("drop heroes here")] : rows))
  }
}
