// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import DropTransport
internal import FoundationEssentials
internal import Glibc
internal import ItemTransfer
internal import UniformTypes

/// A file that is offered, as it was then.
struct OfferedFile: Sendable {
  /// As it was typed.
  let path: String
  /// Nothing can be said of what is not there: who loads it hears why.
  private let status: FileStatus?

  init(path: String) {
    self.path = path
    status = try? SystemCalls.statusAt(DropEndpoint.currentDirectory, path)
  }

  var isFolder: Bool { status?.kind == .directory }

  private var size: ItemSize { statedSize.map { .exact($0) } ?? .unknown }

  var byteCount: UInt64? { statedSize.map { UInt64($0) } }

  /// `nil` for a descriptor of this process: a part of the file may have been read.
  private var statedSize: Int64? { descriptor == nil ? status?.statedSize : nil }

  private var descriptor: CInt? { DropEndpoint.descriptor(at: path) }

  /// What goes along with it; of a folder, the archive has that.
  var attributes: ItemFileAttributes {
    guard let status, status.kind == .regular else { return ItemFileAttributes() }
    return ItemFileAttributes(
      permissions: UInt16(status.permissions & 0o1777), modificationTime: status.modificationTime)
  }

  /// The last of its path; `nil` where that is no name.
  var name: String? {
    // Which stands for a descriptor, such as a shell makes for `<(command)`; its number says nothing.
    if path.hasPrefix("/dev/fd/") || path.hasPrefix("/proc/self/fd/") { return nil }
    let typed = Self.names(of: path).last
    guard typed == nil || typed == "." || typed == ".." else { return typed }
    return (try? location()).flatMap { Self.names(of: $0).last }
  }

  /// The absolute path, as far as it can be found out.
  var resolvedPath: String { (try? location()) ?? (path.utf8.first == Self.slash ? path : Self.here() + "/" + path) }

  /// Promises what the file has.
  ///
  /// - Parameters:
  ///   - type: What it is.
  ///   - provider: Gets the promise.
  ///   - isItem: Whether the file is the item, and not one of its representations.
  ///   - context: What loaders know.
  func register(_ type: UTType, with provider: ItemProvider, isItem: Bool = false, _ context: OfferContext) {
    if let descriptor, let status, status.kind != .directory {
      return context.register(descriptor, as: type, with: provider)
    }
    if context.isTwoWay, let status, ![.regular, .directory].contains(status.kind) {
      // A pipe or a device is read as it comes; what a session sends as a file can be read again.
      provider.registerStream(type) { _ in try context.chunks(of: path) }
      return
    }
    provider.registerFile(type, size: size) { _ in
      SentTransferredFile(
        URL(fileURLWithPath: try location()), allowAccessingOriginalFile: isItem && context.allowsOriginals)
    }
  }

  /// Where the path leads, in a form that a `URL` leaves alone.
  ///
  /// It would take a `~` in front for somebody's home, and `link/..` for the directory that the link is in, which is
  /// another file than the system would open.
  ///
  /// - Throws: `sourceUnavailable` where the path leads nowhere: a `URL` would also forget the slash that asks for a
  ///   directory.
  private func location() throws(DropStreamError) -> String {
    do throws(SystemError) {
      _ = try SystemCalls.statusAt(DropEndpoint.currentDirectory, path)
    } catch {
      throw unavailable(error)
    }
    let names = Self.names(of: path)
    // Which is another name of a directory, and none that it could be called by.
    if names.last == "." || names.last == ".." { return try resolved(path) }
    guard names.contains("..") else { return path.utf8.first == Self.slash ? path : Self.here() + "/" + path }
    if path.utf8.last == Self.slash { return try resolved(path) }
    let end = path.utf8.lastIndex(of: Self.slash) ?? path.startIndex
    return try resolved(String(path[...end])) + "/" + names[names.count - 1]
  }

  private static let slash = UInt8(ascii: "/")

  /// By scalars: a name may begin with a mark that would be one character with the slash before it.
  private static func names(of path: String) -> [String] {
    path.unicodeScalars.split(separator: "/").map { String($0) }
  }

  private func resolved(_ directory: String) throws(DropStreamError) -> String {
    guard let resolved = realpath(directory, nil) else { throw unavailable(SystemError(errno, in: "realpath")) }
    defer { free(resolved) }
    guard let text = String(validatingCString: resolved) else { throw unavailable(SystemError(EILSEQ, in: "realpath")) }
    return text
  }

  /// A path of the current directory.
  private static func here() -> String {
    let path = FileManager.default.currentDirectoryPath
    // Which is none where the directory is gone, or has a name that is not UTF-8.
    guard let named = try? SystemCalls.statusAt(DropEndpoint.currentDirectory, path),
      let current = try? SystemCalls.statusAt(DropEndpoint.currentDirectory, "."), named.isSameFile(as: current)
    else { return "/proc/self/cwd" }
    return path
  }

  private func unavailable(_ error: SystemError) -> DropStreamError {
    DropStreamError(.sourceUnavailable, "cannot open \(path.shownAsOperand): \(error)", errorNumber: error.errorNumber)
  }

  /// Removes the file, which the receiver has now, if it still is what was sent.
  ///
  /// - Returns: Why it stays; `nil` where it is gone.
  func removeMoved() -> String? {
    let shown = path.escapedForDisplay()
    guard let status, status.kind == .regular else { return "\(shown) stays: only files are moved" }
    do throws(SystemError) {
      let now = try SystemCalls.statusAt(DropEndpoint.currentDirectory, path, AT_SYMLINK_NOFOLLOW)
      guard now.isSameFile(as: status), now.size == status.size, now.modificationTime == status.modificationTime
      else { return "\(shown) stays: it is not what was sent any more" }
      try SystemCalls.unlinkAt(DropEndpoint.currentDirectory, path)
      return nil
    } catch {
      return "\(shown) stays: \(error)"
    }
  }

  /// The directory that the file is in, as it was typed.
  var directoryPath: String {
    guard let slash = path.utf8.lastIndex(of: Self.slash) else { return "." }
    return String(path[...slash])
  }
}
