// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import ItemCoding
import TestSupport
import Testing

/// Malicious input.
@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct CBORHostileInputTests {
  /// A recursive array, map or other item.
  indirect enum Tree: Decodable {
    case list([Tree])
    case map([String: Tree])
    case other

    init(from decoder: any Decoder) throws {
      if var container = try? decoder.unkeyedContainer() {
        var items: [Tree] = []
        while !container.isAtEnd { items.append(try container.decode(Tree.self)) }
        self = .list(items)
      } else if let container = try? decoder.container(keyedBy: AnyTestKey.self) {
        self = .map(
          try container.allKeys.reduce(into: [:]) { map, key in
            map[key.stringValue] = try container.decode(Tree.self, forKey: key)
          })
      } else {
        self = .other
      }
    }
  }

  struct List: Decodable {
    let inner: [List]

    init(from decoder: any Decoder) throws {
      inner = try decoder.singleValueContainer().decode([List].self)
    }
  }

  final class Chain: Decodable {
    let a: Chain?
  }

  struct Known: Decodable {
    var known: Int
  }

  /// The bytes that begin and end a level of nesting.
  static let levels: [(open: String, close: String)] = [
    ("81", ""), ("9f", "ff"), ("a16161", ""), ("bf6161", "ff"), ("a100", ""), ("c1", ""), ("d9d9f7", ""), ("8200", ""),
    ("9f00", "ff"), ("a1", "00"), ("c2", ""), ("c4", ""), ("d820", ""), ("81c1", ""), ("9f81", "ff"),
  ]

  private static func nested(_ level: (open: String, close: String), _ depth: Int, closed: Bool) -> Data {
    var data = Data((0..<depth).flatMap { _ in Data(hex: level.open) })
    data.append(0)
    if closed { data.append(contentsOf: (0..<depth).flatMap { _ in Data(hex: level.close) }) }
    return data
  }

  @Test(arguments: levels, [false, true])
  func deeplyNestedItemsDoNotExhaustTheStack(level: (open: String, close: String), closed: Bool) {
    let data = Self.nested(level, (closed ? 10_000 : 100_000) / (level.open.utf8.count / 2), closed: closed)
    var decoder = CBORDecoder()
    decoder.limits.visitsPerByte = 4
    expectValueOrDecodingError(Int.self, data)
    expectValueOrDecodingError(Int?.self, data)
    expectValueOrDecodingError(String.self, data)
    expectValueOrDecodingError(Date.self, data)
    expectValueOrDecodingError(Decimal.self, data)
    expectValueOrDecodingError(Data.self, data)
    expectValueOrDecodingError(Tree.self, data, decoder)
    expectValueOrDecodingError(Chain.self, data)
    expectValueOrDecodingError([String: Tree].self, data, decoder)
    expectValueOrDecodingError([[[Int]]].self, data)
    expectValueOrDecodingError(Skipped.self, data)
    expectValueOrDecodingError([Skipped].self, Data([0x81]) + data)
    expectValueOrDecodingError(Known.self, Data([0xA2, 0x61, 0x78]) + data + Data(hex: "656b6e6f776e07"))
    #expect(throws: DecodingError.self) { try CBORDecoder().decode(List.self, from: data) }
  }

  @Test func skipsDeepItemsOfDefiniteLength() throws {
    for level in [Self.levels[0], Self.levels[2], Self.levels[5]] {
      let data = Data([0xA2, 0x61, 0x78]) + Self.nested(level, 20_000, closed: true) + Data(hex: "656b6e6f776e07")
      #expect(try CBORDecoder().decode(Known.self, from: data).known == 7)
    }
  }

  @Test(arguments: levels.prefix(4))
  func decodesTheMaximumDepthOnASmallStack(level: (open: String, close: String)) async throws {
    let data = Self.nested(level, CBORLimits().depth, closed: true)
    let isRead: Bool = await withCheckedContinuation { continuation in
      let thread = Thread { continuation.resume(returning: (try? CBORDecoder().decode(Tree.self, from: data)) != nil) }
      thread.stackSize = 4 << 20
      thread.start()
    }
    #expect(isRead)
  }

  // MARK: Lengths

  @Test func refusesLengthsThatExceedTheInput() throws {
    for major: UInt8 in [0x40, 0x60, 0x80, 0xA0] {
      for length: UInt64 in [1 << 63, .max, .max - 8, 1 << 62, 1 << 32, 1 << 31, 100_000] {
        let header = Data([major | 27]) + withUnsafeBytes(of: length.bigEndian) { Data($0) }
        var decoder = CBORDecoder()
        decoder.acceptsLongArguments = true
        for limits in [CBORLimits(), .unlimited] {
          decoder.limits = limits
          for data in [header, header + Data(repeating: 0, count: 9)] {
            _ = try decodingError(Data.self, data, decoder)
            _ = try decodingError(String.self, data, decoder)
            _ = try decodingError([Int].self, data, decoder)
            _ = try decodingError([Int128].self, data, decoder)
            _ = try decodingError([String].self, data, decoder)
            _ = try decodingError([Tree].self, data, decoder)
            _ = try decodingError([String: Int].self, data, decoder)
            _ = try decodingError([Int: Tree].self, data, decoder)
            _ = try decodingError(Known.self, data, decoder)
            _ = try decodingError(Int.self, Data([0xC2]) + data, decoder)
            _ = try decodingError(Decimal.self, Data([0xC4]) + data, decoder)
            #expect(try decodingError(Skipped.self, data, decoder).byte == 0)
            #expect(try decodingError([Skipped].self, Data([0x81]) + data, decoder).byte == 1)
            let chunked = Data([major | 31]) + data
            if major < 0x80 { #expect(try decodingError(Skipped.self, chunked, decoder).byte == 1) }
          }
        }
      }
    }
  }

  @Test func refusesLongArgumentsUnlessTheyAreAccepted() throws {
    var decoder = CBORDecoder()
    decoder.acceptsLongArguments = true
    for hex in ["1817", "190017", "1a00000017", "1b0000000000000017", "d80017", "c25800", "c2590001ff"] {
      #expect(try decodingError(Int.self, hex).kind == "dataCorrupted")
      #expect(try decodingError(Skipped.self, hex).kind == "dataCorrupted")
      _ = try decode(Int.self, hex, decoder)
      _ = try decode(Skipped.self, hex, decoder)
    }
    for hex in ["780161", "79000161", "7a0000000161", "7b000000000000000161", "7f780161ff"] {
      #expect(try decodingError(String.self, hex + "").kind == "dataCorrupted")
      #expect(try decode(String.self, hex, decoder) == "a")
    }
    #expect(try decodingError([Int].self, "980101").byte == 0)
    #expect(try decode([Int].self, "9b000000000000000207190008", decoder) == [7, 8])
    #expect(try decode([String: Int].self, "b90001 7a0000000161 1807", decoder) == ["a": 7])
    #expect(try decode(Known.self, "b801 79 0005 6b6e6f776e 1b0000000000000007", decoder).known == 7)
    // Floating-point numbers may have any width.
    #expect(try decode([Double].self, "83f93c00fa3f800000fb3ff0000000000000") == [1, 1, 1])
  }

  @Test func refusesReservedInitialBytes() throws {
    for byte in UInt8.min...UInt8.max where (28...30).contains(byte & 31) {
      for data in [Data([byte]), Data([byte, 0, 0, 0, 0, 0, 0, 0, 0])] {
        #expect(try decodingError(Int.self, data).byte == 0)
        #expect(try decodingError([Int].self, Data([0x81]) + data).byte == 1)
        #expect(try decodingError([String: Int].self, Data([0xA1]) + data + [0]).byte == 1)
        #expect(try decodingError(Known.self, Data([0xA1]) + data + [0]).kind == "dataCorrupted")
        #expect(try decodingError(Skipped.self, data).byte == 0)
        #expect(try decodingError(Int?.self, Data([0xC1]) + data).byte == 1)
      }
    }
  }

  @Test func refusesTrailingBytesWithTheirOffsetAndNumber() throws {
    #expect(try decodingError(Int.self, "0100").byte == 1)
    #expect(try decodingError([Int].self, "8101 ff").byte == 2)
    let two = try decodingError([String: Int].self, "bf616101ff 00 00")
    #expect(two.byte == 5 && two.context?.debugDescription.contains("2 bytes") == true)
    #expect(try decodingError(Skipped.self, "a0a0").byte == 1)
    #expect(try decodingError(Int.self, "").byte == 0)
    #expect(try decodingError(Int?.self, "").kind == "dataCorrupted")
  }
}
