// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import Foundation
import TestSupport
import Testing

@testable import DisplayWire

/// Tests with a real X server.
@Suite(.serialized, .limited, .peers("Xvfb"), .virtualDisplay, .timeLimit(minutes: 10))
struct VirtualDisplayTests {
  private let connection: X11Connection

  init() async throws {
    connection = try await Self.connect()
  }

  private static func connect() async throws -> X11Connection {
    try await X11Connection.open(VirtualDisplay.current.address, timeout: .seconds(60))
  }

  @Test func readsTheSetup() {
    let screen = connection.screen
    #expect((screen.width, screen.height, screen.rootDepth, connection.setup.screens.count) == (640, 480, 24, 1))
    #expect(screen.visuals.contains { $0.identifier == screen.rootVisual && $0.isTrueColor })
    let hasFormat = connection.setup.formats.contains { $0.depth == 24 && $0.bitsPerPixel == 32 }
    #expect(hasFormat && connection.maximumRequestBytes > 5 << 20)
  }

  @Test func internsAtoms() async throws {
    let names = ["WM_DELETE_WINDOW", "text/plain;charset=utf-8", "ä", "STRING", "WM_NAME"]
    let atoms = try await connection.intern(names)
    #expect(Set(atoms).count == names.count && atoms[3...] == [.string, .wmName])
    let other = try await Self.connect()
    #expect(try await other.intern(names) == atoms)
    #expect(try await Self.connect().names(of: atoms + [X11Atom(1 << 28)]) == names + [nil])
    #expect(try await other.response(to: .internAtom("never interned", onlyIfExists: true)) == .none)
  }

  @Test func drawsWithoutErrors() async throws {
    let new = { [connection] in try connection.newIdentifier() }
    let (window, context) = (try new(), try new())
    let frame = X11Rectangle(x: 0, y: 0, width: 20, height: 10)
    let image = [UInt8](repeating: 0x80, count: 20 * 10 * 4)
    for request: X11Request in [
      .createWindow(window, parent: connection.screen.root, frame: frame),
      .createGC(context, for: window), .putImage(image, on: window, context: context, frame: frame, depth: 24),
      .freeGC(context),
    ] {
      try connection.send(request)
    }
    // If the server had rejected a request, the error would be the first event.
    let message = X11ClientMessage(window: window, type: .string, data: .words16([7]))
    try connection.send(.sendEvent(message, to: window))
    #expect(try await connection.nextEvent() == X11Event(.clientMessage(message), isSentByClient: true))
  }
}

/// Tests with servers that check cookies.
@Suite(.serialized, .limited, .peers("Xvfb"), .timeLimit(minutes: 10))
struct VirtualAuthorityTests {
  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
  }

  /// Writes a file with one cookie for all displays of this machine.
  private func file(_ name: String, _ cookie: [UInt8]) throws -> String {
    let entry = DisplayAuthorityTests.entry(256, SystemCalls.hostName(), "", cookie)
    return try directory.write(Data(entry), to: name).path
  }

  @Test func acceptsOnlyTheCookieOfTheServer() async throws {
    let path = try file("authority", Array(0..<16))
    let display = try await VirtualDisplay(authority: path, isOnNetwork: true)
    let authority = try DisplayAuthority.load(environment: ["XAUTHORITY": path])
    let other = try DisplayAuthority.load(path: file("other", (0..<16).reversed()))
    let network = try ["127.0.0.1", "localhost"].map {
      try DisplayAddress(parsing: "\($0):\(display.address.display)", allowsNetwork: true)
    }
    for address in [display.address] + network {
      try await X11Connection.open(address, authority: authority).synchronize()
      for refused in [other, .none] {
        let error = try await failure { try await X11Connection.open(address, authority: refused) }
        #expect(error.code == .refused && error.text.hasPrefix("the display refused the connection: "))
      }
    }
  }
}
