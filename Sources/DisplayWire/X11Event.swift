// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// An event from the server.
package struct X11Event: Sendable, Hashable {
  /// The kinds of event.
  package enum Kind: Sendable, Hashable {
    /// A key is pressed.
    case keyPress(X11InputEvent)
    /// A key is released.
    case keyRelease(X11InputEvent)
    /// A button is pressed.
    case buttonPress(X11InputEvent)
    /// A button is released.
    case buttonRelease(X11InputEvent)
    /// The pointer moves.
    case motionNotify(X11InputEvent)
    /// The pointer enters a window.
    case enterNotify(X11InputEvent)
    /// The pointer leaves a window.
    case leaveNotify(X11InputEvent)
    /// A window gets the keyboard focus.
    case focusIn(X11FocusEvent)
    /// A window loses the keyboard focus.
    case focusOut(X11FocusEvent)
    /// An area of a window must be drawn.
    case expose(X11ExposeEvent)
    /// A window is mapped.
    case mapNotify(X11Identifier)
    /// A window is unmapped.
    case unmapNotify(X11Identifier)
    /// A window is destroyed.
    case destroyNotify(X11Identifier)
    /// A window is moved, resized or restacked.
    case configureNotify(X11ConfigureEvent)
    /// A property of a window is changed or deleted.
    case propertyNotify(X11PropertyEvent)
    /// A window of this program has lost a selection.
    case selectionClear(X11SelectionClearEvent)
    /// A program requests the value of a selection.
    case selectionRequest(X11SelectionRequestEvent)
    /// The owner of a selection has responded to a request, or the server reports that there is no owner.
    case selectionNotify(X11SelectionNotifyEvent)
    /// A program has sent a message.
    case clientMessage(X11ClientMessage)
    /// The mapping of the keys, the modifiers or the buttons has changed and must be requested again.
    case mappingNotify
    /// XFIXES reports a change of a selection.
    case selectionOwnerNotify(X11SelectionOwnerEvent)
    /// The server rejected a request that has no response.
    case error(X11Error)
    /// An event that this module does not decode.
    case other(code: UInt8)
  }

  /// The kind of event.
  package let kind: Kind
  /// Whether a program sent the event with `SendEvent`.
  ///
  /// The content of such an event may be forged.
  package let isSentByClient: Bool

  /// Creates an event.
  package init(_ kind: Kind, isSentByClient: Bool = false) {
    self.kind = kind
    self.isSentByClient = isSentByClient
  }

  /// Decodes an event.
  ///
  /// Another program may have sent the event, so a wrong value in it is not an error of the server.
  ///
  /// - Parameters:
  ///   - packet: The bytes of the event, at least 32.
  ///   - xfixes: The extension XFIXES, if the program uses it.
  /// - Throws: `X11SyntaxError` if bytes are missing.
  package init(_ packet: [UInt8], xfixes: X11Extension? = nil) throws(X11SyntaxError) {
    guard packet.count >= 32 else { throw X11SyntaxError(0, "\(packet.count) bytes instead of 32") }
    isSentByClient = packet[0] & 0x80 != 0
    let code = packet[0] & 0x7F
    let detail = packet[1]
    var reader = X11Reader(packet, at: 4)
    switch code {
    case 2: kind = .keyPress(try X11InputEvent(detail, &reader))
    case 3: kind = .keyRelease(try X11InputEvent(detail, &reader))
    case 4: kind = .buttonPress(try X11InputEvent(detail, &reader))
    case 5: kind = .buttonRelease(try X11InputEvent(detail, &reader))
    case 6: kind = .motionNotify(try X11InputEvent(detail, &reader))
    case 7: kind = .enterNotify(try X11InputEvent(detail, &reader, isCrossing: true))
    case 8: kind = .leaveNotify(try X11InputEvent(detail, &reader, isCrossing: true))
    case 9: kind = .focusIn(try X11FocusEvent(detail, &reader))
    case 10: kind = .focusOut(try X11FocusEvent(detail, &reader))
    case 12: kind = .expose(try X11ExposeEvent(&reader))
    case 17: kind = .destroyNotify(try reader.readSecondIdentifier())
    case 18: kind = .unmapNotify(try reader.readSecondIdentifier())
    case 19: kind = .mapNotify(try reader.readSecondIdentifier())
    case 22: kind = .configureNotify(try X11ConfigureEvent(&reader))
    case 28: kind = .propertyNotify(try X11PropertyEvent(&reader))
    case 29: kind = .selectionClear(try X11SelectionClearEvent(&reader))
    case 30: kind = .selectionRequest(try X11SelectionRequestEvent(&reader))
    case 31: kind = .selectionNotify(try X11SelectionNotifyEvent(&reader))
    case 33 where [8, 16, 32].contains(detail): kind = .clientMessage(try X11ClientMessage(format: detail, &reader))
    case 34: kind = .mappingNotify
    case xfixes?.firstEvent where code >= 64: kind = .selectionOwnerNotify(try X11SelectionOwnerEvent(detail, &reader))
    default: kind = .other(code: code)
    }
  }
}

extension X11Reader {
  /// Skips the window that reports an event, and reads the window that the event is about.
  fileprivate mutating func readSecondIdentifier() throws(X11SyntaxError) -> X11Identifier {
    try skip(4)
    return try readIdentifier()
  }
}

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

/// An event that a program can send to other programs with `SendEvent`.
package protocol X11SendableEvent: Sendable {
  /// The event in 32 bytes.
  var encoded: [UInt8] { get }
}

/// The response of a selection's owner to a request.
package struct X11SelectionNotifyEvent: X11SendableEvent, Hashable {
  /// The time in the request.
  package let time: X11Time
  /// The window whose property gets the value.
  package let requestor: X11Identifier
  /// The selection.
  package let selection: X11Atom
  /// The type to which the value was converted.
  package let target: X11Atom
  /// The property with the value; `none` if the owner refused the request.
  package let property: X11Atom

  /// Creates an event.
  package init(
    time: X11Time, requestor: X11Identifier, selection: X11Atom, target: X11Atom, property: X11Atom
  ) {
    self.time = time
    self.requestor = requestor
    self.selection = selection
    self.target = target
    self.property = property
  }

  init(_ reader: inout X11Reader) throws(X11SyntaxError) {
    time = try reader.readTime()
    requestor = try reader.readIdentifier()
    selection = try reader.readAtom()
    target = try reader.readAtom()
    property = try reader.readAtom()
  }

  /// The event in 32 bytes.
  package var encoded: [UInt8] {
    var writer = X11Writer()
    writer.write8(31)
    writer.skip(3)
    writer.write(time)
    writer.write(requestor)
    writer.write(selection)
    writer.write(target)
    writer.write(property)
    writer.skip(8)
    return writer.bytes
  }
}

/// A message of one program to another.
package struct X11ClientMessage: X11SendableEvent, Hashable {
  /// The window that the message is about.
  package let window: X11Identifier
  /// The meaning of the message.
  package let type: X11Atom
  /// The content: 20 values of 8 bits, 10 values of 16 bits, or 5 values of 32 bits.
  package let data: X11Data

  /// Creates a message.
  ///
  /// - Parameters:
  ///   - window: The window that the message is about.
  ///   - type: The meaning of the message.
  ///   - data: At most 20 bytes; zeros fill the rest.
  package init(window: X11Identifier, type: X11Atom, data: X11Data) {
    self.window = window
    self.type = type
    self.data =
      switch data {
      case .bytes(let values): .bytes(Self.filled(Array(values), 20)[...])
      case .words16(let values): .words16(Self.filled(values, 10))
      case .words32(let values): .words32(Self.filled(values, 5))
      }
  }

  private static func filled<Value: FixedWidthInteger>(_ values: [Value], _ count: Int) -> [Value] {
    precondition(values.count <= count, "a message has at most 20 bytes")
    return values + repeatElement(0, count: count - values.count)
  }

  init(format: UInt8, _ reader: inout X11Reader) throws(X11SyntaxError) {
    window = try reader.readIdentifier()
    type = try reader.readAtom()
    data = try reader.readData(format: format, count: 160 / UInt32(format))
  }

  /// The event in 32 bytes.
  package var encoded: [UInt8] {
    var writer = X11Writer()
    writer.write8(33)
    writer.write8(data.format)
    writer.skip(2)
    writer.write(window)
    writer.write(type)
    writer.write(data)
    return writer.bytes
  }
}
