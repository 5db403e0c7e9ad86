// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import FoundationEssentials
internal import Glibc
internal import ItemTransfer
internal import UniformTypes

/// The addresses of items. An item without an address is saved as a temporary file when a program requests the
/// addresses.
actor PromisedFiles {
  private let items: [ItemProvider]
  private var list: Task<URIList, any Error>?
  private var directory: String?
  /// The permissions of new files.
  private var permissions: UInt32?

  init(_ items: [ItemProvider]) {
    self.items = items
  }

  /// Returns the addresses.
  ///
  /// The files are created once, and stay until ``remove()``.
  func addresses() async throws -> URIList {
    if let list { return try await list.value }
    let new = Task { URIList(try await makeAddresses()) }
    list = new
    do {
      return try await new.value
    } catch {
      list = nil
      // The next attempt creates a new directory.
      await removeDirectory()
      throw error
    }
  }

  private func makeAddresses() async throws -> [String] {
    var entries: [String] = []
    for (index, item) in items.enumerated() {
      let address: UTType? = [.fileURL, .url].first { item.hasRepresentation(conformingTo: $0) }
      if let address {
        entries.append(try URL(foreignText: await item.data(for: address)).absoluteString)
      } else if let type = item.contentTypes(visibleTo: .all).first {
        entries.append(try await file(of: item, type, index).absoluteString)
      }
    }
    return entries
  }

  /// Checks that the files at the addresses of the items are their content.
  ///
  /// An item from another program may claim any address, and the file there must not be given away.
  ///
  /// - Parameter followsLinks: Whether the file behind a link is given away, and not the link.
  /// - Throws: `notAllowed` for an item that has only the address; `malformed` for a file of another host.
  func checkContent(followingLinks followsLinks: Bool) async throws {
    for item in items where item.hasRepresentation(conformingTo: .fileURL) {
      let path = try URIList.path(try URL(foreignText: await item.data(for: .fileURL)).absoluteString)
      guard await !item.hasContent(ofFileAt: path, followingLinks: followsLinks) else { continue }
      throw DesktopError(.notAllowed, "\(path.escapedForDisplay(limit: 200)) is only the address of an item")
    }
  }

  /// Saves an item in a new folder, since several items may have the same name.
  private func file(of item: ItemProvider, _ type: UTType, _ index: Int) async throws -> URL {
    if directory == nil { directory = try await runBlocking { try TemporaryLocation.standard.makeDirectory() } }
    let directory = directory ?? ""
    if permissions == nil {
      permissions = try await runBlocking {
        try SystemCalls.permissionsOfNewFiles(AT_FDCWD, probe: "\(directory)/permissions")
      }
    }
    let folder = URL(fileURLWithPath: "\(directory)/\(index)", isDirectory: true)
    try await runBlocking { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false) }
    let file = try await item.saveFile(for: type, in: folder)
    try await runBlocking { [permissions] in try Self.shareCopies(of: file, permissions ?? 0o600) }
    return file
  }

  /// Gives a file the permissions of new files, with which programs copy it; the folder stays private.
  private static func shareCopies(of file: URL, _ permissions: UInt32) throws(SystemError) {
    guard try SystemCalls.statusAt(AT_FDCWD, file.path, AT_SYMLINK_NOFOLLOW).kind == .regular else { return }
    try SystemCalls.changeModeAt(AT_FDCWD, file.path, permissions)
  }

  /// Cancels the creation of the files, and removes the files.
  func remove() async {
    list?.cancel()
    _ = try? await list?.value
    await removeDirectory()
  }

  private func removeDirectory() async {
    guard let directory else { return }
    self.directory = nil
    try? await runBlocking { try FileManager.default.removeItem(atPath: directory) }
  }
}

extension ItemProvider {
  /// Returns whether the file or the folder at a path, if any, is the content of the item.
  fileprivate func hasContent(ofFileAt path: String, followingLinks followsLinks: Bool) async -> Bool {
    guard let status = await Self.status(path, followsLinks ? 0 : AT_SYMLINK_NOFOLLOW),
      [.regular, .directory].contains(status.kind)
    else { return true }
    for representation in representations(visibleTo: .all) where representation.form == .file {
      if case .file(let sent)? = try? await representation.content(progress: ItemProgress()),
        await Self.status(sent.file.path, 0)?.isSameFile(as: status) == true
      {
        return true
      }
    }
    return false
  }

  private static func status(_ path: String, _ flags: CInt) async -> FileStatus? {
    await runBlocking { try? SystemCalls.statusAt(AT_FDCWD, path, flags) }
  }
}
