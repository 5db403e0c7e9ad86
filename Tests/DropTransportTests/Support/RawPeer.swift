// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import Foundation
import Glibc
import ItemTransfer
import TestSupport

@testable import DropTransport

/// A peer that sends single frames, including frames that a session never sends.
final class RawPeer: @unchecked Sendable {
  private let descriptor: CInt
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
    try await onThread { [descriptor] in try bytes.withUnsafeBytes { try SystemCalls.writeAll(descriptor, $0) } }
  }

  /// Waits until `count` bytes have arrived or the input has ended, without reading the bytes.
  func waitForBytes(_ count: Int) async throws {
    _ = try await eventually { hasCome(count, to: descriptor) }
  }

  static let hello = OutgoingFrame.hello(SessionHello())

  static func request(_ number: UInt32, credit: UInt64) -> OutgoingFrame {
    .request(number: number, SessionRequest(generation: 1, item: 0, representation: 0, credit: credit))
  }

  static let finish = OutgoingFrame.finish(generation: 1, SessionFinish(action: .copy, kept: [0]))
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

/// Returns whether work ends within the time limit.
///
/// If not, the work continues in the background.
func ends(within seconds: Int = 180, _ body: @escaping @Sendable () async -> Void) async -> Bool {
  let done = Collector<Void>()
  Task.detached {
    await body()
    done.add(())
  }
  for _ in 0..<(seconds * 100) where done.values.isEmpty { try? await Task.sleep(for: .milliseconds(10)) }
  return !done.values.isEmpty
}
