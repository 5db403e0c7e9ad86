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
  /// The number of cells that the text takes on a terminal: two for a wide character, none for a combining mark.
  public var cellCount: Int { columnCount }

  /// Returns the text in exactly `width` cells: truncated with an ellipsis, or followed by a filler of one cell.
  func fitted(to width: Int, filler: Character = " ") -> String {
    let shown = truncated(toColumns: width)
    return shown + String(repeating: filler, count: max(0, width - shown.columnCount))
  }

  /// Returns the text in lines of at most `width` cells, broken at spaces where possible.
  func wrapped(to width: Int) -> [String] {
    var lines: [String] = []
    var rest = self[...]
    while rest.columnCount > width {
      var room = width
      var end =
        rest.firstIndex {
          room -= String($0).columnCount
          return room < 0
        } ?? rest.endIndex
      // A line has at least one character, also if the character is wider than the line.
      if end == rest.startIndex { end = rest.index(after: end) }
      // A line is not broken within its indentation.
      let text = rest[..<end].drop { $0 == " " }
      if end < rest.endIndex, rest[end] != " ", let space = text.lastIndex(of: " ") { end = rest.index(after: space) }
      lines.append(String(rest[..<end]))
      rest = rest[end...].drop { $0 == " " }
    }
    return rest.isEmpty && !lines.isEmpty ? lines : lines + [String(rest)]
  }
}
