// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropScenes
internal import DropSystem
internal import Foundation

/// A window as it is drawn: a title and lines in a frame.
struct Pane: Identifiable {
  var id = UUID()
  /// The number of the window; 0 for a text that is not a window.
  var number = 0
  var name: String
  /// The lines; each has one style.
  var lines: [Span]
  var isKey = false
  /// Whether long lines are wrapped instead of truncated; errors always are.
  var wrapsLines = false
  /// The number of lines above the first visible line.
  var offset = 0

  /// The title in the frame.
  var heading: String { " \(number > 0 ? "\(number) " : "")\(name)\(isKey && number > 0 ? " ●" : "") " }
}

extension Pane {
  init(_ scene: HostedScene) {
    self.init(
      id: scene.id, number: scene.number, name: scene.title, lines: Self.lines(of: scene), isKey: scene.isKey)
  }

  /// Returns the reason for the end of a window, or else its content.
  private static func lines(of scene: HostedScene) -> [Span] {
    if let failure = scene.failure { return [Span(text: "✝ \(failure)", style: .error)] }
    return scene.content.map { Span(text: $0, style: $0.hasPrefix("! ") ? .error : .plain) }
  }

  /// Returns the pane with lines of at most `width` cells.
  fileprivate func wrapped(to width: Int) -> Pane {
    var pane = self
    pane.lines = lines.flatMap { line in
      guard wrapsLines || line.style == .error else { return [line] }
      return line.text.wrapped(toColumns: width).map { Span(text: $0, style: line.style) }
    }
    return pane
  }
}

/// A layout that draws windows as boxes of text side by side.
struct Panes {
  /// The minimum width of a window, in cells, and its minimum height in lines.
  static let minimumSize = (width: 24, height: 3)

  let width: Int
  /// The number of lines for all windows; `nil` shows all lines of each window.
  var height: Int?

  /// The lines of a drawing.
  struct Drawing {
    var lines: [[Span]] = []
    /// The visible range of lines of each visible window.
    var visible: [Pane.ID: Range<Int>] = [:]
  }

  /// Draws the windows.
  ///
  /// If the height does not suffice for all windows, the rows around the key window are drawn.
  func draw(_ panes: [Pane]) -> Drawing {
    guard !panes.isEmpty else { return Drawing(lines: [[Span(text: "(no window)".fitted(to: min(width, 11)))]]) }
    let columns = columnCount(of: panes.count)
    let inner = max(1, width / columns - 3)
    let panes = panes.map { $0.wrapped(to: inner) }
    var rows = stride(from: 0, to: panes.count, by: columns).map { Array(panes[$0...].prefix(columns)) }
    if let height {
      let count = max(1, height / Self.minimumSize.height)
      let keyRow = rows.firstIndex { $0.contains(where: \.isKey) } ?? 0
      rows = Array(rows.dropFirst(max(0, min(keyRow, rows.count - count))).prefix(count))
    }
    var drawing = Drawing()
    for (row, height) in zip(rows, heights(of: rows)) {
      let boxes = row.enumerated().map { index, pane in
        box(of: pane, in: index * (width / columns), width: width / columns, height: height, &drawing)
      }
      for index in 0..<height { drawing.lines.append(boxes.flatMap { $0[index] }) }
    }
    return drawing
  }

  /// Returns the width of each window's content in cells.
  func contentWidth(of count: Int) -> Int {
    width / columnCount(of: count) - 3
  }

  private func columnCount(of count: Int) -> Int {
    max(1, min(count, width / Self.minimumSize.width))
  }

  /// Returns the heights of rows of windows: what the windows need, as far as there is room.
  private func heights(of rows: [[Pane]]) -> [Int] {
    let needs = rows.map { max(Self.minimumSize.height, ($0.map(\.lines.count).max() ?? 0) + 2) }
    guard let height else { return needs }
    var heights = needs.map { _ in Self.minimumSize.height }
    // Each line goes to the lowest row that needs it.
    for _ in 0..<max(0, height - heights.count * Self.minimumSize.height) {
      let hungry = heights.indices.filter { heights[$0] < needs[$0] }
      guard let lowest = hungry.min(by: { heights[$0] < heights[$1] }) else { break }
      heights[lowest] += 1
    }
    return heights
  }

  private func box(
    of pane: Pane, in column: Int, width: Int, height: Int, _ drawing: inout Drawing
  ) -> [[Span]] {
    let inner = max(1, width - 3)
    let frame: Span.Style = pane.isKey ? .key : .plain
    let start = max(0, min(pane.offset, pane.lines.count - (height - 2)))
    let range = start..<min(pane.lines.count, start + height - 2)
    drawing.visible[pane.id] = range
    var lines = [[Span(text: "┌" + pane.heading.fitted(to: inner, filler: "─") + "┐ ", style: frame, column: column)]]
    for index in start..<(start + height - 2) {
      let line = range.contains(index) ? pane.lines[index] : Span(text: "")
      lines.append([
        Span(text: "│", style: frame, column: column), Span(text: line.text.fitted(to: inner), style: line.style),
        Span(text: "│ ", style: frame, column: column + inner + 1),
      ])
    }
    let isPart = range.count < pane.lines.count
    let note = isPart ? " \(range.lowerBound + 1)–\(range.upperBound) of \(pane.lines.count) lines " : ""
    lines.append([
      Span(text: "└", style: frame, column: column), Span(text: note.fitted(to: min(inner, note.count)), style: .dim),
      Span(text: String(repeating: "─", count: max(0, inner - note.count)) + "┘ ", style: frame),
    ])
    return lines
  }
}
