// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem

/// The font of a text.
package struct TextStyle: Sendable, Hashable {
  /// The height of the font in pixels.
  package let size: Double
  /// Whether the letters are bold.
  package let isBold: Bool

  /// Creates a style.
  package init(size: Double, isBold: Bool = false) {
    self.size = size
    self.isBold = isBold
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
/// A text may be untrusted: the functions escape its invisible characters.
package protocol TextDrawing: Sendable {
  /// Returns the size of a line.
  func size(of text: String, _ style: TextStyle) -> TextSize

  /// Returns a picture of a line.
  ///
  /// - Parameters:
  ///   - text: The text.
  ///   - style: The font.
  ///   - color: The colour of the letters.
  ///   - maximumWidth: The maximum width in pixels. An ellipsis replaces the middle of a longer text.
  /// - Returns: The picture; `nil` if it would be empty.
  func picture(of text: String, _ style: TextStyle, _ color: Color, maximumWidth: Int) -> Picture?
}

/// The maximum number of characters that a line can show.
let maximumTextLength = 1000

extension String {
  /// The text as a line on the screen: without invisible characters, and of a bounded length.
  var displayLine: String { escapedForDisplay(limit: maximumTextLength, mayBeEscaped: true) }
}

/// The way to draw text that this machine has.
package enum SystemText {
  private static let shared: any TextDrawing = PangoText() ?? BuiltInFont()

  /// Pango and Cairo if they can be loaded, and the built-in font otherwise.
  ///
  /// The first use loads the libraries, which takes some 20 milliseconds.
  package static var drawing: any TextDrawing { shared }

  /// Loads the libraries on another thread, so that the program can connect to the display meanwhile.
  ///
  /// A window opens some 20 milliseconds earlier with it. Call it only if a window will open.
  package static func preload() {
    DetachedThread.start { _ = shared }
  }
}
