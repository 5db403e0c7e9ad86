// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import DropTransport

/// The frames that report the failure of the sender or of one representation.
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct FailureFrameTests {
  private func outcome(kind: UInt8, _ reason: [UInt8] = []) -> Outcome {
    outcome(of: StreamBuilder.field(1, [kind]) + (reason.isEmpty ? [] : StreamBuilder.field(2, reason)))
  }

  private func outcome(of payload: [UInt8]) -> Outcome {
    var builder = StreamBuilder()
    builder.item()
    builder.offer()
    builder.failure(payload)
    return DropTransportTests.outcome(of: builder.bytes)
  }

  @Test func reasonOfTheSenderArrives() throws {
    for (kind, reason, code, description) in [
      (1, "disk full", .senderFailed, "the sender failed: disk full"),
      (2, "", .senderCancelled, "the sender cancelled"),
      // A later version may have other kinds.
      (9, "tired", .senderFailed, "the sender failed: tired"),
      // Control characters are escaped for terminals and unchanged for programs.
      (
        1, "\u{1B}[2J\nall is well\r\u{9B}\u{202E}", .senderFailed,
        #"the sender failed: \u{1b}[2J\u{a}all is well\u{d}\u{9b}\u{202e}"#
      ),
      // Text that the sender has escaped is not escaped again.
      (
        1, #"refused the name "a\u{202e}b\\c""#, .senderFailed,
        #"the sender failed: refused the name "a\u{202e}b\\c""#
      ),
    ] as [(UInt8, String, DropStreamError.Code, String)] {
      let error = try requireFailure(code, outcome(kind: kind, Array(reason.utf8)))
      #expect(error.description == description)
      #expect(error.senderFailure == SenderFailure(kind: kind == 2 ? .cancelled : .failed, reason: reason))
    }
  }

  @Test func failureMayPrecedeAnyFrameButTheEnd() {
    let steps: [(inout StreamBuilder) -> Void] = [
      { $0.offer(["a", "b"]) }, { $0.chunk([1]) }, { $0.endOfRepresentation(1) }, { $0.whole([2]) },
      { $0.endOfItem(2) }, { $0.end() },
    ]
    for count in 0...steps.count {
      expectStream(count == steps.count ? .trailingBytes : .senderFailed, ends: false) { builder in
        for step in steps[..<count] { step(&builder) }
        builder.failure(kind: 1)
      }
    }
  }

  @Test func reasonIsTruncatedForDisplayAndLimitedTo1024Bytes() throws {
    let error = try requireFailure(.senderFailed, outcome(kind: 1, Array(repeating: 0x61, count: 1024)))
    #expect(error.senderFailure?.reason.count == 1024 && error.reason.count < 250 && error.reason.hasSuffix("a…"))
    try requireFailure(.limitExceeded, outcome(kind: 1, Array(repeating: 0x61, count: 1025)))
  }

  @Test(
    arguments: [
      [], [1], [1, 1, 0, 0, 0], [1, 0, 0, 0, 0], [1, 2, 0, 0, 0, 1, 1], [2, 1, 0, 0, 0, 0x61],
      [1, 1, 0, 0, 0, 1, 1, 1, 0, 0, 0, 1], [1, 1, 0, 0, 0, 1, 2, 1, 0, 0, 0, 0xFF], [1, 1, 0, 0, 0, 1, 2, 0, 0, 0, 0],
      [1, 1, 0, 0, 0, 2, 2, 2, 0, 0, 0, 0xE2, 0x82],
    ] as [[UInt8]])
  func malformedFailureIsCorrupt(_ payload: [UInt8]) throws {
    try requireFailure(.damaged, outcome(of: payload))
  }

  @Test func unknownFieldsAreSkippedOrRefusedByTheirTags() throws {
    let known = StreamBuilder.field(1, [2])
    try requireFailure(.senderCancelled, outcome(of: known + StreamBuilder.field(0x83, [1, 2, 3])))
    try requireFailure(.unsupported, outcome(of: known + StreamBuilder.field(0x03, [])))
  }

  @Test(arguments: ["a", "é", "€", "\u{1F4DC}", "e\u{301}"])
  func longReasonIsTruncatedBetweenCharacters(_ text: String) throws {
    let reason = String(repeating: text, count: 1024)
    var payload: [UInt8] = []
    SenderFailure(kind: .failed, reason: reason).append(to: &payload)
    // The kind takes six bytes, and the header of the reason takes five.
    let bytes = payload.dropFirst(11)
    #expect((1021...1024).contains(bytes.count))
    let received = try #require(String(validating: bytes, as: UTF8.self))
    #expect(reason.unicodeScalars.starts(with: received.unicodeScalars))
    try requireFailure(.senderFailed, outcome(of: payload))
  }

  // MARK: Representations

  @Test func reasonOfARepresentationArrivesBeforeOrAfterBytes() throws {
    for hasChunk in [false, true] {
      let bytes = StreamBuilder.stream { stream in
        stream.offer()
        if hasChunk { stream.chunk([1]) }
        stream.failureOfRepresentation(kind: 2, reason: Array("enough\u{1B}".utf8))
        stream.endOfItem()
      }
      let error = try requireFailure(.representationFailed, DropTransportTests.outcome(of: bytes))
      #expect(error.senderFailure == SenderFailure(kind: .cancelled, reason: "enough\u{1B}"))
      #expect(!error.description.contains("\u{1B}"))
    }
  }

  /// Chunks of a file that changes while it is sent are corrupt before its sender notices the change.
  @Test func senderGivesTheReasonOfACorruptChunk() throws {
    func outcome(_ rest: (inout StreamBuilder) -> Void) -> (Outcome, offset: Int) {
      var stream = StreamBuilder()
      stream.offer()
      for content in [[1, 2], [3]] as [[UInt8]] { stream.chunk(content) }
      rest(&stream)
      var bytes = stream.bytes
      bytes[stream.frames[1].lowerBound + FrameHeader.length] ^= 1
      return (DropTransportTests.outcome(of: bytes), stream.frames[1].lowerBound)
    }
    let (failed, _) = outcome { $0.failureOfRepresentation(reason: Array("changed".utf8)) }
    #expect(try requireFailure(.representationFailed, failed).senderFailure?.reason == "changed")
    let (ended, _) = outcome { $0.failure(kind: 1, reason: Array("changed".utf8)) }
    #expect(try requireFailure(.senderFailed, ended).senderFailure?.reason == "changed")
    for rest in [
      { $0.endOfRepresentation(3) },
      {
        $0.zeros(9)
        $0.endOfRepresentation(12)
      }, { $0.whole([1]) }, { $0.endOfItem() }, { $0.end() },
      { $0.frame(0x83, payload: [0]) },
    ] as [(inout StreamBuilder) -> Void] {
      let (refused, offset) = outcome(rest)
      #expect(try requireFailure(.damaged, refused).byteOffset == UInt64(offset))
    }
  }

  @Test func misplacedFailureOfARepresentationIsRefused() {
    expectStream(.damaged) { $0.failureOfRepresentation() }
    expectStream(.damaged) {
      $0.offer()
      $0.whole([1])
      $0.failureOfRepresentation()
      $0.endOfItem(2)
    }
  }

  @Test func malformedFailureOfARepresentationIsRefused() {
    let kind = StreamBuilder.field(1, [1])
    for (payload, code) in [
      ([], .damaged), (StreamBuilder.field(1, []), .damaged),
      (kind + StreamBuilder.field(2, [UInt8](repeating: 65, count: 1025)), .limitExceeded),
      (kind + StreamBuilder.field(2, [0xFF]), .damaged), (kind + StreamBuilder.field(9, [1]), .unsupported),
    ] as [([UInt8], DropStreamError.Code)] {
      expectStream(code) {
        $0.offer()
        $0.frame(FrameType.failureOfRepresentation.rawValue, payload: payload)
        $0.endOfItem()
      }
    }
  }
}
