// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

extension Bool: CBORReadableElement {
  @inline(__always)
  static func read(_ input: CBORInput, _ offset: inout Int) throws(CBORFault) -> Bool { try input.boolean(&offset) }
  static var arrayDecodingPlan: CBORDecodingPlan { CBORElementsDecodingPlan(of: Self.self) }
}

extension String: CBORReadableElement {
  @inline(__always)
  static func read(_ input: CBORInput, _ offset: inout Int) throws(CBORFault) -> String { try input.text(&offset) }
  static var arrayDecodingPlan: CBORDecodingPlan { CBORElementsDecodingPlan(of: Self.self) }
}

extension Double: CBORReadableElement {
  @inline(__always)
  static func read(_ input: CBORInput, _ offset: inout Int) throws(CBORFault) -> Double { try input.double(&offset) }
  static var arrayDecodingPlan: CBORDecodingPlan { CBORElementsDecodingPlan(of: Self.self) }
}

extension Float: CBORReadableElement {
  @inline(__always)
  static func read(_ input: CBORInput, _ offset: inout Int) throws(CBORFault) -> Float { try input.float(&offset) }
  static var arrayDecodingPlan: CBORDecodingPlan { CBORElementsDecodingPlan(of: Self.self) }
}

extension CBORReadableElement where Self: FixedWidthInteger {
  @inline(__always)
  static func read(_ input: CBORInput, _ offset: inout Int) throws(CBORFault) -> Self { try input.integer(&offset) }
}

extension Int: CBORReadableElement {
  static var arrayDecodingPlan: CBORDecodingPlan { CBORElementsDecodingPlan(of: Self.self) }
}

extension Int8: CBORReadableElement {
  static var arrayDecodingPlan: CBORDecodingPlan { CBORElementsDecodingPlan(of: Self.self) }
}

extension Int16: CBORReadableElement {
  static var arrayDecodingPlan: CBORDecodingPlan { CBORElementsDecodingPlan(of: Self.self) }
}

extension Int32: CBORReadableElement {
  static var arrayDecodingPlan: CBORDecodingPlan { CBORElementsDecodingPlan(of: Self.self) }
}

extension Int64: CBORReadableElement {
  static var arrayDecodingPlan: CBORDecodingPlan { CBORElementsDecodingPlan(of: Self.self) }
}

extension Int128: CBORReadableElement {
  static var arrayDecodingPlan: CBORDecodingPlan { CBORElementsDecodingPlan(of: Self.self) }
}

extension UInt: CBORReadableElement {
  static var arrayDecodingPlan: CBORDecodingPlan { CBORElementsDecodingPlan(of: Self.self) }
}

extension UInt8: CBORReadableElement {
  static var arrayDecodingPlan: CBORDecodingPlan { CBORElementsDecodingPlan(of: Self.self) }
}

extension UInt16: CBORReadableElement {
  static var arrayDecodingPlan: CBORDecodingPlan { CBORElementsDecodingPlan(of: Self.self) }
}

extension UInt32: CBORReadableElement {
  static var arrayDecodingPlan: CBORDecodingPlan { CBORElementsDecodingPlan(of: Self.self) }
}

extension UInt64: CBORReadableElement {
  static var arrayDecodingPlan: CBORDecodingPlan { CBORElementsDecodingPlan(of: Self.self) }
}

extension UInt128: CBORReadableElement {
  static var arrayDecodingPlan: CBORDecodingPlan { CBORElementsDecodingPlan(of: Self.self) }
}
