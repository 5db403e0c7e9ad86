// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import Foundation
import ItemTransfer
import TestSupport
import Testing
import UniformTypes

@testable import DropTransport

extension TemporaryDirectory {
  /// Writes a file of pieces, each of which is followed by a hole.
  fileprivate func writeSparse(_ pieces: [(text: String, hole: UInt64)]) throws -> URL {
    let url = file("sparse")
    let file = try OwnedDescriptor.open(url.path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    for (text, hole) in pieces {
      try send(text.utf8, to: file.raw)
      _ = try SystemCalls.seek(file.raw, Int64(hole), SEEK_CUR)
    }
    try SystemCalls.truncate(file.raw, try SystemCalls.seek(file.raw, 0, SEEK_CUR))
    return url
  }
}

/// Holes in files, which a stream transfers as runs of zeros instead of bytes.
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct ZerosTests {
  private static let gibibyte: UInt64 = 1 << 30

  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
  }

  /// Writes a file with text between two holes.
  private func sparseFile(_ before: UInt64, _ text: String, _ after: UInt64 = 0) throws -> URL {
    try directory.writeSparse([("", before), (text, after)])
  }

  private func item(_ file: URL) -> ItemProvider {
    let item = ItemProvider(suggestedName: "sparse")
    item.fileAttributes.folder = "a/b"
    item.registerFile(.data) { _ in SentTransferredFile(file) }
    return item
  }

  private func dropFile(_ item: ItemProvider, _ name: String = "a.drop") async throws -> DropFile {
    let path = directory.file(name).path
    try await DropStream.withWriter(to: .file(path)) { try await $0.write(item) }
    try await DropFile.verify(path)
    #expect(try allocatedBytes(path) < 1 << 20)
    return try await DropFile(path: path)
  }

  private func streamed(_ item: ItemProvider) async throws -> [UInt8] {
    try await writtenBytes { try await $0.write(item) }
  }

  /// Returns a stream with one item whose content is these runs of zeros.
  private func stream(of runs: [UInt64], byteCount: UInt64? = nil) -> [UInt8] {
    StreamBuilder.stream { stream in
      stream.offer(byteCount: byteCount)
      for run in runs { stream.zeros(run) }
      stream.endOfRepresentation(runs.reduce(0, &+))
      stream.endOfItem()
    }
  }

  private func allocatedBytes(_ path: String) throws -> Int64 {
    var status = stat()
    try #require(stat(path, &status) == 0)
    return Int64(status.st_blocks) * 512
  }

  @Test func writerSendsHolesAsRuns() async throws {
    let text = "Hail, Odysseus"
    let bytes = try await streamed(item(try sparseFile(1 << 20, text, 2 << 20)))
    #expect(bytes.count < 1 << 20)
    let content = [UInt8](repeating: 0, count: 1 << 20) + Array(text.utf8) + [UInt8](repeating: 0, count: 2 << 20)
    try await expectItems([ReceivedItem("sparse", ["public.data": content])], pipeOutcome(of: bytes))
  }

  @Test func shortHolesDoNotSplitTheData() async throws {
    let piece = String(repeating: "7", count: 4096)
    // The last hole is long enough to be sent as zeros.
    let url = try directory.writeSparse((0..<300).map { (piece, $0 < 299 ? 4096 : 2 << 20) })
    let dataEnd = 300 * 8192 - 4096
    let overhead = try await streamed(item(url)).count - dataEnd
    #expect(overhead > 0 && overhead < 2048, "\(overhead)")
  }

  @Test func receiverPreservesHoles() async throws {
    let fixture = try FolderFixture()
    let file = try sparseFile(8 * Self.gibibyte, "end")
    let files = try await fixture.receive(try await streamed(item(file)))
    #expect(files.map(\.byteCount) == [8 * Self.gibibyte + 3])
    let path = fixture.file("a/b/sparse").path
    #expect(try SystemCalls.statusAt(DropEndpoint.currentDirectory, path).size == Int64(8 * Self.gibibyte) + 3)
    #expect(try allocatedBytes(path) < 1 << 20)
  }

  @Test func runsCountAgainstTheLimitOfBytesAndThePromisedSize() throws {
    let limits = DropStreamLimits.setting { $0.bytes = 4 << 10 }
    for (runs, code) in [
      ([4 << 10], nil), ([1 << 11, (1 << 11) + 1], .limitExceeded), ([UInt64.max], .limitExceeded),
    ] as [([UInt64], DropStreamError.Code?)] {
      expectCode(code, outcome(of: stream(of: runs), limits: limits))
    }
    for (runs, code) in [([5000, 5000], nil), ([5000, 5001], .damaged), ([9999], .damaged)]
      as [([UInt64], DropStreamError.Code?)]
    {
      expectCode(code, outcome(of: stream(of: runs, byteCount: 10_000)))
    }
  }

  @Test func invalidRunsAreRefused() async throws {
    try requireFailure(.damaged, outcome(of: stream(of: [0])))
    let fixture = try FolderFixture()
    for runs in [[UInt64.max], [UInt64(Int64.max), 1]] {
      let error = await #expect(throws: DropStreamError.self) { try await fixture.receive(stream(of: runs)) }
      #expect(error?.code == .limitExceeded || error?.code == .systemCall)
      try fixture.expect(names: [])
    }
    try requireFailure(.damaged, outcome(of: StreamBuilder.stream { $0.zeros(1) }))
  }

  @Test func dropFileAndItsCopyHaveHoles() async throws {
    let file = try sparseFile(8 << 20, "middle", 8 << 20)
    let drop = try await dropFile(item(file))
    try await drop.item(at: 0).expect(Data(contentsOf: file))
    _ = try await dropFile(try await drop.item(at: 0), "copy.drop")
    let bytes = try await streamed(try await drop.item(at: 0))
    #expect(bytes.count < 1 << 20 && outcome(of: bytes).code == nil)
  }

  /// Writes a drop file with a hole that would take an hour to read, and a text between it and a shorter hole.
  private func longDropFile() async throws -> (file: DropFile, size: UInt64, textOffset: UInt64) {
    let before = 1024 * Self.gibibyte
    let file = try await dropFile(item(try sparseFile(before, "middle", 3 << 20)))
    let content = try await file.contents(ofItem: 0)[0]
    return (file, content.byteCount, content.offset + UInt64(FrameHeader.length) + before)
  }

  @Test func holesOfADropFileAreNotRead() async throws {
    let ((drop, size, _), target) = (try await longDropFile(), directory.file("out").path)
    #expect(try await drop.extract(item: 0, representation: 0, to: target) == size)
    #expect(try SystemCalls.statusAt(DropEndpoint.currentDirectory, target).size == Int64(size))
    #expect(try allocatedBytes(target) < 1 << 20)
    let text = try FileHandle(forReadingFrom: URL(fileURLWithPath: target))
    try text.seek(toOffset: 1024 * Self.gibibyte - 1)
    #expect(try text.read(upToCount: 8) == Data("\0middle\0".utf8))
  }

  @Test func bytesBetweenHolesAreVerified() async throws {
    let (_, _, textOffset) = try await longDropFile()
    let path = directory.file("a.drop").path
    let file = try OwnedDescriptor.open(path, O_WRONLY)
    _ = try SystemCalls.seek(file.raw, Int64(textOffset), SEEK_SET)
    try Array("M".utf8).withUnsafeBytes { try SystemCalls.writeAll(file.raw, $0) }
    try await requireDropError(.damaged) { try await DropFile.verify(path) }
    let (drop, target) = (try await DropFile(path: path), directory.file("out").path)
    try await requireDropError(.damaged) { try await drop.extract(item: 0, representation: 0, to: target) }
  }

  @Test func dropFileWithRunsIsReadAndVerified() async throws {
    let provider = ItemProvider(loading: .data) { _ in Data() }
    let path = directory.file("a.drop").path
    var output = try StreamOutput(.file(path), DropStreamOptions())
    try output.beginItem(provider.representations, suggestedName: "a", attributes: ItemFileAttributes())
    output.beginContent(byteCount: nil)
    try output.send(zeros: 300_000)
    output.append(Data("end".utf8))
    output.endContent()
    output.endItem(representationCount: 1)
    try output.finish()
    let drop = try await DropFile(path: path)
    #expect(try await drop.item(at: 0).data(for: .data) == Data(count: 300_000) + Data("end".utf8))
    _ = try await DropFile.verify(path)
  }
}

/// Holes in files, which a session transfers as runs of zeros instead of bytes.
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct SessionZerosTests {
  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
  }

  /// Writes a file of the pieces, with a hole of `length` bytes after each piece.
  private func sparseFile(_ pieces: [String], length: UInt64) throws -> URL {
    try directory.writeSparse(pieces.map { ($0, length) })
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
    #expect(UInt64(status.st_size) == 3 * hole + 9 && status.st_blocks * 512 < 1 << 20)
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
