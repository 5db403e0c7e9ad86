// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// A step of drawing a window.
package struct DrawingCommand: Sendable, Equatable {
  /// The shapes to draw.
  package enum Shape: Sendable, Equatable {
    /// A filled rectangle, with the radius of its corners.
    case fill(Color, radius: Double)
    /// The edge of a rectangle; a dash of 0 draws a solid edge.
    case border(Color, radius: Double, thickness: Double, dash: Double)
    /// A line of text in the vertical middle of the frame.
    case text(String, TextStyle, Color, TextAlignment)
    /// An icon.
    case symbol(Symbol, Color)
    /// A picture in the middle of the frame.
    case picture(Picture)
  }

  /// The shape.
  package let shape: Shape
  /// The area that contains the shape.
  package let frame: PixelRectangle
  /// The area of the window outside of which the shape is not drawn.
  package let clip: PixelRectangle

  /// The area that the command may change.
  var area: PixelRectangle { frame.intersection(clip) }
}

/// The horizontal alignment of text in its frame.
package enum TextAlignment: Sendable, Hashable {
  /// At the left edge.
  case left
  /// In the middle.
  case center
  /// At the right edge.
  case right
}

/// The steps that draw a window.
package struct WindowScene: Sendable, Equatable {
  /// The colours.
  package let theme: Theme
  /// The size of the window.
  package let bounds: PixelRectangle
  /// The steps in the order of drawing.
  package var commands: [DrawingCommand] = []

  /// Returns an area that contains all differences from an earlier scene.
  package func damage(since former: WindowScene) -> PixelRectangle {
    guard theme == former.theme, bounds == former.bounds, commands.count == former.commands.count else {
      return bounds
    }
    var damage = PixelRectangle.empty
    for (command, earlier) in zip(commands, former.commands) where command != earlier {
      damage = damage.union(command.area).union(earlier.area)
    }
    return damage
  }

  /// Draws an area of the window.
  package func draw(_ area: PixelRectangle, on canvas: inout Canvas, text: any TextDrawing) {
    canvas.withClip(area) { canvas in
      canvas.clear(bounds, theme.background)
      for command in commands where command.area.intersects(area) {
        canvas.withClip(command.area) { draw(command, on: &$0, text: text) }
      }
    }
  }

  private func draw(_ command: DrawingCommand, on canvas: inout Canvas, text: any TextDrawing) {
    let frame = command.frame
    switch command.shape {
    case .fill(let color, let radius):
      canvas.fillRounded(frame, radius: radius, color)
    case .border(let color, let radius, let thickness, let dash):
      canvas.strokeRounded(frame, radius: radius, thickness: thickness, color, dash: dash)
    case .text(let string, let style, let color, let alignment):
      guard let line = text.picture(of: string, style, color, maximumWidth: frame.width) else { return }
      let free = frame.width - line.width
      let offset =
        switch alignment {
        case .left: 0
        case .center: free / 2
        case .right: free
        }
      canvas.draw(line, x: frame.x + offset, y: frame.y + (frame.height - line.height) / 2)
    case .symbol(let symbol, let color):
      canvas.draw(symbol, in: frame, theme: theme, color: color)
    case .picture(let picture):
      canvas.draw(
        picture, x: frame.x + (frame.width - picture.width) / 2, y: frame.y + (frame.height - picture.height) / 2)
    }
  }
}
