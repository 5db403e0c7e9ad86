// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

extension WindowState {
  /// The distance that starts a drag, in points.
  static let dragDistance = 4.0

  /// Processes an input.
  ///
  /// - Returns: The actions that the user requests.
  package mutating func handle(_ input: WindowInput) -> [WindowAction] {
    switch input {
    case .moved(let x, let y, let isButtonPressed):
      return move(x: x, y: y, isButtonPressed: isButtonPressed)
    case .left:
      hovered = nil
      return []
    case .pressed(let x, let y):
      hovered = target(x: x, y: y)
      pressed = hovered
      pressOrigin = (x, y, scroll)
      showsFocus = false
      if let pressed, isFocusable(pressed) { focused = pressed }
      if pressed == .scrollBar { return scrollByPage(to: y) }
      return []
    case .released(let x, let y, let isDouble):
      defer { pressed = nil }
      hovered = target(x: x, y: y)
      guard let pressed, pressed == hovered else { return [] }
      if isDouble, model.rowsAreOpened, case .row(let index) = pressed { return [.openedRow(index)] }
      return activate(pressed)
    case .scrolled(let steps):
      return scroll(to: scroll + steps * layout.scrollStep)
    case .key(let key, let isShifted, let isControl):
      return press(key, isShifted: isShifted, isControl: isControl)
    }
  }

  private mutating func move(x: Int, y: Int, isButtonPressed: Bool) -> [WindowAction] {
    // Another window may have received the release of the button.
    if !isButtonPressed { pressed = nil }
    hovered = target(x: x, y: y)
    guard let pressed else { return [] }
    let (dx, dy) = (x - pressOrigin.x, y - pressOrigin.y)
    if pressed == .scrollBar {
      let track = layout.scrollTrack.height - layout.scrollHandle(scroll: scroll).height
      guard track > 0 else { return [] }
      return scroll(to: pressOrigin.scroll + dy * layout.maximumScroll / track)
    }
    guard let items = draggedItems(from: pressed),
      Double(dx * dx + dy * dy) >= Self.dragDistance * Self.dragDistance * layout.scale * layout.scale
    else { return [] }
    self.pressed = nil
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
    case .button(let index):
      return model.buttons[index].isEnabled ? [.pressedButton(index)] : []
    case .zone, .scrollBar, .field:
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

  /// Scrolls to an offset in pixels, which is limited to the range from 0 to the maximum offset.
  mutating func scroll(to offset: Int) -> [WindowAction] {
    let offset = max(0, min(offset, layout.maximumScroll))
    guard offset != scroll else { return [] }
    scroll = offset
    return [.scrolled]
  }

  /// Scrolls by a page if the pointer is above or below the handle of the scroll bar.
  private mutating func scrollByPage(to y: Int) -> [WindowAction] {
    let handle = layout.scrollHandle(scroll: scroll)
    guard y < handle.y || y >= handle.endY else { return [] }
    let page = max(layout.scrollStep, layout.listContent.height - layout.scrollStep)
    defer { pressOrigin.scroll = scroll }
    return scroll(to: scroll + (y < handle.y ? -page : page))
  }
}
