// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import FoundationEssentials

extension HeroCardError {
  /// The error for an element that could not be decoded.
  init(_ error: any Error, in element: JSONElement, unfit: Code) {
    let code: Code
    let reason: String
    let codingPath: [any CodingKey]
    switch error {
    case DecodingError.keyNotFound(let key, let context):
      let failure = context.codingPath.isEmpty && element.index == nil ? ErrorReply(in: element.bytes)?.reason : nil
      (code, codingPath) = (unfit, context.codingPath)
      reason = failure ?? (context.debugDescription.isEmpty ? "no key \(key.stringValue)" : context.debugDescription)
    case DecodingError.typeMismatch(let type, let context), DecodingError.valueNotFound(let type, let context):
      (code, codingPath) = (.invalidValue, context.codingPath)
      let found = JSONPathTracker.kind(at: JSONPath(context.codingPath), in: element.bytes)?.phrase ?? "something else"
      reason = "expected \(Self.phrase(for: type)), found \(found)"
    case DecodingError.dataCorrupted(let context) where context.codingPath.isEmpty:
      // The scanner found the JSON sound, but does not look into strings; those of values get a path when decoded.
      (code, codingPath, reason) = (.malformed, [], "a key that is no Unicode text")
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

  /// What JSON has for a Swift type.
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

/// What a catalogue answers in place of heroes when it has none to give.
private struct ErrorReply: Decodable {
  var code: String
  var text: String?

  init?(in bytes: Data) {
    guard let reply = try? JSONDecoder().decode(ErrorReply.self, from: bytes) else { return nil }
    self = reply
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    if let number = try? container.decode(Int.self, forKey: .code) {
      guard !(200..<300).contains(number) else { throw container.notFound(.code, "no error") }
      code = String(number)
    } else {
      code = try container.decode(String.self, forKey: .code)
    }
    text = try? container.decode(String.self, forKey: .status)
    if text == nil { text = try? container.decode(String.self, forKey: .message) }
  }

  var reason: String {
    "an error reply with code \(code.quotable(atMost: 60))" + (text.map { ": \"\($0.quotable())\"" } ?? "")
  }

  private enum CodingKeys: String, CodingKey {
    case code, status, message
  }
}
