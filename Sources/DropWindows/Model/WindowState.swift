// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// The content of a window, and the state of the user's interaction with it.
package struct WindowState: Sendable {
  /// The content.
  package var model: WindowModel {
    didSet {
      modelVersion += 1
      updateLayout()
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
  /// The scroll offset of the list, in pixels.
  package internal(set) var scroll = 0
  /// The step of the animation for loads of unknown size, from 0 to 39.
  package internal(set) var animationStep = 0
  /// The areas of the window's parts.
  package private(set) var layout: WindowLayout
  /// The font that measures the layout.
  package let text: any TextDrawing

  /// The location at which the first button was pressed, and the scroll offset at that time.
  var pressOrigin: (x: Int, y: Int, scroll: Int) = (0, 0, 0)

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
  }

  /// Changes the size of the window, in pixels.
  package mutating func resize(width: Int, height: Int) {
    guard width != layout.bounds.width || height != layout.bounds.height else { return }
    updateLayout(width: width, height: height)
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
    layout.target(x: x, y: y, model: model, scroll: scroll)
  }

  private mutating func updateLayout(width: Int? = nil, height: Int? = nil) {
    layout = WindowLayout(
      model, width: width ?? layout.bounds.width, height: height ?? layout.bounds.height, scale: layout.scale,
      text: text)
    scroll = min(scroll, layout.maximumScroll)
    // The part under the pointer and the part with the focus may no longer exist.
    if let hovered, !exists(hovered) { self.hovered = nil }
    if let pressed, !exists(pressed) { self.pressed = nil }
    if let focused, !exists(focused) { self.focused = nil }
  }

  private func exists(_ target: WindowTarget) -> Bool {
    switch target {
    case .dragAll: model.dragAllTitle != nil
    case .zone(let index): model.zones.indices.contains(index)
    case .row(let index): model.rows.indices.contains(index)
    case .cancel(let index): model.rows.indices.contains(index) && model.rows[index].hasCross
    case .list, .scrollBar: true
    case .field: model.field != nil
    case .button(let index): model.buttons.indices.contains(index)
    }
  }
}
