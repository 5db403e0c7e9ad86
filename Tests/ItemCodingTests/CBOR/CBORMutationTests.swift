// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import ItemCoding
import TestSupport
import Testing

/// A document with a value of each kind, truncated and changed at every byte.
@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct CBORMutationTests {
  struct Card: Codable, Equatable {
    enum Kind: Codable, Equatable {
      case plain
      case boxed(Int, String)
    }

    var id = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))
    var name = "h\u{E9}ll\u{F6} \u{1F9B8} and some more text"
    var numbers = [0, 23, 24, 255, 256, 65_536, -1, -500, .max, .min]
    var wide: UInt128 = .max
    var small: [Int8] = [1, -1]
    var doubles = [0.5, 0.1, 1e300, .infinity]
    var float: Float = 3.25
    var created = Date(timeIntervalSince1970: 1_363_896_240.5)
    var edited: Date? = Date(timeIntervalSince1970: 1_363_896_240)
    var price = Decimal(string: "273.15")
    var link = URL(string: "http://www.example.com")
    var data = Data(0..<30)
    var kinds: [Kind] = [.plain, .boxed(7, "x")]
    var byName = ["a": [1], "bb": [2, 3]]
    var byNumber: [Int: String?] = [1: "one", -70_000: nil]
    var isDone = true
    var missing: Int?
    var inner: [Card]?
  }

  private static func document() throws -> Data {
    var encoder = deterministicEncoder
    encoder.dateEncodingStrategy = .iso8601
    return try encoder.encode(Card(inner: []))
  }

  /// The same document with indefinite lengths and long arguments.
  private static let loose = Data(
    hex: """
      bf 7f 6161 6162 ff 9f 01 1b0000000000000002 9f ff ff 6163 5f 4101 420203 ff 6164 c1 fb41d452d9ec200000 \
      6165 bf 01 f6 20 f7 ff 6166 c482 21 196ab3 6167 d9d9f7 d82061 61 ff
      """.filter { $0 != " " })

  private func expectSound(_ data: Data, _ decoder: CBORDecoder) {
    expectValueOrDecodingError(Card.self, data, decoder)
    expectValueOrDecodingError(CBORHostileInputTests.Tree.self, data, decoder)
    expectValueOrDecodingError(Skipped.self, data, decoder)
  }

  @Test func documentRoundTrips() throws {
    let card = try CBORDecoder().decode(Card.self, from: Self.document())
    #expect(card == Card(inner: []))
    var decoder = CBORDecoder()
    decoder.acceptsLongArguments = true
    _ = try decoder.decode(Skipped.self, from: Self.loose)
  }

  @Test func truncatedDocumentsAreDecodingErrors() throws {
    var decoder = CBORDecoder()
    decoder.acceptsLongArguments = true
    for document in [try Self.document(), Self.loose] {
      for count in 0..<document.count {
        let data = Data(document.prefix(count))
        #expect(throws: DecodingError.self) { try decoder.decode(Card.self, from: data) }
        #expect(throws: DecodingError.self) { try decoder.decode(CBORHostileInputTests.Tree.self, from: data) }
        #expect(throws: DecodingError.self) { try decoder.decode(Skipped.self, from: data) }
        #expect(throws: DecodingError.self) { try decoder.decode([String: Skipped].self, from: data) }
      }
    }
  }

  @Test func changedBitsGiveAValueOrADecodingError() throws {
    var decoder = CBORDecoder()
    decoder.acceptsLongArguments = true
    for document in [try Self.document(), Self.loose] {
      var data = document
      for index in data.indices {
        for bit in 0..<8 {
          data[index] ^= 1 << bit
          expectSound(data, decoder)
          data[index] ^= 1 << bit
        }
      }
      #expect(data == document)
    }
  }

  @Test func removedOrInsertedBytesGiveAValueOrADecodingError() throws {
    for document in [try Self.document(), Self.loose] {
      for index in document.indices {
        var shorter = document
        shorter.remove(at: index)
        expectSound(shorter, CBORDecoder())
        for byte: UInt8 in [0x00, 0x9F, 0xFF] {
          var longer = document
          longer.insert(byte, at: index)
          expectSound(longer, CBORDecoder())
        }
      }
    }
  }
}
