// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem

/// The size and the weight of a font, and the kind of text.
package struct TextStyle: Sendable, Hashable {
  /// The kind of a line, which determines its direction and how it is shortened.
  package enum Kind: Sendable, Hashable {
    /// A name. Its first letter determines its direction, and an ellipsis replaces its middle.
    case name
    /// A sentence of this program, from left to right. An ellipsis replaces its end.
    ///
    /// A name in the sentence cannot reverse the other words.
    case sentence
    /// A line of a text that the user edits, whose paragraph determines the direction.
    case line(isRightToLeft: Bool)
  }

  /// The height of the font in pixels.
  package let size: Double
  /// Whether the letters are bold.
  package let isBold: Bool
  /// The kind of text.
  package let kind: Kind

  /// Creates a style.
  package init(size: Double, isBold: Bool = false, kind: Kind = .name) {
    self.size = size
    self.isBold = isBold
    self.kind = kind
  }
}

/// The size of a line of text, in pixels.
package struct TextSize: Sendable, Hashable {
  /// The width.
  package let width: Int
  /// The height of the line.
  package let height: Int
}

/// A way to draw single lines of text.
///
/// A string may be untrusted: the functions escape its invisible characters.
package protocol TextDrawing: Sendable {
  /// Returns the size of a line.
  func size(of text: String, _ style: TextStyle) -> TextSize

  /// Returns whether the first letter of a paragraph belongs to a script that runs from right to left.
  func isRightToLeft(_ text: String) -> Bool

  /// Returns the edges of each character of a line.
  func cells(of line: [Character], _ style: TextStyle) -> [TextCell]

  /// Returns a picture of a line.
  ///
  /// - Parameters:
  ///   - text: The string.
  ///   - style: The font.
  ///   - color: The colour of the letters.
  ///   - maximumWidth: The maximum width in pixels. An ellipsis replaces a part of a longer string.
  /// - Returns: The picture; `nil` if it would be empty or cannot be drawn.
  func picture(of text: String, _ style: TextStyle, _ color: Color, maximumWidth: Int) -> Picture?
}

/// The maximum number of characters that a line can show.
let maximumTextLength = 1000

extension String {
  /// The string as a line on the screen, with invisible characters escaped, and at most ``maximumTextLength`` long.
  var displayLine: String { escapedForDisplay(limit: maximumTextLength, mayBeEscaped: true) }
}

/// The best way to draw text on this machine.
package enum SystemText {
  private static let shared: any TextDrawing = PangoText() ?? BuiltInFont()

  /// Pango and Cairo if they can be loaded, and the built-in font otherwise.
  ///
  /// The first use loads the libraries, which takes about 20 milliseconds.
  package static var drawing: any TextDrawing { shared }

  /// Loads the libraries on another thread, so that the program can connect to the display meanwhile.
  ///
  /// A window then opens about 20 milliseconds earlier. Call this only if a window will open, and wait for the end. A
  /// library that is loaded while the process exits is initialized again after its end, and GLib then ends the process.
  package static func preload() async {
    await runBlocking { _ = shared }
  }
}
