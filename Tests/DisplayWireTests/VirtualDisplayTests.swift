// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import Foundation
import TestSupport
import Testing

@testable import DisplayWire

/// Tests with a real X server.
@Suite(.serialized, .limited, .peers("Xvfb"), .virtualDisplay, .timeLimit(.minutes(10)))
struct VirtualDisplayTests {
  private let client: DisplayClient
  private var connection: X11Connection { client.connection }

  init() async throws {
    client = try await DisplayClient()
  }

  @Test func readsTheSetup() {
    let screen = connection.screen
    #expect((screen.width, screen.height, screen.rootDepth, connection.setup.screens.count) == (640, 480, 24, 1))
    #expect(screen.visuals.contains { $0.identifier == screen.rootVisual && $0.isTrueColor })
    #expect(connection.setup.formats.contains { $0.depth == 24 && $0.bitsPerPixel == 32 })
    #expect(connection.maximumRequestBytes > 5 << 20)
  }

  @Test func internsAtoms() async throws {
    let names = ["WM_DELETE_WINDOW", "text/plain;charset=utf-8", "ä", "STRING", "WM_NAME"]
    let atoms = try await connection.intern(names)
    #expect(Set(atoms).count == names.count && atoms[3...] == [.string, .wmName])
    let other = try await DisplayClient().connection
    #expect(try await other.intern(names) == atoms)
    #expect(try await DisplayClient().connection.names(of: atoms + [X11Atom(1 << 28)]) == names + [nil])
    #expect(try await other.response(to: .internAtom("never interned", onlyIfExists: true)) == .none)
  }

  @Test(arguments: [0, 1, 3, 65_535, 262_140, 5_000_000])
  func propertiesRoundTrip(count: Int) async throws {
    let window = try client.window()
    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 4) }
    try connection.send(.changeProperty(window, .wmName, type: .string, .bytes(bytes)))
    let query = X11Query.getProperty(window, .wmName, limit: 8 << 20, deletes: true)
    let property = try await connection.response(to: query)
    let isEqual = property.data == .bytes(bytes)
    let exists = try await connection.response(to: query).exists
    #expect(isEqual && property.type == .string && property.remainingBytes == 0 && !exists)
  }

  @Test func readsPropertiesInParts() async throws {
    let window = try client.window()
    try connection.send(.changeProperty(window, .wmHints, type: .cardinal, .words32([1, 2, 3])))
    try connection.send(.changeProperty(window, .wmHints, type: .cardinal, .words32([4]), mode: .append))
    let part = try await connection.response(to: .getProperty(window, .wmHints, offset: 4, limit: 8))
    #expect((part.data, part.remainingBytes) == (.words32([2, 3]), 4))
    let other = try await connection.response(to: .getProperty(window, .wmHints, type: .string, limit: 8))
    #expect((other.type, other.data.count) == (.cardinal, 0))
    #expect(try await connection.response(to: .listProperties(window)) == [.wmHints])
    try connection.send(.deleteProperty(window, .wmHints))
    #expect(try await connection.response(to: .listProperties(window)).isEmpty)
  }

  @Test func windowsReportEvents() async throws {
    let root = connection.screen.root
    let window = try client.window(events: [.exposure, .structureNotify, .propertyChange])
    try connection.send(.mapWindow(window))
    try await client.event { $0 == .mapNotify(window) }
    try await client.event { if case .expose(let area) = $0 { area.window == window } else { false } }
    try connection.send(.configureWindow(window, x: 30, width: 50, stacking: .above))
    let frame = X11Rectangle(x: 30, y: 10, width: 50, height: 100)
    try await client.event { if case .configureNotify(let change) = $0 { change.frame == frame } else { false } }
    let geometry = try await connection.response(to: .getGeometry(window))
    #expect((geometry.frame, geometry.root) == (frame, root))
    let state = try await connection.response(to: .getWindowAttributes(window))
    #expect(state.isViewable && state.overridesRedirect)
    #expect(state.ownEvents == [.exposure, .structureNotify, .propertyChange])
    #expect(try await connection.response(to: .queryTree(root)).children.contains(window))
    let location = try await connection.response(to: .translateCoordinates(from: window, to: root, x: 1, y: 2))
    #expect((location.x, location.y, location.child) == (31, 12, window))
    try connection.send(.changeProperty(window, .wmName, type: .string, .bytes([65])))
    try await client.event { kind in
      guard case .propertyNotify(let change) = kind else { return false }
      return change.property == .wmName && !change.isDeleted && change.time != .current
    }
    try connection.send(.unmapWindow(window))
    try await client.event { $0 == .unmapNotify(window) }
    try connection.send(.destroyWindow(window))
    try await client.event { $0 == .destroyNotify(window) }
  }

  @Test func drawsWithoutErrors() async throws {
    let window = try client.window()
    let identifiers = try (0..<4).map { _ in try connection.newIdentifier() }
    let (pixmap, context, font, cursor) = (identifiers[0], identifiers[1], identifiers[2], identifiers[3])
    let frame = X11Rectangle(x: 0, y: 0, width: 20, height: 10)
    let image = [UInt8](repeating: 0x80, count: 20 * 10 * 4)
    for request: X11Request in [
      .createPixmap(pixmap, for: window, width: 20, height: 10, depth: 24), .createGC(context, for: pixmap),
      .putImage(image, on: pixmap, context: context, frame: frame, depth: 24),
      .copyArea(from: pixmap, to: window, context: context, sourceX: 0, sourceY: 0, frame: frame),
      .openFont(font, name: "cursor"), .createGlyphCursor(cursor, font: font, glyph: 68), .closeFont(font),
      .changeWindowAttributes(window, X11WindowAttributes(cursor: cursor)), .freeCursor(cursor), .freeGC(context),
      .freePixmap(pixmap),
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
@Suite(.serialized, .limited, .peers("Xvfb"), .timeLimit(.minutes(10)))
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
