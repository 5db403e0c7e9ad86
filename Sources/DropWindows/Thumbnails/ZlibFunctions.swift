// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// The functions of zlib that read a PNG file.
struct ZlibFunctions: Sendable {
  /// Decompresses a buffer, and sets the length to the number of bytes; 0 without an error.
  let uncompress:
    @convention(c) (
      UnsafeMutablePointer<UInt8>, UnsafeMutablePointer<CUnsignedLong>, UnsafePointer<UInt8>, CUnsignedLong
    ) -> CInt
  /// Continues the checksum of former bytes; 0 is the checksum of none.
  let crc32: @convention(c) (CUnsignedLong, UnsafePointer<UInt8>?, CUnsignedInt) -> CUnsignedLong

  /// The library, which the first use loads; `nil` if it is missing.
  static let shared = ZlibFunctions()

  private init?() {
    guard let library = DynamicLibrary("libz.so.1"),
      let uncompress:
        @convention(c) (
          UnsafeMutablePointer<UInt8>, UnsafeMutablePointer<CUnsignedLong>, UnsafePointer<UInt8>, CUnsignedLong
        ) -> CInt = library.function("uncompress"),
      let crc32: @convention(c) (CUnsignedLong, UnsafePointer<UInt8>?, CUnsignedInt) -> CUnsignedLong =
        library.function("crc32")
    else { return nil }
    self.uncompress = uncompress
    self.crc32 = crc32
  }
}
