// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem

/// A piece of a line with one style.
struct Span: Equatable {
  /// The meaning of a text, which a terminal with colours shows.
  enum Style {
    case plain, key, error, dim

    /// The parameters of the escape sequence that selects the style.
    fileprivate var parameters: String? {
      switch self {
      case .plain: nil
      case .key: "1;36"
      case .error: "31"
      case .dim: "2"
      }
    }
  }

  var text: String
  var style = Style.plain
  /// The column in which the span begins, from 0; `nil` if it follows the preceding span.
  ///
  /// A column keeps the frames straight if the terminal draws a character in fewer cells than this program counts.
  var column: Int?

  /// Returns the text with escape sequences for the column and for the style, the latter only with colours.
  func rendered(hasColours: Bool) -> String {
    let move = column.map { "\u{1B}[\($0 + 1)G" } ?? ""
    guard hasColours, let parameters = style.parameters else { return move + text }
    return "\(move)\u{1B}[\(parameters)m\(text)\u{1B}[0m"
  }
}

extension String {
  /// Returns the text in exactly `width` cells: truncated with an ellipsis, or followed by a filler of one cell.
  func fitted(to width: Int, filler: Character = " ") -> String {
    let shown = truncated(toColumns: width)
    return shown + String(repeating: filler, count: max(0, width - shown.columnCount))
  }
}
