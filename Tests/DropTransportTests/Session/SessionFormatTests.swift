// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import ItemTransfer
import TestSupport
import Testing

@testable import DropTransport

/// The bytes of both directions of a session, compared with golden files.
///
/// `FormatTests` compares those of streams. Its command also writes these golden files again.
@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct SessionFormatTests {
  private static let sides = ["source", "destination"]

  private static func golden(_ side: String) -> URL {
    URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("Golden/session-1.0-\(side).bytes")
  }

  private static func bytes(of side: String) throws -> [UInt8] {
    Array(try Data(contentsOf: golden(side)))
  }

  @Test("a session has exactly the bytes of the golden files", arguments: sides)
  func sessionHasTheBytesOfTheGoldenFiles(_ side: String) throws {
    let bytes = SessionScript(side == "source" ? SessionScript.source() : SessionScript.destination).bytes
    if ProcessInfo.processInfo.environment["DRAGPIPE_WRITE_GOLDEN"] == "1" {
      try Data(bytes).write(to: Self.golden(side))
    }
    let golden = try Self.bytes(of: side)
    #expect(bytes.hexText == golden.hexText)
  }

  // Frames of zeros were added later; `SessionZerosTests` has their golden files.
  @Test("the golden files have every frame type of a session except failure and zeros")
  func goldenFilesHaveEveryFrameTypeButFailureAndZeros() throws {
    var types: Set<UInt8> = []
    for side in Self.sides {
      let bytes = try Self.bytes(of: side)
      var decoder = FrameDecoder()
      try bytes.withUnsafeBytes { bytes in
        var used = 0
        while let (event, count) = try decoder.next(in: UnsafeRawBufferPointer(rebasing: bytes[used...])) {
          used += count
          if case .header(let header) = event { types.insert(header.type.rawValue) }
        }
      }
    }
    #expect(types == Set([0x01, 0x02, 0x03, 0x07] + Array(0x10...0x1A)))
  }

  @Test("the golden file of the source has these messages")
  func goldenFileOfTheSourceHasTheExpectedMessages() throws {
    let (messages, ending) = SessionScript.messages(in: try Self.bytes(of: "source"))
    let content = SessionScript.content
    let check = SessionScript.memory.withUnsafeBytes { CRC32C.check($0) }
    func offer(_ generation: UInt32, _ items: [DropOffer], _ actions: DropActions) -> SessionMessage {
      let sizes = items.map { OfferSize(of: $0, bytes: OutgoingFrame.offer($0, generation: 1).payloadLength) }
      return .offer(SessionOffer(generation: generation, items: items, actions: actions, size: sizes.sum))
    }
    let expected: [SessionMessage] = [
      .hello(SessionHello(versions: 1...1, features: .descriptors, requests: 32)),
      offer(1, SessionScript.items, [.copy, .move]),
      .data(number: 1, Data(content[..<100]), isWhole: false), .preparation(number: 2, completed: 7, total: nil),
      .data(number: 1, Data(content[100...]), isWhole: false), .endOfRepresentation(number: 1, byteCount: 300),
      .preparation(number: 2, completed: 20, total: 40), .data(number: 2, Data(content[..<5]), isWhole: false),
      .failure(number: 2, SenderFailure(kind: .failed, reason: "the ink is dry")),
      .data(number: 3, Data(content[..<10]), isWhole: false),
      .descriptor(number: 4, SessionDescriptor(kind: .sealedMemory, byteCount: 2000, check: check)),
      .descriptor(number: 5, SessionDescriptor(kind: .originalFile, byteCount: 40, check: nil)),
      .data(number: 6, Data(content[290...]), isWhole: true), .acknowledgement(generation: 1, isKnown: true),
      offer(2, [], .link), .acknowledgement(generation: 2, isKnown: true),
      offer(3, [SessionScript.items[1]], .copy),
      .withdrawal(generation: 3, SenderFailure(kind: .cancelled, reason: "")),
      .failure(number: 7, SenderFailure(kind: .withdrawn, reason: "")),
      .acknowledgement(generation: 3, isKnown: false), .bye,
    ]
    #expect(messages.map { "\($0)" } == expected.map { "\($0)" })
    #expect(Self.contents(of: messages) == Self.contents(of: expected))
    #expect(ending == "end")
  }

  @Test("the golden file of the destination has these messages")
  func goldenFileOfTheDestinationHasTheExpectedMessages() throws {
    let (messages, ending) = SessionScript.messages(in: try Self.bytes(of: "destination"))
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
    let expected: [SessionMessage] = [
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
    ]
    #expect(messages.map { "\($0)" } == expected.map { "\($0)" })
    #expect(ending == "end")
  }

  /// Returns the data that arrived for each request.
  ///
  /// The text form of a message contains only the length of its data.
  private static func contents(of messages: [SessionMessage]) -> [UInt32: [Data]] {
    messages.reduce(into: [:]) { contents, message in
      if case .data(let number, let data, _) = message { contents[number, default: []].append(data) }
    }
  }
}
