// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// The start of a data item: its kind and its argument (RFC 8949, section 3).
struct CBORHeader {
  let initialByte: UInt8
  /// A value, a length, a count, a tag number or the bits of a floating-point number; 0 if the length is indefinite.
  let argument: UInt64

  @inline(__always)
  init(initialByte: UInt8, argument: UInt64) {
    self.initialByte = initialByte
    self.argument = argument
  }

  /// The kind of the item.
  ///
  /// The cast is valid because the eight cases have the raw values 0 to 7. `init(rawValue:)` would search for the case.
  @inline(__always) var major: CBORMajorType { unsafeBitCast(initialByte >> 5, to: CBORMajorType.self) }

  /// The low five bits, which define the form of the argument.
  @inline(__always) var additional: UInt8 { initialByte & 31 }

  @inline(__always) var isIndefinite: Bool { additional == 31 }

  @inline(__always) var isBreak: Bool { initialByte == CBORByte.break }

  @inline(__always) var isNull: Bool { initialByte == CBORByte.null || initialByte == CBORByte.undefined }

  /// The name of the item in error messages.
  var name: String {
    switch major {
    case .unsignedInteger, .negativeInteger: "an integer"
    case .byteString: "a byte string"
    case .textString: "a text string"
    case .array: "an array"
    case .map: "a map"
    case .tag: "a tag"
    case .simple:
      switch initialByte {
      case CBORByte.false, CBORByte.true: "a Boolean"
      case CBORByte.null: "null"
      case CBORByte.undefined: "undefined"
      case CBORByte.halfFloat, CBORByte.singleFloat, CBORByte.doubleFloat: "a floating-point number"
      case CBORByte.break: "a break"
      default: "simple value \(argument)"
      }
    }
  }
}

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

  /// The first byte of an item of this kind, with zeros in its low five bits.
  @inline(__always) var initialByte: UInt8 { rawValue << 5 }
}

/// The first bytes that are complete items, and the first bytes of floating-point numbers.
enum CBORByte {
  static let `false`: UInt8 = 0xF4
  static let `true`: UInt8 = 0xF5
  static let null: UInt8 = 0xF6
  static let undefined: UInt8 = 0xF7
  static let halfFloat: UInt8 = 0xF9
  static let singleFloat: UInt8 = 0xFA
  static let doubleFloat: UInt8 = 0xFB
  /// Ends an item of indefinite length.
  static let `break`: UInt8 = 0xFF
  static let emptyArray: UInt8 = 0x80
  static let emptyMap: UInt8 = 0xA0
}

/// The tags that the coders use (RFC 8949, section 3.4; 37 is registered for UUIDs).
enum CBORTag {
  static let dateText: UInt64 = 0
  static let epochDate: UInt64 = 1
  static let positiveBignum: UInt64 = 2
  static let negativeBignum: UInt64 = 3
  static let decimalFraction: UInt64 = 4
  static let url: UInt64 = 32
  static let uuid: UInt64 = 37
}

/// A problem of the input at an offset, reported as a `DecodingError`.
struct CBORFault: Error {
  enum Kind {
    /// The input ends too early; with more bytes, the item may be complete.
    case truncated
    /// The item is malformed, invalid or out of range, regardless of the bytes that follow.
    case malformed
    /// The input exceeds a limit of the decoder.
    case limit
    /// The item is not of the requested kind.
    case mismatch
    /// The item is null, but a value was requested.
    case null
    /// The map does not have the requested key.
    case missing
  }

  let kind: Kind
  /// The offset from the start of the input, in bytes.
  let offset: Int
  /// The reason in words.
  let text: String

  init(_ kind: Kind = .malformed, at offset: Int, _ text: String) {
    self.kind = kind
    self.offset = offset
    self.text = text
  }

  /// Returns the text with the position, which is the offset plus `origin`.
  func located(from origin: Int) -> String { "at byte \(origin + offset): \(text)" }

  /// Returns the fault of an item at `offset` that lacks `missing` bytes.
  @inline(never)
  static func truncated(at offset: Int, missing: UInt64) -> CBORFault {
    CBORFault(.truncated, at: offset, "the input ends \(missing) byte\(missing == 1 ? "" : "s") too early")
  }
}
