// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import ItemCoding
import TestSupport
import Testing

/// Coders that several tasks share, and coding that continues after an error.
@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct CBORConcurrencyTests {
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

  struct Kept: Decodable {
    let decoder: any Decoder

    init(from decoder: any Decoder) {
      self.decoder = decoder
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
            let kept = try decoder.decode([String: Kept].self, from: bytes)
            await Task.yield()
            #expect(try kept["friends"].map { try [Hero](from: $0.decoder) } == hero.friends)
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
    #expect(try roundTrip([wrapped, wrapped]) == [wrapped, wrapped])
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
      #expect(throws: Failure.self) { try container.encode(Self.failing, forKey: "b") }
      #expect(throws: Failure.self) { try container.encode([[Self.failing]], forKey: "b") }
      #expect(throws: Failure.self) { try container.encode(["x": Self.failing], forKey: "b") }
      var array = container.nestedUnkeyedContainer(forKey: "c")
      #expect(throws: Failure.self) { try array.encode(Self.failing) }
      try array.encode(2)
      #expect(throws: Failure.self) { try array.encode([Self.failing, Self.failing]) }
      try array.encode(3)
      #expect(array.count == 2)
      try container.encode(4, forKey: "d")
    }
    for encoder in [CBOREncoder(), deterministicEncoder] {
      #expect(try encodedHex(value, encoder) == "a36161016163820203616404")
      #expect(throws: Failure.self) { try encoder.encode([Self.failing]) }
      #expect(try encodedHex([value, value], encoder) == "82a36161016163820203616404a36161016163820203616404")
    }
    let single = Writing { encoder in
      var container = encoder.singleValueContainer()
      #expect(throws: Failure.self) { try container.encode(Self.failing) }
      try container.encode("instead")
    }
    #expect(try encodedHex([single]) == "8167696e7374656164")
  }

  @Test func failedAttemptLeavesTheValueToOtherTypes() throws {
    enum Either: Decodable, Equatable {
      case heroes([Hero])
      case numbers([Int])
      case text(String)

      init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let value = try? container.decode([Hero].self) {
          self = .heroes(value)
        } else if let value = try? container.decode([Int].self) {
          self = .numbers(value)
        } else {
          self = .text(try container.decode(String.self))
        }
      }
    }
    #expect(
      try decode([Either].self, "83 820102 6161 81 a3 646e616d65 6141 66706f77657273 a0 67667269656e6473 80")
        == [.numbers([1, 2]), .text("a"), .heroes([Hero(name: "A", powers: [:], friends: [])])])
    let read = try Reading<[String]>.read("84 01 6162 8103 a1616104") { decoder in
      var container = try decoder.unkeyedContainer()
      var found: [String] = []
      while !container.isAtEnd {
        if let number = try? container.decode(Int.self) {
          found.append("\(number)")
        } else if let text = try? container.decode(String.self) {
          found.append(text)
        } else if var inner = try? container.nestedUnkeyedContainer() {
          found.append("[\(try inner.decode(Int.self))]")
        } else {
          found += try container.nestedContainer(keyedBy: AnyTestKey.self).allKeys.map(\.stringValue)
        }
      }
      return found
    }
    #expect(read == ["1", "b", "[3]", "a"])
  }

  @Test func mapAfterAMalformedOneIsIndexedAnew() throws {
    struct Letters: Codable, Equatable {
      var a: Int?
      var b: Int?
    }
    for hex in ["a46162016163026164036165", "a36162016163026162 03", "a36162016163 1c 00", "bf6162016163026164 03"] {
      for _ in 0..<3 {
        #expect(throws: DecodingError.self) { try decode(Letters.self, hex) }
        #expect(try decode(Letters.self, "a2 6162 07 6161 08") == Letters(a: 8, b: 7))
        #expect(throws: DecodingError.self) { try decode([Letters].self, "81" + hex) }
        #expect(try decode([Letters].self, "81 a2 6162 07 6161 08") == [Letters(a: 8, b: 7)])
      }
    }
    // The map is refused each time.
    let isRefused = try? Reading<Bool>.read("a3 6162 01 6163 02 6162 03") { decoder in
      let container = try decoder.container(keyedBy: AnyTestKey.self)
      #expect(throws: DecodingError.self) { try container.decode(Int.self, forKey: "c") }
      #expect(throws: DecodingError.self) { try container.decode(Int.self, forKey: "c") }
      #expect(container.allKeys == ["b", "c"] && !container.contains("c"))
      return true
    }
    #expect(isRefused == nil)
  }
}
