// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import ItemCoding
import TestSupport
import Testing

/// The number of rounds of tests with random values: `DRAGPIPE_ROUNDS`.
let testRounds = ProcessInfo.processInfo.environment["DRAGPIPE_ROUNDS"].flatMap { Int($0) } ?? 60

// MARK: Coding

/// Returns the encoding of `value` as hexadecimal digits.
func encodedHex(_ value: some Encodable, _ encoder: CBOREncoder = CBOREncoder()) throws -> String {
  try encoder.encode(value).hex
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

/// Returns the encoding of `value` in diagnostic notation.
func notation(_ value: some Encodable, _ encoder: CBOREncoder = CBOREncoder()) throws -> String {
  try CBORDiagnosticNotation().text(of: encoder.encode(value))
}

/// An encoder that sorts the entries of maps.
var deterministicEncoder: CBOREncoder {
  var encoder = CBOREncoder()
  encoder.keyOrder = .deterministic
  return encoder
}

/// A decoder that accepts arguments in more bytes than necessary.
var lenientDecoder: CBORDecoder {
  var decoder = CBORDecoder()
  decoder.acceptsLongArguments = true
  return decoder
}

/// Returns `data` in chunks of `length` bytes.
func pieces(of data: Data, length: Int) -> [Data] {
  stride(from: 0, to: data.count, by: length).map { data.dropFirst($0).prefix(length) }
}

// MARK: Expectations

/// Checks that `value` encodes as the bytes `hex`.
func expectEncoding(
  _ value: some Encodable, _ hex: String, _ encoder: CBOREncoder = CBOREncoder(),
  sourceLocation: SourceLocation = #_sourceLocation
) throws {
  #expect(try encodedHex(value, encoder) == hex.filter { $0 != " " }, sourceLocation: sourceLocation)
}

/// Checks that each item decodes as its value.
func expectDecoding<Value: Decodable & Equatable>(
  _ items: KeyValuePairs<String, Value>, _ decoder: CBORDecoder = CBORDecoder(),
  sourceLocation: SourceLocation = #_sourceLocation
) throws {
  for (hex, value) in items {
    #expect(try decode(Value.self, hex, decoder) == value, "\(hex)", sourceLocation: sourceLocation)
  }
}

/// Checks that each value equals its copy after a round trip.
func expectRoundTrips<Value: Codable & Equatable>(
  _ values: Value..., encoder: CBOREncoder = CBOREncoder(), sourceLocation: SourceLocation = #_sourceLocation
) throws {
  for value in values { #expect(try roundTrip(value, encoder) == value, sourceLocation: sourceLocation) }
}

/// The kind, the coding path and the byte offset of a `DecodingError`.
struct Fault: Equatable, CustomStringConvertible {
  var kind = "dataCorrupted"
  var path = ""
  var byte: Int?

  init(_ kind: String, _ path: String, _ byte: Int?) {
    (self.kind, self.path, self.byte) = (kind, path, byte)
  }

  init(_ error: DecodingError) {
    self.init(error.kind, error.path, error.byte)
  }

  var description: String { "\(kind) in '\(path)' at byte \(byte.map(String.init) ?? "?")" }
}

/// Checks that `data` does not decode as `type`.
///
/// The error is a `DecodingError`, and has the given kind, path and byte offset.
func expectError<Value: Decodable>(
  _ type: Value.Type, _ data: Data, kind: String? = nil, path: String? = nil, byte: Int? = nil,
  decoder: CBORDecoder = CBORDecoder(), sourceLocation: SourceLocation = #_sourceLocation
) throws {
  let fault = Fault(try decodingError(type, data, decoder, sourceLocation: sourceLocation))
  let expected = Fault(kind ?? fault.kind, path ?? fault.path, byte ?? fault.byte)
  if fault != expected { Issue.record("\(data.hex): \(fault), not \(expected)", sourceLocation: sourceLocation) }
}

/// Checks that none of the items in hexadecimal digits decodes as `type`.
func expectError<Value: Decodable>(
  _ type: Value.Type, _ items: String..., kind: String? = nil, path: String? = nil, byte: Int? = nil,
  decoder: CBORDecoder = CBORDecoder(), sourceLocation: SourceLocation = #_sourceLocation
) throws {
  for data in items.map(Data.init(hex:)) {
    try expectError(
      type, data, kind: kind, path: path, byte: byte, decoder: decoder, sourceLocation: sourceLocation)
  }
}

/// Returns the error of decoding `data` as `type`.
func decodingError<Value: Decodable>(
  _ type: Value.Type, _ data: Data, _ decoder: CBORDecoder = CBORDecoder(),
  sourceLocation: SourceLocation = #_sourceLocation
) throws -> DecodingError {
  do {
    _ = try decoder.decode(type, from: data)
  } catch let error as DecodingError {
    return error
  }
  Issue.record("\(data.hex) is a valid \(type)", sourceLocation: sourceLocation)
  throw NoError()
}

/// Returns the error of decoding the bytes `hex` as `type`.
func decodingError<Value: Decodable>(
  _ type: Value.Type, _ hex: String, _ decoder: CBORDecoder = CBORDecoder(),
  sourceLocation: SourceLocation = #_sourceLocation
) throws -> DecodingError {
  try decodingError(type, Data(hex: hex), decoder, sourceLocation: sourceLocation)
}

private struct NoError: Error {}

/// Returns the context of the error of encoding `value`.
func encodingErrorContext(
  _ value: some Encodable, _ encoder: CBOREncoder = CBOREncoder(), sourceLocation: SourceLocation = #_sourceLocation
) throws -> EncodingError.Context {
  let error = try #require(throws: EncodingError.self, sourceLocation: sourceLocation) { try encoder.encode(value) }
  guard case .invalidValue(_, let context) = error else { throw error }
  return context
}

/// Checks that each closure throws an error of type `failure`.
func expectErrors<Failure: Error>(
  _ failure: Failure.Type, _ bodies: (() throws -> Void)..., sourceLocation: SourceLocation = #_sourceLocation
) {
  for body in bodies { #expect(throws: failure, sourceLocation: sourceLocation) { try body() } }
}

/// Decodes `data` as `type`.
///
/// Any error other than a `DecodingError` is an issue.
func expectValueOrDecodingError<Value: Decodable>(
  _ type: Value.Type, _ data: Data, _ decoder: some ItemDecoder = CBORDecoder(),
  sourceLocation: SourceLocation = #_sourceLocation
) {
  do {
    _ = try decoder.decodeForeign(type, from: data)
  } catch is DecodingError {
    // Expected.
  } catch {
    Issue.record("\(error) for \(data.hex)", sourceLocation: sourceLocation)
  }
}

extension DecodingError {
  /// The name of the error's case, and its context.
  private var parts: (kind: String, context: Context?) {
    switch self {
    case .typeMismatch(_, let context): ("typeMismatch", context)
    case .valueNotFound(_, let context): ("valueNotFound", context)
    case .keyNotFound(_, let context): ("keyNotFound", context)
    case .dataCorrupted(let context): ("dataCorrupted", context)
    @unknown default: ("unknown", nil)
    }
  }

  var kind: String { parts.kind }
  var context: Context? { parts.context }

  /// The description in the error's context.
  var text: String { context?.debugDescription ?? "" }

  /// The keys of the coding path, separated by periods.
  var path: String { (context?.codingPath ?? []).map(\.stringValue).joined(separator: ".") }

  /// The byte offset in a description that starts with `at byte 7: …`.
  var byte: Int? {
    guard text.hasPrefix("at byte ") else { return nil }
    return Int(text.dropFirst(8).prefix { $0 != ":" })
  }
}

/// Runs `body` on a thread with a stack of `size` bytes.
func onSmallStack(_ size: Int, _ body: @escaping @Sendable () -> Bool) async -> Bool {
  await withCheckedContinuation { continuation in
    let thread = Thread { continuation.resume(returning: body()) }
    thread.stackSize = size
    thread.start()
  }
}

// MARK: Values

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

/// Keys of one letter.
enum Letters: String, CodingKey { case a, b, c, x, y }

/// A value that decodes nothing, so that its item is skipped.
struct Skipped: Codable {
  init(from decoder: any Decoder) {}

  func encode(to encoder: any Encoder) {}
}

/// A value with one key, so that all other entries are skipped.
struct Known: Codable, Equatable {
  var known: Int

  /// Returns a map whose value for an unknown key is the item `hex`, and whose known value is 7.
  static func after(_ hex: String) -> String { "a2 6178 \(hex) 656b6e6f776e 07" }
}

/// A value that retains its decoder, and decodes later.
struct Later: Decodable {
  let decoder: any Decoder

  init(from decoder: any Decoder) {
    self.decoder = decoder
  }

  func read<Value: Decodable>(_ type: Value.Type) throws -> Value {
    try type.init(from: decoder)
  }
}

/// Any value of JSON, which tries one type after another.
enum AnyValue: Codable, Equatable {
  case null
  case bool(Bool)
  case integer(Int)
  case unsigned(UInt64)
  case double(Double)
  case text(String)
  case array([AnyValue])
  case map([String: AnyValue])

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let value = try? container.decode(Bool.self) {
      self = .bool(value)
    } else if let value = try? container.decode(Int.self) {
      self = .integer(value)
    } else if let value = try? container.decode(UInt64.self) {
      self = .unsigned(value)
    } else if let value = try? container.decode(Double.self) {
      self = .double(value)
    } else if let value = try? container.decode(String.self) {
      self = .text(value)
    } else if let value = try? container.decode([AnyValue].self) {
      self = .array(value)
    } else {
      self = .map(try container.decode([String: AnyValue].self))
    }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .null: try container.encodeNil()
    case .bool(let value): try container.encode(value)
    case .integer(let value): try container.encode(value)
    case .unsigned(let value): try container.encode(value)
    case .double(let value): try container.encode(value)
    case .text(let value): try container.encode(value)
    case .array(let value): try container.encode(value)
    case .map(let value): try container.encode(value)
    }
  }
}

/// A recursive array, map or other item, which uses nested containers.
indirect enum Tree: Decodable {
  case list([Tree])
  case map([String: Tree])
  case other

  init(from decoder: any Decoder) throws {
    if var container = try? decoder.unkeyedContainer() {
      var items: [Tree] = []
      while !container.isAtEnd { items.append(try container.decode(Tree.self)) }
      self = .list(items)
    } else if let container = try? decoder.container(keyedBy: AnyTestKey.self) {
      self = .map(
        try container.allKeys.reduce(into: [:]) { map, key in
          map[key.stringValue] = try container.decode(Tree.self, forKey: key)
        })
    } else {
      self = .other
    }
  }
}

/// Nested arrays.
struct List: Codable, Equatable {
  var inner: [List]

  init(depth: Int) {
    inner = depth > 1 ? [List(depth: depth - 1)] : []
  }

  init(from decoder: any Decoder) throws {
    inner = try decoder.singleValueContainer().decode([List].self)
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(inner)
  }
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
  static func read(_ data: Data, _ body: @escaping @Sendable (any Decoder) throws -> Result) throws -> Result {
    var decoder = CBORDecoder()
    decoder.userInfo[.reading] = body
    return try decoder.decode(Reading.self, from: data).result
  }

  static func read(_ hex: String, _ body: @escaping @Sendable (any Decoder) throws -> Result) throws -> Result {
    try read(Data(hex: hex), body)
  }
}

extension CodingUserInfoKey {
  fileprivate static let reading = CodingUserInfoKey(rawValue: "reading").unsafelyUnwrapped
}
