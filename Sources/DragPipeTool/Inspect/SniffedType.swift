// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import DropTransport
internal import ItemTransfer
internal import UniformTypes

/// What bytes look like, where that says more than their sender does, or something else.
///
/// It is a hint for people, who may be lied to by both: nothing is ever done by it.
enum SniffedType {
  /// How many bytes are looked at.
  static let prefixLength = 4096

  /// Formats in which others are written: what looks like one may well be another.
  private static let containers: Set = ["application/zip", "application/xml", "application/x-ole-storage", "text/xml"]

  /// Reads the system's database, which the first question does, away from where it would hold up others.
  static func prepare() async throws {
    _ = try await runBlocking { UTType.identify(content: [UInt8]().span) }
  }

  /// What the content of a representation looks like; `nil` where its sender has said all that is to be said.
  static func type(of representation: DropItemDescription.Representation) -> UTType? {
    guard !representation.prefix.isEmpty else { return nil }
    let prefix = representation.prefix.prefix(prefixLength)
    return type(of: prefix.span, declaredAs: representation.contentType)
  }

  private static func type(of content: Span<UInt8>, declaredAs declared: UTType) -> UTType? {
    let found = UTType.identify(content: content)
    let type = found.type
    if found.basis != .content { return contradicts(guess: type, declared) ? type : nil }
    if type == declared || declared.conforms(to: type) { return nil }
    if declared.tags[.mimeType, default: []].contains(found.mimeType) { return nil }
    if type.conforms(to: declared) { return type }
    if type.conforms(to: .sourceCode), declared.conforms(to: .sourceCode) { return nil }
    return containers.contains(found.mimeType) && !hasSignature(declared) && declared.isDeclared ? nil : type
  }

  /// Whether the content, of which no more is known than whether it reads as text, cannot be what it is said to be.
  private static func contradicts(guess: UTType, _ declared: UTType) -> Bool {
    let isText = declared.conforms(to: .text)
    if guess.conforms(to: .text) { return hasSignature(declared) && !isText }
    // Of text in UTF-16, every second byte may be zero.
    return isText && !declared.conforms(to: .utf16PlainText) && !declared.conforms(to: .utf16ExternalPlainText)
  }

  /// Whether files of the type begin with bytes by which they are known.
  private static func hasSignature(_ type: UTType) -> Bool {
    [.image, .audiovisualContent, .archive, .pdf].contains { type.conforms(to: $0) }
  }
}
