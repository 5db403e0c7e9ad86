// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import ItemCoding
import TestSupport
import Testing

/// Returns the encoding of `value` as hexadecimal digits.
func encodedHex(_ value: some Encodable, _ encoder: CBOREncoder = CBOREncoder()) throws -> String {
  try encoder.encode(value).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
}

/// Decodes an item from hexadecimal digits, which may contain spaces.
func decode<Value: Decodable>(
  _ type: Value.Type, _ hex: String, _ decoder: CBORDecoder = CBORDecoder()
) throws -> Value {
  try decoder.decode(type, from: Data(hex: hex))
}

/// Encodes and decodes `value`.
func roundTrip<Value: Codable>(
  _ value: Value, _ encoder: CBOREncoder = CBOREncoder(), _ decoder: CBORDecoder = CBORDecoder()
) throws -> Value {
  try decoder.decode(Value.self, from: encoder.encode(value))
}

/// An encoder that sorts the entries of maps.
var deterministicEncoder: CBOREncoder {
  var encoder = CBOREncoder()
  encoder.keyOrder = .deterministic
  return encoder
}

/// A coding key with any string or number.
struct AnyTestKey: CodingKey, Hashable, ExpressibleByStringLiteral, ExpressibleByIntegerLiteral {
  var stringValue: String
  var intValue: Int?

  init(stringValue: String) {
    self.stringValue = stringValue
  }

  init(intValue: Int) {
    stringValue = "\(intValue)"
    self.intValue = intValue
  }

  init(stringLiteral value: String) {
    self.init(stringValue: value)
  }

  init(integerLiteral value: Int) {
    self.init(intValue: value)
  }
}

/// A value that decodes nothing, so that its item is skipped.
struct Skipped: Decodable {
  init(from decoder: any Decoder) {}
}

/// A value that calls a closure to encode itself.
struct Writing: Encodable, Sendable {
  let body: @Sendable (any Encoder) throws -> Void

  func encode(to encoder: any Encoder) throws {
    try body(encoder)
  }
}

/// A value that calls the closure in its decoder's `userInfo` to decode itself.
struct Reading<Result>: Decodable {
  let result: Result

  init(from decoder: any Decoder) throws {
    let body = decoder.userInfo[.reading] as? @Sendable (any Decoder) throws -> Result
    let found = try #require(body)
    result = try found(decoder)
  }

  /// Decodes `data` with `body`.
  static func read(
    _ data: Data, _ decoder: CBORDecoder = CBORDecoder(), _ body: @escaping @Sendable (any Decoder) throws -> Result
  ) throws -> Result {
    var decoder = decoder
    decoder.userInfo[.reading] = body
    return try decoder.decode(Reading.self, from: data).result
  }

  static func read(_ hex: String, _ body: @escaping @Sendable (any Decoder) throws -> Result) throws -> Result {
    try read(Data(hex: hex), CBORDecoder(), body)
  }
}

extension CodingUserInfoKey {
  fileprivate static let reading = CodingUserInfoKey(rawValue: "reading").unsafelyUnwrapped
}

extension DecodingError {
  /// The context of the error, which every case has.
  var context: Context? {
    switch self {
    case .typeMismatch(_, let context), .valueNotFound(_, let context), .keyNotFound(_, let context),
      .dataCorrupted(let context):
      context
    @unknown default: nil
    }
  }

  /// The name of the error's case.
  var kind: String {
    switch self {
    case .typeMismatch: "typeMismatch"
    case .valueNotFound: "valueNotFound"
    case .keyNotFound: "keyNotFound"
    case .dataCorrupted: "dataCorrupted"
    @unknown default: "unknown"
    }
  }

  /// The keys of the coding path, separated by periods.
  var path: String { (context?.codingPath ?? []).map(\.stringValue).joined(separator: ".") }

  /// The byte offset in a description that starts with `at byte 7: …`.
  var byte: Int? {
    guard let text = context?.debugDescription, text.hasPrefix("at byte ") else { return nil }
    return Int(text.dropFirst(8).prefix { $0 != ":" })
  }
}

/// Returns the error of decoding `data` as `type`.
func decodingError<Value: Decodable>(
  _ type: Value.Type, _ data: Data, _ decoder: CBORDecoder = CBORDecoder(),
  sourceLocation: SourceLocation = #_sourceLocation
) throws -> DecodingError {
  try #require(throws: DecodingError.self, sourceLocation: sourceLocation) { try decoder.decode(type, from: data) }
}

/// Returns the error of decoding the bytes `hex` as `type`.
func decodingError<Value: Decodable>(
  _ type: Value.Type, _ hex: String, _ decoder: CBORDecoder = CBORDecoder(),
  sourceLocation: SourceLocation = #_sourceLocation
) throws -> DecodingError {
  try decodingError(type, Data(hex: hex), decoder, sourceLocation: sourceLocation)
}

/// Decodes `data` as `type`.
///
/// Any error other than a `DecodingError` is an issue.
func expectValueOrDecodingError<Value: Decodable>(
  _ type: Value.Type, _ data: Data, _ decoder: CBORDecoder = CBORDecoder(),
  sourceLocation: SourceLocation = #_sourceLocation
) {
  do {
    _ = try decoder.decode(type, from: data)
  } catch is DecodingError {
    // Expected.
  } catch {
    Issue.record("\(error) for \(data as NSData)", sourceLocation: sourceLocation)
  }
}
