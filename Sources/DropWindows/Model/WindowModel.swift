// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// The progress of an item.
package enum ItemState: Sendable, Hashable {
  /// The item waits, or is only offered.
  case idle
  /// The item waits for another program, as the text says.
  case waiting(String)
  /// The item is transferred; the fraction from 0 to 1 is `nil` if the size is unknown.
  case loading(Double?)
  /// The item is complete.
  case done
  /// The item has failed for the given reason.
  case failed(String)

  /// Whether the item is transferred.
  package var isLoading: Bool {
    if case .loading = self { true } else { false }
  }
}

/// The picture at the left edge of a row.
package enum RowIcon: Sendable, Hashable {
  /// A built-in icon.
  case symbol(Symbol)
  /// A thumbnail, at most as wide and as high as its area.
  case thumbnail(Picture)
}

/// The form of a row.
package enum RowShape: Sendable, Hashable {
  /// Lines of text, beside a picture if there is one.
  case line
  /// The title of the rows below.
  case heading
  /// A picture above its name, beside other tiles.
  case tile
  /// A picture that takes the part of the window that the other rows leave, above its name; of several, the first.
  case filling
}

/// An item in the list of a window.
///
/// All strings may be untrusted.
package struct WindowRow: Sendable, Hashable {
  /// The name.
  package var name: String
  /// The lines of a long text below the name, for a row without a picture.
  package var moreLines: [String] = []
  /// The description of the type, such as "PNG image".
  package var type: String
  /// The size, such as "1.2 MB"; empty if unknown.
  package var size: String
  /// The picture.
  package var icon: RowIcon
  /// The side of the picture's area in points, which determines the height of the row; 0 for a row without a picture.
  package var pictureSide: Int
  /// The progress.
  package var state: ItemState
  /// Whether the user has selected the row.
  package var isSelected: Bool
  /// The form.
  package var shape = RowShape.line
  /// The visible part of the height, from 0 to 1; less than 1 for a row that is about to leave the window.
  package var visiblePart = 1.0
  /// Whether a button in the row removes it.
  package var isRemovable = false
  /// Whether the row has a star, which marks it.
  package var hasStar = false
  /// Whether the row was just added, which its colour shows.
  package var isNew = false
  /// The text that appears when the pointer rests on the row, such as the path of a file; empty for none.
  package var tooltip = ""

  /// Creates a row.
  package init(
    name: String, type: String = "", size: String = "", icon: RowIcon = .symbol(.file),
    pictureSide: Int = WindowLayout.iconSide, state: ItemState = .idle, isSelected: Bool = false
  ) {
    self.name = name
    self.type = type
    self.size = size
    self.icon = icon
    self.pictureSide = pictureSide
    self.state = state
    self.isSelected = isSelected
  }

  /// The text without spaces and line ends, by which a row is recognized in new content, however its text is divided.
  package var text: String { ([name] + moreLines).joined().filter { !$0.isWhitespace } }

  static let lineHeight = 19.0

  /// Whether the row is a picture above its name.
  var isPicture: Bool { shape == .tile || shape == .filling }

  /// Whether the row has a button that cancels its transfer, or removes it.
  var hasCross: Bool {
    switch state {
    case .loading, .waiting: true
    case .idle: isRemovable
    case .done, .failed: false
    }
  }

  /// The height of the row, in points; for a filling row, without the part of the window that it takes.
  var height: Double { wholeHeight * visiblePart }

  private var wholeHeight: Double {
    if shape == .heading { return 36 }
    let text = (state == .idle && caption.isEmpty ? 28.0 : 46) + Double(moreLines.count) * Self.lineHeight
    guard shape == .line else { return text + Double(pictureSide) + (name.isEmpty ? -6 : 10) }
    return max(text, pictureSide == 0 ? 0 : Double(pictureSide + 22))
  }

  /// The minimum width of a tile, in points.
  var tileWidth: Double { Double(pictureSide + 32) }

  /// The line below the name.
  var caption: String {
    switch state {
    case .failed(let message), .waiting(let message): return message
    case .idle, .loading, .done: break
    }
    return type.isEmpty || size.isEmpty ? type + size : "\(type) · \(size)"
  }
}

/// An area that accepts drops.
package struct DropZone: Sendable, Hashable {
  /// The name.
  package var name: String
  /// The explanation below the name.
  package var detail: String
  /// The progress of the last drop.
  package var state: ItemState
  /// Whether a drag that the zone accepts is over it.
  package var isTargeted: Bool

  /// Creates a zone.
  package init(name: String, detail: String = "", state: ItemState = .idle, isTargeted: Bool = false) {
    self.name = name
    self.detail = detail
    self.state = state
    self.isTargeted = isTargeted
  }
}

/// A button at the lower edge.
package struct WindowButton: Sendable, Hashable {
  /// The title.
  package var title: String
  /// Whether it is the main button, which the Enter key presses if no part has the focus.
  package var isMain: Bool
  /// Whether it can be pressed.
  package var isEnabled: Bool

  /// Creates a button.
  package init(_ title: String, isMain: Bool = false, isEnabled: Bool = true) {
    self.title = title
    self.isMain = isMain
    self.isEnabled = isEnabled
  }
}

/// A place between two rows of a column.
package struct RowInsertion: Sendable, Hashable {
  /// The column.
  package let column: Int
  /// The index of the row below, or the end of the column's rows.
  package let index: Int

  /// Creates a place.
  package init(column: Int, index: Int) {
    (self.column, self.index) = (column, index)
  }
}

/// The content of a window.
package struct WindowModel: Sendable, Hashable {
  /// The title, which is also the name of the window.
  package var title: String
  /// The explanation below the title.
  package var hint: String
  /// The title of the row that drags all items, such as "All 3 items"; `nil` without this row.
  package var dragAllTitle: String?
  /// The areas that accept drops, in rows of at most three.
  package var zones: [DropZone]
  /// The items.
  package var rows: [WindowRow]
  /// The text in the middle of a list without items; empty for no text.
  package var placeholder = ""
  /// Whether drops on the list are accepted, which a tray above the placeholder shows.
  package var acceptsDrops = false
  /// Whether rows can be selected and dragged.
  package var rowsAreDraggable: Bool
  /// Whether the window has no heading, and its rows show only their pictures.
  package var showsOnlyPictures = false
  /// Whether a handle in the lower right corner changes the size of the window.
  package var hasSizeHandle = false
  /// Whether two clicks or the Enter key open a row.
  package var rowsAreOpened = false
  /// The index of the first row of each column, for columns side by side; empty for a list with one column.
  ///
  /// The indices are in ascending order. A window that is too narrow shows one column.
  package var columnStarts: [Int] = []
  /// The column over which a drag is that the list accepts; `nil` if there is none.
  package var targetedColumn: Int?
  /// The place between two rows where a drop would insert items; `nil` if there is none.
  package var insertion: RowInsertion?
  /// The field at the lower edge; `nil` for a window without one.
  package var field: WindowField?
  /// The text at the lower edge.
  package var status: String
  /// The buttons at the lower edge, from left to right.
  package var buttons: [WindowButton]

  /// Creates the content.
  package init(
    title: String, hint: String = "", dragAllTitle: String? = nil, zones: [DropZone] = [], rows: [WindowRow] = [],
    rowsAreDraggable: Bool = false, status: String = "", buttons: [WindowButton] = []
  ) {
    self.title = title
    self.hint = hint
    self.dragAllTitle = dragAllTitle
    self.zones = zones
    self.rows = rows
    self.rowsAreDraggable = rowsAreDraggable
    self.status = status
    self.buttons = buttons
  }
}

/// A part of a window that reacts to the pointer or the keyboard.
package enum WindowTarget: Sendable, Hashable {
  /// The row that drags all items.
  case dragAll
  /// A drop zone.
  case zone(Int)
  /// A row of the list.
  case row(Int)
  /// The button that cancels a row.
  case cancel(Int)
  /// The star of a row.
  case star(Int)
  /// The empty part of a column of the list.
  case list(Int)
  /// The bar that shows and changes the visible part of a column of the list.
  case scrollBar(Int)
  /// The field at the lower edge.
  case field
  /// A button at the lower edge.
  case button(Int)
  /// The handle that changes the size of the window.
  case sizeHandle
}
