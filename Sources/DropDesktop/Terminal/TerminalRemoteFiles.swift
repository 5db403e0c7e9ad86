// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import DropTransport
internal import FoundationEssentials
internal import Glibc
internal import ItemTransfer
internal import UniformTypes

/// A receiver of dropped files and folders that are on the machine of the terminal.
///
/// The terminal and the source are not trusted: names are those of a drop stream, and links stay in their folder.
struct TerminalRemoteFiles: Sendable {
  /// The maximum number of entries of the list and of all folders.
  static let maximumEntries = 100_000
  /// The maximum number of folders that are known, but not read yet.
  static let maximumHandles = 4096
  /// The maximum length of the names in a folder, in bytes.
  static let maximumNames = 16 << 20
  /// The maximum length of a link in bytes.
  static let maximumLink = 4095

  let drop: TerminalDrop
  /// The number of the list of addresses among the types.
  let list: Int

  /// The values of the key `X` in a response.
  private enum Kind {
    static let file = 0
    static let link = 1
  }

  private struct Totals {
    var bytes = 0
    var entries: Int
  }

  /// A folder whose entries are not received yet.
  private struct Folder: Sendable {
    let handle: Int
    let path: String
    let depth: Int
    let names: [String]
  }

  private struct Link: Sendable {
    let path: String
    let target: [UInt8]
  }

  /// Receives the files of a list into a private directory.
  ///
  /// - Parameters:
  ///   - entries: The addresses.
  ///   - directory: The parent of the private directory; `nil` for the directory of temporary files.
  ///   - progress: The progress in bytes.
  /// - Returns: The items in the order of the list.
  /// - Throws: `malformed` for an invalid name, a link that leads out of its folder, or an invalid response;
  ///   `limitExceeded`; the errors of the drop, and `SystemError`.
  func load(_ entries: [String], in directory: URL?, progress: ItemProgress) async throws -> LoadedDrop {
    let files = try await runBlocking { try SavedFile("files", in: directory) }
    do {
      var totals = Totals(entries: entries.count)
      var items: [ItemProvider] = []
      let root = files.url.deletingLastPathComponent().path
      for (index, address) in entries.enumerated() {
        guard URIList.isFile(address) else {
          let page = ItemProvider()
          page.register(.url) { _ in Data(address.utf8) }
          items.append(page)
          continue
        }
        // Several files may have the same name.
        let folder = "\(root)/\(index)"
        try await runBlocking { try SystemCalls.makeDirectory(folder, 0o700) }
        let path = "\(folder)/\(try Self.name(of: address))"
        let top = TerminalDataRequest(x: list, y: index + 1)
        try await receive(top, path, &totals, progress)
        items.append(await runBlocking { ItemProvider(unlinked: URL(fileURLWithPath: path)) })
      }
      return LoadedDrop(items, saved: files)
    } catch {
      await files.remove()
      throw error
    }
  }

  /// Returns the file name in an address, which may be of another host.
  private static func name(of address: String) throws(DesktopError) -> String {
    let shown = address.escapedForDisplay()
    guard let path = URLComponents(string: address)?.path,
      let name = path.utf8.split(separator: UInt8(ascii: "/")).last.flatMap({ String($0) })
    else { throw DesktopError(.malformed, "\(shown) is not the address of a file") }
    if let reason = DropFileName.objection(to: name, allowsHidden: true) {
      throw DesktopError(.malformed, "refused the name \"\(name.escapedForDisplay())\": \(reason)")
    }
    return name
  }

  /// Receives a file or a folder.
  private func receive(
    _ request: TerminalDataRequest, _ path: String, _ totals: inout Totals, _ progress: ItemProgress
  ) async throws {
    let transfer = TerminalTransfer(try await drop.request(request))
    let kind = try await transfer.stream.kind()
    guard kind != Kind.link else {
      throw DesktopError(.malformed, "\(Self.shown(path)) is not a regular file or a folder")
    }
    guard kind != Kind.file else { return try await receiveFile(transfer, path, &totals, progress) }
    var links: [Link] = []
    var folders = FIFOQueue<Folder>()
    var handles: Set<Int> = []
    folders.append(try await receiveNames(transfer, kind, path, depth: 1, &handles, &totals))
    while let folder = folders.popFirst() {
      for (index, name) in folder.names.enumerated() {
        let path = "\(folder.path)/\(name)"
        let entry = TerminalDataRequest(x: index + 1, handle: folder.handle)
        let transfer = TerminalTransfer(try await drop.request(entry))
        switch try await transfer.stream.kind() {
        case Kind.file: try await receiveFile(transfer, path, &totals, progress)
        case Kind.link: links.append(try await receiveLink(transfer, path, depth: folder.depth))
        case let kind:
          folders.append(try await receiveNames(transfer, kind, path, depth: folder.depth + 1, &handles, &totals))
        }
      }
      try await drop.close(handle: folder.handle)
      handles.remove(folder.handle)
    }
    // Until now, no path can lead through a link.
    try await runBlocking { [links] in
      for link in links {
        try SystemCalls.symbolicLinkAt(String(decoding: link.target, as: UTF8.self), AT_FDCWD, link.path)
      }
    }
  }

  private func receiveFile(
    _ transfer: TerminalTransfer, _ path: String, _ totals: inout Totals, _ progress: ItemProgress
  ) async throws {
    let file = try await runBlocking {
      SharedDescriptor(try .open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o666))
    }
    let limit = drop.display.options.maximumBytes
    let room = limit - totals.bytes
    while let bytes = try await transfer.nextBytes(limit: limit) {
      totals.bytes += bytes.count
      guard totals.bytes <= limit else {
        throw DesktopError(
          .limitExceeded, "the files exceed the limit of \(limit) bytes, of which \(room) were left", isByteLimit: true)
      }
      try await runBlocking { try SystemCalls.writeAll(file.descriptor.raw, Array(bytes)) }
      progress.advance(by: Int64(bytes.count))
    }
  }

  /// Receives the names in a folder, and creates the folder.
  private func receiveNames(
    _ transfer: TerminalTransfer, _ handle: Int, _ path: String, depth: Int, _ handles: inout Set<Int>,
    _ totals: inout Totals
  ) async throws -> Folder {
    guard handle > Kind.link, handles.insert(handle).inserted else {
      throw DesktopError(.malformed, "the terminal has sent the invalid handle \(handle) of a folder")
    }
    guard depth <= DropFolderPath.maximumDepth else {
      throw DesktopError(.limitExceeded, "a folder is more than \(DropFolderPath.maximumDepth) folders deep")
    }
    guard handles.count <= Self.maximumHandles else {
      throw DesktopError(.limitExceeded, "more than \(Self.maximumHandles) folders are open")
    }
    var bytes: [UInt8] = []
    while let part = try await transfer.nextBytes(limit: Self.maximumNames) {
      // A null byte follows each entry except the last.
      totals.entries += part.count { $0 == 0 }
      try Self.check(totals)
      bytes += part
    }
    let parts = bytes.split(separator: 0, omittingEmptySubsequences: false)
    // The last name may end with a null byte.
    let names = try (parts.last?.isEmpty == true ? parts.dropLast() : parts[...]).map { part in
      let name = String(validating: part, as: UTF8.self) ?? ""
      if let reason = DropFileName.objection(to: name, allowsHidden: true) {
        throw DesktopError(.malformed, "refused the name \"\(String(escapingForDisplay: part))\": \(reason)")
      }
      return name
    }
    if bytes.last != 0, !names.isEmpty { totals.entries += 1 }
    try Self.check(totals)
    try await runBlocking { try SystemCalls.makeDirectory(path, 0o777) }
    return Folder(handle: handle, path: path, depth: depth, names: names)
  }

  private static func check(_ totals: Totals) throws(DesktopError) {
    guard totals.entries <= maximumEntries else {
      throw DesktopError(.limitExceeded, "\(totals.entries) entries exceed the limit of \(maximumEntries)")
    }
  }

  private func receiveLink(_ transfer: TerminalTransfer, _ path: String, depth: Int) async throws -> Link {
    var target: [UInt8] = []
    while let part = try await transfer.nextBytes(limit: Self.maximumLink) { target += part }
    guard String(validating: target, as: UTF8.self) != nil, Self.stays(target, depth: depth - 1) else {
      let shown = String(escapingForDisplay: target.prefix(200))
      throw DesktopError(.malformed, "the link \(Self.shown(path)) to \"\(shown)\" leads out of its folder")
    }
    return Link(path: path, target: target)
  }

  /// Returns whether a link leads to a place in the top folder.
  ///
  /// - Parameters:
  ///   - target: The text of the link.
  ///   - depth: The number of folders between the top folder and the link.
  /// - Returns: Whether the target is relative, and has no more steps upward than folders.
  static func stays(_ target: [UInt8], depth: Int) -> Bool {
    guard let first = target.first, first != UInt8(ascii: "/"), !target.contains(0) else { return false }
    var depth = depth
    var hasDescended = false
    for name in target.split(separator: UInt8(ascii: "/")) where !name.elementsEqual(".".utf8) {
      guard name.elementsEqual("..".utf8) else {
        hasDescended = true
        continue
      }
      // A step upward after a name could pass through another link.
      depth -= 1
      guard depth >= 0, !hasDescended else { return false }
    }
    return true
  }

  private static func shown(_ path: String) -> String {
    path.utf8.split(separator: UInt8(ascii: "/")).last.map { String(escapingForDisplay: $0) } ?? ""
  }
}
