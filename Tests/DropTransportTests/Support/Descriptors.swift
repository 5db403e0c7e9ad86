// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import Foundation
import TestSupport
import Testing

@testable import DropTransport

/// Ignores SIGPIPE, so that a write to a pipe without a reader is an error instead of the end of the test process.
let ignoringBrokenPipes: Void = { _ = signal(SIGPIPE, SIG_IGN) }()

struct DescriptorPair {
  var read: CInt
  var write: CInt

  static func pipe() throws -> DescriptorPair {
    _ = ignoringBrokenPipes
    let ends = try SystemCalls.pipe()
    return DescriptorPair(read: ends.read, write: ends.write)
  }

  static func socketPair() throws -> DescriptorPair {
    _ = ignoringBrokenPipes
    var ends: [CInt] = [-1, -1]
    guard socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
      throw SystemError(errno, in: "socketpair")
    }
    return DescriptorPair(read: ends[0], write: ends[1])
  }

  /// Makes both ends non-blocking, also for other descriptors of the same pipe.
  func nonBlocking() throws -> DescriptorPair {
    for end in [read, write] {
      _ = try SystemCalls.control(end, F_SETFL, try SystemCalls.control(end, F_GETFL) | O_NONBLOCK)
    }
    return self
  }

  var reader: DropEndpoint { .descriptor(read) }
  var writer: DropEndpoint { .descriptor(write) }

  /// Writes bytes, which must fit into the buffer of the pair.
  func send(_ bytes: some Sequence<UInt8>) throws { try DropTransportTests.send(bytes, to: write) }

  /// Waits until the reader has taken all bytes that were sent.
  func waitUntilRead() async throws {
    // A socket reports the bytes that its peer has not read, a pipe those that it holds.
    var count: CInt = 0
    try await wait(for: "a read of all bytes") {
      (ioctl(write, UInt(TIOCOUTQ), &count) == 0 || ioctl(write, UInt(FIONREAD), &count) == 0) && count == 0
    }
  }
}

/// Writes bytes to a descriptor, which may block.
func send(_ bytes: some Sequence<UInt8>, to descriptor: CInt) throws {
  try Array(bytes).withUnsafeBytes { try SystemCalls.writeAll(descriptor, $0) }
}

/// Returns the read end of a pipe that receives these bytes and then ends.
func pipe(holding bytes: [UInt8]) throws -> CInt {
  let pair = try DescriptorPair.pipe()
  let sending: @Sendable () throws -> Void = {
    defer { try? SystemCalls.close(pair.write) }
    try pair.send(bytes)
  }
  if bytes.count <= 4096 { try sending() } else { DetachedThread.start { try? sending() } }
  return pair.read
}

func makeFIFO(_ path: String) throws {
  guard mkfifo(path, 0o600) == 0 else { throw SystemError(errno, in: "mkfifo") }
}

/// Returns a name of the descriptor's target, which is unique among pipes and sockets.
func link(of descriptor: CInt) throws -> String {
  try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(descriptor)")
}

/// Returns the number of descriptors of this process that lead to `link`.
///
/// Parallel tests do not affect it.
func openDescriptors(to link: String) throws -> Int {
  let names = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
  return names.filter { (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")) == link }
    .count
}

func expectOpenDescriptors(
  to link: String, _ count: Int, sourceLocation: SourceLocation = #_sourceLocation
) throws {
  #expect(try openDescriptors(to: link) == count, sourceLocation: sourceLocation)
}
