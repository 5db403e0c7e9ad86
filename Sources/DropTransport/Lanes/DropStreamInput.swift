// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// Pulls the events of a stream out of a descriptor, through a buffer of fixed size.
struct DropStreamInput: ~Copyable {
  /// As long as the frames a writer makes by default; a longer one leaves the processor's cache before it is used.
  private static let bufferLength = 64 << 10

  private var descriptor: StreamDescriptor
  private let buffer: UnsafeMutableRawBufferPointer
  private var start = 0
  private var end = 0
  private var decoder: StreamDecoder

  init(_ descriptor: consuming StreamDescriptor, limits: DropStreamLimits) {
    self.descriptor = descriptor
    decoder = StreamDecoder(limits: limits)
    buffer = .allocate(byteCount: Self.bufferLength, alignment: 16)
  }

  deinit {
    buffer.deallocate()
  }

  /// How many bytes of the stream have been understood.
  var offset: UInt64 { decoder.offset }

  /// The next event; its bytes are good until the next call.
  ///
  /// - Parameter mayRead: Whether to wait for more bytes where there are too few.
  /// - Returns: `nil` where it had to and must not.
  /// - Throws: What is wrong with the stream, or with reading it.
  mutating func next(mayRead: Bool) throws(DropStreamError) -> StreamParser.Event? {
    while true {
      let window = UnsafeRawBufferPointer(rebasing: buffer[start..<end])
      if let (meaning, used) = try decoder.next(in: window) {
        start += used
        if let meaning { return meaning }
      } else {
        guard mayRead else { return nil }
        guard try read() > 0 else { throw cutError }
      }
    }
  }

  /// After the end of the stream: nothing may follow.
  mutating func expectEnd() throws(DropStreamError) {
    if start == end, try read() == 0 { return }
    throw DropStreamError(.trailingBytes, "bytes follow the end of the stream", at: decoder.offset)
  }

  private mutating func read() throws(DropStreamError) -> Int {
    if start > 0 {
      // Never more than an incomplete header: a payload is used in whatever pieces it comes.
      buffer[..<(end - start)].copyBytes(from: buffer[start..<end])
      end -= start
      start = 0
    }
    let count = try descriptor.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[end...]))
    end += count
    return count
  }

  private var cutError: DropStreamError {
    let total = decoder.offset + UInt64(end - start)
    guard total > 0 else { return DropStreamError(.empty, "no drop stream: not a single byte came", at: 0) }
    return DropStreamError(.truncated, "the stream is cut: it stops \(decoder.whereabouts)", at: total)
  }
}
