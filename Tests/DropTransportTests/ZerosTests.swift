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
@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct ZerosTests {
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

  /// Writes a drop file with an item.
  private func dropFile(_ item: ItemProvider, _ name: String = "a.drop") async throws -> DropFile {
    let path = directory.file(name).path
    try await DropStream.withWriter(to: .file(path)) { try await $0.write(item) }
    try await DropFile.verify(path)
    #expect(try allocatedBytes(path) < 1 << 20)
    return try await DropFile(path: path)
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

  @Test func writerSendsHolesAsRuns() async throws {
    let text = "Hail, Odysseus"
    let bytes = try await streamed(item(try sparseFile(1 << 20, text, 2 << 20)))
    #expect(bytes.count < 1 << 20)
    let content = [UInt8](repeating: 0, count: 1 << 20) + Array(text.utf8) + [UInt8](repeating: 0, count: 2 << 20)
    #expect(try await pipeOutcome(of: bytes) == [ReceivedItem("sparse", ["public.data": content])])
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

  @Test func runsCountAgainstTheLimitOfBytesAndThePromisedSize() throws {
    let limits = DropStreamLimits.setting { $0.bytes = 4 << 10 }
    for (runs, code) in [
      ([4 << 10], nil), ([1 << 11, (1 << 11) + 1], .limitExceeded), ([UInt64.max], .limitExceeded),
    ] as [([UInt64], DropStreamError.Code?)] {
      #expect(outcome(of: stream(of: runs), limits: limits).code == code)
    }
    for (runs, code) in [([5000, 5000], nil), ([5000, 5001], .damaged), ([9999], .damaged)]
      as [([UInt64], DropStreamError.Code?)]
    {
      #expect(outcome(of: stream(of: runs, byteCount: 10_000)).code == code)
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
    #expect(bytes.count < 1 << 20)
    #expect(outcome(of: bytes).code == nil)

    // Holes are also extracted without the kernel's copy.
    let content = try await drop.contents(ofItem: 0)[0]
    let target = directory.file("out")
    let output = try OwnedDescriptor.open(target.path, O_RDWR | O_CREAT | O_TRUNC, 0o600)
    _ = try DropFileExtraction(drop.handle, content, Interruption()) { _, _, _ in 0 }.write(to: output, name: "out")
    #expect(try Data(contentsOf: target) == Data(contentsOf: file))
    #expect(try allocatedBytes(target.path) < 1 << 20)
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
