// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import Foundation
import ItemTransfer
import TestSupport
import Testing
import UniformTypes

@testable import DropTransport

/// Holes in files, which a stream transfers as runs of zeros instead of bytes.
///
/// To write the golden file again: `DRAGPIPE_WRITE_GOLDEN=1 swift test --filter ZerosTests`.
@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct ZerosTests {
  private static let golden = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("Golden/sparse-1.0.drop")
  private static let gibibyte: UInt64 = 1 << 30

  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
  }

  /// Writes a file with text between two holes.
  private func sparseFile(_ before: UInt64, _ text: String, _ after: UInt64 = 0) throws -> URL {
    let url = directory.file("sparse")
    let file = try OwnedDescriptor.open(url.path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    _ = try SystemCalls.seek(file.raw, Int64(before), SEEK_SET)
    try Array(text.utf8).withUnsafeBytes { try SystemCalls.writeAll(file.raw, $0) }
    try SystemCalls.truncate(file.raw, Int64(before) + Int64(text.utf8.count) + Int64(after))
    return url
  }

  private func item(_ file: URL) -> ItemProvider {
    let item = ItemProvider(suggestedName: "sparse")
    item.fileAttributes.folder = "a/b"
    item.registerFile(.data) { _ in SentTransferredFile(file) }
    return item
  }

  private func streamed(_ item: ItemProvider) async throws -> [UInt8] {
    let pair = try DescriptorPair.pipe()
    async let bytes = readAll(pair.read)
    try await DropStream.withWriter(to: pair.writer) { try await $0.write(item) }
    return try await bytes
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

  @Test(arguments: [0, 1, 2, 3, 4095, 4096, 65_537, 1 << 20] as [UInt64])
  func checksumOfARunEqualsTheChecksumOfItsBytes(_ count: UInt64) {
    var (bytes, zeros) = (CRC32C(), CRC32C())
    Array("Hail".utf8).withUnsafeBytes {
      bytes.update($0)
      zeros.update($0)
    }
    [UInt8](repeating: 0, count: Int(count)).withUnsafeBytes { bytes.update($0) }
    zeros.update(zeros: count)
    #expect(bytes == zeros)
  }

  @Test func checksumOfTwoRunsEqualsTheChecksumOfOneLongRun() {
    var (one, two) = (CRC32C(), CRC32C())
    one.update(zeros: UInt64(Int64.max))
    two.update(zeros: 123_456_789_012_345)
    two.update(zeros: UInt64(Int64.max) - 123_456_789_012_345)
    #expect(one == two)
  }

  @Test func encoderProducesTheGoldenFile() throws {
    var encoder = FrameEncoder()
    var bytes: [UInt8] = []
    var attributes = ItemFileAttributes()
    attributes.folder = "a/b"
    encoder.appendPreamble(to: &bytes)
    encoder.appendOffer(
      DropOffer(
        suggestedName: "sparse", attributes: attributes, representations: [.init(typeIdentifier: "public.data")]),
      to: &bytes)
    encoder.appendZeros(1 << 20, to: &bytes)
    Array("Hail, Odysseus".utf8).withUnsafeBytes { encoder.appendData($0, whole: false, to: &bytes) }
    encoder.appendZeros(1 << 21, to: &bytes)
    encoder.appendEndOfRepresentation(byteCount: (3 << 20) + 14, to: &bytes)
    encoder.appendEndOfItem(representationCount: 1, to: &bytes)
    encoder.appendEndOfStream(to: &bytes)
    if ProcessInfo.processInfo.environment["DRAGPIPE_WRITE_GOLDEN"] == "1" { try Data(bytes).write(to: Self.golden) }
    #expect(bytes.hexText == Array(try Data(contentsOf: Self.golden)).hexText)
  }

  @Test func goldenFileHasTheExpectedFrames() throws {
    let bytes = Array(try Data(contentsOf: Self.golden))
    let text = Array("Hail, Odysseus".utf8)
    let stream = StreamBuilder.stream { stream in
      stream.offer(
        StreamBuilder.field(OfferField.suggestedName, Array("sparse".utf8))
          + StreamBuilder.field(OfferField.folder, Array("a/b".utf8)) + StreamBuilder.fields(["public.data"]))
      stream.zeros(1 << 20)
      stream.chunk(text)
      stream.zeros(1 << 21)
      stream.endOfRepresentation((3 << 20) + 14)
      stream.endOfItem()
    }
    #expect(bytes.hexText == stream.hexText)
    let content = [UInt8](repeating: 0, count: 1 << 20) + text + [UInt8](repeating: 0, count: 1 << 21)
    #expect(outcome(of: bytes) == [ReceivedItem("sparse", ["public.data": content])])
  }

  @Test func writerSendsHolesAsRuns() async throws {
    let text = "Hail, Odysseus"
    let bytes = try await streamed(item(try sparseFile(1 << 20, text, 2 << 20)))
    #expect(bytes.count < 1 << 20)
    let content = [UInt8](repeating: 0, count: 1 << 20) + Array(text.utf8) + [UInt8](repeating: 0, count: 2 << 20)
    #expect(outcome(of: bytes) == [ReceivedItem("sparse", ["public.data": content])])
  }

  @Test func shortHolesDoNotSplitTheData() async throws {
    let url = directory.file("extents")
    let file = try OwnedDescriptor.open(url.path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    let piece = [UInt8](repeating: 7, count: 4096)
    for index in 0..<300 as Range<Int64> {
      _ = try SystemCalls.seek(file.raw, index * 8192, SEEK_SET)
      try piece.withUnsafeBytes { try SystemCalls.writeAll(file.raw, $0) }
    }
    // The last hole is long enough to be sent as zeros.
    let dataEnd = 300 * 8192 - 4096
    try SystemCalls.truncate(file.raw, Int64(dataEnd + (2 << 20)))
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

  @Test func runsCountAgainstTheLimitOfBytes() throws {
    var limits = DropStreamLimits()
    limits.bytes = 4 << 10
    #expect(outcome(of: stream(of: [4 << 10]), limits: limits).code == nil)
    try requireFailure(.limitExceeded, outcome(of: stream(of: [1 << 11, (1 << 11) + 1]), limits: limits))
    try requireFailure(.limitExceeded, outcome(of: stream(of: [UInt64.max]), limits: limits))
  }

  @Test func runsCountAgainstThePromisedSize() throws {
    #expect(outcome(of: stream(of: [5000, 5000], byteCount: 10_000)).code == nil)
    try requireFailure(.damaged, outcome(of: stream(of: [5000, 5001], byteCount: 10_000)))
    try requireFailure(.damaged, outcome(of: stream(of: [9999], byteCount: 10_000)))
  }

  @Test func invalidRunsAreRefused() async throws {
    try requireFailure(.damaged, outcome(of: stream(of: [0])))
    let fixture = try FolderFixture()
    for runs in [[UInt64.max], [UInt64(Int64.max), 1]] {
      let error = await #expect(throws: DropStreamError.self) { try await fixture.receive(stream(of: runs)) }
      #expect(error?.code == .limitExceeded || error?.code == .systemCall)
      #expect(try fixture.names == [])
    }
    try requireFailure(.damaged, outcome(of: StreamBuilder.stream { $0.zeros(1) }))
  }

  @Test func providerOfASparseFileReturnsAllBytes() async throws {
    let file = try sparseFile(3 << 20, "end")
    let bytes = try await streamed(item(file))
    try await DropStream.withReader(from: .descriptor(try pipe(holding: bytes))) { items in
      for try await item in items { #expect(try await item.data(for: .data) == Data(contentsOf: file)) }
    }
  }

  @Test func dropFileHasAHoleInItsFrame() async throws {
    let file = try sparseFile(8 << 20, "middle", 8 << 20)
    let path = directory.file("a.drop").path
    try await DropStream.withWriter(to: .file(path)) { try await $0.write(item(file)) }
    #expect(try allocatedBytes(path) < 1 << 20)
    let drop = try await DropFile(path: path)
    #expect(try await drop.item(at: 0).data(for: .data) == Data(contentsOf: file))
    _ = try await DropFile.verify(path)
  }

  /// Writes a drop file with a hole that would take an hour to read, and a text between it and a shorter hole.
  private func longDropFile() async throws -> (path: String, size: UInt64, textOffset: UInt64) {
    let before = 1024 * Self.gibibyte
    let path = directory.file("long.drop").path
    let file = try sparseFile(before, "middle", 3 << 20)
    try await DropStream.withWriter(to: .file(path)) { try await $0.write(item(file)) }
    let content = try await DropFile(path: path).contents(ofItem: 0)[0]
    return (path, content.byteCount, content.offset + UInt64(FrameHeader.length) + before)
  }

  @Test func holesOfADropFileAreNotRead() async throws {
    let (path, size, _) = try await longDropFile()
    #expect(try await DropFile.verify(path).hasIndex)
    let (drop, target) = (try await DropFile(path: path), directory.file("out").path)
    #expect(try await drop.extract(item: 0, representation: 0, to: target) == size)
    #expect(try SystemCalls.statusAt(DropEndpoint.currentDirectory, target).size == Int64(size))
    #expect(try allocatedBytes(target) < 1 << 20)
    let text = try FileHandle(forReadingFrom: URL(fileURLWithPath: target))
    try text.seek(toOffset: 1024 * Self.gibibyte - 1)
    #expect(try text.read(upToCount: 8) == Data("\0middle\0".utf8))
  }

  @Test func copiedItemsKeepTheirHoles() async throws {
    let file = try sparseFile(64 << 20, "middle", 3 << 20)
    let path = directory.file("a.drop").path
    try await DropStream.withWriter(to: .file(path)) { try await $0.write(item(file)) }
    let drop = try await DropFile(path: path)
    let copy = directory.file("copy.drop").path
    try await DropStream.withWriter(to: .file(copy)) { try await $0.write(try await drop.item(at: 0)) }
    #expect(try allocatedBytes(copy) < 1 << 20)
    _ = try await DropFile.verify(copy)
    let bytes = try await streamed(try await drop.item(at: 0))
    #expect(bytes.count < 1 << 20)
    #expect(outcome(of: bytes).code == nil)
  }

  @Test func holesAreExtractedWithoutTheKernelsCopy() async throws {
    let file = try sparseFile(8 << 20, "middle", 3 << 20)
    let path = directory.file("a.drop").path
    try await DropStream.withWriter(to: .file(path)) { try await $0.write(item(file)) }
    let drop = try await DropFile(path: path)
    let content = try await drop.contents(ofItem: 0)[0]
    let target = directory.file("out")
    let output = try OwnedDescriptor.open(target.path, O_RDWR | O_CREAT | O_TRUNC, 0o600)
    _ = try DropFileExtraction(drop.handle, content, Interruption()) { _, _, _ in 0 }.write(to: output, name: "out")
    #expect(try Data(contentsOf: target) == Data(contentsOf: file))
    #expect(try allocatedBytes(target.path) < 1 << 20)
  }

  @Test func bytesBetweenHolesAreVerified() async throws {
    let (path, _, textOffset) = try await longDropFile()
    let file = try OwnedDescriptor.open(path, O_WRONLY)
    _ = try SystemCalls.seek(file.raw, Int64(textOffset), SEEK_SET)
    try Array("M".utf8).withUnsafeBytes { try SystemCalls.writeAll(file.raw, $0) }
    try await requireDropError(.damaged) { try await DropFile.verify(path) }
    let (drop, target) = (try await DropFile(path: path), directory.file("out").path)
    try await requireDropError(.damaged) { try await drop.extract(item: 0, representation: 0, to: target) }
  }

  @Test func dropFileWithRunsIsReadAndVerified() async throws {
    let provider = ItemProvider()
    provider.register(.data) { _ in Data() }
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
