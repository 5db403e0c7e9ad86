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
  /// The maximum number of rows that leave with a transition, and of rows beside them, which are drawn for each step.
  private static let maximumRows = (leaving: 8, all: 1000)

  /// The name of a picture and its fixed side; `nil` for a picture that grows with its window.
  private struct PictureKey: Hashable {
    let name: String
    let side: Int?

    init(_ picture: ScenePicture) { (name, side) = (picture.name, picture.side) }
  }

  /// A thumbnail, or the former one while a thumbnail of another side is loading.
  private struct Thumbnail {
    /// The side of its area, in pixels.
    let side: Int
    /// The picture; `nil` while it is loading, and if it cannot be shown.
    var picture: Picture?
  }

  /// A row that is no longer part of the content.
  private struct LeavingRow {
    let row: SceneRow
    let lines: [String]
    /// The number of rows of the scene's list above.
    var place: Int
    /// The visible part of the height, from 0 to 1.
    var part = 1.0
  }

  /// Whether the scene accepts drops.
  let takesDrops: Bool
  private(set) var content: SceneContent?
  /// The lines of each row of the scene; long text takes several.
  var lines: [[String]] = []
  /// The rows that leave the window.
  private var leaving: [LeavingRow] = []
  private var thumbnails: [PictureKey: Thumbnail] = [:]
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
    leaving = leavingRows(for: new.rows.filter(\.isInList))
    (content, lines) = (new, [])
    return !leaving.isEmpty
  }

  /// Shrinks the rows that leave the window by a tenth of their height, and returns whether there are any.
  mutating func shrinkLeavingRows() -> Bool {
    for index in leaving.indices { leaving[index].part -= 0.1 }
    leaving.removeAll { $0.part < 0.05 }
    return !leaving.isEmpty
  }

  /// Returns the rows that leave with the new rows of the list, if all other rows stay.
  private func leavingRows(for new: [SceneRow]) -> [LeavingRow] {
    let old = content?.rows.enumerated().filter { $0.element.isInList } ?? []
    guard (0...Self.maximumRows.leaving).contains(old.count - new.count), old.count <= Self.maximumRows.all else {
      return []
    }
    var (leaving, kept, former) = ([LeavingRow](), 0, leaving[...])
    /// Adds the rows that leave already.
    func addFormer(upTo place: Int) {
      while var row = former.first, row.place <= place {
        row.place = kept
        leaving.append(row)
        former.removeFirst()
      }
    }
    for (place, (index, row)) in old.enumerated() {
      addFormer(upTo: place)
      if kept < new.count, new[kept].text == row.text {
        kept += 1
      } else if Self.shape(of: row) == .line {
        leaving.append(LeavingRow(row: row, lines: lines(of: row, at: index), place: kept))
      } else {
        // The other tiles of a line have its height.
        return []
      }
    }
    addFormer(upTo: .max)
    return kept == new.count ? leaving : []
  }

  /// Returns the lines of a row of the scene, which is at an index.
  private func lines(of row: SceneRow, at index: Int) -> [String] {
    lines.indices.contains(index) ? lines[index] : [row.text]
  }

  private static func shape(of row: SceneRow) -> RowShape {
    if row.style == .heading { return .heading }
    if let picture = row.picture, picture.side == nil { return .filling }
    return row.style == .tile ? .tile : .line
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
      return side > 0 && thumbnails[PictureKey(picture)]?.side != side
    }
    let next =
      rows.compactMap(\.picture).first(where: isNew) ?? content?.rows.lazy.compactMap(\.picture).first(where: isNew)
    if let next {
      let former = thumbnails[PictureKey(next)]
      thumbnails[PictureKey(next)] = Thumbnail(side: side(next), picture: former?.picture)
    }
    return next
  }

  /// Stores a thumbnail, unless one of another side is loading meanwhile.
  mutating func store(_ thumbnail: Picture, of picture: ScenePicture, side: Int) {
    let key = PictureKey(picture)
    if thumbnails[key]?.side == side { thumbnails[key]?.picture = thumbnail }
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
    var (place, rest) = (0, leaving[...])
    func add(_ row: SceneRow, _ lines: [String], source: Int?, part: Double = 1) {
      while column < min(row.column, Self.maximumColumn) {
        model.columnStarts.append(model.rows.count)
        column += 1
      }
      model.rows.append(windowRow(row, lines, part: part))
      sources.append(source ?? -1)
    }
    func addLeaving() {
      while let row = rest.first, row.place == place {
        add(row.row, row.lines, source: nil, part: row.part)
        rest.removeFirst()
      }
    }
    for (index, row) in rows.enumerated() {
      switch row.style {
      case .status: model.hint = row.text
      case .placeholder: model.placeholder = row.text
      case .button: model.buttons.append(WindowButton(row.text))
      case .field: model.field = WindowField(label: row.text, text: row.value, isMultiline: row.isMultiline)
      case .text, .heading, .tile:
        addLeaving()
        add(row, lines(of: row, at: index), source: index)
        place += 1
      }
    }
    addLeaving()
    if model.field?.isMultiline == true { model.buttons.append(WindowButton("Save", isMain: true)) }
    if model.columnStarts.count < 2 { model.columnStarts = [] }
    return model
  }

  private func windowRow(_ row: SceneRow, _ lines: [String], part: Double) -> WindowRow {
    let thumbnail = row.picture.flatMap { thumbnails[PictureKey($0)]?.picture }
    let shape = Self.shape(of: row)
    var shown = WindowRow(
      name: lines.first ?? "", type: row.detail,
      icon: thumbnail.map { .thumbnail($0) } ?? .symbol(row.picture == nil ? .text : .picture),
      pictureSide: row.picture?.side ?? (shape == .tile || shape == .filling ? Self.minimumSide : 0))
    shown.moreLines = Array(lines.dropFirst())
    (shown.shape, shown.visiblePart) = (shape, part)
    if part < 1 { return shown }
    if let progress = row.progress?.snapshot, progress.ending == nil {
      shown.state = .loading(progress.total == nil ? nil : progress.fraction)
    }
    shown.isRemovable = row.removal != nil
    shown.hasStar = row.mark != nil
    return shown
  }
}
