// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials

/// Reads `Decodable` values from CBOR, the Concise Binary Object Representation (RFC 8949), whoever wrote it.
///
/// Definite and indefinite lengths, all widths of numbers, tags and simple values are read; a tag that says nothing to
/// the value asked for is passed over. Text keys are matched to the `stringValue`, integer keys to the `intValue` of a
/// key. An integer is a `Double` where it is one exactly; a floating-point number is never an integer. ``CBORValue``
/// reads any item as it is, ``CBORTagged`` a tag and a value.
///
/// ```swift
/// let bytes = try CBOREncoder().encode(["Atalanta": 1])
/// let places = try CBORDecoder().decode([String: Int].self, from: bytes)
/// ```
///
/// No bytes can do harm: each length is compared with what is there before it is believed, and all arrays and
/// dictionaries together are given room for no more than 16 bytes for each byte of the input before their elements have
/// been seen. A map whose keys are not asked for in order is gone through first, which takes up to 64 bytes for an
/// entry, and up to 256 where keys are no text. An object that nobody asked for is checked to be well-formed, and no
/// further. The decoder refuses a map that it reads if that has a key twice, or the integer and the text of one
/// `CodingKey`; `allKeys` of such a map lists each key once.
public struct CBORDecoder: Sendable {
  /// How a date without a tag is read; one with tag 0 or 1 says itself what it is.
  ///
  /// The decoder refuses a date whose seconds are not a finite number.
  public enum DateDecodingStrategy: Sendable, Hashable {
    /// It is refused.
    case tagged
    /// As `Date` writes itself: seconds since 2001.
    case deferredToDate
  }

  /// Without references: it is copied for each value.
  struct Options {
    var dateDecodingStrategy = DateDecodingStrategy.tagged
    var limits = CBORLimits()
    var acceptsLongArguments = false
  }

  /// How a date without a tag is read; refused unless it is said otherwise.
  public var dateDecodingStrategy = DateDecodingStrategy.tagged

  /// What is given up at.
  public var limits = CBORLimits()

  /// Whether lengths, counts, integers and tags may take more bytes than they need.
  ///
  /// No encoder in its right mind writes them so, but RFC 8949 leaves it to the decoder; refused unless it is said
  /// otherwise.
  public var acceptsLongArguments = false

  /// What is passed to the values as they read themselves.
  public var userInfo: [CodingUserInfoKey: any Sendable] = [:]

  /// Makes a decoder with the default settings.
  public init() {}

  /// Reads the one data item that `data` is.
  ///
  /// - Throws: `DecodingError`, with the coding path and, at the start of its description, the byte:
  ///   `dataCorrupted` for what is not well-formed, cut off, repeated, out of range or beyond a limit, or followed by
  ///   more bytes; `typeMismatch`, `valueNotFound` and `keyNotFound` for what is not what was asked for; and what the
  ///   values throw themselves.
  public func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
    try decode(type, from: data, at: 0)
  }

  /// As above, for bytes that begin at byte `origin` of others, of which errors tell.
  @inline(__always)
  func decode<Value: Decodable>(_ type: Value.Type, from data: Data, at origin: Int) throws -> Value {
    try withSession(data, at: origin) { session in
      var offset = 0
      let value = try session.decodeOutermost(type, &offset)
      try session.expectEnd(at: offset)
      return value
    }
  }

  /// Reads all of the data items that follow one another in `data`: a CBOR sequence (RFC 8742).
  ///
  /// - Throws: What ``decode(_:from:)`` throws, at the first item that cannot be read.
  public func decodeSequence<Value: Decodable>(of type: Value.Type, from data: Data) throws -> [Value] {
    try withSession(data) { session in
      var values: [Value] = []
      var offset = 0
      while offset < data.count { values.append(try session.decodeOutermost(type, &offset)) }
      return values
    }
  }

  @inline(__always)
  private func withSession<Result>(
    _ data: Data, at origin: Int = 0, _ body: (CBORDecodingSession) throws -> Result
  ) throws -> Result {
    let session = CBORDecodingSessionPool.take()
    let options = Options(
      dateDecodingStrategy: dateDecodingStrategy, limits: limits, acceptsLongArguments: acceptsLongArguments)
    return try data.bytes.withUnsafeBytes { bytes in
      session.begin(bytes, at: origin, options)
      if !userInfo.isEmpty { session.userInfo = userInfo }
      defer { CBORDecodingSessionPool.give(session) }
      return try body(session)
    }
  }
}

extension CBORDecoder: ItemDecoder {}
