// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import DropTransport

@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct FrameCheckTests {
  @Test("rejects a payload with its checksum after the header of another frame")
  func rejectsThePayloadOfAnotherFrame() throws {
    // Each variant is a valid frame that differs in one header field only.
    let variants: [(inout StreamBuilder) -> Void] = [
      { $0.frame(0x02, flags: 0x01, payload: [1, 2, 3]) }, { $0.frame(0x02, flags: 0x00, payload: [1, 2, 3]) },
      { $0.frame(0x03, flags: 0x01, payload: [1, 2, 3]) },
      { $0.frame(0x02, flags: 0x01, request: 7, payload: [1, 2, 3]) },
      { $0.frame(0x02, flags: 0x01, sequence: 9, payload: [1, 2, 3]) }, { $0.frame(0x82, payload: [1, 2, 3]) },
    ]
    let frames = variants.map { variant in
      var builder = StreamBuilder(preamble: [])
      builder.offer()
      variant(&builder)
      return Array(builder.bytes[builder.frames[1]])
    }
    let checks = Set(frames.map { Array($0.suffix(4)) })
    #expect(checks.count == frames.count)

    var whole = StreamBuilder()
    whole.offer()
    whole.whole([1, 2, 3])
    var bytes = whole.bytes
    bytes.replaceSubrange((bytes.count - 7)..., with: frames[1].suffix(7))
    try requireFailure(.damaged, outcome(of: bytes))
  }

  @Test("later fields of an end frame are skipped or refused by their tags")
  func tagDecidesWhetherAnUnknownEndFieldIsSkipped() throws {
    for (tag, code) in [(0x80, nil), (0xFF, nil), (0x01, DropStreamError.Code.unsupported)]
      as [(UInt8, DropStreamError.Code?)]
    {
      let field = StreamBuilder.field(tag, [9, 9])
      var representation = StreamBuilder()
      representation.offer()
      representation.chunk([1])
      representation.frame(FrameType.endOfRepresentation.rawValue, payload: [UInt8](littleEndian: UInt64(1)) + field)
      representation.counts.representations += 1
      representation.endOfItem()
      representation.end()

      var item = StreamBuilder()
      item.offer()
      item.whole([1])
      item.frame(FrameType.endOfItem.rawValue, payload: [UInt8](littleEndian: UInt32(1)) + field)
      item.counts.items += 1
      item.end()

      for bytes in [representation.bytes, item.bytes] {
        if let code { try requireFailure(code, outcome(of: bytes)) } else { _ = try outcome(of: bytes).get() }
      }
    }
  }

  @Test("an empty chunk is corrupt; an empty representation is not")
  func emptyChunkIsCorruptAndEmptyRepresentationIsNot() throws {
    var builder = StreamBuilder()
    builder.offer()
    builder.chunk([])
    try requireFailure(.damaged, outcome(of: builder.bytes))
    _ = try outcome(of: StreamBuilder.stream { $0.item([]) }).get()
  }

  @Test("skipped frames count up to the limit, and one byte more is rejected")
  func skippedFramesAreAcceptedUpToTheLimit() throws {
    let bytes = StreamBuilder.stream { builder in
      builder.frame(0x80, payload: [1, 2, 3, 4])
      builder.item()
      builder.frame(0xC0)
    }
    var limits = DropStreamLimits()
    limits.ancillaryBytes = 32 + 28
    _ = try outcome(of: bytes, limits: limits).get()
    limits.ancillaryBytes -= 1
    try requireFailure(.limitExceeded, outcome(of: bytes, limits: limits))
  }
}
