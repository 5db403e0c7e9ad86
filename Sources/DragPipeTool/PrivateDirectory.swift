// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import DropTransport
internal import FoundationEssentials
internal import ItemTransfer

/// A directory among the temporary files that nobody else can look into.
struct PrivateDirectory: Sendable {
  /// Where it is, with no slash at the end.
  let path: String

  /// Lends a fresh one, which is removed with everything in it when `body` returns or throws.
  ///
  /// - Throws: `cannotCreate` where temporary files cannot be made, and what `body` throws.
  static func lend<Result>(_ body: (PrivateDirectory) async throws -> Result) async throws -> Result {
    let place = TemporaryLocation.standard
    let made = try await runBlocking { try Made(in: place) }
    let outcome: Swift.Result<Result, any Error>
    do {
      outcome = .success(try await body(PrivateDirectory(path: place.path + "/" + made.name)))
    } catch {
      outcome = .failure(error)
    }
    try? await runBlocking { made.remove() }
    return try outcome.get()
  }

  /// How many files and directories are in it.
  func entryCount() throws -> Int {
    try FileManager.default.subpathsOfDirectory(atPath: path).count
  }

  /// What was made: whatever becomes of the path meanwhile, nothing else is removed.
  private final class Made: Sendable {
    private let parent: OwnedDescriptor
    let name: String

    init(in place: TemporaryLocation) throws(ToolFailure) {
      do throws(FileError) {
        do throws(SystemError) { parent = try .place(place.path) } catch { throw place.error(error) }
        name = try place.makeDirectory(at: parent.raw)
      } catch {
        throw ToolFailure(.cannotCreate, error.description.escapedForDisplay(limit: 400))
      }
    }

    func remove() {
      // Folders that have come may be closed to their owner.
      FolderUnpacking.remove(name, in: parent.raw)
    }
  }
}
