// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// A picture that is written as SVG; its y coordinates increase downwards.
///
/// Colours are CSS classes, so the page can define them for light and dark mode.
package struct SVGPicture: Sendable {
  package enum Anchor: String, Sendable {
    case start
    case middle
    case end
  }

  /// The average width of a letter, relative to the font size.
  package static let letterWidth = 0.56

  package let width: Double
  package var height: Double
  /// The description for screen readers.
  private let title: String
  private var elements: [String] = []

  package init(width: Double, height: Double, title: String) {
    self.width = width
    self.height = height
    self.title = title
  }

  package mutating func line(_ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double, style: String) {
    add("line", [("x1", x1), ("y1", y1), ("x2", x2), ("y2", y2)], style)
  }

  package mutating func rectangle(x: Double, y: Double, width: Double, height: Double, style: String) {
    add("rect", [("x", x), ("y", y), ("width", max(0, width)), ("height", height), ("rx", 2)], style)
  }

  package mutating func circle(_ x: Double, _ y: Double, radius: Double, style: String) {
    add("circle", [("cx", x), ("cy", y), ("r", radius)], style)
  }

  package mutating func polyline(_ points: [(x: Double, y: Double)], style: String) {
    let text = points.map { "\(Markup.number($0.x)),\(Markup.number($0.y))" }.joined(separator: " ")
    elements.append("<polyline class=\"\(Markup.escaped(style))\" points=\"\(text)\"/>")
  }

  /// Writes text on a base line.
  ///
  /// Text that is wider than `room` is truncated with an ellipsis.
  package mutating func text(
    _ text: String, _ x: Double, _ y: Double, size: Double, anchor: Anchor = .start, style: String = "text",
    room: Double? = nil
  ) {
    let shown = room.map { Self.fitting(text, into: $0, size: size) } ?? text
    // The complete text is shown when the pointer rests on the truncated text.
    let whole = shown == text ? "" : "<title>\(Markup.escaped(text))</title>"
    elements.append(
      "<text class=\"\(Markup.escaped(style))\" x=\"\(Markup.number(x))\" y=\"\(Markup.number(y))\" "
        + "font-size=\"\(Markup.number(size))\" text-anchor=\"\(anchor.rawValue)\">\(whole)\(Markup.escaped(shown))</text>"
    )
  }

  /// Returns the approximate width of text.
  package static func width(of text: String, size: Double) -> Double {
    Double(text.count) * size * letterWidth
  }

  package static func fitting(_ text: String, into room: Double, size: Double) -> String {
    guard width(of: text, size: size) > room else { return text }
    let count = max(1, Int(room / (size * letterWidth)) - 1)
    return text.prefix(count) + "…"
  }

  private mutating func add(_ name: String, _ numbers: [(String, Double)], _ style: String) {
    let attributes = numbers.map { " \($0.0)=\"\(Markup.number($0.1))\"" }.joined()
    elements.append("<\(name) class=\"\(Markup.escaped(style))\"\(attributes)/>")
  }

  /// Returns the markup, whose root element has the classes `style`.
  package func markup(style: String = "") -> String {
    let size = "width=\"\(Markup.number(width))\" height=\"\(Markup.number(height))\""
    let box = "viewBox=\"0 0 \(Markup.number(width)) \(Markup.number(height))\""
    return "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"\(Markup.escaped(style))\" role=\"img\" \(size) \(box)>\n"
      + "<title>\(Markup.escaped(title))</title>\n" + elements.map { $0 + "\n" }.joined() + "</svg>\n"
  }
}
