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

/// Holes in files, which a session transfers as runs of zeros instead of bytes.
@Suite(.serialized, .limited, .timeLimit(.minutes(10))) struct SessionZerosTests {
  private static let gibibyte: UInt64 = 1 << 30
  private static let hello = OutgoingFrame.hello(SessionHello(features: .zeros))

  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
  }

  /// Writes a file of the pieces, with a hole of `length` bytes after each piece.
  private func sparseFile(_ pieces: [String], length: UInt64) throws -> URL {
    let url = directory.file("sparse")
    let file = try OwnedDescriptor.open(url.path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    for piece in pieces {
      try Array(piece.utf8).withUnsafeBytes { try SystemCalls.writeAll(file.raw, $0) }
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
    let file = try sparseFile(["", "middle", "end"], length: 8 * Self.gibibyte)
    let fixture = try FolderFixture()
    var options = DropStreamOptions()
    options.acceptsUncheckedFiles = acceptsFiles
    let outcome = try await holdSession(over: carrier, destinationOptions: options) {
      try await $0.offer([Self.item(file)])
    } destination: {
      for try await drop in $0.drops {
        let receipt = try await fixture.folder.receive(drop)
        try await drop.finish(.copy, keeping: receipt.keptItems)
      }
    }
    _ = try outcome.destination.get()
    _ = try outcome.source.get()
    let received = try OwnedDescriptor.open(fixture.file("sparse").path, O_RDONLY)
    var status = stat()
    #expect(fstat(received.raw, &status) == 0)
    #expect(UInt64(status.st_size) == 24 * Self.gibibyte + 9)
    #expect(status.st_blocks * 512 < 1 << 20)
    for (offset, text) in [(8 * Self.gibibyte, "middle"), (16 * Self.gibibyte + 6, "end")] {
      var bytes = [UInt8](repeating: 1, count: text.utf8.count + 1)
      _ = try bytes.withUnsafeMutableBytes { try SystemCalls.read(received.raw, $0, at: Int64(offset)) }
      #expect(bytes == Array(text.utf8) + [0])
    }
  }

  @Test func dataAndRangesOfASparseFileIncludeTheZeros() async throws {
    let file = try sparseFile(["begin", "middle", "end"], length: 3 << 20)
    let content = try Data(contentsOf: file)
    let outcome = try await holdSession {
      try await $0.offer([Self.item(file)])
    } destination: {
      for try await drop in $0.drops {
        #expect(try await drop.items[0].data(for: .data) == content)
        for range in [0..<100, 4..<(3 << 20) + 7, (1 << 20)..<(5 << 20), (8 << 20)..<(20 << 20)] as [Range<UInt64>] {
          let wanted = content[range.clamped(to: 0..<UInt64(content.count)).asIntegers]
          #expect(try await drop.bytes(range, of: .data, ofItem: 0) == wanted)
        }
        try await drop.finish(.copy)
      }
    }
    _ = try outcome.destination.get()
    _ = try outcome.source.get()
  }

  /// Returns the messages of a session with the item up to the end of its response to one request.
  private static func response(to hello: SessionHello, _ item: ItemProvider) async throws -> [SessionMessage] {
    let pair = try DescriptorPair.socketPair()
    let session = Task {
      try await DropStream.withSession(over: .descriptor(pair.read)) { _ = try await $0.offer([item]) }
    }
    let peer = RawPeer(pair.write)
    try await peer.say(.hello(hello))
    try await peer.waitForBytes(160)
    try await peer.say(RawPeer.request(1, credit: 64 << 20))
    let messages = try await onThread {
      var bytes: [UInt8] = []
      var chunk = [UInt8](repeating: 0, count: 256 << 10)
      while true {
        let count = try chunk.withUnsafeMutableBytes { try SystemCalls.read(pair.write, $0) }
        bytes += chunk[..<count]
        let messages = SessionScript.messages(in: bytes).messages
        let isComplete = messages.contains { if case .endOfRepresentation = $0 { true } else { false } }
        if isComplete || count == 0 { return messages }
      }
    }
    close(pair.write)
    _ = await session.result
    return messages
  }

  @Test func peerWithoutTheZerosFeatureReceivesBytes() async throws {
    let file = try sparseFile(["begin"], length: 2 << 20)
    let item = try Self.item(file)
    func hasZeros(_ messages: [SessionMessage]) -> Bool {
      messages.contains { if case .zeros = $0 { true } else { false } }
    }
    #expect(hasZeros(try await Self.response(to: SessionHello(features: .zeros), item)))
    #expect(!hasZeros(try await Self.response(to: SessionHello(), item)))
    #expect(!hasZeros(try await Self.response(to: SessionHello(features: .zeros), Self.item(file, size: .unknown))))
  }

  @Test func zerosFrameHasTheExpectedBytes() {
    let script = SessionScript([Self.hello, .zeros(number: 7, 1 << 20)])
    let frame = Array(script.bytes[script.starts[1]...])
    #expect(Array(frame[..<16]).hexText == "08000000070000000800000000000000")
    #expect(Array(frame[24..<32]).hexText == "0000100000000000")
    let messages = SessionScript.messages(in: script.bytes).messages
    #expect("\(messages.last.map { "\($0)" } ?? "")" == "\(SessionMessage.zeros(number: 7, 1 << 20))")
  }

  /// Returns the result of loading an item of `byteCount` bytes from a peer that responds with these frames.
  private static func verdict(
    byteCount: UInt64?, limit: UInt64 = .max, range: Range<UInt64>? = nil, _ frames: [OutgoingFrame]
  ) async throws -> DropStreamError.Code? {
    let pair = try DescriptorPair.socketPair()
    var options = DropStreamOptions()
    options.limits.bytes = limit
    let session = Task { [options] in
      try await DropStream.withSession(over: .descriptor(pair.read), options: options) { session in
        for try await drop in session.drops {
          if let range {
            _ = try await drop.bytes(range, of: .data, ofItem: 0)
          } else {
            for try await _ in try await drop.items[0].bytes(for: .data) {}
          }
          return
        }
      }
    }
    let representation = DropOffer.Representation(typeIdentifier: "public.data", byteCount: byteCount)
    let offer = DropOffer(suggestedName: nil, representations: [representation])
    let peer = RawPeer(pair.write)
    try await peer.say(
      RawPeer.hello, .offer(offer, generation: 1), .endOfOffers(generation: 1, itemCount: 1, actions: .copy))
    // Waits for the handshake and the request.
    try await peer.waitForBytes(120)
    try await peer.say(frames)
    let code = await failureCode { try await session.value }
    close(pair.write)
    return code
  }

  @Test func zerosBeyondTheStatedSizeAreRefused() async throws {
    func response(_ runs: UInt64...) -> [OutgoingFrame] {
      runs.map { .zeros(number: 1, $0) } + [.endOfRepresentation(number: 1, byteCount: runs.reduce(0, &+))]
    }
    #expect(try await Self.verdict(byteCount: 1000, response(400, 600)) == nil)
    #expect(try await Self.verdict(byteCount: 1000, response(400, 601)) == .damaged)
    #expect(try await Self.verdict(byteCount: 1000, response(.max)) == .damaged)
    #expect(try await Self.verdict(byteCount: 1000, response(1000, .max)) == .damaged)
    #expect(try await Self.verdict(byteCount: nil, response(1)) == .damaged)
    #expect(try await Self.verdict(byteCount: nil, range: 10..<30, response(20)) == nil)
    #expect(try await Self.verdict(byteCount: nil, range: 10..<30, response(21)) == .damaged)
  }

  @Test func zerosCountAgainstTheLimitOfBytes() async throws {
    let frames: [OutgoingFrame] = [.zeros(number: 1, 1000), .endOfRepresentation(number: 1, byteCount: 1000)]
    #expect(try await Self.verdict(byteCount: 1000, limit: 1000, frames) == nil)
    #expect(try await Self.verdict(byteCount: 1000, limit: 999, frames) == .limitExceeded)
  }

  @Test func invalidZerosAreRefused() async throws {
    #expect(try await Self.verdict(byteCount: 10, [.zeros(number: 1, 0)]) == .damaged)
    #expect(try await Self.verdict(byteCount: 10, [.zeros(number: 0, 1)]) == .damaged)
    #expect(try await Self.verdict(byteCount: 10, [.zeros(number: 2, 1)]) == .damaged)
    let short = OutgoingFrame(.zeros, number: 1) { $0.append(contentsOf: [1, 2, 3]) }
    #expect(try await Self.verdict(byteCount: 10, [short]) == .damaged)
    let whole = [UInt8](repeating: 0, count: 9).withUnsafeBytes { OutgoingFrame.data(number: 1, $0, isWhole: true) }
    #expect(try await Self.verdict(byteCount: 10, [.zeros(number: 1, 1), whole]) == .damaged)
    let end = OutgoingFrame.endOfRepresentation(number: 1, byteCount: 9)
    #expect(try await Self.verdict(byteCount: 10, [.zeros(number: 1, 10), end]) == .damaged)
  }
}

extension Range<UInt64> {
  fileprivate var asIntegers: Range<Int> { Int(lowerBound)..<Int(upperBound) }
}
