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
  /// The path as the user gave it.
  let path: String
  /// The status, or `nil` if it could not be read.
  ///
  /// A later load of the file reports the error.
  private let status: FileStatus?
  /// The files that were sent of a folder, if it may be moved.
  private let sent: ArchivedFiles?

  /// Reads the status of a file.
  ///
  /// - Parameters:
  ///   - path: The path.
  ///   - mayBeMoved: Whether to record what is sent of a folder, for ``removeMoved(except:)``.
  init(path: String, mayBeMoved: Bool = false) {
    self.path = path
    status = try? SystemCalls.statusAt(DropEndpoint.currentDirectory, path)
    sent = mayBeMoved && status?.kind == .directory ? ArchivedFiles() : nil
  }

  var isFolder: Bool { status?.kind == .directory }

  /// Whether the file exists now.
  var exists: Bool { (try? SystemCalls.statusAt(DropEndpoint.currentDirectory, path, AT_SYMLINK_NOFOLLOW)) != nil }

  /// Whether the content can be read several times, such as a regular file or a folder; true if the kind is unknown.
  var isReadableAgain: Bool { descriptor == nil && (status.map { [.regular, .directory].contains($0.kind) } ?? true) }

  private var size: ItemSize { statedSize.map { .exact($0) } ?? .unknown }

  var byteCount: UInt64? { statedSize.map { UInt64($0) } }

  /// The size in the file's status.
  ///
  /// It is `nil` for a descriptor of this process, which may have been read in part, and if the status states no size.
  private var statedSize: Int64? { descriptor == nil ? status?.statedSize : nil }

  private var descriptor: CInt? { DropEndpoint.descriptor(at: path) }

  /// The descriptor of this process that the path names, unless it is a folder.
  var inputDescriptor: CInt? { isFolder ? nil : descriptor }

  /// The attributes to send with the item.
  ///
  /// Only regular files have them. The attributes of a folder are in its archive instead.
  var attributes: ItemFileAttributes {
    guard let status, status.kind == .regular else { return ItemFileAttributes() }
    return ItemFileAttributes(
      permissions: UInt16(status.permissions & 0o1777), modificationTime: status.modificationTime)
  }

  /// The last component of the path, or `nil` if the file has no name.
  ///
  /// For a path that ends in `.` or `..`, it is the name of the directory to which the path leads.
  var name: String? {
    // The path of a descriptor contains no name. A shell creates such a path for `<(command)`.
    if path.hasPrefix("/dev/fd/") || path.hasPrefix("/proc/self/fd/") { return nil }
    let typed = Self.names(of: path).last
    guard typed == nil || typed == "." || typed == ".." else { return typed }
    return (try? location()).flatMap { Self.names(of: $0).last }
  }

  /// The absolute path.
  ///
  /// Links are resolved only if the path contains `..` or ends in `.`.
  var resolvedPath: String { existingPath ?? (path.utf8.first == Self.slash ? path : Self.here() + "/" + path) }

  /// The ``resolvedPath`` of a path that exists; `nil` for another path.
  var existingPath: String? { try? location() }

  /// Registers the content of the file as a representation.
  ///
  /// - Parameters:
  ///   - type: The type of the content.
  ///   - provider: The provider of the item.
  ///   - context: The context of the loaders.
  func register(_ type: UTType, with provider: ItemProvider, _ context: OfferContext) {
    if let descriptor = inputDescriptor, status != nil {
      return context.register(descriptor, as: type, with: provider)
    }
    let isFile = status.map { [.regular, .directory].contains($0.kind) } ?? true
    if context.isTwoWay, !isFile {
      // A pipe or a device is read as a stream, since a session requires files that can be read again.
      provider.registerStream(type) { _ in try context.chunks(of: path) }
      return
    }
    provider.register(
      ItemRepresentation(contentType: type, size: size, form: isFile ? .file : .data) { _ in
        var file = SentTransferredFile(URL(fileURLWithPath: try location()))
        var options = context.options(forFolderAt: path)
        options.record = sent
        file.folderOptions = options
        return .file(file)
      })
  }

  /// Returns an absolute path that `URL` does not change.
  ///
  /// `URL` would expand a leading `~`. It would also resolve `link/..` to the folder that contains the link, unlike the
  /// system.
  ///
  /// - Throws: `sourceUnavailable` if the path does not exist.
  private func location() throws(DropStreamError) -> String {
    if let path = knownLocation() { return path }
    _ = try mapError(SystemCalls.statusAt(DropEndpoint.currentDirectory, path)) { unavailable($0) }
    let names = Self.names(of: path)
    // The last component is not the name of the directory, so the path is resolved to find it.
    if names.last == "." || names.last == ".." { return try resolved(path) }
    guard names.contains("..") else { return path.utf8.first == Self.slash ? path : Self.here() + "/" + path }
    if path.utf8.last == Self.slash { return try resolved(path) }
    let end = path.utf8.lastIndex(of: Self.slash) ?? path.startIndex
    return try resolved(String(path[...end])) + "/" + names[names.count - 1]
  }

  /// Returns the path in the directory in which this process started, if it leads to the file that was offered.
  private func knownLocation() -> String? {
    guard let status, path.utf8.first != Self.slash else { return nil }
    let names = Self.names(of: path)
    let full = Self.startDirectory + "/" + path
    guard let last = names.last, last != ".", !names.contains(".."),
      (try? SystemCalls.statusAt(DropEndpoint.currentDirectory, full))?.isSameFile(as: status) == true
    else { return nil }
    return full
  }

  private static let startDirectory = here()
  private static let slash = UInt8(ascii: "/")

  /// Returns the components of a path.
  ///
  /// The path is split by scalars, since a combining mark at the start of a name forms one character with the slash.
  private static func names(of path: String) -> [String] {
    path.unicodeScalars.split(separator: "/").map { String($0) }
  }

  private func resolved(_ directory: String) throws(DropStreamError) -> String {
    try mapError(SystemCalls.realPath(directory)) { unavailable($0) }
  }

  /// Returns a path of the current directory that exists.
  private static func here() -> String {
    let path = FileManager.default.currentDirectoryPath
    // If the directory was removed, or if its name is not UTF-8, its path leads nowhere or to another file.
    guard let named = try? SystemCalls.statusAt(DropEndpoint.currentDirectory, path),
      let current = try? SystemCalls.statusAt(DropEndpoint.currentDirectory, "."), named.isSameFile(as: current)
    else { return "/proc/self/cwd" }
    return path
  }

  private func unavailable(_ error: SystemError) -> DropStreamError {
    DropStreamError(.sourceUnavailable, "cannot open \(path.shownAsOperand): \(error)", errorNumber: error.errorNumber)
  }

  /// Removes the file after a move, unless it has changed since it was offered; of a folder, removes what was sent.
  ///
  /// - Parameter excludes: Whether a file in the folder was excluded.
  /// - Returns: A line for each file that is kept, with the reason; whether the name was removed.
  func removeMoved(
    except excludes: ((ArraySlice<UInt8>, Bool) -> Bool)? = nil
  ) -> (kept: [String], isRemoved: Bool) {
    let shown = path.escapedForDisplay()
    if let sent {
      // A link to a folder, unlike its target, is not a folder.
      func withoutSlash(_ path: String) -> String { String(path.reversed().drop { $0 == "/" }.reversed()) }
      let path = withoutSlash(resolvedPath)
      if (try? SystemCalls.statusAt(DropEndpoint.currentDirectory, path, AT_SYMLINK_NOFOLLOW))?.kind == .symbolicLink {
        return (["\(shown) was not removed: it is a symbolic link"], false)
      }
      let kept = sent.remove(folder: path, shown: withoutSlash(shown), excludes: excludes)
      let more = kept.count > kept.lines.count ? ["\(kept.count - kept.lines.count) more were not removed"] : []
      return (kept.lines + more, kept.removesTop)
    }
    let reason = removeMovedFile(shown)
    return (reason.map { [$0] } ?? [], reason == nil)
  }

  private func removeMovedFile(_ shown: String) -> String? {
    guard let status, status.kind == .regular else { return "\(shown) was not removed: only files can be moved" }
    do throws(SystemError) {
      let now = try SystemCalls.statusAt(DropEndpoint.currentDirectory, path, AT_SYMLINK_NOFOLLOW)
      if now.kind == .symbolicLink { return "\(shown) was not removed: it is a symbolic link" }
      // A program may restore the modification time after a change.
      guard now.isUnchanged(since: status), now.changeTime == status.changeTime else {
        return "\(shown) was not removed: it has changed since it was sent"
      }
      try SystemCalls.unlinkAt(DropEndpoint.currentDirectory, path)
      return nil
    } catch {
      return "\(shown) was not removed: \(error)"
    }
  }

  /// The directory part of the path, or `.`.
  var directoryPath: String {
    guard let slash = path.utf8.lastIndex(of: Self.slash) else { return "." }
    return String(path[...slash])
  }
}

/// The name of a file to send; the file may not have been opened yet.
struct OfferedName: Sendable {
  /// The path as given or listed, or `-` for standard input.
  let path: String
  /// The destination folder at the receiver, or `nil` for no folder.
  var folder: String?

  /// The error for a name that is not UTF-8, which cannot be opened; `nil` for other names.
  var undecodable: DropStreamError? {
    UndecodableName.shown(path).map { DropStreamError(.unsafeName, "cannot open \"\($0)\": the name is not UTF-8") }
  }

  /// The error if the file is missing or cannot be read; `nil` for other files.
  var unavailable: DropStreamError? {
    if path == "-" { return nil }
    do throws(SystemError) {
      _ = try SystemCalls.statusAt(DropEndpoint.currentDirectory, path)
      if !SystemCalls.canRead(path) { throw SystemError(EACCES, in: "open") }
      return nil
    } catch {
      return DropStreamError(
        .sourceUnavailable, "cannot open \(path.shownAsOperand): \(error)", errorNumber: error.errorNumber)
    }
  }

  /// Returns the error if receivers would refuse the name of the file, or a name in it if it is a folder.
  ///
  /// Hidden names are allowed, since receivers may accept them. Other errors in a folder are not found by this check;
  /// they are reported when the folder is read.
  ///
  /// - Parameters:
  ///   - suggestedName: A name from the user that replaces the file's name.
  ///   - options: The choices for the archive of a folder, which may leave out files.
  /// - Returns: The error, or `nil` if receivers accept all names.
  func refusal(
    suggestedName: String?, _ options: FolderArchiveOptions = FolderArchiveOptions()
  ) -> DropStreamError? {
    if let shown = UndecodableName.shown(path) { return Self.refusal(of: shown, "it is not UTF-8") }
    guard path != "-" else { return nil }
    let file = OfferedFile(path: path)
    if let folder, let reason = DropFolderPath.objection(to: folder, allowsHidden: true) {
      return Self.refusal(of: path.escapedForDisplay(), reason)
    }
    if suggestedName == nil, let name = file.name, let reason = DropFileName.objection(to: name, allowsHidden: true) {
      return Self.refusal(of: path.escapedForDisplay(), reason)
    }
    guard file.isFolder else { return nil }
    if (try? SystemCalls.statusAt(DropEndpoint.currentDirectory, "/"))?.isFile(named: path) == true {
      return Self.refusal(of: path.escapedForDisplay(), "the folder has none")
    }
    guard let reason = FolderListing.unsafeName(inFolder: path, called: file.name ?? "folder", options) else {
      return nil
    }
    return DropStreamError(.unsafeName, "cannot send the folder \(path.escapedForDisplay()): \(reason)")
  }

  private static func refusal(of shown: String, _ reason: String) -> DropStreamError {
    DropStreamError(.unsafeName, "cannot send \"\(shown)\": receivers refuse the name: \(reason)")
  }
}
