// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropWindows

extension DesktopWindow {
  /// Divides text into lines that fit into a row of the window.
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
    let text = Array(text)
    return text.lines(fitting: width) { SystemText.drawing.size(of: $0, style).width }.map { String(text[$0]) }
  }
}
