// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

extension WindowState {
  /// Returns whether a part can receive keys.
  func isFocusable(_ target: WindowTarget) -> Bool {
    switch target {
    case .dragAll, .row: true
    case .button(let index): model.buttons[index].isEnabled
    case .zone, .cancel, .list, .scrollBar: false
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
        order.append(.row(layout.visibleRows(scroll: scroll).first ?? 0))
      }
    }
    return order + model.buttons.indices.map { .button($0) }.filter(isFocusable)
  }

  /// Processes a key.
  mutating func press(_ key: WindowKey, isShifted: Bool, isControl: Bool) -> [WindowAction] {
    showsFocus = true
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
    case .delete:
      guard case .row(let index) = focused, model.rows[index].state.isLoading else { return [] }
      return [.cancelledRow(index)]
    case .letter(let letter):
      return isControl && letter == "a" ? setSelection(model.rows.indices, true) : []
    case .left, .right:
      guard case .button(let index) = focused else { return [] }
      let next = index + (key == .left ? -1 : 1)
      if model.buttons.indices.contains(next), model.buttons[next].isEnabled { focused = .button(next) }
      return []
    case .up: return moveRow { $0 - 1 }
    case .down: return moveRow { $0 + 1 }
    case .home: return moveRow { _ in 0 }
    case .end: return moveRow { _ in .max }
    case .pageUp, .pageDown:
      let page = max(1, layout.visibleRows(scroll: scroll).count - 1)
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
      return focus(.row(layout.visibleRows(scroll: scroll).first ?? 0))
    }
    return focus(.row(max(0, min(next(index), model.rows.count - 1))))
  }

  /// Moves the focus, and scrolls a row into view.
  private mutating func focus(_ target: WindowTarget) -> [WindowAction] {
    focused = target
    guard case .row(let index) = target else { return [] }
    let top = layout.top(ofRow: index)
    let lowest = layout.top(ofRow: index + 1) - layout.listContent.height
    return scroll(to: max(lowest, min(scroll, top)))
  }
}
