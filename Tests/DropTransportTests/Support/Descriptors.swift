// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Dispatch
import DropSystem
import Foundation
import Glibc
import Synchronization

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
}

/// Returns the read end of a pipe that receives these bytes and then ends.
func pipe(holding bytes: [UInt8]) throws -> CInt {
  let pair = try DescriptorPair.pipe()
  if bytes.count <= 4096 {
    try bytes.withUnsafeBytes { try SystemCalls.writeAll(pair.write, $0) }
    try SystemCalls.close(pair.write)
  } else {
    DispatchQueue.global().async {
      try? bytes.withUnsafeBytes { try SystemCalls.writeAll(pair.write, $0) }
      try? SystemCalls.close(pair.write)
    }
  }
  return pair.read
}

/// Reads up to the end, on a thread that may block.
func readAll(_ descriptor: CInt) async throws -> [UInt8] {
  try await onThread {
    var all: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = try buffer.withUnsafeMutableBytes { try SystemCalls.read(descriptor, $0) }
      if count == 0 { break }
      all += buffer[..<count]
    }
    try SystemCalls.close(descriptor)
    return all
  }
}

/// Runs blocking work outside the cooperative pool.
func onThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
  try await withCheckedThrowingContinuation { continuation in
    DispatchQueue.global().async { continuation.resume(with: Result(catching: body)) }
  }
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
