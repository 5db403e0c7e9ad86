// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import ItemCoding
import TestSupport
import Testing

/// The limits of the coders, tested with values at a limit and one past it.
@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct CBORLimitTests {
  private func nested(_ depth: Int) -> Data {
    Data(repeating: 0x81, count: depth - 1) + [0x80]
  }

  private struct List: Codable, Equatable {
    var inner: [List] = []

    init(depth: Int) {
      inner = depth > 1 ? [List(depth: depth - 1)] : []
    }

    init(from decoder: any Decoder) throws {
      inner = try decoder.singleValueContainer().decode([List].self)
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(inner)
    }
  }

  private struct Beside: Encodable {
    var depth: Int

    func encode(to encoder: any Encoder) throws {
      var container = encoder.unkeyedContainer()
      if depth > 1 { try Beside(depth: depth - 1).encode(to: container.superEncoder()) }
    }
  }

  @Test(arguments: [1, 2, 10, 512])
  func refusesValuesOneLevelDeeperThanTheLimit(limit: Int) throws {
    var decoder = CBORDecoder()
    var encoder = CBOREncoder()
    if limit != 512 {
      decoder.limits.depth = limit
      encoder.limits.depth = limit
    }
    #expect(try decoder.decode(List.self, from: nested(limit)) == List(depth: limit))
    #expect(try encoder.encode(List(depth: limit)) == nested(limit))
    #expect(try encoder.encode(Beside(depth: limit)) == nested(limit))
    let error = try decodingError(List.self, nested(limit + 1), decoder)
    #expect(error.kind == "dataCorrupted" && error.byte == limit)
    #expect(error.context?.codingPath.count == limit)
    #expect(error.context?.debugDescription.contains("more than \(limit) nested maps and arrays") == true)
    #expect(throws: EncodingError.self) { try encoder.encode(List(depth: limit + 1)) }
    #expect(throws: EncodingError.self) { try encoder.encode(Beside(depth: limit + 1)) }
    #expect(try encoder.encode(List(depth: limit)) == nested(limit))
  }

  @Test func refusesItemsOneElementLongerThanTheLimit() throws {
    var decoder = CBORDecoder()
    decoder.limits.length = 3
    #expect(try decode(String.self, "63616263", decoder) == "abc")
    #expect(try decode(String.self, "7f6261626163ff", decoder) == "abc")
    #expect(try decode(Data.self, "43010203", decoder).count == 3)
    #expect(try decode([Int].self, "83010203", decoder) == [1, 2, 3])
    #expect(try decode([Int].self, "9f010203ff", decoder) == [1, 2, 3])
    #expect(try decode([String: Int].self, "a3 6161 01 6162 02 6163 03", decoder).count == 3)
    for hex in ["6461626364", "7f626162626364ff"] {
      #expect(try decodingError(String.self, hex, decoder).kind == "dataCorrupted")
      #expect(try decodingError([String: Int].self, "a1 \(hex) 01", decoder).kind == "dataCorrupted")
    }
    for hex in ["4401020304", "5f42010242 0304ff"] {
      #expect(try decodingError(Data.self, hex, decoder).kind == "dataCorrupted")
    }
    for hex in ["8401020304", "9f01020304ff"] {
      #expect(try decodingError([Int].self, hex, decoder).kind == "dataCorrupted")
      #expect(try decodingError([Int?].self, hex, decoder).kind == "dataCorrupted")
      #expect(try decodingError([Skipped].self, hex, decoder).kind == "dataCorrupted")
    }
    for hex in ["a4 6161 01 6162 02 6163 03 6164 04", "bf 6161 01 6162 02 6163 03 6164 04 ff"] {
      #expect(try decodingError([String: Int].self, hex, decoder).kind == "dataCorrupted")
    }
  }

  /// A type that tries two nested types at each level: the number of visits is two to the power of the depth.
  indirect enum Guess: Decodable {
    struct First: Decodable {
      var inner: Guess
      var neverThere: Int
    }

    struct Second: Decodable {
      var inner: Guess
    }

    case first(First)
    case second(Second)
    case end(Int)

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      if let value = try? container.decode(First.self) {
        self = .first(value)
      } else if let value = try? container.decode(Second.self) {
        self = .second(value)
      } else {
        self = .end(try container.decode(Int.self))
      }
    }
  }

  @Test func refusesTypesThatTryEverythingAtManyDepths() throws {
    let level = Data(hex: "a165696e6e6572")
    func document(_ depth: Int) -> Data { Data((0..<depth).flatMap { _ in level }) + [7] }
    _ = try CBORDecoder().decode(Guess.self, from: document(8))
    var decoder = CBORDecoder()
    decoder.limits.visitsPerByte = 1
    // Without the limit, the decoder would make sixteen million attempts.
    _ = try decodingError(Guess.self, document(24), decoder)
  }
}
