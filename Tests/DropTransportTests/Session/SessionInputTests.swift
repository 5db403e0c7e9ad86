// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import Glibc
import TestSupport
import Testing

@testable import DropTransport

@Suite(.serialized, .limited, .timeLimit(.minutes(10))) struct SessionInputTests {
  @Test("a silent peer is waited for until the limit, also if the socket is non-blocking", arguments: [false, true])
  func silentPeerIsWaitedForUntilTheLimit(_ isNonBlocking: Bool) async throws {
    let pair = try DescriptorPair.socketPair()
    defer { close(pair.write) }
    if isNonBlocking { try SystemCalls.setNonBlocking(pair.read) }
    let descriptor = try StreamDescriptor(
      OwnedDescriptor(pair.read), access: O_RDONLY, interrupt: Interrupt(), idleTimeout: nil)
    let limit = Duration.milliseconds(300)
    #expect(limit > DropSession.tick)
    var input = SessionInput(descriptor, limits: DropStreamLimits(), mayWait: true)
    let start = ContinuousClock.now
    guard case .nothing = try input.next(atMost: limit) else {
      Issue.record("an event without a peer")
      return
    }
    // The kernel may round the limit down to its own ticks.
    #expect(ContinuousClock.now - start > limit - .milliseconds(20))
  }
}
