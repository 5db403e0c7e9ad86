// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import DropTransport
internal import Glibc
internal import ItemTransfer
internal import UniformTypes

/// A receiver that passes items on: to one file, to standard output, or to a command.
struct ReceivedFiles: Sendable {
  let folder: DropFolder
  let source: ReceiveSource

  /// Writes the only item to the file that the folder's naming states, or all items to standard output.
  func receive(
    toOutput isStandard: Bool, _ progress: TransferProgress, _ environment: ToolEnvironment
  ) async throws -> DropFolder.Receipt {
    guard isStandard else {
      var source = source
      source.explain = { error in
        guard (error as? DropStreamError)?.code == .duplicateName else { return error }
        return ToolFailure(.refused, "the stream has more than one item, but -o takes one; use a directory")
      }
      return try await progress.showing { [source] in try await source.receive(into: folder, progress, environment) }
    }
    return try await receiveAside(progress, environment) { files in
      // Checks all items before the first byte is written, so that a refused item prevents all output.
      if let folder = files.first(where: \.isFolder)?.file {
        let name = folder.suggestedName ?? "item \(folder.itemIndex + 1)"
        throw ToolFailure(
          .refused,
          "\(name.escapedForDisplay()) is a folder, which -o - cannot write; use a directory, or --archives for a tar archive"
        )
      }
      if environment.outputIsTerminal {
        for (file, path, _) in files { try await Self.checkForTerminal(file, at: path) }
      }
      for (_, path, _) in files { try await environment.write(contentsOf: path) }
      if source.action == .move { try await Self.flush(environment.output) }
    }
  }

  /// Flushes standard output if it is a file, since the sender removes its own file after the confirmation.
  private static func flush(_ output: CInt) async throws {
    try await runBlocking {
      if try SystemCalls.status(output).kind == .regular { try SystemCalls.sync(output) }
    }
  }

  /// Throws an error for content that must not be shown on a terminal: not declared as text, or with control
  /// characters.
  private static func checkForTerminal(_ file: DropFolder.File, at path: String) async throws {
    guard file.contentType.conforms(to: .text) else {
      throw ToolFailure(.usage, "standard output is a terminal; \(file.contentType) content needs -o FILE")
    }
    var scan = TerminalScan()
    let chunks = try ChunkSource(.file(path))
    while let chunk = try await chunks.next() { scan.add(chunk) }
    guard !scan.hasControl else {
      throw ToolFailure(.usage, "standard output is a terminal; text with control characters needs -o FILE")
    }
  }

  /// Runs a command for each item, one after the other, once all items have arrived.
  func receive(
    for command: ShellCommand, _ progress: TransferProgress, _ environment: ToolEnvironment
  ) async throws -> DropFolder.Receipt {
    try await receiveAside(progress, environment) { files in
      // Checks before the first command runs. A command would see the name truncated at the NUL.
      for (file, _, _) in files {
        guard let name = file.suggestedName, name.utf8.contains(0) else { continue }
        throw ToolFailure(
          .refused,
          "the name \"\(name.escapedForDisplay())\" contains U+0, which an environment variable cannot hold; "
            + "no command was run"
        )
      }
      for (index, (file, path, isFolder)) in files.enumerated() {
        let input = try OwnedDescriptor.open(isFolder ? "/dev/null" : path, O_RDONLY)
        try await command.run(
          input: input.raw, output: source.endpoint.occupies(environment.output) ? environment.errors : nil,
          environment: [
            "DRAGPIPE_FILE": path, "DRAGPIPE_NAME": file.suggestedName ?? "",
            "DRAGPIPE_TYPE": file.contentType.identifier,
            "DRAGPIPE_MIME_TYPE": file.contentType.preferredMIMEType ?? "", "DRAGPIPE_SIZE": "\(file.byteCount)",
            "DRAGPIPE_INDEX": "\(index + 1)", "DRAGPIPE_COUNT": "\(files.count)",
          ])
      }
    }
  }

  /// A received file, its path, and whether it is a folder.
  private typealias Arrival = (file: DropFolder.File, path: String, isFolder: Bool)

  /// Receives items into a private directory, which is removed after `body` has used them.
  private func receiveAside(
    _ progress: TransferProgress, _ environment: ToolEnvironment, _ body: ([Arrival]) async throws -> Void
  ) async throws -> DropFolder.Receipt {
    try await PrivateDirectory.with { directory in
      var aside = DropFolder(path: directory.path)
      aside.acceptedTypes = folder.acceptedTypes
      aside.selection = folder.selection
      aside.keepsAllRepresentations = folder.keepsAllRepresentations
      aside.unpacksFolders = folder.unpacksFolders
      aside.allowsAllLinks = folder.allowsAllLinks
      aside.restoresExtendedAttributes = folder.restoresExtendedAttributes
      aside.restoresOwners = folder.restoresOwners
      aside.naming = .numbered
      let receiving = aside
      return try await progress.showing {
        try await source.receive(into: receiving, progress, environment) { receipt in
          let files = try await runBlocking {
            try receipt.files.map { file in
              let path = directory.path + "/" + file.name
              let status = try SystemCalls.statusAt(DropEndpoint.currentDirectory, path)
              return (file: file, path: path, isFolder: status.kind == .directory)
            }
          }
          await progress.leaveTerminal()
          try await source.inTurn { try await body(files) }
        }
      }
    }
  }
}
