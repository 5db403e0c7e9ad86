// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// The kind of a data item: the high three bits of its first byte (RFC 8949, section 3).
enum CBORMajorType: UInt8 {
  case unsignedInteger = 0
  case negativeInteger = 1
  case byteString = 2
  case textString = 3
  case array = 4
  case map = 5
  case tag = 6
  /// Simple values and floating-point numbers.
  case simple = 7

  /// The first byte of an item of this kind, with nothing in its low five bits.
  @inline(__always) var initialByte: UInt8 { rawValue << 5 }
}

/// First bytes that stand for themselves.
enum CBORByte {
  static let `false`: UInt8 = 0xF4
  static let `true`: UInt8 = 0xF5
  static let null: UInt8 = 0xF6
  static let undefined: UInt8 = 0xF7
  static let halfFloat: UInt8 = 0xF9
  static let singleFloat: UInt8 = 0xFA
  static let doubleFloat: UInt8 = 0xFB
  /// Ends what has no definite length.
  static let `break`: UInt8 = 0xFF
  static let emptyArray: UInt8 = 0x80
  static let emptyMap: UInt8 = 0xA0
}

/// The tags this coder gives a meaning to (RFC 8949, section 3.4; 37 is registered for UUIDs).
enum CBORTag {
  static let dateText: UInt64 = 0
  static let epochDate: UInt64 = 1
  static let positiveBignum: UInt64 = 2
  static let negativeBignum: UInt64 = 3
  static let decimalFraction: UInt64 = 4
  static let url: UInt64 = 32
  static let uuid: UInt64 = 37
}
