// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// The functions of gdk-pixbuf that decode a picture.
struct PixbufFunctions: Sendable {
  typealias Object = OpaquePointer
  /// A handler of the signal `size-prepared`.
  typealias SizeHandler = @convention(c) (Object?, CInt, CInt, UnsafeMutableRawPointer?) -> Void
  typealias Connect =
    @convention(c) (
      Object, UnsafePointer<CChar>, SizeHandler, UnsafeMutableRawPointer?, UnsafeRawPointer?, CUnsignedInt
    ) -> CUnsignedLong
  typealias NewLoader = @convention(c) (UnsafePointer<CChar>, UnsafeMutableRawPointer?) -> Object?
  typealias Write = @convention(c) (Object, UnsafePointer<UInt8>, Int, UnsafeMutableRawPointer?) -> CInt
  typealias Number = @convention(c) (Object) -> CInt

  let newLoader: NewLoader
  let write: Write
  let close: @convention(c) (Object, UnsafeMutableRawPointer?) -> CInt
  let setSize: @convention(c) (Object, CInt, CInt) -> Void
  let pixbuf: @convention(c) (Object) -> Object?
  let applyOrientation: @convention(c) (Object) -> Object?
  let width: Number
  let height: Number
  let stride: Number
  let channels: Number
  let bitsPerSample: Number
  let hasAlpha: Number
  let pixels: @convention(c) (Object) -> UnsafeRawPointer?
  let connect: Connect
  let unreference: @convention(c) (Object) -> Void

  /// Loads the library; `nil` if it or one of the functions is missing.
  init?() {
    guard let library = DynamicLibrary("libgdk_pixbuf-2.0.so.0"),
      let objects = DynamicLibrary("libgobject-2.0.so.0"),
      let newLoader: NewLoader = library.function("gdk_pixbuf_loader_new_with_mime_type"),
      let write: Write = library.function("gdk_pixbuf_loader_write"),
      let close: @convention(c) (Object, UnsafeMutableRawPointer?) -> CInt =
        library.function("gdk_pixbuf_loader_close"),
      let setSize: @convention(c) (Object, CInt, CInt) -> Void = library.function("gdk_pixbuf_loader_set_size"),
      let pixbuf: @convention(c) (Object) -> Object? = library.function("gdk_pixbuf_loader_get_pixbuf"),
      let applyOrientation: @convention(c) (Object) -> Object? =
        library.function("gdk_pixbuf_apply_embedded_orientation"),
      let width: Number = library.function("gdk_pixbuf_get_width"),
      let height: Number = library.function("gdk_pixbuf_get_height"),
      let stride: Number = library.function("gdk_pixbuf_get_rowstride"),
      let channels: Number = library.function("gdk_pixbuf_get_n_channels"),
      let bitsPerSample: Number = library.function("gdk_pixbuf_get_bits_per_sample"),
      let hasAlpha: Number = library.function("gdk_pixbuf_get_has_alpha"),
      let pixels: @convention(c) (Object) -> UnsafeRawPointer? = library.function("gdk_pixbuf_read_pixels"),
      let connect: Connect = objects.function("g_signal_connect_data"),
      let unreference: @convention(c) (Object) -> Void = objects.function("g_object_unref")
    else { return nil }
    self.newLoader = newLoader
    self.write = write
    self.close = close
    self.setSize = setSize
    self.pixbuf = pixbuf
    self.applyOrientation = applyOrientation
    self.width = width
    self.height = height
    self.stride = stride
    self.channels = channels
    self.bitsPerSample = bitsPerSample
    self.hasAlpha = hasAlpha
    self.pixels = pixels
    self.connect = connect
    self.unreference = unreference
  }
}
