// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import DropTransport

/// Frames and flags of later versions.
///
/// A reader skips ancillary ones, and reports the identifiers of all others.
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct StreamExtensionTests {
  /// Returns the frames of a stream with one frame inserted at an index.
  private func stream(insertingAt place: Int, _ insert: (inout StreamBuilder) -> Void) -> [UInt8] {
    var builder = StreamBuilder()
    let steps: [(inout StreamBuilder) -> Void] = [
      { $0.offer(["a", "b"], name: "x") }, { $0.chunk([1]) }, { $0.chunk([2]) }, { $0.endOfRepresentation(2) },
      { $0.whole([3]) }, { $0.endOfItem(2) }, { $0.end() },
    ]
    for (number, step) in steps.enumerated() {
      if number == place { insert(&builder) }
      step(&builder)
    }
    if place == steps.count { insert(&builder) }
    return builder.bytes
  }

  private let items = [ReceivedItem("x", ["a": [1, 2], "b": [3]])]

  @Test(arguments: 0..<7)
  func unknownAncillaryFrameIsSkipped(_ place: Int) async throws {
    for type in [0x80, 0x86, 0xFF] as [UInt8] {
      for length in [0, 1, 100_000] {
        let bytes = stream(insertingAt: place) {
          $0.frame(type, flags: 0xF0, request: 7, payload: Array(repeating: 0xAB, count: length))
        }
        #expect(outcome(of: bytes) == items && outcome(of: bytes, cuts: Array(1..<min(bytes.count, 900))) == items)
      }
    }
    let bytes = stream(insertingAt: place) { $0.frame(0x90, payload: Array(repeating: 0xAB, count: 300_000)) }
    try await expectItems(items, pipeOutcome(of: bytes))
  }

  @Test func unknownCriticalFrameAndFrameAfterTheEndAreRefused() throws {
    for place in 0..<7 {
      for type in [0x00, 0x09, 0x42, 0x7F] as [UInt8] {
        try requireFailure(
          .unsupported, outcome(of: stream(insertingAt: place) { $0.frame(type) }),
          reason: "a frame of type \(type), which is unknown and must not be skipped")
      }
    }
    try requireFailure(.trailingBytes, outcome(of: stream(insertingAt: 7) { $0.frame(0x80) }))
  }

  @Test(arguments: 0..<8) func unknownCriticalFlagIsRefusedAndAncillaryFlagIsIgnored(_ bit: Int) {
    let flag: UInt8 = 1 << UInt8(bit)
    let code: DropStreamError.Code? = flag >= 0x10 ? nil : .unsupported
    expectStream(flag == 1 ? nil : code) {
      $0.offer()
      $0.whole([1, 2, 3], flags: 1 | flag)
      $0.endOfItem()
    }
    expectStream(code) {
      $0.frame(FrameType.offer.rawValue, flags: flag, payload: StreamBuilder.fields(["a"]))
      $0.whole([1, 2, 3])
      $0.endOfItem()
    }
    // An ancillary frame must not have the flag that forbids skipping it.
    expectCode(code, outcome(of: stream(insertingAt: 1) { $0.frame(0x80, flags: flag) }))
    let session = [
      OutgoingFrame.hello(SessionHello()),
      OutgoingFrame(FrameType(rawValue: 0x80), flags: FrameFlags(rawValue: flag)) { _ in }, .bye,
    ]
    #expect(SessionScript.error(in: SessionScript(session).bytes)?.code == code)
  }

  @Test func reservedBitsOfAHeaderAreRefused() throws {
    for bit in UInt16(0)..<16 {
      let bytes = stream(insertingAt: 1) { $0.frame(0x80, reserved: 1 << bit) }
      try requireFailure(.unsupported, outcome(of: bytes), "bit \(bit)")
    }
  }

  @Test func responseIsRefusedInAOneWayStream() {
    for number in [1, 0x8000_0000, .max] as [UInt32] {
      for type in [FrameType.offer, .data, .endOfStream, .failure] {
        expectStream(.damaged, ends: false) {
          if type == .data { $0.offer() }
          $0.frame(type.rawValue, request: number)
        }
      }
    }
  }

  @Test func tagDecidesWhetherAnUnknownFieldOfAnEndIsSkipped() {
    for (tag, code) in [(0x80, nil), (0xFF, nil), (0x01, .unsupported)] as [(UInt8, DropStreamError.Code?)] {
      let field = StreamBuilder.field(tag, [9, 9])
      expectStream(code) {
        $0.offer()
        $0.chunk([1])
        $0.frame(FrameType.endOfRepresentation.rawValue, payload: [UInt8](littleEndian: UInt64(1)) + field)
        $0.counts.representations += 1
        $0.endOfItem()
      }
      expectStream(code) {
        $0.offer()
        $0.whole([1])
        $0.frame(FrameType.endOfItem.rawValue, payload: [UInt8](littleEndian: UInt32(1)) + field)
        $0.counts.items += 1
      }
    }
  }
}
