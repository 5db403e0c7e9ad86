// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem

/// A D-Bus message that has arrived.
///
/// The header is checked at once, and the body when its values are read.
package struct BusMessage: Sendable {
  enum Kind: UInt8, Sendable {
    case call = 1
    case response, failure, signal
  }

  /// The fields of a header.
  enum Field: UInt8, Sendable {
    case path = 1
    case interface, member, errorName, responseSerial, destination, sender, signature, descriptorCount

    /// The type of the field's value.
    var type: String {
      switch self {
      case .path: "o"
      case .responseSerial, .descriptorCount: "u"
      case .signature: "g"
      default: "s"
      }
    }
  }

  /// The maximum length of a message in bytes; the specification allows 128 MiB.
  static let maximumByteCount = 1 << 20
  /// The length of the part of the header that determines the length of the message.
  static let prefixByteCount = 16

  /// The kind of the message; `nil` for an unknown kind, which the receiver must ignore.
  let kind: Kind?
  private let texts: [Field: String]
  private let numbers: [Field: UInt32]
  private let body: BusReader

  /// The name of a signal; otherwise possibly empty.
  package var member: String { texts[.member] ?? "" }
  /// The serial number of the call to which the message responds; otherwise 0.
  var responseSerial: UInt32 { numbers[.responseSerial] ?? 0 }
  /// The number of descriptors that arrive with the message.
  var descriptorCount: Int { Int(numbers[.descriptorCount] ?? 0) }

  /// Returns the length in bytes of the message that begins with `prefix`, which has ``prefixByteCount`` bytes.
  static func byteCount(prefix: [UInt8]) throws(DisplayError) -> Int {
    guard prefix[1] != 0, prefix[3] == 1 else {
      throw BusReader.fault(1, "a message of type \(prefix[1]) and version \(prefix[3])")
    }
    var reader = try BusReader(prefix, at: 4)
    let (body, serial, fields) = (try reader.read32(), try reader.read32(), try reader.read32())
    guard serial != 0 else { throw BusReader.fault(8, "the serial number 0") }
    let count = prefixByteCount + (Int(fields) + 7) & ~7 + Int(body)
    guard count <= maximumByteCount else {
      throw BusReader.fault(4, "a message of \(count) bytes exceeds the limit of \(maximumByteCount)")
    }
    return count
  }

  /// Decodes a message with the length that ``byteCount(prefix:)`` returns.
  init(_ bytes: [UInt8]) throws(DisplayError) {
    kind = Kind(rawValue: bytes[1])
    var reader = try BusReader(bytes, at: 4)
    let bodyByteCount = try reader.read32()
    _ = try reader.read32()
    var (codes, texts, numbers): (Set<UInt8>, [Field: String], [Field: UInt32]) = ([], [:], [:])
    try reader.readArray(alignment: 8) { (reader) throws(DisplayError) in
      let code = try reader.read8()
      let type = try reader.readSignature()
      guard code != 0, codes.insert(code).inserted else { throw reader.fault("header field \(code) is not allowed") }
      // Unknown fields are ignored.
      guard let field = Field(rawValue: code) else { return try reader.skip(type) }
      guard type == field.type else { throw reader.fault("header field \(code) has a wrong type") }
      switch field {
      case .responseSerial, .descriptorCount: numbers[field] = try reader.read32()
      case .signature: texts[field] = try reader.readSignature()
      default: texts[field] = try reader.readString()
      }
    }
    let required: [Field] =
      switch kind {
      case .call: [.path, .member]
      case .response: [.responseSerial]
      case .failure: [.errorName, .responseSerial]
      case .signal: [.path, .interface, .member]
      case nil: []
      }
    guard required.allSatisfy({ codes.contains($0.rawValue) }), numbers[.responseSerial] != 0 else {
      throw reader.fault("a required header field is missing or zero")
    }
    try reader.align(8)
    guard reader.remaining == bodyByteCount, bodyByteCount == 0 || texts[.signature]?.isEmpty == false else {
      throw reader.fault("the body has another length than declared, or no signature")
    }
    (self.texts, self.numbers, body) = (texts, numbers, reader)
  }

  /// Returns the only value of the message, a string.
  ///
  /// - Throws: `protocolViolation` for any other body.
  package func string() throws(DisplayError) -> String {
    try value("s") { (reader) throws(DisplayError) in try reader.readString() }
  }

  /// Returns the only value of the message, an array of strings.
  ///
  /// - Throws: `protocolViolation` for any other body.
  package func strings() throws(DisplayError) -> [String] {
    try value("as") { (reader) throws(DisplayError) in
      var values: [String] = []
      try reader.readArray(alignment: 4) { (reader) throws(DisplayError) in values.append(try reader.readString()) }
      return values
    }
  }

  private func value<Value>(
    _ type: String, _ read: (inout BusReader) throws(DisplayError) -> Value
  ) throws(DisplayError) -> Value {
    var reader = body
    let signature = texts[.signature] ?? ""
    guard signature == type else { throw body.fault("the values \(signature.escapedForDisplay()) instead of \(type)") }
    let value = try read(&reader)
    guard reader.remaining == 0 else { throw reader.fault("\(reader.remaining) bytes after the last value") }
    return value
  }

  /// The error that a message of the kind `failure` reports, usually with an explanation.
  var error: DisplayError {
    var reader = body
    let reason = texts[.signature]?.first == "s" ? (try? reader.readString()) ?? "" : ""
    let shown = "\(texts[.errorName] ?? ""): \(reason)".escapedForDisplay(limit: 300)
    return DisplayError(.requestFailed, "a service on the session bus reports \(shown)")
  }
}
