// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropTransport
internal import Glibc
internal import ItemCoding
internal import ItemTransfer
internal import UniformTypes

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// Items that are wanted as bytes: in one file, on standard output, or for a command.
struct ReceivedFiles: Sendable {
  let folder: DropFolder
  let source: ReceiveSource

  /// Keeps the one item as the file that the folder's naming says, or writes all of them out once they are whole.
  func receive(
    toOutput isStandard: Bool, _ progress: TransferProgress, _ environment: ToolEnvironment
  ) async throws -> DropFolder.Receipt {
    guard isStandard else {
      do {
        return try await progress.showing { try await source.receive(into: folder, progress, environment) }
      } catch let error as DropStreamError where error.code == .duplicateName {
        throw ToolFailure(.refused, "there is more than one item, and -o takes one; use a directory")
      }
    }
    return try await receiveAside(progress, environment) { receipt, directory in
      for file in receipt.files {
        let path = directory.appendingPathComponent(file.name).path
        if environment.outputIsTerminal, !file.contentType.conforms(to: .text) {
          throw ToolFailure(.usage, "\(file.contentType) is not for a terminal; use -o FILE")
        }
        let chunks = try ChunkSource(.file(path))
        while let chunk = try await chunks.next() { try await environment.write(chunk) }
      }
    }
  }

  /// Runs a command for each item, one after the other.
  func receive(
    for command: ShellCommand, _ progress: TransferProgress, _ environment: ToolEnvironment
  ) async throws -> DropFolder.Receipt {
    try await receiveAside(progress, environment) { receipt, directory in
      for (index, file) in receipt.files.enumerated() {
        let path = directory.appendingPathComponent(file.name).path
        let isFolder = (try? SystemCalls.statusAt(DropEndpoint.currentDirectory, path))?.kind == .directory
        let input = try OwnedDescriptor.open(isFolder ? "/dev/null" : path, O_RDONLY)
        try await command.run(
          input: input.raw, output: source.endpoint.occupies(environment.output) ? environment.errors : nil,
          environment: [
            "DRAGPIPE_FILE": path, "DRAGPIPE_NAME": file.suggestedName ?? "",
            "DRAGPIPE_TYPE": file.contentType.identifier,
            "DRAGPIPE_MIME_TYPE": file.contentType.preferredMIMEType ?? "", "DRAGPIPE_SIZE": "\(file.byteCount)",
            "DRAGPIPE_INDEX": "\(index + 1)", "DRAGPIPE_COUNT": "\(receipt.files.count)",
          ])
      }
    }
  }

  /// Receives into a directory that nobody else sees, and that is gone afterwards.
  private func receiveAside(
    _ progress: TransferProgress, _ environment: ToolEnvironment,
    _ body: (DropFolder.Receipt, _ directory: URL) async throws -> Void
  ) async throws -> DropFolder.Receipt {
    let directory = FileManager.default.temporaryDirectory.appendingPathComponent("dragpipe-\(UUID().uuidString)")
    try await runBlocking {
      try SystemCalls.makeDirectory(directory.path, 0o700)
    }
    do {
      var aside = DropFolder(path: directory.path)
      aside.acceptedTypes = folder.acceptedTypes
      aside.keepsAllRepresentations = folder.keepsAllRepresentations
      aside.unpacksFolders = folder.unpacksFolders
      aside.naming = .numbered
      let receiving = aside
      let receipt = try await progress.showing {
        try await source.receive(into: receiving, progress, environment) { receipt in
          try await body(receipt, directory)
        }
      }
      try? await runBlocking { try FileManager.default.removeItem(at: directory) }
      return receipt
    } catch {
      try? await runBlocking { try FileManager.default.removeItem(at: directory) }
      throw error
    }
  }
}
