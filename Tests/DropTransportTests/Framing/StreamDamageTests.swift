// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import DropTransport

/// A small stream with every possible corruption.
///
/// The reader must reject each.
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct StreamDamageTests {
  private let bytes = SmallStream.bytes
  private let frames = SmallStream.frames

  /// Checks that no corrupt stream is accepted.
  private func expectAllRefused(
    _ damaged: some Sequence<(what: String, bytes: [UInt8])>, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    var tried = 0
    for (what, bytes) in damaged where bytes != self.bytes {
      tried += 1
      if outcome(of: bytes).code == nil { Issue.record("accepted: \(what)", sourceLocation: sourceLocation) }
    }
    #expect(tried > 0, sourceLocation: sourceLocation)
  }

  private func changed(_ change: (inout [UInt8]) -> Void) -> [UInt8] {
    var damaged = bytes
    change(&damaged)
    return damaged
  }

  private func bytes(with frames: [Range<Int>]) -> [UInt8] {
    frames.reduce(Array(bytes[..<Preamble.length])) { $0 + bytes[$1] }
  }

  @Test func truncatedStreamIsRejected() async throws {
    for length in 0..<bytes.count {
      let prefix = Array(bytes[..<length])
      let error = try requireFailure(length == 0 ? .empty : .truncated, try await pipeOutcome(of: prefix))
      #expect(error.byteOffset == UInt64(length) && outcome(of: prefix).code == error.code)
    }
    try await expectItems(SmallStream.items, pipeOutcome(of: bytes))
  }

  @Test func changedMissingOrAdditionalByteIsDetected() {
    expectAllRefused(
      bytes.indices.lazy.flatMap { index in
        (0..<8).lazy.map { bit in ("bit \(bit) of byte \(index)", changed { $0[index] ^= 1 << bit }) }
      })
    for (what, change) in [
      ("is 0", { $0[$1] = 0 }), ("is FF", { $0[$1] = 0xFF }), ("is missing", { $0.remove(at: $1) }),
      ("is doubled", { $0.insert($0[$1], at: $1) }), ("follows an added byte", { $0.insert(0x5A, at: $1) }),
    ] as [(String, (inout [UInt8], Int) -> Void)] {
      expectAllRefused(
        bytes.indices.lazy.map { index in ("byte \(index) \(what)", changed { change(&$0, index) }) })
    }
  }

  @Test func swappedRepeatedOrMissingFrameIsDetected() {
    func expectRefused(_ what: String, _ change: (inout [Range<Int>]) -> Void) {
      var order = frames
      change(&order)
      if order != frames { expectAllRefused([(what, bytes(with: order))]) }
    }
    for first in frames.indices {
      expectRefused("frame \(first) missing") { $0.remove(at: first) }
      for second in frames.indices {
        expectRefused("frames \(first) and \(second) swapped") { $0.swapAt(first, second) }
      }
      for place in 0...frames.count {
        expectRefused("frame \(first) again at \(place)") { $0.insert(frames[first], at: place) }
      }
    }
  }

  @Test func frameOfAnotherStreamIsDetected() throws {
    var other = StreamBuilder()
    other.item(Array("of another one".utf8), name: "greeting.txt")
    other.item([])
    other.end()
    for place in frames.indices {
      let before = Array(bytes[..<frames[place].lowerBound])
      let after = Array(bytes[frames[place].upperBound...])
      for (which, frame) in other.frames.map({ Array(other.bytes[$0]) }).enumerated() {
        expectAllRefused([
          ("\(which) in front of \(place)", before + frame + bytes[frames[place]] + after),
          ("\(which) for \(place)", before + frame + after),
        ])
      }
    }

    // The digest at the end detects a frame that matches.
    let mine = StreamBuilder.stream {
      $0.item([1, 2, 3])
      $0.item([4, 5, 6])
    }
    var twin = StreamBuilder()
    twin.item([9, 9, 9])
    let place = twin.frames[1]
    let spliced = Array(mine[..<place.lowerBound] + twin.bytes[place] + mine[place.upperBound...])
    try requireFailure(.damaged, outcome(of: spliced), reason: "corrupt: stream digest mismatch")
  }

  @Test func payloadOfAnotherFrameIsDetected() throws {
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
    #expect(Set(frames.map { Array($0.suffix(4)) }).count == frames.count)

    var whole = StreamBuilder()
    whole.offer()
    whole.whole([1, 2, 3])
    var bytes = whole.bytes
    bytes.replaceSubrange((bytes.count - 7)..., with: frames[1].suffix(7))
    try requireFailure(.damaged, outcome(of: bytes))
  }
}
