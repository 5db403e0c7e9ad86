// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// A reader that finds the index of a file from its end.
///
/// All methods block.
struct DropFileFooterReader {
  /// The length of the end frame in bytes.
  static let endFrameLength = UInt64(FrameHeader.length + 36 + FrameHeader.checkLength)
  /// The maximum length of an index footer in bytes, which suffices for 17 billion items.
  static let maximumLength: UInt64 = 1 << 26

  private let handle: DropFileHandle

  init(_ handle: DropFileHandle) {
    self.handle = handle
  }

  func footer() throws(DropStreamError) -> DropFileIndex.Footer {
    // Reading the start of a source costs a separate request. The start matters only if the end is not the end of a
    // stream.
    if handle.source == nil { try checkStart() }
    let end: UInt64
    do throws(DropStreamError) { end = try endOfFrames() } catch {
      if error.code == .truncated { try checkStart() }
      throw error
    }
    let tail = UInt64(DropFileIndex.Footer.offsetLength + FrameHeader.checkLength)
    guard end >= UInt64(Preamble.length + FrameHeader.length) + tail else { throw noIndex }
    let offset: UInt64 = try handle.bytes(at: end - tail, count: 8).withUnsafeBytes { $0.littleEndian(at: 0) }
    let least = UInt64(FrameHeader.length + FrameHeader.checkLength)
    guard offset >= UInt64(Preamble.length), offset < end, end - offset >= least else { throw noIndex }
    // In a file without an index, these bytes are most likely not a frame.
    guard let header = try Self.unlessDamaged({ () throws(DropStreamError) in try handle.header(at: offset) }),
      header.type == .indexFooter, header.payloadLength == end - offset - least
    else { throw noIndex }
    let payload = try handle.payload(of: .indexFooter, at: offset, limit: Self.maximumLength)
    guard let footer = payload.withUnsafeBytes({ DropFileIndex.Footer($0) }),
      footer.itemCount <= UInt64(Int.max), footer.pages.last.map({ $0.offset < offset }) ?? true
    else {
      throw DropStreamError(.damaged, "corrupt: the index contradicts itself", at: offset)
    }
    return footer
  }

  private func checkStart() throws(DropStreamError) {
    guard handle.size > 0 else { throw DropStreamError(.empty, "the file is empty", at: 0) }
    let start = try handle.bytes(at: 0, count: Int(min(handle.size, UInt64(Preamble.length))))
    let isWhole = try start.withUnsafeBytes { bytes in
      Result { () throws(DropStreamError) in
        var decoder = FrameDecoder()
        return try decoder.next(in: bytes) != nil
      }
    }.get()
    if !isWhole { throw cut }
  }

  /// Returns the offset of the last frame, which must be the end of the stream.
  private func endOfFrames() throws(DropStreamError) -> UInt64 {
    guard handle.size >= UInt64(Preamble.length) + Self.endFrameLength else { throw cut }
    let offset = handle.size - Self.endFrameLength
    let payload = try Self.unlessDamaged { () throws(DropStreamError) in
      try handle.payload(of: .endOfStream, at: offset, limit: 36)
    }
    guard payload?.count == 36 else { throw cut }
    return offset
  }

  /// Returns the result of `body`; `nil` if the bytes are not the expected frame.
  ///
  /// Errors of the system are thrown.
  private static func unlessDamaged<Value>(
    _ body: () throws(DropStreamError) -> Value
  ) throws(DropStreamError) -> Value? {
    do throws(DropStreamError) {
      return try body()
    } catch {
      switch error.code {
      case .damaged, .truncated, .limitExceeded, .unsupported: return nil
      default: throw error
      }
    }
  }

  private var cut: DropStreamError {
    DropStreamError(
      .truncated, "\(handle.shownPath) does not end as a drop stream: it is truncated, or bytes were added",
      at: handle.size)
  }

  private var noIndex: DropStreamError {
    DropStreamError(.noIndex, "\(handle.shownPath) has no index: it is a stream that can only be read in order")
  }
}
