// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropDesktop
internal import DropScenes
internal import DropWindows
internal import ItemTransfer

/// The content of the window of a scene, and the rows of the scene for the rows of the window.
struct ShownScene: Sendable {
  private static let maximumColumn = 99

  /// Whether the scene accepts drops.
  let takesDrops: Bool
  var content: SceneContent?
  /// The lines of each row of the scene; long text takes several.
  var lines: [[String]] = []
  /// The thumbnails by the names of their pictures; `nil` for a picture that is loading or cannot be shown.
  var thumbnails: [String: Picture?] = [:]
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

  init(takesDrops: Bool) { self.takesDrops = takesDrops }

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
  mutating func takePicture(visible: [Int]) -> ScenePicture? {
    let rows = visible.lazy.compactMap { [self] in row($0) }
    let isNew = { [thumbnails] (picture: ScenePicture) in thumbnails[picture.name] == nil }
    let next =
      rows.compactMap(\.picture).first(where: isNew) ?? content?.rows.lazy.compactMap(\.picture).first(where: isNew)
    if let next { thumbnails[next.name] = .some(nil) }
    return next
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
    sources = []
    var column = -1
    for (index, row) in rows.enumerated() {
      switch row.style {
      case .status: model.hint = row.text
      case .placeholder: model.placeholder = row.text
      case .button: model.buttons.append(WindowButton(row.text))
      case .field: model.field = WindowField(label: row.text, text: row.value, isMultiline: row.isMultiline)
      case .text, .heading:
        while column < min(row.column, Self.maximumColumn) {
          model.columnStarts.append(model.rows.count)
          column += 1
        }
        model.rows.append(windowRow(row, lines.indices.contains(index) ? lines[index] : [row.text]))
        sources.append(index)
      }
    }
    if model.field?.isMultiline == true { model.buttons.append(WindowButton("Save", isMain: true)) }
    if model.columnStarts.count < 2 { model.columnStarts = [] }
    return model
  }

  private func windowRow(_ row: SceneRow, _ lines: [String]) -> WindowRow {
    let thumbnail = row.picture.flatMap { thumbnails[$0.name] ?? nil }
    var shown = WindowRow(
      name: lines.first ?? "", type: row.detail,
      icon: thumbnail.map { .thumbnail($0) } ?? .symbol(row.picture == nil ? .text : .picture),
      pictureSide: row.picture?.side ?? 0)
    shown.moreLines = Array(lines.dropFirst())
    if let progress = row.progress?.snapshot, progress.ending == nil {
      shown.state = .loading(progress.total == nil ? nil : progress.fraction)
    }
    shown.isHeading = row.style == .heading
    shown.isRemovable = row.removal != nil
    shown.hasStar = row.mark != nil
    return shown
  }
}
