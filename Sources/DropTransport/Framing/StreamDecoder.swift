// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// Reads a one-way stream out of its bytes, as far as they have come: pure.
///
/// A frame that is there as a whole is taken at once, a longer one in pieces.
struct StreamDecoder: Sendable {
  private var frames = FrameDecoder()
  private var parser: StreamParser
  /// The frame of which no more than the header was taken.
  private var openHeader: FrameHeader?

  init(limits: DropStreamLimits) {
    parser = StreamParser(limits: limits)
  }

  /// How many bytes of the stream have been understood.
  var offset: UInt64 { frames.offset }

  /// What was under way, for the message when the bytes stop here.
  var whereabouts: String { parser.whereabouts }

  /// Takes the next step.
  ///
  /// - Parameter bytes: What has come behind all that was used.
  /// - Returns: What it means, if anything, and the bytes it used; `nil` when more bytes are needed first.
  /// - Throws: What is wrong with the stream.
  mutating func next(
    in bytes: UnsafeRawBufferPointer
  ) throws(DropStreamError) -> (meaning: StreamParser.Event?, used: Int)? {
    if let header = openHeader, let (payload, check, used) = try frames.restOfFrame(header, in: bytes) {
      openHeader = nil
      return (try parser.take(restOfFrame: payload, check: check), used)
    }
    guard let (event, used) = try frames.next(in: bytes) else { return nil }
    if case .header(let header) = event { openHeader = header } else { openHeader = nil }
    return (try parser.take(event, at: frames.frameOffset), used)
  }
}
