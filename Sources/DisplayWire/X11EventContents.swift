// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// The content of an event of a key, a button or the pointer.
package struct X11InputEvent: Sendable, Hashable {
  /// The key code or the number of the button; for a motion, an enter or a leave event, the detail of the protocol.
  package let detail: UInt8
  /// The server's time of the event.
  package let time: X11Time
  /// The root window of the screen.
  package let root: X11Identifier
  /// The window that reports the event.
  package let window: X11Identifier
  /// The child of the window that contains the pointer, or `none`.
  package let child: X11Identifier
  /// The horizontal location of the pointer on the screen.
  package let rootX: Int16
  /// The vertical location of the pointer on the screen.
  package let rootY: Int16
  /// The horizontal location of the pointer in the window.
  package let x: Int16
  /// The vertical location of the pointer in the window.
  package let y: Int16
  /// The modifiers and buttons that were pressed before the event.
  package let state: X11KeyButtonMask
  /// The cause of an enter or leave event: 0 is a motion, 1 and 2 are the start and the end of a grab.
  ///
  /// It is 0 for other events.
  package let mode: UInt8

  init(_ detail: UInt8, _ reader: inout X11Reader, isCrossing: Bool = false) throws(X11SyntaxError) {
    self.detail = detail
    time = try reader.readTime()
    root = try reader.readIdentifier()
    window = try reader.readIdentifier()
    child = try reader.readIdentifier()
    rootX = try reader.readSigned16()
    rootY = try reader.readSigned16()
    x = try reader.readSigned16()
    y = try reader.readSigned16()
    state = X11KeyButtonMask(rawValue: try reader.read16())
    mode = isCrossing ? try reader.read8() : 0
  }
}

/// The content of an event about the keyboard focus.
package struct X11FocusEvent: Sendable, Hashable {
  /// The window that gets or loses the focus.
  package let window: X11Identifier
  /// The cause: 0 is a new focus, 1 and 2 are the start and the end of a grab, 3 is a new focus during a grab.
  package let mode: UInt8
  /// The relation to the other window: 0 to 4 for ancestors, descendants and unrelated windows, 5 to 7 for the pointer.
  package let detail: UInt8

  init(_ detail: UInt8, _ reader: inout X11Reader) throws(X11SyntaxError) {
    self.detail = detail
    window = try reader.readIdentifier()
    mode = try reader.read8()
  }
}

/// The content of an event about an area that must be drawn.
package struct X11ExposeEvent: Sendable, Hashable {
  /// The window that contains the area.
  package let window: X11Identifier
  /// The area.
  package let frame: X11Rectangle
  /// The minimum number of events of this kind that still follow.
  package let remaining: UInt16

  init(_ reader: inout X11Reader) throws(X11SyntaxError) {
    window = try reader.readIdentifier()
    frame = try reader.readRectangle()
    remaining = try reader.read16()
  }
}

/// The content of an event about a window that was moved or resized.
package struct X11ConfigureEvent: Sendable, Hashable {
  /// The window.
  package let window: X11Identifier
  /// The location in the parent, and the size.
  ///
  /// If a window manager sent the event, the location is on the screen.
  package let frame: X11Rectangle

  init(_ reader: inout X11Reader) throws(X11SyntaxError) {
    try reader.skip(4)
    window = try reader.readIdentifier()
    try reader.skip(4)
    frame = try reader.readRectangle()
  }
}

/// The content of an event about a changed property.
package struct X11PropertyEvent: Sendable, Hashable {
  /// The window.
  package let window: X11Identifier
  /// The property.
  package let property: X11Atom
  /// The server's time of the change.
  package let time: X11Time
  /// Whether the property was deleted.
  package let isDeleted: Bool

  init(_ reader: inout X11Reader) throws(X11SyntaxError) {
    window = try reader.readIdentifier()
    property = try reader.readAtom()
    time = try reader.readTime()
    isDeleted = try reader.read8() == 1
  }
}

/// The content of an event about the loss of a selection.
package struct X11SelectionClearEvent: Sendable, Hashable {
  /// The time at which the ownership changed.
  package let time: X11Time
  /// The former owner.
  package let owner: X11Identifier
  /// The selection.
  package let selection: X11Atom

  init(_ reader: inout X11Reader) throws(X11SyntaxError) {
    time = try reader.readTime()
    owner = try reader.readIdentifier()
    selection = try reader.readAtom()
  }
}

/// The content of an event about a request for the value of a selection.
package struct X11SelectionRequestEvent: Sendable, Hashable {
  /// The time in the request.
  package let time: X11Time
  /// The window that owns the selection.
  package let owner: X11Identifier
  /// The window whose property gets the value.
  package let requestor: X11Identifier
  /// The selection.
  package let selection: X11Atom
  /// The type to which the value is to be converted.
  package let target: X11Atom
  /// The property that gets the value; `none` in the request of an obsolete program.
  package let property: X11Atom

  init(_ reader: inout X11Reader) throws(X11SyntaxError) {
    time = try reader.readTime()
    owner = try reader.readIdentifier()
    requestor = try reader.readIdentifier()
    selection = try reader.readAtom()
    target = try reader.readAtom()
    property = try reader.readAtom()
  }
}

/// The content of an event of XFIXES about the owner of a selection.
package struct X11SelectionOwnerEvent: Sendable, Hashable {
  /// The change: 0 is a new owner, 1 a destroyed window of the owner, 2 a closed connection of the owner.
  package let change: UInt8
  /// The window that reports the event.
  package let window: X11Identifier
  /// The new owner, or `none`.
  package let owner: X11Identifier
  /// The selection.
  package let selection: X11Atom
  /// The server's time of the event.
  package let time: X11Time
  /// The time at which the ownership changed.
  package let selectionTime: X11Time

  init(_ change: UInt8, _ reader: inout X11Reader) throws(X11SyntaxError) {
    self.change = change
    window = try reader.readIdentifier()
    owner = try reader.readIdentifier()
    selection = try reader.readAtom()
    time = try reader.readTime()
    selectionTime = try reader.readTime()
  }
}
