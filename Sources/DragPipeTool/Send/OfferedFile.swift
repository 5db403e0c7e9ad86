// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import DropTransport
internal import FoundationEssentials
internal import Glibc
internal import ItemTransfer
internal import UniformTypes

/// A file to send, with its status at the time of the offer.
struct OfferedFile: Sendable {
  /// The path as given.
  let path: String
  /// `nil` if the status cannot be read; loading the file then reports the error.
  private let status: FileStatus?

  init(path: String) {
    self.path = path
    status = try? SystemCalls.statusAt(DropEndpoint.currentDirectory, path)
  }

  var isFolder: Bool { status?.kind == .directory }

  /// Whether the file exists now.
  var exists: Bool { (try? SystemCalls.statusAt(DropEndpoint.currentDirectory, path, AT_SYMLINK_NOFOLLOW)) != nil }

  /// Whether the content can be read several times: a regular file or a folder.
  var isReadableAgain: Bool { descriptor == nil && (status.map { [.regular, .directory].contains($0.kind) } ?? true) }

  private var size: ItemSize { statedSize.map { .exact($0) } ?? .unknown }

  var byteCount: UInt64? { statedSize.map { UInt64($0) } }

  /// The size in the file's status.
  ///
  /// `nil` for a descriptor of this process, which may have been read in part.
  private var statedSize: Int64? { descriptor == nil ? status?.statedSize : nil }

  private var descriptor: CInt? { DropEndpoint.descriptor(at: path) }

  /// The attributes to send; those of a folder are in its archive.
  var attributes: ItemFileAttributes {
    guard let status, status.kind == .regular else { return ItemFileAttributes() }
    return ItemFileAttributes(
      permissions: UInt16(status.permissions & 0o1777), modificationTime: status.modificationTime)
  }

  /// The last component of the path; `nil` if it is not a name.
  var name: String? {
    // A path of a descriptor, such as a shell creates for `<(command)`, contains no name.
    if path.hasPrefix("/dev/fd/") || path.hasPrefix("/proc/self/fd/") { return nil }
    let typed = Self.names(of: path).last
    guard typed == nil || typed == "." || typed == ".." else { return typed }
    return (try? location()).flatMap { Self.names(of: $0).last }
  }

  /// The absolute path, with links resolved where necessary and possible.
  var resolvedPath: String { (try? location()) ?? (path.utf8.first == Self.slash ? path : Self.here() + "/" + path) }

  /// Registers the content of the file.
  ///
  /// - Parameters:
  ///   - type: The type of the content.
  ///   - provider: The item.
  ///   - isItem: Whether the file is the item, and not only one of its representations.
  ///   - context: The environment of the loaders.
  func register(_ type: UTType, with provider: ItemProvider, isItem: Bool = false, _ context: OfferContext) {
    if let descriptor, let status, status.kind != .directory {
      return context.register(descriptor, as: type, with: provider)
    }
    if context.isTwoWay, let status, ![.regular, .directory].contains(status.kind) {
      // A pipe or a device is read as a stream; the file of a session must be readable again.
      provider.registerStream(type) { _ in try context.chunks(of: path) }
      return
    }
    provider.registerFile(type, size: size) { _ in
      var file = SentTransferredFile(
        URL(fileURLWithPath: try location()), allowAccessingOriginalFile: isItem && context.allowsOriginals)
      file.folderOptions = context.folders
      return file
    }
  }

  /// Returns an absolute path that `URL` leaves unchanged.
  ///
  /// `URL` would expand a leading `~`, and resolve `link/..` to the folder of the link, unlike the system.
  ///
  /// - Throws: `sourceUnavailable` if the path does not exist.
  private func location() throws(DropStreamError) -> String {
    do throws(SystemError) {
      _ = try SystemCalls.statusAt(DropEndpoint.currentDirectory, path)
    } catch {
      throw unavailable(error)
    }
    let names = Self.names(of: path)
    // These are names of a directory, but not the name that it was given.
    if names.last == "." || names.last == ".." { return try resolved(path) }
    guard names.contains("..") else { return path.utf8.first == Self.slash ? path : Self.here() + "/" + path }
    if path.utf8.last == Self.slash { return try resolved(path) }
    let end = path.utf8.lastIndex(of: Self.slash) ?? path.startIndex
    return try resolved(String(path[...end])) + "/" + names[names.count - 1]
  }

  private static let slash = UInt8(ascii: "/")

  /// By scalars: a combining mark at the start of a name forms one character with the slash.
  private static func names(of path: String) -> [String] {
    path.unicodeScalars.split(separator: "/").map { String($0) }
  }

  private func resolved(_ directory: String) throws(DropStreamError) -> String {
    do throws(SystemError) { return try SystemCalls.realPath(directory) } catch { throw unavailable(error) }
  }

  /// Returns a path of the current directory.
  private static func here() -> String {
    let path = FileManager.default.currentDirectoryPath
    // The path does not exist if the directory was removed, or if its name is not UTF-8.
    guard let named = try? SystemCalls.statusAt(DropEndpoint.currentDirectory, path),
      let current = try? SystemCalls.statusAt(DropEndpoint.currentDirectory, "."), named.isSameFile(as: current)
    else { return "/proc/self/cwd" }
    return path
  }

  private func unavailable(_ error: SystemError) -> DropStreamError {
    DropStreamError(.sourceUnavailable, "cannot open \(path.shownAsOperand): \(error)", errorNumber: error.errorNumber)
  }

  /// Removes the file after a move, unless it has changed since it was offered.
  ///
  /// - Returns: The reason why the file is kept; `nil` if it was removed.
  func removeMoved() -> String? {
    let shown = path.escapedForDisplay()
    guard let status, status.kind == .regular else { return "\(shown) was not removed: only files can be moved" }
    do throws(SystemError) {
      let now = try SystemCalls.statusAt(DropEndpoint.currentDirectory, path, AT_SYMLINK_NOFOLLOW)
      guard now.isSameFile(as: status), now.size == status.size, now.modificationTime == status.modificationTime
      else { return "\(shown) was not removed: it has changed since it was sent" }
      try SystemCalls.unlinkAt(DropEndpoint.currentDirectory, path)
      return nil
    } catch {
      return "\(shown) was not removed: \(error)"
    }
  }

  /// The directory of the file, as given.
  var directoryPath: String {
    guard let slash = path.utf8.lastIndex(of: Self.slash) else { return "." }
    return String(path[...slash])
  }
}

/// A file name to send, before the file is opened.
struct OfferedName: Sendable {
  /// The path as given or listed; `-` for standard input.
  let path: String
  /// The destination folder at the receiver; `nil` for none.
  var folder: String?

  /// The error if the name is not UTF-8 and thus cannot be opened.
  var undecodable: DropStreamError? {
    UndecodableName.shown(path).map { DropStreamError(.unsafeName, "cannot open \"\($0)\": the name is not UTF-8") }
  }

  /// Returns the error if receivers would refuse the name.
  ///
  /// Hidden names are allowed, since receivers may accept them. The names in a folder are checked too; other errors of
  /// a folder are reported when it is read.
  ///
  /// - Parameters:
  ///   - suggestedName: A name from the user that replaces the file's name.
  ///   - isCancelled: Called before each name in a folder; the check ends once it returns true.
  /// - Returns: The error, or `nil`.
  func refusal(suggestedName: String?, isCancelled: () -> Bool) -> DropStreamError? {
    if let shown = UndecodableName.shown(path) { return Self.refusal(of: shown, "it is not UTF-8") }
    guard path != "-" else { return nil }
    let file = OfferedFile(path: path)
    if let folder, let reason = DropFolderPath.objection(to: folder, allowsHidden: true) {
      return Self.refusal(of: path.escapedForDisplay(), reason)
    }
    if suggestedName == nil, let name = file.name, let reason = DropFileName.objection(to: name, allowsHidden: true) {
      return Self.refusal(of: path.escapedForDisplay(), reason)
    }
    guard file.isFolder,
      let reason = FolderListing.unsafeName(inFolder: path, called: file.name ?? "folder", isCancelled: isCancelled)
    else { return nil }
    return DropStreamError(.unsafeName, "cannot send \(reason)")
  }

  private static func refusal(of shown: String, _ reason: String) -> DropStreamError {
    DropStreamError(.unsafeName, "cannot send \"\(shown)\": receivers refuse the name: \(reason)")
  }
}
