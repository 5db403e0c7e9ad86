// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import HeroCards
internal import UniformTypes

extension UTType {
  /// The type in messages: its identifier or, for a dynamic type, the MIME type or the extension that it encodes.
  var shown: String {
    guard isDynamic else { return identifier.escapedForDisplay() }
    return (preferredMIMEType ?? preferredFilenameExtension.map { ".\($0)" } ?? "data").escapedForDisplay()
  }

  /// Creates the type that an operand names.
  ///
  /// The operand is a family, a MIME type, an identifier or an extension. An extension may lack its period if a
  /// declared type claims it. The result is `nil` for an undeclared identifier, a malformed MIME type and an unknown
  /// wildcard.
  init?(operand word: String) {
    if let family = TypeFamily(named: word) {
      self = family.type
    } else if word.contains("/") {
      guard word.isMIMEType, !word.contains("*") else { return nil }
      self.init(tag: word, of: .mimeType)
    } else if word.hasPrefix(".") {
      self.init(tag: String(word.dropFirst()), of: .filenameExtension)
    } else if let type = UTType(word) {
      self = type
    } else if let type = UTType(tag: word, of: .filenameExtension), !type.isDynamic {
      self = type
    } else {
      return nil
    }
  }

  /// Creates the type that an operand names.
  ///
  /// Any other text without an asterisk becomes an undeclared type of that name.
  ///
  /// - Throws: `usage` for an unknown wildcard.
  init(operandOrName word: String) throws(ToolFailure) {
    if let type = UTType(operand: word) {
      self = type
    } else if word.contains("*") {
      let wildcards = TypeFamily.all.compactMap(\.wildcard).joined(separator: ", ")
      throw ToolFailure(.usage, "unknown wildcard \(word.escapedForDisplay()); use one of \(wildcards)")
    } else {
      self = UTType(named: word)
    }
  }

  /// Creates the type that an operand names.
  ///
  /// - Throws: `usage` where ``init(operand:)`` returns `nil`, so the exit code differs from the exit code of a
  ///   negative result.
  init(wanted word: String) throws(ToolFailure) {
    guard let type = UTType(operand: word) else {
      throw ToolFailure(.usage, Self.unknown(word))
    }
    self = type
  }

  /// The message for an unknown type.
  static func unknown(_ word: String) -> String {
    "unknown type \(word.isEmpty ? "\"\"" : word.escapedForDisplay()); for known types, see dragpipe types list"
  }

  /// Prefers a declared type, which may also be a directory.
  ///
  /// For an undeclared tag, creates a dynamic type of data.
  private init?(tag: String, of tagClass: UTTagClass) {
    guard let type = UTType(tag: tag, tagClass: tagClass, conformingTo: nil) else { return nil }
    self = type.isDynamic ? UTType(tag: tag, tagClass: tagClass, conformingTo: .data) ?? type : type
  }
}

extension String {
  /// Whether the string, without parameters after a semicolon, has one slash with text on both sides.
  fileprivate var isMIMEType: Bool {
    let parts = prefix { $0 != ";" }.split(separator: "/", omittingEmptySubsequences: false)
    return parts.count == 2 && parts.allSatisfy { !$0.isEmpty }
  }
}

/// A name for all types that conform to one type: a word such as `image`, and possibly a wildcard such as `image/*`.
///
/// The parser, the help, the man page and the completions all read the table of families.
struct TypeFamily: Sendable {
  let word: String
  var wildcard: String?
  let type: UTType

  static let all = [
    TypeFamily(word: "text", wildcard: "text/*", type: .text),
    TypeFamily(word: "image", wildcard: "image/*", type: .image),
    TypeFamily(word: "audio", wildcard: "audio/*", type: .audio),
    TypeFamily(word: "video", wildcard: "video/*", type: .movie),
    TypeFamily(word: "font", wildcard: "font/*", type: .font),
    TypeFamily(word: "model", wildcard: "model/*", type: .threeDContent),
    TypeFamily(word: "archive", type: .archive),
    TypeFamily(word: "folder", type: .folder),
  ]

  /// The words for completions.
  ///
  /// Wildcards are left out, since a shell would expand them.
  static var words: [String] { all.map(\.word) }

  /// A sentence for the help.
  static var note: String {
    let words = Spelling.list(words, joinedBy: "or")
    let wildcards = Spelling.list(all.compactMap(\.wildcard), joinedBy: "or")
    return "TYPE may also be a word (\(words)) or a MIME wildcard (\(wildcards)) for all types of that kind."
  }
}

extension TypeFamily {
  /// Creates the family with `name` as its word or wildcard, ignoring case.
  init?(named name: String) {
    let name = name.lowercased()
    guard let family = Self.all.first(where: { $0.word == name || $0.wildcard == name }) else { return nil }
    self = family
  }
}

/// The types that this program exports.
enum OwnTypes {
  /// Uses each type once, which declares it.
  ///
  /// Afterwards, lookups by name find these types.
  static func declare() {
    _ = [UTType.hero, .heroCBOR, .card, .cardCBOR]
  }
}
