// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DisplayWire
import DropSystem
import DropTransport
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import DropDesktop

/// Passes a connection to a fake server, which passes selections and messages between the windows of the connection.
///
/// Both ends of a transfer are windows of this connection, so the test needs no program of others.
func withLoopback<Result>(
  _ options: DesktopOptions = .patient, isolation: isolated (any Actor)? = #isolation,
  _ body: (DesktopDisplay, FakeDisplay) async throws -> Result
) async throws -> Result {
  let state = Lock(LoopbackState())
  let server = try FakeDisplay { request, display in state.withLock { $0.react(to: request, display) } }
  return try await DesktopDisplay(X11Display(server.connect(), options)).whileRouting { try await body($0, server) }
}

private struct LoopbackState {
  var owners: [UInt32: UInt32] = [:]
  var destroyed: Set<UInt32> = []

  private func bytes(_ values: UInt32...) -> [UInt8] {
    values.flatMap { value in [0, 8, 16, 24].map { UInt8(truncatingIfNeeded: value >> $0) } }
  }

  mutating func react(to request: FakeRequest, _ display: FakeDisplay) -> Bool {
    let words = (0..<5).map { request.word32(4 * $0) }
    switch request.opcode {
    case 4:
      destroyed.insert(words[0])
      display.send(event: [17, 0, 0, 0] + bytes(words[0], words[0]) + [UInt8](repeating: 0, count: 20))
    case 14:
      if destroyed.contains(words[0]) {
        display.reject(request, code: 9, value: words[0])
      } else {
        display.respond(to: request, detail: 24, bytes(FakeDisplay.root.rawValue))
      }
    case 22:
      owners[words[1]] = words[0]
      return false
    case 24:
      let (requestor, selection, target, property, time) = (words[0], words[1], words[2], words[3], words[4])
      if let owner = owners[selection], owner != 0 {
        display.send(event: [30, 0, 0, 0] + bytes(time, owner, requestor, selection, target, property, 0))
      } else {
        display.send(event: [31, 0, 0, 0] + bytes(time, requestor, selection, target, 0, 0, 0))
      }
    case 25: display.send(event: [request.body[8] | 0x80] + request.body[9..<40])
    case 40: display.respond(to: request, detail: 1, bytes(0, words[2]))
    default: return false
    }
    return true
  }
}

extension DesktopDrop.Events {
  /// Waits for the next event.
  func next() async throws -> DesktopDrop.Event? {
    try await finishing("an event of a drag") {
      var iterator = makeAsyncIterator()
      return await iterator.next()
    }
  }

  /// Waits for the next drop, and ignores all other events.
  func nextDrop() async throws -> DesktopDrop.Session {
    while let event = try await next() { if case .dropped(let session) = event { return session } }
    throw Unexpected("no drop")
  }
}

/// A drag source that sends all messages itself, without a pointer.
final class HostileSource: Sendable {
  let display: X11Display
  let window: X11Identifier
  let atoms: DragAtoms
  private let requests: AsyncQueue<X11SelectionRequestEvent>
  private let messages: AsyncQueue<DragMessage>

  init(_ desktop: DesktopDisplay, names: [String], name: String? = nil) async throws {
    let display = desktop.x11
    self.display = display
    let atoms = try await DragAtoms(display.connection)
    self.atoms = atoms
    let window = try await display.window(x: 600, y: 400, width: 10, height: 10)
    self.window = window
    requests = display.selectionRequests(of: atoms[.selection])
    messages = display.router.events(limit: 1000) { event in
      guard case .clientMessage(let message) = event.kind, message.window == window else { return nil }
      return DragMessage(message, atoms)
    }
    let connection = display.connection
    let types = try await connection.intern(names)
    try connection.send(.changeProperty(window, atoms[.typeList], type: .atom, .atoms(types)))
    if let name {
      try connection.send(
        .changeProperty(window, atoms[.directSave], type: atoms[.plainText], .bytes(ArraySlice(name.utf8))))
    }
    try connection.send(
      .setSelectionOwner(window, selection: atoms[.selection], time: try await display.currentTime()))
  }

  func send(_ message: DragMessage, to target: X11Identifier) throws {
    try display.connection.send(.sendEvent(message.encoded(for: target, atoms), to: target))
  }

  /// Sends the first message of a drag.
  func enter(_ target: X11Identifier) throws {
    try send(.enter(source: window, version: 5, hasTypeList: true, types: []), to: target)
  }

  /// Waits for the next message of a target.
  func nextMessage() async throws -> DragMessage {
    try await display.next(of: messages, while: "a message arrives")
  }

  /// Sends all messages of a complete drag.
  ///
  /// - Returns: The number of results of earlier drags that arrived before the target's first response.
  @discardableResult
  func dropOn(_ target: X11Identifier) async throws -> Int {
    let time = try await display.currentTime()
    try enter(target)
    try send(.position(source: window, x: 320, y: 120, time: time, action: .copy), to: target)
    var count = 0
    while true {
      if case .status = try await nextMessage() { break }
      count += 1
    }
    try send(.drop(source: window, time: time), to: target)
    return count
  }

  /// Responds to requests with values, or with a refusal, until the task is cancelled.
  func serve(_ respond: (String, String) async -> Data?) async throws {
    while let request = await requests.next() {
      let name = try await display.connection.names(of: [request.target])[0] ?? ""
      let property = try await display.connection.response(to: .getProperty(window, atoms[.directSave], limit: 4096))
      var address = ""
      if case .bytes(let bytes) = property.data { address = String(decoding: bytes, as: UTF8.self) }
      let value = await respond(name, address)
      if let value {
        try display.connection.send(
          .changeProperty(request.requestor, request.property, type: request.target, .bytes(ArraySlice(value))))
      }
      try display.notify(request, property: value == nil ? .none : request.property)
    }
  }
}
