// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import DropTransport
internal import HeroCards
internal import ItemTransfer
internal import UniformTypes

/// A receiver of heroes or cards, which it adds to a file or writes to standard output.
struct ReceivedLists: Sendable {
  let source: ReceiveSource
  /// Whether to flush the file to the disk.
  let isDurable: Bool

  /// Receives heroes and adds them to a file, or writes them to standard output.
  ///
  /// - Returns: A summary for the user, or `nil` for standard output.
  func receiveHeroes(into file: String, _ environment: ToolEnvironment) async throws -> String? {
    try await receive(Hero.self, as: [.heroCBOR, .hero], into: FavouritesText(), environment) { favourites in
      guard file == "-" else {
        let added = try await ListFile(path: file, isDurable: isDurable).addFavourites(favourites)
        return "\(added) new of \(favourites.count == 1 ? "1 hero" : "\(favourites.count) heroes")"
      }
      try await environment.write(json: favourites.json())
      return nil
    } adding: { hero, favourites in
      try favourites.add(hero)
    }
  }

  func receiveCards(
    into file: String, column: String?, _ environment: ToolEnvironment
  ) async throws -> String? {
    try await receive(Card.self, as: [.cardCBOR, .card], into: [], environment) { cards in
      guard file == "-" else {
        try await ListFile(path: file, isDurable: isDurable).addCards(cards, toColumn: column)
        return ToolHelp.count(cards.count, "card")
      }
      var board = Board()
      board.add(contentsOf: cards, toColumn: column)
      try await environment.write(json: try board.jsonData())
      return nil
    } adding: { card, cards in
      cards.append(card)
    }
  }

  /// Receives all values into a list, up to the verified end of a one-way stream, then passes the list to `keep`.
  ///
  /// In a session, the sender is notified last.
  private func receive<Item: Transferable & Sendable, List>(
    _ kind: Item.Type, as types: [UTType], into empty: List, _ environment: ToolEnvironment,
    _ keep: (List) async throws -> String?,
    adding add: (Item, inout List) throws -> Void
  ) async throws -> String? {
    var list = empty
    guard source.endpoint.isTwoWay else {
      try await source.endpoint.reading(environment, idleTimeout: source.options.idleTimeout) { input in
        try await DropStream.withReader(from: input, options: source.options) { items in
          var count = 0
          for try await item in items {
            count += 1
            try add(try await value(of: item, kind, as: types, number: count), &list)
          }
        }
      }
      return try await keep(list)
    }
    return try await source.withOffer(environment) { items, drop in
      var byteCount: UInt64 = 0
      for (index, item) in items.enumerated() {
        // A session limits its bytes itself.
        let item = drop == nil ? try await loaded(item, as: types, counting: &byteCount) : item
        try add(try await value(of: item, kind, as: types, number: index + 1), &list)
      }
      let kept = list
      return (try await source.inTurn { try await keep(kept) }, kept: Array(items.indices))
    }
  }

  /// Returns an item with the loaded bytes of the first of `types` that it has.
  private func loaded(
    _ item: ItemProvider, as types: [UTType], counting byteCount: inout UInt64
  ) async throws -> ItemProvider {
    guard let type = types.first(where: { item.hasRepresentation(conformingTo: $0) }) else { return item }
    let data = try await item.data(for: type)
    byteCount += UInt64(data.count)
    try source.options.limits.check(byteCount: byteCount)
    let loaded = ItemProvider(suggestedName: item.suggestedName)
    loaded.register(type) { _ in data }
    return loaded
  }

  /// Loads an item, which must have one of `types`.
  ///
  /// The last of these types appears in the error message.
  private func value<Item: Transferable & Sendable>(
    of item: ItemProvider, _ kind: Item.Type, as types: [UTType], number: Int
  ) async throws -> Item {
    guard types.contains(where: { item.hasRepresentation(conformingTo: $0) }) else {
      let offered = item.contentTypes.map(\.shown).joined(separator: ", ")
      throw ToolFailure(
        .noAcceptableType,
        "item \(number) has no type \(types[types.count - 1]); its types are \(offered)")
    }
    do {
      return try await item.value(as: kind)
    } catch {
      let failure = ToolFailure(error)
      throw ToolFailure(failure.exitCode, "item \(number): \(failure.message)")
    }
  }
}
