// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// The content of an identifier that begins with `dyn.a`: the tags and supertypes of an undeclared type.
///
/// Apple does not document the format. It is a query such as `?0=6:1=psd1` (conforms to `public.data`, has the filename
/// extension `psd1`) in a base-32 encoding; without a supertype it is `1=psd1`. Well-known names are abbreviated to one
/// digit.
struct DynamicIdentifier: Equatable {
  /// A tag with its class.
  struct Tag: Equatable {
    var tagClass: UTTagClass
    var value: String
  }

  static let prefix = "dyn.a"

  /// The maximum length in bytes, which bounds the time to decode an identifier from another process.
  ///
  /// Longer identifiers are malformed.
  static let maximumLength = 4096

  /// The identifiers of the supertypes; empty if the query states none.
  var supertypes: [String]
  var tags: [Tag]

  init(supertypes: [String], tags: [Tag]) {
    self.supertypes = supertypes
    self.tags = tags
  }

  /// Decodes an identifier in any case; returns `nil` if it is malformed.
  init?(_ identifier: String) {
    let bytes = identifier.utf8
    guard Self.isPrefix(of: identifier), bytes.count <= Self.maximumLength,
      let query = Base32.decode(bytes.dropFirst(Self.prefix.utf8.count).lazy.map(\.asciiLowercased)),
      let text = String(validating: query, as: UTF8.self)
    else { return nil }
    self.init(query: text)
  }

  /// Returns whether the identifier begins with the prefix, in any case, and has at least one more byte.
  static func isPrefix(of identifier: String) -> Bool {
    let bytes = identifier.utf8
    return bytes.count > prefix.utf8.count
      && zip(bytes, prefix.utf8).allSatisfy { $0.asciiLowercased == $1 }
  }

  var identifier: String { Self.prefix + String(decoding: Base32.encode(Array(query.utf8)), as: UTF8.self) }
}

// MARK: Query

extension DynamicIdentifier {
  /// The names that are abbreviated to one digit: their index as a hexadecimal number.
  static let wellKnown = [
    "UTTypeConformsTo", "public.filename-extension", "com.apple.ostype", "public.mime-type",
    "com.apple.nspboard-type", "public.url-scheme", "public.data", "public.text", "public.plain-text",
    "public.utf16-plain-text", "com.apple.traditional-mac-plain-text", "public.image", "public.video", "public.audio",
    "public.directory", "public.folder",
  ]
  private static let digits = Array("0123456789ABCDEF")
  static let classes = 1..<6
  static let types = 6..<16

  /// The query, such as `?0=6:1=psd1`.
  var query: String {
    let supertypes = supertypes.map { Self.abbreviated($0, in: Self.types) }
    let tags = tags.map { Self.abbreviated($0.tagClass.rawValue, in: Self.classes) + "=" + Self.escaped($0.value) }
    return ((supertypes.isEmpty ? [] : ["?0=" + supertypes.joined(separator: ",")]) + tags).joined(separator: ":")
  }

  /// Returns the digit of a well-known name, or another name with escapes.
  ///
  /// A well-known name whose index is not in `range` is written in full, because decoding rejects its digit in this
  /// position.
  private static func abbreviated(_ name: String, in range: Range<Int>) -> String {
    for index in range where wellKnown[index].isEqualIgnoringASCIICase(to: name) { return String(digits[index]) }
    // The backslash distinguishes a name of one character from the digit of a well-known name.
    let isDigit = name.utf8.count == 1 && digits.contains { name.first == $0 }
    return (isDigit ? "\\" : "") + escaped(name)
  }

  private static func escaped(_ text: String) -> String {
    var bytes: [UInt8] = []
    for byte in text.utf8 {
      if ":=,\\".utf8.contains(byte) { bytes.append(UInt8(ascii: "\\")) }
      bytes.append(byte)
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  init?(query: String) {
    supertypes = []
    tags = []
    var pairs = Self.split(Substring(query), at: ":")
    // Bytes are compared because a name may begin with a combining mark, which forms one character with the separator.
    if query.utf8.first == UInt8(ascii: "?") {
      guard pairs[0].utf8.starts(with: "?0=".utf8) else { return nil }
      for name in Self.split(Substring(pairs.removeFirst().utf8.dropFirst(3)), at: ",") {
        guard let type = Self.unabbreviated(name, in: Self.types) else { return nil }
        supertypes.append(type)
      }
    }
    for pair in pairs {
      let sides = Self.split(pair, at: "=", maximumParts: 2)
      guard sides.count == 2, let name = Self.unabbreviated(sides[0], in: Self.classes),
        let value = Self.unescaped(sides[1])
      else { return nil }
      let tag = Tag(tagClass: UTTagClass(rawValue: name), value: value)
      // The value may become part of a file's name, which cannot contain these bytes.
      if tag.tagClass == .filenameExtension, value.utf8.contains(where: { $0 == 0 || $0 == UInt8(ascii: "/") }) {
        return nil
      }
      tags.append(tag)
    }
  }

  private static func unabbreviated(_ name: Substring, in range: Range<Int>) -> String? {
    if name.utf8.count == 1, let digit = name.first, let index = digits.firstIndex(of: digit) {
      return range.contains(index) ? wellKnown[index] : nil
    }
    return name.isEmpty ? nil : unescaped(name)
  }

  /// Removes the backslashes before escaped characters; returns `nil` for a backslash at the end.
  private static func unescaped(_ text: Substring) -> String? {
    var result = String.UnicodeScalarView()
    var isEscaped = false
    for scalar in text.unicodeScalars {
      if scalar == "\\", !isEscaped {
        isEscaped = true
      } else {
        result.append(scalar)
        isEscaped = false
      }
    }
    return isEscaped ? nil : String(result)
  }

  /// Splits at separators that are not escaped; returns at least one part.
  private static func split(_ text: Substring, at separator: UnicodeScalar, maximumParts: Int = .max) -> [Substring] {
    var parts: [Substring] = []
    var start = text.startIndex
    var isEscaped = false
    for index in text.unicodeScalars.indices {
      if isEscaped {
        isEscaped = false
      } else if text.unicodeScalars[index] == "\\" {
        isEscaped = true
      } else if text.unicodeScalars[index] == separator, parts.count + 1 < maximumParts {
        parts.append(text[start..<index])
        start = text.unicodeScalars.index(after: index)
      }
    }
    return parts + [text[start...]]
  }
}

/// The base-32 encoding of dynamic identifiers: RFC 4648 with an alphabet without `i`, `j`, `l` and `o`, and without
/// padding.
enum Base32 {
  /// Encodes bytes; zero bits fill the last digit.
  static func encode(_ bytes: [UInt8]) -> [UInt8] {
    var digits: [UInt8] = []
    var bits = 0
    var bitCount = 0
    for byte in bytes {
      bits = (bits << 8 | Int(byte)) & 0xFFF
      bitCount += 8
      while bitCount >= 5 {
        bitCount -= 5
        digits.append(alphabet[bits >> bitCount & 31])
      }
    }
    if bitCount > 0 { digits.append(alphabet[bits << (5 - bitCount) & 31]) }
    return digits
  }

  private static let alphabet = Array("abcdefghkmnpqrstuvwxyz0123456789".utf8)

  /// Decodes lower-case digits.
  ///
  /// - Returns: The bytes; `nil` if a character is not a digit, if the last digit is superfluous, or if a padding bit
  ///   is not 0.
  static func decode(_ digits: some Sequence<UInt8>) -> [UInt8]? {
    var bytes: [UInt8] = []
    var bits = 0
    var bitCount = 0
    for digit in digits {
      guard let value = value(of: digit) else { return nil }
      bits = (bits << 5 | value) & 0xFFF
      bitCount += 5
      if bitCount >= 8 {
        bitCount -= 8
        bytes.append(UInt8(truncatingIfNeeded: bits >> bitCount))
      }
    }
    guard bitCount < 5, bits & (1 << bitCount - 1) == 0 else { return nil }
    return bytes
  }

  private static func value(of digit: UInt8) -> Int? {
    switch digit {
    case UInt8(ascii: "a")...UInt8(ascii: "h"): Int(digit) - 97
    case UInt8(ascii: "k"): 8
    case UInt8(ascii: "m")...UInt8(ascii: "n"): Int(digit) - 100
    case UInt8(ascii: "p")...UInt8(ascii: "z"): Int(digit) - 101
    case UInt8(ascii: "0")...UInt8(ascii: "9"): Int(digit) - 26
    default: nil
    }
  }
}
