// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DisplayWire
import DropSystem
import Foundation
import ItemTransfer
import TestSupport
import Testing
import UniformTypes

@testable import DropDesktop

extension DesktopOptions {
  /// The options of a test that expects no timeout.
  static let patient = DesktopOptions.timingOut(after: .seconds(120))

  static func timingOut(after timeout: Duration) -> DesktopOptions {
    var options = DesktopOptions()
    options.idleTimeout = timeout
    return options
  }
}

/// Returns the code of the error that a function throws.
func failure<Value>(
  sourceLocation: SourceLocation = #_sourceLocation, _ body: () async throws -> Value
) async throws -> DesktopError.Code {
  do {
    _ = try await body()
  } catch let error as DesktopError {
    return error.code
  }
  try #require(Bool(false), "no error is thrown", sourceLocation: sourceLocation)
  throw CancellationError()
}

/// The error that something else has happened than the test expects.
struct Unexpected: Error {
  let event: String

  init(_ event: String) {
    self.event = event
  }
}

/// A virtual display, with functions that open connections to it.
struct TestDesk: Sendable {
  let screen: VirtualDisplay

  init() async throws {
    screen = try await VirtualDisplay()
  }

  /// Passes a new connection to `body`.
  func withDisplay<Result>(
    _ options: DesktopOptions = .patient, isolation: isolated (any Actor)? = #isolation,
    _ body: (DesktopDisplay) async throws -> Result
  ) async throws -> Result {
    try await DesktopDisplay.withConnection(to: "\(screen.address)", options: options, body)
  }

  /// Creates a pointer, which starts at a location without windows.
  func pointer() async throws -> TestPointer {
    try await TestPointer(X11Connection.open(screen.address, timeout: .seconds(60)))
  }
}

extension DesktopDisplay {
  /// The display as an X11 display, which it is in these tests.
  var x11: X11Display {
    guard let display = backend as? X11Display else { preconditionFailure("another display system") }
    return display
  }
}

extension Clipboard {
  /// The content that another program offers.
  func reader() async throws -> any ForeignContent { try await display.backend.content(of: selection) }
}

extension X11Display {
  /// Creates a visible window, without a window manager.
  func window(
    x: Int16 = 300, y: Int16 = 100, width: UInt16 = 200, height: UInt16 = 200, parent: X11Identifier? = nil
  ) async throws -> X11Identifier {
    let window = try connection.newIdentifier()
    try connection.send(
      .createWindow(
        window, parent: parent ?? connection.screen.root,
        frame: X11Rectangle(x: x, y: y, width: width, height: height),
        attributes: X11WindowAttributes(
          backgroundPixel: 0, overridesRedirect: true, events: X11Display.transferEvents)))
    try connection.send(.mapWindow(window))
    try await connection.synchronize()
    return window
  }

  /// Subscribes to the requests of other programs for selections.
  func selectionRequests(of selection: X11Atom) -> AsyncQueue<X11SelectionRequestEvent> {
    router.events(limit: 1000) { event in
      guard case .selectionRequest(let request) = event.kind, request.selection == selection else { return nil }
      return request
    }
  }

  /// Responds to a request for a selection; without a property, refuses it.
  func notify(_ request: X11SelectionRequestEvent, property: X11Atom) throws {
    let notice = X11SelectionNotifyEvent(
      time: request.time, requestor: request.requestor, selection: request.selection, target: request.target,
      property: property)
    try connection.send(.sendEvent(notice, to: request.requestor))
  }
}

/// Items for tests.
enum DragItems {
  static func text(_ text: String, name: String? = nil) -> ItemProvider {
    let item = ItemProvider(suggestedName: name)
    item.register(.utf8PlainText) { _ in Data(text.utf8) }
    return item
  }

  static func picture(_ count: Int, name: String? = nil, created: Collector<Int>? = nil) -> ItemProvider {
    let item = ItemProvider(suggestedName: name)
    item.register(.png) { _ in
      created?.add(count)
      return bytes(count)
    }
    return item
  }

  /// Returns an item whose picture of one byte waits for a gate.
  static func picture(behind gate: Gate) -> ItemProvider {
    let item = ItemProvider()
    item.register(.png) { _ in
      await gate.wait()
      return Data([7])
    }
    return item
  }

  static func bytes(_ count: Int) -> Data {
    var data = Data(capacity: count)
    while data.count < count { data += period.prefix(count - data.count) }
    return data
  }

  /// The bytes that are repeated.
  ///
  /// They are computed only once, since other toolkits do not wait long for content.
  private static let period = Data((0..<65_536).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) })
}
