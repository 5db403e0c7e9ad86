// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

package import DisplayWire
internal import DropSystem
internal import Synchronization

extension DesktopWindow {
  /// Processes an event of the connection.
  ///
  /// Events of other windows have no effect. Input that another program has forged is ignored.
  ///
  /// - Returns: The actions that the user requests.
  /// - Throws: The error that has ended the connection.
  package func handle(_ event: X11Event) throws(DisplayError) -> [WindowAction] {
    switch event.kind {
    case .expose(let expose) where expose.window == identifier:
      contents.withLock { contents in
        contents.isVisible = true
        let area = expose.frame
        contents.exposed = contents.exposed.union(
          PixelRectangle(x: Int(area.x), y: Int(area.y), width: Int(area.width), height: Int(area.height)))
      }
      try requestFrame()
    case .configureNotify(let change) where change.window == identifier:
      contents.withLock {
        $0.state.resize(width: max(1, Int(change.frame.width)), height: max(1, Int(change.frame.height)))
      }
      try requestFrame()
    case .clientMessage(let message) where message.window == identifier:
      return try handle(message)
    case .mappingNotify:
      try reloadKeyboard()
    case .destroyNotify(let window) where window == identifier && !event.isSentByClient:
      contents.withLock { $0.isClosed = true }
      return [.closed]
    default:
      guard !event.isSentByClient, let input = input(of: event.kind) else { return [] }
      return try handle(input)
    }
    return []
  }

  /// Processes an input, and requests that its effect is drawn.
  func handle(_ input: WindowInput) throws(DisplayError) -> [WindowAction] {
    let (actions, isChanged) = contents.withLock { contents in
      let hovered = contents.state.hovered
      let pressed = contents.state.pressed
      let actions = contents.state.handle(input)
      // Most motions of the pointer change nothing.
      guard case .moved = input else { return (actions, true) }
      return (actions, !actions.isEmpty || contents.state.hovered != hovered || contents.state.pressed != pressed)
    }
    if isChanged { try requestFrame() }
    return actions
  }

  private func handle(_ message: X11ClientMessage) throws(DisplayError) -> [WindowAction] {
    if message.type == atoms[.frame] {
      try drawFrame()
      return []
    }
    guard message.type == atoms[.protocols], case .words32(let words) = message.data, let kind = words.first else {
      return []
    }
    switch X11Atom(kind) {
    case atoms[.deleteWindow]:
      return [.closed]
    case atoms[.ping]:
      let root = connection.screen.root
      let response = X11ClientMessage(window: root, type: message.type, data: message.data)
      try connection.send(
        .sendEvent(response, to: root, events: [.substructureNotify, .substructureRedirect]))
    default:
      break
    }
    return []
  }

  /// Returns whether a release of the first button follows another within 400 milliseconds and 4 points.
  private func isDouble(_ event: X11InputEvent) -> Bool {
    contents.withLock { contents in
      let last = contents.lastRelease
      contents.lastRelease = event
      guard let last, event.time.rawValue &- last.time.rawValue <= 400 else { return false }
      let distance = WindowState.dragDistance * scale
      guard Double(abs(Int(event.x) - Int(last.x))) <= distance, Double(abs(Int(event.y) - Int(last.y))) <= distance
      else { return false }
      // A third click begins anew.
      contents.lastRelease = nil
      return true
    }
  }

  private func input(of kind: X11Event.Kind) -> WindowInput? {
    switch kind {
    case .motionNotify(let event) where event.window == identifier:
      return .moved(x: Int(event.x), y: Int(event.y), isButtonPressed: event.state.contains(.button1))
    // Mode 1 starts a grab, and mode 2 ends it. During a grab, another window has the pointer.
    case .enterNotify(let event) where event.window == identifier && event.mode != 1:
      return .moved(x: Int(event.x), y: Int(event.y), isButtonPressed: event.state.contains(.button1))
    case .leaveNotify(let event) where event.window == identifier && event.mode != 2:
      return .left
    case .buttonPress(let event) where event.window == identifier:
      switch event.detail {
      case 1: return .pressed(x: Int(event.x), y: Int(event.y))
      case 4: return .scrolled(-1)
      case 5: return .scrolled(1)
      default: return nil
      }
    case .buttonRelease(let event) where event.window == identifier && event.detail == 1:
      return .released(x: Int(event.x), y: Int(event.y), isDouble: isDouble(event))
    case .keyPress(let event) where event.window == identifier:
      let symbol = contents.withLock { $0.keyboard?.symbol(of: event) ?? 0 }
      guard let key = WindowKey(symbol: symbol) else { return nil }
      return .key(key, isShifted: event.state.contains(.shift), isControl: event.state.contains(.control))
    default:
      return nil
    }
  }
}
