// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

// Offers a hero in five representations, loads three of them, and prints the progress of each. The other two
// representations are never created.
//
//     swift run LazyHero

import DragPipe
import Foundation
import HeroCards

/// A log of the state of each representation. Every change of a state prints a line.
actor Board {
  private var states: [UTType: String] = [:]

  func show(_ type: UTType, _ state: String) {
    guard states[type] != state else { return }
    states[type] = state
    print("\(type.identifier.padding(toLength: 28, withPad: " ", startingAt: 0)) \(state)")
  }
}

let hero = Hero(id: 1, name: "Atalanta", description: "Outran every suitor, but for three golden apples.")
let board = Board()
let offer = ItemProvider(suggestedName: "Atalanta")

// The source: five representations, best first.
offer.register(.hero) { _ in
  await board.show(.hero, "being created")
  return try JSONEncoder().encode(hero)
}
offer.register(.xmlPropertyList) { _ in
  await board.show(.xmlPropertyList, "being created")
  let encoder = PropertyListEncoder()
  encoder.outputFormat = .xml
  return try encoder.encode(hero)
}
offer.registerStream(.svg, size: .estimated(8 * 64)) { _ in
  AsyncStream<Data> { chunks in
    Task {
      chunks.yield(Data("<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 80 20'>".utf8))
      for step in 0..<6 {
        try await Task.sleep(for: .milliseconds(50))
        chunks.yield(Data("<circle cx='\(10 + step * 12)' cy='10' r='\(4 + step % 3)' fill='goldenrod'/>\n".utf8))
      }
      chunks.yield(Data("</svg>\n".utf8))
      chunks.finish()
    }
  }
}
offer.registerFile(.html) { _ in
  await board.show(.html, "being created")
  let file = FileManager.default.temporaryDirectory.appendingPathComponent("LazyHero-\(UUID().uuidString).html")
  try Data("<h1>\(hero.name)</h1><p>\(hero.description)</p>".utf8).write(to: file)
  return SentTransferredFile(file)
}
offer.register(.utf8PlainText) { progress in
  let words = hero.description.split(separator: " ")
  progress.setTotal(Int64(words.count))
  for _ in words {
    try await Task.sleep(for: .milliseconds(20))
    progress.advance(by: 1)
  }
  return Data("\(hero.name): \(hero.description)".utf8)
}
for type in offer.contentTypes { await board.show(type, "offered") }

/// The destination: loads a type and observes its progress.
func load(_ type: UTType) async throws {
  let load = offer.startLoading(type)
  for await now in load.progress.updates {
    await board.show(type, now.isFinished ? "created" : "\(now.phase), \(Int(now.fraction * 100)) %")
  }
  await board.show(type, "created, \(try await load.value.count) bytes")
}

try await withThrowingTaskGroup { group in
  for type in [UTType.hero, .svg, .utf8PlainText] { group.addTask { try await load(type) } }
  try await group.waitForAll()
}
print("\(UTType.xmlPropertyList) and \(UTType.html) were not requested, so they were never created.")
