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

  /// Bounds the files that are written or removed at once, because each takes a thread and descriptors.
  private static let bound = AsyncSemaphore(permits: 32)

  /// Creates the directory, but not the file.
  private init(suggestedName: String?, contentType: UTType, in parent: URL?) async throws {
    let name = Self.fileName(suggestedName: suggestedName, contentType: contentType)
    let place = parent.map(TemporaryLocation.init(hiddenIn:)) ?? .standard
    let path = try await Self.bounded { try await runBlocking { try place.makeDirectory() } }
    directory = URL(fileURLWithPath: path, isDirectory: true)
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
  ///   - isBounded: Whether `fill` waits while many other files are filled. It must then run no code of the program,
  ///     which may itself wait for a file.
  ///   - fill: Creates the file at a URL.
  /// - Returns: The file, which the caller removes or moves.
  /// - Throws: `FileError`, and the errors of `fill`.
  static func make(
    suggestedName: String?, contentType: UTType, in parent: URL? = nil, isBounded: Bool,
    fill: (URL) async throws -> Void
  ) async throws -> TemporaryFile {
    let file = try await TemporaryFile(suggestedName: suggestedName, contentType: contentType, in: parent)
    do {
      if isBounded { try await bounded { try await fill(file.url) } } else { try await fill(file.url) }
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

  /// Removes the file or folder, and its directory.
  func remove() async {
    await Self.remove(url, in: directory)
  }

  /// Removes a file or folder that ``move(to:)`` has returned.
  static func discardSaved(_ url: URL) async {
    await remove(url, in: nil)
  }

  private static func remove(_ url: URL, in directory: URL?) async {
    // A cancelled task does not wait.
    let hasPermit = await bound.wait()
    defer { if hasPermit { bound.signal() } }
    try? await runBlocking {
      // Unlike the removal of a folder, this needs no descriptor, of which the process may have no more.
      let isRemoved: Void? = try? SystemCalls.unlinkAt(AT_FDCWD, url.path)
      guard let directory else { return isRemoved == nil ? try FileManager.default.removeItem(at: url) : () }
      // The program may have added files.
      if (try? SystemCalls.unlinkAt(AT_FDCWD, directory.path, AT_REMOVEDIR)) == nil {
        try FileManager.default.removeItem(at: directory)
      }
    }
  }

  private static func bounded<Value>(_ body: () async throws -> Value) async throws -> Value {
    guard await bound.wait() else { throw CancellationError() }
    defer { bound.signal() }
    return try await body()
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
