// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropTransport
internal import UniformTypes

/// Shows what a drop stream or a file of CBOR holds, and whether it is whole.
struct InspectCommand: ToolCommand {
  static let name = "inspect"
  static let summary = "Lists what a drop stream holds, and verifies it."
  static let forms = [
    "[--tree | --json] [--content] [FILE|-]", "--verify [--json] [FILE|-]", "[--json] FILE.cbor",
  ]
  static let operand = ArgumentCompletion.file
  static let options = [
    OptionSpecification(
      name: "tree", short: "t", summary: "each item with its representations below it, instead of a table"),
    OptionSpecification(name: "json", short: "j", summary: "write one JSON document"),
    OptionSpecification(name: "content", short: "c", summary: "show the beginning of CBOR, JSON and property lists"),
    OptionSpecification(name: "diagnostic", summary: "another name of --content"),
    OptionSpecification(name: "verify", summary: "list nothing: the exit code says whether it is whole"),
  ]
  static let notes = """
    The exit code is 0 where the stream is whole and verified, 65 where it is malformed, damaged or cut; what was seen
    before is shown even so. Types are those that the sender states. Where the first bytes look like something more or
    else, that is said beside them, and nothing else is done by it. --verify also holds the index of a file against its
    items.

    Content is CBOR where its type's identifier ends in .cbor, or files of the type do; it is shown in diagnostic
    notation. At most 2000 characters of a representation are shown, and … stands for the rest. A file that is no drop
    stream is shown as a CBOR sequence, one item a line, if its name ends in .cbor, or --content is given and it is not
    empty.

    \(InspectionDocument.keys) With --verify
    it has verified, and itemCount and hasIndex of a file, or error.
    """

  /// Output gathers until there is so much of it, but for a terminal.
  private static let bufferLength = 32 << 10

  private enum Form: Sendable {
    case table
    case tree
    case document
  }

  private let file: String?
  private let form: Form
  private let showsContent: Bool
  private let verifiesOnly: Bool

  init(_ arguments: ParsedArguments) throws(ToolFailure) {
    guard arguments.operands.count <= 1 else { throw ToolFailure(.usage, "inspect takes one stream") }
    file = arguments.operands.first.flatMap { $0 == "-" ? nil : $0 }
    showsContent = arguments.has("content") || arguments.has("diagnostic")
    verifiesOnly = arguments.has("verify")
    switch (arguments.has("tree"), arguments.has("json")) {
    case (true, true): throw ToolFailure(.usage, "--tree and --json exclude each other")
    case (true, false): form = .tree
    case (false, true): form = .document
    case (false, false): form = .table
    }
    if verifiesOnly, showsContent || form == .tree {
      throw ToolFailure(.usage, "--verify shows nothing: it goes with --json only")
    }
  }

  func run(in environment: ToolEnvironment) async throws {
    guard file != nil || !environment.inputIsTerminal else {
      throw ToolFailure(.usage, "standard input is a terminal; name a file, or pipe a stream in")
    }
    if verifiesOnly {
      return try await InspectionVerification(file: file, isJSON: form == .document).run(in: environment)
    }
    OwnTypes.declare()
    try await SniffedType.prepare()
    var report = report(environment)
    var text = report.start()
    var isEmpty = true
    do {
      let endpoint = if let file { DropEndpoint.file(file) } else { try environment.inputEndpoint() }
      try await DropStream.withInspector(from: endpoint, keeping: prefixLength) { items in
        for try await item in items {
          isEmpty = false
          text += try report.add(item)
          guard text.utf8.count >= Self.bufferLength || environment.outputIsTerminal, !text.isEmpty else { continue }
          try await environment.write(text)
          text = ""
        }
      }
    } catch let error as DropStreamError {
      if isEmpty, let file, mayBeSequence(file, error) {
        return try await SequenceInspection(file: file, isJSON: form == .document).run(in: environment)
      }
      try await environment.write(text + report.end(error))
      throw file.map { ToolFailure(error, in: $0) } ?? ToolFailure(error)
    }
    try await environment.write(text + report.end(nil))
  }

  private func report(_ environment: ToolEnvironment) -> any InspectionReport {
    switch form {
    // Who looks at a stream that comes slowly sees each item as it comes.
    case .table:
      InspectionTable(
        width: environment.outputWidth, showsContent: showsContent,
        gathersRows: file != nil || !environment.outputIsTerminal)
    case .tree: InspectionTree(width: environment.outputWidth, showsContent: showsContent)
    case .document: InspectionDocument(showsContent: showsContent)
    }
  }

  private var prefixLength: @Sendable (UTType) -> Int {
    guard showsContent else { return { _ in SniffedType.prefixLength } }
    return { type in max(SniffedType.prefixLength, ContentPreview.prefixLength(of: type)) }
  }

  /// Whether `file`, with which `error` is wrong as a stream, is to be tried as CBOR: what was read of it can be read
  /// again.
  private func mayBeSequence(_ file: String, _ error: DropStreamError) -> Bool {
    let isNamedSo = file.lowercased().hasSuffix(".cbor")
    // Of a file without a byte, only its name can say that it is no stream of which nothing has come.
    guard error.code == .notADropStream && (isNamedSo || showsContent) || error.code == .empty && isNamedSo else {
      return false
    }
    return InspectionVerification.isRegular(file)
  }
}
