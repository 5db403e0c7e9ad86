// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import Glibc

/// The cookies with which programs prove to a display that they belong to its user.
package struct DisplayAuthority: Sendable, Hashable {
  /// One entry of the authority file.
  package struct Entry: Sendable, Hashable {
    /// The kind of address, for example 0 for IPv4, 6 for IPv6 and 256 for a local host name.
    ///
    /// 65,535 matches any address.
    package let family: UInt16
    /// The host name, or the bytes of the network address.
    package let address: [UInt8]
    /// The number of the display in decimal digits; empty if the entry is for every display.
    package let number: [UInt8]
    /// The name of the authorization method.
    package let name: [UInt8]
    /// The cookie.
    package let cookie: [UInt8]
  }

  /// The kinds of address in an entry.
  enum Family {
    static let internet: UInt16 = 0
    static let internet6: UInt16 = 6
    static let local: UInt16 = 256
    static let wild: UInt16 = 65_535
  }

  /// The only authorization method that this module supports.
  package static let methodName = Array("MIT-MAGIC-COOKIE-1".utf8)
  /// The maximum size of the authority file, in bytes.
  package static let maximumFileSize = 1 << 20
  /// The maximum number of entries; further entries are ignored.
  package static let maximumEntries = 4096

  /// The entries in the order of the file.
  package let entries: [Entry]

  /// An authority without cookies, for a server that only checks the user's identity.
  package static let none = DisplayAuthority(entries: [])

  private init(entries: [Entry]) {
    self.entries = entries
  }

  /// Parses the content of a file.
  ///
  /// A truncated entry ends the list; the entries before it stay valid.
  package init(parsing bytes: [UInt8]) {
    var entries: [Entry] = []
    var rest = bytes[...]
    func field() -> [UInt8]? {
      guard let count = number(), rest.count >= count else { return nil }
      defer { rest = rest.dropFirst(count) }
      return Array(rest.prefix(count))
    }
    func number() -> Int? {
      guard rest.count >= 2 else { return nil }
      defer { rest = rest.dropFirst(2) }
      return Int(rest[rest.startIndex]) << 8 | Int(rest[rest.startIndex + 1])
    }
    while entries.count < Self.maximumEntries, let family = number(), let address = field(), let number = field(),
      let name = field(), let cookie = field()
    {
      entries.append(
        Entry(family: UInt16(family), address: address, number: number, name: name, cookie: cookie))
    }
    self.entries = entries
  }

  /// Reads the file that `XAUTHORITY` names, or `.Xauthority` in the home directory.
  ///
  /// This function blocks while it reads the file.
  ///
  /// - Parameter environment: The environment variables of the process.
  /// - Returns: The cookies; no cookies if the file does not exist, or neither `XAUTHORITY` nor `HOME` is set.
  /// - Throws: `badAuthority` if the file is not a regular file, cannot be read or is too large.
  package static func load(environment: [String: String]) throws(DisplayError) -> DisplayAuthority {
    if let path = environment["XAUTHORITY"], !path.isEmpty { return try load(path: path) }
    guard let home = environment["HOME"], !home.isEmpty else { return .none }
    return try load(path: home + "/.Xauthority")
  }

  /// Reads an authority file.
  ///
  /// - Throws: `badAuthority` if the file is not a regular file, cannot be read or is too large.
  package static func load(path: String) throws(DisplayError) -> DisplayAuthority {
    let shown = "authority file \(path.escapedForDisplay())"
    let bytes: [UInt8]?
    do throws(SystemError) {
      let file = try ReadableFile(path: path)
      bytes = file.status.kind == .regular ? try file.read(upTo: maximumFileSize + 1) : nil
    } catch {
      if error.errorNumber == ENOENT { return .none }
      throw DisplayError(.badAuthority, shown, error)
    }
    guard let bytes else { throw DisplayError(.badAuthority, "\(shown): not a regular file") }
    guard bytes.count <= maximumFileSize else {
      throw DisplayError(.badAuthority, "\(shown) exceeds the limit of \(maximumFileSize) bytes")
    }
    return DisplayAuthority(parsing: bytes)
  }

  /// Returns the cookie of the first entry that matches a display.
  ///
  /// - Parameters:
  ///   - family: The kind of the server's address.
  ///   - address: The server's address, or the local host name.
  ///   - display: The number of the display.
  /// - Returns: The cookie; `nil` if no entry matches.
  func cookie(family: UInt16, address: [UInt8], display: Int) -> [UInt8]? {
    let number = Array(String(display).utf8)
    return entries.first { entry in
      entry.name == Self.methodName && (entry.number.isEmpty || entry.number == number)
        && (entry.family == Family.wild || (entry.family == family && entry.address == address))
    }?.cookie
  }
}
