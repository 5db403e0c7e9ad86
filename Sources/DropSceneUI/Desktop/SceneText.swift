// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropWindows

extension DesktopWindow {
  /// Divides text at spaces into lines that fit into a row of the window; a longer word has a line of its own.
  ///
  /// - Parameters:
  ///   - text: The text.
  ///   - hasAccessory: Whether the row shows a cross or the dots of a draggable row beside the text.
  /// - Returns: The lines.
  func lines(of text: String, hasAccessory: Bool) -> [String] {
    // The scroll bar may come with the lines.
    let margins = hasAccessory ? 72.0 : 46
    let width = layout.column(0).width - Int(margins * scale)
    let style = TextStyle(size: WindowLayout.bodySize * scale)
    func fits(_ text: String) -> Bool { SystemText.drawing.size(of: text, style).width <= width }
    guard !fits(text) else { return [text] }
    var lines: [String] = []
    for word in text.split(separator: " ") {
      if let last = lines.last, fits(last + " " + word) {
        lines[lines.count - 1] = last + " " + word
      } else {
        lines.append(String(word))
      }
    }
    return lines
  }
}
