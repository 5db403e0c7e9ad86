// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// The response to a grab of the pointer or the keyboard.
package enum X11GrabStatus: UInt8, Sendable, Hashable {
  /// The grab is active.
  case success
  /// Another program has a grab.
  case alreadyGrabbed
  /// The given time is before the last grab or after the server's time.
  case invalidTime
  /// The window or one of its ancestors is not mapped.
  case notViewable
  /// The grab of another program has frozen the device.
  case frozen
}

/// The response to `QueryPointer`.
package struct X11Pointer: Sendable, Hashable {
  /// The root window of the screen with the pointer.
  package let root: X11Identifier
  /// The child of the window that contains the pointer, or `none`.
  package let child: X11Identifier
  /// The horizontal location on the screen.
  package let rootX: Int16
  /// The vertical location on the screen.
  package let rootY: Int16
  /// The horizontal location in the window.
  package let x: Int16
  /// The vertical location in the window.
  package let y: Int16
  /// The modifiers and buttons that are pressed.
  package let state: X11KeyButtonMask
}

/// The response to `TranslateCoordinates`.
package struct X11Translation: Sendable, Hashable {
  /// Whether both windows are on the same screen.
  package let isSameScreen: Bool
  /// The child of the destination that contains the location, or `none`.
  package let child: X11Identifier
  /// The horizontal location in the destination.
  package let x: Int16
  /// The vertical location in the destination.
  package let y: Int16
}

/// The response to `GetKeyboardMapping`.
package struct X11KeyboardMapping: Sendable, Hashable {
  /// The first key code.
  package let firstKeyCode: UInt8
  /// The number of key symbols of each key.
  package let symbolsPerKey: Int
  /// The key symbols of all keys.
  ///
  /// The symbol 0 means that there is no symbol.
  package let symbols: [UInt32]

  /// Returns a symbol of a key.
  ///
  /// - Parameters:
  ///   - keyCode: The code of the key.
  ///   - column: The column of the symbol: 0 without Shift, 1 with Shift.
  /// - Returns: The symbol, or 0 if the key has none.
  package func symbol(_ keyCode: UInt8, column: Int = 0) -> UInt32 {
    guard keyCode >= firstKeyCode, column >= 0, column < symbolsPerKey else { return 0 }
    let index = Int(keyCode - firstKeyCode) * symbolsPerKey + column
    return index < symbols.count ? symbols[index] : 0
  }

  /// Returns the symbol of a key event, with regard to Shift, Caps Lock and the key for the third level (AltGr).
  ///
  /// Appendix A of the XKB protocol puts the third level of the first group in columns 4 and 5.
  package func symbol(of event: X11InputEvent) -> UInt32 {
    let isShifted = event.state.contains(.shift)
    if event.state.contains(.mod5) {
      let third = symbol(event.detail, column: isShifted ? 5 : 4)
      if third != 0 { return third }
    }
    let plain = symbol(event.detail)
    let shifted = symbol(event.detail, column: 1)
    // Caps Lock changes only letters. In Latin-1, the code of a capital letter is 32 less than the code of its small
    // letter.
    let isLetter = shifted == plain &- 32 || (shifted == 0 && (0x61...0x7A).contains(plain))
    let isUpper = isShifted != (isLetter && event.state.contains(.lock))
    guard isUpper else { return plain }
    return shifted == 0 ? (isLetter ? plain - 32 : plain) : shifted
  }
}

extension X11Request {
  /// Ends the grab of the pointer.
  package static func ungrabPointer(time: X11Time = .current) -> X11Request {
    X11Request("UngrabPointer", 27) { $0.write(time) }
  }

  /// Ends the grab of the keyboard.
  package static func ungrabKeyboard(time: X11Time = .current) -> X11Request {
    X11Request("UngrabKeyboard", 32) { $0.write(time) }
  }
}

extension X11Query<X11GrabStatus> {
  /// Grabs the pointer: its events are reported to this program only.
  ///
  /// - Parameters:
  ///   - window: The window that reports the events.
  ///   - events: The pointer events to report.
  ///   - cursor: The cursor during the grab, or `none` for no change.
  ///   - reportsToOwnWindows: Whether a window of this program under the pointer reports events instead of `window`.
  ///   - time: The time of the event that caused the grab.
  /// - Returns: The request.
  package static func grabPointer(
    _ window: X11Identifier, events: X11EventMask, cursor: X11Identifier = .none, reportsToOwnWindows: Bool = false,
    time: X11Time
  ) -> Self {
    Self("GrabPointer", 26, detail: reportsToOwnWindows ? 1 : 0) { writer in
      writer.write(window)
      writer.write16(UInt16(truncatingIfNeeded: events.rawValue))
      // The server continues to process pointer and keyboard events during the grab.
      writer.write8(1)
      writer.write8(1)
      writer.write(X11Identifier.none)
      writer.write(cursor)
      writer.write(time)
    } response: { (status, _) throws(X11SyntaxError) in
      try X11GrabStatus(response: status)
    }
  }

  /// Grabs the keyboard: its events are reported to this program only.
  package static func grabKeyboard(
    _ window: X11Identifier, reportsToOwnWindows: Bool = false, time: X11Time
  ) -> Self {
    Self("GrabKeyboard", 31, detail: reportsToOwnWindows ? 1 : 0) { writer in
      writer.write(window)
      writer.write(time)
      writer.write8(1)
      writer.write8(1)
      writer.write16(0)
    } response: { (status, _) throws(X11SyntaxError) in
      try X11GrabStatus(response: status)
    }
  }
}

extension X11GrabStatus {
  fileprivate init(response: UInt8) throws(X11SyntaxError) {
    guard let status = X11GrabStatus(rawValue: response) else {
      throw X11SyntaxError(1, "the status is \(response) instead of 0 to 4")
    }
    self = status
  }
}

extension X11Query<X11Pointer> {
  /// Queries the location of the pointer.
  package static func queryPointer(_ window: X11Identifier) -> Self {
    Self("QueryPointer", 38) {
      $0.write(window)
    } response: { (_, reader) throws(X11SyntaxError) in
      X11Pointer(
        root: try reader.readIdentifier(), child: try reader.readIdentifier(), rootX: try reader.readSigned16(),
        rootY: try reader.readSigned16(), x: try reader.readSigned16(), y: try reader.readSigned16(),
        state: X11KeyButtonMask(rawValue: try reader.read16()))
    }
  }
}

extension X11Query<X11Translation> {
  /// Converts a location in one window to the coordinates of another window.
  package static func translateCoordinates(
    from source: X11Identifier, to destination: X11Identifier, x: Int16, y: Int16
  ) -> Self {
    Self("TranslateCoordinates", 40) { writer in
      writer.write(source)
      writer.write(destination)
      writer.writeSigned16(x)
      writer.writeSigned16(y)
    } response: { (isSameScreen, reader) throws(X11SyntaxError) in
      X11Translation(
        isSameScreen: isSameScreen != 0, child: try reader.readIdentifier(), x: try reader.readSigned16(),
        y: try reader.readSigned16())
    }
  }
}

extension X11Query<X11Identifier> {
  /// Queries the window that receives key events.
  ///
  /// The response also proves that the server has processed all earlier requests.
  package static func getInputFocus() -> Self {
    Self("GetInputFocus", 43, response: { (_, reader) throws(X11SyntaxError) in try reader.readIdentifier() })
  }
}

extension X11Query<X11KeyboardMapping> {
  /// Queries the symbols of keys.
  ///
  /// - Parameters:
  ///   - firstKeyCode: The code of the first key, at least ``X11Setup/minimumKeyCode``.
  ///   - count: The number of keys.
  /// - Returns: The request.
  package static func getKeyboardMapping(firstKeyCode: UInt8, count: UInt8) -> Self {
    Self("GetKeyboardMapping", 101, maximumExtraBytes: Int(count) * 255 * 4) { writer in
      writer.write8(firstKeyCode)
      writer.write8(count)
      writer.write16(0)
    } response: { (symbolsPerKey, reader) throws(X11SyntaxError) in
      try reader.skip(24)
      return X11KeyboardMapping(
        firstKeyCode: firstKeyCode, symbolsPerKey: Int(symbolsPerKey),
        symbols: try reader.readWords(Int(count) * Int(symbolsPerKey)))
    }
  }

  /// Queries the symbols of all keys of a server.
  package static func getKeyboardMapping(of setup: X11Setup) -> Self {
    let count = max(0, Int(setup.maximumKeyCode) - Int(setup.minimumKeyCode) + 1)
    return .getKeyboardMapping(firstKeyCode: setup.minimumKeyCode, count: UInt8(clamping: count))
  }
}
