// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import Foundation
import ItemTransfer
import TestSupport
import Testing
import UniformTypes

@testable import DropTransport

/// Holes in files, which a session transfers as runs of zeros instead of bytes.
@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct SessionZerosTests {
  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
  }

  /// Writes a file of the pieces, with a hole of `length` bytes after each piece.
  private func sparseFile(_ pieces: [String], length: UInt64) throws -> URL {
    let url = directory.file("sparse")
    let file = try OwnedDescriptor.open(url.path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    for piece in pieces {
      try send(piece.utf8, to: file.raw)
      _ = try SystemCalls.seek(file.raw, Int64(length), SEEK_CUR)
    }
    try SystemCalls.truncate(file.raw, try SystemCalls.seek(file.raw, 0, SEEK_CUR))
    return url
  }

  private static func item(_ file: URL, size: ItemSize? = nil) throws -> ItemProvider {
    let count = try SystemCalls.statusAt(DropEndpoint.currentDirectory, file.path).size
    let item = ItemProvider(suggestedName: "sparse")
    item.registerFile(.data, size: size ?? .exact(count)) { _ in SentTransferredFile(file) }
    return item
  }

  @Test(arguments: SessionCarrierKind.allCases, [false, true])
  func sparseFileArrivesWithItsHoles(_ carrier: SessionCarrierKind, acceptsFiles: Bool) async throws {
    // The last offset needs more than 32 bits.
    let hole = UInt64(5) << 29
    let file = try sparseFile(["", "middle", "end"], length: hole)
    let fixture = try FolderFixture()
    let options = DropStreamOptions.setting { $0.acceptsUncheckedFiles = acceptsFiles }
    try await exchange([Self.item(file)], over: carrier, destinationOptions: options) { drop async throws in
      #expect(try await fixture.folder.receive(drop).keptItems == [0])
    }
    let received = try OwnedDescriptor.open(fixture.file("sparse").path, O_RDONLY)
    var status = stat()
    #expect(fstat(received.raw, &status) == 0)
    #expect(UInt64(status.st_size) == 3 * hole + 9)
    #expect(status.st_blocks * 512 < 1 << 20)
    for (offset, text) in [(hole, "middle"), (2 * hole + 6, "end")] {
      var bytes = [UInt8](repeating: 1, count: text.utf8.count + 1)
      _ = try bytes.withUnsafeMutableBytes { try SystemCalls.read(received.raw, $0, at: Int64(offset)) }
      #expect(bytes == Array(text.utf8) + [0])
    }
  }

  @Test func dataAndRangesOfASparseFileIncludeTheZeros() async throws {
    let file = try sparseFile(["begin", "middle", "end"], length: 3 << 20)
    let content = try Data(contentsOf: file)
    try await exchange([Self.item(file)]) { drop in
      try await drop.items[0].expect(content)
      for range in [0..<100, 4..<(3 << 20) + 7, (1 << 20)..<(5 << 20), (8 << 20)..<(20 << 20)] {
        let bytes = try await drop.bytes(UInt64(range.lowerBound)..<UInt64(range.upperBound), of: .data, ofItem: 0)
        #expect(bytes == content[range.clamped(to: content.indices)])
      }
    }
  }

  /// Returns whether the response to a request for the item has a frame of zeros.
  private static func sendsZeros(_ item: ItemProvider, to hello: SessionHello) async throws -> Bool {
    let received = Collector<[SessionMessage]>()
    _ = try await RawPeer.play {
      _ = try await $0.offer([item])
    } peer: { peer in
      try await peer.say(.hello(hello))
      try await peer.waitForOffer()
      try await peer.say(RawPeer.request(1, credit: 64 << 20))
      try await onThread {
        var bytes: [UInt8] = []
        while case let more = try readSome(peer.descriptor, 256 << 10), !more.isEmpty {
          bytes += more
          let messages = SessionScript.messages(in: bytes).messages
          guard messages.contains(where: { if case .endOfRepresentation = $0 { true } else { false } }) else {
            continue
          }
          return received.add(messages)
        }
      }
      shutdown(peer.descriptor, CInt(SHUT_RDWR))
    }
    let messages = try #require(received.values.first)
    return messages.contains { if case .zeros = $0 { true } else { false } }
  }

  @Test func peerWithoutTheZerosFeatureReceivesBytes() async throws {
    let file = try sparseFile(["begin"], length: 2 << 20)
    let item = try Self.item(file)
    #expect(try await Self.sendsZeros(item, to: SessionHello(features: .zeros)))
    #expect(try await !Self.sendsZeros(item, to: SessionHello()))
    #expect(try await !Self.sendsZeros(Self.item(file, size: .unknown), to: SessionHello(features: .zeros)))
  }

  @Test func zerosFrameHasTheExpectedBytes() {
    let script = SessionScript([.hello(SessionHello(features: .zeros)), .zeros(number: 7, 1 << 20)])
    let frame = Array(script.bytes[script.starts[1]...])
    #expect(Array(frame[..<16]).hexText == "08000000070000000800000000000000")
    #expect(Array(frame[24..<32]).hexText == "0000100000000000")
    let messages = SessionScript.messages(in: script.bytes).messages
    #expect("\(messages.last.map { "\($0)" } ?? "")" == "\(SessionMessage.zeros(number: 7, 1 << 20))")
  }

  /// Expects the result of loading an item of `byteCount` bytes from a peer that responds with these frames.
  private static func expect(
    _ code: DropStreamError.Code?, byteCount: UInt64?, limit: UInt64 = .max, range: Range<UInt64>? = nil,
    _ frames: [OutgoingFrame], sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let options = DropStreamOptions.setting { $0.limits.bytes = limit }
    let representation = DropOffer.Representation(typeIdentifier: "public.data", byteCount: byteCount)
    let result = try await RawPeer.play(options: options) { session in
      var drops = session.drops.makeAsyncIterator()
      let drop = try #require(try await drops.next())
      if let range {
        _ = try await drop.bytes(range, of: .data, ofItem: 0)
      } else {
        for try await _ in try await drop.items[0].bytes(for: .data) {}
      }
    } peer: { peer in
      try await peer.say(RawPeer.offer(DropOffer(suggestedName: nil, representations: [representation])))
      try await peer.waitForRequest()
      try await peer.say(frames)
    }
    #expect(result.streamError?.code == code, sourceLocation: sourceLocation)
  }

  @Test func zerosBeyondTheStatedSizeOrTheLimitAreRefused() async throws {
    func response(_ runs: UInt64...) -> [OutgoingFrame] {
      runs.map { .zeros(number: 1, $0) } + [.endOfRepresentation(number: 1, byteCount: runs.reduce(0, &+))]
    }
    try await Self.expect(nil, byteCount: 1000, response(400, 600))
    for runs in [response(400, 601), response(.max), response(1000, .max)] {
      try await Self.expect(.damaged, byteCount: 1000, runs)
    }
    try await Self.expect(.damaged, byteCount: nil, response(1))
    try await Self.expect(nil, byteCount: nil, range: 10..<30, response(20))
    try await Self.expect(.damaged, byteCount: nil, range: 10..<30, response(21))
    try await Self.expect(nil, byteCount: 1000, limit: 1000, response(1000))
    try await Self.expect(.limitExceeded, byteCount: 1000, limit: 999, response(1000))
  }

  @Test func invalidZerosAreRefused() async throws {
    for frames in [
      [.zeros(number: 1, 0)], [.zeros(number: 0, 1)], [.zeros(number: 2, 1)],
      [OutgoingFrame(.zeros, number: 1) { $0.append(contentsOf: [1, 2, 3]) }],
      [.zeros(number: 1, 1), RawPeer.data(1, [UInt8](repeating: 0, count: 9))],
      [.zeros(number: 1, 10), .endOfRepresentation(number: 1, byteCount: 9)],
    ] as [[OutgoingFrame]] {
      try await Self.expect(.damaged, byteCount: 10, frames)
    }
  }
}
