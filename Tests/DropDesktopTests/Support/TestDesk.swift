// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DisplayWire
import Foundation
import ItemTransfer
import TestSupport
import UniformTypes

@testable import DropDesktop

/// A virtual display, with functions that open connections to it.
struct TestDesk: Sendable {
  let screen: VirtualDisplay

  init() async throws {
    screen = try await VirtualDisplay()
  }

  /// The options of a test that expects no timeout.
  static let patient: DesktopOptions = {
    var options = DesktopOptions()
    options.idleTimeout = .seconds(120)
    return options
  }()

  /// Passes a new connection to `body`.
  func withDisplay<Result>(
    _ options: DesktopOptions = patient, isolation: isolated (any Actor)? = #isolation,
    _ body: (DesktopDisplay) async throws -> Result
  ) async throws -> Result {
    try await DesktopDisplay.withConnection(to: "\(screen.address)", options: options, body)
  }

  /// Offers items on one connection while `body` reads them on another.
  func offering<Result: Sendable>(
    _ items: [ItemProvider], _ options: DesktopOptions = patient, selection: Clipboard.Selection = .clipboard,
    _ body: @escaping @Sendable (Clipboard) async throws -> Result
  ) async throws -> Result {
    let isOffered = Gate()
    let offer = Task {
      defer { isOffered.open() }
      try await withDisplay(options) { display in
        try await Clipboard(display, selection).offer(items) { isOffered.open() }
      }
    }
    await isOffered.wait()
    do {
      let result = try await withDisplay(options) { try await body(Clipboard($0, selection)) }
      offer.cancel()
      _ = await offer.result
      return result
    } catch {
      offer.cancel()
      _ = await offer.result
      throw error
    }
  }

  func text(_ text: String) -> ItemProvider {
    let item = ItemProvider()
    item.register(.utf8PlainText) { _ in Data(text.utf8) }
    return item
  }

  func pasted(from clipboard: Clipboard) async throws -> String? {
    try await clipboard.withItems { try await $0.first?.value(as: String.self) }
  }

  /// Returns bytes with a period of 251, so that a test notices chunks in the wrong order.
  static func bytes(_ count: Int) -> Data {
    Data([UInt8](repeating: 0, count: count).indices.lazy.map { UInt8(truncatingIfNeeded: $0 % 251) })
  }
}

/// A clipboard manager, as the freedesktop specification describes it.
///
/// It stores the text of one program.
final class TestClipboardManager: Sendable {
  private let storing: Task<Data, any Error>

  var stored: Data {
    get async throws { try await storing.value }
  }

  init(_ desk: TestDesk) async throws {
    let isReady = Gate()
    storing = Task {
      try await desk.withDisplay { display in
        let manager = display.atoms[.clipboardManager]
        let window = display.window
        let requests = display.router.events { event -> X11SelectionRequestEvent? in
          guard case .selectionRequest(let request) = event.kind, request.selection == manager else { return nil }
          return request
        }
        try display.connection.send(
          .setSelectionOwner(window, selection: manager, time: try await display.currentTime()))
        try await display.connection.synchronize()
        isReady.open()
        let request = try await display.next(of: requests, while: "a program ends")
        let data = try await Clipboard(display).reader().data(of: "UTF8_STRING", limit: 1 << 20)
        try display.connection.send(
          .sendEvent(
            X11SelectionNotifyEvent(
              time: request.time, requestor: request.requestor, selection: manager, target: request.target,
              property: request.property), to: request.requestor))
        try await display.connection.synchronize()
        return data
      }
    }
    await isReady.wait()
  }
}
