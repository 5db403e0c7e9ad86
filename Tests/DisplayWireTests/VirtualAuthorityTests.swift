// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import Foundation
import TestSupport
import Testing

@testable import DisplayWire

/// Tests with servers that check cookies, or that end during the connection.
@Suite(
  .serialized, .limited, .enabled(if: VirtualDisplay.isInstalled, "Xvfb is not installed"), .timeLimit(.minutes(30)))
struct VirtualAuthorityTests {
  private let directory: TemporaryDirectory
  private let cookie = (0..<16).map { UInt8($0) }

  init() throws {
    directory = try TemporaryDirectory()
  }

  /// Writes a file with one cookie for all displays of this machine.
  private func file(_ name: String, _ cookie: [UInt8]) throws -> String {
    let entry = DisplayAuthorityTests.entry(256, SystemCalls.hostName(), "", cookie)
    return try directory.write(Data(entry), to: name).path
  }

  @Test func connectsThroughTheNetwork() async throws {
    let path = try file("authority", cookie)
    let display = try await VirtualDisplay(authority: path, isOnNetwork: true)
    for host in ["127.0.0.1", "localhost"] {
      let address = try DisplayAddress(parsing: "\(host):\(display.address.display)", allowsNetwork: true)
      let connection = try await X11Connection.open(address, authority: DisplayAuthority.load(path: path))
      try await connection.synchronize()
      let error = await #expect(throws: DisplayError.self) { try await X11Connection.open(address) }
      #expect(error?.code == .refused)
    }
  }

  @Test func acceptsOnlyTheCookieOfTheServer() async throws {
    let path = try file("authority", cookie)
    let display = try await VirtualDisplay(authority: path)
    let authority = try DisplayAuthority.load(environment: ["XAUTHORITY": path])
    let connection = try await X11Connection.open(display.address, authority: authority)
    try await connection.synchronize()
    let other = try DisplayAuthority.load(path: try file("other", cookie.reversed()))
    for refused in [other, .none] {
      let error = await #expect(throws: DisplayError.self) {
        try await X11Connection.open(display.address, authority: refused)
      }
      #expect(error?.code == .refused)
      #expect(error?.description.hasPrefix("the display refused the connection: ") == true)
    }
  }

  @Test func reportsAServerThatEnds() async throws {
    let display = try await VirtualDisplay()
    let connection = try await X11Connection.open(display.address)
    let event = Task { try await connection.nextEvent() }
    await display.stop()
    let error = await #expect(throws: DisplayError.self) { try await event.value }
    #expect(error?.code == .serverGone)
  }
}
