// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import DropTransport

/// Peers that never send a handshake, or that expect another kind of stream.
@Suite(.serialized, .limited, .timeLimit(.minutes(2))) struct HandshakeTests {
  /// A program that returns all its input, so that this side receives its own handshake.
  private static let echo = DropEndpoint.process(["cat"])

  @Test func idleTimeoutReplacesTheHandshakeTimeoutOfThirtySeconds() async throws {
    var options = DropStreamOptions()
    for (idleTimeout, expected) in [(nil, 30), (60, 60), (3600, 3600)] as [(Int?, Int)] {
      options.idleTimeout = idleTimeout.map { .seconds($0) }
      let limit = try await DropStream.withSession(over: Self.echo, options: options) { $0.handshakeTimeout }
      #expect(limit == .seconds(expected))
    }
  }

  @Test func silentProgramTimesOut() async throws {
    var options = DropStreamOptions()
    options.idleTimeout = .milliseconds(50)
    let error = await #expect(throws: DropStreamError.self) {
      try await DropStream.withSession(over: .process(["sh", "-c", "cat > /dev/null"]), options: options) { _ in }
    }
    #expect(error?.code == .timedOut)
    #expect(error?.description == "no handshake from the peer within 0.05 seconds")
  }

  @Test func oneWayReaderReportsASession() throws {
    var frame = OutgoingFrame.hello(SessionHello())
    var digest = StreamDigest(preambleCheck: Preamble.check)
    frame.seal(sequence: 0, digest: &digest)
    guard case .failure(let error) = outcome(of: Preamble.bytes + frame.bytes) else {
      Issue.record("a session was read as a one-way stream")
      return
    }
    #expect(error.code == .unsupported && error.reason == DropStreamError.sessionFound)
  }
}
