// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import Foundation
import ItemTransfer
import TestSupport
import Testing
import UniformTypes

@testable import DropTransport

/// The bytes of both directions of a session, compared with golden files.
///
/// `FormatTests` compares those of streams. Its command also writes these golden files again.
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct SessionFormatTests {
  private static let sides = ["source", "destination"]

  fileprivate static func script(_ side: String) -> SessionScript {
    SessionScript(side == "source" ? SessionScript.source() : SessionScript.destination)
  }

  private static func golden(_ side: String) -> URL {
    URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("Golden/session-1.0-\(side).bytes")
  }

  @Test func sessionHasTheBytesOfTheGoldenFiles() throws {
    // Frames of zeros were added later; `SessionZerosTests` has their bytes. All other types of a session except
    // failure occur.
    var types: Set<UInt8> = []
    for side in Self.sides {
      let bytes = Self.script(side).bytes
      if ProcessInfo.processInfo.environment["DRAGPIPE_WRITE_GOLDEN"] == "1" {
        try Data(bytes).write(to: Self.golden(side))
      }
      #expect(try bytes.hexText == Array(Data(contentsOf: Self.golden(side))).hexText)
      types.formUnion(RawPeer.frames(in: bytes).map(\.type.rawValue))
    }
    #expect(types == Set([0x01, 0x02, 0x03, 0x07] + Array(0x10...0x1A)))
  }

  @Test func goldenFileOfTheSourceHasTheExpectedMessages() throws {
    let content = SessionScript.content
    func offer(_ generation: UInt32, _ items: [DropOffer], _ actions: DropActions) -> SessionMessage {
      let sizes = items.map { OfferSize(of: $0, bytes: OutgoingFrame.offer($0, generation: 1).payloadLength) }
      return .offer(SessionOffer(generation: generation, items: items, actions: actions, size: sizes.sum))
    }
    let messages = try Self.expect(
      "source",
      [
        .hello(SessionHello(versions: 1...1, features: .descriptors, requests: 32)),
        offer(1, SessionScript.items, [.copy, .move]),
        .data(number: 1, Data(content[..<100]), isWhole: false), .preparation(number: 2, completed: 7, total: nil),
        .data(number: 1, Data(content[100...]), isWhole: false), .endOfRepresentation(number: 1, byteCount: 300),
        .preparation(number: 2, completed: 20, total: 40), .data(number: 2, Data(content[..<5]), isWhole: false),
        .failure(number: 2, SenderFailure(kind: .failed, reason: "the ink is dry")),
        .data(number: 3, Data(content[..<10]), isWhole: false),
        .descriptor(
          number: 4, SessionDescriptor(kind: .sealedMemory, byteCount: 2000, check: SessionScript.memory.crc32c)),
        .descriptor(number: 5, SessionDescriptor(kind: .originalFile, byteCount: 40, check: nil)),
        .data(number: 6, Data(content[290...]), isWhole: true), .acknowledgement(generation: 1, isKnown: true),
        offer(2, [], .link), .acknowledgement(generation: 2, isKnown: true),
        offer(3, [SessionScript.items[1]], .copy),
        .withdrawal(generation: 3, SenderFailure(kind: .cancelled, reason: "")),
        .failure(number: 7, SenderFailure(kind: .withdrawn, reason: "")),
        .acknowledgement(generation: 3, isKnown: false), .bye,
      ])
    // The text form of a message contains only the length of its data.
    let data = messages.compactMap { if case .data(_, let data, _) = $0 { Array(data) } else { nil } }
    #expect(
      data == [content[..<100], content[100...], content[..<5], content[..<10], content[290...]].map { Array($0) })
  }

  @Test func goldenFileOfTheDestinationHasTheExpectedMessages() throws {
    func request(
      _ number: UInt32, _ generation: UInt32, _ item: UInt32, _ representation: UInt32,
      _ accepts: SessionRequest.Acceptance, _ credit: UInt64, _ range: Range<UInt64>? = nil
    ) -> SessionMessage {
      .request(
        number: number,
        SessionRequest(
          generation: generation, item: item, representation: representation, accepts: accepts, credit: credit,
          range: range))
    }
    try Self.expect(
      "destination",
      [
        .hello(SessionHello(versions: 1...1, features: .descriptors, requests: 8)),
        request(1, 1, 0, 0, .sealedMemory, 200, 0..<300), .credit(number: 1, 100), request(2, 1, 0, 1, [], 5),
        request(3, 1, 0, 1, [], 10), .cancellation(number: 3, SenderFailure(kind: .cancelled, reason: "")),
        request(4, 1, 0, 1, [.sealedMemory, .fileToCopy], 0), request(5, 1, 1, 0, .originalFile, .max),
        request(6, 1, 0, 0, [], 1000, 290..<390),
        .finish(generation: 1, SessionFinish(action: .move, kept: [0, 1], refusal: nil)),
        .finish(
          generation: 2,
          SessionFinish(action: nil, kept: [], refusal: SenderFailure(kind: .failed, reason: "no room"))),
        request(7, 3, 0, 0, [], 1000), .finish(generation: 3, SessionFinish(action: .copy, kept: [0])), .bye,
      ])
  }

  /// Expects messages of a golden file and its regular end, and returns the messages.
  @discardableResult
  private static func expect(
    _ side: String, _ expected: [SessionMessage], sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> [SessionMessage] {
    let (messages, ending) = SessionScript.messages(in: Array(try Data(contentsOf: golden(side))))
    #expect(messages.map { "\($0)" } == expected.map { "\($0)" }, sourceLocation: sourceLocation)
    #expect(ending == "end", sourceLocation: sourceLocation)
    return messages
  }

  @Test(arguments: [1, 2, 100, 100_000]) func bothFormsOfAFrameHaveTheSameBytes(count: Int) throws {
    // The first index of this slice is not 0.
    let data = Data(pattern(count + 10)).dropFirst(10)
    let copied = data.withUnsafeBytes { SessionScript([.data(number: 3, $0, isWhole: false)]).bytes }
    #expect(data.withUnsafeBytes { SessionScript([.chunk(number: 3, $0)]).bytes } == copied)
  }

  @Test func oneWayReaderReportsASession() throws {
    let failure = try requireFailure(.unsupported, outcome(of: SessionScript([RawPeer.hello]).bytes))
    #expect(failure.detail == .isSession)
  }
}

/// Corrupt sessions.
///
/// Each side must accept only messages that its peer really sent.
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct SessionDamageTests {
  private static let sides = ["source", "destination"]

  @Test(arguments: sides) func everyFlippedBitAndEveryTruncationIsDetected(_ side: String) async {
    let bytes = SessionFormatTests.script(side).bytes
    let meaning = SessionScript.meaning(of: bytes)
    #expect(meaning.last == "end")
    for index in sampled(bytes.indices, 300, "corrupt bytes of a \(side)") {
      // Lets other tests run, since they have timeouts.
      await Task.yield()
      let truncated = SessionScript.meaning(of: Array(bytes[..<index]))
      if truncated.last != "cut" || !meaning.starts(with: truncated.dropLast()) {
        Issue.record("accepted \(index) bytes")
      }
      for bit in 0..<8 {
        var damaged = bytes
        damaged[index] ^= 1 << bit
        let found = SessionScript.meaning(of: damaged)
        if found.last == "end" || !meaning.starts(with: found.dropLast()) {
          Issue.record("accepted a flip of bit \(bit) of byte \(index)")
        }
      }
    }
    SessionScript.expect("damaged", of: bytes + bytes)
    SessionScript.expect("cut", of: bytes + [0])
  }

  @Test(arguments: sides) func missingRepeatedAndSwappedFramesAreDetected(_ side: String) async {
    let script = SessionFormatTests.script(side)
    let ends = script.starts.dropFirst() + [script.bytes.count]
    let frames = zip(script.starts, ends).map { Array(script.bytes[$0..<$1]) }
    let start = Array(script.bytes[..<Preamble.length])
    func reject(_ frames: [[UInt8]], _ change: String) {
      if SessionScript.meaning(of: start + frames.joined()).last == "end" { Issue.record("accepted \(change)") }
    }
    for index in sampled(frames.indices, 12, "frames of a \(side)") {
      await Task.yield()
      reject(Array(frames[..<index] + frames[(index + 1)...]), "a session without frame \(index)")
      reject(Array(frames[...index] + frames[index...]), "frame \(index) twice")
      for other in frames.indices where other != index {
        var swapped = frames
        swapped.swapAt(index, other)
        reject(swapped, "frame \(index) for \(other)")
      }
    }
  }

  /// The frame has the right number, and is valid in its own session.
  @Test func frameOfAnotherSessionIsDetected() {
    let script = SessionScript(SessionScript.shortSource())
    let other = SessionScript(SessionScript.shortSource(Array(SessionScript.content.reversed())))
    let range = script.starts[3]..<script.starts[4]
    var bytes = script.bytes
    bytes.replaceSubrange(range, with: other.bytes[range])
    #expect(bytes != script.bytes && SessionScript.meaning(of: bytes).last == "damaged")
  }

  @Test func sessionThatEndsEarlyIsNeverComplete() async throws {
    let script = SessionScript(SessionScript.shortSource())
    // The part behind the offer is sent only after the destination's request.
    let offer = script.starts[3]
    for count in sampled(0..<script.bytes.count + 1, 200, "sessions that end early") {
      let pair = try DescriptorPair.socketPair()
      let session = Task {
        try await DropStream.withSession(over: pair.reader) { session in
          for try await drop in session.drops {
            try await drop.items[0].expect(Data(SessionScript.content), for: .plainText)
            try await drop.finish(.copy)
          }
        }
      }
      try pair.send(script.bytes.prefix(min(count, offer)))
      if count > offer {
        try await RawPeer(pair.write).waitForRequest()
        try pair.send(script.bytes[offer..<count])
      }
      shutdown(pair.write, CInt(SHUT_WR))
      let code = try await finishing("the end of the session") { await failureCode { try await session.value } }
      // After the acknowledgement, the destination has all items and closes the session itself.
      let isComplete = count >= script.starts[7]
      #expect(code == .peerGone || isComplete && code == nil, "after \(count) bytes")
      close(pair.write)
    }
  }
}

/// Fields that may occur only once.
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct SessionFieldTests {
  /// A frame with a field that may be repeated.
  private struct Field {
    let name: String
    let type: FrameType
    var start: [UInt8] = []
    let tag: UInt8
    let value: [UInt8]

    init(_ name: String, of type: FrameType, after start: [UInt8] = [], _ tag: UInt8, _ value: [UInt8]) {
      (self.name, self.type, self.start, self.tag, self.value) = (name, type, start, tag, value)
    }

    func script(_ count: Int) -> [UInt8] {
      var frame = OutgoingFrame(type, number: type == .hello || type == .bye ? 0 : 1) { payload in
        payload += start
        for _ in 0..<count { payload.appendField(tag) { $0 += value } }
      }
      frame.endsWithDigest = type == .bye || type == .endOfRepresentation
      return SessionScript(type == .hello ? [frame] : [RawPeer.hello, frame]).bytes
    }
  }

  private static func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }
  private static let versions: [UInt8] = [SessionField.versions, 2, 0, 0, 0, 1, 1]
  private static let range: [UInt8] = [SessionField.range, 16, 0, 0, 0] + zeros(16)
  private static let refusal: [UInt8] = [1, 1, 0, 0, 0, 1]

  private static let fields = [
    Field("versions", of: .hello, SessionField.versions, [1, 1]),
    Field("features", of: .hello, after: versions, SessionField.features, zeros(8)),
    Field("requests", of: .hello, after: versions, SessionField.requests, [9, 0, 0, 0]),
    Field("actions", of: .endOfOffers, after: zeros(4), SessionField.actions, [1]),
    Field("range", of: .request, after: zeros(24), SessionField.range, zeros(16)),
    Field("digest of a request", of: .request, after: zeros(24) + range, SessionField.startDigest, zeros(32)),
    Field("digest of an end", of: .endOfRepresentation, after: zeros(8), SessionField.digest, zeros(4)),
    Field("digest of a bye", of: .bye, SessionField.digest, zeros(4)),
    Field("check", of: .descriptor, after: [3] + zeros(8), SessionField.check, zeros(4)),
    Field("kept", of: .finish, after: [1], SessionField.kept, [0, 0, 0, 0, 1, 0, 0, 0]),
    Field("kept, of nothing", of: .finish, after: [1], SessionField.kept, []),
    Field("refusal", of: .finish, after: [0], SessionField.refusal, refusal),
    Field("kind of a failure", of: .cancellation, 1, [1]),
    Field("reason of a failure", of: .withdrawal, after: refusal, 2, [65]),
  ]

  @Test func repeatedFieldIsRefused() {
    for field in Self.fields {
      let once = SessionScript.meaning(of: field.script(1))
      #expect(once.last == (field.type == .bye ? "end" : "cut"), "\(field.name)")
      #expect(once.count == (field.type == .hello ? 2 : 3), "\(field.name)")
      SessionScript.expect("damaged", of: field.script(2), "\(field.name)")
    }
    let withoutRange = Field("", of: .request, after: Self.zeros(24), SessionField.startDigest, Self.zeros(32))
    SessionScript.expect("damaged", of: withoutRange.script(1), "a digest without a range")
  }
}
