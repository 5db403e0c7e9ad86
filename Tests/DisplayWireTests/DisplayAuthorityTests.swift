// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import Foundation
import TestSupport
import Testing

@testable import DisplayWire

@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct DisplayAuthorityTests {
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

  @Test func parsesAnEntry() {
    let hex = """
      0100 0004 686f7374 0001 30 0012 4d49542d4d414749432d434f4f4b49452d31 0003 010203
      """
    let entries = DisplayAuthority(parsing: [UInt8](Data(hex: hex))).entries
    #expect(entries.count == 1)
    #expect(entries.first?.family == 256)
    #expect(entries.first?.address == Self.host)
    #expect(entries.first?.number == Array("0".utf8))
    #expect(entries.first?.name == DisplayAuthority.methodName)
    #expect(entries.first?.cookie == [1, 2, 3])
    #expect(Data(Self.entry(256, Self.host, "0", [1, 2, 3])) == Data(hex: hex))
  }

  @Test func findsTheCookieOfADisplay() {
    let authority = DisplayAuthority(
      parsing: Self.entry(256, Self.host, "1", [1]) + Self.entry(256, Array("other".utf8), "0", [2])
        + Self.entry(256, Self.host, "0", [3], name: "XDM-AUTHORIZATION-1") + Self.entry(0, Self.host, "0", [4])
        + Self.entry(256, Self.host, "0", [5]) + Self.entry(256, Self.host, "0", [6]))
    #expect(authority.cookie(family: 256, address: Self.host, display: 0) == [5])
    #expect(authority.cookie(family: 256, address: Self.host, display: 1) == [1])
    #expect(authority.cookie(family: 256, address: Self.host, display: 2) == nil)
    #expect(authority.cookie(family: 0, address: Self.host, display: 0) == [4])
    #expect(DisplayAuthority.none.cookie(family: 256, address: Self.host, display: 0) == nil)
  }

  @Test func matchesEachAddressAndEachDisplay() {
    let wild = DisplayAuthority(parsing: Self.entry(65_535, [], "7", [1]))
    #expect(wild.cookie(family: 256, address: Self.host, display: 7) == [1])
    #expect(wild.cookie(family: 6, address: [1], display: 7) == [1])
    #expect(wild.cookie(family: 256, address: Self.host, display: 8) == nil)
    let each = DisplayAuthority(parsing: Self.entry(256, Self.host, "", [2]))
    #expect(each.cookie(family: 256, address: Self.host, display: 8) == [2])
  }

  @Test func keepsTheEntriesBeforeATruncatedOne() {
    let first = Self.entry(256, Self.host, "0", [1])
    let second = Self.entry(256, Self.host, "1", [2, 3])
    for count in 0..<second.count {
      #expect(DisplayAuthority(parsing: first + second.prefix(count)).entries.map(\.cookie) == [[1]])
    }
    #expect(DisplayAuthority(parsing: first + second).entries.count == 2)
    #expect(DisplayAuthority(parsing: [1, 0, 0xFF, 0xFF, 1]).entries.isEmpty)
  }

  @Test func limitsTheNumberOfEntries() {
    let bytes = [UInt8](repeating: 0, count: 10 * 5000)
    #expect(DisplayAuthority(parsing: bytes).entries.count == DisplayAuthority.maximumEntries)
  }

  @Test func loadsTheFileOfTheEnvironment() throws {
    try withTemporaryDirectory { directory in
      let bytes = Self.entry(256, Self.host, "0", [9])
      try Data(bytes).write(to: directory.appendingPathComponent(".Xauthority"))
      try Data().write(to: directory.appendingPathComponent("empty"))
      let home = ["HOME": directory.path]
      #expect(try DisplayAuthority.load(environment: home).entries.map(\.cookie) == [[9]])
      #expect(
        try DisplayAuthority.load(environment: home.merging(["XAUTHORITY": ""]) { $1 }).entries.count == 1)
      let empty = ["XAUTHORITY": directory.path + "/empty"]
      #expect(try DisplayAuthority.load(environment: home.merging(empty) { $1 }) == .none)
      #expect(try DisplayAuthority.load(environment: ["XAUTHORITY": directory.path + "/absent"]) == .none)
      #expect(try DisplayAuthority.load(environment: [:]) == .none)
    }
  }

  @Test func rejectsFilesThatAreTooLargeOrNotRegular() throws {
    try withTemporaryDirectory { directory in
      let large = directory.path + "/large"
      try Data(count: DisplayAuthority.maximumFileSize + 1).write(to: URL(fileURLWithPath: large))
      let tooLarge = #expect(throws: DisplayError.self) { try DisplayAuthority.load(path: large) }
      #expect(tooLarge?.code == .badAuthority)
      #expect(tooLarge?.description == "authority file \(large) exceeds the limit of 1048576 bytes")
      let pipe = directory.path + "/pipe"
      #expect(mkfifo(pipe, 0o600) == 0)
      for path in [directory.path, pipe, "/dev/zero"] {
        let error = #expect(throws: DisplayError.self) { try DisplayAuthority.load(path: path) }
        #expect(error?.code == .badAuthority)
        #expect(error?.description == "authority file \(path): not a regular file")
      }
    }
  }
}
