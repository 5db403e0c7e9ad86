// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import Foundation
import Glibc
import ItemTransfer
import TestSupport

@testable import DropTransport

/// The other side of a session, frame by frame: it says what no session would say.
final class RawPeer: @unchecked Sendable {
  private let descriptor: CInt
  private var script = SessionScript([])
  private var sent = 0

  init(_ descriptor: CInt) {
    self.descriptor = descriptor
  }

  /// The bytes of frames that are sent in some other way.
  func bytes(_ frames: [OutgoingFrame]) -> [UInt8] {
    for frame in frames { script.append(frame) }
    defer { sent = script.bytes.count }
    return Array(script.bytes[sent...])
  }

  func say(_ frames: OutgoingFrame...) async throws { try await say(frames) }

  func say(_ frames: [OutgoingFrame]) async throws {
    let bytes = bytes(frames)
    try await onThread { [descriptor] in try bytes.withUnsafeBytes { try SystemCalls.writeAll(descriptor, $0) } }
  }

  /// Waits for so many bytes, and leaves them where they are.
  func waitForBytes(_ count: Int) async throws {
    _ = try await eventually { hasCome(count, to: descriptor) }
  }

  static let hello = OutgoingFrame.hello(SessionHello())

  static func request(_ number: UInt32, credit: UInt64) -> OutgoingFrame {
    .request(number: number, SessionRequest(generation: 1, item: 0, representation: 0, credit: credit))
  }

  static let finish = OutgoingFrame.finish(generation: 1, SessionFinish(action: .copy, kept: [0]))
}

/// Whether so many bytes wait to be read, or no more will come.
func hasCome(_ count: Int, to socket: CInt) -> Bool {
  // POLLRDHUP, which the module of the C library lacks.
  var state = pollfd(fd: socket, events: 0x2000, revents: 0)
  let hasLeft = poll(&state, 1, 0) == 1
  var bytes = [UInt8](repeating: 0, count: count)
  let waiting = recv(socket, &bytes, count, CInt(MSG_PEEK | MSG_DONTWAIT))
  return waiting == count || hasLeft || waiting == 0 || (waiting < 0 && errno != EAGAIN)
}

/// Whether a piece of work ends in time; it is left alone where it does not.
func ends(within seconds: Int = 180, _ body: @escaping @Sendable () async -> Void) async -> Bool {
  let done = Collector<Void>()
  Task.detached {
    await body()
    done.add(())
  }
  for _ in 0..<(seconds * 100) where done.values.isEmpty { try? await Task.sleep(for: .milliseconds(10)) }
  return !done.values.isEmpty
}
