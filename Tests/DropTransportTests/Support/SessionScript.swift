// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import Foundation
import ItemTransfer
import TestSupport
import Testing
import UniformTypes

@testable import DropTransport

/// The encoded frames of one side of a session.
struct SessionScript {
  private(set) var bytes = Preamble.bytes
  private(set) var starts: [Int] = []
  private var sequence: UInt32 = 0
  private var digest = StreamDigest(preambleCheck: Preamble.check)

  mutating func append(_ frame: OutgoingFrame) {
    var frame = frame
    frame.seal(sequence: sequence, digest: &digest)
    sequence += 1
    starts.append(bytes.count)
    bytes += frame.withBytes { Array($0) }
  }

  init(_ frames: [OutgoingFrame]) {
    for frame in frames { append(frame) }
  }

  static let content = pattern(300)

  static var offer: DropOffer {
    DropOffer(
      suggestedName: "saga.txt",
      representations: [
        DropOffer.Representation(typeIdentifier: "public.plain-text", byteCount: UInt64(content.count))
      ])
  }

  /// Returns an offer of one item, and a response in two chunks to the request for it.
  static func shortSource(_ content: [UInt8] = content) -> [OutgoingFrame] {
    [
      .hello(SessionHello(features: .descriptors)), .offer(offer, generation: 1),
      .endOfOffers(generation: 1, itemCount: 1, actions: [.copy, .move]), chunk(1, content[..<100]),
      chunk(1, content[100...]), .endOfRepresentation(number: 1, byteCount: UInt64(content.count)),
      .acknowledgement(generation: 1, isKnown: true), .bye,
    ]
  }

  /// Returns the messages as text.
  ///
  /// The last line is the ending.
  static func meaning(of bytes: [UInt8], limits: DropStreamLimits = DropStreamLimits()) -> [String] {
    let (messages, ending) = messages(in: bytes, limits: limits)
    return messages.map { "\($0)" } + [ending]
  }

  static func messages(
    in bytes: [UInt8], limits: DropStreamLimits = DropStreamLimits()
  ) -> (messages: [SessionMessage], ending: String) {
    let (messages, hasEnded, error) = parse(bytes, limits: limits)
    return (messages, error.map { "\($0.code)" } ?? (hasEnded ? "end" : "cut"))
  }

  /// Expects the ending of messages.
  static func expect(
    _ ending: String, of bytes: [UInt8], limits: DropStreamLimits = DropStreamLimits(), _ comment: Comment? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(meaning(of: bytes, limits: limits).last == ending, comment, sourceLocation: sourceLocation)
  }

  /// Returns the error in the messages, if any.
  static func error(in bytes: [UInt8]) -> DropStreamError? { parse(bytes).error }

  private static func parse(
    _ bytes: [UInt8], limits: DropStreamLimits = DropStreamLimits()
  ) -> (messages: [SessionMessage], hasEnded: Bool, error: DropStreamError?) {
    var decoder = FrameDecoder()
    var parser = SessionParser(limits: limits)
    var messages: [SessionMessage] = []
    var used = 0
    do throws(DropStreamError) {
      while true {
        let next = bytes.withUnsafeBytes { bytes in
          Result { () throws(DropStreamError) -> (SessionMessage?, Int)? in
            let rest = UnsafeRawBufferPointer(rebasing: bytes[used...])
            guard let (event, count) = try decoder.next(in: rest) else { return nil }
            return (try parser.take(event, at: decoder.frameOffset), count)
          }
        }
        guard let (message, count) = try next.get() else { break }
        used += count
        if let message { messages.append(message) }
      }
      return (messages, parser.hasEnded && used == bytes.count, nil)
    } catch {
      return (messages, false, error)
    }
  }
}

/// Both directions of one session with every kind of message, except a failure of the session.
extension SessionScript {
  /// The bytes that are passed as memory.
  ///
  /// Their message contains only their checksum.
  static let memory = pattern(2000)

  /// The items of the first offer.
  ///
  /// The second item is available as an open file.
  static var items: [DropOffer] {
    let drawing = DropOffer.Representation(
      typeIdentifier: "org.example.drawing", estimatedByteCount: 2000, supertypes: ["public.image", "public.data"])
    let original = DropOffer.Representation(typeIdentifier: "public.html", byteCount: 40, opensInPlace: true)
    let alias = DropOffer.Representation(typeIdentifier: "public.text", alias: 0)
    return [
      DropOffer(suggestedName: offer.suggestedName, representations: offer.representations + [drawing, alias]),
      DropOffer(suggestedName: nil, representations: [original]),
    ]
  }

  /// Returns three offers.
  ///
  /// The first is received in every form, the second is refused, the third is withdrawn.
  static func source(_ content: [UInt8] = content) -> [OutgoingFrame] {
    offers + contents(content) + refusals
  }

  private static var offers: [OutgoingFrame] {
    [
      .hello(SessionHello(features: .descriptors)), .offer(items[0], generation: 1), .offer(items[1], generation: 1),
      .endOfOffers(generation: 1, itemCount: 2, actions: [.copy, .move]),
    ]
  }

  /// Returns the responses to requests 1 to 6.
  private static func contents(_ content: [UInt8]) -> [OutgoingFrame] {
    let check = memory.withUnsafeBytes { CRC32C.check($0) }
    return [
      chunk(1, content[..<100]), .preparation(number: 2, completed: 7, total: nil), chunk(1, content[100...]),
      .endOfRepresentation(number: 1, byteCount: UInt64(content.count)),
      .preparation(number: 2, completed: 20, total: 40), chunk(2, content[..<5]),
      .failure(number: 2, SenderFailure(kind: .failed, reason: "the ink is dry")), chunk(3, content[..<10]),
      .descriptor(
        number: 4, SessionDescriptor(kind: .sealedMemory, byteCount: UInt64(memory.count), check: check), nothing),
      .descriptor(number: 5, SessionDescriptor(kind: .originalFile, byteCount: 40, check: nil), nothing),
      chunk(6, content[290...], isWhole: true),
    ]
  }

  private static var refusals: [OutgoingFrame] {
    [
      .acknowledgement(generation: 1, isKnown: true), .endOfOffers(generation: 2, itemCount: 0, actions: .link),
      .acknowledgement(generation: 2, isKnown: true), .offer(items[1], generation: 3),
      .endOfOffers(generation: 3, itemCount: 1, actions: .copy),
      .withdrawal(generation: 3, SenderFailure(kind: .cancelled, reason: "")),
      .failure(number: 7, SenderFailure(kind: .withdrawn, reason: "")),
      .acknowledgement(generation: 3, isKnown: false), .bye,
    ]
  }

  /// The frames of the destination.
  ///
  /// It requests all representations, cancels the third request, moves the items of the first offer, and refuses the
  /// second offer. It requests and finishes the third offer after the source has withdrawn it.
  static var destination: [OutgoingFrame] {
    [
      .hello(SessionHello(features: .descriptors, requests: 8)), .request(number: 1, requests[0]),
      .credit(number: 1, 100), .request(number: 2, requests[1]), .request(number: 3, requests[2]),
      .cancellation(number: 3, SenderFailure(kind: .cancelled, reason: "")), .request(number: 4, requests[3]),
      .request(number: 5, requests[4]), .request(number: 6, requests[5]),
      .finish(generation: 1, SessionFinish(action: .move, kept: [0, 1])), .finish(generation: 2, refusal),
      .request(number: 7, requests[6]), .finish(generation: 3, SessionFinish(action: .copy, kept: [0])), .bye,
    ]
  }

  private static let refusal = SessionFinish(refusal: SenderFailure(kind: .failed, reason: "no room"))

  private static let requests = [
    SessionRequest(generation: 1, item: 0, representation: 0, accepts: .sealedMemory, credit: 200, range: 0..<300),
    SessionRequest(generation: 1, item: 0, representation: 1, credit: 5),
    SessionRequest(generation: 1, item: 0, representation: 1, credit: 10),
    SessionRequest(generation: 1, item: 0, representation: 1, accepts: [.sealedMemory, .fileToCopy], credit: 0),
    SessionRequest(generation: 1, item: 1, representation: 0, accepts: .originalFile, credit: .max),
    SessionRequest(generation: 1, item: 0, representation: 0, credit: 1000, range: 290..<390),
    SessionRequest(generation: 3, item: 0, representation: 0, credit: 1000),
  ]

  private static func chunk(_ number: UInt32, _ part: ArraySlice<UInt8>, isWhole: Bool = false) -> OutgoingFrame {
    RawPeer.data(number, Array(part), isWhole: isWhole)
  }

  /// A placeholder for passed descriptors, since a script contains only bytes.
  private static var nothing: SharedDescriptor { SharedDescriptor(OwnedDescriptor(-1)) }
}

/// A peer that sends single frames, including frames that a session never sends.
final class RawPeer: @unchecked Sendable {
  let descriptor: CInt
  private var script = SessionScript([])
  private var sent = 0

  init(_ descriptor: CInt) {
    self.descriptor = descriptor
  }

  /// Returns the bytes of frames, for a test that sends them itself.
  func bytes(_ frames: [OutgoingFrame]) -> [UInt8] {
    for frame in frames { script.append(frame) }
    defer { sent = script.bytes.count }
    return Array(script.bytes[sent...])
  }

  func say(_ frames: OutgoingFrame...) async throws { try await say(frames) }

  func say(_ frames: [OutgoingFrame]) async throws {
    let bytes = bytes(frames)
    try await onThread { [descriptor] in try send(bytes, to: descriptor) }
  }

  /// Waits until `count` bytes have arrived or the input has ended, without reading the bytes.
  func waitForBytes(_ count: Int) async throws {
    try await wait(for: "\(count) bytes from the session") { hasCome(count, to: descriptor) }
  }

  /// Waits until the session has sent a message, or has ended, without reading the bytes.
  ///
  /// The number of bytes would not show that, since a slow session also sends frames that show that it is alive.
  func waitForMessage(_ event: String, where matches: (SessionMessage) -> Bool) async throws {
    try await wait(for: event) { [descriptor] in
      var bytes = [UInt8](repeating: 0, count: 1 << 16)
      // The result of a session that has ended says more than a time-out.
      if hasCome(bytes.count, to: descriptor) { return true }
      let count = recv(descriptor, &bytes, bytes.count, CInt(MSG_PEEK | MSG_DONTWAIT))
      return count > 0 && SessionScript.messages(in: Array(bytes[..<count])).messages.contains(where: matches)
    }
  }

  /// Waits for a request of the session.
  func waitForRequest(_ number: UInt32 = 1) async throws {
    try await waitForMessage("request \(number)") { if case .request(number, _) = $0 { true } else { false } }
  }

  /// Waits for an offer of the session.
  func waitForOffer() async throws {
    try await waitForMessage("an offer") { if case .offer = $0 { true } else { false } }
  }

  static let hello = OutgoingFrame.hello(SessionHello())

  /// A handshake and an offer with one item.
  static func offer(_ item: DropOffer = SessionScript.offer) -> [OutgoingFrame] {
    [hello, .offer(item, generation: 1), .endOfOffers(generation: 1, itemCount: 1, actions: .copy)]
  }

  static func request(_ number: UInt32, credit: UInt64) -> OutgoingFrame {
    .request(number: number, SessionRequest(generation: 1, item: 0, representation: 0, credit: credit))
  }

  static func data(_ number: UInt32, _ content: [UInt8], isWhole: Bool = true) -> OutgoingFrame {
    content.withUnsafeBytes { .data(number: number, $0, isWhole: isWhole) }
  }

  static let finish = OutgoingFrame.finish(generation: 1, SessionFinish(action: .copy, kept: [0]))

  /// Returns the types and the flags of all frames of one direction.
  static func frames(in bytes: some Collection<UInt8>) -> [(type: FrameType, flags: FrameFlags)] {
    var frames: [(FrameType, FrameFlags)] = []
    var rest = Array(bytes.dropFirst(Preamble.length))[...]
    while rest.count >= FrameHeader.length {
      let length: UInt64 = rest.withUnsafeBytes { $0.littleEndian(at: 8) }
      frames.append((FrameType(rawValue: rest[rest.startIndex]), FrameFlags(rawValue: rest[rest.startIndex + 1])))
      rest = rest.dropFirst(FrameHeader.length + Int(length) + FrameHeader.checkLength)
    }
    return frames
  }

  static func cancellation(_ number: UInt32) -> OutgoingFrame {
    .cancellation(number: number, SenderFailure(kind: .cancelled, reason: ""))
  }

  /// Holds a session against a peer that the test plays, and closes the peer's socket after the end of the session.
  static func play<Value: Sendable>(
    options: DropStreamOptions = DropStreamOptions(),
    session body: @escaping @Sendable (DropSession) async throws -> Value,
    peer play: (RawPeer) async throws -> Void
  ) async throws -> Result<Value, any Error> {
    let pair = try DescriptorPair.socketPair()
    defer { close(pair.write) }
    let session = Task {
      try await DropStream.withSession(over: .descriptor(pair.read), options: options) { try await body($0) }
    }
    do { try await play(RawPeer(pair.write)) } catch {
      session.cancel()
      throw error
    }
    return try await finishing("the end of the session") { await session.result }
  }
}

/// Returns whether `count` bytes are available, or the input has ended.
func hasCome(_ count: Int, to socket: CInt) -> Bool {
  // 0x2000 is POLLRDHUP, which Swift's module of the C library lacks.
  var state = pollfd(fd: socket, events: 0x2000, revents: 0)
  let hasLeft = poll(&state, 1, 0) == 1
  var bytes = [UInt8](repeating: 0, count: count)
  let waiting = recv(socket, &bytes, count, CInt(MSG_PEEK | MSG_DONTWAIT))
  return waiting == count || hasLeft || waiting == 0 || (waiting < 0 && errno != EAGAIN)
}
