// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropTransport
internal import UniformTypes

/// Shows what a drop stream holds, and whether it is whole.
struct InspectCommand: ToolCommand {
  static let name = "inspect"
  static let summary = "Lists what a drop stream holds, and verifies it."
  static let forms = ["[--json] [FILE|-]"]
  static let options = [OptionSpecification(name: "json", summary: "write one JSON document")]
  static let notes = ""

  /// Output gathers until there is so much of it, but for a terminal.
  private static let bufferLength = 32 << 10

  private let file: String?
  private let isJSON: Bool

  init(_ arguments: ParsedArguments) throws(ToolFailure) {
    guard arguments.operands.count <= 1 else { throw ToolFailure(.usage, "inspect takes one stream") }
    file = arguments.operands.first.flatMap { $0 == "-" ? nil : $0 }
    isJSON = arguments.has("json")
  }

  func run(in environment: ToolEnvironment) async throws {
    guard file != nil || !environment.inputIsTerminal else {
      throw ToolFailure(.usage, "standard input is a terminal; name a file, or pipe a stream in")
    }
    let endpoint = if let file { DropEndpoint.file(file) } else { try environment.inputEndpoint() }
    var report: any InspectionReport = isJSON ? InspectionDocument() : InspectionListing()
    var text = report.start()
    do {
      try await DropStream.withInspector(from: endpoint) { items in
        for try await item in items {
          text += try report.add(item)
          if text.utf8.count >= Self.bufferLength || environment.outputIsTerminal {
            try await environment.write(text)
            text = ""
          }
        }
      }
    } catch let error as DropStreamError {
      try await environment.write(text + report.end(error))
      throw error
    }
    try await environment.write(text + report.end(nil))
  }
}
