// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// The identifier of a resource of the server, such as a window, a pixmap or a cursor.
package struct X11Identifier: RawRepresentable, Hashable, Sendable {
  /// The identifier on the wire.
  package let rawValue: UInt32

  /// Creates an identifier from its number on the wire.
  package init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  /// Creates an identifier from its number on the wire.
  package init(_ rawValue: UInt32) {
    self.rawValue = rawValue
  }

  /// No resource: `None` or, for a visual, `CopyFromParent`.
  package static let none = X11Identifier(0)
  /// The value for a keyboard focus that follows the pointer: `PointerRoot`.
  package static let pointerRoot = X11Identifier(1)
}

extension X11Identifier: CustomStringConvertible {
  /// The number in hexadecimal, such as `0x400001`.
  package var description: String { "0x" + String(rawValue, radix: 16) }
}

/// The number with which a server identifies a name.
package struct X11Atom: RawRepresentable, Hashable, Sendable {
  /// The atom on the wire.
  package let rawValue: UInt32

  /// Creates an atom from its number on the wire.
  package init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  /// Creates an atom from its number on the wire.
  package init(_ rawValue: UInt32) {
    self.rawValue = rawValue
  }

  /// No atom or, as the type in a `GetProperty` request, any type.
  package static let none = X11Atom(0)
  /// The selection `PRIMARY`.
  package static let primary = X11Atom(1)
  /// The type `ATOM`.
  package static let atom = X11Atom(4)
  /// The type `CARDINAL`.
  package static let cardinal = X11Atom(6)
  /// The type `INTEGER`.
  package static let integer = X11Atom(19)
  /// The property `RESOURCE_MANAGER`.
  package static let resourceManager = X11Atom(23)
  /// The type `STRING`.
  package static let string = X11Atom(31)
  /// The type `WINDOW`.
  package static let window = X11Atom(33)
  /// The property and type `WM_HINTS`.
  package static let wmHints = X11Atom(35)
  /// The property `WM_CLIENT_MACHINE`.
  package static let wmClientMachine = X11Atom(36)
  /// The property `WM_NAME`.
  package static let wmName = X11Atom(39)
  /// The property `WM_NORMAL_HINTS`.
  package static let wmNormalHints = X11Atom(40)
  /// The type `WM_SIZE_HINTS`.
  package static let wmSizeHints = X11Atom(41)
  /// The property `WM_CLASS`.
  package static let wmClass = X11Atom(67)
}

/// A time of the server in milliseconds.
///
/// It wraps around after 49.7 days.
package struct X11Time: RawRepresentable, Hashable, Sendable {
  /// The time on the wire.
  package let rawValue: UInt32

  /// Creates a time from its number on the wire.
  package init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  /// Creates a time from its number on the wire.
  package init(_ rawValue: UInt32) {
    self.rawValue = rawValue
  }

  /// The value for the time at which the server processes a request: `CurrentTime`.
  package static let current = X11Time(0)

  /// Whether this time is after `other`.
  ///
  /// Both times must be less than 24.8 days apart.
  package func isLater(than other: X11Time) -> Bool {
    Int32(bitPattern: rawValue &- other.rawValue) > 0
  }
}

/// The values of a property or of a client message, each of 8, 16 or 32 bits.
package enum X11Data: Sendable, Hashable {
  /// Values of 8 bits, which may be a part of a message that is not copied.
  case bytes(ArraySlice<UInt8>)
  /// Values of 16 bits.
  case words16([UInt16])
  /// Values of 32 bits.
  case words32([UInt32])

  /// Returns atoms as values of 32 bits.
  package static func atoms(_ atoms: [X11Atom]) -> X11Data { .words32(atoms.map(\.rawValue)) }

  /// The number of bits of each value: 8, 16 or 32.
  package var format: UInt8 {
    switch self {
    case .bytes: 8
    case .words16: 16
    case .words32: 32
    }
  }

  /// The number of values.
  package var count: Int {
    switch self {
    case .bytes(let values): values.count
    case .words16(let values): values.count
    case .words32(let values): values.count
    }
  }
}

/// A set of kinds of events that programs can select on a window.
package struct X11EventMask: OptionSet, Hashable, Sendable {
  /// The bits on the wire.
  package let rawValue: UInt32

  /// Creates a set from its bits on the wire.
  package init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  /// A key is pressed.
  package static let keyPress = X11EventMask(rawValue: 1 << 0)
  /// A key is released.
  package static let keyRelease = X11EventMask(rawValue: 1 << 1)
  /// A button is pressed.
  package static let buttonPress = X11EventMask(rawValue: 1 << 2)
  /// A button is released.
  package static let buttonRelease = X11EventMask(rawValue: 1 << 3)
  /// The pointer enters the window.
  package static let enterWindow = X11EventMask(rawValue: 1 << 4)
  /// The pointer leaves the window.
  package static let leaveWindow = X11EventMask(rawValue: 1 << 5)
  /// The pointer moves.
  package static let pointerMotion = X11EventMask(rawValue: 1 << 6)
  /// A part of the window must be drawn.
  package static let exposure = X11EventMask(rawValue: 1 << 15)
  /// The window is, for example, mapped, unmapped, moved, resized or destroyed.
  package static let structureNotify = X11EventMask(rawValue: 1 << 17)
  /// A child of the window is, for example, created, mapped, unmapped, moved, resized or destroyed.
  package static let substructureNotify = X11EventMask(rawValue: 1 << 19)
  /// A program requests to map, move or resize a child.
  ///
  /// Messages to a window manager also have this bit.
  package static let substructureRedirect = X11EventMask(rawValue: 1 << 20)
  /// The window gets or loses the keyboard focus.
  package static let focusChange = X11EventMask(rawValue: 1 << 21)
  /// A property of the window changes.
  package static let propertyChange = X11EventMask(rawValue: 1 << 22)
}

/// A set of pressed modifier keys and buttons.
package struct X11KeyButtonMask: OptionSet, Hashable, Sendable {
  /// The bits on the wire.
  package let rawValue: UInt16

  /// Creates a set from its bits on the wire.
  package init(rawValue: UInt16) {
    self.rawValue = rawValue
  }

  /// The key Shift.
  package static let shift = X11KeyButtonMask(rawValue: 1 << 0)
  /// The key Caps Lock.
  package static let lock = X11KeyButtonMask(rawValue: 1 << 1)
  /// The key for the third level, usually AltGr.
  package static let mod5 = X11KeyButtonMask(rawValue: 1 << 7)
  /// The key Control.
  package static let control = X11KeyButtonMask(rawValue: 1 << 2)
  /// The first button, usually the left button.
  package static let button1 = X11KeyButtonMask(rawValue: 1 << 8)
}
