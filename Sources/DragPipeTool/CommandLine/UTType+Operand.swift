// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import UniformTypes

extension UTType {
  /// The type that a person means by a word; `nil` where nobody declared one and the word says nothing itself.
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

  /// The type that a word stands for; a word that stands for none is taken for a type's name, as it is.
  ///
  /// - Throws: `usage` for a wildcard that stands for no type.
  init(operandOrName word: String) throws(ToolFailure) {
    if let type = UTType(operand: word) {
      self = type
    } else if word.contains("*") {
      let wildcards = TypeFamily.all.compactMap(\.wildcard).joined(separator: ", ")
      throw ToolFailure(.usage, "\(word.escapedForDisplay()) stands for no type; the wildcards are \(wildcards)")
    } else {
      self = UTType(named: word)
    }
  }

  /// The type that a command cannot do without; an exit code of its own tells that from any answer.
  init(wanted word: String) throws(ToolFailure) {
    guard let type = UTType(operand: word) else {
      throw ToolFailure(.usage, Self.unknown(word))
    }
    self = type
  }

  /// What to say to a word that stands for no type.
  static func unknown(_ word: String) -> String {
    "no type \(word.isEmpty ? "\"\"" : word.escapedForDisplay()) is known here"
  }

  /// Directories have extensions too; what nobody declared is taken for data.
  private init?(tag: String, of tagClass: UTTagClass) {
    guard let type = UTType(tag: tag, tagClass: tagClass, conformingTo: nil) else { return nil }
    self = type.isDynamic ? UTType(tag: tag, tagClass: tagClass, conformingTo: .data) ?? type : type
  }
}

extension String {
  /// Whether there is something on both sides of a single slash; parameters may follow.
  fileprivate var isMIMEType: Bool {
    let parts = prefix { $0 != ";" }.split(separator: "/", omittingEmptySubsequences: false)
    return parts.count == 2 && parts.allSatisfy { !$0.isEmpty }
  }
}
