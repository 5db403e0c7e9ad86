// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DisplayWire
import DropTransport
import Foundation
import TestSupport

@testable import DropDesktop

/// A simulated source that sends the messages of a drag without a pointer.
final class HostileSource: Sendable {
  let display: DesktopDisplay
  let window: X11Identifier
  let atoms: DragAtoms
  private let names: [String]
  private let requests: EventSubscription<X11SelectionRequestEvent?>
  private let messages: EventSubscription<DragMessage>

  init(_ display: DesktopDisplay, names: [String], name: String? = nil) async throws {
    self.display = display
    self.names = names
    let atoms = try await DragAtoms(display.connection)
    self.atoms = atoms
    let window = try await display.window(x: 600, y: 400, width: 10, height: 10)
    self.window = window
    requests = display.router.events(limit: 1000) { event in
      if case .selectionRequest(let request) = event.kind { .some(request) } else { nil }
    }
    messages = display.router.events(limit: 1000) { event in
      guard case .clientMessage(let message) = event.kind, message.window == window else { return nil }
      return DragMessage(message, atoms)
    }
    let connection = display.connection
    let types = try await connection.intern(names)
    try connection.send(.changeProperty(window, atoms[.typeList], type: .atom, .atoms(types)))
    if let name {
      try connection.send(
        .changeProperty(window, atoms[.directSave], type: atoms[.plainText], .bytes(Array(name.utf8))))
    }
    try connection.send(
      .setSelectionOwner(window, selection: atoms[.selection], time: try await display.currentTime()))
  }

  func send(_ message: DragMessage, to target: X11Identifier) throws {
    try display.connection.send(.sendEvent(message.encoded(for: target, atoms), to: target))
  }

  /// Waits for the next message of a target.
  func nextMessage() async -> DragMessage? { await messages.next() }

  /// Sends all messages of a drag, from the entry to the drop.
  ///
  /// - Returns: The number of reports about earlier drags that arrived before the response.
  @discardableResult
  func dropOn(_ target: X11Identifier) async throws -> Int {
    let time = try await display.currentTime()
    try send(.enter(source: window, version: 5, hasTypeList: true, types: []), to: target)
    try send(.position(source: window, x: 320, y: 120, time: time, action: .copy), to: target)
    var count = 0
    while let message = await nextMessage() {
      if case .status = message { break }
      count += 1
    }
    try send(.drop(source: window, time: time), to: target)
    return count
  }

  /// Responds to requests with values, or with a refusal, until ``stop()``.
  func serve(_ respond: @Sendable (String, String) async -> Data?) async {
    while let next = await requests.next(), let request = next {
      let name = (try? await display.connection.names(of: [request.target]))?.first.flatMap { $0 } ?? ""
      let property = try? await display.connection.response(
        to: .getProperty(window, atoms[.directSave], limit: 4096))
      var address = ""
      if case .bytes(let bytes)? = property?.data { address = String(decoding: bytes, as: UTF8.self) }
      let value = await respond(name, address)
      if let value {
        try? display.connection.send(
          .changeProperty(request.requestor, request.property, type: request.target, .bytes(Array(value))))
      }
      let notice = X11SelectionNotifyEvent(
        time: request.time, requestor: request.requestor, selection: request.selection, target: request.target,
        property: value == nil ? .none : request.property)
      try? display.connection.send(.sendEvent(notice, to: request.requestor))
    }
  }

  func stop() {
    requests.add(nil)
  }
}
