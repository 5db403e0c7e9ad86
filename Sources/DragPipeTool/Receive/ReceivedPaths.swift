// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropTransport
internal import UniformTypes

/// The paths of received files, as `receive --print` writes them.
struct ReceivedPaths {
  enum Form: Sendable {
    case lines
    case zeroBytes
    case document

    /// - Throws: `usage` if the options need another option or a directory.
    init?(_ arguments: ParsedArguments, _ destination: ReceiveDestination) throws(ToolFailure) {
      guard arguments.has("print") else {
        try ReceiveDestination.refuse(arguments, ["null"], "needs --print")
        return nil
      }
      guard case .folder = destination else { throw ToolFailure(.usage, "--print needs a directory") }
      switch (arguments.has("null"), arguments.has("json")) {
      case (true, true): throw ToolFailure(.usage, "--null and --json exclude each other")
      case (true, false): self = .zeroBytes
      case (false, true): self = .document
      case (false, false): self = .lines
      }
    }
  }

  private struct File: Encodable {
    let item: Int
    let name: String?
    let path: String
    let type: String
    let byteCount: UInt64
  }

  private struct Document: Encodable {
    let files: [File]
  }

  private let files: [File]

  init(_ files: [DropFolder.File], in folder: DropFolder) {
    let prefix = folder.path == "." ? "" : folder.path.hasSuffix("/") ? folder.path : folder.path + "/"
    self.files = files.map { file in
      let path = prefix + file.name
      return File(
        item: file.itemIndex + 1, name: file.suggestedName,
        // A script may pass the path to a program that would take it for an option.
        path: path.isOption ? "./" + path : path, type: file.contentType.identifier,
        byteCount: file.byteCount)
    }
  }

  func text(_ form: Form) throws -> String {
    switch form {
    case .lines: files.map { "\($0.path)\n" }.joined()
    case .zeroBytes: files.map { "\($0.path)\0" }.joined()
    case .document: try JSONOutput(isPretty: true).text(Document(files: files)) + "\n"
    }
  }
}
