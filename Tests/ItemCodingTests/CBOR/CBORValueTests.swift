// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import ItemCoding
import TestSupport
import Testing

/// `CBORValue`: any data item as a value.
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct CBORValueTests {
  /// Whether the encoder writes the example in this form.
  ///
  /// It writes each number in its shortest form, and no indefinite lengths.
  private static func isPreferred(_ example: (hex: String, diagnostic: String)) -> Bool {
    let longFloats = [
      "fa7f800000", "fa7fc00000", "faff800000", "fb7ff0000000000000", "fb7ff8000000000000", "fbfff0000000000000",
    ]
    return !longFloats.contains(example.hex) && !example.diagnostic.contains("_ ")
  }

  @Test func examplesOfTheRFCRoundTrip() throws {
    for example in RFC8949Examples.wellFormed {
      let value = try decode(CBORValue.self, example.hex)
      let bytes = try CBOREncoder().encode(value)
      if Self.isPreferred(example) { #expect(bytes == Data(hex: example.hex)) }
      #expect(try CBORDecoder().decode(CBORValue.self, from: bytes) == value)
      var notation = CBORDiagnosticNotation()
      notation.escapesNonASCII = true
      let expected = example.diagnostic
        .replacingOccurrences(of: "(_ h'0102', h'030405')", with: "h'0102030405'")
        .replacingOccurrences(of: #"(_ "strea", "ming")"#, with: #""streaming""#)
        .replacingOccurrences(of: "[_ ]", with: "[]").replacingOccurrences(of: "_ ", with: "")
      #expect(try notation.text(of: bytes) == expected)
      if !expected.contains(#"\u"#) { #expect(value.description == expected) }
    }
  }

  @Test func exampleOfTheDocumentationPrintsWhatItStates() throws {
    let item: CBORValue = ["name": "Atalanta", 4: [.bytes(Data([1, 2])), .tagged(1, 1_363_896_240), .undefined]]
    let bytes = try CBOREncoder().encode(item)
    let copy = try CBORDecoder().decode(CBORValue.self, from: bytes)
    #expect("\(copy)" == #"{"name": "Atalanta", 4: [h'0102', 1(1363896240), undefined]}"#)
    #expect(copy["name"]?.text ?? "" == "Atalanta")
    #expect(copy[4]?[1]?.untagged.integer ?? 0 == 1_363_896_240)
    #expect(try copy[4]?[0]?.decoded(as: Data.self) ?? Data() == Data([1, 2]))
  }

  static let cases: [(value: CBORValue, hex: String)] = [
    (0, "00"), (-1, "20"), (1000, "1903e8"), (.unsigned(.max), "1bffffffffffffffff"),
    (.negative(.max), "3bffffffffffffffff"), (CBORValue(.min), "3b7fffffffffffffff"),
    (.bytes(Data([1, 2])), "420102"), ("ü", "62c3bc"), ([], "80"), ([1, [2, "a"]], "8201820261 61"),
    ([:], "a0"), (["b": 1, "a": 2, 7: nil, [1]: .undefined], "a4616201 616102 07f6 8101f7"),
    (.tagged(1, 1_363_896_240), "c11a514b67b0"),
    (.tagged(.max, .tagged(24, .bytes(Data()))), "dbffffffffffffffffd81840"),
    (true, "f5"), (false, "f4"), (nil, "f6"), (.undefined, "f7"), (.simple(0), "e0"), (.simple(19), "f3"),
    (.simple(32), "f820"), (.simple(255), "f8ff"), (1.5, "f93e00"), (1.1, "fb3ff199999999999a"),
    (.float(-0.0), "f98000"), (.float(.nan), "f97e00"),
  ]

  @Test func valuesHaveTheBytesOfTheirItems() throws {
    for (value, hex) in Self.cases {
      try expectEncoding(value, hex)
      try expectDecoding([hex: value])
    }
  }

  @Test func signallingNaNKeepsItsBits() throws {
    for hex in ["f97d01", "fb7ff4000000000001"] { try expectEncoding(decode(CBORValue.self, hex), hex) }
  }

  @Test func refusesTruncationAtEveryByte() throws {
    let bytes = Data(hex: "a3 6161 83 01 c1 02 4101 bf f5 fb3ff199999999999a ff 9f 6162 ff 5f 4101 ff f8ff")
    _ = try CBORDecoder().decode(CBORValue.self, from: bytes)
    for count in 0..<bytes.count { try expectError(CBORValue.self, bytes.prefix(count), kind: "dataCorrupted") }
    try expectError(CBORValue.self, "61ff", kind: "dataCorrupted")
    try expectError(CBORValue.self, "0000", byte: 1)
  }

  @Test func acceptsWhatTheDiagnosticPrinterAccepts() throws {
    for (hex, _) in RFC8949Examples.wellFormed {
      var data = Data(hex: hex)
      for position in 0..<data.count * 8 {
        data[position / 8] ^= 1 << (position % 8)
        defer { data[position / 8] ^= 1 << (position % 8) }
        let isPrinted = (try? CBORDiagnosticNotation().text(of: data)) != nil
        do {
          let value = try lenientDecoder.decode(CBORValue.self, from: data)
          if try !isPrinted || roundTrip(value) != value { Issue.record("\(data.hex) is \(value)") }
        } catch let error as DecodingError {
          if isPrinted, !error.text.contains("a repeated key in a map") { Issue.record("\(data.hex): \(error)") }
        }
      }
    }
  }

  @Test func refusesRepeatedKeys() throws {
    for hex in [
      "a2 01 00 01 00", "a2 6161 00 7f 6161 ff 00", "bf f97e00 00 f6 00 f97e00 00 ff", "a1 00 81 a2 80 00 80 00",
      "a1 a2 01 00 01 00 00", "c1 a2 c101 00 c101 00",
    ] {
      #expect(try decodingError(CBORValue.self, hex).text.contains("a repeated key in a map"))
    }
  }

  @Test func keysThatLookAlikeAreDifferent() throws {
    let hex = "a6 01f6 20f6 6131f6 4131f6 f93c00f6 c101f6"
    try expectEncoding(decode(CBORValue.self, hex), hex)
    // The letter e with an accent, once as one scalar and once as two scalars, is two different keys.
    #expect(try encodedHex(decode(CBORValue.self, "a262c3a901 6365cc81 02")) == "a262c3a9016365cc8102")
    #expect(CBORValue.text("\u{E9}") != .text("e\u{301}"))
  }

  @Test func honoursTheLimitsOfTheDecoder() throws {
    var decoder = CBORDecoder()
    decoder.limits.depth = 3
    for hex in ["818181 00", "c1c1c1 00", "a1a1a1 00 00 00 00", "81c181 00", "9f9f9f ff ff ff"] {
      _ = try decode(CBORValue.self, hex, decoder)
      try expectError(CBORValue.self, "81" + hex, byte: 3, decoder: decoder)
    }
    decoder.limits.length = 2
    for hex in [
      "83 00 00 00", "9f 00 00 00 ff", "a3 00 00 01 00 02 00", "43 000000", "63 616161", "bf 0000 0100 0200 ff",
    ] {
      #expect(try decodingError(CBORValue.self, hex, decoder).text.contains("the limit of 2"))
    }
    try expectError(CBORValue.self, "1801", kind: "dataCorrupted")
    try expectDecoding(["1801": 1 as CBORValue], lenientDecoder)
  }

  @Test func nestingIsBounded() throws {
    for byte in [0x81, 0xC1, 0xA1, 0x9F, 0xBF] as [UInt8] {
      let data = Data(repeating: byte, count: 100_000)
      try expectError(CBORValue.self, data, kind: "dataCorrupted")
      try expectError([CBORValue].self, Data([0x81]) + data, kind: "dataCorrupted")
    }
    // A key of 300,000 bytes is inside 300 nested keys. Hashing it at each depth would take too long.
    let text = Data(hex: "7a000493e0") + Data(repeating: 0x61, count: 300_000)
    let data = Data(repeating: 0xA1, count: 300) + text + Data(repeating: 0, count: 300)
    try expectError(CBORValue.self, data, kind: "dataCorrupted")
  }

  @Test func encoderRefusesInvalidItems() throws {
    func refusal(_ value: CBORValue, _ encoder: CBOREncoder = CBOREncoder()) throws -> String {
      try encodingErrorContext(["key": [1, value]] as CBORValue, encoder).debugDescription
    }
    for number in 20..<32 as Range<UInt8> {
      #expect(try refusal(.simple(number)) == "simple(\(number)) does not exist")
    }
    #expect(try refusal(["a": 1, "b": 2, "a": 3]) == "a map with this key twice")
    var encoder = CBOREncoder()
    encoder.limits.depth = 3
    _ = try encoder.encode(["key": [1, [2]]] as CBORValue)
    #expect(try refusal([[]], encoder).contains("more than 3"))
    #expect(try refusal(.tagged(1, .tagged(1, 1)), encoder).contains("more than 3"))
    #expect(CBORValue.simple(24).description == "(not encodable: simple(24) does not exist)")
  }

  @Test func deterministicOrderSortsMapsAtEachDepth() throws {
    let value: CBORValue = ["z": ["b": 1, 10: 2, -1: 3], [1]: [:], 100: [["d": 0, "c": 1]]]
    #expect(
      try notation(value, deterministicEncoder)
        == #"{100: [{"c": 1, "d": 0}], "z": {10: 2, -1: 3, "b": 1}, [1]: {}}"#)
  }

  @Test func itemsCanBePartsOfOtherValues() throws {
    struct Message: Codable, Equatable {
      var number: Int
      var body: CBORValue
      var more: CBORValue?
      var all: [CBORValue]
      var byKey: [CBORValue: Int]
      var byName: [String: CBORValue]
    }
    let message = Message(
      number: 1, body: ["a": [nil, .undefined]], more: nil, all: Self.cases.map(\.value), byKey: [[1]: 2],
      byName: ["x": .tagged(1, 2)])
    try expectRoundTrips(message)
    let bytes = try deterministicEncoder.encode(message)
    #expect(try deterministicEncoder.encode(CBORDecoder().decode(Message.self, from: bytes)) == bytes)
    try expectError([String: [CBORValue]].self, "a1 6161 82 00 61ff", path: "a.Index 1", byte: 5)
  }

  @Test func optionalsKeepTagsAndUndefined() throws {
    struct Optionals: Codable, Equatable {
      var item: CBORValue?
      var tagged: CBORTagged<Int?>?
    }
    let value = Optionals(item: .tagged(1, nil), tagged: CBORTagged(2, nil))
    try expectRoundTrips(value)
    try expectDecoding(["84 f6 f7 c1f6 c1f7": [CBORValue?.none, .undefined, .tagged(1, nil), .tagged(1, .undefined)]])
    try expectDecoding(["83 f6 f7 c1f6": [CBORTagged<Int?>?.none, nil, CBORTagged(1, nil)]])
    try expectDecoding(["83 f6 f7 c1f6": [Int?.none, nil, nil]])
  }

  @Test func valuesCodeThemselvesWithAnyCoderOfTheModule() throws {
    try expectEncoding([Writing { encoder in try (["a": 1] as CBORValue).encode(to: encoder) }], "81a1616101")
    #expect(try Reading<CBORValue>.read("a1616101") { try CBORValue(from: $0) } == ["a": 1])
  }

  @Test func otherCodersAreRefused() throws {
    expectErrors(
      EncodingError.self, { _ = try JSONEncoder().encode([CBORValue.null]) },
      { _ = try JSONEncoder().encode([CBORTagged(1, 1)]) })
    expectErrors(
      DecodingError.self, { _ = try JSONDecoder().decode([CBORValue].self, from: Data("[1]".utf8)) },
      { _ = try JSONDecoder().decode([CBORTagged<Int>].self, from: Data("[1]".utf8)) })
  }

  @Test func equalValuesHaveEqualHashes() throws {
    let values = Self.cases.map(\.value)
    #expect(
      try Set(values).count == values.count && Set(values + values.map { try roundTrip($0) }).count == values.count)
    #expect(CBORValue.float(0) != .float(-0.0) && ["a": 1, "b": 2] as CBORValue != ["b": 2, "a": 1])
  }

  @Test func accessorsReadIntegersAndMaps() {
    let value: CBORValue = ["a": 1, 2: "b"]
    #expect([value["a"], value[2], value["c"], CBORValue.null["a"]] == [1, "b", nil, nil])
    let values: [CBORValue] = [1, CBORValue(.min), CBORValue(.max), .negative(.max), .unsigned(.max), .text("1")]
    #expect(values.map(\.integer) == [1, .min, .max, nil, nil, nil])
  }

  @Test func accessorsReadOnlyItemsOfTheirKind() {
    let items: [CBORValue] = ["a", .bytes(Data([1])), true, [1], [2: 3], 1.5, nil, .tagged(1, "a")]
    #expect(items.map(\.text) == ["a", nil, nil, nil, nil, nil, nil, nil])
    #expect(items.map(\.bytes) == [nil, Data([1]), nil, nil, nil, nil, nil, nil])
    #expect(items.map(\.bool) == [nil, nil, true, nil, nil, nil, nil, nil])
    #expect(items.map(\.array) == [nil, nil, nil, [1], nil, nil, nil, nil])
    #expect(items.map(\.map) == [nil, nil, nil, nil, [CBORValue.Entry(key: 2, value: 3)], nil, nil, nil])
    #expect(items.map(\.double) == [nil, nil, nil, nil, nil, 1.5, nil, nil])
  }

  @Test func integersAreDoublesIfThatIsExact() {
    let items: [CBORValue] = [-1, .unsigned(1 << 53), .unsigned(1 << 53 + 1), .negative(.max), .unsigned(.max)]
    #expect(items.map(\.double) == [-1, 0x1p53, nil, -0x1p64, nil])
  }

  @Test func subscriptReadsAnElementOfAnArrayByItsIndex() {
    let items: CBORValue = ["a", [1: "b"]]
    #expect([items[0], items[1]?[1], items[2], items[-1], items["a"], items[0]?[0]] == ["a", "b", nil, nil, nil, nil])
  }

  @Test func untaggedRemovesAllTags() {
    #expect(CBORValue.tagged(55799, .tagged(1, [.tagged(2, 0)])).untagged == [.tagged(2, 0)])
    #expect(CBORValue.null.untagged == nil)
  }

  @Test func itemsDecodeAsTypesByAnyDecoder() throws {
    let item: CBORValue = ["a": [1, 2], "date": 1_444_064_944]
    #expect(try item["a"]?.decoded(as: [Int].self) == [1, 2])
    #expect(throws: DecodingError.self) { try item["date"]?.decoded(as: Date.self) }
    var decoder = CBORDecoder()
    decoder.dateDecodingStrategy = .secondsSince1970
    #expect(try item["date"]?.decoded(as: Date.self, by: decoder) == Date(timeIntervalSince1970: 1_444_064_944))
    #expect(throws: EncodingError.self) { try CBORValue.simple(20).decoded(as: CBORValue.self) }
    let nested = (0..<513).reduce(0 as CBORValue) { item, _ in [item] }
    #expect(throws: EncodingError.self) { try nested.decoded(as: CBORValue.self) }
    decoder.limits.depth = 513
    #expect(try nested.decoded(as: CBORValue.self, by: decoder) == nested)
  }

  @Test func exampleOfTheDocumentation() throws {
    let item: CBORValue = ["name": "Atalanta", 4: [.bytes(Data([1, 2])), .tagged(1, 1_363_896_240), .undefined]]
    let bytes = try CBOREncoder().encode(item)
    let copy = try CBORDecoder().decode(CBORValue.self, from: bytes)
    let text = #"{"name": "Atalanta", 4: [h'0102', 1(1363896240), undefined]}"#
    #expect("\(copy)" == text && copy["name"] == "Atalanta")
  }
}

/// Tagged values.
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct CBORTaggedTests {
  @Test func taggedValuesRoundTrip() throws {
    try expectEncoding(CBORTagged(24, Data([0x01])), "d8184101")
    try expectDecoding(["d8184101": CBORTagged(24, Data([0x01]))])
    try expectEncoding(CBORTagged(.max, [1]), "dbffffffffffffffff8101")
    struct Message: Codable, Equatable {
      var body: CBORTagged<[String: Int]>
      var more: [CBORTagged<Int>]
      var none: CBORTagged<Int>?
      var date: CBORTagged<Date>
    }
    let message = Message(
      body: CBORTagged(100, ["b": 2, "a": 1]), more: [CBORTagged(1000, 5), CBORTagged(7, 6)], none: nil,
      date: CBORTagged(55799, Date(timeIntervalSince1970: 0)))
    try expectRoundTrips(message)
    #expect(
      try notation(message, deterministicEncoder)
        == #"{"body": 100({"a": 1, "b": 2}), "date": 55799(1(0)), "more": [1000(5), 7(6)]}"#)
  }

  @Test func tagsWithinTagsAreKept() throws {
    let value = CBORTagged(1, CBORTagged(2, CBORTagged(3, "a")))
    try expectEncoding(value, "c1c2c36161")
    try expectRoundTrips(value)
    #expect(try roundTrip(CBORTagged(18, [1, "a"] as CBORValue)).value == [1, "a"])
  }

  @Test func setsUnderTagsAreSorted() throws {
    for capacity in [0, 100, 10_000] {
      var set = Set<Int>(minimumCapacity: capacity)
      for number in [5, 3, 9, 1] { set.insert(number) }
      try expectEncoding(CBORTagged(258, set), "d901028401030509", deterministicEncoder)
    }
  }

  @Test func refusesItemsWithoutATag() throws {
    try expectError([CBORTagged<Int>].self, "82 c101 02", kind: "typeMismatch", path: "Index 1", byte: 3)
    try expectError([CBORTagged<Int>].self, "82 c101 c16161", path: "Index 1")
    try expectError(CBORTagged<Int>.self, "c1", kind: "dataCorrupted")
    try expectDecoding(["f6": CBORTagged<Int>?.none])
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
    try expectError(Chain.self, deep, kind: "dataCorrupted")
    #expect(throws: EncodingError.self) { try CBOREncoder().encode(Chain(length: 600)) }
  }
}
