// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials

/// An encoder of `Encodable` values as CBOR, the Concise Binary Object Representation (RFC 8949).
///
/// By default, keyed values become maps with text keys, in the order in which the values encode them. The encoder
/// writes these types as follows:
///
/// - `Data`: a byte string
/// - `Date`: tag 1, tag 0 or a number without a tag (``dateEncodingStrategy``)
/// - `Decimal`: tag 4
/// - `URL`: tag 32
/// - `UUID`: tag 37
/// - integers below -2^64 or above 2^64 - 1: bignums
/// - dictionaries with integer keys: maps with integer keys
///
/// Headers and numbers take as few bytes as possible (preferred serialisation, section 4.1). All lengths are definite.
///
/// ```swift
/// let bytes = try CBOREncoder().encode(["Atalanta": 1])
/// let places = try CBORDecoder().decode([String: Int].self, from: bytes)
/// ```
///
/// ``CBORValue`` encodes any item, ``CBORTagged`` adds a tag to a value, and ``usesIntegerKeys`` writes numbered keys.
///
/// The encoder caches the `stringValue` of keys that are at most one byte in memory, such as cases of enumerations.
public struct CBOREncoder: Sendable {
  /// The order of the entries of a map.
  public enum KeyOrder: Sendable, Hashable {
    /// The order in which the value encodes the entries. The order of sets and dictionaries differs between runs.
    case written
    /// The order of the encoded keys' bytes, so that equal values always give equal bytes (RFC 8949, section 4.2.1).
    ///
    /// The elements of a `Set` are sorted by their bytes. So are the pairs of a dictionary that becomes an array of
    /// keys and values, for example one with `Double` keys. A type that stores a set must pass it to a container: a
    /// direct call of `set.encode(to: encoder)` writes the elements unsorted.
    case deterministic
    /// The order of the lengths of the encoded keys, and of their bytes for equal lengths (RFC 8949, section 4.2.3).
    ///
    /// CTAP2 and RFC 7049 use this order. It differs from ``deterministic`` for keys of different types. Elements of
    /// sets and pairs of arrays are sorted as in ``deterministic``.
    case lengthFirst
  }

  /// The way in which dates are encoded.
  ///
  /// The encoder refuses a date whose seconds are not a finite number.
  public enum DateEncodingStrategy: Sendable, Hashable {
    /// Seconds since 1970 with tag 1 if they restore the date exactly, otherwise text with tag 0.
    ///
    /// `Date` counts from 2001, so half of today's dates with a fraction are text. A fraction of a second may be rounded
    /// after the year 9999, for which there is no text.
    case tagged
    /// Seconds since 1970 with tag 1. A whole second is an integer. Other dates are floating-point numbers, with a
    /// precision of about a quarter of a microsecond today.
    case secondsSince1970
    /// Seconds since 1970 without a tag, as in the claims of a CWT (RFC 8392), in the numbers of ``secondsSince1970``.
    ///
    /// ``CBORDecoder/DateDecodingStrategy/secondsSince1970`` decodes these numbers.
    case untaggedSecondsSince1970
    /// Exact text in the format of RFC 3339 with tag 0. Dates outside the years 0 to 9999 have tag 1.
    case iso8601
    /// Seconds since 2001 without a tag, as `Date` encodes itself; exact.
    case deferredToDate
  }

  /// The way in which keys of keyed containers are encoded as text.
  ///
  /// Keys of dictionaries with `String` keys and names of ``CBORFieldCodable`` fields are not converted.
  public enum KeyEncodingStrategy: Sendable, Hashable {
    /// Writes the `stringValue` of each key.
    case useDefaultKeys
    /// Writes `oneTwoThree` as `one_two_three` and `myURLProperty` as `my_url_property`, as `JSONEncoder` does.
    ///
    /// Encoding takes longer than with the default keys.
    case convertToSnakeCase
  }

  /// The options, which contain no references because they are copied for each value.
  struct Options {
    var order = KeyOrder.written
    var keyEncodingStrategy = KeyEncodingStrategy.useDefaultKeys
    var dateEncodingStrategy = DateEncodingStrategy.tagged
    var limits = CBORLimits()
    var usesIntegerKeys = false
    /// Whether the items are printed as JSON, for which a ``CBORValue`` is refused.
    var isForJSON = false
    /// Whether some keys are not written as their `stringValue`.
    var changesKeys: Bool { usesIntegerKeys || keyEncodingStrategy != .useDefaultKeys }
  }

  /// The order of the entries of maps; by default, the order in which the values encode them.
  public var keyOrder = KeyOrder.written

  /// The way in which keys are encoded as text; unchanged by default.
  public var keyEncodingStrategy = KeyEncodingStrategy.useDefaultKeys

  /// The way in which dates are encoded; exactly and with a tag by default.
  public var dateEncodingStrategy = DateEncodingStrategy.tagged

  /// Whether a key with an `intValue` is written as that integer and not as text; `false` by default.
  ///
  /// COSE (RFC 9052), CWT (RFC 8392) and others number the keys of their maps. ``CBORDecoder`` accepts both forms
  /// without an option:
  ///
  /// ```swift
  /// struct Claims: Codable {
  ///   var issuer: String
  ///   var expiration: Int
  ///
  ///   enum CodingKeys: Int, CodingKey {
  ///     case issuer = 1
  ///     case expiration = 4
  ///   }
  /// }
  ///
  /// var encoder = CBOREncoder()
  /// encoder.usesIntegerKeys = true
  /// let claims = Claims(issuer: "coap://as.example.com", expiration: 1_444_064_944)
  /// let bytes = try encoder.encode(claims)  // {1: "coap://as.example.com", 4: 1444064944}
  /// let copy = try CBORDecoder().decode(Claims.self, from: bytes)
  /// ```
  ///
  /// Names of ``CBORFieldCodable`` fields are always text.
  public var usesIntegerKeys = false

  /// The user info of the encoder that values receive.
  public var userInfo: [CodingUserInfoKey: any Sendable] = [:]

  /// The limits of the encoder, which uses only ``CBORLimits/depth``.
  public var limits = CBORLimits()

  /// Creates an encoder with default settings.
  public init() {}

  /// Encodes `value` as one data item.
  ///
  /// - Throws: `EncodingError.invalidValue` if values are nested deeper than the limit, or if a date is not finite. The
  ///   same error reports a value that encodes itself as more than one kind of item, or uses a container after its
  ///   `encode(to:)` has returned. Errors that the values throw are passed on unchanged.
  public func encode<Value: Encodable>(_ value: Value) throws -> Data {
    try withSession { session in
      try session.encodeOutermost(value)
    }
  }

  /// Encodes the values one after another as a CBOR sequence (RFC 8742).
  ///
  /// ``CBORDecoder`` and ``CBORSequenceReader`` decode such a sequence.
  ///
  /// - Throws: The error of ``encode(_:)`` for the first value that cannot be encoded.
  public func encode<Values: Sequence>(sequence values: Values) throws -> Data where Values.Element: Encodable {
    try withSession { session in
      for value in values { try session.encodeOutermost(value) }
    }
  }

  private func withSession(_ body: (CBOREncodingSession) throws -> Void) throws -> Data {
    let session = CBOREncodingSessionPool.take()
    defer { CBOREncodingSessionPool.give(session) }
    session.begin(
      Options(
        order: keyOrder, keyEncodingStrategy: keyEncodingStrategy, dateEncodingStrategy: dateEncodingStrategy,
        limits: limits, usesIntegerKeys: usesIntegerKeys))
    if !userInfo.isEmpty { session.userInfo = userInfo }
    try body(session)
    return session.takeBytes()
  }
}

extension CBOREncoder: ItemEncoder {}
