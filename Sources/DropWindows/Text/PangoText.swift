// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import Synchronization

/// Text drawing by Pango and Cairo, which are loaded at run time.
final class PangoText: TextDrawing, @unchecked Sendable {
  // Safe because the lock protects all objects of Pango.
  private let lock = Lock(())
  private let functions: PangoFunctions
  private let context: OpaquePointer

  /// Loads the libraries; `nil` if they or fonts are missing.
  init?() {
    // Pango's default font map is bound to a thread; a new font map is not.
    guard let functions = PangoFunctions(), let map = functions.newFontMap() else { return nil }
    let context = functions.createContext(map)
    functions.unreference(map)
    guard let context else { return nil }
    self.functions = functions
    self.context = context
    // A machine can have the libraries, but lack fonts.
    guard size(of: "x", TextStyle(size: 13)).width > 0 else { return nil }
  }

  deinit {
    functions.unreference(context)
  }

  func size(of text: String, _ style: TextStyle) -> TextSize {
    lock.withLock { _ in
      withLayout(text, style) { layout in
        var (width, height): (CInt, CInt) = (0, 0)
        functions.pixelSize(layout, &width, &height)
        return TextSize(width: Int(width), height: Int(height))
      } ?? TextSize(width: 0, height: 0)
    }
  }

  func picture(of text: String, _ style: TextStyle, _ color: Color, maximumWidth: Int) -> Picture? {
    lock.withLock { _ in
      withLayout(text, style) { layout -> Picture? in
        functions.setWidth(layout, CInt(clamping: maximumWidth * Int(PangoFunctions.unitsPerPixel)))
        functions.setEllipsize(layout, PangoFunctions.ellipsizeMiddle)
        var (width, height): (CInt, CInt) = (0, 0)
        functions.pixelSize(layout, &width, &height)
        return draw(layout, color, width: min(Int(width), maximumWidth), height: Int(height))
      } ?? nil
    }
  }

  /// Creates a layout of a line, which is released after `body` returns.
  private func withLayout<Result>(_ text: String, _ style: TextStyle, _ body: (OpaquePointer) -> Result) -> Result? {
    guard let layout = functions.newLayout(context) else { return nil }
    defer { functions.unreference(layout) }
    guard let font = functions.newFont(style.isBold ? "Sans Bold" : "Sans") else { return nil }
    functions.setFontSize(font, style.size * PangoFunctions.unitsPerPixel)
    functions.setFont(layout, font)
    functions.freeFont(font)
    functions.setSingleParagraph(layout, 1)
    functions.setText(layout, text.displayLine, -1)
    return body(layout)
  }

  private func draw(_ layout: OpaquePointer, _ color: Color, width: Int, height: Int) -> Picture? {
    guard (1...16_384).contains(width), (1...1024).contains(height) else { return nil }
    var pixels = [UInt32](repeating: 0, count: width * height)
    let isDrawn = pixels.withUnsafeMutableBytes { bytes -> Bool in
      guard let start = bytes.bindMemory(to: UInt8.self).baseAddress,
        let surface = functions.newSurface(
          start, PangoFunctions.formatARGB32, CInt(width), CInt(height), CInt(4 * width))
      else { return false }
      defer { functions.destroySurface(surface) }
      guard functions.surfaceStatus(surface) == 0, let cairo = functions.newCairo(surface) else { return false }
      functions.setColor(
        cairo, Double(color.red) / 255, Double(color.green) / 255, Double(color.blue) / 255, Double(color.alpha) / 255)
      functions.showLayout(cairo, layout)
      functions.destroyCairo(cairo)
      functions.flushSurface(surface)
      return true
    }
    return isDrawn ? Picture(width: width, height: height, pixels: pixels) : nil
  }
}
