// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// A key that a window reacts to.
package enum WindowKey: Sendable, Hashable {
  /// Moves the focus to the next part, or with Shift to the previous part.
  case tab
  /// An arrow key.
  case up
  /// An arrow key.
  case down
  /// An arrow key.
  case left
  /// An arrow key.
  case right
  /// Moves to the first row.
  case home
  /// Moves to the last row.
  case end
  /// Moves up by one row less than the list shows.
  case pageUp
  /// Moves down by one row less than the list shows.
  case pageDown
  /// Presses the part with the focus.
  case space
  /// Presses the part with the focus, or the main button if no part has the focus.
  case enter
  /// Closes the window.
  case escape
  /// Removes the character before the caret, or cancels the row with the focus.
  case backspace
  /// Removes the character after the caret, or cancels the row with the focus.
  case delete
  /// A printable character.
  case character(Character)

  /// Creates a key from a key symbol of X11; `nil` for a key that windows ignore.
  package init?(symbol: UInt32) {
    switch symbol {
    case 0xFF09, 0xFE20, 0xFF89: self = .tab
    case 0xFF52, 0xFF97: self = .up
    case 0xFF54, 0xFF99: self = .down
    case 0xFF51, 0xFF96: self = .left
    case 0xFF53, 0xFF98: self = .right
    case 0xFF50, 0xFF95: self = .home
    case 0xFF57, 0xFF9C: self = .end
    case 0xFF55, 0xFF9A: self = .pageUp
    case 0xFF56, 0xFF9B: self = .pageDown
    case 0x20, 0xFF80: self = .space
    case 0xFF0D, 0xFF8D: self = .enter
    case 0xFF1B: self = .escape
    case 0xFF08: self = .backspace
    case 0xFFFF, 0xFF9F: self = .delete
    case 0x21...0x7E, 0xA0...0xFF: self = .character(Character(Unicode.Scalar(UInt8(symbol))))
    // Appendix A of the X11 protocol: a symbol from 0x01000100 is a Unicode scalar plus 0x01000000.
    case 0x0100_0100...0x0110_FFFF:
      guard let scalar = Unicode.Scalar(symbol - 0x0100_0000), !scalar.properties.generalCategory.isControl else {
        return nil
      }
      self = .character(Character(scalar))
    default: return nil
    }
  }
}

/// An input of the user, with locations in pixels.
package enum WindowInput: Sendable, Hashable {
  /// The pointer is at a location.
  case moved(x: Int, y: Int, isButtonPressed: Bool)
  /// The pointer has left the window.
  case left
  /// The first button is pressed.
  case pressed(x: Int, y: Int)
  /// The first button is released, with `isDouble` soon after an earlier release at the same place.
  case released(x: Int, y: Int, isDouble: Bool = false)
  /// The wheel has turned by a number of steps at a horizontal position; a positive number shows later rows.
  case scrolled(Int, x: Int = 0)
  /// A key is pressed.
  case key(WindowKey, isShifted: Bool = false, isControl: Bool = false)
}

/// The items of a drag.
package enum DraggedItems: Sendable, Hashable {
  /// All items.
  case all
  /// Some items, in the order of the list.
  case rows([Int])
}

/// An action that the user requests.
package enum WindowAction: Sendable, Hashable {
  /// The user has started to drag items with the first button.
  case beganDrag(DraggedItems)
  /// The user has changed the selection of rows in the model.
  case changedSelection
  /// The user has opened the row at an index.
  case openedRow(Int)
  /// The user has pressed Enter in the field, or Control-Enter in a field with several lines.
  case submittedField(String)
  /// The user copies text of the field to the clipboard.
  case copiedText(String)
  /// The user pastes text from the clipboard into the field.
  case requestedPaste
  /// The user has pressed the button at an index.
  case pressedButton(Int)
  /// The user has cancelled or removed the row at an index.
  case cancelledRow(Int)
  /// The user has pressed the star of the row at an index.
  case markedRow(Int)
  /// The user has scrolled the list.
  case scrolled
  /// The user has requested a size of the window, in pixels.
  case resized(width: Int, height: Int)
  /// The window has got or lost the keyboard.
  case changedFocus(Bool)
  /// The user has closed the window, or the window was destroyed.
  case closed
}

extension Unicode.GeneralCategory {
  /// Whether characters of the category have no shape and no width of their own.
  fileprivate var isControl: Bool {
    switch self {
    case .control, .format, .surrogate, .unassigned, .privateUse, .lineSeparator, .paragraphSeparator: true
    default: false
    }
  }
}
