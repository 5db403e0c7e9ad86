// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import FoundationEssentials
internal import Glibc
internal import ItemTransfer

/// A list of addresses of files and web pages, in the format `text/uri-list`.
///
/// A list from another program is not trusted: it may name any file.
struct URIList: Sendable {
  /// The maximum length of a list in bytes.
  static let maximumBytes = 16 << 20
  /// The maximum number of addresses.
  static let maximumCount = 100_000

  /// The addresses as strings.
  let entries: [String]

  /// Creates a list of addresses.
  init(_ entries: [String]) {
    self.entries = entries
  }

  /// Parses a list.
  ///
  /// Lines that start with `#` are comments; a NUL after the last line is ignored.
  ///
  /// - Throws: `malformed` if the list is not UTF-8 or contains a NUL; `limitExceeded` for more than ``maximumCount``
  ///   addresses.
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

  /// The list with the line ends of RFC 2483: CR LF.
  var data: Data { Data(entries.map { "\($0)\r\n" }.joined().utf8) }

  /// The list in the format of ``TargetName/copiedFiles``.
  var copiedFiles: Data { Data((["copy"] + entries).joined(separator: "\n").utf8) }

  /// Returns the paths of the files.
  ///
  /// A terminal would run the text after a line end as a command, so paths with control characters are refused.
  ///
  /// - Throws: `malformed` if an address is not of a file on this host, or if a path has a control character.
  func paths() throws(DesktopError) -> [String] {
    try entries.map { (entry) throws(DesktopError) in
      let path = try Self.path(entry)
      guard path.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
        throw DesktopError(.malformed, "\(path.escapedForDisplay(limit: 200)) has a control character")
      }
      return path
    }
  }

  /// Returns whether an address starts with `file:`.
  static func isFile(_ entry: String) -> Bool { entry.utf8.prefix(5).elementsEqual("file:".utf8) }

  /// Returns the file or folder at an address, which must be on this host and not a link; blocks.
  ///
  /// - Parameter entry: The address.
  /// - Returns: The file or folder.
  /// - Throws: `malformed` if the address is not of a regular file or folder on this host, or contains a NUL;
  ///   `nothingOffered` if the file does not exist or is not accessible.
  static func file(_ entry: String) throws(DesktopError) -> URL {
    let path = try path(entry)
    try check(path, entry.escapedForDisplay(limit: 200))
    return URL(fileURLWithPath: path)
  }

  /// Returns the path of an address on this host.
  ///
  /// The file need not exist.
  ///
  /// - Throws: `malformed` if the address is not of a file on this host, or contains a NUL.
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

  /// Returns the size of a regular file in bytes, for progress reports; `nil` for any other path.
  static func byteCount(of path: String) -> Int64? {
    guard let status = try? SystemCalls.statusAt(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW), status.kind == .regular else {
      return nil
    }
    return Int64(status.size)
  }

  /// Throws an error if a path does not lead to a regular file or a folder.
  ///
  /// The error names the path as `shown`.
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
