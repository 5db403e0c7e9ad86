// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropTransport

/// Shows what a drop stream or a file of CBOR holds, and whether it is whole.
struct InspectCommand: ToolCommand {
  static let name = "inspect"
  static let summary = "Lists what a drop stream holds, and verifies it."
  static let forms = ["[--json] [--diagnostic] [FILE|-]", "[--json] FILE.cbor"]
  static let options = [
    OptionSpecification(name: "json", summary: "write one JSON document"),
    OptionSpecification(name: "diagnostic", summary: "show the beginning of CBOR content in diagnostic notation"),
  ]
  static let notes = """
    Content is CBOR where its type's identifier ends in .cbor, or files of the type do. A file that is no drop stream
    is shown as a CBOR sequence, one item a line, if its name ends in .cbor or --diagnostic is given.
    """

  /// Output gathers until there is so much of it, but for a terminal.
  private static let bufferLength = 32 << 10

  private let file: String?
  private let isJSON: Bool
  private let isDiagnostic: Bool

  init(_ arguments: ParsedArguments) throws(ToolFailure) {
    guard arguments.operands.count <= 1 else { throw ToolFailure(.usage, "inspect takes one stream") }
    file = arguments.operands.first.flatMap { $0 == "-" ? nil : $0 }
    isJSON = arguments.has("json")
    isDiagnostic = arguments.has("diagnostic")
  }

  func run(in environment: ToolEnvironment) async throws {
    guard file != nil || !environment.inputIsTerminal else {
      throw ToolFailure(.usage, "standard input is a terminal; name a file, or pipe a stream in")
    }
    let endpoint = if let file { DropEndpoint.file(file) } else { try environment.inputEndpoint() }
    var report: any InspectionReport = isJSON ? InspectionDocument() : InspectionListing()
    var text = report.start()
    var isEmpty = true
    let prefixLength = isDiagnostic ? DiagnosticPreview.prefixLength : nil
    do {
      try await DropStream.withInspector(from: endpoint, keeping: prefixLength) { items in
        for try await item in items {
          isEmpty = false
          text += try report.add(item)
          if text.utf8.count >= Self.bufferLength || environment.outputIsTerminal {
            try await environment.write(text)
            text = ""
          }
        }
      }
    } catch let error as DropStreamError {
      if isEmpty, let file, mayBeSequence(file, error) {
        return try await SequenceInspection(file: file, isJSON: isJSON).run(in: environment)
      }
      try await environment.write(text + report.end(error))
      throw error
    }
    try await environment.write(text + report.end(nil))
  }

  /// Whether `file`, with which `error` is wrong as a stream, is to be tried as CBOR: what was read of it can be read
  /// again.
  private func mayBeSequence(_ file: String, _ error: DropStreamError) -> Bool {
    guard error.code == .notADropStream || error.code == .empty else { return false }
    guard isDiagnostic || file.lowercased().hasSuffix(".cbor") else { return false }
    return (try? SystemCalls.statusAt(DropEndpoint.currentDirectory, file))?.kind == .regular
  }
}
