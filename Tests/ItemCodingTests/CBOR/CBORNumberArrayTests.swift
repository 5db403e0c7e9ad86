// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import ItemCoding
import TestSupport
import Testing

/// Arrays of numbers and Booleans, which are coded in one loop.
///
/// The result must be the same as for single values.
@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct CBORNumberArrayTests {
  // MARK: Expected bytes, computed without the coders

  private func header(_ major: UInt8, _ argument: UInt64) -> [UInt8] {
    let bytes = withUnsafeBytes(of: argument.bigEndian, Array.init)
    return switch argument {
    case ..<24: [major << 5 | UInt8(argument)]
    case ...0xFF: [major << 5 | 24] + bytes.suffix(1)
    case ...0xFFFF: [major << 5 | 25] + bytes.suffix(2)
    case ...0xFFFF_FFFF: [major << 5 | 26] + bytes.suffix(4)
    default: [major << 5 | 27] + bytes
    }
  }

  private func bytes(of number: some FixedWidthInteger) -> [UInt8] {
    number < 0 ? header(1, UInt64(Int64(-1) - Int64(number))) : header(0, UInt64(number))
  }

  private func bytes(of bits: UInt64, fraction: Int, exponent: Int, _ initialByte: UInt8) -> [UInt8] {
    [initialByte] + withUnsafeBytes(of: bits.bigEndian, Array.init).suffix((fraction + exponent + 1) / 8)
  }

  /// Returns the shortest encoding that preserves all bits, including the payload of a NaN.
  private func bytes(of number: Double) -> [UInt8] {
    let bits = number.bitPattern
    let (sign, payload) = (bits >> 63, bits & 0xF_FFFF_FFFF_FFFF)
    if number.isNaN {
      if payload & (1 << 42 - 1) == 0 {
        return bytes(of: sign << 15 | 0x7C00 | payload >> 42, fraction: 10, exponent: 5, 0xF9)
      }
      if payload & (1 << 29 - 1) == 0 {
        return bytes(of: sign << 31 | 0x7F80_0000 | payload >> 29, fraction: 23, exponent: 8, 0xFA)
      }
    } else if Double(Float16(number)).bitPattern == bits {
      return bytes(of: UInt64(Float16(number).bitPattern), fraction: 10, exponent: 5, 0xF9)
    } else if Double(Float(number)).bitPattern == bits {
      return bytes(of: UInt64(Float(number).bitPattern), fraction: 23, exponent: 8, 0xFA)
    }
    return bytes(of: bits, fraction: 52, exponent: 11, 0xFB)
  }

  /// Returns a single-precision number as a double with the same payload.
  private func widened(_ number: Float) -> Double {
    guard number.isNaN else { return Double(number) }
    let bits = UInt64(number.bitPattern)
    return Double(bitPattern: (bits >> 31) << 63 | 0x7FF << 52 | (bits & 0x7F_FFFF) << 29)
  }

  // MARK: Any values

  private static let rounds = ProcessInfo.processInfo.environment["DRAGPIPE_ROUNDS"].flatMap { Int($0) } ?? 60

  /// Checks arrays of many lengths with values of `make`.
  ///
  /// Some arrays are longer than a block.
  private func expectAny<Number: Codable>(
    _ label: String, _ make: (inout SeededGenerator) -> Number, _ bytes: (Number) -> [UInt8],
    _ areSame: (Number, Number) -> Bool
  ) throws {
    var generator = SeededGenerator.announced(label)
    for round in 0..<Self.rounds {
      let count = round % 10 == 9 ? Int.random(in: 1000...3100, using: &generator) : round % 31
      let numbers = (0..<count).map { _ in make(&generator) }
      let expected = Data(header(4, UInt64(count)) + numbers.flatMap(bytes))
      let encoded = try CBOREncoder().encode(numbers)
      #expect(encoded == expected)
      for number in numbers.prefix(40) { #expect(try CBOREncoder().encode(number) == Data(bytes(number))) }
      #expect(try CBORDecoder().decode([Number].self, from: expected).elementsEqual(numbers, by: areSame))
      let indefinite = Data([0x9F] + numbers.flatMap(bytes) + [0xFF])
      #expect(try CBORDecoder().decode([Number].self, from: indefinite).elementsEqual(numbers, by: areSame))
      // Truncated arrays are refused.
      for cut in [1, 2, 5, 9] where count > 0 {
        let error = try decodingError([Number].self, Data(expected.dropLast(cut)))
        #expect(error.kind == "dataCorrupted")
      }
    }
  }

  private func expectAnyIntegers<Number: FixedWidthInteger & Codable>(_ type: Number.Type) throws {
    try expectAny("\(type)") { generator in
      // All bit lengths are equally likely, and so are the limits of each encoded length.
      let number = Number.random(in: .min ... .max, using: &generator)
      let shifted = number >> Int.random(in: 0..<Number.bitWidth, using: &generator)
      let edge: [Int128] = [23, 24, 0xFF, 0x100, 0xFFFF, 0x1_0000, 0xFFFF_FFFF, 0x1_0000_0000, 0, -1, -24, -25, -0x100]
      let near = Number(exactly: (edge.randomElement(using: &generator) ?? 0)) ?? .max
      return Bool.random(using: &generator) ? shifted : near
    } _: {
      bytes(of: $0)
    } _: {
      $0 == $1
    }
  }

  @Test func integerArraysHaveTheBytesOfTheirElements() throws {
    try expectAnyIntegers(Int.self)
    try expectAnyIntegers(Int8.self)
    try expectAnyIntegers(Int16.self)
    try expectAnyIntegers(Int32.self)
    try expectAnyIntegers(Int64.self)
    try expectAnyIntegers(UInt.self)
    try expectAnyIntegers(UInt8.self)
    try expectAnyIntegers(UInt16.self)
    try expectAnyIntegers(UInt32.self)
    try expectAnyIntegers(UInt64.self)
  }

  @Test func booleanArraysHaveTheBytesOfTheirElements() throws {
    try expectAny("Booleans", { Bool.random(using: &$0) }, { [$0 ? 0xF5 : 0xF4] }, ==)
  }

  @Test func floatingPointArraysRoundTripBitByBit() throws {
    func bits(_ generator: inout SeededGenerator) -> UInt64 {
      let random = UInt64.random(in: 0...UInt64.max, using: &generator)
      // Generates fractions of any length, exponents near the limits of each width, infinity and NaN.
      let kept = random & ~0 << UInt64.random(in: 0...52, using: &generator)
      let exponents: [UInt64] = [0, 1, 873, 896, 897, 998, 999, 1008, 1009, 1023, 1038, 1039, 1150, 1151, 2046, 2047]
      guard Bool.random(using: &generator), let exponent = exponents.randomElement(using: &generator) else {
        return kept
      }
      return kept & ~(0x7FF << 52) | exponent << 52
    }
    try expectAny("Double", { Double(bitPattern: bits(&$0)) }, { bytes(of: $0) }, { $0.bitPattern == $1.bitPattern })
    try expectAny("Float") { generator in
      let wide = Double(bitPattern: bits(&generator))
      let pattern = UInt32(truncatingIfNeeded: bits(&generator) >> 29)
      return wide.isNaN || Bool.random(using: &generator) ? Float(bitPattern: pattern) : Float(wide)
    } _: {
      bytes(of: widened($0))
    } _: {
      $0.bitPattern == $1.bitPattern
    }
  }

  // MARK: Faults

  /// Checks that the error of one element has its index and byte offset.
  private func expectFault<Number: Codable>(
    _ number: Number, _ wrong: String, _ kind: String, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let good = try CBOREncoder().encode(number)
    let bad = Data(hex: wrong)
    for count in [8, 20, 2000] {
      for index in [7, count - 1] {
        let before = (0..<index).reduce(into: Data(header(4, UInt64(count)))) { data, _ in data += good }
        let data = (index + 1..<count).reduce(into: before + bad) { data, _ in data += good }
        let error = try decodingError([Number].self, data, sourceLocation: sourceLocation)
        #expect(error.kind == kind && error.path == "Index \(index)", "\(error)", sourceLocation: sourceLocation)
        #expect(error.byte == before.count, "\(error)", sourceLocation: sourceLocation)
      }
    }
  }

  @Test func errorsInNumberArraysHaveIndexAndByteOffset() throws {
    try expectFault(1_000_000, "6137", "typeMismatch")
    try expectFault(1_000_000, "f5", "typeMismatch")
    try expectFault(1_000_000, "f6", "valueNotFound")
    try expectFault(-1_000_000, "1bffffffffffffffff", "dataCorrupted")
    try expectFault(-1_000_000, "3b8000000000000000", "dataCorrupted")
    try expectFault(UInt64(7), "20", "dataCorrupted")
    try expectFault(UInt8(200), "190100", "dataCorrupted")
    try expectFault(Int8(-7), "1880", "dataCorrupted")
    try expectFault(Int8(-7), "3880", "dataCorrupted")
    try expectFault(Int16(300), "1c", "dataCorrupted")
    try expectFault(1.1, "f5", "typeMismatch")
    try expectFault(1.1, "1b0020000000000001", "dataCorrupted")
    try expectFault(Float(1.1), "fb47f0000000000000", "dataCorrupted")
    try expectFault(Float(1.1), "6131", "typeMismatch")
    try expectFault(true, "00", "typeMismatch")
    try expectFault(true, "f6", "valueNotFound")
  }

  @Test func refusesLongArgumentsInNumberArraysUnlessTheyAreAccepted() throws {
    var lenient = CBORDecoder()
    lenient.acceptsLongArguments = true
    let forms: [(String, Int)] = [
      ("1817", 23), ("1900ff", 255), ("1a0000ffff", 65_535), ("1b00000000ffffffff", 4_294_967_295), ("3817", -24),
      ("3900ff", -256), ("3a0000ffff", -65_536), ("3b00000000ffffffff", -4_294_967_296),
    ]
    for (hex, number) in forms {
      try expectFault(1_000_000, hex, "dataCorrupted")
      let padded = Data(hex: "83 \(hex) 1a000f4240 1a000f4240")
      #expect(try lenient.decode([Int].self, from: padded) == [number, 1_000_000, 1_000_000])
      if number >= 0 {
        #expect(try lenient.decode([UInt64].self, from: padded) == [UInt64(number), 1_000_000, 1_000_000])
      }
    }
  }

  @Test func textIsAnIntegerOnlyAsADictionaryKey() throws {
    #expect(try decode([Int: Int].self, "a1 6137 08") == [7: 8])
    #expect(try decodingError([Int].self, "81 6137").kind == "typeMismatch")
    #expect(try decodingError([Int?].self, "81 6137").kind == "typeMismatch")
    #expect(try decodingError(Int.self, "6137").kind == "typeMismatch")
    #expect(try decodingError([Int: Int].self, "a1 6137 6138").kind == "typeMismatch")
    #expect(try decodingError([String: Int].self, "a1 6137 6138").kind == "typeMismatch")
    #expect(try decodingError([String: [Int]].self, "a1 6137 816138").path == "7.Index 0")
  }
}
