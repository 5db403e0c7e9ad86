// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import ItemCoding
import TestSupport
import Testing

/// Integers and floating-point numbers at the limits of their widths.
@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct CBORNumberTests {
  struct Holder<Value: Codable>: Codable {
    var value: Value
  }

  /// Checks that `number` round-trips in each kind of container.
  private func expectRoundTrip<Number: Codable & Equatable>(_ number: Number) throws {
    #expect(try roundTrip(number) == number)
    #expect(try roundTrip([number, number]) == [number, number])
    #expect(try roundTrip([[number]]) == [[number]])
    #expect(try roundTrip(Holder(value: number)).value == number)
    #expect(try roundTrip(Holder<Number?>(value: number)).value == number)
    #expect(try roundTrip(["a": number]) == ["a": number])
    #expect(try roundTrip(Set([1: number].values.map { "\($0)" })) == ["\(number)"])
    let bytes = try CBOREncoder().encode([number])
    #expect(try CBORDecoder().decode(FirstElement<Number>.self, from: bytes).value == number)
  }

  private func expectLimits<Number: FixedWidthInteger & Codable>(_ type: Number.Type) throws {
    for number in [Number.min, .max, .min + 1, .max - 1, 0, 1, 23, 24] { try expectRoundTrip(number) }
    if let minusOne = Number(exactly: -1) { try expectRoundTrip(minusOne) }
  }

  /// Checks that a number outside the range of `type` is refused, with the path and the byte offset.
  private func expectRefused<Number: FixedWidthInteger & Codable>(_ type: Number.Type, _ number: Int128) throws {
    let inArray = try decodingError([Number].self, CBOREncoder().encode([0, number]))
    #expect(inArray.kind == "dataCorrupted" && inArray.path == "Index 1" && inArray.byte == 2)
    #expect(inArray.context?.debugDescription.hasSuffix("\(number) does not fit into \(Number.self)") == true)
    let inStruct = try decodingError([Holder<Number>].self, CBOREncoder().encode([Holder(value: number)]))
    #expect(inStruct.kind == "dataCorrupted" && inStruct.path == "Index 0.value" && inStruct.byte == 8)
    let optional = try decodingError(Holder<Number?>.self, CBOREncoder().encode(Holder(value: number)))
    #expect(optional.kind == "dataCorrupted" && optional.path == "value" && optional.byte == 7)
    let alone = try decodingError(Number.self, CBOREncoder().encode(number))
    #expect(alone.path == "" && alone.byte == 0)
    let inDictionary = try decodingError([String: Number].self, CBOREncoder().encode(["k": number]))
    #expect(inDictionary.path == "k" && inDictionary.byte == 3)
  }

  @Test func refusesIntegersOnePastTheLimitsOfTheirType() throws {
    try expectLimits(Int8.self)
    try expectLimits(Int16.self)
    try expectLimits(Int32.self)
    try expectLimits(Int64.self)
    try expectLimits(Int.self)
    try expectLimits(Int128.self)
    try expectLimits(UInt8.self)
    try expectLimits(UInt16.self)
    try expectLimits(UInt32.self)
    try expectLimits(UInt64.self)
    try expectLimits(UInt.self)
    try expectLimits(UInt128.self)
    for number in [Int128(Int8.min) - 1, Int128(Int8.max) + 1] { try expectRefused(Int8.self, number) }
    for number in [Int128(Int16.min) - 1, Int128(Int16.max) + 1] { try expectRefused(Int16.self, number) }
    for number in [Int128(Int32.min) - 1, Int128(Int32.max) + 1] { try expectRefused(Int32.self, number) }
    for number in [Int128(Int64.min) - 1, Int128(Int64.max) + 1] { try expectRefused(Int64.self, number) }
    for number in [Int128(Int.min) - 1, Int128(Int.max) + 1] { try expectRefused(Int.self, number) }
    for number in [-1, Int128(UInt8.max) + 1, .max, .min] { try expectRefused(UInt8.self, number) }
    for number in [-1, Int128(UInt16.max) + 1] { try expectRefused(UInt16.self, number) }
    for number in [-1, Int128(UInt32.max) + 1] { try expectRefused(UInt32.self, number) }
    for number in [-1, Int128(UInt64.max) + 1] { try expectRefused(UInt64.self, number) }
    for number in [-1, Int128(UInt64.max) + 1] { try expectRefused(UInt.self, number) }
    try expectRefused(UInt128.self, -1)
  }

  @Test func integersTakeTheFewestBytes() throws {
    let steps: [(Int128, String)] = [
      (23, "17"), (24, "1818"), (255, "18ff"), (256, "190100"), (65_535, "19ffff"), (65_536, "1a00010000"),
      (4_294_967_295, "1affffffff"), (4_294_967_296, "1b0000000100000000"), (-24, "37"), (-25, "3818"),
      (-256, "38ff"), (-257, "390100"), (-65_536, "39ffff"), (-65_537, "3a00010000"),
      (-4_294_967_296, "3affffffff"), (-4_294_967_297, "3b0000000100000000"),
      (Int128(UInt64.max) + 1, "c249010000000000000000"), (.max, "c2507fffffffffffffffffffffffffffffff"),
      (.min, "c3507fffffffffffffffffffffffffffffff"),
    ]
    for (number, hex) in steps { #expect(try encodedHex(number) == hex) }
    #expect(try encodedHex(UInt128.max) == "c250ffffffffffffffffffffffffffffffff")
  }

  @Test func bignumsDecodeAsAnyIntegerTypeThatFits() throws {
    #expect(try decode(Int.self, "c241ff") == 255)
    #expect(try decode(Int.self, "c24a00000000000000000007") == 7)
    #expect(try decode(UInt8.self, "c240") == 0)
    #expect(try decode(Int8.self, "c340") == -1)
    #expect(try decode(Int.self, "c25f41014102ff") == 258)
    #expect(try decode(Double.self, "c249010000000000000000") == 0x1p64)
    #expect(try decodingError(Int.self, "c249010000000000000000").kind == "dataCorrupted")
    #expect(try decodingError(UInt128.self, "c25101" + String(repeating: "00", count: 16)).byte == 0)
    #expect(try decodingError(Int128.self, "c350" + String(repeating: "ff", count: 16)).kind == "dataCorrupted")
    #expect(try decodingError(Int.self, "c26101").kind == "typeMismatch")
    #expect(try decodingError(Int.self, "4101").kind == "typeMismatch")
  }

  // MARK: Floating point

  @Test func halfPrecisionNumbersRoundTripInThreeBytes() throws {
    for bits in UInt16.min...UInt16.max {
      let data = Data([0xF9, UInt8(bits >> 8), UInt8(bits & 0xFF)])
      let double = try CBORDecoder().decode(Double.self, from: data)
      #expect(try CBOREncoder().encode(double) == data)
      let float = try CBORDecoder().decode(Float.self, from: data)
      #expect(try CBOREncoder().encode(float) == data)
      let half = Float16(bitPattern: bits)
      if !half.isNaN { #expect(double == Double(half) && double.sign == half.sign) }
    }
  }

  @Test func floatingPointNumbersRoundTripInTheFewestBytes() throws {
    let doubles: [(Double, String)] = [
      (0x1p-24, "f90001"), (0x1p-25, "fa33000000"), (0x1.8p-24, "fa33c00000"), (0x1.FF8p-15, "f903ff"),
      (0x1p-14, "f90400"), (65_504, "f97bff"), (65_505, "fa477fe100"), (65_536, "fa47800000"),
      (Double(Float.leastNonzeroMagnitude), "fa00000001"), (Double(Float.greatestFiniteMagnitude), "fa7f7fffff"),
      (0x1p128, "fb47f0000000000000"), (.leastNonzeroMagnitude, "fb0000000000000001"),
      (.greatestFiniteMagnitude, "fb7fefffffffffffff"), (.pi, "fb400921fb54442d18"),
    ]
    for (number, hex) in doubles {
      #expect(try encodedHex(number) == hex)
      #expect(try roundTrip(number) == number)
      #expect(try roundTrip(-number) == -number)
      #expect(try roundTrip([number, number]) == [number, number])
    }
    #expect(try encodedHex(Float.pi) == "fa40490fda")
    #expect(try roundTrip([Float16.pi, .leastNonzeroMagnitude]) == [.pi, .leastNonzeroMagnitude])
  }

  @Test func integersDecodeAsFloatingPointIfExactAndNeverTheReverse() throws {
    #expect(try decode(Double.self, "1b0020000000000000") == 0x1p53)
    #expect(try decodingError(Double.self, "1b0020000000000001").kind == "dataCorrupted")
    #expect(try decodingError(Double.self, "3b0020000000000000").kind == "dataCorrupted")
    #expect(try decode(Double.self, "3bffffffffffffffff") == -0x1p64)
    #expect(try decodingError(Int.self, "f93c00").kind == "typeMismatch")
    #expect(try decodingError([Int].self, "8201f93c00").path == "Index 1")
    #expect(try decodingError(Float.self, "fb47f0000000000000").kind == "dataCorrupted")
    #expect(try decode(Float.self, "fb3ff199999999999a") == 1.1)
    #expect(try decode([Float].self, "8301 f97c00 f97e00").map(\.isFinite) == [true, false, false])
  }
}

/// A value that decodes from an unkeyed container, which arrays do not use.
private struct FirstElement<Number: Decodable>: Decodable {
  let value: Number

  init(from decoder: any Decoder) throws {
    var container = try decoder.unkeyedContainer()
    value = try container.decode(Number.self)
    while !container.isAtEnd { _ = try container.decode(Number.self) }
  }
}
