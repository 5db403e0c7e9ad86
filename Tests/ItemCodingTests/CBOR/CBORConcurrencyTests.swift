// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import ItemCoding
import TestSupport
import Testing

/// Coders that several tasks or values share, and coding that continues after an error.
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct CBORConcurrencyTests {
  struct Hero: Codable, Equatable, Sendable {
    var name: String
    var powers: [String: Int]
    var friends: [Hero]
    var born: Date?

    static func sample(_ number: Int, depth: Int = 3) -> Hero {
      Hero(
        name: "hero \(number)", powers: ["strength": number, "speed": -number],
        friends: depth == 0 ? [] : (0..<2).map { sample(number + $0, depth: depth - 1) },
        born: number.isMultiple(of: 2) ? Date(timeIntervalSince1970: Double(number)) : nil)
    }
  }

  @Test func manyTasksShareOneCoder() async throws {
    let encoder = deterministicEncoder
    let decoder = CBORDecoder()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for task in 0..<32 {
        group.addTask {
          for round in 0..<20 {
            let hero = Hero.sample(task * 100 + round)
            let bytes = try encoder.encode(hero)
            #expect(try decoder.decode(Hero.self, from: bytes) == hero)
            #expect(throws: DecodingError.self) { try decoder.decode(Hero.self, from: bytes.dropLast()) }
            let kept = try decoder.decode([String: Later].self, from: bytes)
            await Task.yield()
            #expect(try kept["friends"]?.read([Hero].self) == hero.friends)
          }
        }
      }
      try await group.waitForAll()
    }
  }

  @Test func valuesCallOtherCodersWhileTheyAreCoded() throws {
    struct Wrapped: Codable, Equatable {
      var hero: Hero
      var depth: Int

      init(hero: Hero, depth: Int) {
        self.hero = hero
        self.depth = depth
      }

      init(from decoder: any Decoder) throws {
        var container = try decoder.unkeyedContainer()
        depth = try container.decode(Int.self)
        let bytes = try container.decode(Data.self)
        hero = try CBORDecoder().decode(Hero.self, from: bytes)
        if depth > 0 { #expect(try container.decode(Wrapped.self).hero == hero) }
        #expect(container.isAtEnd)
      }

      func encode(to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        try container.encode(depth)
        try container.encode(CBOREncoder().encode(hero))
        if depth > 0 { try container.encode(Wrapped(hero: hero, depth: depth - 1)) }
      }
    }
    let wrapped = Wrapped(hero: .sample(1), depth: 40)
    try expectRoundTrips([wrapped, wrapped])
  }

  // MARK: Continuing after an error

  struct Failure: Error {}

  /// A value that encodes an element and then throws.
  static let failing = Writing { encoder in
    var container = encoder.container(keyedBy: AnyTestKey.self)
    try container.encode("much", forKey: "a")
    var nested = container.nestedUnkeyedContainer(forKey: "b")
    try nested.encode(1)
    var parent = container.superEncoder().unkeyedContainer()
    try parent.encode([1, 2, 3])
    throw Failure()
  }

  @Test func failedElementsAndEntriesAreOmitted() throws {
    let value = Writing { encoder in
      var container = encoder.container(keyedBy: AnyTestKey.self)
      try container.encode(1, forKey: "a")
      expectErrors(
        Failure.self, { try container.encode(Self.failing, forKey: "b") },
        { try container.encode([[Self.failing]], forKey: "b") },
        { try container.encode(["x": Self.failing], forKey: "b") })
      var array = container.nestedUnkeyedContainer(forKey: "c")
      expectErrors(Failure.self, { try array.encode(Self.failing) })
      try array.encode(2)
      expectErrors(Failure.self, { try array.encode([Self.failing, Self.failing]) })
      try array.encode(3)
      #expect(array.count == 2)
      try container.encode(4, forKey: "d")
    }
    for encoder in [CBOREncoder(), deterministicEncoder] {
      try expectEncoding(value, "a36161016163820203616404", encoder)
      #expect(throws: Failure.self) { try encoder.encode([Self.failing]) }
      try expectEncoding([value, value], "82 a36161016163820203616404 a36161016163820203616404", encoder)
    }
    let single = Writing { encoder in
      var container = encoder.singleValueContainer()
      #expect(throws: Failure.self) { try container.encode(Self.failing) }
      try container.encode("instead")
    }
    try expectEncoding([single], "8167696e7374656164")
  }

  @Test func mapAfterAMalformedOneIsIndexedAnew() throws {
    struct Letters: Codable, Equatable {
      var a: Int?
      var b: Int?
    }
    for hex in ["a46162016163026164036165", "a36162016163026162 03", "a36162016163 1c 00", "bf6162016163026164 03"] {
      for _ in 0..<3 {
        try expectError(Letters.self, hex)
        try expectDecoding(["a2 6162 07 6161 08": Letters(a: 8, b: 7)])
        try expectError([Letters].self, "81" + hex)
        try expectDecoding(["81 a2 6162 07 6161 08": [Letters(a: 8, b: 7)]])
      }
    }
  }
}
