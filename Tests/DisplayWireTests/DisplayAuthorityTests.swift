// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import Foundation
import TestSupport
import Testing

@testable import DisplayWire

@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct DisplayAuthorityTests {
  private static let host = Array("host".utf8)

  /// Returns the bytes of an entry; the numbers are big-endian.
  static func entry(
    _ family: UInt16, _ address: [UInt8], _ number: String, _ cookie: [UInt8], name: String = "MIT-MAGIC-COOKIE-1"
  ) -> [UInt8] {
    [UInt8(family >> 8), UInt8(family & 0xFF)]
      + [address, Array(number.utf8), Array(name.utf8), cookie].flatMap {
        [UInt8($0.count >> 8), UInt8($0.count & 0xFF)] + $0
      }
  }

  @Test func parsesAnEntry() throws {
    let hex = "0100 0004 686f7374 0001 30 0012 4d49542d4d414749432d434f4f4b49452d31 0003 010203"
    let entries = DisplayAuthority(parsing: [UInt8](Data(hex: hex))).entries
    let entry = try #require(entries.first)
    #expect(
      (entries.count, entry.family, entry.address, entry.number, entry.name, entry.cookie)
        == (1, 256, Self.host, Array("0".utf8), DisplayAuthority.methodName, [1, 2, 3]))
    #expect(Data(Self.entry(256, Self.host, "0", [1, 2, 3])) == Data(hex: hex))
  }

  @Test func findsTheCookieOfADisplay() {
    let authority = DisplayAuthority(
      parsing: Self.entry(256, Self.host, "1", [1]) + Self.entry(256, Array("other".utf8), "0", [2])
        + Self.entry(256, Self.host, "0", [3], name: "XDM-AUTHORIZATION-1") + Self.entry(0, Self.host, "0", [4])
        + Self.entry(256, Self.host, "0", [5]) + Self.entry(256, Self.host, "0", [6]))
    // This entry is for each address.
    let wild = DisplayAuthority(parsing: Self.entry(65_535, [], "7", [1]))
    let eachDisplay = DisplayAuthority(parsing: Self.entry(256, Self.host, "", [2]))
    for (authority, family, address, display, cookie) in [
      (authority, 256, Self.host, 0, [5]), (authority, 256, Self.host, 1, [1]), (authority, 256, Self.host, 2, nil),
      (authority, 0, Self.host, 0, [4]), (.none, 256, Self.host, 0, nil), (wild, 256, Self.host, 7, [1]),
      (wild, 6, [1], 7, [1]), (wild, 256, Self.host, 8, nil), (eachDisplay, 256, Self.host, 8, [2]),
    ] as [(DisplayAuthority, UInt16, [UInt8], Int, [UInt8]?)] {
      #expect(authority.cookie(family: family, address: address, display: display) == cookie, "\(family), \(display)")
    }
  }

  @Test func keepsTheEntriesBeforeATruncatedOne() {
    let first = Self.entry(256, Self.host, "0", [1])
    let second = Self.entry(256, Self.host, "1", [2, 3])
    for count in 0..<second.count {
      #expect(DisplayAuthority(parsing: first + second.prefix(count)).entries.map(\.cookie) == [[1]])
    }
    let counts = [first + second, [1, 0, 0xFF, 0xFF, 1]].map { DisplayAuthority(parsing: $0).entries.count }
    #expect(counts == [2, 0])
  }

  @Test func limitsTheNumberOfEntries() {
    let bytes = [UInt8](repeating: 0, count: 10 * 5000)
    #expect(DisplayAuthority(parsing: bytes).entries.count == DisplayAuthority.maximumEntries)
  }

  @Test func loadsTheFileOfTheEnvironment() throws {
    let directory = try TemporaryDirectory()
    try directory.write(Data(Self.entry(256, Self.host, "0", [9])), to: ".Xauthority")
    let empty = try directory.write(Data(), to: "empty").path
    let home = directory.url.path
    for (environment, cookies) in [
      (["HOME": home], [[9]]), (["HOME": home, "XAUTHORITY": ""], [[9]]), (["HOME": home, "XAUTHORITY": empty], []),
      (["XAUTHORITY": home + "/absent"], []), ([:], []),
    ] as [([String: String], [[UInt8]])] {
      #expect(try DisplayAuthority.load(environment: environment).entries.map(\.cookie) == cookies, "\(environment)")
    }
  }

  @Test func rejectsFilesThatAreTooLargeOrNotRegular() async throws {
    let directory = try TemporaryDirectory()
    let large = try directory.write(Data(count: DisplayAuthority.maximumFileSize + 1), to: "large").path
    #expect(
      try await failure { try DisplayAuthority.load(path: large) }
        == (.badAuthority, "authority file \(large) exceeds the limit of 1048576 bytes"))
    let pipe = directory.file("pipe").path
    #expect(mkfifo(pipe, 0o600) == 0)
    for path in [directory.url.path, pipe, "/dev/zero"] {
      #expect(
        try await failure { try DisplayAuthority.load(path: path) }
          == (.badAuthority, "authority file \(path): not a regular file"))
    }
  }
}
