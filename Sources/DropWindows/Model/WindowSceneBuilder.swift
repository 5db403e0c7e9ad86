// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

extension WindowState {
  /// Returns the steps that draw the window.
  ///
  /// Rows that are not visible are left out, so the time does not depend on the number of rows.
  package func scene() -> WindowScene {
    var builder = SceneBuilder(state: self)
    builder.addHeader()
    builder.addZones()
    builder.addDragAll()
    builder.addList()
    builder.addField()
    builder.addFooter()
    builder.addSizeHandle()
    builder.addTooltip()
    return builder.scene
  }
}

/// A builder of a scene: the steps that draw a window.
struct SceneBuilder {
  let state: WindowState
  let layout: WindowLayout
  let theme: Theme
  private(set) var scene: WindowScene
  /// The area to which new shapes are limited.
  var clip: PixelRectangle

  init(state: WindowState) {
    self.state = state
    layout = state.layout
    theme = state.theme
    clip = layout.bounds
    scene = WindowScene(theme: theme, bounds: layout.bounds)
  }

  // MARK: Shapes

  mutating func add(_ shape: DrawingCommand.Shape, _ frame: PixelRectangle) {
    guard frame.intersects(clip) else { return }
    scene.commands.append(DrawingCommand(shape: shape, frame: frame, clip: clip))
  }

  mutating func fill(_ frame: PixelRectangle, _ color: Color, radius: Double = 0) {
    add(.fill(color, radius: radius * layout.scale), frame)
  }

  mutating func border(
    _ frame: PixelRectangle, _ color: Color, radius: Double, thickness: Double = 1, dash: Double = 0
  ) {
    // Thin edges with a fraction of a pixel would be blurred.
    let thickness = max(1, (thickness * layout.scale).rounded())
    add(.border(color, radius: radius * layout.scale, thickness: thickness, dash: dash * layout.scale), frame)
  }

  mutating func text(
    _ text: String, _ frame: PixelRectangle, size: Double = WindowLayout.bodySize, isBold: Bool = false,
    kind: TextStyle.Kind = .sentence, _ color: Color, _ alignment: TextAlignment = .left
  ) {
    guard !text.isEmpty else { return }
    add(.text(text, TextStyle(size: size * layout.scale, isBold: isBold, kind: kind), color, alignment), frame)
  }

  /// Returns a square in the middle of a frame.
  func square(_ points: Double, in frame: PixelRectangle) -> PixelRectangle {
    let side = layout.pixels(points)
    return PixelRectangle(
      x: frame.x + (frame.width - side) / 2, y: frame.y + (frame.height - side) / 2, width: side, height: side)
  }

  /// Adds a progress bar, in which a part moves if the fraction is unknown.
  mutating func progressBar(_ frame: PixelRectangle, _ fraction: Double?) {
    let radius = Double(frame.height) / 2 / layout.scale
    fill(frame, theme.border, radius: radius)
    var part = frame
    if let fraction {
      // A value that is not a number shows an empty bar.
      part.width = Int(Double(frame.width) * max(0, min(1, fraction.isFinite ? fraction : 0)))
      // The part must have room for its round ends.
      if part.width > 0 { part.width = max(part.width, frame.height) }
    } else {
      let step = state.animationStep < 20 ? state.animationStep : 40 - state.animationStep
      part.width = max(frame.height, frame.width * 3 / 10)
      part.x += (frame.width - part.width) * step / 20
    }
    fill(part, theme.accent, radius: radius)
  }

  /// Adds a ring around a part if it receives keys.
  mutating func focusRing(_ target: WindowTarget, _ frame: PixelRectangle, radius: Double) {
    guard state.showsFocus, state.focused == target else { return }
    border(frame, theme.accent, radius: radius, thickness: 2)
  }

  // MARK: Parts

  mutating func addHeader() {
    guard !state.model.showsOnlyPictures else { return }
    text(state.model.title, layout.title, size: WindowLayout.titleSize, isBold: true, theme.text)
    text(state.model.hint, layout.hint, theme.secondaryText)
  }

  mutating func addDragAll() {
    guard let title = state.model.dragAllTitle else { return }
    let frame = layout.dragAll
    let isHovered = state.hovered == .dragAll
    fill(frame, isHovered ? theme.tint : theme.surface, radius: 9)
    border(frame, isHovered ? theme.accent : theme.border, radius: 9)
    focusRing(.dragAll, frame, radius: 9)
    var icon = square(28, in: frame)
    icon.x = frame.x + layout.pixels(14)
    add(.symbol(.several, theme.text), icon)
    let start = layout.pixels(56)
    let grip = layout.pixels(40)
    let label = PixelRectangle(
      x: frame.x + start, y: frame.y, width: max(0, frame.width - start - grip), height: frame.height)
    text(title, label, isBold: true, theme.text)
    addGrip(PixelRectangle(x: frame.endX - grip, y: frame.y, width: grip, height: frame.height))
  }

  /// Adds the dots that mark a part as draggable.
  mutating func addGrip(_ frame: PixelRectangle) {
    let dot = max(2, layout.pixels(3))
    let step = layout.pixels(6)
    let x = frame.x + (frame.width - step - dot) / 2
    let y = frame.y + (frame.height - 2 * step - dot) / 2
    for index in 0..<6 {
      let circle = PixelRectangle(x: x + index % 2 * step, y: y + index / 2 * step, width: dot, height: dot)
      add(.fill(theme.ink, radius: Double(dot) / 2), circle)
    }
  }

  /// Adds a triangle of dots in the lower right corner.
  mutating func addSizeHandle() {
    guard state.model.hasSizeHandle else { return }
    let (dot, step) = (max(2, layout.pixels(2)), layout.pixels(4))
    let color = state.hovered == .sizeHandle || state.pressed == .sizeHandle ? theme.accent : theme.ink
    for (row, column) in [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (2, 0)] {
      let x = layout.bounds.endX - (column + 1) * step
      fill(PixelRectangle(x: x, y: layout.bounds.endY - (row + 1) * step, width: dot, height: dot), color)
    }
  }

  mutating func addField() {
    guard let field = state.model.field, let lines = state.fieldLayout else { return }
    let hasFocus = state.focused == .field
    fill(layout.field, theme.surface, radius: 7)
    border(layout.field, hasFocus ? theme.accent : theme.ink, radius: 7, thickness: hasFocus ? 2 : 1)
    clip = lines.area
    if field.text.isEmpty {
      var first = lines.area
      first.height = lines.lineHeight
      text(field.label, first, theme.secondaryText)
    }
    for index in lines.visibleLines(scroll: state.fieldScroll) {
      let line = lines[index]
      for var part in line.areas(of: field.selection) where hasFocus {
        part.y -= state.fieldScroll
        fill(part, theme.tint)
      }
      var frame = line.frame
      frame.y -= state.fieldScroll
      text(String(field.text[line.range]), frame, kind: line.kind, theme.text)
      guard hasFocus, index == lines.line(of: field.caret) else { continue }
      let margin = max(0, (frame.height - layout.pixels(22)) / 2)
      let caret = PixelRectangle(
        x: line.caret(at: field.caret), y: frame.y, width: lines.caretWidth, height: frame.height)
      fill(caret.inset(0, margin), theme.accent)
    }
    clip = layout.bounds
  }

  mutating func addFooter() {
    text(state.model.status, layout.status, size: WindowLayout.captionSize, theme.secondaryText)
    for (index, button) in state.model.buttons.enumerated() {
      let frame = layout.buttons[index]
      let target = WindowTarget.button(index)
      let isHovered = state.hovered == target && button.isEnabled
      let isPressed = isHovered && state.pressed == target
      if button.isMain, button.isEnabled {
        let shade = isPressed ? 0.22 : isHovered ? 0.1 : 0
        fill(frame, (theme.isDark ? Color(0xFFFFFF) : Color(0)).opacity(shade).over(theme.accent), radius: 7)
        text(button.title, frame, isBold: true, theme.accentText, .center)
      } else {
        fill(frame, isPressed ? theme.border : isHovered ? theme.hover : theme.surface, radius: 7)
        border(frame, theme.border, radius: 7)
        text(button.title, frame, button.isEnabled ? theme.text : theme.ink, .center)
      }
      focusRing(target, frame.inset(-layout.pixels(3)), radius: 10)
    }
  }
}

extension SceneBuilder {
  /// Adds the tooltip below the row under the pointer, or above it without room below.
  mutating func addTooltip() {
    guard !state.tooltip.isEmpty, case .row(let index) = state.hovered else { return }
    let style = TextStyle(size: WindowLayout.captionSize * layout.scale, kind: .sentence)
    let (side, edge, lineHeight) = (layout.pixels(10), layout.pixels(6), layout.pixels(17))
    let width = layout.list.width - 2 * side
    // A path may contain line ends, which are escaped.
    let tooltip = Array(state.tooltip.displayLine)
    let lines = tooltip.lines(fitting: width) { state.text.size(of: $0, style).width }.prefix(8).map {
      String(tooltip[$0])
    }
    let row = state.frame(ofRow: index)
    let height = lines.count * lineHeight + 2 * edge
    var frame = PixelRectangle(x: layout.list.x, y: row.endY - edge, width: 0, height: height)
    frame.width = 2 * side + (lines.map { state.text.size(of: $0, style).width }.max() ?? 0)
    if frame.endY > layout.bounds.height { frame.y = max(0, row.y + edge - height) }
    fill(frame, theme.surface, radius: 6)
    border(frame, theme.ink, radius: 6)
    for (number, line) in lines.enumerated() {
      let area = PixelRectangle(
        x: frame.x + side, y: frame.y + edge + number * lineHeight, width: width, height: lineHeight)
      text(line, area, size: WindowLayout.captionSize, theme.text)
    }
  }

  // MARK: The list

  mutating func addList() {
    guard !layout.list.isEmpty else { return }
    for column in layout.columns.indices {
      let area = layout.columns.count > 1 ? layout.column(column) : layout.list
      // A window that is too narrow for columns has one.
      let isTargeted = state.model.targetedColumn.map { min($0, layout.columns.count - 1) } == column
      clip = layout.bounds
      fill(area, theme.surface, radius: 10)
      border(area, isTargeted ? theme.accent : theme.border, radius: 10, thickness: isTargeted ? 2 : 1)
      clip = layout.listContent
      for index in layout.visibleRows(scroll: state.scrolls[column], column: column) {
        addRow(index, isFirst: index == layout.columns[column].lowerBound)
        clip = layout.listContent
      }
      let handle = layout.scrollHandle(scroll: state.scrolls[column], column: column)
      if !handle.isEmpty {
        let isActive = [state.hovered, state.pressed].contains(.scrollBar(column))
        fill(handle, isActive ? theme.secondaryText : theme.ink, radius: 3)
      }
    }
    if state.model.rows.isEmpty { addPlaceholder() }
    addInsertion()
    clip = layout.bounds
  }

  /// Adds the line that shows where a drop inserts items.
  private mutating func addInsertion() {
    guard let insertion = state.model.insertion, layout.columns.indices.contains(insertion.column) else { return }
    let rows = layout.columns[insertion.column]
    guard !rows.isEmpty, (rows.lowerBound...rows.upperBound).contains(insertion.index) else { return }
    let isLast = insertion.index == rows.upperBound
    let index = isLast ? insertion.index - 1 : insertion.index
    let (row, thickness) = (state.frame(ofRow: index), max(2, layout.pixels(3)))
    var line = row.inset(layout.pixels(6), 0)
    if state.model.rows[index].shape == .tile {
      (line.x, line.width) = ((isLast ? row.endX : row.x) - thickness / 2, thickness)
    } else {
      (line.y, line.height) = ((isLast ? row.endY : row.y) - thickness / 2, thickness)
    }
    clip = layout.listContent
    fill(line, theme.accent, radius: 1.5)
  }

  /// Adds a tray above the text that stands for the missing items.
  private mutating func addPlaceholder() {
    guard !state.model.placeholder.isEmpty else { return }
    let color = state.model.targetedColumn == nil ? theme.secondaryText : theme.accent
    clip = layout.listContent
    var line = square(22, in: layout.listContent)
    (line.x, line.width) = (layout.listContent.x, layout.listContent.width)
    if state.model.acceptsDrops {
      var tray = square(36, in: layout.listContent)
      tray.y -= layout.pixels(16)
      line.y += layout.pixels(20)
      add(.symbol(.tray, color), tray)
    }
    text(state.model.placeholder, line, color, .center)
  }

  private mutating func addRow(_ index: Int, isFirst: Bool) {
    let row = state.model.rows[index]
    let frame = state.frame(ofRow: index)
    clip = frame.intersection(layout.listContent)
    if row.shape == .heading { return addHeading(row, frame) }
    let isCard = layout.columns.count > 1 && !row.isPicture
    let card = frame.inset(layout.pixels(isCard ? 6 : 4), layout.pixels(isCard ? 2 : 1))
    let isHovered = isRowHovered(index)
    if isCard {
      fill(card, theme.background, radius: 7)
      border(card, theme.border, radius: 7)
    }
    if row.isSelected || row.isNew {
      fill(card, theme.tint, radius: 7)
    } else if isHovered, state.model.rowsAreOpened || state.model.rowsAreDraggable || row.state.isLoading {
      fill(card, theme.hover, radius: 7)
    } else if !isFirst, !isCard, !row.isPicture, hasLine(above: index), !state.model.rows[index - 1].isSelected,
      !isRowHovered(index - 1)
    {
      let start = layout.textStart(row)
      fill(
        PixelRectangle(x: frame.x + start, y: frame.y, width: frame.width - start - layout.pixels(12), height: 1),
        theme.border.opacity(0.6))
    }
    focusRing(.row(index), card, radius: 7)

    if row.pictureSide > 0 {
      var icon = layout.picture(of: row, in: frame)
      if state.model.showsOnlyPictures { icon.x = frame.x + (frame.width - icon.width) / 2 }
      let whole = clip
      // The picture for a new size of the window may still be loading.
      clip = clip.intersection(icon)
      switch row.icon {
      case .symbol(let symbol): add(.symbol(symbol, theme.text), row.isPicture ? square(48, in: icon) : icon)
      case .thumbnail(let picture): add(.picture(picture), icon)
      }
      clip = whole
    }

    let accessory = layout.accessory(of: row, in: frame)
    // The lines of a card have no room for the dots.
    let showsGrip =
      isHovered && state.model.rowsAreDraggable && !isCard && !row.isPicture && !state.model.showsOnlyPictures
    addAccessory(index, row, accessory, showsGrip: showsGrip)
    let star = layout.star(of: row, in: frame)
    if row.hasStar {
      add(.symbol(.star, state.hovered == .star(index) ? theme.accent : theme.secondaryText), square(20, in: star))
    }
    guard !state.model.showsOnlyPictures else { return }
    if row.isPicture { return addName(row, in: frame) }
    let start = frame.x + layout.textStart(row)
    let hasAccessory = row.state != .idle || row.hasCross || showsGrip
    let end = (row.hasStar ? star.x : hasAccessory ? accessory.x : accessory.endX) - layout.pixels(8)
    // The text is in the middle of the row: a name of 21 points, and a caption of 19 unless it is empty.
    let isSingle = row.state == .idle && row.caption.isEmpty
    let more = row.moreLines.map { (text: $0, height: layout.pixels(WindowRow.lineHeight)) }
    let height = layout.pixels(isSingle ? 21 : 40) + more.reduce(0) { $0 + $1.height }
    var line = PixelRectangle(
      x: start, y: frame.y + (frame.height - height) / 2, width: max(0, end - start), height: layout.pixels(21))
    text(row.name, line, kind: .name, theme.text)
    for (next, height) in more {
      line.y += height
      text(next, line, kind: .name, theme.text)
    }
    let caption = PixelRectangle(x: start, y: line.endY, width: line.width, height: layout.pixels(18))
    addCaption(row, caption, .left)
  }

  /// Adds the name and the caption below the picture of a tile.
  private mutating func addName(_ row: WindowRow, in frame: PixelRectangle) {
    var line = frame.inset(layout.pixels(12), 0)
    (line.y, line.height) = (layout.picture(of: row, in: frame).endY + layout.pixels(4), layout.pixels(21))
    text(row.name, line, kind: .name, theme.text, .center)
    line.y = line.endY
    addCaption(row, line, .center)
  }

  private mutating func addHeading(_ row: WindowRow, _ frame: PixelRectangle) {
    let area = frame.inset(layout.pixels(14), layout.pixels(2))
    text(row.name, area, size: WindowLayout.captionSize, isBold: true, kind: .name, theme.secondaryText)
  }

  /// Returns whether a line separates a row from the row above: only rows with pictures have lines.
  private func hasLine(above index: Int) -> Bool {
    state.model.rows[index].pictureSide > 0 && state.model.rows[index - 1].pictureSide > 0
  }

  private func isRowHovered(_ index: Int) -> Bool {
    [.row(index), .cancel(index), .star(index)].contains(state.hovered)
  }

  private mutating func addCaption(_ row: WindowRow, _ frame: PixelRectangle, _ alignment: TextAlignment) {
    guard case .loading(let fraction) = row.state else {
      let isFailed = if case .failed = row.state { true } else { false }
      return text(
        row.caption, frame, size: WindowLayout.captionSize, isFailed ? theme.failure : theme.secondaryText, alignment)
    }
    let label = layout.pixels(fraction == nil ? 0 : 44)
    let height = max(3, layout.pixels(5))
    progressBar(
      PixelRectangle(
        x: frame.x, y: frame.y + (frame.height - height) / 2, width: max(0, frame.width - label), height: height),
      fraction)
    let area = PixelRectangle(x: frame.endX - label, y: frame.y, width: label, height: frame.height)
    text(Self.percentage(fraction), area, size: WindowLayout.captionSize, theme.secondaryText, .right)
  }

  /// Returns a fraction as a percentage such as `45 %`; an empty string without a finite fraction.
  static func percentage(_ fraction: Double?) -> String {
    guard let fraction, fraction.isFinite else { return "" }
    return "\(Int(max(0, min(1, fraction)) * 100)) %"
  }

  private mutating func addAccessory(
    _ index: Int, _ row: WindowRow, _ frame: PixelRectangle, showsGrip: Bool
  ) {
    switch row.state {
    case .idle:
      if row.hasCross { addCross(index, frame) } else if showsGrip { addGrip(frame) }
    case .loading, .waiting:
      addCross(index, frame)
    case .done:
      add(.symbol(.checkmark, theme.success), square(18, in: frame))
    case .failed:
      add(.symbol(.warning, theme.failure), square(18, in: frame))
    }
  }

  /// Adds the button that cancels a transfer, or removes a row.
  private mutating func addCross(_ index: Int, _ frame: PixelRectangle) {
    let isActive = state.hovered == .cancel(index)
    fill(frame, isActive ? theme.failure : theme.border, radius: 13)
    add(.symbol(.cross, isActive ? theme.surface : theme.secondaryText), square(16, in: frame))
  }

  // MARK: Drop zones

  mutating func addZones() {
    for (index, zone) in state.model.zones.enumerated() { addZone(zone, layout.zones[index]) }
  }

  private mutating func addZone(_ zone: DropZone, _ frame: PixelRectangle) {
    fill(frame, zone.isTargeted ? theme.tint : theme.surface, radius: 12)
    border(
      frame, zone.isTargeted ? theme.accent : theme.ink, radius: 12, thickness: zone.isTargeted ? 2 : 1.5,
      dash: zone.isTargeted ? 0 : 6)
    let isTall = frame.height >= layout.pixels(96)
    let padding = layout.pixels(14)
    let iconHeight = isTall ? layout.pixels(34) : 0
    let content = iconHeight + layout.pixels(20) + layout.pixels(18)
    var y = frame.y + (frame.height - content) / 2
    func line(_ points: Double) -> PixelRectangle {
      defer { y += layout.pixels(points) }
      return PixelRectangle(
        x: frame.x + padding, y: y, width: max(0, frame.width - 2 * padding), height: layout.pixels(points))
    }
    if isTall { addSign(zone, square(28, in: line(34))) }
    text(zone.name, line(20), isBold: true, kind: .name, theme.text, .center)
    let caption = line(18)
    switch zone.state {
    case .loading(let fraction):
      let bar = PixelRectangle(
        x: caption.x + caption.width / 8, y: caption.y + layout.pixels(7), width: caption.width * 3 / 4,
        height: max(3, layout.pixels(5)))
      progressBar(bar, fraction)
    case .failed(let message):
      text(message, caption, size: WindowLayout.captionSize, theme.failure, .center)
    case .idle, .done, .waiting:
      text(zone.detail, caption, size: WindowLayout.captionSize, kind: .name, theme.secondaryText, .center)
    }
  }

  private mutating func addSign(_ zone: DropZone, _ frame: PixelRectangle) {
    switch zone.state {
    case .done: add(.symbol(.checkmark, theme.success), frame)
    case .failed: add(.symbol(.warning, theme.failure), frame)
    case .idle, .loading, .waiting: add(.symbol(.tray, zone.isTargeted ? theme.accent : theme.secondaryText), frame)
    }
  }
}
