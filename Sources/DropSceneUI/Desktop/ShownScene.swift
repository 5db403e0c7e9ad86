// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropDesktop
internal import DropScenes
internal import DropWindows
internal import ItemTransfer

/// The content of the window of a scene, and the rows of the scene for the rows of the window.
struct ShownScene: Sendable {
  private static let maximumColumn = 99
  /// The side of a picture that grows with its window, if the window has no room for a greater one.
  private static let minimumSide = 64
  /// The maximum number of rows that leave with a transition.
  private static let maximumLeaving = 8

  /// A thumbnail, or the former one while a thumbnail of another side is loading.
  struct Thumbnail: Sendable {
    /// The side of its area, in pixels.
    let side: Int
    /// The picture; `nil` while it is loading, and if it cannot be shown.
    var picture: Picture?
  }

  /// A row that is no longer part of the content.
  private struct LeavingRow: Sendable {
    let row: SceneRow
    let lines: [String]
    /// The index of the scene's row below.
    let index: Int
  }

  /// Whether the scene accepts drops.
  let takesDrops: Bool
  private(set) var content: SceneContent?
  /// The lines of each row of the scene; long text takes several.
  var lines: [[String]] = []
  /// The rows that leave the window.
  private var leaving: [LeavingRow] = []
  /// The visible part of the height of leaving rows, from 0 to 1.
  private var leavingPart = 0.0
  /// The thumbnails by the names of their pictures.
  private var thumbnails: [String: Thumbnail] = [:]
  /// The location of a drag that the window accepts.
  var drag: DesktopDrop.Position?
  /// The column under the drag.
  var targetedColumn: Int?
  /// The place where the drag would insert its items.
  var insertion: RowInsertion?
  /// The result of the last drag; empty if it succeeded.
  var message = ""
  /// The index of the scene's row for each row of the window.
  private var sources: [Int] = []

  /// Whether a handle changes the size of the window.
  private let hasSizeHandle: Bool

  init(takesDrops: Bool, hasSizeHandle: Bool = false) {
    (self.takesDrops, self.hasSizeHandle) = (takesDrops, hasSizeHandle)
  }

  /// Shows new content, and returns whether rows leave the window with a transition.
  mutating func show(_ new: SceneContent) -> Bool {
    leaving = leavingRows(for: new.rows)
    (content, lines, leavingPart) = (new, [], 1)
    return !leaving.isEmpty
  }

  /// Sets the visible part of the rows that leave the window; 0 ends the transition.
  mutating func shrinkLeavingRows(to part: Double) {
    leavingPart = part
    if part <= 0 { leaving = [] }
  }

  /// Returns the rows that leave with new rows, if the other rows of the scene stay.
  private func leavingRows(for new: [SceneRow]) -> [LeavingRow] {
    let old = content?.rows.enumerated().filter { $0.element.isPart } ?? []
    let newParts = new.enumerated().filter { $0.element.isPart }
    guard (1...Self.maximumLeaving).contains(old.count - newParts.count) else { return [] }
    var rest = newParts[...]
    var leaving: [LeavingRow] = []
    for (index, row) in old {
      if let next = rest.first, next.element.text == row.text {
        rest = rest.dropFirst()
      } else {
        let lines = lines.indices.contains(index) ? lines[index] : [row.text]
        leaving.append(LeavingRow(row: row, lines: lines, index: rest.first?.offset ?? new.count))
      }
    }
    return rest.isEmpty ? leaving : []
  }

  /// Returns the row of the scene for a row of the window.
  func row(_ index: Int) -> SceneRow? {
    guard let rows = content?.rows, sources.indices.contains(index), rows.indices.contains(sources[index]) else {
      return nil
    }
    return rows[sources[index]]
  }

  /// Returns the position of items that are inserted between two rows; `nil` if no row has one there.
  func position(of insertion: RowInsertion, isFirst: Bool) -> Int? {
    if !isFirst { return row(insertion.index - 1)?.position.map { $0 + 1 } }
    return row(insertion.index)?.position
  }

  /// Returns the next picture to load, that of a visible row if there is one, and marks it as loading.
  ///
  /// - Parameters:
  ///   - visible: The visible rows of the window.
  ///   - side: Returns the side of a picture's area in pixels; 0 if it is unknown.
  /// - Returns: The picture; `nil` if there is none.
  mutating func takePicture(visible: [Int], side: @escaping (ScenePicture) -> Int) -> ScenePicture? {
    let rows = visible.lazy.compactMap { [self] in row($0) }
    let isNew = { [thumbnails] (picture: ScenePicture) in
      let side = side(picture)
      return side > 0 && thumbnails[picture.name]?.side != side
    }
    let next =
      rows.compactMap(\.picture).first(where: isNew) ?? content?.rows.lazy.compactMap(\.picture).first(where: isNew)
    if let next {
      thumbnails[next.name] = Thumbnail(side: side(next), picture: thumbnails[next.name]?.picture)
    }
    return next
  }

  /// Stores a thumbnail, unless one of another side is loading meanwhile.
  mutating func store(_ picture: Picture, named name: String, side: Int) {
    if thumbnails[name]?.side == side { thumbnails[name]?.picture = picture }
  }

  /// Cancels the load of a row, or else returns the input that removes the row.
  func pressCross(ofRow index: Int) -> String? {
    guard let row = row(index) else { return nil }
    guard let progress = row.progress, progress.snapshot.ending == nil else { return row.removal }
    progress.cancel()
    return nil
  }

  /// Returns the row of the scene for a button; `nil` if new content has no such button.
  func button(_ index: Int) -> SceneRow? {
    content?.rows.lazy.filter { $0.style == .button }.dropFirst(index).first
  }

  /// The row of the scene for the field.
  var field: SceneRow? { content?.rows.last { $0.style == .field } }

  /// Returns the content of the window.
  mutating func model() -> WindowModel {
    let rows = content?.rows ?? []
    var model = WindowModel(
      title: content.map { $0.session.title ?? $0.session.configurationName } ?? "",
      rowsAreDraggable: rows.contains { $0.items != nil }, status: message)
    model.rowsAreOpened = rows.contains { $0.style == .text && $0.input != nil }
    model.targetedColumn = targetedColumn
    model.insertion = insertion
    model.acceptsDrops = takesDrops
    model.hasSizeHandle = hasSizeHandle
    sources = []
    var column = -1
    func add(_ row: SceneRow, _ lines: [String], source: Int?) {
      while column < min(row.column, Self.maximumColumn) {
        model.columnStarts.append(model.rows.count)
        column += 1
      }
      model.rows.append(windowRow(row, lines, isLeaving: source == nil))
      sources.append(source ?? -1)
    }
    for (index, row) in rows.enumerated() {
      for row in leaving where row.index == index { add(row.row, row.lines, source: nil) }
      switch row.style {
      case .status: model.hint = row.text
      case .placeholder: model.placeholder = row.text
      case .button: model.buttons.append(WindowButton(row.text))
      case .field: model.field = WindowField(label: row.text, text: row.value, isMultiline: row.isMultiline)
      case .text, .heading, .tile: add(row, lines.indices.contains(index) ? lines[index] : [row.text], source: index)
      }
    }
    for row in leaving where row.index == rows.count { add(row.row, row.lines, source: nil) }
    if model.field?.isMultiline == true { model.buttons.append(WindowButton("Save", isMain: true)) }
    if model.columnStarts.count < 2 { model.columnStarts = [] }
    return model
  }

  private func windowRow(_ row: SceneRow, _ lines: [String], isLeaving: Bool) -> WindowRow {
    let thumbnail = row.picture.flatMap { thumbnails[$0.name]?.picture }
    var shown = WindowRow(
      name: lines.first ?? "", type: row.detail,
      icon: thumbnail.map { .thumbnail($0) } ?? .symbol(row.picture == nil ? .text : .picture),
      pictureSide: row.picture.map { $0.side ?? Self.minimumSide } ?? (row.style == .tile ? Self.minimumSide : 0))
    shown.moreLines = Array(lines.dropFirst())
    shown.shape =
      row.style == .heading
      ? .heading : row.picture.map { $0.side == nil } == true ? .filling : row.style == .tile ? .tile : .line
    if isLeaving {
      shown.visiblePart = leavingPart
      return shown
    }
    if let progress = row.progress?.snapshot, progress.ending == nil {
      shown.state = .loading(progress.total == nil ? nil : progress.fraction)
    }
    shown.isRemovable = row.removal != nil
    shown.hasStar = row.mark != nil
    return shown
  }
}

extension SceneRow {
  /// Whether the row is in the list of a window.
  fileprivate var isPart: Bool { [.text, .heading, .tile].contains(style) }
}
