// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import Foundation
import Glibc
import ItemTransfer
import TestSupport
import Testing
import UniformTypes

@testable import DropTransport

/// Passed descriptors.
///
/// A session accepts one only if it requested the file and the transport can pass descriptors.
@Suite(.serialized, .limited, .timeLimit(.minutes(10))) struct HandOverRefusalTests {
  @Test("a file that was not requested is refused")
  func unrequestedFileIsRefused() async throws {
    let pair = try DescriptorPair.socketPair()
    let peer = RawPeer(pair.write)
    let session = Task {
      try await DropStream.withSession(over: .descriptor(pair.read)) { session in
        for try await drop in session.drops { _ = try await drop.items[0].data(for: .plainText) }
      }
    }
    let offer = DropOffer(
      suggestedName: nil, representations: [DropOffer.Representation(typeIdentifier: "public.plain-text")])
    try await peer.say(
      RawPeer.hello, .offer(offer, generation: 1), .endOfOffers(generation: 1, itemCount: 1, actions: .copy))
    // Waits for the handshake and the request.
    try await peer.waitForBytes(120)
    let file = SharedDescriptor(OwnedDescriptor(try SystemCalls.memoryFile("test")))
    try pattern(100).withUnsafeBytes { try SystemCalls.writeAll(file.raw, $0) }
    let description = SessionDescriptor(kind: .fileToCopy, byteCount: 100, check: nil)
    let bytes = peer.bytes([.descriptor(number: 1, description, file)])
    #expect(try bytes.withUnsafeBytes { try SystemCalls.send(pair.write, $0, with: file.raw) } == bytes.count)
    #expect(await failureCode { try await session.value } == .damaged)
    close(pair.write)
  }

  /// The value of `O_PATH`, which Swift's module of the C library lacks.
  private static let openPath: CInt = 0o10_000_000

  @Test(
    "a descriptor that was not opened for reading is rejected",
    arguments: [O_WRONLY, openPath], [SessionDescriptor.Kind.fileToCopy, .originalFile])
  func descriptorThatWasNotOpenedForReadingIsRejected(flags: CInt, kind: SessionDescriptor.Kind) async throws {
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    let path = try directory.write(Data(pattern(100)), to: "saga.txt").path
    func code(_ flags: CInt) async throws -> DropStreamError.Code? {
      let file = SharedDescriptor(try .open(path, flags))
      let description = SessionDescriptor(kind: kind, byteCount: 100, check: nil)
      return await failureCode { try await ReceivedDescriptor(description, file).content(expecting: 100) }
    }
    #expect(try await code(flags) == .damaged)
    #expect(try await code(O_RDONLY) == nil)
    #expect(try await code(O_RDWR) == nil)
  }

  @Test("large data arrives as bytes through a network socket")
  func largeDataArrivesAsBytesThroughANetworkSocket() async throws {
    let (near, far) = try Self.networkPair()
    async let taken: Void = DropStream.withSession(over: .descriptor(far)) { session in
      for try await drop in session.drops {
        let data = try await drop.items[0].data(for: .data)
        #expect(data == Data(pattern(2 << 20)))
        try await drop.finish(.copy)
      }
    }
    try await DropStream.withSession(over: .descriptor(near)) { session in
      _ = try await session.offer([ItemProvider(pattern(2 << 20))])
    }
    try await taken
  }

  private static func networkPair() throws -> (CInt, CInt) {
    let listener = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
    defer { close(listener) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let client = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
    let isConnected = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        bind(listener, address, length) == 0 && listen(listener, 1) == 0
          && getsockname(listener, address, &length) == 0 && connect(client, address, length) == 0
      }
    }
    guard isConnected else { throw SystemError(errno, in: "connect") }
    return (client, accept(listener, nil, nil))
  }
}
