// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
public import DropTransport
public import FoundationEssentials
public import ItemTransfer

/// The purpose of a row, which determines its form.
///
/// A window has at most one row with a status, and one with a field; of several, the last is shown.
public enum SceneRowStyle: Sendable, Hashable {
  /// Content.
  case text
  /// The title of the rows below it.
  case heading
  /// A picture; a desktop shows its text below it, and as many tiles side by side as the window has room for.
  case tile
  /// A hint in a window without content; a desktop shows it in the middle of the window.
  case placeholder
  /// The result of the last command; a desktop shows it below the title of the window.
  case status
  /// A command; a desktop shows a button at the lower edge of the window, and a terminal shows nothing.
  case button
  /// A line that the user types; a desktop shows a field at the lower edge of the window.
  ///
  /// A terminal shows nothing if a word precedes the line, and the text of a field with several lines.
  case field
}

/// A row of a window: its appearance, and the items that a user drags from it.
///
/// ```swift
/// let row = SceneRow(hero.name, detail: "12 comics", input: "open 3") { [ItemProvider(hero)] }
/// try await window.show(rows: [row])
/// ```
///
/// A terminal shows only the text and the detail. A desktop also shows the picture. On a desktop, a press on the row
/// starts a drag, which can end in a window of any program.
public struct SceneRow: Sendable {
  /// The purpose of the row.
  public var style = SceneRowStyle.text
  /// The first line; for a field, the placeholder that is shown while the field is empty.
  public var text: String
  /// Text before the first line in a terminal only, such as the number of the row for commands.
  public var prefix = ""
  /// The line below; empty for a row of one line.
  public var detail: String
  /// The width of a line, in terminal columns, in which a terminal shows the detail beside the text; `nil` to show it below.
  public var lineWidth: Int?
  /// The number of the column, which is shown beside the other columns; 0 for a list with one column.
  ///
  /// A terminal that is too narrow shows the columns one below the other.
  ///
  /// Rows follow each other in the order of their columns.
  public var column = 0
  /// The picture, which is beside the text, or above that of a tile.
  public var picture: ScenePicture?
  /// Creates the items of a drag; `nil` for a row that cannot be dragged.
  public var items: (@Sendable () -> [ItemProvider])?
  /// The actions that the target of a drag may perform; it may always copy the items.
  public var actions: DropActions
  /// The position of a drop on this row; `nil` if the row has none.
  public var position: Int?
  /// The line of input that the window receives when the user opens the row, with two clicks or the Enter key, or presses
  /// the button.
  ///
  /// For a field, it is the word that precedes the typed line; `nil` for the typed line alone.
  public var input: String?
  /// The line of input that removes the row, for which a desktop shows a cross; `nil` for a row that stays.
  public var removal: String?
  /// The line of input that marks the row, for which a desktop shows a star; `nil` for a row without one.
  ///
  /// The key `*` has the same effect on the row with the focus.
  public var mark: String?
  /// The text of a field that the user can change.
  public var value = ""
  /// Whether the text of a field has several lines.
  public var isMultiline = false
  /// The progress of a load whose result the row shows.
  ///
  /// The window shows its rows again whenever it changes. A desktop shows a button that cancels it.
  public var progress: ItemProgress?
  /// Called after a target has taken the items.
  ///
  /// After a move, it removes the source's own items.
  public var dragged: (@Sendable (DropAction) async -> Void)?

  /// Creates a row.
  public init(
    _ text: String, detail: String = "", lineWidth: Int? = nil, picture: ScenePicture? = nil,
    actions: DropActions = .copy, position: Int? = nil, input: String? = nil,
    items: (@Sendable () -> [ItemProvider])? = nil, dragged: (@Sendable (DropAction) async -> Void)? = nil
  ) {
    self.text = text
    self.detail = detail
    self.lineWidth = lineWidth
    self.picture = picture
    self.actions = actions
    self.position = position
    self.input = input
    self.dragged = dragged
    self.items = items
  }

  /// Creates the result of the last command; no row if it is empty.
  public static func status(_ text: String) -> [SceneRow] {
    guard !text.isEmpty else { return [] }
    var row = SceneRow(text)
    row.style = .status
    return [row]
  }

  /// Creates the title of rows.
  public static func heading(_ text: String, column: Int = 0, position: Int? = nil) -> SceneRow {
    var row = SceneRow(text, position: position)
    (row.style, row.column) = (.heading, column)
    return row
  }

  /// Creates a row that stands for the missing content.
  public static func placeholder(_ text: String) -> SceneRow {
    var row = SceneRow(text)
    row.style = .placeholder
    return row
  }

  /// Creates a button that sends a line of input.
  public static func button(_ title: String, input: String) -> SceneRow {
    var row = SceneRow(title, input: input)
    row.style = .button
    return row
  }

  /// Returns a field for a line of input, or for a text.
  ///
  /// - Parameters:
  ///   - label: The text that an empty field shows.
  ///   - value: The text that the user can change.
  ///   - input: The word that precedes the typed line; `nil` for the typed line alone.
  ///   - isMultiline: Whether the text has several lines. The Enter key then starts a new line, and the button Save or
  ///     Control-Enter sends the input.
  /// - Returns: The row.
  public static func field(
    _ label: String, value: String = "", input: String? = nil, isMultiline: Bool = false
  ) -> SceneRow {
    var row = SceneRow(label, input: input)
    (row.style, row.value, row.isMultiline) = (.field, value, isMultiline)
    return row
  }

  /// Whether the row is in the list of a window, or in one of its columns.
  package var isInList: Bool { [.text, .heading, .tile].contains(style) }

  /// The lines that a terminal shows.
  var lines: [String] {
    switch style {
    case .text, .tile, .status, .placeholder: textLines
    case .heading: ["[\(text)]"]
    case .button: []
    case .field where isMultiline:
      value.split(omittingEmptySubsequences: false, whereSeparator: \.isLineEnd).map(String.init)
    case .field: input == nil ? ["\(text):"] : []
    }
  }

  private var textLines: [String] {
    let percentage = progress.map { "\(Int($0.snapshot.fraction * 100)) %" }
    let detail = [detail, percentage].compactMap(\.self).filter { !$0.isEmpty }.joined(separator: "  ")
    let caption = picture.flatMap { $0.caption.isEmpty ? nil : "   " + $0.caption }
    let start = prefix + text
    let lines: [String]
    if detail.isEmpty {
      // A terminal has no line for a picture alone.
      lines = text.isEmpty && picture != nil ? [] : [start]
    } else if let lineWidth {
      lines = [
        start + String(repeating: " ", count: max(1, lineWidth - start.columnCount - detail.columnCount)) + detail
      ]
    } else {
      lines = [start, "   " + detail]
    }
    return lines + (caption.map { [$0] } ?? [])
  }
}

extension [SceneRow] {
  /// The minimum width of a column in a terminal, in characters.
  private static var minimumColumnWidth: Int { 18 }

  /// Returns the lines that a terminal shows, with columns side by side if there is room for them.
  ///
  /// - Parameter width: The width of the window in characters; `nil` if unknown.
  /// - Returns: The lines.
  func lines(width: Int?) -> [String] {
    let count = (filter(\.isInList).map(\.column).max() ?? 0) + 1
    guard let width, count > 1, width / count >= Self.minimumColumnWidth, let start = firstIndex(where: \.isInList),
      let end = lastIndex(where: \.isInList)
    else { return flatMap(\.lines) }
    let columnWidth = width / count - 1
    let columns = (0..<count).map { column in
      self[start...end].filter { $0.column == column && $0.isInList }.flatMap(\.lines)
        .flatMap { line in
          // Further lines of a row are indented.
          line.wrapped(toColumns: columnWidth - 2).enumerated().map { $0 == 0 ? $1 : "  \($1)" }
        }
    }
    let height = columns.map(\.count).max() ?? 0
    let beside = (0..<height).map { line in
      columns.map { ($0.indices.contains(line) ? $0[line] : "").padded(toColumns: columnWidth) }.joined(separator: " ")
    }
    return self[..<start].flatMap(\.lines) + beside + self[(end + 1)...].flatMap(\.lines)
  }
}

/// A picture of a row, which is loaded once for each name and side.
public struct ScenePicture: Sendable {
  /// The name, which identifies the picture within a window.
  public let name: String
  /// The line that a terminal shows in place of the picture; empty for no line.
  public let caption: String
  /// The side of its area, in points of 1/96 inch; `nil` for a picture above its text that grows with the window.
  ///
  /// It is loaded again for each new size. A second such picture in a window does not grow.
  public let side: Int?
  /// Loads the bytes of a PNG or JPEG file; after an error, the row keeps its former picture, if any.
  package let load: @Sendable () async throws -> Data

  /// Creates a picture.
  public init(
    _ name: String, caption: String = "", side: Int? = 56, load: @escaping @Sendable () async throws -> Data
  ) {
    self.name = name
    self.caption = caption
    self.side = side
    self.load = load
  }
}

/// The session and the rows of a window.
package struct SceneContent: Sendable {
  /// The session, which has the title of the window.
  package var session: SceneSession
  /// The rows from top to bottom.
  package var rows: [SceneRow]
}
