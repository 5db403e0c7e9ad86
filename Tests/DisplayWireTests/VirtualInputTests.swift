// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import DisplayWire

/// Tests of selections and of simulated input with a real X server.
@Suite(
  .serialized, .limited, .enabled(if: VirtualDisplay.isInstalled, "Xvfb is not installed"), .virtualDisplay,
  .timeLimit(.minutes(30)))
struct VirtualInputTests {
  private let client: DisplayClient

  init() async throws {
    client = try await DisplayClient()
  }

  @Test func selectionsPassBetweenPrograms() async throws {
    let owner = try await DisplayClient()
    let ownerWindow = try owner.window(events: .propertyChange)
    let window = try client.window(events: .propertyChange)
    let clipboard = try await client.connection.intern("CLIPBOARD")
    let property = try await client.connection.intern("VALUE")

    // A selection needs a time of the server, which an event contains. Appending to a property causes such an event.
    try owner.connection.send(.changeProperty(ownerWindow, .wmName, type: .string, .bytes([]), mode: .append))
    let change = try await owner.event { if case .propertyNotify = $0 { true } else { false } }
    guard case .propertyNotify(let stamp) = change.kind else { return }
    try owner.connection.send(.setSelectionOwner(ownerWindow, selection: clipboard, time: stamp.time))
    #expect(try await owner.connection.response(to: .getSelectionOwner(clipboard)) == ownerWindow)

    try client.connection.send(
      .convertSelection(
        requestor: window, selection: clipboard, target: .string, property: property, time: stamp.time))
    let asked = try await owner.event { if case .selectionRequest = $0 { true } else { false } }
    guard case .selectionRequest(let request) = asked.kind else { return }
    #expect(!asked.isSentByClient)
    #expect(request.owner == ownerWindow)
    #expect(request.requestor == window)
    #expect(request.target == .string)
    #expect(request.property == property)
    try owner.connection.send(
      .changeProperty(request.requestor, request.property, type: .string, .bytes(Array("value".utf8))))
    let notify = X11SelectionNotifyEvent(
      time: request.time, requestor: request.requestor, selection: request.selection, target: request.target,
      property: request.property)
    try owner.connection.send(.sendEvent(notify, to: request.requestor))
    let told = try await client.event { if case .selectionNotify = $0 { true } else { false } }
    #expect(told == X11Event(.selectionNotify(notify), isSentByClient: true))
    let value = try await client.connection.response(to: .getProperty(window, property, limit: 100, deletes: true))
    #expect(value.data == .bytes(Array("value".utf8)))

    // A later owner takes the selection.
    try client.connection.send(.setSelectionOwner(window, selection: clipboard, time: .current))
    let lost = try await owner.event { if case .selectionClear = $0 { true } else { false } }
    guard case .selectionClear(let cleared) = lost.kind else { return }
    #expect(cleared.owner == ownerWindow)
    #expect(cleared.selection == clipboard)
  }

  @Test func reportsNewOwners() async throws {
    let connection = client.connection
    let xfixes = try #require(try await connection.xfixes())
    let window = try client.window()
    try connection.send(
      .xfixesSelectSelectionInput(
        xfixes, window: window, selection: .primary, changes: [.newOwner, .windowDestroyed, .clientClosed]))
    try await connection.synchronize()
    let other = try await DisplayClient()
    let owner = try other.window()
    try other.connection.send(.setSelectionOwner(owner, selection: .primary, time: .current))
    try await client.event { kind in
      guard case .selectionOwnerNotify(let change) = kind else { return false }
      return change.change == 0 && change.owner == owner && change.selection == .primary && change.window == window
        && change.selectionTime != .current
    }
    other.connection.close()
    try await client.event { kind in
      guard case .selectionOwnerNotify(let change) = kind else { return false }
      return change.change == 2 && change.owner == .none
    }
  }

  @Test func simulatedInputArrives() async throws {
    let connection = client.connection
    let root = connection.screen.root
    let xtest = try #require(try await connection.serverExtension(X11Extension.xtestName))
    #expect(try await connection.response(to: .xtestGetVersion(xtest)).major == 2)
    try connection.send(.xtestFakeInput(xtest, .motion(root: root, x: 600, y: 400)))
    let window = try client.window(events: [
      .pointerMotion, .buttonPress, .buttonRelease, .enterWindow, .leaveWindow, .keyPress, .keyRelease, .focusChange,
      .exposure,
    ])
    try connection.send(.mapWindow(window))
    try await client.event { if case .expose = $0 { true } else { false } }

    try connection.send(.xtestFakeInput(xtest, .motion(root: root, x: 50, y: 30)))
    try await client.event { if case .enterNotify(let input) = $0 { input.window == window } else { false } }
    try connection.send(.xtestFakeInput(xtest, .motion(root: root, x: 51, y: 32)))
    let moved = try await client.event { kind in
      guard case .motionNotify(let input) = kind else { return false }
      return [input.rootX, input.rootY, input.x, input.y] == [51, 32, 31, 22] && input.window == window
    }
    #expect(!moved.isSentByClient)
    try connection.send(.xtestFakeInput(xtest, .button(1, isPressed: true)))
    let pressed = try await client.event { if case .buttonPress(let input) = $0 { input.detail == 1 } else { false } }
    guard case .buttonPress(let press) = pressed.kind else { return }
    let grab = try await connection.response(
      to: .grabPointer(window, events: [.pointerMotion, .buttonRelease], time: press.time))
    #expect(grab == .success)
    let pointer = try await connection.response(to: .queryPointer(root))
    #expect([pointer.rootX, pointer.rootY] == [51, 32])
    #expect(pointer.child == window)
    #expect(pointer.state == .button1)
    try connection.send(.xtestFakeInput(xtest, .button(1, isPressed: false)))
    try await client.event { if case .buttonRelease(let input) = $0 { input.state == .button1 } else { false } }
    try connection.send(.ungrabPointer())

    try connection.send(.setInputFocus(window))
    try await client.event { if case .focusIn(let focus) = $0 { focus.window == window } else { false } }
    #expect(try await connection.response(to: .getInputFocus()) == window)
    let setup = connection.setup
    let mapping = try await connection.response(
      to: .getKeyboardMapping(
        firstKeyCode: setup.minimumKeyCode, count: setup.maximumKeyCode - setup.minimumKeyCode + 1))
    let escape = try #require((setup.minimumKeyCode...setup.maximumKeyCode).first { mapping.symbol($0) == 0xFF1B })
    try connection.send(.xtestFakeInput(xtest, .key(code: escape, isPressed: true)))
    try await client.event { if case .keyPress(let input) = $0 { input.detail == escape } else { false } }
    #expect(try await connection.response(to: .grabKeyboard(window, time: .current)) == .success)
    try connection.send(.xtestFakeInput(xtest, .key(code: escape, isPressed: false)))
    try await client.event { if case .keyRelease(let input) = $0 { input.detail == escape } else { false } }
    try connection.send(.ungrabKeyboard())
    try connection.send(.xtestFakeInput(xtest, .motion(root: root, x: 600, y: 400)))
    try await client.event { if case .leaveNotify(let input) = $0 { input.window == window } else { false } }
  }
}
