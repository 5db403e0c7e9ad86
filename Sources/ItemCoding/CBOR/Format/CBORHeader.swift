// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// The start of a data item: its kind, and the number that belongs to it (RFC 8949, section 3).
struct CBORHeader {
  let initialByte: UInt8
  /// A value, a length, a count or the bits of a floating-point number; 0 where the length is indefinite.
  let argument: UInt64

  @inline(__always)
  init(initialByte: UInt8, argument: UInt64) {
    self.initialByte = initialByte
    self.argument = argument
  }

  /// All eight cases are there, in their order; `init(rawValue:)` would look which of them it is.
  @inline(__always) var major: CBORMajorType { unsafeBitCast(initialByte >> 5, to: CBORMajorType.self) }

  /// The low five bits, which say how the argument is given.
  @inline(__always) var additional: UInt8 { initialByte & 31 }

  @inline(__always) var isIndefinite: Bool { additional == 31 }

  @inline(__always) var isBreak: Bool { initialByte == CBORByte.break }

  @inline(__always) var isNull: Bool { initialByte == CBORByte.null || initialByte == CBORByte.undefined }

  /// What users call an item with this header.
  var name: String { plainName.map { "\($0)" } ?? "simple value \(argument)" }

  /// The same without the number of a simple value that has no name.
  var plainName: StaticString? {
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
      default: nil
      }
    }
  }
}
