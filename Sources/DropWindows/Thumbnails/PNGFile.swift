// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// The parts of a PNG file (ISO/IEC 15948) that determine its pixels.
///
/// The bytes may be hostile: a file is refused if a chunk is truncated, has a wrong checksum or is in the wrong place.
struct PNGFile {
  /// The kinds of pixels, with the numbers of the specification.
  enum PixelKind: UInt8 {
    case gray = 0
    case rgb = 2
    case palette = 3
    case grayAlpha = 4
    case rgba = 6

    /// The number of samples of a pixel.
    var channelCount: Int {
      switch self {
      case .gray, .palette: 1
      case .grayAlpha: 2
      case .rgb: 3
      case .rgba: 4
      }
    }

    /// The numbers of bits that a sample may have.
    var depths: [Int] {
      switch self {
      case .gray: [1, 2, 4, 8, 16]
      case .palette: [1, 2, 4, 8]
      case .rgb, .grayAlpha, .rgba: [8, 16]
      }
    }
  }

  private static let signatureLength = 8

  let width: Int
  let height: Int
  /// The number of bits of a sample.
  let depth: Int
  let kind: PixelKind
  /// The colours of the palette, three bytes each.
  private(set) var palette: ArraySlice<UInt8> = []
  /// The opacities of the palette's first colours, or the transparent colour.
  private(set) var transparency: ArraySlice<UInt8> = []
  /// The compressed rows.
  private(set) var data: [UInt8] = []

  /// Reads the chunks of a file; `nil` if it is malformed, too large or interlaced.
  init?(_ bytes: [UInt8], _ zlib: ZlibFunctions) {
    var rest = bytes.dropFirst(Self.signatureLength)
    guard let header = Self.chunk(&rest, zlib), header.type == "IHDR", header.content.count == 13 else { return nil }
    let fields = Array(header.content)
    (width, height) = (Self.number(fields[0..<4]), Self.number(fields[4..<8]))
    depth = Int(fields[8])
    guard (1...Thumbnails.maximumSide).contains(width), (1...Thumbnails.maximumSide).contains(height),
      let kind = PixelKind(rawValue: fields[9]), kind.depths.contains(depth), fields[10...12] == [0, 0, 0]
    else { return nil }
    self.kind = kind
    while let chunk = Self.chunk(&rest, zlib) {
      switch chunk.type {
      case "PLTE" where chunk.content.count.isMultiple(of: 3) && chunk.content.count <= 768: palette = chunk.content
      case "tRNS": transparency = chunk.content
      case "IDAT": data += chunk.content
      case "IEND": return
      // An upper-case first letter marks a chunk without which the picture cannot be shown.
      case let type where type.utf8.first.map({ $0 & 0x20 == 0 }) ?? true: return nil
      default: break
      }
    }
    return nil
  }

  /// The number of bytes of a row, without the byte of its filter.
  var rowLength: Int { (width * kind.channelCount * depth + 7) / 8 }

  /// Takes a chunk; `nil` at the end, and for a chunk that is truncated or has a wrong checksum.
  private static func chunk(
    _ rest: inout ArraySlice<UInt8>, _ zlib: ZlibFunctions
  ) -> (type: String, content: ArraySlice<UInt8>)? {
    guard rest.count >= 12 else { return nil }
    let length = number(rest.prefix(4))
    guard length <= rest.count - 12 else { return nil }
    let checked = rest.dropFirst(4).prefix(4 + length)
    let checksum = checked.withUnsafeBufferPointer { zlib.crc32(0, $0.baseAddress, CUnsignedInt($0.count)) }
    guard Int(checksum) == number(rest.dropFirst(8 + length).prefix(4)) else { return nil }
    rest = rest.dropFirst(12 + length)
    return (String(decoding: checked.prefix(4), as: UTF8.self), checked.dropFirst(4))
  }

  private static func number(_ bytes: some Sequence<UInt8>) -> Int { bytes.reduce(0) { $0 << 8 | Int($1) } }
}
