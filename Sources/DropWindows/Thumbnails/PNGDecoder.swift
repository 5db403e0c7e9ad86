// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// A decoder of PNG files for machines without gdk-pixbuf; interlaced files are refused.
struct PNGDecoder {
  /// The maximum number of decompressed bytes.
  static let maximumBytes = 64 << 20

  private let file: PNGFile
  /// The decompressed rows, each after the byte of its filter.
  private var rows: [UInt8]

  /// Decompresses a file; `nil` if it is refused, or its content has another length than its size requires.
  init?(_ bytes: [UInt8], _ zlib: ZlibFunctions) {
    guard let file = PNGFile(bytes, zlib) else { return nil }
    let length = (file.rowLength + 1) * file.height
    guard length <= Self.maximumBytes, !file.data.isEmpty else { return nil }
    self.file = file
    var count = CUnsignedLong(length)
    var status: CInt = -1
    rows = Array(unsafeUninitializedCapacity: length) { buffer, initialized in
      guard let start = buffer.baseAddress else { return }
      buffer.initialize(repeating: 0)
      status = file.data.withUnsafeBufferPointer { data in
        data.baseAddress.map { zlib.uncompress(start, &count, $0, CUnsignedLong(data.count)) } ?? -1
      }
      initialized = length
    }
    guard status == 0, count == length else { return nil }
  }

  /// Reduces the picture to at most `side` in width and height.
  ///
  /// - Parameters:
  ///   - side: The maximum width and height.
  ///   - isCancelled: A closure that is called before each row. If it returns true, the result is `nil`.
  /// - Returns: The picture; `nil` for an unknown filter, or for a colour that the palette lacks.
  mutating func picture(side: Int, isCancelled: () -> Bool) -> Picture? {
    let size = Picture.fitting(width: file.width, height: file.height, side: side)
    var reducer = PictureReducer(width: file.width, height: file.height, to: size)
    var line = [UInt32](repeating: 0, count: file.width)
    for y in 0..<file.height {
      guard !isCancelled(), unfilter(row: y), read(row: y, into: &line) else { return nil }
      reducer.add(line)
    }
    return reducer.picture
  }

  /// Replaces the differences in a row by the samples (section 9 of the specification); returns `false` for an unknown filter.
  private mutating func unfilter(row: Int) -> Bool {
    let start = row * (file.rowLength + 1) + 1
    let above = start - file.rowLength - 1
    let step = max(1, file.kind.channelCount * file.depth / 8)
    let filter = rows[start - 1]
    if filter == 0 { return true }
    for index in 0..<file.rowLength {
      let left = index >= step ? Int(rows[start + index - step]) : 0
      let up = row > 0 ? Int(rows[above + index]) : 0
      let predicted: Int
      switch filter {
      case 1: predicted = left
      case 2: predicted = up
      case 3: predicted = (left + up) / 2
      case 4:
        let corner = row > 0 && index >= step ? Int(rows[above + index - step]) : 0
        predicted = Self.nearest(left, up, corner)
      default: return false
      }
      rows[start + index] &+= UInt8(truncatingIfNeeded: predicted)
    }
    return true
  }

  /// Returns the Paeth predictor: the neighbour that is nearest to the sum of left and up without the corner.
  private static func nearest(_ left: Int, _ up: Int, _ corner: Int) -> Int {
    let sum = left + up - corner
    let (toLeft, toUp, toCorner) = (abs(sum - left), abs(sum - up), abs(sum - corner))
    if toLeft <= toUp, toLeft <= toCorner { return left }
    return toUp <= toCorner ? up : corner
  }

  /// Returns a sample of a row.
  private func sample(_ start: Int, _ index: Int) -> Int {
    switch file.depth {
    case 8: return Int(rows[start + index])
    case 16: return Int(rows[start + 2 * index]) << 8 | Int(rows[start + 2 * index + 1])
    default:
      let bit = index * file.depth
      return Int(rows[start + bit / 8]) >> (8 - file.depth - bit % 8) & (1 << file.depth - 1)
    }
  }

  /// Reads the pixels of a row; returns `false` for a colour that the palette lacks.
  private func read(row: Int, into line: inout [UInt32]) -> Bool {
    let start = row * (file.rowLength + 1) + 1
    for x in line.indices {
      guard let color = color(start, x) else { return false }
      line[x] = color.pixel
    }
    return true
  }

  /// Returns the colour of a pixel; `nil` if the palette lacks it.
  private func color(_ start: Int, _ x: Int) -> Color? {
    func sample(_ channel: Int) -> Int { self.sample(start, x * file.kind.channelCount + channel) }
    // As in gdk-pixbuf, the lower byte of 16 bits is left out.
    func byte(_ channel: Int) -> UInt8 {
      file.depth == 16 ? UInt8(sample(channel) >> 8) : UInt8(sample(channel) * 255 / (1 << file.depth - 1))
    }
    /// Whether the samples are equal to the transparent colour.
    func isTransparent(_ count: Int) -> Bool {
      let bytes = file.transparency
      return bytes.count == 2 * count
        && (0..<count).allSatisfy { channel in
          let first = bytes.startIndex + 2 * channel
          return sample(channel) == Int(bytes[first]) << 8 | Int(bytes[first + 1])
        }
    }
    switch file.kind {
    case .palette:
      let index = sample(0)
      let first = file.palette.startIndex + 3 * index
      guard first + 2 < file.palette.endIndex else { return nil }
      let alpha = index < file.transparency.count ? file.transparency[file.transparency.startIndex + index] : 255
      return Color(
        red: file.palette[first], green: file.palette[first + 1], blue: file.palette[first + 2], alpha: alpha)
    case .gray: return Color(red: byte(0), green: byte(0), blue: byte(0), alpha: isTransparent(1) ? 0 : 255)
    case .grayAlpha: return Color(red: byte(0), green: byte(0), blue: byte(0), alpha: byte(1))
    case .rgb: return Color(red: byte(0), green: byte(1), blue: byte(2), alpha: isTransparent(3) ? 0 : 255)
    case .rgba: return Color(red: byte(0), green: byte(1), blue: byte(2), alpha: byte(3))
    }
  }
}
