// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import ItemCoding
import TestSupport
import Testing

/// The check that input is in deterministic encoding.
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct CBORDeterminismTests {
  private func decoder(_ order: CBOREncoder.KeyOrder = .deterministic) -> CBORDecoder {
    var decoder = CBORDecoder()
    decoder.requiredKeyOrder = order
    return decoder
  }

  @Test(arguments: [CBOREncoder.KeyOrder.deterministic, .lengthFirst])
  func acceptsWhatTheEncoderWritesInTheSameOrder(_ order: CBOREncoder.KeyOrder) throws {
    var encoder = CBOREncoder()
    encoder.keyOrder = order
    var maker = RandomTreeMaker(generator: .announced("deterministic input"))
    for _ in 0..<testRounds {
      let (tree, item) = (maker.tree(depth: 4), maker.item(depth: 4))
      #expect(try roundTrip(tree, encoder, decoder(order)) == tree)
      // A tagged byte string is a bignum that may have any length.
      guard (try? roundTrip(item, encoder, decoder(order))) == nil else { continue }
      #expect(item.description.contains(/\b[23]\(h'/), "\(item)")
    }
  }

  @Test func refusesOtherEncodingsWithOffsetAndReason() throws {
    let problems: KeyValuePairs<String, (byte: Int, reason: String)> = [
      "81 1801": (1, "1 in more bytes than it needs"), "81 5f ff": (1, "an indefinite length"),
      "7f ff": (0, "an indefinite length"), "9f ff": (0, "an indefinite length"), "bf ff": (0, "an indefinite length"),
      "81 fa3fc00000": (1, "a floating-point number"), "fb3ff8000000000000": (0, "a floating-point number"),
      "fa7fc00000": (0, "a floating-point number"), "fb7ff8000000000000": (0, "a floating-point number"),
      "c1 fb41d4000000000000": (0, "a floating-point number"),
      "81 c2 48 ffffffffffffffff": (1, "a bignum"), "c3 49 00ffffffffffffffff": (0, "a bignum"),
      "c2 40": (0, "a bignum"),
      "a2 6162 00 6161 00": (4, "a key that must precede"), "a2 6161 00 6161 00": (4, "a repeated key"),
      "a1 00 a2 f6 00 f4 00": (5, "a key that must precede"), "a1 a2 01 00 00 00 00": (4, "a key that must precede"),
      "82 00 81": (2, "do not fit"), "ff": (0, "a break"), "1c": (0, "reserved initial byte"),
    ]
    var lenient = decoder()
    lenient.acceptsLongArguments = true
    for (hex, problem) in problems {
      let error = try decodingError(CBORValue.self, hex, lenient)
      #expect(
        error.kind == "dataCorrupted" && error.byte == problem.byte && error.text.contains(problem.reason), "\(hex)")
      // The check covers values that the program does not request.
      let skipped = try decodingError(Known.self, Known.after(hex), lenient)
      #expect(skipped.text.contains(problem.reason) || problem.reason == "do not fit", "\(hex)")
    }
  }

  @Test func acceptsPreferredNumbers() throws {
    for hex in [
      "00", "1818", "3bffffffffffffffff", "c2 49 010000000000000000", "c1 c2 49 010000000000000000", "f93e00",
      "fa47c35000", "fb3ff199999999999a", "fb7ff8000000000001", "d9d9f7 00", "d840 4101", "f8ff", "f6", "40", "a0",
    ] {
      _ = try decode(CBORValue.self, hex, decoder())
    }
  }

  @Test func demandsTheOrderThatIsChosen() throws {
    let (bytewise, lengthFirst) = ("a2 1864 00 20 00", "a2 20 00 1864 00")
    _ = try decode(CBORValue.self, bytewise, decoder())
    _ = try decode(CBORValue.self, lengthFirst, decoder(.lengthFirst))
    try expectError(CBORValue.self, lengthFirst, kind: "dataCorrupted", byte: 3, decoder: decoder())
    try expectError(CBORValue.self, bytewise, kind: "dataCorrupted", byte: 4, decoder: decoder(.lengthFirst))
    for hex in [bytewise, lengthFirst] {
      let item = try decode(CBORValue.self, hex, decoder(.written))
      #expect(try item.decoded(as: [Int: Int].self, by: decoder()) == [100: 0, -1: 0])
    }
  }

  @Test func boundsTheDepth() throws {
    var decoder = decoder()
    decoder.limits.depth = 3
    _ = try decode([[[Int]]].self, "818181 00", decoder)
    try expectError(Skipped.self, "81818181 00", kind: "dataCorrupted", byte: 3, decoder: decoder)
    try expectError(Skipped.self, Data(repeating: 0x81, count: 100_000), kind: "dataCorrupted", decoder: self.decoder())
  }

  @Test func refusesTruncationAtEveryByte() throws {
    let data = Data(hex: "a2 01 c2 49 010000000000000000 6161 82 f93e00 fb3ff199999999999a")
    _ = try decoder().decode(CBORValue.self, from: data)
    for count in 0..<data.count { try expectError(Skipped.self, data.prefix(count), decoder: decoder()) }
  }

  @Test func checksEachItemOfASequence() throws {
    let data = Data(hex: "8101 81 1801 8102")
    #expect(throws: DecodingError.self) { try decoder().decodeSequence(of: [Int].self, from: data) }
    var reader = CBORSequenceReader<[Int]>(decoder: decoder())
    reader.append(data)
    #expect(try reader.next() == [1])
    let error = #expect(throws: DecodingError.self) { try reader.next() }
    #expect(error?.byte == 3)
    #expect(try reader.next() == [2])
  }
}
