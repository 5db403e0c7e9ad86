// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// The functions of Pango and Cairo that draw a line of text.
struct PangoFunctions: Sendable {
  typealias Object = OpaquePointer

  let newFontMap: @convention(c) () -> Object?
  let createContext: @convention(c) (Object) -> Object?
  let newLayout: @convention(c) (Object) -> Object?
  let setText: @convention(c) (Object, UnsafePointer<CChar>, CInt) -> Void
  let setFont: @convention(c) (Object, Object) -> Void
  let setSingleParagraph: @convention(c) (Object, CInt) -> Void
  let setEllipsize: @convention(c) (Object, CInt) -> Void
  let setWidth: @convention(c) (Object, CInt) -> Void
  let pixelSize: @convention(c) (Object, UnsafeMutablePointer<CInt>, UnsafeMutablePointer<CInt>) -> Void
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
  let destroyCairo: @convention(c) (Object) -> Void
  let unreference: @convention(c) (Object) -> Void

  /// The value of `PANGO_SCALE`.
  static let unitsPerPixel = 1024.0
  /// The value of `PANGO_ELLIPSIZE_MIDDLE`.
  static let ellipsizeMiddle: CInt = 2
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
      let destroyCairo: @convention(c) (Object) -> Void = cairo.function("cairo_destroy"),
      let unreference: @convention(c) (Object) -> Void = objects.function("g_object_unref")
    else { return nil }
    self.newFontMap = newFontMap
    self.createContext = createContext
    self.newLayout = newLayout
    self.setText = setText
    self.setFont = setFont
    self.setSingleParagraph = setSingleParagraph
    self.setEllipsize = setEllipsize
    self.setWidth = setWidth
    self.pixelSize = pixelSize
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
    self.destroyCairo = destroyCairo
    self.unreference = unreference
  }
}
