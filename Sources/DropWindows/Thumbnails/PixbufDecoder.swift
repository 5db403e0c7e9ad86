// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// A decoder of one picture, for use on one thread.
final class PixbufDecoder {
  private let functions: PixbufFunctions
  private let loader: OpaquePointer
  private let side: Int
  private var isRefused = false
  private var isClosed = false

  /// Creates a decoder; `nil` if the library lacks the format.
  init?(_ functions: PixbufFunctions, _ format: PictureFormat, side: Int) {
    // A callback checks the size. If the library chose the format itself, its decoder might not call the callback.
    guard let loader = functions.newLoader(format.rawValue, nil) else { return nil }
    self.functions = functions
    self.loader = loader
    self.side = side
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
    let size = Picture.fitting(width: width, height: height, side: side)
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
