// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// The content of a window, and the state of the user's interaction with it.
package struct WindowState: Sendable {
  /// The content.
  package var model: WindowModel {
    didSet {
      modelVersion += 1
      follow(oldValue.rows)
      let columns = layout.columns
      updateLayout()
      resetScrolls(columns, oldValue.rows)
    }
  }
  /// The number of changes of the content.
  private(set) var modelVersion = 0
  /// The colours.
  package var theme: Theme
  /// The part under the pointer.
  package internal(set) var hovered: WindowTarget?
  /// The part on which the first button was pressed; `nil` after its release or the start of a drag.
  package internal(set) var pressed: WindowTarget?
  /// The part that receives keys.
  package internal(set) var focused: WindowTarget?
  /// Whether the focus is visible, as it is after a key.
  package internal(set) var showsFocus = false
  /// The scroll offset of each column of the list, in pixels.
  package internal(set) var scrolls: [Int]
  /// The scroll offset of a field with several lines, in pixels.
  var fieldScroll = 0
  /// The text of the field on the screen; `nil` without a field.
  private(set) var fieldLayout: FieldLayout?
  private var fieldLines = FieldLines()
  /// The visible tooltip; empty for none.
  package private(set) var tooltip = ""
  /// The step of the animation for loads of unknown size, from 0 to 39.
  package internal(set) var animationStep = 0
  /// The areas of the window's parts.
  package private(set) var layout: WindowLayout
  /// The font that measures the layout.
  package let text: any TextDrawing

  /// The location at which the first button was pressed, and the scroll offset at that time.
  var pressOrigin: (x: Int, y: Int, scroll: Int) = (0, 0, 0)
  /// The size of the window when the first button was pressed.
  private var pressedSize = (width: 0, height: 0)
  /// The minimum size that the handle gives the window, in points.
  package static let minimumSize = (width: 240.0, height: 160.0)

  /// Creates a state.
  ///
  /// - Parameters:
  ///   - model: The content.
  ///   - theme: The colours.
  ///   - width: The width of the window in pixels.
  ///   - height: The height of the window in pixels.
  ///   - scale: The number of pixels per point.
  ///   - text: The font that measures the layout.
  package init(
    _ model: WindowModel, theme: Theme = .light, width: Int, height: Int, scale: Double = 1, text: any TextDrawing
  ) {
    self.model = model
    self.theme = theme
    self.text = text
    layout = WindowLayout(model, width: width, height: height, scale: scale, text: text)
    scrolls = layout.columns.map { _ in 0 }
    updateField()
  }

  private mutating func updateField() {
    fieldLayout = model.field.map { FieldLayout($0, layout, text, &fieldLines) }
  }

  /// Changes the size of the window in pixels, and the number of pixels per point.
  package mutating func resize(width: Int, height: Int, scale: Double? = nil) {
    let scale = scale ?? layout.scale
    guard width != layout.bounds.width || height != layout.bounds.height || scale != layout.scale else { return }
    updateLayout(width: width, height: height, scale: scale)
  }

  /// Advances the animation of rows and zones with an unknown size.
  ///
  /// - Returns: Whether a row or a zone is animated.
  package mutating func advanceAnimation() -> Bool {
    let isAnimated =
      model.zones.contains { $0.state == .loading(nil) } || model.rows.contains { $0.state == .loading(nil) }
    if isAnimated { animationStep = (animationStep + 1) % 40 }
    return isAnimated
  }

  /// Returns the part of the window at a location in pixels.
  package func target(x: Int, y: Int) -> WindowTarget? {
    layout.target(x: x, y: y, model: model, scrolls: scrolls)
  }

  /// The tooltip of the row under the pointer; empty for none.
  var restTooltip: String {
    guard pressed == nil, case .row(let index) = hovered else { return "" }
    return model.rows[index].tooltip
  }

  /// Shows the tooltip of the row under the pointer until the pointer leaves the row, or until another input.
  mutating func showTooltip() { tooltip = restTooltip }

  /// Keeps the focus on its row, wherever it is now, and ends a press on a row that was replaced.
  private mutating func follow(_ former: [WindowRow]) {
    func isSame(_ index: Int) -> Bool {
      model.rows.indices.contains(index) && former.indices.contains(index)
        && model.rows[index].text == former[index].text
    }
    switch pressed {
    case .row(let index), .cancel(let index), .star(let index): if !isSame(index) { pressed = nil }
    default: break
    }
    guard case .row(let index) = focused, !isSame(index), former.indices.contains(index),
      let new = model.rows.firstIndex(where: { $0.text == former[index].text })
    else { return }
    focused = .row(new)
  }

  /// Scrolls a column to its start if it shows something else: it begins with a new row, and its former first row is gone.
  private mutating func resetScrolls(_ former: [Range<Int>], _ formerRows: [WindowRow]) {
    guard former.count == layout.columns.count else { return }
    for (column, (old, new)) in zip(former, layout.columns).enumerated() where scrolls[column] > 0 {
      guard let first = formerRows[old].first?.text, let newFirst = model.rows[new].first?.text, first != newFirst,
        !formerRows[old].contains(where: { $0.text == newFirst }),
        !model.rows[new].contains(where: { $0.text == first })
      else { continue }
      scrolls[column] = 0
    }
  }

  private mutating func updateLayout(width: Int? = nil, height: Int? = nil, scale: Double? = nil) {
    layout = WindowLayout(
      model, width: width ?? layout.bounds.width, height: height ?? layout.bounds.height, scale: scale ?? layout.scale,
      text: text)
    scrolls = layout.columns.indices.map { column in
      scrolls.indices.contains(column) ? min(scrolls[column], layout.maximumScroll(ofColumn: column)) : 0
    }
    updateField()
    // The part under the pointer and the part with the focus may no longer exist.
    if let hovered, !exists(hovered) { self.hovered = nil }
    if tooltip != restTooltip { tooltip = "" }
    if let pressed, !exists(pressed) { self.pressed = nil }
    if let focused, !exists(focused) { self.focused = nil }
  }

  /// Returns the place between two rows for a drop at a location: below a heading, and otherwise before or after the
  /// row under the pointer; `nil` outside of the list.
  package func insertion(forDropAtX x: Int, y: Int) -> RowInsertion? {
    guard layout.listContent.contains(x: x, y: y) else { return nil }
    let column = layout.column(atX: x)
    let end = layout.columns[column].upperBound
    let index = layout.row(nearX: x, y: y, column: column, scroll: scrolls[column])
    guard index < end else { return RowInsertion(column: column, index: end) }
    let frame = frame(ofRow: index)
    let isAfter =
      switch model.rows[index].shape {
      case .heading: true
      case .tile: x >= frame.x + frame.width / 2
      case .line, .filling: y >= frame.y + frame.height / 2
      }
    return RowInsertion(column: column, index: isAfter ? index + 1 : index)
  }

  /// The indices of the rows that are at least partly visible.
  package var visibleRows: [Int] {
    layout.columns.indices.flatMap { layout.visibleRows(scroll: scrolls[$0], column: $0) }
  }

  /// The side of the picture that fills a part of the window, in pixels; 0 without such a picture.
  package var fillingSide: Int {
    guard let index = layout.fillingRow else { return 0 }
    return layout.picture(of: model.rows[index], in: frame(ofRow: index)).width
  }

  /// Returns the area of a row, which is outside the list if the row is not visible.
  package func frame(ofRow index: Int) -> PixelRectangle {
    layout.row(index, scroll: scrolls[layout.column(ofRow: index)])
  }

  private func exists(_ target: WindowTarget) -> Bool {
    switch target {
    case .dragAll: model.dragAllTitle != nil
    case .zone(let index): model.zones.indices.contains(index)
    case .row(let index): model.rows.indices.contains(index)
    case .cancel(let index): model.rows.indices.contains(index) && model.rows[index].hasCross
    case .star(let index): model.rows.indices.contains(index) && model.rows[index].hasStar
    case .list(let column), .scrollBar(let column): layout.columns.indices.contains(column)
    case .field: model.field != nil
    case .button(let index): model.buttons.indices.contains(index)
    case .sizeHandle: model.hasSizeHandle
    }
  }
}

extension WindowState {
  /// Returns whether a part can receive keys.
  func isFocusable(_ target: WindowTarget) -> Bool {
    switch target {
    case .dragAll, .row, .field: true
    case .button(let index): model.buttons[index].isEnabled
    case .zone, .cancel, .star, .list, .scrollBar, .sizeHandle: false
    }
  }

  /// The parts that the Tab key visits, with at most one row of the list.
  private var focusOrder: [WindowTarget] {
    var order: [WindowTarget] = []
    if model.dragAllTitle != nil { order.append(.dragAll) }
    if !model.rows.isEmpty {
      if case .row = focused, let focused {
        order.append(focused)
      } else {
        order.append(.row(visibleRows.first ?? 0))
      }
    }
    if model.field != nil { order.append(.field) }
    return order + model.buttons.indices.map { .button($0) }.filter(isFocusable)
  }

  /// Processes a key.
  mutating func press(_ key: WindowKey, isShifted: Bool, isControl: Bool) -> [WindowAction] {
    showsFocus = true
    if let actions = type(key, isShifted: isShifted, isControl: isControl) { return actions }
    switch key {
    case .tab:
      return moveFocus(by: isShifted ? -1 : 1)
    case .escape:
      return [.closed]
    case .enter, .space:
      if key == .enter, model.rowsAreOpened, case .row(let index) = focused { return [.openedRow(index)] }
      if let focused { return activate(focused) }
      guard key == .enter, let main = model.buttons.firstIndex(where: { $0.isMain }) else { return [] }
      return activate(.button(main))
    case .backspace, .delete:
      guard case .row(let index) = focused, model.rows[index].hasCross else { return [] }
      return [.cancelledRow(index)]
    case .character("*"):
      guard case .row(let index) = focused, model.rows[index].hasStar else { return [] }
      return [.markedRow(index)]
    case .character(let character):
      return isControl && character.lowercased() == "a" ? setSelection(model.rows.indices, true) : []
    case .left, .right:
      if case .row(let index) = focused { return moveRow(from: index, toNext: key == .right) }
      guard case .button(let index) = focused else { return [] }
      let next = index + (key == .left ? -1 : 1)
      if model.buttons.indices.contains(next), model.buttons[next].isEnabled { focused = .button(next) }
      return []
    case .up: return moveRow { [layout] in layout.row(beside: $0, step: -1) }
    case .down: return moveRow { [layout] in layout.row(beside: $0, step: 1) }
    case .home: return moveRow { _ in 0 }
    case .end: return moveRow { _ in .max }
    case .pageUp, .pageDown:
      let column = if case .row(let index) = focused { layout.column(ofRow: index) } else { 0 }
      let page = max(1, layout.visibleRows(scroll: scrolls[column], column: column).count - 1)
      return moveRow { key == .pageUp ? $0 - page : $0 + page }
    }
  }

  private mutating func moveFocus(by step: Int) -> [WindowAction] {
    let order = focusOrder
    guard !order.isEmpty else { return [] }
    let position = focused.flatMap { order.firstIndex(of: $0) }
    let next = position.map { ($0 + step + order.count) % order.count } ?? (step > 0 ? 0 : order.count - 1)
    return focus(order[next])
  }

  private mutating func moveRow(_ next: (Int) -> Int) -> [WindowAction] {
    guard !model.rows.isEmpty else { return [] }
    guard case .row(let index) = focused else {
      return focus(.row(visibleRows.first ?? 0))
    }
    return focus(.row(max(0, min(next(index), model.rows.count - 1))))
  }

  /// Moves the focus to the row beside the present one: a tile of the same line, or a row of the next column.
  private mutating func moveRow(from index: Int, toNext isNext: Bool) -> [WindowAction] {
    let step = isNext ? 1 : -1
    if layout.areInOneLine(index, index + step) { return focus(.row(index + step)) }
    let column = layout.column(ofRow: index) + step
    guard layout.columns.indices.contains(column), let last = layout.columns[column].last else { return [] }
    let frame = frame(ofRow: index)
    let beside = layout.row(nearX: 0, y: frame.y, column: column, scroll: scrolls[column])
    return focus(.row(max(layout.columns[column].lowerBound, min(beside, last))))
  }

  /// Moves the focus, and scrolls a row into view.
  private mutating func focus(_ target: WindowTarget) -> [WindowAction] {
    focused = target
    guard case .row(let index) = target else { return [] }
    let (frame, content, column) = (layout.row(index, scroll: 0), layout.listContent, layout.column(ofRow: index))
    let offset = max(frame.endY - content.endY, min(scrolls[column], frame.y - content.y))
    return scroll(column, to: offset)
  }
}

extension WindowState {
  /// The distance that starts a drag, in points.
  static let dragDistance = 4.0

  /// Processes an input.
  ///
  /// - Returns: The actions that the user requests.
  package mutating func handle(_ input: WindowInput) -> [WindowAction] {
    let former = hovered
    defer {
      if case .moved = input, hovered == former {} else { tooltip = "" }
    }
    switch input {
    case .moved(let x, let y, let isButtonPressed):
      return move(x: x, y: y, isButtonPressed: isButtonPressed)
    case .left:
      hovered = nil
      return []
    case .pressed(let x, let y):
      hovered = target(x: x, y: y)
      pressed = hovered
      let column = layout.column(atX: x)
      pressOrigin = (x, y, scrolls[column])
      pressedSize = (layout.bounds.width, layout.bounds.height)
      showsFocus = false
      if let pressed, isFocusable(pressed) { focused = pressed }
      if pressed == .scrollBar(column) { return scrollByPage(column, to: y) }
      if pressed == .field { pointAtField(x: x, y: y, isExtending: false) }
      return []
    case .released(let x, let y, let isDouble):
      defer { pressed = nil }
      hovered = target(x: x, y: y)
      guard let pressed, pressed == hovered else { return [] }
      if isDouble, model.rowsAreOpened, case .row(let index) = pressed { return [.openedRow(index)] }
      if isDouble, pressed == .field { selectWord() }
      return activate(pressed)
    case .scrolled(let steps, let x):
      if hovered == .field { scrollField(by: steps) }
      let column = layout.column(atX: x)
      guard hovered != .field else { return [] }
      let actions = scroll(column, to: scrolls[column] + steps * layout.scrollStep)
      // Another row may be under the pointer, whose location arrives with its next motion.
      if !actions.isEmpty { hovered = nil }
      return actions
    case .key(let key, let isShifted, let isControl):
      return press(key, isShifted: isShifted, isControl: isControl)
    }
  }

  private mutating func move(x: Int, y: Int, isButtonPressed: Bool) -> [WindowAction] {
    // Another window may have received the release of the button.
    if !isButtonPressed { pressed = nil }
    hovered = target(x: x, y: y)
    guard let pressed else { return [] }
    if pressed == .field { pointAtField(x: x, y: y, isExtending: true) }
    let (dx, dy) = (x - pressOrigin.x, y - pressOrigin.y)
    if pressed == .sizeHandle {
      let width = max(layout.pixels(Self.minimumSize.width), pressedSize.width + dx)
      let height = max(layout.pixels(Self.minimumSize.height), pressedSize.height + dy)
      return [.resized(width: width, height: height)]
    }
    if case .scrollBar(let column) = pressed {
      let handle = layout.scrollHandle(scroll: scrolls[column], column: column)
      let track = layout.scrollTrack(ofColumn: column).height - handle.height
      guard track > 0 else { return [] }
      return scroll(column, to: pressOrigin.scroll + dy * layout.maximumScroll(ofColumn: column) / track)
    }
    guard let items = draggedItems(from: pressed),
      Double(dx * dx + dy * dy) >= Self.dragDistance * Self.dragDistance * layout.scale * layout.scale
    else { return [] }
    self.pressed = nil
    // Some displays do not report that the drag takes the pointer from the window.
    hovered = nil
    return [.beganDrag(items)]
  }

  /// Returns the items of a drag that starts at a part; for a selected row, all selected rows.
  private func draggedItems(from target: WindowTarget) -> DraggedItems? {
    guard model.rowsAreDraggable else { return nil }
    switch target {
    case .dragAll:
      return .all
    case .row(let index):
      guard model.rows[index].isSelected else { return .rows([index]) }
      return .rows(model.rows.indices.filter { model.rows[$0].isSelected })
    default:
      return nil
    }
  }

  /// Performs the action of a part.
  mutating func activate(_ target: WindowTarget) -> [WindowAction] {
    switch target {
    case .dragAll:
      return setSelection(model.rows.indices, true)
    case .row(let index):
      guard model.rowsAreDraggable else { return [] }
      return setSelection([index], !model.rows[index].isSelected)
    case .list:
      return setSelection(model.rows.indices, false)
    case .cancel(let index):
      return [.cancelledRow(index)]
    case .star(let index):
      return [.markedRow(index)]
    case .button(let index):
      return model.buttons[index].isEnabled ? [.pressedButton(index)] : []
    case .zone, .scrollBar, .field, .sizeHandle:
      return []
    }
  }

  /// Selects or deselects rows.
  mutating func setSelection(_ indices: some Sequence<Int>, _ isSelected: Bool) -> [WindowAction] {
    guard model.rowsAreDraggable else { return [] }
    // Each change of the model creates a layout, so all rows change at once.
    var rows = model.rows
    var isChanged = false
    for index in indices where rows[index].isSelected != isSelected {
      rows[index].isSelected = isSelected
      isChanged = true
    }
    guard isChanged else { return [] }
    model.rows = rows
    return [.changedSelection]
  }

  /// Scrolls a column to an offset in pixels, which is limited to the range from 0 to the maximum offset.
  mutating func scroll(_ column: Int, to offset: Int) -> [WindowAction] {
    let offset = max(0, min(offset, layout.maximumScroll(ofColumn: column)))
    guard offset != scrolls[column] else { return [] }
    scrolls[column] = offset
    return [.scrolled]
  }

  /// Scrolls by a page if the pointer is above or below the handle of the scroll bar.
  private mutating func scrollByPage(_ column: Int, to y: Int) -> [WindowAction] {
    let handle = layout.scrollHandle(scroll: scrolls[column], column: column)
    guard y < handle.y || y >= handle.endY else { return [] }
    let page = max(layout.scrollStep, layout.listContent.height - layout.scrollStep)
    defer { pressOrigin.scroll = scrolls[column] }
    return scroll(column, to: scrolls[column] + (y < handle.y ? -page : page))
  }
}
