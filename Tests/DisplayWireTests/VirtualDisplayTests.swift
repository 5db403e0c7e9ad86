// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import Foundation
import TestSupport
import Testing

@testable import DisplayWire

/// Tests with a real X server.
@Suite(
  .serialized, .limited, .enabled(if: VirtualDisplay.isInstalled, "Xvfb is not installed"), .virtualDisplay,
  .timeLimit(.minutes(30)))
struct VirtualDisplayTests {
  private let client: DisplayClient

  init() async throws {
    client = try await DisplayClient()
  }

  @Test func readsTheSetup() {
    let connection = client.connection
    #expect(connection.setup.screens.count == 1)
    #expect(connection.screen.width == 640)
    #expect(connection.screen.height == 480)
    #expect(connection.screen.rootDepth == 24)
    #expect(connection.screen.visuals.contains { $0.identifier == connection.screen.rootVisual && $0.isTrueColor })
    #expect(connection.setup.formats.contains { $0.depth == 24 && $0.bitsPerPixel == 32 })
    #expect(connection.maximumRequestBytes > 5 << 20)
  }

  @Test func internsAtoms() async throws {
    let names = ["WM_DELETE_WINDOW", "text/plain;charset=utf-8", "ä", "STRING", "WM_NAME"]
    let atoms = try await client.connection.intern(names)
    #expect(Set(atoms).count == names.count)
    #expect(atoms[3] == .string)
    #expect(atoms[4] == .wmName)
    let other = try await DisplayClient().connection
    #expect(try await other.intern(names) == atoms)
    #expect(try await DisplayClient().connection.names(of: atoms + [X11Atom(1 << 28)]) == names + [nil])
    #expect(try await other.response(to: .internAtom("never interned", onlyIfExists: true)) == .none)
  }

  @Test(arguments: [0, 1, 3, 65_535, 262_140, 5_000_000])
  func propertiesRoundTrip(count: Int) async throws {
    let window = try client.window()
    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 4) }
    let connection = client.connection
    try connection.send(.changeProperty(window, .wmName, type: .string, .bytes(bytes)))
    let query = X11Query.getProperty(window, .wmName, limit: 8 << 20, deletes: true)
    let property = try await connection.response(to: query)
    #expect(property.type == .string)
    #expect(property.data == .bytes(bytes))
    #expect(property.remainingBytes == 0)
    #expect(try await !connection.response(to: query).exists)
  }

  @Test func readsPropertiesInParts() async throws {
    let window = try client.window()
    let connection = client.connection
    try connection.send(.changeProperty(window, .wmHints, type: .cardinal, .words32([1, 2, 3])))
    try connection.send(.changeProperty(window, .wmHints, type: .cardinal, .words32([4]), mode: .append))
    let part = try await connection.response(to: .getProperty(window, .wmHints, offset: 4, limit: 8))
    #expect(part.data == .words32([2, 3]))
    #expect(part.remainingBytes == 4)
    let other = try await connection.response(to: .getProperty(window, .wmHints, type: .string, limit: 8))
    #expect(other.type == .cardinal)
    #expect(other.data.count == 0)
    #expect(try await connection.response(to: .listProperties(window)) == [.wmHints])
    try connection.send(.deleteProperty(window, .wmHints))
    #expect(try await connection.response(to: .listProperties(window)).isEmpty)
  }

  @Test func windowsReportEvents() async throws {
    let connection = client.connection
    let root = connection.screen.root
    let window = try client.window(events: [.exposure, .structureNotify, .propertyChange])
    try connection.send(.mapWindow(window))
    try await client.event { $0 == .mapNotify(window) }
    try await client.event { if case .expose(let area) = $0 { area.window == window } else { false } }
    try connection.send(.configureWindow(window, x: 30, width: 50, stacking: .above))
    try await client.event { kind in
      guard case .configureNotify(let change) = kind else { return false }
      return change.frame == X11Rectangle(x: 30, y: 10, width: 50, height: 100)
    }
    let geometry = try await connection.response(to: .getGeometry(window))
    #expect(geometry.frame == X11Rectangle(x: 30, y: 10, width: 50, height: 100))
    #expect(geometry.root == root)
    let state = try await connection.response(to: .getWindowAttributes(window))
    #expect(state.isViewable)
    #expect(state.overridesRedirect)
    #expect(state.ownEvents == [.exposure, .structureNotify, .propertyChange])
    #expect(try await connection.response(to: .queryTree(root)).children.contains(window))
    let location = try await connection.response(
      to: .translateCoordinates(from: window, to: root, x: 1, y: 2))
    #expect([location.x, location.y] == [31, 12])
    #expect(location.child == window)
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

  @Test func reportsErrorsWithTheirRequests() async throws {
    let connection = client.connection
    let absent = try connection.newIdentifier()
    try connection.send(.mapWindow(absent))
    try await client.event { kind in
      guard case .error(let error) = kind else { return false }
      return error.description == "the display rejected MapWindow: BadWindow for \(absent)"
    }
    let error = await #expect(throws: DisplayError.self) {
      try await connection.response(to: .getGeometry(absent))
    }
    #expect(error?.description == "the display rejected GetGeometry: BadDrawable for \(absent)")
  }

  @Test func drawsWithoutErrors() async throws {
    let connection = client.connection
    let window = try client.window()
    let pixmap = try connection.newIdentifier()
    let context = try connection.newIdentifier()
    let font = try connection.newIdentifier()
    let cursor = try connection.newIdentifier()
    try connection.send(.createPixmap(pixmap, for: window, width: 20, height: 10, depth: 24))
    try connection.send(.createGC(context, for: pixmap))
    let image = [UInt8](repeating: 0x80, count: 20 * 10 * 4)
    let frame = X11Rectangle(x: 0, y: 0, width: 20, height: 10)
    try connection.send(.putImage(image, on: pixmap, context: context, frame: frame, depth: 24))
    try connection.send(
      .copyArea(from: pixmap, to: window, context: context, sourceX: 0, sourceY: 0, frame: frame))
    try connection.send(.openFont(font, name: "cursor"))
    try connection.send(.createGlyphCursor(cursor, font: font, glyph: 68))
    try connection.send(.closeFont(font))
    try connection.send(.changeWindowAttributes(window, X11WindowAttributes(cursor: cursor)))
    try connection.send(.freeCursor(cursor))
    try connection.send(.freeGC(context))
    try connection.send(.freePixmap(pixmap))
    // If the server had rejected a request, the error would be the first event.
    let message = X11ClientMessage(window: window, type: .string, data: .words16([7]))
    try connection.send(.sendEvent(message, to: window))
    #expect(try await connection.nextEvent() == X11Event(.clientMessage(message), isSentByClient: true))
  }

  @Test func countsRequestsAcrossTheWrapAround() async throws {
    let connection = client.connection
    let window = try client.window()
    for _ in 0..<70_000 { try connection.send(.unmapWindow(window)) }
    try await connection.synchronize()
    try connection.send(.mapWindow(.none))
    try await client.event { if case .error(let error) = $0 { error.requestName == "MapWindow" } else { false } }
  }
}
