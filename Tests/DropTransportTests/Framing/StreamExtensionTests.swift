// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import DropTransport

/// Frames and fields of later versions.
///
/// A reader skips ancillary ones, and reports the identifiers of all others.
@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct StreamExtensionTests {
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

  @Test("an unknown ancillary frame is skipped at any position", arguments: 0..<7)
  func unknownAncillaryFrameIsSkipped(_ place: Int) async throws {
    for type in [0x80, 0x86, 0xFF] as [UInt8] {
      for length in [0, 1, 100_000] {
        let bytes = stream(insertingAt: place) {
          $0.frame(type, flags: 0xF0, request: 7, payload: Array(repeating: 0xAB, count: length))
        }
        #expect(outcome(of: bytes) == items)
        #expect(outcome(of: bytes, cuts: Array(1..<min(bytes.count, 900))) == items)
      }
    }
    let bytes = stream(insertingAt: place) { $0.frame(0x90, payload: Array(repeating: 0xAB, count: 300_000)) }
    #expect(try await pipeOutcome(of: bytes) == items)
  }

  @Test("an ancillary frame after the end is refused")
  func ancillaryFrameAfterTheEndIsRefused() throws {
    try requireFailure(.trailingBytes, outcome(of: stream(insertingAt: 7) { $0.frame(0x80) }))
  }

  @Test("an unknown critical frame is refused by its type", arguments: 0..<7)
  func unknownCriticalFrameIsRefused(_ place: Int) throws {
    for type in [0x00, 0x09, 0x42, 0x7F] as [UInt8] {
      let error = try requireFailure(.unsupported, outcome(of: stream(insertingAt: place) { $0.frame(type) }))
      #expect(error.reason == "a frame of type \(type), which is unknown and must not be skipped")
    }
  }

  @Test("an unknown critical flag is refused, and an unknown ancillary flag is ignored")
  func unknownCriticalFlagIsRefusedAndAncillaryFlagIsIgnored() throws {
    for bit in UInt8(0)..<8 {
      let flag: UInt8 = 1 << bit
      let data = StreamBuilder.stream {
        $0.offer()
        $0.whole([1, 2, 3], flags: 1 | flag)
        $0.endOfItem()
      }
      #expect(outcome(of: data).code == (flag == 1 || flag >= 0x10 ? nil : .unsupported))
      let offer = StreamBuilder.stream {
        $0.frame(FrameType.offer.rawValue, flags: flag, payload: StreamBuilder.fields(["a"]))
        $0.whole([1, 2, 3])
        $0.endOfItem()
      }
      #expect(outcome(of: offer).code == (flag >= 0x10 ? nil : .unsupported))
      // An ancillary frame must not have the flag that forbids skipping it.
      let ancillary = stream(insertingAt: 1) { $0.frame(0x80, flags: flag) }
      #expect(outcome(of: ancillary).code == (flag >= 0x10 ? nil : .unsupported))
      let session = [
        OutgoingFrame.hello(SessionHello()),
        OutgoingFrame(FrameType(rawValue: 0x80), flags: FrameFlags(rawValue: flag)) { _ in },
        .bye,
      ]
      #expect(SessionScript.error(in: SessionScript(session).bytes)?.code == (flag >= 0x10 ? nil : .unsupported))
    }
  }

  @Test("each reserved bit of a header is refused", arguments: 0..<16)
  func reservedHeaderBitIsRefused(_ bit: Int) throws {
    let bytes = stream(insertingAt: 1) { $0.frame(0x80, reserved: 1 << UInt16(bit)) }
    try requireFailure(.unsupported, outcome(of: bytes))
  }

  @Test("a response to a request is refused in a one-way stream", arguments: [1, 0x8000_0000, .max] as [UInt32])
  func responseIsRefusedInAOneWayStream(_ number: UInt32) throws {
    for type in [FrameType.offer, .data, .endOfStream, .failure] {
      var builder = StreamBuilder()
      if type == .data { builder.offer() }
      builder.frame(type.rawValue, request: number)
      try requireFailure(.damaged, outcome(of: builder.bytes))
    }
  }

  // MARK: Fields of an offer

  private func offered(_ fields: [UInt8]) -> Outcome {
    outcome(
      of: StreamBuilder.stream {
        $0.offer(fields)
        $0.whole([1])
        $0.endOfItem()
      })
  }

  private func representation(_ extra: [UInt8], first: Bool = false) -> [UInt8] {
    let type = StreamBuilder.field(OfferField.typeIdentifier, Array("a".utf8))
    return StreamBuilder.field(OfferField.representation, first ? extra + type : type + extra)
  }

  @Test("an unknown ancillary field is skipped at any position", arguments: [0x80, 0x92, 0xFF] as [UInt8])
  func unknownAncillaryFieldIsSkipped(_ tag: UInt8) {
    let expected = [ReceivedItem(nil, ["a": [1]])]
    for value in [[], [0], Array(repeating: 0xFF, count: 5000)] as [[UInt8]] {
      let field = StreamBuilder.field(tag, value)
      #expect(offered(field + representation([])) == expected)
      #expect(offered(representation([]) + field) == expected)
      #expect(offered(representation(field)) == expected)
      #expect(offered(representation(field, first: true)) == expected)
    }
  }

  @Test("an unknown critical field is refused by its tag", arguments: [0, 4, 0x7F] as [UInt8])
  func unknownCriticalFieldIsRefused(_ tag: UInt8) throws {
    let field = StreamBuilder.field(tag, [1, 2])
    for fields in [field + representation([]), representation([]) + field, representation(field)] {
      let error = try requireFailure(.unsupported, offered(fields))
      #expect(error.reason == "an offer has a field \(tag), which is unknown and must not be skipped")
    }
  }
}
