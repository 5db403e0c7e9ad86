// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import ItemCoding
import TestSupport
import Testing

/// Integers and floating-point numbers at the limits of their widths.
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct CBORNumberTests {
  struct Holder<Value: Codable>: Codable {
    var value: Value
  }

  /// Checks that the limits of a type round-trip in each kind of container, and that numbers one past them are refused.
  private func expectLimits<Number: FixedWidthInteger & Codable & Sendable>(_ type: Number.Type, beyond: [Int128])
    throws
  {
    for number in [Number.min, .max, .min + 1, .max - 1, 0, 1, 23, 24, Number(exactly: -1) ?? 0] {
      try expectRoundTrips(number)
      try expectRoundTrips([number, number])
      try expectRoundTrips([[number]])
      try expectRoundTrips(["a": number])
      try expectRoundTrips([number: "\(number)"])
      #expect(
        try roundTrip(Holder(value: number)).value == number
          && roundTrip(Holder(value: Optional(number))).value == number)
      // Arrays do not use an unkeyed container.
      let bytes = try CBOREncoder().encode([number])
      #expect(try Reading.read(bytes) { try $0.unkeyedContainerOfOne(Number.self) } == number)
    }
    for number in beyond {
      try expectRefused([Number].self, [0, number], path: "Index 1", byte: 2)
      try expectRefused([Holder<Number>].self, [Holder(value: number)], path: "Index 0.value", byte: 8)
      try expectRefused(Holder<Number?>.self, Holder(value: number), path: "value", byte: 7)
      try expectRefused(Number.self, number, path: "", byte: 0)
      try expectRefused([String: Number].self, ["k": number], path: "k", byte: 3)
      let error = try decodingError(Number.self, CBOREncoder().encode(number))
      #expect(error.text.hasSuffix("\(number) does not fit into \(Number.self)"))
    }
  }

  private func expectLimits<Number: FixedWidthInteger & Codable & Sendable>(_ type: Number.Type) throws {
    try expectLimits(type, beyond: [Int128(Number.min) - 1, Int128(Number.max) + 1])
  }

  private func expectRefused<Value: Decodable>(
    _ type: Value.Type, _ value: some Encodable, path: String, byte: Int
  ) throws {
    try expectError(type, CBOREncoder().encode(value), kind: "dataCorrupted", path: path, byte: byte)
  }

  @Test func refusesIntegersOnePastTheLimitsOfTheirType() throws {
    for type in [
      Int8.self, Int16.self, Int32.self, Int64.self, Int.self, UInt8.self, UInt16.self, UInt32.self, UInt64.self,
      UInt.self,
    ] as [any (FixedWidthInteger & Codable & Sendable).Type] {
      try expectLimits(type)
    }
    try expectLimits(UInt8.self, beyond: [.max, .min])
    try expectLimits(Int128.self, beyond: [])
    try expectLimits(UInt128.self, beyond: [-1])
  }

  @Test func integersTakeTheFewestBytes() throws {
    let steps: KeyValuePairs<Int128, String> = [
      23: "17", 24: "1818", 255: "18ff", 256: "190100", 65_535: "19ffff", 65_536: "1a00010000",
      4_294_967_295: "1affffffff", 4_294_967_296: "1b0000000100000000", -24: "37", -25: "3818", -256: "38ff",
      -257: "390100", -65_536: "39ffff", -65_537: "3a00010000", -4_294_967_296: "3affffffff",
      -4_294_967_297: "3b0000000100000000", Int128(UInt64.max) + 1: "c249010000000000000000",
      .max: "c2507fffffffffffffffffffffffffffffff", .min: "c3507fffffffffffffffffffffffffffffff",
    ]
    for (number, hex) in steps { try expectEncoding(number, hex) }
    try expectEncoding(UInt128.max, "c250ffffffffffffffffffffffffffffffff")
  }

  @Test func bignumsDecodeAsAnyIntegerTypeThatFits() throws {
    try expectDecoding(["c241ff": 255, "c24a00000000000000000007": 7, "c25f41014102ff": 258])
    try expectDecoding(["c240": UInt8(0)])
    try expectDecoding(["c340": Int8(-1)])
    try expectDecoding(["c249010000000000000000": 0x1p64])
    try expectError(Int.self, "c249010000000000000000", kind: "dataCorrupted")
    try expectError(UInt128.self, "c25101" + String(repeating: "00", count: 16), byte: 0)
    try expectError(Int128.self, "c350" + String(repeating: "ff", count: 16), kind: "dataCorrupted")
    try expectError(Int.self, "c26101", "4101", kind: "typeMismatch")
  }

  // MARK: Floating point

  @Test func halfPrecisionNumbersRoundTripInThreeBytes() throws {
    for bits in UInt16.min...UInt16.max {
      let data = Data([0xF9, UInt8(bits >> 8), UInt8(bits & 0xFF)])
      let double = try CBORDecoder().decode(Double.self, from: data)
      let float = try CBORDecoder().decode(Float.self, from: data)
      let half = Float16(bitPattern: bits)
      let isSame = half.isNaN ? double.isNaN : double == Double(half) && double.sign == half.sign
      guard isSame, try CBOREncoder().encode(double) == data, try CBOREncoder().encode(float) == data else {
        Issue.record("\(data.hex) is \(double) and \(float)")
        return
      }
    }
  }

  @Test func floatingPointNumbersRoundTripInTheFewestBytes() throws {
    let doubles: KeyValuePairs<Double, String> = [
      0x1p-24: "f90001", 0x1p-25: "fa33000000", 0x1.8p-24: "fa33c00000", 0x1.FF8p-15: "f903ff", 0x1p-14: "f90400",
      65_504: "f97bff", 65_505: "fa477fe100", 65_536: "fa47800000", Double(Float.leastNonzeroMagnitude): "fa00000001",
      Double(Float.greatestFiniteMagnitude): "fa7f7fffff", 0x1p128: "fb47f0000000000000",
      .leastNonzeroMagnitude: "fb0000000000000001", .greatestFiniteMagnitude: "fb7fefffffffffffff",
      .pi: "fb400921fb54442d18",
    ]
    for (number, hex) in doubles {
      try expectEncoding(number, hex)
      try expectRoundTrips(number, -number)
      try expectRoundTrips([number, number])
    }
    try expectEncoding(Float.pi, "fa40490fda")
    try expectRoundTrips([Float16.pi, .leastNonzeroMagnitude])
  }

  @Test func integersDecodeAsFloatingPointIfExactAndNeverTheReverse() throws {
    try expectDecoding(["1b0020000000000000": 0x1p53, "3bffffffffffffffff": -0x1p64])
    try expectDecoding(["fb3ff199999999999a": Float(1.1)])
    #expect(try decode([Float].self, "8301 f97c00 f97e00").map(\.isFinite) == [true, false, false])
    try expectError(Double.self, "1b0020000000000001", "3b0020000000000000", kind: "dataCorrupted")
    try expectError(Float.self, "fb47f0000000000000", kind: "dataCorrupted")
    try expectError(Int.self, "f93c00", kind: "typeMismatch")
    try expectError([Int].self, "8201f93c00", path: "Index 1")
  }
}

extension Decoder {
  /// Decodes the only element of an array with an unkeyed container.
  fileprivate func unkeyedContainerOfOne<Value: Decodable>(_ type: Value.Type) throws -> Value {
    var container = try unkeyedContainer()
    return try container.decode(type)
  }
}

/// Arrays of numbers and Booleans, which are coded in one loop.
///
/// The result must be the same as for single values.
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct CBORNumberArrayTests {
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

  /// Checks arrays of many lengths with values of `make`.
  ///
  /// Some arrays are longer than a block.
  private func expectAny<Number: Codable>(
    _ label: String, _ make: (inout SeededGenerator) -> Number, _ bytes: (Number) -> [UInt8],
    _ areSame: (Number, Number) -> Bool
  ) throws {
    var generator = SeededGenerator.announced(label)
    for round in 0..<testRounds {
      let count = round % 10 == 9 ? Int.random(in: 1000...3100, using: &generator) : round % 31
      let numbers = (0..<count).map { _ in make(&generator) }
      let expected = Data(header(4, UInt64(count)) + numbers.flatMap(bytes))
      #expect(try CBOREncoder().encode(numbers) == expected)
      for number in numbers.prefix(40) where try CBOREncoder().encode(number) != Data(bytes(number)) {
        Issue.record("\(number) has wrong bytes")
      }
      for data in [expected, Data([0x9F] + numbers.flatMap(bytes) + [0xFF])] {
        #expect(try CBORDecoder().decode([Number].self, from: data).elementsEqual(numbers, by: areSame))
      }
      for cut in [1, 2, 5, 9] where count > 0 {
        try expectError([Number].self, Data(expected.dropLast(cut)), kind: "dataCorrupted")
      }
    }
  }

  private func expectAnyIntegers<Number: FixedWidthInteger & Codable>(_ type: Number.Type) throws {
    func number(_ generator: inout SeededGenerator) -> Number {
      // All bit lengths are equally likely, and so are the limits of each encoded length.
      let number = Number.random(in: .min ... .max, using: &generator)
      let shifted = number >> Int.random(in: 0..<Number.bitWidth, using: &generator)
      let edge: [Int128] = [23, 24, 0xFF, 0x100, 0xFFFF, 0x1_0000, 0xFFFF_FFFF, 0x1_0000_0000, 0, -1, -24, -25, -0x100]
      let near = Number(exactly: (edge.randomElement(using: &generator) ?? 0)) ?? .max
      return Bool.random(using: &generator) ? shifted : near
    }
    try expectAny("\(type)", number, { bytes(of: $0) }, ==)
  }

  @Test func integerArraysHaveTheBytesOfTheirElements() throws {
    for type in [
      Int.self, Int8.self, Int16.self, Int32.self, Int64.self, UInt.self, UInt8.self, UInt16.self, UInt32.self,
      UInt64.self,
    ] as [any (FixedWidthInteger & Codable).Type] {
      try expectAnyIntegers(type)
    }
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
    func float(_ generator: inout SeededGenerator) -> Float {
      let wide = Double(bitPattern: bits(&generator))
      let pattern = UInt32(truncatingIfNeeded: bits(&generator) >> 29)
      return wide.isNaN || Bool.random(using: &generator) ? Float(bitPattern: pattern) : Float(wide)
    }
    try expectAny("Float", float, { bytes(of: widened($0)) }, { $0.bitPattern == $1.bitPattern })
  }

  // MARK: Faults

  /// Checks that the error of one wrong element between valid ones has its index and byte offset.
  private func expectFault<Number: Codable>(
    _ number: Number, _ kind: String, _ wrongs: String..., sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let good = try CBOREncoder().encode(number)
    for wrong in wrongs.map(Data.init(hex:)) {
      for (count, index) in [(8, 7), (20, 7), (20, 19), (2000, 7), (2000, 1999)] {
        let before = (0..<index).reduce(into: Data(header(4, UInt64(count)))) { data, _ in data += good }
        let data = (index + 1..<count).reduce(into: before + wrong) { data, _ in data += good }
        let fault = Fault(try decodingError([Number].self, data, sourceLocation: sourceLocation))
        #expect(fault == Fault(kind, "Index \(index)", before.count), sourceLocation: sourceLocation)
      }
    }
  }

  @Test func errorsInNumberArraysHaveIndexAndByteOffset() throws {
    try expectFault(1_000_000, "typeMismatch", "6137", "f5")
    try expectFault(1_000_000, "valueNotFound", "f6")
    try expectFault(-1_000_000, "dataCorrupted", "1bffffffffffffffff", "3b8000000000000000")
    try expectFault(UInt64(7), "dataCorrupted", "20")
    try expectFault(UInt8(200), "dataCorrupted", "190100")
    try expectFault(Int8(-7), "dataCorrupted", "1880", "3880")
    try expectFault(Int16(300), "dataCorrupted", "1c")
    try expectFault(1.1, "typeMismatch", "f5")
    try expectFault(1.1, "dataCorrupted", "1b0020000000000001")
    try expectFault(Float(1.1), "dataCorrupted", "fb47f0000000000000")
    try expectFault(Float(1.1), "typeMismatch", "6131")
    try expectFault(true, "typeMismatch", "00")
    try expectFault(true, "valueNotFound", "f6")
  }

  @Test func refusesLongArgumentsInNumberArraysUnlessTheyAreAccepted() throws {
    let forms: KeyValuePairs = [
      "1817": 23, "1900ff": 255, "1a0000ffff": 65_535, "1b00000000ffffffff": 4_294_967_295, "3817": -24,
      "3900ff": -256, "3a0000ffff": -65_536, "3b00000000ffffffff": -4_294_967_296,
    ]
    for (hex, number) in forms {
      try expectFault(1_000_000, "dataCorrupted", hex)
      let padded = "83 \(hex) 1a000f4240 1a000f4240"
      try expectDecoding([padded: [number, 1_000_000, 1_000_000]], lenientDecoder)
      if number >= 0 { try expectDecoding([padded: [UInt64(number), 1_000_000, 1_000_000]], lenientDecoder) }
    }
  }

  @Test func textIsAnIntegerOnlyAsADictionaryKey() throws {
    try expectDecoding(["a1 6137 08": [7: 8]])
    try expectError([Int].self, "81 6137", kind: "typeMismatch")
    try expectError([Int?].self, "81 6137", kind: "typeMismatch")
    try expectError(Int.self, "6137", kind: "typeMismatch")
    try expectError([Int: Int].self, "a1 6137 6138", kind: "typeMismatch")
    try expectError([String: Int].self, "a1 6137 6138", kind: "typeMismatch")
    try expectError([String: [Int]].self, "a1 6137 816138", path: "7.Index 0")
  }
}
