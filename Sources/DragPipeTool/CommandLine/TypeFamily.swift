// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import UniformTypes

/// A word, and perhaps a MIME wildcard, for all types that conform to one.
///
/// The parser, the help, the manual page and the completions all read this table.
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

  /// The words, as completions offer them: a shell would take a wildcard for files.
  static var words: [String] { all.map(\.word) }

  /// A sentence for the help.
  static var note: String {
    let words = Spelling.list(words, joinedBy: "or")
    let wildcards = Spelling.list(all.compactMap(\.wildcard), joinedBy: "or")
    return "TYPE may also be a word (\(words)) or a MIME wildcard (\(wildcards)) for all types of that kind."
  }
}

extension TypeFamily {
  /// The family that has `name` as its word or its wildcard, in any case.
  init?(named name: String) {
    let name = name.lowercased()
    guard let family = Self.all.first(where: { $0.word == name || $0.wildcard == name }) else { return nil }
    self = family
  }
}
