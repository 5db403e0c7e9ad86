// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import FoundationEssentials
internal import ItemCoding

/// An error in hero or card data from another source, with the path and the byte offset of the fault.
///
/// ```swift
/// do throws(HeroCardError) {
///   while let hero = try reader.next() { show(hero) }
/// } catch {
///   print(error)  // data.results[3].name: expected a string, found a number (element at byte 1234)
/// }
/// ```
public struct HeroCardError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kinds of fault.
  @nonexhaustive
  public enum Code: Hashable, Sendable {
    /// The text is not JSON.
    case malformed
    /// The text ends inside a value.
    case truncated
    /// The text has no JSON value.
    case empty
    /// An element exceeds the ``HeroCardLimits`` for size or nesting.
    case limitExceeded
    /// The JSON is well-formed, but a value has the wrong type, is out of range, repeats a key or is invalid text.
    case invalidValue
    /// The JSON is well-formed, but a value in place of a hero is not a hero.
    case notHeroes
    /// The JSON is well-formed, but a value in place of a card, column or board is not one of these.
    case notCards
  }

  /// The kind of fault.
  public let code: Code

  /// The path from the outermost value to the faulty value, such as `data.results[3].comics.available`.
  ///
  /// Empty if the outermost value is faulty.
  public var path: String { location.description }

  /// The byte offset of the fault from the start of the text.
  ///
  /// For an element that is too long or cannot be decoded, this is the offset of the first byte of the element. For any
  /// other fault, such as a duplicate key, it is the offset at which the reader found the fault.
  public let byteOffset: Int64?

  /// The reason as a phrase; quoted text is truncated and its control characters are escaped.
  public let reason: String

  /// Whether `byteOffset` is the start of the element instead of the exact byte.
  private let isOffsetOfElement: Bool

  private let location: JSONPath

  init(_ code: Code, at path: JSONPath, byteOffset: Int?, isOffsetOfElement: Bool = false, reason: String) {
    self.code = code
    location = path
    self.byteOffset = byteOffset.map(Int64.init)
    self.reason = reason
    self.isOffsetOfElement = isOffsetOfElement
  }

  /// A sentence with the path, the reason and the offset; a path of more than eight steps is shortened in the middle.
  public var description: String {
    var sentence = location.components.isEmpty ? reason : "\(location.abbreviated): \(reason)"
    if let byteOffset {
      sentence += " (\(isOffsetOfElement ? "element at" : "at") byte \(byteOffset))"
    }
    return sentence
  }
}

extension HeroCardError {
  /// Creates the error for an element that cannot be decoded.
  init(_ error: any Error, in element: JSONElement, mismatch: Code) {
    let code: Code
    let reason: String
    let codingPath: [any CodingKey]
    switch error {
    case let error as HeroCardError:
      // The location of a duplicate key is relative to the element.
      self.init(
        error.code, at: element.path + error.location, byteOffset: element.byteOffset + Int(error.byteOffset ?? 0),
        reason: error.reason)
      return
    case DecodingError.keyNotFound(let key, let context):
      let failure = context.codingPath.isEmpty && element.index == nil ? ErrorResponse(in: element.bytes)?.reason : nil
      (code, codingPath) = (mismatch, context.codingPath)
      let words = context.debugDescription
      reason = failure ?? (words.isEmpty ? "missing key \(key.stringValue)" : words)
    case DecodingError.typeMismatch(let type, let context), DecodingError.valueNotFound(let type, let context):
      (code, codingPath) = (.invalidValue, context.codingPath)
      let kind = JSONPathTracker.kind(at: JSONPath(context.codingPath), in: element.bytes)
      let found = kind?.phrase ?? "a different value"
      reason = "expected \(Self.phrase(for: type)), found \(found)"
    case DecodingError.dataCorrupted(let context) where context.codingPath.isEmpty:
      // The scanner has validated the JSON, except the text of keys. The error for a string in a value has a path.
      (code, codingPath, reason) = (.malformed, [], "a key that is not Unicode text")
    case DecodingError.dataCorrupted(let context):
      (code, codingPath) = (.invalidValue, context.codingPath)
      reason = context.debugDescription.quotable()
    default:
      (code, codingPath) = (.malformed, [])
      reason = String(describing: error).quotable()
    }
    self.init(
      code, at: element.path + JSONPath(codingPath), byteOffset: element.byteOffset, isOffsetOfElement: true,
      reason: reason)
  }

  /// Returns the JSON name of a Swift type.
  private static func phrase(for type: any Any.Type) -> String {
    switch type {
    case is String.Type, is Data.Type: "a string"
    case is any BinaryInteger.Type, is any BinaryFloatingPoint.Type: "a number"
    case is Bool.Type: "true or false"
    case is any Sequence.Type: String(describing: type).hasPrefix("Dictionary") ? "an object" : "an array"
    default: "an object"
    }
  }
}

/// The error object that a catalogue returns instead of heroes.
private struct ErrorResponse: Decodable {
  var code: String
  var text: String?

  init?(in bytes: Data) {
    guard let response = try? JSONDecoder().decode(ErrorResponse.self, from: bytes) else { return nil }
    self = response
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    if let number = try? container.decode(Int.self, forKey: .code) {
      guard !(200..<300).contains(number) else { throw container.notFound(.code, "the code reports success") }
      code = String(number)
    } else {
      code = try container.decode(String.self, forKey: .code)
    }
    text = try? container.decode(String.self, forKey: .status)
    if text == nil { text = try? container.decode(String.self, forKey: .message) }
  }

  var reason: String {
    "an error response with code \(code.quotable(atMost: 60))" + (text.map { ": \"\($0.quotable())\"" } ?? "")
  }

  private enum CodingKeys: String, CodingKey {
    case code, status, message
  }
}
