// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import FoundationEssentials
internal import Glibc
internal import UniformTypes

/// A copy of an item's content as a file or folder with a suitable name, in a private directory of its own.
struct TemporaryFile: Sendable {
  let url: URL
  private let directory: URL

  /// Creates the directory, but not the file.
  private init(suggestedName: String?, contentType: UTType, in parent: URL?) async throws {
    let name = Self.fileName(suggestedName: suggestedName, contentType: contentType)
    let place = parent.map(TemporaryLocation.init(hiddenIn:)) ?? .standard
    directory = URL(fileURLWithPath: try await runBlocking { try place.makeDirectory() }, isDirectory: true)
    url = directory.appendingPathComponent(name, isDirectory: contentType.conforms(to: .directory))
  }

  /// Creates the file and fills it.
  ///
  /// After an error or a cancellation, neither the file nor its directory remains.
  ///
  /// - Parameters:
  ///   - suggestedName: The suggested name of the file.
  ///   - contentType: The type of the content.
  ///   - parent: The parent of the private directory; `nil` means the directory for temporary files.
  ///   - fill: Creates the file at a URL.
  /// - Returns: The file, which the caller removes or moves.
  /// - Throws: `FileError`, and the errors of `fill`.
  static func make(
    suggestedName: String?, contentType: UTType, in parent: URL? = nil, fill: (URL) async throws -> Void
  ) async throws -> TemporaryFile {
    let file = try await TemporaryFile(suggestedName: suggestedName, contentType: contentType, in: parent)
    do {
      try await fill(file.url)
      return file
    } catch {
      await file.remove()
      throw error
    }
  }

  /// Runs `body` with the file, and removes the file and its directory afterwards.
  func use<Value>(
    isolation: isolated (any Actor)? = #isolation, _ body: (URL) async throws -> Value
  ) async throws -> Value {
    let outcome: Result<Value, any Error>
    do {
      outcome = .success(try await body(url))
    } catch {
      outcome = .failure(error)
    }
    await remove()
    return try outcome.get()
  }

  /// Moves the file out of its directory under its name, and removes the directory.
  ///
  /// An existing file is not replaced. Without hard links, this holds only for a file that exists when the move starts.
  ///
  /// - Parameter destination: A directory on the same file system.
  /// - Returns: The new URL of the file.
  /// - Throws: `FileError`. After an error, the file is removed.
  func move(to destination: URL) async throws -> URL {
    let target = destination.appendingPathComponent(url.lastPathComponent)
    do {
      try await runBlocking {
        try FileError.wrapping("save", target.path) { () throws(SystemError) in
          // Unlike a rename, a hard link never replaces a file. Folders and some file systems do not support hard
          // links.
          let isLinked: Void? =
            url.hasDirectoryPath ? nil : try? SystemCalls.linkAt(AT_FDCWD, url.path, AT_FDCWD, target.path)
          if isLinked != nil { return }
          if (try? SystemCalls.statusAt(AT_FDCWD, target.path, AT_SYMLINK_NOFOLLOW)) != nil {
            throw SystemError(EEXIST, in: "link")
          }
          try SystemCalls.renameAt(AT_FDCWD, url.path, AT_FDCWD, target.path)
        }
      }
    } catch {
      await remove()
      throw error
    }
    await remove()
    return target
  }

  func remove() async {
    try? await runBlocking { try FileManager.default.removeItem(at: directory) }
  }

  /// Returns the suggested name if it is one path component of at most 255 bytes without control characters, else
  /// `item`.
  ///
  /// A name without a period gets the extension of the type if there is one and the result has at most 255 bytes.
  static func fileName(suggestedName: String?, contentType: UTType) -> String {
    var name = suggestedName ?? ""
    let isPlain =
      !name.isEmpty && name != "." && name != ".." && name.utf8.count <= 255
      && !name.utf8.contains(UInt8(ascii: "/")) && name.firstInvisibleControl == nil
    if !isPlain { name = "item" }
    guard !name.contains("."), let fileExtension = contentType.filenameExtensionForNewFile,
      !fileExtension.unicodeScalars.contains(where: \.isInvisibleControl)
    else { return name }
    let extended = "\(name).\(fileExtension)"
    return extended.utf8.count <= 255 ? extended : name
  }
}
