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
    _ text: String, _ frame: PixelRectangle, size: Double = WindowLayout.bodySize, isBold: Bool = false, _ color: Color,
    _ alignment: TextAlignment = .left
  ) {
    guard !text.isEmpty else { return }
    add(.text(text, TextStyle(size: size * layout.scale, isBold: isBold), color, alignment), frame)
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

  mutating func addField() {
    guard let field = state.model.field else { return }
    let hasFocus = state.focused == .field
    fill(layout.field, theme.surface, radius: 7)
    border(layout.field, hasFocus ? theme.accent : theme.ink, radius: 7, thickness: hasFocus ? 2 : 1)
    let area = layout.field.inset(layout.pixels(12), layout.pixels(4))
    guard !field.text.isEmpty || hasFocus else { return text(field.label, area, theme.secondaryText) }
    let style = TextStyle(size: WindowLayout.bodySize * layout.scale)
    let caret = state.text.size(of: String(field.text.prefix(field.caret)), style).width
    // A long text is moved to the left until the caret is visible.
    let offset = max(0, caret - area.width + layout.pixels(2))
    clip = area
    var line = area
    line.x -= offset
    line.width = area.width + offset + state.text.size(of: String(field.text), style).width
    add(.text(String(field.text), style, theme.text, .left), line)
    let bar = PixelRectangle(
      x: area.x + caret - offset, y: area.y + layout.pixels(3), width: max(1, layout.pixels(1.5)),
      height: area.height - layout.pixels(6))
    if hasFocus { fill(bar, theme.accent) }
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
