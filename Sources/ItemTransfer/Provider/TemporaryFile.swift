// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import ItemCoding
internal import UniformTypes

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// A copy of an item's content as a file with a good name, in a directory of its own that nobody else can read.
struct TemporaryFile: Sendable {
  let url: URL
  private let directory: URL

  static func materialize(
    _ content: ItemContent, suggestedName: String?, contentType: UTType
  ) async throws -> TemporaryFile {
    try await runBlocking {
      let name = fileName(suggestedName: suggestedName, contentType: contentType)
      let directory = FileManager.default.temporaryDirectory
        .appendingPathComponent("dragpipe-\(UUID().uuidString)", isDirectory: true)
      try FileManager.default.createDirectory(
        at: directory, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
      let file = TemporaryFile(url: directory.appendingPathComponent(name, isDirectory: false), directory: directory)
      do {
        switch content {
        case .data(let data): try data.write(to: file.url)
        // The copy of a link would be a second way to the source's own file.
        case .file(let sent): try FileManager.default.copyItem(at: sent.file.resolvingSymlinksInPath(), to: file.url)
        }
      } catch {
        try? file.remove()
        throw error
      }
      return file
    }
  }

  /// Runs `body`, then removes the file with its directory, whatever has become of either.
  func lend<Value>(
    isolation: isolated (any Actor)? = #isolation, to body: (URL) async throws -> Value
  ) async throws -> Value {
    let outcome: Result<Value, any Error>
    do {
      outcome = .success(try await body(url))
    } catch {
      outcome = .failure(error)
    }
    try? await runBlocking { try remove() }
    return try outcome.get()
  }

  private func remove() throws {
    try FileManager.default.removeItem(at: directory)
  }

  /// The suggested name where it is one plain path component that says no more than it shows, with the type's extension
  /// where it has none.
  static func fileName(suggestedName: String?, contentType: UTType) -> String {
    var name = suggestedName ?? ""
    let isPlain =
      !name.isEmpty && name != "." && name != ".." && name.utf8.count <= 255
      && !name.unicodeScalars.contains { $0 == "/" || $0.isInvisibleControl }
    if !isPlain { name = "item" }
    guard !name.contains("."), let fileExtension = contentType.preferredFilenameExtension,
      !fileExtension.unicodeScalars.contains(where: \.isInvisibleControl)
    else { return name }
    let extended = "\(name).\(fileExtension)"
    return extended.utf8.count <= 255 ? extended : name
  }
}
