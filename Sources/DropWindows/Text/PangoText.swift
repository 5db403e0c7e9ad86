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

  func isRightToLeft(_ text: String) -> Bool { functions.findBaseDirection(text, -1) == PangoFunctions.rightToLeft }

  func cells(of line: [Character], _ style: TextStyle) -> [TextCell] {
    lock.withLock { _ in
      withLayout(String(line), style) { layout in
        var offset = 0
        return line.displayParts.map { part in
          var cell = PangoRectangle()
          functions.characterExtents(layout, CInt(offset), &cell)
          offset += part.utf8.count
          // A line with less than its width would be shortened.
          let edges = [cell.x, cell.x + cell.width].map {
            Int((Double($0) / PangoFunctions.unitsPerPixel).rounded(.up))
          }
          return TextCell(leading: edges[0], trailing: edges[1])
        }
      } ?? line.map { _ in TextCell(leading: 0, trailing: 0) }
    }
  }

  func picture(of text: String, _ style: TextStyle, _ color: Color, maximumWidth: Int) -> Picture? {
    lock.withLock { _ in
      withLayout(text, style) { layout -> Picture? in
        functions.setWidth(layout, CInt(clamping: maximumWidth * Int(PangoFunctions.unitsPerPixel)))
        let end = style.kind == .name ? PangoFunctions.ellipsizeMiddle : PangoFunctions.ellipsizeEnd
        functions.setEllipsize(layout, end)
        var line = PangoRectangle()
        functions.pixelExtents(layout, nil, &line)
        return draw(layout, color, x: Int(line.x), width: min(Int(line.width), maximumWidth), height: Int(line.height))
      } ?? nil
    }
  }

  /// Creates a layout of a line, which is released after `body` returns.
  private func withLayout<Result>(_ text: String, _ style: TextStyle, _ body: (OpaquePointer) -> Result) -> Result? {
    // Pango's default is a guess from the content, even without an automatic direction.
    let isRightToLeft = style.kind == .line(isRightToLeft: true)
    functions.setBaseDirection(context, isRightToLeft ? PangoFunctions.rightToLeft : PangoFunctions.leftToRight)
    guard let layout = functions.newLayout(context) else { return nil }
    defer { functions.unreference(layout) }
    guard let font = functions.newFont(style.isBold ? "Sans Bold" : "Sans") else { return nil }
    functions.setFontSize(font, style.size * PangoFunctions.unitsPerPixel)
    functions.setFont(layout, font)
    functions.freeFont(font)
    functions.setSingleParagraph(layout, 1)
    functions.setAutomaticDirection(layout, style.kind == .name ? 1 : 0)
    functions.setText(layout, text.displayLine, -1)
    return body(layout)
  }

  /// Draws a layout whose line begins at `x`.
  ///
  /// Pango aligns a line from right to left with the right edge of the layout.
  private func draw(_ layout: OpaquePointer, _ color: Color, x: Int, width: Int, height: Int) -> Picture? {
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
      functions.translate(cairo, Double(-x), 0)
      functions.showLayout(cairo, layout)
      functions.destroyCairo(cairo)
      functions.flushSurface(surface)
      return true
    }
    return isDrawn ? Picture(width: width, height: height, pixels: pixels) : nil
  }
}

/// The layout of the type `PangoRectangle`.
struct PangoRectangle {
  var x: CInt = 0
  var y: CInt = 0
  var width: CInt = 0
  var height: CInt = 0
}

/// The functions of Pango and Cairo that draw a line of text.
struct PangoFunctions: Sendable {
  typealias Object = OpaquePointer

  let newFontMap: @convention(c) () -> Object?
  let createContext: @convention(c) (Object) -> Object?
  let setBaseDirection: @convention(c) (Object, CInt) -> Void
  let findBaseDirection: @convention(c) (UnsafePointer<CChar>, CInt) -> CInt
  let newLayout: @convention(c) (Object) -> Object?
  let setText: @convention(c) (Object, UnsafePointer<CChar>, CInt) -> Void
  let setFont: @convention(c) (Object, Object) -> Void
  let setSingleParagraph: @convention(c) (Object, CInt) -> Void
  let setEllipsize: @convention(c) (Object, CInt) -> Void
  let setWidth: @convention(c) (Object, CInt) -> Void
  let setAutomaticDirection: @convention(c) (Object, CInt) -> Void
  let pixelSize: @convention(c) (Object, UnsafeMutablePointer<CInt>, UnsafeMutablePointer<CInt>) -> Void
  /// The rectangles are values of ``PangoRectangle``: the first encloses the ink, the second the line.
  let pixelExtents: @convention(c) (Object, UnsafeMutableRawPointer?, UnsafeMutableRawPointer?) -> Void
  /// The rectangle is a value of ``PangoRectangle``, and has a negative width for a character from right to left.
  let characterExtents: @convention(c) (Object, CInt, UnsafeMutableRawPointer) -> Void
  let newFont: @convention(c) (UnsafePointer<CChar>) -> Object?
  let setFontSize: @convention(c) (Object, Double) -> Void
  let freeFont: @convention(c) (Object) -> Void
  let showLayout: @convention(c) (Object, Object) -> Void
  let newSurface: @convention(c) (UnsafeMutablePointer<UInt8>, CInt, CInt, CInt, CInt) -> Object?
  let surfaceStatus: @convention(c) (Object) -> CInt
  let flushSurface: @convention(c) (Object) -> Void
  let destroySurface: @convention(c) (Object) -> Void
  let newCairo: @convention(c) (Object) -> Object?
  let setColor: @convention(c) (Object, Double, Double, Double, Double) -> Void
  let translate: @convention(c) (Object, Double, Double) -> Void
  let destroyCairo: @convention(c) (Object) -> Void
  let unreference: @convention(c) (Object) -> Void

  /// The value of `PANGO_SCALE`.
  static let unitsPerPixel = 1024.0
  /// The value of `PANGO_DIRECTION_LTR`.
  static let leftToRight: CInt = 0
  /// The value of `PANGO_DIRECTION_RTL`.
  static let rightToLeft: CInt = 1
  /// The value of `PANGO_ELLIPSIZE_MIDDLE`.
  static let ellipsizeMiddle: CInt = 2
  /// The value of `PANGO_ELLIPSIZE_END`.
  static let ellipsizeEnd: CInt = 3
  /// The value of `CAIRO_FORMAT_ARGB32`.
  static let formatARGB32: CInt = 0

  /// Loads the libraries; `nil` if one of them or one of the functions is missing.
  init?() {
    guard let pangoCairo = DynamicLibrary("libpangocairo-1.0.so.0"), let pango = DynamicLibrary("libpango-1.0.so.0"),
      let cairo = DynamicLibrary("libcairo.so.2"), let objects = DynamicLibrary("libgobject-2.0.so.0")
    else { return nil }
    self.init(pangoCairo: pangoCairo, pango: pango, cairo: cairo, objects: objects)
  }

  private init?(pangoCairo: DynamicLibrary, pango: DynamicLibrary, cairo: DynamicLibrary, objects: DynamicLibrary) {
    guard
      let newFontMap: @convention(c) () -> Object? = pangoCairo.function("pango_cairo_font_map_new"),
      let showLayout: @convention(c) (Object, Object) -> Void = pangoCairo.function("pango_cairo_show_layout"),
      let createContext: @convention(c) (Object) -> Object? = pango.function("pango_font_map_create_context"),
      let setBaseDirection: @convention(c) (Object, CInt) -> Void = pango.function("pango_context_set_base_dir"),
      let findBaseDirection: @convention(c) (UnsafePointer<CChar>, CInt) -> CInt =
        pango.function("pango_find_base_dir"),
      let newLayout: @convention(c) (Object) -> Object? = pango.function("pango_layout_new"),
      let setText: @convention(c) (Object, UnsafePointer<CChar>, CInt) -> Void =
        pango.function("pango_layout_set_text"),
      let setFont: @convention(c) (Object, Object) -> Void = pango.function("pango_layout_set_font_description"),
      let setSingleParagraph: @convention(c) (Object, CInt) -> Void =
        pango.function("pango_layout_set_single_paragraph_mode"),
      let setEllipsize: @convention(c) (Object, CInt) -> Void = pango.function("pango_layout_set_ellipsize"),
      let setWidth: @convention(c) (Object, CInt) -> Void = pango.function("pango_layout_set_width"),
      let pixelSize: @convention(c) (Object, UnsafeMutablePointer<CInt>, UnsafeMutablePointer<CInt>) -> Void =
        pango.function("pango_layout_get_pixel_size"),
      let setAutomaticDirection: @convention(c) (Object, CInt) -> Void = pango.function("pango_layout_set_auto_dir"),
      let pixelExtents: @convention(c) (Object, UnsafeMutableRawPointer?, UnsafeMutableRawPointer?) -> Void =
        pango.function("pango_layout_get_pixel_extents"),
      let characterExtents: @convention(c) (Object, CInt, UnsafeMutableRawPointer) -> Void =
        pango.function("pango_layout_index_to_pos"),
      let newFont: @convention(c) (UnsafePointer<CChar>) -> Object? =
        pango.function("pango_font_description_from_string"),
      let setFontSize: @convention(c) (Object, Double) -> Void =
        pango.function("pango_font_description_set_absolute_size"),
      let freeFont: @convention(c) (Object) -> Void = pango.function("pango_font_description_free"),
      let newSurface: @convention(c) (UnsafeMutablePointer<UInt8>, CInt, CInt, CInt, CInt) -> Object? =
        cairo.function("cairo_image_surface_create_for_data"),
      let surfaceStatus: @convention(c) (Object) -> CInt = cairo.function("cairo_surface_status"),
      let flushSurface: @convention(c) (Object) -> Void = cairo.function("cairo_surface_flush"),
      let destroySurface: @convention(c) (Object) -> Void = cairo.function("cairo_surface_destroy"),
      let newCairo: @convention(c) (Object) -> Object? = cairo.function("cairo_create"),
      let setColor: @convention(c) (Object, Double, Double, Double, Double) -> Void =
        cairo.function("cairo_set_source_rgba"),
      let translate: @convention(c) (Object, Double, Double) -> Void = cairo.function("cairo_translate"),
      let destroyCairo: @convention(c) (Object) -> Void = cairo.function("cairo_destroy"),
      let unreference: @convention(c) (Object) -> Void = objects.function("g_object_unref")
    else { return nil }
    self.newFontMap = newFontMap
    self.createContext = createContext
    self.setBaseDirection = setBaseDirection
    self.findBaseDirection = findBaseDirection
    self.newLayout = newLayout
    self.setText = setText
    self.setFont = setFont
    self.setSingleParagraph = setSingleParagraph
    self.setEllipsize = setEllipsize
    self.setWidth = setWidth
    self.setAutomaticDirection = setAutomaticDirection
    self.pixelSize = pixelSize
    self.pixelExtents = pixelExtents
    self.characterExtents = characterExtents
    self.newFont = newFont
    self.setFontSize = setFontSize
    self.freeFont = freeFont
    self.showLayout = showLayout
    self.newSurface = newSurface
    self.surfaceStatus = surfaceStatus
    self.flushSurface = flushSurface
    self.destroySurface = destroySurface
    self.newCairo = newCairo
    self.setColor = setColor
    self.translate = translate
    self.destroyCairo = destroyCairo
    self.unreference = unreference
  }
}
