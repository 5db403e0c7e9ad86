// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import Glibc
import ItemTransfer

@testable import DropTransport

/// A relay between the two sides of a session, which forwards and records their bytes.
///
/// It also forwards passed descriptors.
struct SessionRelay {
  /// The number of bytes to forward at once.
  ///
  /// It is small enough that a descriptor stays with its bytes.
  private static let chunkLength = 32 << 10

  /// The endpoints of both sides.
  let near: DropEndpoint
  let far: DropEndpoint
  private let inner: (near: CInt, far: CInt)

  init() throws {
    let pairs = (try DescriptorPair.socketPair(), try DescriptorPair.socketPair())
    near = .descriptor(pairs.0.read)
    far = .descriptor(pairs.1.read)
    inner = (pairs.0.write, pairs.1.write)
  }

  /// Forwards all bytes until both sides have closed.
  ///
  /// - Returns: The bytes of each side.
  func record() async throws -> (near: [UInt8], far: [UInt8]) {
    let (near, far) = inner
    async let there = onThread { Self.copy(from: near, to: far) }
    async let back = onThread { Self.copy(from: far, to: near) }
    let recordings = (near: try await there, far: try await back)
    for end in [near, far] { try SystemCalls.close(end) }
    return recordings
  }

  private static func copy(from source: CInt, to destination: CInt) -> [UInt8] {
    var all: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: chunkLength)
    var isHeard = true
    while true {
      var descriptors: [CInt] = []
      defer { for descriptor in descriptors { try? SystemCalls.close(descriptor) } }
      // If a side closes before it has read everything, the connection is reset. That is also the end of the input.
      let count = try? buffer.withUnsafeMutableBytes {
        try SystemCalls.receive(source, $0, descriptors: &descriptors, 0)
      }
      guard let count, count > 0 else { break }
      all += buffer[..<count]
      // A side that has sent a close does not read any more, but its peer continues to send until it receives the
      // close.
      if isHeard { isHeard = (try? send(Array(buffer[..<count]), with: descriptors.first, to: destination)) != nil }
    }
    try? SystemCalls.shutDown(destination, CInt(SHUT_WR))
    return all
  }

  private static func send(_ bytes: [UInt8], with descriptor: CInt?, to socket: CInt) throws {
    guard let descriptor else { return try bytes.withUnsafeBytes { try SystemCalls.writeAll(socket, $0) } }
    while true {
      do {
        let count = try bytes.withUnsafeBytes { try SystemCalls.send(socket, $0, with: descriptor) }
        return try bytes[count...].withUnsafeBytes { try SystemCalls.writeAll(socket, $0) }
      } catch let error as SystemError where error.errorNumber == EAGAIN {
        var ends = [pollfd(fd: socket, events: Int16(POLLOUT), revents: 0)]
        _ = poll(&ends, 1, 1000)
      }
    }
  }
}
