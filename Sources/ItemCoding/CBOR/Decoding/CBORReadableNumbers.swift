// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

extension Double: CBORReadableNumber {
  @inline(__always)
  static func read(_ input: CBORInput, _ offset: inout Int) throws(CBORFault) -> Double { try input.double(&offset) }
  static var arrayDecodingPlan: CBORDecodingPlan { CBORNumberArrayDecodingPlan(of: Self.self) }
}

extension Float: CBORReadableNumber {
  @inline(__always)
  static func read(_ input: CBORInput, _ offset: inout Int) throws(CBORFault) -> Float { try input.float(&offset) }
  static var arrayDecodingPlan: CBORDecodingPlan { CBORNumberArrayDecodingPlan(of: Self.self) }
}

extension CBORReadableNumber where Self: FixedWidthInteger {
  @inline(__always)
  static func read(_ input: CBORInput, _ offset: inout Int) throws(CBORFault) -> Self { try input.integer(&offset) }
}

extension Int: CBORReadableNumber {
  static var arrayDecodingPlan: CBORDecodingPlan { CBORNumberArrayDecodingPlan(of: Self.self) }
}

extension Int8: CBORReadableNumber {
  static var arrayDecodingPlan: CBORDecodingPlan { CBORNumberArrayDecodingPlan(of: Self.self) }
}

extension Int16: CBORReadableNumber {
  static var arrayDecodingPlan: CBORDecodingPlan { CBORNumberArrayDecodingPlan(of: Self.self) }
}

extension Int32: CBORReadableNumber {
  static var arrayDecodingPlan: CBORDecodingPlan { CBORNumberArrayDecodingPlan(of: Self.self) }
}

extension Int64: CBORReadableNumber {
  static var arrayDecodingPlan: CBORDecodingPlan { CBORNumberArrayDecodingPlan(of: Self.self) }
}

extension Int128: CBORReadableNumber {
  static var arrayDecodingPlan: CBORDecodingPlan { CBORNumberArrayDecodingPlan(of: Self.self) }
}

extension UInt: CBORReadableNumber {
  static var arrayDecodingPlan: CBORDecodingPlan { CBORNumberArrayDecodingPlan(of: Self.self) }
}

extension UInt8: CBORReadableNumber {
  static var arrayDecodingPlan: CBORDecodingPlan { CBORNumberArrayDecodingPlan(of: Self.self) }
}

extension UInt16: CBORReadableNumber {
  static var arrayDecodingPlan: CBORDecodingPlan { CBORNumberArrayDecodingPlan(of: Self.self) }
}

extension UInt32: CBORReadableNumber {
  static var arrayDecodingPlan: CBORDecodingPlan { CBORNumberArrayDecodingPlan(of: Self.self) }
}

extension UInt64: CBORReadableNumber {
  static var arrayDecodingPlan: CBORDecodingPlan { CBORNumberArrayDecodingPlan(of: Self.self) }
}

extension UInt128: CBORReadableNumber {
  static var arrayDecodingPlan: CBORDecodingPlan { CBORNumberArrayDecodingPlan(of: Self.self) }
}
