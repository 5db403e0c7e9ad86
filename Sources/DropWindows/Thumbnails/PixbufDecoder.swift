// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// A decoder of one picture, for use on one thread.
final class PixbufDecoder {
  private let functions: PixbufFunctions
  private let loader: OpaquePointer
  private let side: Int
  private let enlarges: Bool
  private var isRefused = false
  private var isClosed = false

  /// Creates a decoder; `nil` if the library lacks the format.
  init?(_ functions: PixbufFunctions, _ format: PictureFormat, side: Int, enlarges: Bool = false) {
    // A callback checks the size. If the library chose the format itself, its decoder might not call the callback.
    guard let loader = functions.newLoader(format.rawValue, nil) else { return nil }
    self.functions = functions
    self.loader = loader
    self.side = side
    self.enlarges = enlarges
    // This object outlives the loader, so the callback may use it without a strong reference.
    _ = functions.connect(
      loader, "size-prepared",
      { _, width, height, decoder in
        guard let decoder else { return }
        Unmanaged<PixbufDecoder>.fromOpaque(decoder).takeUnretainedValue().prepare(Int(width), Int(height))
      }, Unmanaged.passUnretained(self).toOpaque(), nil, 0)
  }

  deinit {
    if !isClosed { _ = functions.close(loader, nil) }
    functions.unreference(loader)
  }

  /// Chooses the size before the library reserves memory for the pixels.
  private func prepare(_ width: Int, _ height: Int) {
    guard (1...Thumbnails.maximumSide).contains(width), (1...Thumbnails.maximumSide).contains(height) else {
      isRefused = true
      // A size of zero ends the decoding.
      return functions.setSize(loader, 0, 0)
    }
    let size = Picture.fitting(width: width, height: height, side: side, enlarges: enlarges)
    functions.setSize(loader, CInt(size.width), CInt(size.height))
  }

  /// Decodes a part of the input.
  ///
  /// - Returns: Whether the decoder accepts more.
  func write(_ bytes: ArraySlice<UInt8>) -> Bool {
    let isAccepted = bytes.withUnsafeBufferPointer { buffer in
      guard let start = buffer.baseAddress else { return true }
      return functions.write(loader, start, buffer.count, nil) != 0
    }
    return isAccepted && !isRefused
  }

  /// Ends the input.
  ///
  /// - Returns: The picture; `nil` if the input is truncated or corrupt, or the picture exceeds a limit.
  func finish() -> Picture? {
    isClosed = true
    guard functions.close(loader, nil) != 0, !isRefused, let decoded = functions.pixbuf(loader),
      let pixbuf = functions.applyOrientation(decoded)
    else { return nil }
    defer { functions.unreference(pixbuf) }
    let width = Int(functions.width(pixbuf))
    let height = Int(functions.height(pixbuf))
    let stride = Int(functions.stride(pixbuf))
    let channels = Int(functions.channels(pixbuf))
    let hasAlpha = functions.hasAlpha(pixbuf) != 0
    guard functions.bitsPerSample(pixbuf) == 8, channels == (hasAlpha ? 4 : 3), (1...side).contains(width),
      (1...side).contains(height), stride >= width * channels, let pixels = functions.pixels(pixbuf)
    else { return nil }
    // The last row may lack its padding.
    let bytes = UnsafeRawBufferPointer(start: pixels, count: (height - 1) * stride + width * channels)
    return Picture(width: width, height: height, stride: stride, hasAlpha: hasAlpha, bytes: bytes)
  }
}

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
