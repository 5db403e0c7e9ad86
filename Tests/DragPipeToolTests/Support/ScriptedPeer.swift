// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import Glibc
import TestSupport
import Testing

@testable import DropTransport

/// The peer of a session, which sends given frames, and waits for frames of given types.
struct ScriptedPeer: Sendable {
  static let hello = OutgoingFrame.hello(SessionHello())

  /// The error that the tool ended the session before it sent an awaited frame.
  struct SessionEnded: Error {
    let awaited: FrameType
  }

  /// The bytes to send first.
  private(set) var opening = Preamble.bytes
  /// The bytes to send after a frame of a type has arrived.
  private var responses: [(awaited: FrameType, bytes: [UInt8])] = []
  /// The payloads of the awaited frames, with their check values.
  let received = Collector<[UInt8]>()
  private var sequence: UInt32 = 0
  private var digest = StreamDigest(preambleCheck: Preamble.check)

  /// Creates a peer that first sends the frames.
  init(_ frames: [OutgoingFrame]) {
    opening += sealed(frames)
  }

  /// Returns an offer of a file of three bytes.
  static func offer(actions: DropActions = .copy) -> [OutgoingFrame] {
    let file = DropOffer.Representation(typeIdentifier: "public.data", byteCount: 3)
    return [
      hello, .offer(DropOffer(suggestedName: "file 0", representations: [file]), generation: 1),
      .endOfOffers(generation: 1, itemCount: 1, actions: actions),
    ]
  }

  /// Returns the complete content of the first requested file as one frame.
  static func content(_ bytes: [UInt8] = [1, 2, 3]) -> OutgoingFrame {
    bytes.withUnsafeBytes { .data(number: 1, $0, isWhole: true) }
  }

  /// Adds a step: waits for a frame, then sends other frames.
  mutating func respond(to type: FrameType, with frames: [OutgoingFrame]) {
    responses.append((type, sealed(frames)))
  }

  private mutating func sealed(_ frames: [OutgoingFrame]) -> [UInt8] {
    frames.flatMap { frame in
      var frame = frame
      frame.seal(sequence: sequence, digest: &digest)
      sequence += 1
      return frame.bytes
    }
  }

  /// Runs the tool with this peer at `stdio:`.
  ///
  /// - Parameters:
  ///   - arguments: The command line.
  ///   - leaves: Whether the peer closes the session at its end. Otherwise it becomes silent.
  /// - Returns: The outcome of the run.
  /// - Throws: `WaitTimedOut` and `SessionEnded` if an awaited frame does not arrive.
  func run(_ arguments: [String], leaves: Bool = false) async throws -> ToolOutcome {
    let pair = try SystemCalls.socketPair()
    let peer = OwnedDescriptor(pair.0)
    let own = OwnedDescriptor(pair.1)
    // The handshake must arrive before a short timeout of the tool.
    try SystemCalls.writeAll(peer.raw, opening)
    async let steps: Void = onThread(within: waitingLimit * 2) {
      try respond(on: pair.0)
      if leaves { _ = shutdown(pair.0, CInt(SHUT_RDWR)) }
    }
    let outcome = try await tool(arguments, session: own.raw)
    try own.close()
    try await steps
    try peer.close()
    return outcome
  }

  /// Accepts a connection, and plays all steps.
  func serve(_ listener: CInt) throws {
    let connection = OwnedDescriptor(try SystemCalls.accept(listener))
    try SystemCalls.writeAll(connection.raw, opening)
    try respond(on: connection.raw)
  }

  private func respond(on descriptor: CInt) throws {
    var input: [UInt8] = []
    func take(_ count: Int, awaiting type: FrameType) throws -> [UInt8] {
      while input.count < count {
        let bytes = try readSome(descriptor, awaiting: "a frame of type \(type.rawValue)")
        guard !bytes.isEmpty else { throw SessionEnded(awaited: type) }
        input += bytes
      }
      defer { input.removeFirst(count) }
      return Array(input.prefix(count))
    }
    if let first = responses.first { _ = try take(Preamble.length, awaiting: first.awaited) }
    for (awaited, bytes) in responses {
      var header: [UInt8]
      var payload: [UInt8]
      repeat {
        header = try take(FrameHeader.length, awaiting: awaited)
        let length = header[8..<16].reversed().reduce(0) { $0 << 8 | Int($1) }
        payload = try take(length + FrameHeader.checkLength, awaiting: awaited)
      } while header[0] != awaited.rawValue
      received.add(payload)
      try SystemCalls.writeAll(descriptor, bytes)
    }
  }
}
