// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import ItemCoding
import TestSupport
import Testing

/// Tagged values.
@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct CBORTaggedTests {
  @Test func taggedValuesRoundTrip() throws {
    #expect(try encodedHex(CBORTagged(24, Data([0x01]))) == "d8184101")
    #expect(try decode(CBORTagged<Data>.self, "d8184101") == CBORTagged(24, Data([0x01])))
    #expect(try encodedHex(CBORTagged(.max, [1])) == "dbffffffffffffffff8101")
    struct Message: Codable, Equatable {
      var body: CBORTagged<[String: Int]>
      var more: [CBORTagged<Int>]
      var none: CBORTagged<Int>?
      var date: CBORTagged<Date>
    }
    let message = Message(
      body: CBORTagged(100, ["b": 2, "a": 1]), more: [CBORTagged(1000, 5), CBORTagged(7, 6)], none: nil,
      date: CBORTagged(55799, Date(timeIntervalSince1970: 0)))
    #expect(try roundTrip(message) == message)
    let bytes = try deterministicEncoder.encode(message)
    #expect(
      try CBORDiagnosticNotation().text(of: bytes)
        == #"{"body": 100({"a": 1, "b": 2}), "date": 55799(1(0)), "more": [1000(5), 7(6)]}"#)
  }

  @Test func tagsWithinTagsAreKept() throws {
    let value = CBORTagged(1, CBORTagged(2, CBORTagged(3, "a")))
    #expect(try encodedHex(value) == "c1c2c36161")
    #expect(try roundTrip(value) == value)
    #expect(try roundTrip(CBORTagged(18, [1, "a"] as CBORValue)).value == [1, "a"])
  }

  @Test func setsUnderTagsAreSorted() throws {
    for capacity in [0, 100, 10_000] {
      var set = Set<Int>(minimumCapacity: capacity)
      for number in [5, 3, 9, 1] { set.insert(number) }
      #expect(try encodedHex(CBORTagged(258, set), deterministicEncoder) == "d901028401030509")
    }
  }

  @Test func refusesItemsWithoutATag() throws {
    let error = try decodingError([CBORTagged<Int>].self, "82 c101 02")
    #expect(error.kind == "typeMismatch")
    #expect(error.path == "Index 1")
    #expect(error.byte == 3)
    #expect(try decodingError([CBORTagged<Int>].self, "82 c101 c16161").path == "Index 1")
    #expect(try decodingError(CBORTagged<Int>.self, "c1").kind == "dataCorrupted")
    #expect(try decode(CBORTagged<Int>?.self, "f6") == nil)
  }

  /// A value that decodes a chain of nested tags.
  private final class Chain: Codable {
    let next: CBORTagged<Chain>?

    init(length: Int) {
      next = length > 0 ? CBORTagged(1, Chain(length: length - 1)) : nil
    }

    init(from decoder: any Decoder) throws {
      next = try decoder.singleValueContainer().decode(CBORTagged<Chain>?.self)
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(next)
    }
  }

  @Test func nestedTagsAreBounded() throws {
    let bytes = try CBOREncoder().encode(Chain(length: 100))
    #expect(bytes == Data(repeating: 0xC1, count: 100) + [0xF6])
    _ = try CBORDecoder().decode(Chain.self, from: bytes)
    let deep = Data(repeating: 0xC1, count: 100_000) + [0xF6]
    #expect(try decodingError(Chain.self, deep).kind == "dataCorrupted")
    #expect(throws: EncodingError.self) { try CBOREncoder().encode(Chain(length: 600)) }
  }

  @Test func otherCodersAreRefused() throws {
    #expect(throws: EncodingError.self) { try JSONEncoder().encode([CBORTagged(1, 1)]) }
    #expect(throws: DecodingError.self) { try JSONDecoder().decode([CBORTagged<Int>].self, from: Data("[1]".utf8)) }
  }
}
