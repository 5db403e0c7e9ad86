// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import Synchronization

/// The objects of a Wayland connection that all windows, clipboards and drags share, and the state of its seat.
///
/// A session uses the first seat. The reader of the events passes each of them to ``receive(_:)``.
package final class WaylandSession: Sendable {
  /// The state of the pointer and the keyboard, as the events so far describe it.
  package struct Input: Sendable {
    /// The surface with the pointer; `nil` if no surface of this connection has it.
    package fileprivate(set) var pointerSurface: WaylandObject?
    /// The number of the event with which the pointer has entered the surface.
    package fileprivate(set) var pointerSerial: UInt32 = 0
    /// The surface with the keyboard.
    package fileprivate(set) var keyboardSurface: WaylandObject?
    /// The last press of a button; `nil` after its release.
    package fileprivate(set) var press: Press?
    /// The number of the last press of a button or key, or of the last change of the focus; 0 before the first.
    package fileprivate(set) var serial: UInt32 = 0
    /// The description of the keys in the text format of XKB; empty before it has arrived.
    package fileprivate(set) var keymap: [UInt8] = []
    /// The number of descriptions so far.
    package fileprivate(set) var keymapVersion = 0
    /// The pressed, latched and locked modifiers, and the layout of the keyboard.
    package fileprivate(set) var modifiers = Modifiers()
    /// The delay of the first repetition of a key in milliseconds, and the number of repetitions per second; 0 for none.
    package fileprivate(set) var repetition: (delay: Int, rate: Int) = (0, 0)
  }

  /// A press of a button of the pointer.
  package struct Press: Sendable {
    package let surface: WaylandObject
    package let serial: UInt32
    /// The code of the button, as in the kernel's event interface.
    package let button: UInt32
  }

  /// The state of the modifier keys, in the bits of the keymap.
  package struct Modifiers: Sendable, Hashable {
    package var depressed: UInt32 = 0
    package var latched: UInt32 = 0
    package var locked: UInt32 = 0
    package var group: UInt32 = 0

    /// No modifiers.
    package init() {}

    /// Reads the event `modifiers` of a keyboard.
    package init(_ event: WaylandEvent) {
      (depressed, latched, locked, group) = (event.uint(1), event.uint(2), event.uint(3), event.uint(4))
    }
  }

  private struct State {
    var input = Input()
    var pointer: WaylandObject?
    var keyboard: WaylandObject?
    var outputs: [WaylandObject: Int32] = [:]
    var outputNames: [UInt32: WaylandObject] = [:]
    var windows: [UInt32: Window] = [:]
  }

  /// A window of this connection, by the number of its surface.
  private struct Window {
    let surface: WaylandObject
    var scale = 1.0
    var closeActions: [@Sendable () -> Void] = []
  }

  /// The maximum length of a keymap in bytes.
  private static let maximumKeymapBytes = 1 << 20

  package let connection: WaylandConnection
  package let compositor: WaylandObject?
  package let memory: WaylandObject?
  package let windowBase: WaylandObject?
  package let seat: WaylandObject?
  /// The number of the seat among the global objects.
  private let seatName: UInt32?
  private let state = Lock(State())

  /// Binds the objects.
  package init(_ connection: WaylandConnection) throws(DisplayError) {
    self.connection = connection
    compositor = try connection.bind(.compositor, atLeast: 4)
    memory = try connection.bind(.shm)
    windowBase = try connection.bind(.windowBase)
    // The version 5 of the seat brings frames of the pointer.
    seat = try connection.bind(.seat, atLeast: 5)
    seatName = connection.globals.first { $0.interface == WaylandInterface.seat.name }?.name
    for global in connection.globals { try bindOutput(global) }
  }

  /// The state of the pointer and the keyboard.
  package var input: Input { state.withLock { $0.input } }
  /// The pointer of the seat; `nil` without a mouse.
  package var pointer: WaylandObject? { state.withLock { $0.pointer } }
  /// The keyboard of the seat; `nil` without one.
  package var keyboard: WaylandObject? { state.withLock { $0.keyboard } }

  /// Returns the scale of an output, which is a whole number.
  package func scale(of output: WaylandObject) -> Int32? { state.withLock { $0.outputs[output] } }

  /// The highest scale of all outputs; 1 without outputs.
  package var maximumScale: Int32 { state.withLock { $0.outputs.values.max() ?? 1 } }

  private func bindOutput(_ global: WaylandGlobal) throws(DisplayError) {
    guard let output = try connection.bind(global, as: .output, atLeast: 2) else { return }
    state.withLock { state in
      state.outputs[output] = 1
      state.outputNames[global.name] = output
    }
  }

  // MARK: Windows

  /// Adds a window, or changes the number of pixels per unit of its coordinates.
  package func setScale(_ scale: Double, of surface: WaylandObject) {
    state.withLock { $0.windows[surface.id, default: Window(surface: surface)].scale = scale }
  }

  /// Returns the surface of a window and the number of pixels per unit of its coordinates; `nil` if it is closed.
  package func window(_ number: UInt32) -> (surface: WaylandObject, scale: Double)? {
    state.withLock { state in state.windows[number].map { ($0.surface, $0.scale) } }
  }

  /// Calls a function when a window is closed; at once if there is no such window.
  package func whenClosed(_ number: UInt32, _ action: @escaping @Sendable () -> Void) {
    let isOpen = state.withLock { state in
      state.windows[number]?.closeActions.append(action)
      return state.windows[number] != nil
    }
    if !isOpen { action() }
  }

  /// Removes a window that is closed.
  package func removeWindow(_ surface: WaylandObject) {
    let closed = state.withLock { $0.windows.removeValue(forKey: surface.id) }
    for action in closed?.closeActions ?? [] { action() }
  }

  // MARK: Events

  /// Notes an event, and answers what only the session answers.
  package func receive(_ event: WaylandEvent) throws(DisplayError) {
    switch (event.object.interface, event.name) {
    case (.registry, "global"):
      try bindOutput(
        WaylandGlobal(name: event.uint(0), interface: event.string(1) ?? "", version: event.uint(2)))
    case (.registry, "global_remove"):
      if let seat, event.uint(0) == seatName { try bindInput(of: seat, 0) }
      let output = state.withLock { state in
        let output = state.outputNames.removeValue(forKey: event.uint(0))
        if let output { state.outputs[output] = nil }
        return output
      }
      if let output, connection.version(of: output) >= 3 { try connection.send(output, "release") }
    case (.output, "scale"):
      state.withLock { if $0.outputs[event.object] != nil { $0.outputs[event.object] = max(1, min(8, event.int(0))) } }
    case (.windowBase, "ping"): try connection.send(event.object, "pong", .uint(event.uint(0)))
    case (.seat, "capabilities"): try bindInput(of: event.object, event.uint(0))
    case (.pointer, _), (.keyboard, _): receiveInput(event)
    default: break
    }
  }

  /// Gets the pointer and the keyboard that the seat has now.
  private func bindInput(of seat: WaylandObject, _ capabilities: UInt32) throws(DisplayError) {
    let (hasPointer, hasKeyboard) = (capabilities & 1 != 0, capabilities & 2 != 0)
    let (pointer, keyboard) = state.withLock { ($0.pointer, $0.keyboard) }
    if hasPointer, pointer == nil {
      let new = try connection.create(seat, "get_pointer")
      state.withLock { $0.pointer = new }
    } else if !hasPointer, let pointer {
      try connection.send(pointer, "release")
      state.withLock { state in
        state.pointer = nil
        (state.input.pointerSurface, state.input.press) = (nil, nil)
      }
    }
    if hasKeyboard, keyboard == nil {
      let new = try connection.create(seat, "get_keyboard")
      state.withLock { $0.keyboard = new }
    } else if !hasKeyboard, let keyboard {
      try connection.send(keyboard, "release")
      state.withLock { state in
        state.keyboard = nil
        state.input.keyboardSurface = nil
      }
    }
  }

  private func receiveInput(_ event: WaylandEvent) {
    if event.name == "keymap" { return readKeymap(event) }
    state.withLock { state in
      switch event.name {
      case "enter" where event.object == state.pointer:
        (state.input.pointerSurface, state.input.pointerSerial) = (event.object(1), event.uint(0))
      case "leave" where event.object == state.pointer:
        // The release of a button is not reported afterwards.
        (state.input.pointerSurface, state.input.press) = (nil, nil)
      case "button":
        state.input.serial = event.uint(0)
        let isPressed = event.uint(3) == 1
        if isPressed, let surface = state.input.pointerSurface {
          state.input.press = Press(surface: surface, serial: event.uint(0), button: event.uint(2))
        } else if state.input.press?.button == event.uint(2) {
          state.input.press = nil
        }
      case "enter" where event.object == state.keyboard:
        (state.input.keyboardSurface, state.input.serial) = (event.object(1), event.uint(0))
      case "leave" where event.object == state.keyboard: state.input.keyboardSurface = nil
      case "key": state.input.serial = event.uint(0)
      case "modifiers": state.input.modifiers = Modifiers(event)
      case "repeat_info":
        state.input.repetition = (Int(max(0, min(10_000, event.int(1)))), Int(max(0, min(1000, event.int(0)))))
      default: break
      }
    }
  }

  /// Reads the description of the keys, which the compositor passes as a file.
  private func readKeymap(_ event: WaylandEvent) {
    // Other subscribers keep the event, which must not keep the descriptor open.
    guard let file = event.descriptor(1)?.take() else { return }
    let count = Int(event.uint(2))
    // Format 1 is the text format of XKB.
    guard event.uint(0) == 1, (1...Self.maximumKeymapBytes).contains(count) else { return }
    // Unlike a mapping, a read cannot crash when the compositor shortens the file.
    let text = [UInt8](unsafeUninitializedCapacity: count) { buffer, length in
      length = (try? SystemCalls.read(file.raw, UnsafeMutableRawBufferPointer(buffer), at: 0)) ?? 0
    }
    state.withLock { state in
      state.input.keymap = text
      state.input.keymapVersion += 1
    }
  }
}
