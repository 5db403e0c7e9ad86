// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import DropTransport

@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct SenderFailureTests {
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

  @Test("the reason of a failed or cancelled sender arrives")
  func reasonOfAFailedOrCancelledSenderArrives() throws {
    let failed = try requireFailure(.senderFailed, outcome(kind: 1, Array("disk full".utf8)))
    #expect(failed.description == "the sender failed: disk full")
    #expect(failed.senderFailure == SenderFailure(kind: .failed, reason: "disk full"))
    let cancelled = try requireFailure(.senderCancelled, outcome(kind: 2))
    #expect(cancelled.description == "the sender cancelled")
    #expect(cancelled.senderFailure == SenderFailure(kind: .cancelled, reason: ""))
  }

  @Test("a failure may precede any frame")
  func failureMayPrecedeAnyFrame() throws {
    let steps: [(inout StreamBuilder) -> Void] = [
      { $0.offer(["a", "b"]) }, { $0.chunk([1]) }, { $0.endOfRepresentation(1) }, { $0.whole([2]) },
      { $0.endOfItem(2) },
    ]
    for count in 0...steps.count {
      var builder = StreamBuilder()
      for step in steps[..<count] { step(&builder) }
      builder.failure(kind: 1)
      try requireFailure(.senderFailed, DropTransportTests.outcome(of: builder.bytes))
    }
    var ended = StreamBuilder()
    ended.end()
    ended.failure(kind: 1)
    try requireFailure(.trailingBytes, DropTransportTests.outcome(of: ended.bytes))
  }

  @Test("control characters are escaped for terminals and unchanged for programs")
  func controlCharactersOfAReasonAreEscapedForTerminals() throws {
    let reason = "\u{1B}[2J\nall is well\r\u{9B}\u{202E}"
    let error = try requireFailure(.senderFailed, outcome(kind: 1, Array(reason.utf8)))
    #expect(error.description == #"the sender failed: \u{1b}[2J\u{a}all is well\u{d}\u{9b}\u{202e}"#)
    #expect(error.senderFailure?.reason == reason)
  }

  @Test("text that the sender has escaped is not escaped again")
  func escapedTextIsNotEscapedAgain() throws {
    let reason = #"refused the name "a\u{202e}b\\c""#
    let error = try requireFailure(.senderFailed, outcome(kind: 1, Array(reason.utf8)))
    #expect(error.description == "the sender failed: \(reason)")
  }

  @Test("a reason of 1024 bytes is truncated for display, and a longer reason is refused")
  func reasonIsTruncatedForDisplayAndLimitedTo1024Bytes() throws {
    let error = try requireFailure(.senderFailed, outcome(kind: 1, Array(repeating: 0x61, count: 1024)))
    #expect(error.senderFailure?.reason.count == 1024)
    #expect(error.reason.count < 250)
    #expect(error.reason.hasSuffix("a…"))
    try requireFailure(.limitExceeded, outcome(kind: 1, Array(repeating: 0x61, count: 1025)))
  }

  @Test(
    "a failure without a kind, or with unreadable fields, is corrupt",
    arguments: [
      [], [1], [1, 1, 0, 0, 0], [1, 0, 0, 0, 0], [1, 2, 0, 0, 0, 1, 1], [2, 1, 0, 0, 0, 0x61],
      [1, 1, 0, 0, 0, 1, 1, 1, 0, 0, 0, 1], [1, 1, 0, 0, 0, 1, 2, 1, 0, 0, 0, 0xFF],
      [1, 1, 0, 0, 0, 1, 2, 0, 0, 0, 0], [1, 1, 0, 0, 0, 2, 2, 2, 0, 0, 0, 0xE2, 0x82],
    ] as [[UInt8]])
  func malformedFailureIsCorrupt(_ payload: [UInt8]) throws {
    try requireFailure(.damaged, outcome(of: payload))
  }

  @Test("an unknown kind is a failure, and its fields are skipped or refused by their tags")
  func unknownKindIsAFailureAndUnknownFieldsFollowTheirTags() throws {
    let later = try requireFailure(.senderFailed, outcome(kind: 9, Array("tired".utf8)))
    #expect(later.senderFailure == SenderFailure(kind: .failed, reason: "tired"))
    let known = StreamBuilder.field(1, [2])
    try requireFailure(.senderCancelled, outcome(of: known + StreamBuilder.field(0x83, [1, 2, 3])))
    try requireFailure(.unsupported, outcome(of: known + StreamBuilder.field(0x03, [])))
  }

  @Test("a long reason is truncated between characters", arguments: ["a", "é", "€", "\u{1F4DC}", "e\u{301}"])
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

  @Test("a hostile reason through a pipe stays in one line")
  func hostileReasonThroughAPipeStaysInOneLine() async throws {
    var builder = StreamBuilder()
    builder.failure(kind: 1, reason: Array("a\nb".utf8))
    let error = try requireFailure(.senderFailed, try await pipeOutcome(of: builder.bytes))
    #expect(error.description == #"the sender failed: a\u{a}b"#)
  }
}
