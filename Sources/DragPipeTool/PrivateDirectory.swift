// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropTransport
internal import ItemCoding
internal import ItemTransfer

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// A directory among the temporary files that nobody else can look into.
struct PrivateDirectory: Sendable {
  /// Where it is, with no slash at the end.
  let path: String

  /// Lends a fresh one, which is removed with everything in it when `body` returns or throws.
  ///
  /// - Throws: `cannotCreate` where temporary files cannot be made, and what `body` throws.
  static func lend<Result>(_ body: (PrivateDirectory) async throws -> Result) async throws -> Result {
    let parent = FileManager.default.temporaryDirectory.path
    let name = "dragpipe-\(UUID().uuidString)"
    let place = try await runBlocking { try Place(parent, name) }
    let outcome: Swift.Result<Result, any Error>
    do {
      outcome = .success(try await body(PrivateDirectory(path: parent + "/" + name)))
    } catch {
      outcome = .failure(error)
    }
    try? await runBlocking { place.remove() }
    return try outcome.get()
  }

  /// How many files and directories are in it.
  func entryCount() throws -> Int {
    try FileManager.default.subpathsOfDirectory(atPath: path).count
  }

  /// Where a directory is: whatever becomes of the path meanwhile, only what was made is removed.
  private final class Place: Sendable {
    private let parent: OwnedDescriptor
    private let name: String

    init(_ parent: String, _ name: String) throws(ToolFailure) {
      self.name = name
      do throws(SystemError) {
        self.parent = try .place(parent)
        try SystemCalls.makeDirectoryAt(self.parent.raw, name, 0o700)
      } catch {
        let shown = parent.escapedForDisplay()
        throw ToolFailure(.cannotCreate, "cannot make temporary files in \(shown) (see TMPDIR): \(error)")
      }
    }

    func remove() {
      // Folders that have come may be closed to their owner.
      FolderUnpacking.remove(name, in: parent.raw)
    }
  }
}
