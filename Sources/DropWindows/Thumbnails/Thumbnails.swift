// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem

/// Small pictures of files, which gdk-pixbuf decodes if the library can be loaded at run time.
package enum Thumbnails {
  /// The maximum number of input bytes.
  package static let maximumBytes = 64 << 20
  /// The maximum width and height of the input in pixels.
  package static let maximumSide = 4096

  /// The library, which the first use loads; `nil` if it is missing.
  static let functions = PixbufFunctions()

  /// Returns a small picture of encoded bytes.
  ///
  /// The bytes may be hostile: other formats than PNG, JPEG, GIF and WebP, and pictures above the limits, are refused
  /// before they are decoded.
  ///
  /// Cancellation has an effect between parts of the input.
  ///
  /// - Parameters:
  ///   - bytes: The bytes of a file.
  ///   - side: The maximum width and height of the result.
  ///   - enlarges: Whether a smaller picture is enlarged.
  /// - Returns: The picture; `nil` if the input is refused or cannot be decoded, or if the library is missing.
  /// - Throws: `CancellationError`.
  package static func picture(of bytes: [UInt8], side: Int, enlarges: Bool = false) async throws -> Picture? {
    guard side > 0, bytes.count <= maximumBytes else { return nil }
    return try await runBlocking { try decode(bytes, side: min(side, maximumSide), enlarges: enlarges) }
  }

  /// Returns a small picture of a file.
  ///
  /// Only a regular file of at most ``maximumBytes`` is read.
  ///
  /// - Parameters:
  ///   - path: The path.
  ///   - side: The maximum width and height of the result.
  /// - Returns: The picture; `nil` if the file cannot be read, is refused or cannot be decoded, or if the library
  ///   is missing.
  /// - Throws: `CancellationError`.
  package static func picture(ofFile path: String, side: Int) async throws -> Picture? {
    guard side > 0 else { return nil }
    return try await runBlocking {
      guard let bytes = read(path) else { return nil }
      return try decode(bytes, side: min(side, maximumSide))
    }
  }

  /// Reads a regular file of 1 to ``maximumBytes`` bytes that starts like a picture; `nil` for any other file.
  private static func read(_ path: String) -> [UInt8]? {
    do throws(SystemError) {
      let file = try ReadableFile(path: path)
      guard file.status.kind == .regular, (1...Int64(maximumBytes)).contains(Int64(file.status.size)) else {
        return nil
      }
      let start = try file.read(upTo: 12)
      guard PictureFormat(start) != nil else { return nil }
      let size = Int(file.status.size)
      return start + (try file.read(upTo: max(0, size - start.count)))
    } catch {
      return nil
    }
  }

  /// Decodes bytes; blocks.
  private static func decode(_ bytes: [UInt8], side: Int, enlarges: Bool = false) throws -> Picture? {
    guard let format = PictureFormat(bytes), let functions,
      let decoder = PixbufDecoder(functions, format, side: side, enlarges: enlarges)
    else { return nil }
    // The decoder reads the size from the first parts, so a refusal skips the other parts.
    for start in stride(from: 0, to: bytes.count, by: 32 << 10) {
      try Task.checkCancellation()
      guard decoder.write(bytes[start..<min(start + 32 << 10, bytes.count)]) else { return nil }
    }
    return decoder.finish()
  }
}

/// The picture formats that can have thumbnails.
///
/// Other formats are refused: their decoders have fewer users, and more faults.
enum PictureFormat: String, Sendable, CaseIterable {
  case png = "image/png"
  case jpeg = "image/jpeg"
  case gif = "image/gif"
  case webp = "image/webp"

  /// Recognizes the format by the first bytes.
  init?(_ bytes: some Sequence<UInt8>) {
    let start = Array(bytes.prefix(12))
    switch start {
    case _ where start.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]): self = .png
    case _ where start.starts(with: [0xFF, 0xD8, 0xFF]): self = .jpeg
    case _ where start.starts(with: Array("GIF8".utf8)): self = .gif
    case _ where start.starts(with: Array("RIFF".utf8)) && start.dropFirst(8) == ArraySlice(Array("WEBP".utf8)):
      self = .webp
    default: return nil
    }
  }
}
