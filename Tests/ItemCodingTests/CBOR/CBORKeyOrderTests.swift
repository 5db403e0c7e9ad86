// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import ItemCoding
import TestSupport
import Testing

/// Keys that are not in the order of one enumeration.
///
/// The fast paths of the coders must detect them.
@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct CBORKeyOrderTests {
  private enum FirstKeys: String, CodingKey { case one, two }
  private enum OtherKeys: String, CodingKey { case zero, one }
  private enum Twins: CodingKey {
    case name, title

    var stringValue: String { "name" }
    var intValue: Int? { nil }
    init?(stringValue: String) { return nil }
    init?(intValue: Int) { return nil }
  }

  @Test func twoKeyTypesDecodeTheSameEntry() throws {
    let sum = try Reading<Int>.read("a1 636f6e65 07") { decoder in
      let first = try decoder.container(keyedBy: FirstKeys.self).decode(Int.self, forKey: .one)
      return try first + decoder.container(keyedBy: OtherKeys.self).decode(Int.self, forKey: .one)
    }
    #expect(sum == 14)
  }

  @Test func keyOfTwoTypesIsWrittenOnceWithTheLastValue() throws {
    let value = Writing { encoder in
      var first = encoder.container(keyedBy: OtherKeys.self)
      try first.encode(1, forKey: .zero)
      try first.encode(2, forKey: .one)
      var second = encoder.container(keyedBy: FirstKeys.self)
      try second.encode(3, forKey: .two)
      try second.encode(4, forKey: .one)
    }
    let entries = try CBORDecoder().decode([String: Int].self, from: CBOREncoder().encode(value))
    #expect(entries == ["zero": 1, "two": 3, "one": 4])
    let ascending = Writing { encoder in
      var first = encoder.container(keyedBy: FirstKeys.self)
      try first.encode(1, forKey: .one)
      var second = encoder.container(keyedBy: OtherKeys.self)
      try second.encode(2, forKey: .one)
    }
    #expect(try encodedHex(ascending) == "a1636f6e6502")
  }

  @Test func keysWithOneNameAreOneKey() throws {
    let value = Writing { encoder in
      var container = encoder.container(keyedBy: Twins.self)
      try container.encode(1, forKey: .name)
      try container.encode(2, forKey: .title)
    }
    #expect(try encodedHex(value) == "a1646e616d6502")
    let sum = try Reading<Int>.read("a1 646e616d65 05") { decoder in
      let container = try decoder.container(keyedBy: Twins.self)
      return try container.decode(Int.self, forKey: .name) + container.decode(Int.self, forKey: .title)
    }
    #expect(sum == 10)
  }

  @Test func keyTypeWithOneCaseRoundTrips() throws {
    struct Single: Codable, Equatable { var only: [Single] }
    let value = Single(only: [Single(only: []), Single(only: [Single(only: [])])])
    #expect(try roundTrip(value) == value)
    #expect(try decodingError(Single.self, "a1 646f6e6c79 81 a0").path == "only.Index 0")
    #expect(try decodingError(Single.self, "a1 646f6e6c79 81 a1646f6e6c79 f5").path == "only.Index 0.only")
  }

  /// A value that decodes another entry of the map that contains it.
  private struct Curious: Decodable {
    nonisolated(unsafe) static var around: KeyedDecodingContainer<Letters>?
    var inner: Int

    init(from decoder: any Decoder) throws {
      inner = try decoder.singleValueContainer().decode(Int.self)
      for key in decoder.userInfo[.letters] as? [Letters] ?? [] {
        inner += try Self.around?.decode(Int.self, forKey: key) ?? 0
      }
    }
  }

  fileprivate enum Letters: String, CodingKey { case a, b, c }

  private struct Around: Decodable {
    var a: Int
    var b: Int
    var c: Int

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: Letters.self)
      Curious.around = container
      defer { Curious.around = nil }
      a = try container.decode(Curious.self, forKey: .a).inner
      b = try container.decode(Int.self, forKey: .b)
      c = try container.decode(Int.self, forKey: .c)
    }
  }

  @Test func valueCanDecodeTheMapAroundItself() throws {
    for (letters, first) in [([Letters](), 1), ([.a], 2), ([.a, .b], 4), ([.b], 3), ([.c, .a], 5)] {
      var decoder = CBORDecoder()
      decoder.userInfo[.letters] = letters
      let around = try decoder.decode(Around.self, from: Data(hex: "a3 6161 01 6162 02 6163 03"))
      let values: [Int] = [around.a, around.b, around.c]
      #expect(values == [first, 2, 3])
    }
  }
}

extension CodingUserInfoKey {
  fileprivate static let letters = CodingUserInfoKey(rawValue: "letters").unsafelyUnwrapped
}
