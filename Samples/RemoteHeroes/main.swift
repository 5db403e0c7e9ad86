// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

// Takes a hero from another process. That process offers several heroes, but creates only the requested hero.
//
//     swift run RemoteHeroes                                              the other process is a child
//     swift run RemoteHeroes ssh host path/to/RemoteHeroes --offer        the other process is on another machine

import DragPipe
import Foundation
import HeroCards

/// The source: offers heroes to the process that started this process.
func offer() async throws {
  let heroes = [
    Hero(id: 1, name: "Atalanta", description: "Outran every suitor, but for three golden apples."),
    Hero(id: 2, name: "Anansi", description: "Bought all stories from the sky god, with a python and four hornets."),
    Hero(id: 3, name: "Väinämöinen", description: "Built a boat by singing."),
  ]
  let items = heroes.map { hero in
    let item = ItemProvider(suggestedName: hero.name)
    item.register(.hero) { _ in
      say("\(hero.name) is being created")
      return try JSONEncoder().encode(hero)
    }
    // This representation never ends, so the destination cancels it.
    item.registerStream(.html) { _ in
      AsyncStream<Data> { chunks in
        chunks.onTermination = { _ in say("the biography of \(hero.name) was cancelled") }
        chunks.yield(Data("<h1>\(hero.name)</h1>".utf8))
      }
    }
    return item
  }
  let receipt = try await DropStream.withSession(over: .standardIO) { session in
    try await session.offer(items, allowing: [.copy, .move])
  }
  let moved = receipt.keptItems.map { heroes[$0].name }.joined(separator: ", ")
  say("the destination performed a \(receipt.action): \(moved)")
}

/// Prints to standard error, since the session uses standard output.
func say(_ text: String) {
  FileHandle.standardError.write(Data("source: \(text)\n".utf8))
}

/// The destination: starts the source and takes a hero.
func take(from command: [String]) async throws {
  try await DropStream.withSession(over: .process(command)) { session in
    for try await drop in session.drops {
      for item in drop.items { print("offered: \(item.suggestedName ?? "unnamed")") }
      let biography = drop.items[1].startLoading(.html)
      let hero = try await drop.items[1].value(as: Hero.self)
      print("taken: \(hero.name). \(hero.description)")
      // The source has begun with the biography as soon as its first part arrives.
      for await now in biography.progress.updates where now.completed > 0 { break }
      biography.cancel()
      _ = try? await biography.value
      try await drop.finish(.move, keeping: [1])
    }
  }
  print("the source has received the result")
}

let arguments = Array(CommandLine.arguments.dropFirst())
do {
  if arguments == ["--offer"] {
    try await offer()
  } else {
    try await take(from: arguments.isEmpty ? ["/proc/self/exe", "--offer"] : arguments)
  }
} catch {
  FileHandle.standardError.write(Data("RemoteHeroes: \(error)\n".utf8))
  exit(1)
}
