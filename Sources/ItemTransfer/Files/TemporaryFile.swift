// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import FoundationEssentials
internal import Glibc
internal import UniformTypes

/// A copy of an item's content as a file or a folder with a good name, in a directory of its own that nobody else can
/// read.
struct TemporaryFile: Sendable {
  let url: URL
  private let directory: URL

  /// Makes the directory, and nothing in it yet.
  private init(suggestedName: String?, contentType: UTType, in parent: URL?) async throws {
    let name = Self.fileName(suggestedName: suggestedName, contentType: contentType)
    let place = parent.map(TemporaryLocation.init(hiddenIn:)) ?? .standard
    directory = URL(fileURLWithPath: try await runBlocking { try place.makeDirectory() }, isDirectory: true)
    url = directory.appendingPathComponent(name, isDirectory: contentType.conforms(to: .directory))
  }

  /// Makes the file and fills it; whatever goes wrong, cancellation included, leaves nothing.
  ///
  /// - Parameters:
  ///   - suggestedName: What the file should be called.
  ///   - contentType: What it is.
  ///   - parent: Where the directory is made; `nil` stands for the one for temporary files.
  ///   - fill: Makes the file at the URL it is given.
  /// - Returns: The file, which its owner must remove or hand over.
  /// - Throws: Whatever the file system says and `fill` throws.
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
    await remove()
    return try outcome.get()
  }

  /// Moves the file out, under its name, and removes the directory; nothing that exists is replaced.
  ///
  /// - Parameter destination: On the same file system.
  /// - Returns: Where it is now.
  /// - Throws: `FileError`; the file is removed then.
  func hand(overTo destination: URL) async throws -> URL {
    let target = destination.appendingPathComponent(url.lastPathComponent)
    do {
      try await runBlocking {
        try FileError.wrapping("save", target.path) { () throws(SystemError) in
          // A link never replaces a file. Folders and some file systems cannot have one.
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

  /// The suggested name where it is one plain path component that says no more than it shows, with the type's extension
  /// where it has none.
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
