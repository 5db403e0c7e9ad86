// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DisplayWire
internal import DropSystem
internal import DropTransport
internal import FoundationEssentials
internal import Synchronization

/// The invisible source window of a drag.
///
/// It owns the selection, grabs the input, and has the properties that targets read.
final class DragSource: Sendable {
  let display: DesktopDisplay
  let window: X11Identifier
  /// The start of the drag, at which the window becomes the owner of the selection.
  let time: X11Time
  /// The types of the content.
  let types: [X11Atom]
  private let atoms: DragAtoms
  /// Whether the window has grabbed the pointer.
  ///
  /// A release by an earlier drag, which waits for its target, would also end the grab of a later drag.
  private let isGrabbed = Lock(false)

  /// Creates the window.
  ///
  /// - Parameters:
  ///   - display: The display.
  ///   - atoms: The atoms of the protocol.
  ///   - content: The content.
  ///   - allowsMove: Whether a target may move the items.
  ///   - time: The start of the drag.
  /// - Throws: The errors of the connection.
  init(
    _ display: DesktopDisplay, _ atoms: DragAtoms, _ content: DragContent, allowsMove: Bool, time: X11Time
  ) async throws {
    self.display = display
    self.atoms = atoms
    self.time = time
    let connection = display.connection
    types = try await connection.intern(content.targets)
    window = try connection.newIdentifier()
    // A grab needs a window that is mapped; it may be outside of the screen.
    try connection.send(
      .createWindow(
        window, parent: connection.screen.root, frame: X11Rectangle(x: -100, y: -100, width: 1, height: 1),
        attributes: X11WindowAttributes(overridesRedirect: true, events: DesktopDisplay.transferEvents),
        isInputOnly: true))
    try connection.send(.mapWindow(window))
    try connection.send(.changeProperty(window, atoms[.typeList], type: .atom, .atoms(types)))
    if allowsMove {
      try connection.send(
        .changeProperty(window, atoms[.actionList], type: .atom, .atoms([atoms[.copy], atoms[.move]])))
    }
    if let name = content.savedName {
      try connection.send(
        .changeProperty(window, atoms[.directSave], type: atoms[.plainText], .bytes(Array(name.utf8))))
    }
    display.drags.begin(window, at: time)
  }

  deinit {
    display.drags.end(window)
  }

  /// Grabs the pointer and the keyboard.
  ///
  /// - Returns: The location of the pointer; `nil` if the button is no longer pressed.
  /// - Throws: `notOwned` if another program has grabbed the pointer.
  func grab(button: Int, time: X11Time) async throws -> DragPoint? {
    let connection = display.connection
    let events: X11EventMask = [.pointerMotion, .buttonPress, .buttonRelease]
    var status = try await connection.response(to: .grabPointer(window, events: events, time: time))
    if status == .invalidTime {
      status = try await connection.response(to: .grabPointer(window, events: events, time: .current))
    }
    guard status == .success else {
      throw DesktopError(.notOwned, "another program has grabbed the pointer")
    }
    isGrabbed.withLock { $0 = true }
    // A button that is released after this response is reported as an event.
    let pointer = try await connection.response(to: .queryPointer(connection.screen.root))
    // A failed grab of the keyboard is ignored, since it only disables Escape.
    _ = try await connection.response(to: .grabKeyboard(window, time: .current))
    let mask = X11KeyButtonMask(rawValue: (1...5).contains(button) ? 1 << UInt16(7 + button) : 0)
    guard !pointer.state.isDisjoint(with: mask) else { return nil }
    return DragPoint(x: pointer.rootX, y: pointer.rootY, time: time)
  }

  /// Returns the key codes of Escape.
  func escapeKeys() async throws -> Set<UInt8> {
    let setup = display.connection.setup
    guard setup.maximumKeyCode >= setup.minimumKeyCode else { return [] }
    let mapping = try await display.connection.response(to: .getKeyboardMapping(of: setup))
    let escape: UInt32 = 0xFF1B
    return Set((setup.minimumKeyCode...setup.maximumKeyCode).filter { mapping.symbol($0) == escape })
  }

  /// Releases the pointer and the keyboard.
  func release() {
    let wasGrabbed = isGrabbed.withLock { isGrabbed in
      defer { isGrabbed = false }
      return isGrabbed
    }
    guard wasGrabbed else { return }
    try? display.connection.send(.ungrabPointer())
    try? display.connection.send(.ungrabKeyboard())
  }

  /// Requests events for the destruction of a target's windows.
  func watch(_ target: DragTarget) throws {
    for window in Set([target.window, target.recipient]) {
      try display.watch(window)
    }
  }

  /// Returns the address that the target has set for the direct save; `nil` if it is missing or invalid.
  func savedAddress(dropTime: Date) async -> DirectSaveAddress? {
    let property = try? await display.connection.response(
      to: .getProperty(window, atoms[.directSave], limit: DirectSave.maximumPropertyBytes))
    guard let property, property.remainingBytes == 0, case .bytes(let bytes) = property.data else { return nil }
    return try? DirectSaveAddress(parsing: bytes, dropTime: dropTime)
  }

  /// Destroys the window.
  func close() {
    release()
    display.drags.end(window)
    try? display.connection.send(.destroyWindow(window))
  }
}

/// The drags of a connection that have not ended, in the order of their starts.
///
/// Only the latest drag owns the selection. An earlier drag may still wait for its target, whose requests then name the
/// window of the latest drag, but have the time of the earlier drop.
final class RunningDrags: Sendable {
  private struct Drag {
    let window: X11Identifier
    let time: X11Time
  }

  private let drags = Lock<[Drag]>([])

  /// Adds a drag that takes the selection at a time.
  func begin(_ window: X11Identifier, at time: X11Time) {
    drags.withLock { $0.append(Drag(window: window, time: time)) }
  }

  /// Removes a drag.
  func end(_ window: X11Identifier) {
    drags.withLock { drags in drags.removeAll { $0.window == window } }
  }

  /// Returns the window whose content a request means: the latest drag that began before the time of the request.
  ///
  /// The result is the owner that the request names if its time is unknown, or if the owner is not a drag.
  func window(for request: X11SelectionRequestEvent) -> X11Identifier {
    guard request.time != .current else { return request.owner }
    return drags.withLock { drags in
      guard drags.contains(where: { $0.window == request.owner }) else { return request.owner }
      return drags.last { !$0.time.isLater(than: request.time) }?.window ?? request.owner
    }
  }
}

extension DesktopDisplay {
  /// Returns whether this connection has created a window.
  func isOwn(_ window: X11Identifier) -> Bool {
    window.rawValue & ~connection.setup.resourceMask == connection.setup.resourceBase
  }

  /// Requests an event for the destruction of a window of another program.
  ///
  /// The call sets the event mask of transfers, since the same window may take part in a transfer. It does not change
  /// the masks of this connection's windows and of the root window, which another program may name as its own.
  func watch(_ window: X11Identifier) throws {
    guard !isOwn(window), window != connection.screen.root else { return }
    try connection.send(
      .changeWindowAttributes(window, X11WindowAttributes(events: DesktopDisplay.transferEvents)))
  }
}
