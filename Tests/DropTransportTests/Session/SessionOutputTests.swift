// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import Foundation
import Glibc
import TestSupport
import Testing

@testable import DropTransport

@Suite(.serialized, .limited, .timeLimit(.minutes(10))) struct SessionOutputTests {
  private static func output(_ descriptor: CInt) throws -> SessionOutput {
    let descriptor = try StreamDescriptor(
      OwnedDescriptor(descriptor), access: O_WRONLY, interrupt: Interrupt(), idleTimeout: nil)
    return SessionOutput(descriptor, idleTimeout: nil) { _ in }
  }

  @Test("a frame that is queued before the close is written, and no frame after it")
  func onlyFramesQueuedBeforeTheCloseAreWritten() async throws {
    let pair = try DescriptorPair.socketPair()
    let output = try Self.output(pair.read)
    output.enqueue(RawPeer.hello)
    await output.close(within: .seconds(60))
    output.send(RawPeer.finish)
    #expect(try await readAll(pair.write) == SessionScript([RawPeer.hello]).bytes)
  }

  @Test("later tasks wait for space in the queue, and cancelled tasks stop waiting")
  func laterTasksWaitForSpaceInTheQueue() async throws {
    let pair = try DescriptorPair.pipe()
    let output = try Self.output(pair.write)
    // The frame is longer than any pipe, so it fills the buffer even if the pipe accepts a part of it.
    let length = 4 << 20
    let frame = Data(count: length).withUnsafeBytes { OutgoingFrame.data(number: 1, $0, isWhole: false) }
    #expect(await output.room(for: length))
    output.send(frame, hasRoom: true)
    let waiting = Task { await output.room(for: length) }
    let cancelled = Task { await output.room(for: length) }
    try await Task.sleep(for: .milliseconds(50))
    cancelled.cancel()
    #expect(await cancelled.value == false)
    let reading = Task { try await readAll(pair.read) }
    #expect(await waiting.value)
    output.giveBackRoom(for: length)
    await output.close(within: .seconds(60))
    #expect(try await reading.value.count == Preamble.length + frame.bytes.count)
  }

  @Test("a session through two sockets ends like a session through one socket")
  func sessionThroughTwoSocketsEnds() async throws {
    let (there, back) = (try DescriptorPair.socketPair(), try DescriptorPair.socketPair())
    let peer = RawPeer(there.write)
    let session = Task {
      try await DropStream.withSession(over: .descriptors(input: there.read, output: back.read)) { _ in }
    }
    try await peer.say(RawPeer.hello)
    #expect(await ends { _ = await session.result })
    close(there.write)
    close(back.write)
  }
}
