// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import FoundationEssentials
internal import Glibc
internal import ItemTransfer

/// A list of addresses of files and pages, as `text/uri-list`.
///
/// The list of another program is a claim: it grants nothing, and may name any file.
struct URIList: Sendable {
  /// The maximum length of a list in bytes.
  static let maximumBytes = 16 << 20
  /// The maximum number of addresses.
  static let maximumCount = 100_000

  /// The addresses as text.
  let entries: [String]

  /// Creates a list of addresses.
  init(_ entries: [String]) {
    self.entries = entries
  }

  /// Parses a list; lines that start with `#` are comments.
  ///
  /// - Throws: `malformed`, `limitExceeded`.
  init(parsing data: Data) throws(DesktopError) {
    let content = data.last == 0 ? data.dropLast() : data
    guard let text = String(validating: content, as: UTF8.self), !text.utf8.contains(0) else {
      throw DesktopError(.malformed, "the list of addresses is not text")
    }
    let lines = text.utf8.split { $0 == 0x0A || $0 == 0x0D }.map { String(Substring($0)) }
    entries = lines.filter { !$0.hasPrefix("#") && !$0.isEmpty }
    guard entries.count <= Self.maximumCount else {
      throw DesktopError(
        .limitExceeded, "the list has \(entries.count) addresses, which exceeds the limit of \(Self.maximumCount)")
    }
  }

  /// The list as text with the line ends of its specification.
  var data: Data { Data(entries.map { "\($0)\r\n" }.joined().utf8) }

  /// The list as file managers copy it.
  var copiedFiles: Data { Data((["copy"] + entries).joined(separator: "\n").utf8) }

  /// Whether an address is a file's.
  static func isFile(_ entry: String) -> Bool { entry.utf8.prefix(5).elementsEqual("file:".utf8) }

  /// Returns the file of an address after checks of its host and its kind; blocks.
  ///
  /// - Parameter entry: The address.
  /// - Returns: The file or folder.
  /// - Throws: `malformed` for an address of another host, with a NUL, or to a link, a device, a socket or a pipe;
  ///   `nothingOffered` if there is no such file.
  static func file(_ entry: String) throws(DesktopError) -> URL {
    let path = try path(entry)
    try check(path, entry.escapedForDisplay(limit: 200))
    return URL(fileURLWithPath: path)
  }

  /// Returns the path of an address of this host, whether there is such a file or not.
  ///
  /// - Throws: `malformed` for an address of another host, or with a NUL.
  static func path(_ entry: String) throws(DesktopError) -> String {
    let shown = entry.escapedForDisplay(limit: 200)
    guard let parts = URLComponents(string: entry), parts.scheme?.lowercased() == "file", parts.query == nil,
      parts.path.utf8.first == UInt8(ascii: "/"), !parts.path.utf8.contains(0)
    else {
      throw DesktopError(.malformed, "\(shown) is not the address of a file")
    }
    let host = parts.host?.lowercased() ?? ""
    let ownName = String(decoding: SystemCalls.hostName(), as: UTF8.self).lowercased()
    guard host.isEmpty || host == "localhost" || host == ownName else {
      throw DesktopError(.malformed, "\(shown) is a file of another host")
    }
    return parts.path
  }

  /// Returns the size of a regular file, for a progress; `nil` for anything else.
  static func byteCount(of path: String) -> Int64? {
    guard let status = try? SystemCalls.statusAt(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW), status.kind == .regular else {
      return nil
    }
    return Int64(status.size)
  }

  /// Checks that a path leads to a regular file or a folder, and not to a link.
  static func check(_ path: String, _ shown: String) throws(DesktopError) {
    let status: FileStatus
    do throws(SystemError) {
      status = try SystemCalls.statusAt(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW)
    } catch {
      throw DesktopError(.nothingOffered, "cannot use \(shown): \(error)")
    }
    guard status.kind == .regular || status.kind == .directory else {
      throw DesktopError(.malformed, "\(shown) is not a regular file or a folder")
    }
  }
}
