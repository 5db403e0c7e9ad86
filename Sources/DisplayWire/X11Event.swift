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
