// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DisplayWire
internal import DropSystem
internal import DropTransport
internal import FoundationEssentials
internal import Synchronization

/// The invisible source window of a drag.
///
/// It grabs the input, and has the properties that targets read.
final class DragSource: Sendable {
  let display: X11Display
  let window: X11Identifier
  /// The window that owns the selection for all drags of the connection.
  let owner: X11Identifier
  /// The start of the drag, at which it takes the selection.
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
    _ display: X11Display, _ atoms: DragAtoms, _ content: DragContent, allowsMove: Bool, time: X11Time
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
        attributes: X11WindowAttributes(overridesRedirect: true, events: X11Display.transferEvents),
        isInputOnly: true))
    try connection.send(.mapWindow(window))
    try connection.send(.changeProperty(window, atoms[.typeList], type: .atom, .atoms(types)))
    if allowsMove {
      try connection.send(
        .changeProperty(window, atoms[.actionList], type: .atom, .atoms([atoms[.copy], atoms[.move]])))
    }
    if let name = content.savedName {
      try connection.send(
        .changeProperty(window, atoms[.directSave], type: atoms[.plainText], .bytes(ArraySlice(name.utf8))))
    }
    owner = try display.drags.begin(window, at: time) {
      let owner = try connection.newIdentifier()
      try connection.send(
        .createWindow(
          owner, parent: connection.screen.root, frame: X11Rectangle(x: -1, y: -1, width: 1, height: 1),
          attributes: X11WindowAttributes(overridesRedirect: true), isInputOnly: true))
      return owner
    }
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

  /// Notes which target the drag enters, and requests events for the destruction of its windows.
  func enter(_ target: DragTarget) throws {
    let windows = Set([target.window, target.recipient])
    display.drags.enter(Set(windows.map { display.client(of: $0) }), by: window)
    for window in windows { try display.watch(window) }
  }

  /// Returns the address that the target has set for the direct save; `nil` if it is missing or invalid.
  func savedAddress(dropTime: Date) async -> DirectSaveAddress? {
    let property = try? await display.connection.response(
      to: .getProperty(window, atoms[.directSave], limit: DirectSave.maximumPropertyBytes))
    guard let property, property.remainingBytes == 0, case .bytes(let bytes) = property.data else { return nil }
    return try? DirectSaveAddress(parsing: Array(bytes), dropTime: dropTime)
  }

  /// Destroys the window, and with the last drag the owner of the selection.
  func close() {
    release()
    // With its owner, the server also ends the ownership of the selection, unless another program has taken it.
    if let owner = display.drags.end(window) { try? display.connection.send(.destroyWindow(owner)) }
    try? display.connection.send(.destroyWindow(window))
  }
}

extension X11Display {
  /// Returns the bits of an identifier that all windows of one program share.
  func client(of window: X11Identifier) -> UInt32 { window.rawValue & ~connection.setup.resourceMask }

  /// Returns whether this connection has created a window.
  func isOwn(_ window: X11Identifier) -> Bool { client(of: window) == connection.setup.resourceBase }

  /// Requests an event for the destruction of a window of another program.
  ///
  /// The call sets the event mask of transfers, since the same window may take part in a transfer. It does not change
  /// the masks of this connection's windows and of the root window, which another program may name as its own.
  func watch(_ window: X11Identifier) throws {
    guard !isOwn(window), window != connection.screen.root else { return }
    try connection.send(
      .changeWindowAttributes(window, X11WindowAttributes(events: X11Display.transferEvents)))
  }
}
