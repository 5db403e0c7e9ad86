// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import Foundation
import ItemTransfer
import TestSupport
import Testing

@testable import DropTransport

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

  /// Waits for the handshake and a request of the session, or of several.
  ///
  /// They take 73 and 52 bytes.
  func waitForRequest(_ number: Int = 1) async throws { try await waitForBytes(73 + 52 * number) }

  /// Waits for the handshake and an offer of the session, which takes at least 67 bytes.
  func waitForOffer() async throws { try await waitForBytes(140) }

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
