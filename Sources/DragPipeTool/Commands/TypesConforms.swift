// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import ItemCoding
internal import ItemTransfer
internal import UniformTypes

/// Tells whether one type may be used where another is wanted.
struct TypesConforms: ToolCommand {
  static let name = "conforms"
  static let summary = "Says whether one type conforms to another."
  static let forms = ["TYPE TYPE"]
  static let operand = ArgumentCompletion.type
  static let notes = """
    The exit code is 0 if so, 1 if not, and 64 where one of the types is not known.

    \(TypesCommand.typeNote)
    """
  static let examples = ["dragpipe types conforms .png public.image"]

  private let operands: [String]

  init(_ arguments: ParsedArguments) throws(ToolFailure) {
    operands = arguments.operands
    guard operands.count == 2 else { throw ToolFailure(.usage, "types conforms takes two types") }
  }

  func run(in environment: ToolEnvironment) async throws {
    let (type, other, answer) = try await runBlocking { [operands] in
      let type = try UTType(wanted: operands[0])
      let other = try UTType(wanted: operands[1])
      return (type, other, type.conforms(to: other))
    }
    let verb = answer ? "conforms" : "does not conform"
    try await environment.write("\(type.identifier.asColumn) \(verb) to \(other.identifier.asColumn)\n")
    if !answer { throw ToldFailure(exitCode: .failure) }
  }
}

extension UTType {
  /// The type that a person means by a word; `nil` where nobody declared one and the word says nothing itself.
  init?(operand word: String) {
    if word.contains("/") {
      guard word.isMIMEType else { return nil }
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
