// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

extension WindowState {
  /// Returns whether a part can receive keys.
  func isFocusable(_ target: WindowTarget) -> Bool {
    switch target {
    case .dragAll, .row, .field: true
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
    if model.field != nil { order.append(.field) }
    return order + model.buttons.indices.map { .button($0) }.filter(isFocusable)
  }

  /// Processes a key.
  mutating func press(_ key: WindowKey, isShifted: Bool, isControl: Bool) -> [WindowAction] {
    showsFocus = true
    if let actions = type(key, isControl: isControl) { return actions }
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
    case .character(let character):
      return isControl && character.lowercased() == "a" ? setSelection(model.rows.indices, true) : []
    case .left, .right:
      if case .row(let index) = focused { return moveRow(from: index, toNextColumn: key == .right) }
      guard case .button(let index) = focused else { return [] }
      let next = index + (key == .left ? -1 : 1)
      if model.buttons.indices.contains(next), model.buttons[next].isEnabled { focused = .button(next) }
      return []
    case .up: return moveRow { $0 - 1 }
    case .down: return moveRow { $0 + 1 }
    case .home: return moveRow { _ in 0 }
    case .end: return moveRow { _ in .max }
    case .pageUp, .pageDown:
      let column = if case .row(let index) = focused { layout.column(ofRow: index) } else { 0 }
      let page = max(1, layout.visibleRows(scroll: scroll, column: column).count - 1)
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

  /// Moves the focus to the row beside the present one.
  private mutating func moveRow(from index: Int, toNextColumn isNext: Bool) -> [WindowAction] {
    let column = layout.column(ofRow: index) + (isNext ? 1 : -1)
    guard layout.columns.indices.contains(column), let last = layout.columns[column].last else { return [] }
    let beside = layout.firstRow(ofColumn: column, endingAfter: layout.extent(ofRow: index).lowerBound)
    return focus(.row(min(beside, last)))
  }

  /// Changes the field; `nil` if the key is not one for the field.
  ///
  /// A character goes to the field, whichever part has the focus.
  private mutating func type(_ key: WindowKey, isControl: Bool) -> [WindowAction]? {
    guard var field = model.field, !isControl else { return nil }
    if case .character(let character) = key {
      field.insert(character)
      focused = .field
    } else {
      guard focused == .field else { return nil }
      switch key {
      case .space: field.insert(" ")
      case .backspace: field.remove(before: true)
      case .delete: field.remove(before: false)
      case .left: field.move(to: field.caret - 1)
      case .right: field.move(to: field.caret + 1)
      case .home: field.move(to: 0)
      case .end: field.move(to: .max)
      case .enter: return [.submittedField(String(field.text))]
      case .escape:
        focused = nil
        return []
      default: return nil
      }
    }
    model.field = field
    return []
  }

  /// Moves the focus, and scrolls a row into view.
  private mutating func focus(_ target: WindowTarget) -> [WindowAction] {
    focused = target
    guard case .row(let index) = target else { return [] }
    let extent = layout.extent(ofRow: index)
    return scroll(to: max(extent.upperBound - layout.listContent.height, min(scroll, extent.lowerBound)))
  }
}
