// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSceneUI
import DropScenes
import DropTransport
import HeroCards
import ItemTransfer
import UniformTypes

/// A window that lists all heroes.
///
/// They can be dragged to other windows.
struct HeroesWindow {
  /// The minimum width for the details of a hero beside the list, in characters.
  private static let wideWidth = 100

  /// The heroes, and what the window shows of them.
  private struct Content {
    let heroes: [Hero]
    var message: String
    /// The index of the hero whose details are beside the list.
    var shown: Int?

    init(_ heroes: [Hero]) {
      self.heroes = heroes
      message = "\(heroes.count) heroes"
    }
  }

  private let window: SceneWindow
  private let loader: CatalogueLoader

  init(_ window: SceneWindow, _ loader: CatalogueLoader) {
    self.window = window
    self.loader = loader
  }

  func run() async throws {
    var (width, content) = (80, await load())
    for await event in window.events {
      switch event {
      case .size(let columns): width = columns
      case .input("again") where content == nil: content = await load()
      case .input("list"):
        try await window.open(UserActivity(activityType: HeroesApp.showList))
        continue
      case .input(let line):
        if let old = content { content = await perform(line, old, isWide: width >= Self.wideWidth) }
      default: continue
      }
      if let content { try await show(content, width) }
    }
  }

  /// Loads the heroes; shows the reason and a button to try again if that fails.
  private func load() async -> Content? {
    do {
      try await window.show(rows: [.placeholder("loading the heroes…")])
      let content = Content(try await loader.heroes())
      try await show(content, 80)
      return content
    } catch {
      try? await window.show(rows: [SceneRow("! \(error)"), .button("Try Again", input: "again")])
      return nil
    }
  }

  private func show(_ content: Content, _ width: Int) async throws {
    let isWide = width >= Self.wideWidth
    var rows = SceneRow.status(content.message)
    for (offset, hero) in content.heroes.enumerated() {
      var row = HeroRow(number: offset + 1, hero: hero).row(width: isWide ? width / 2 - 3 : width)
      row.picture = loader.picture(of: hero)
      row.input = "\(isWide ? "show" : "open") \(offset + 1)"
      row.mark = "star \(offset + 1)"
      row.items = { [item(for: hero)] }
      rows.append(row)
    }
    if isWide {
      if let shown = content.shown {
        rows += HeroDetail(hero: content.heroes[shown], loader: loader).rows(column: 1)
        rows.append(.button("Own Window", input: "open \(shown + 1)"))
      } else {
        var hint = SceneRow("open a hero to see it here")
        hint.column = 1
        rows.append(hint)
      }
    }
    try await window.show(rows: rows + [.button("Another List", input: "list")])
  }

  /// Performs a command, and returns the content with the result.
  private func perform(_ line: String, _ old: Content, isWide: Bool) async -> Content {
    var content = old
    let command = HeroCommand(line)
    if command.verb == "show", isWide, let number = command.words.first.flatMap({ Int($0) }),
      content.heroes.indices.contains(number - 1)
    {
      (content.shown, content.message) = (number - 1, "\(content.heroes[number - 1].name) is shown")
    } else {
      content.message = await perform(command, line, content.heroes)
    }
    return content
  }

  /// Performs a command and returns the result as text.
  private func perform(_ command: HeroCommand, _ line: String, _ heroes: [Hero]) async -> String {
    do {
      switch command.verb {
      case "drag", "star": return try await drag(command, heroes)
      case "say":
        let receipt = try await window.drag([ItemProvider(command.words.joined(separator: " "))], to: command.target)
        return receipt.keptItems.isEmpty ? "not dropped" : "dropped"
      case "open", "show":
        guard let hero = try command.choose(from: heroes).first else { return "! expected \(command.verb) N" }
        try await window.open(hero.showing)
        return "\(hero.name) is shown"
      default: throw SceneAppError.unknownCommand(line)
      }
    } catch {
      return "! \(SceneApp.reason(of: error))"
    }
  }

  private func drag(_ command: HeroCommand, _ heroes: [Hero]) async throws -> String {
    let chosen = try command.choose(from: heroes)
    guard !chosen.isEmpty else { return "! expected \(command.verb) N… [to WINDOW] [at ROW]" }
    let receipt = try await window.drag(chosen.map(item(for:)), to: command.target)
    let count = receipt.keptItems.count
    if count == chosen.count { return count == 1 ? "1 hero dropped" : "\(count) heroes dropped" }
    return "\(count) of \(chosen.count) heroes dropped"
  }

  /// Returns an item with all types of the hero, a picture that is loaded on demand, and the activity that shows the
  /// hero.
  private func item(for hero: Hero) -> ItemProvider {
    let item = ItemProvider(hero, suggestedName: hero.suggestedName)
    if let type = UTType(filenameExtension: hero.thumbnail.fileExtension, conformingTo: .image), type.isDeclared {
      item.register(type) { progress in try await loader.image(of: hero, progress) }
    }
    item.register(hero.showing)
    return item
  }
}

extension Hero {
  /// The activity that opens a window for the hero.
  var showing: UserActivity {
    var activity = UserActivity(
      activityType: HeroesApp.showHero, title: name, userInfo: ["heroID": .integer(Int64(id))],
      targetContentIdentifier: "hero/\(id)")
    activity.requiredUserInfoKeys = ["heroID"]
    return activity
  }
}

/// An error of a sample.
struct SampleError: Error, CustomStringConvertible {
  let reason: String

  var description: String { reason }
}

/// A command in the list: `VERB WORD… [to WINDOW] [at PLACE]`.
struct HeroCommand {
  let verb: String
  let words: [String]
  /// The target of a drag; by default, the window of favourites.
  let target: SceneTarget

  init(_ line: String) {
    var words = line.split(separator: " ").map(String.init)
    verb = words.isEmpty ? "" : words.removeFirst()
    var (name, position) = ("Favourites", Int?.none)
    if let at = words.lastIndex(of: "at"), at + 1 < words.count {
      position = Int(words[at + 1]).flatMap { $0 > 0 ? $0 - 1 : nil }
      words.removeSubrange(at...)
    }
    if let to = words.lastIndex(of: "to"), to + 1 < words.count {
      name = words[(to + 1)...].joined(separator: " ")
      words.removeSubrange(to...)
    }
    self.words = words
    target = name == "desktop" ? .desktop : .scene(name, position: position)
  }

  /// Returns the heroes with the numbers in the command.
  ///
  /// The word `empty` stands for a hero without content.
  ///
  /// - Throws: `SampleError` for a word that is not the number of a hero.
  func choose(from heroes: [Hero]) throws -> [Hero] {
    try words.map { word in
      if word == "empty" { return Hero.empty }
      guard let number = Int(word), heroes.indices.contains(number - 1) else {
        throw SampleError(reason: "expected numbers of heroes from 1 to \(heroes.count) after \(verb), found \(word)")
      }
      return heroes[number - 1]
    }
  }
}
