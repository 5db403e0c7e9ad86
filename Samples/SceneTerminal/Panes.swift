// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropScenes

/// Windows as boxes of text, side by side as far as there is room.
struct Panes {
  /// Below this many columns nothing can be read.
  static let leastWidth = 24

  let width: Int

  /// The lines of all windows; at most `height` of each where that is given.
  func lines(of scenes: [HostedScene], height: Int? = nil) -> [String] {
    guard !scenes.isEmpty else { return ["(no window)"] }
    let columns = columnCount(of: scenes.count)
    let rows = (scenes.count + columns - 1) / columns
    var lines: [String] = []
    for row in 0..<rows {
      let inRow = Array(scenes.dropFirst(row * columns).prefix(columns))
      let most = height.map { max(1, $0 / rows - 2) } ?? .max
      let boxes = inRow.map { box(of: $0, width: width / columns, most: most) }
      let tallest = boxes.map(\.count).max() ?? 0
      for index in 0..<tallest {
        lines.append(zip(boxes, inRow).map { box, _ in line(index, of: box, tallest) }.joined())
      }
    }
    return lines
  }

  private func columnCount(of count: Int) -> Int {
    max(1, min(count, width / Self.leastWidth))
  }

  /// How many characters of a line a window can show.
  func contentWidth(of count: Int) -> Int {
    width / columnCount(of: count) - 3
  }

  private func line(_ index: Int, of box: [String], _ tallest: Int) -> String {
    guard index < box.count - 1 else {
      // The last line closes the box, below as much empty room as the tallest needs.
      if index == tallest - 1 { return box[box.count - 1] }
      let inner = box[0].count - 3
      return "│" + String(repeating: " ", count: inner) + "│ "
    }
    return box[index]
  }

  private func box(of scene: HostedScene, width: Int, most: Int) -> [String] {
    let inner = width - 3
    let title = fit(" \(scene.number) \(scene.title)\(scene.isKey ? " ●" : "") ", inner, filler: "─")
    let content = scene.failure.map { ["✝ \($0)"] } ?? scene.content
    var lines = ["┌\(title)┐ "]
    let hidden = content.count - most
    let shown = hidden > 0 ? content.prefix(most - 1) + ["… \(hidden + 1) lines more"] : content.prefix(most)
    lines += shown.map { "│\(fit($0, inner))│ " }
    lines.append("└" + String(repeating: "─", count: inner) + "┘ ")
    return lines
  }

  private func fit(_ text: String, _ width: Int, filler: Character = " ") -> String {
    if text.count <= width { return text + String(repeating: filler, count: width - text.count) }
    return text.prefix(max(0, width - 1)) + "…"
  }
}
