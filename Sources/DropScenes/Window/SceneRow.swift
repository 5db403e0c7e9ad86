// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
public import DropTransport
public import FoundationEssentials
public import ItemTransfer

/// A row of a window: what it shows, and what a user drags from it.
///
/// ```swift
/// let row = SceneRow(hero.name, detail: "12 comics", input: "open 3") { [ItemProvider(hero)] }
/// try await window.show(rows: [row])
/// ```
///
/// A terminal shows only the text and the detail. A desktop also shows the picture. On a desktop, a press on the row
/// starts a drag, which can end in a window of any program.
public struct SceneRow: Sendable {
  /// The first line.
  public var text: String
  /// The line below; empty for a row of one line.
  public var detail: String
  /// The width of a line, in terminal columns, in which a terminal shows the detail beside the text; `nil` to show it below.
  public var columns: Int?
  /// The picture beside the text.
  public var picture: ScenePicture?
  /// Creates the items of a drag; `nil` for a row that cannot be dragged.
  public var items: (@Sendable () -> [ItemProvider])?
  /// The actions that the target of a drag may perform; it may always copy the items.
  public var actions: DropActions
  /// The position of a drop on this row; `nil` if the row has none.
  public var position: Int?
  /// The line of input that the window receives when the user opens the row, with two clicks or the Enter key.
  public var input: String?
  /// Called after a target has taken the items.
  ///
  /// After a move, it removes the source's own items.
  public var dragged: (@Sendable (DropAction) async -> Void)?

  /// Creates a row.
  public init(
    _ text: String, detail: String = "", columns: Int? = nil, picture: ScenePicture? = nil,
    actions: DropActions = .copy, position: Int? = nil, input: String? = nil,
    items: (@Sendable () -> [ItemProvider])? = nil, dragged: (@Sendable (DropAction) async -> Void)? = nil
  ) {
    self.text = text
    self.detail = detail
    self.columns = columns
    self.picture = picture
    self.actions = actions
    self.position = position
    self.input = input
    self.dragged = dragged
    self.items = items
  }

  /// The lines that a terminal shows.
  var lines: [String] {
    let caption = picture.flatMap { $0.caption.isEmpty ? nil : "   " + $0.caption }
    let lines: [String]
    if detail.isEmpty {
      // A terminal has no line for a picture alone.
      lines = text.isEmpty && picture != nil ? [] : [text]
    } else if let columns {
      lines = [text + String(repeating: " ", count: max(1, columns - text.columnCount - detail.columnCount)) + detail]
    } else {
      lines = [text, "   " + detail]
    }
    return lines + (caption.map { [$0] } ?? [])
  }
}

/// A picture of a row, which is loaded once for each name.
public struct ScenePicture: Sendable {
  /// The name, which identifies the picture within a window.
  public let name: String
  /// The line that a terminal shows in place of the picture; empty for no line.
  public let caption: String
  /// The side of its area, in points of 1/96 inch.
  public let side: Int
  /// Loads the bytes of a PNG or JPEG file; after an error, the row has no picture.
  package let load: @Sendable () async throws -> Data

  /// Creates a picture.
  public init(
    _ name: String, caption: String = "", side: Int = 56, load: @escaping @Sendable () async throws -> Data
  ) {
    self.name = name
    self.caption = caption
    self.side = side
    self.load = load
  }
}

/// The session and the rows of a window.
package struct SceneContent: Sendable {
  /// The session, whose title is that of the window.
  package var session: SceneSession
  /// The rows from top to bottom.
  package var rows: [SceneRow]
}
