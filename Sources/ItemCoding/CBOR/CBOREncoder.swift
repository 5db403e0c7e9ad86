// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials

/// Writes `Encodable` values as CBOR, the Concise Binary Object Representation (RFC 8949).
///
/// Objects become maps with text keys, in the order their values come in; `Data` a byte string, `Date` tag 0 or 1,
/// `Decimal` tag 4, `URL` tag 32, `UUID` tag 37, integers beyond 64 bits bignums, a dictionary with integer keys a map
/// with integer keys. Every header and number takes as few bytes as it can (preferred serialisation, section 4.1), and
/// all lengths are definite.
///
/// ```swift
/// let bytes = try CBOREncoder().encode(["Atalanta": 1])
/// let places = try CBORDecoder().decode([String: Int].self, from: bytes)
/// ```
///
/// ``CBORValue`` holds any item, ``CBORTagged`` adds a tag to a value, and ``usesIntegerKeys`` writes numbered keys.
///
/// The `stringValue` of a key that is one byte in memory, as cases of enumerations are, is asked for once and kept.
public struct CBOREncoder: Sendable {
  /// In which order the entries of a map are written.
  public enum KeyOrder: Sendable, Hashable {
    /// As the value writes them. The order of sets and dictionaries differs from run to run.
    case written
    /// By the bytes of their encoded keys: equal values give equal bytes anywhere (RFC 8949, section 4.2.1).
    ///
    /// The elements of a `Set` are sorted by their bytes. So are the pairs of a dictionary that becomes an array of
    /// keys and values, as one with `Double` keys does. A type that stores a set must pass it to a container: a direct
    /// call of `set.encode(to: encoder)` writes the elements unsorted.
    case deterministic
  }

  /// How dates are written; each way refuses a date whose seconds are not a finite number.
  public enum DateEncodingStrategy: Sendable, Hashable {
    /// Seconds since 1970, with tag 1: an integer for a whole second, else a floating-point number, which tells
    /// today's moments to about a quarter of a microsecond.
    case secondsSince1970
    /// Text as in RFC 3339, with tag 0; with tag 1 outside the years 0 to 9999.
    case iso8601
    /// As `Date` writes itself: seconds since 2001, exact, without a tag.
    case deferredToDate
  }

  /// Without references: it is copied for each value.
  struct Options {
    var order = KeyOrder.written
    var dateEncodingStrategy = DateEncodingStrategy.secondsSince1970
    var limits = CBORLimits()
    var usesIntegerKeys = false
  }

  /// In which order the entries of maps are written; as the values write them unless it is said otherwise.
  public var keyOrder = KeyOrder.written

  /// How dates are written; with tag 1 unless it is said otherwise.
  public var dateEncodingStrategy = DateEncodingStrategy.secondsSince1970

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

  /// What is passed to the values as they write themselves.
  public var userInfo: [CodingUserInfoKey: any Sendable] = [:]

  /// How deep values may be nested, in ``CBORLimits/depth``; the other limits are for decoders.
  public var limits = CBORLimits()

  /// Makes an encoder with the default settings.
  public init() {}

  /// Writes `value` as one data item.
  ///
  /// - Throws: `EncodingError.invalidValue` where values are nested more deeply than the limit, or one wrote itself as
  ///   two kinds of things or after its time, or a date is not finite; and what the values throw themselves.
  public func encode<Value: Encodable>(_ value: Value) throws -> Data {
    try withSession { session in
      try session.encodeOutermost(value)
    }
  }

  /// Writes the values one after another: a CBOR sequence (RFC 8742), which ``CBORDecoder`` and
  /// ``CBORSequenceReader`` read.
  ///
  /// - Throws: What ``encode(_:)`` throws, at the first value that cannot be written.
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
        order: keyOrder, dateEncodingStrategy: dateEncodingStrategy, limits: limits, usesIntegerKeys: usesIntegerKeys))
    if !userInfo.isEmpty { session.userInfo = userInfo }
    try body(session)
    return session.takeBytes()
  }
}

extension CBOREncoder: ItemEncoder {}
