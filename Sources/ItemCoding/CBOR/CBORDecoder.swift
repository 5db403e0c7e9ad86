// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials

/// A decoder of `Decodable` values from CBOR, the Concise Binary Object Representation (RFC 8949), of any encoder.
///
/// The decoder accepts definite and indefinite lengths, numbers of any width, tags and simple values. It ignores tags
/// that the requested type does not use. A text key of a map matches the `stringValue` of a `CodingKey`, and an integer
/// key matches its `intValue`. An integer decodes as `Double` if the conversion is exact; a floating-point number never
/// decodes as an integer. A byte string decodes as `Data` or `[UInt8]`; other collections of bytes are arrays of
/// integers. ``CBORValue`` decodes any item, ``CBORTagged`` a tag and a value.
///
/// ```swift
/// let bytes = try CBOREncoder().encode(["Atalanta": 1])
/// let places = try CBORDecoder().decode([String: Int].self, from: bytes)
/// ```
///
/// The input may come from an untrusted sender:
///
/// - The decoder compares each length with the remaining input before it uses the length.
/// - It reserves at most 16 bytes for each byte of the input before it has decoded the elements of arrays and
///   dictionaries.
/// - If the program requests the keys of a map out of order or leaves an entry unread, the decoder indexes the map. The
///   index takes up to 64 bytes for each entry, or 256 bytes if keys are not text.
/// - It checks only that a value is well-formed if the program does not request the value.
/// - It refuses a decoded map with a repeated key, or with the integer and the text of one `CodingKey`. `allKeys` of
///   such a map lists each key once.
/// - If the program requests `allKeys`, it refuses a map in which the text of a key is not UTF-8.
public struct CBORDecoder: Sendable {
  /// The way in which a date without a tag is decoded.
  ///
  /// A date with tag 0 or 1 is decoded as the tag defines.
  ///
  /// The decoder refuses a date whose seconds are not a finite number.
  public enum DateDecodingStrategy: Sendable, Hashable {
    /// Refuses the date.
    case tagged
    /// Decodes seconds since 2001, as `Date` encodes itself.
    case deferredToDate
    /// Decodes seconds since 1970, as in the claims of a CWT (RFC 8392).
    case secondsSince1970
  }

  /// The way in which text keys of a map become keys of keyed containers.
  ///
  /// Keys of dictionaries with `String` keys and names of ``CBORFieldCodable`` fields are not converted.
  public enum KeyDecodingStrategy: Sendable, Hashable {
    /// Compares the text with the `stringValue` of a key.
    case useDefaultKeys
    /// Converts `one_two_three` to `oneTwoThree` before the comparison, as `JSONDecoder` does.
    ///
    /// `my_url_property` becomes `myUrlProperty`, and so does not match the key `myURLProperty`. Underscores at the start
    /// and the end stay. A map in which two keys are equal after the conversion is refused. The decoder indexes each
    /// map, which takes longer than decoding with the default keys and more memory than stated for ``CBORDecoder``.
    case convertFromSnakeCase
  }

  /// The options, which contain no references because they are copied for each value.
  struct Options {
    var keyDecodingStrategy = KeyDecodingStrategy.useDefaultKeys
    var requiredKeyOrder = CBOREncoder.KeyOrder.written
    var dateDecodingStrategy = DateDecodingStrategy.tagged
    var limits = CBORLimits()
    var acceptsLongArguments = false
    /// Whether the items were JSON text, in which `Data` is base64 text.
    var isFromJSON = false
  }

  /// The way in which text keys become keys of keyed containers; unchanged by default.
  public var keyDecodingStrategy = KeyDecodingStrategy.useDefaultKeys

  /// The key order of the deterministic encoding that the input must have (RFC 8949, section 4.2).
  ///
  /// The default is ``CBOREncoder/KeyOrder/written``, which accepts any encoding. With another order, the decoder checks
  /// each outermost item before it decodes the item. It refuses arguments, bignums and floating-point numbers in more
  /// bytes than they need, indefinite lengths, and keys that are repeated or in another order.
  /// ``acceptsLongArguments`` then has no effect.
  public var requiredKeyOrder = CBOREncoder.KeyOrder.written

  /// The way in which a date without a tag is decoded; it is refused by default.
  public var dateDecodingStrategy = DateDecodingStrategy.tagged

  /// The limits of the decoder.
  public var limits = CBORLimits()

  /// Whether lengths, counts, integers and tags may take more bytes than they need; `false` by default.
  ///
  /// RFC 8949 leaves the choice to the decoder. Common encoders do not write such arguments.
  public var acceptsLongArguments = false

  /// The user info of the decoder that values receive.
  public var userInfo: [CodingUserInfoKey: any Sendable] = [:]

  /// Creates a decoder with default settings.
  public init() {}

  /// Decodes `data`, which must be one data item.
  ///
  /// - Throws: `DecodingError`, with the coding path and a description that begins with the byte offset.
  ///   `dataCorrupted` means that the input is malformed, truncated, out of range or beyond a limit, repeats a key, or
  ///   does not end after the item. `typeMismatch`, `valueNotFound` and `keyNotFound` mean that a requested item has
  ///   another type, is null or is missing. Errors that the values throw are passed on unchanged.
  public func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
    try decode(type, from: data, at: 0)
  }

  /// Decodes `data`, which begins at byte `origin` of a larger input; offsets in errors are relative to that input.
  @inline(__always)
  func decode<Value: Decodable>(_ type: Value.Type, from data: Data, at origin: Int) throws -> Value {
    try withSession(data, at: origin) { session in
      var offset = 0
      let value = try session.decodeOutermost(type, &offset)
      try session.expectEnd(at: offset)
      return value
    }
  }

  /// Decodes all data items in `data`, a CBOR sequence (RFC 8742).
  ///
  /// - Throws: The error of ``decode(_:from:)`` for the first item that cannot be decoded.
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
      keyDecodingStrategy: keyDecodingStrategy, requiredKeyOrder: requiredKeyOrder,
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

/// The limits of a coder, which bound the cost of input from an untrusted sender.
///
/// Independent of the limits, the decoder reserves memory only in proportion to the input; see ``CBORDecoder``.
public struct CBORLimits: Sendable, Hashable {
  /// The maximum depth of nested maps and arrays; 512 by default, as in `JSONDecoder`.
  ///
  /// The tags of ``CBORValue`` and ``CBORTagged`` are levels as well.
  ///
  /// Each level takes stack of the calling thread, because nested values encode and decode themselves in nested calls.
  /// Use a much higher limit only for trusted data, on a thread with enough stack.
  public var depth: Int

  /// The maximum length of a string in bytes, and of an array or map in elements or entries; 1 073 741 824 by default.
  public var length: Int

  /// The maximum number of visits to values for each byte of the input; 64 by default.
  ///
  /// A million visits are always allowed.
  ///
  /// An attempt to decode a value costs one visit, and a failed attempt costs four more. Each 16 skipped items, or 512
  /// bytes of a value, cost one visit. A value takes at least one byte, so types that decode their keys in order need
  /// at most one visit for each byte. Types that try to decode a value as one type after another need about forty
  /// visits for each byte. Types that do so at many depths exceed the limit.
  public var visitsPerByte: Int

  /// Creates limits.
  public init(depth: Int = 512, length: Int = 1 << 30, visitsPerByte: Int = 64) {
    self.depth = depth
    self.length = length
    self.visitsPerByte = visitsPerByte
  }

  /// No limits, for trusted data only: other input can exhaust the stack.
  public static let unlimited = CBORLimits(depth: .max, length: .max, visitsPerByte: .max)

  /// Returns the maximum number of visits for an input of `byteCount` bytes.
  func visits(byteCount: Int) -> Int {
    let (product, overflow) = byteCount.multipliedReportingOverflow(by: visitsPerByte)
    // The session counts fractions of a visit, and that number must not overflow.
    return overflow ? .max / CBORDecodingSession.visit : min(max(1_000_000, product), .max / CBORDecodingSession.visit)
  }
}
