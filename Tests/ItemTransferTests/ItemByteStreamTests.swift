// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import Foundation
import Glibc
import TestSupport
import Testing
import UniformTypes

@testable import ItemTransfer

@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct ItemByteStreamTests {
  /// Returns a provider of a stream that creates its chunks on demand and counts them.
  private func counting(
    _ chunks: [Data], _ made: Counter = Counter(), size: ItemSize = .unknown, failure: Failure? = nil
  ) -> ItemProvider {
    let provider = ItemProvider(suggestedName: "a.bin")
    provider.registerStream(.data, size: size) { _ in
      AsyncThrowingStream<Data, any Error>(unfolding: {
        guard made.count < chunks.count else {
          if let failure { throw failure }
          return nil
        }
        defer { made.increase() }
        return chunks[made.count]
      })
    }
    return provider
  }

  private func collect(_ stream: ItemByteStream) async throws(ItemProviderError) -> [Data] {
    var all: [Data] = []
    for try await chunk in stream { all.append(chunk) }
    return all
  }

  @Test func chunksArriveOnDemandOnceWithoutEmptyOnes() async throws {
    let made = Counter()
    let stream = try await counting([Data("ab".utf8), Data(), Data("c".utf8)], made).bytes(for: .data)
    #expect(made.count == 0 && stream.contentType == .data)
    var chunks = stream.makeAsyncIterator()
    var found = [try await chunks.next()]
    #expect(made.count == 1)
    for _ in 0..<3 { found.append(try await chunks.next()) }
    #expect(found == [Data("ab".utf8), Data("c".utf8), nil, nil])
    #expect(try await collect(stream).isEmpty)
  }

  @Test func streamLoadsAsDataFileAndSavedFile() async throws {
    let directory = try TemporaryDirectory()
    for count in [0, 40] {
      let chunks = (0..<count).map { Data(repeating: UInt8($0), count: 30_000) }
      let whole = chunks.reduce(Data(), +)
      #expect(try await counting(chunks).data(for: .data) == whole)
      #expect(try await collect(try await counting(chunks).bytes(for: .data)) == chunks)
      #expect(try await counting(chunks).withFile(for: .data) { try Data(contentsOf: $0) } == whole)
      let file = try await counting(chunks).saveFile(for: .data, in: directory.url)
      #expect(try file.lastPathComponent == "a.bin" && Data(contentsOf: file) == whole)
      try FileManager.default.removeItem(at: file)
    }
  }

  @Test func dataAndFilesLoadInChunks() async throws {
    let whole = Data((0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
    let directory = try TemporaryDirectory()
    let file = try directory.write(whole, to: "big.bin")
    let provider = ItemProvider(ofFile: file, .pdf)
    provider.register(.png) { _ in whole }
    for type in [UTType.png, .pdf] {
      let chunks = try await collect(try await provider.bytes(for: type))
      #expect(chunks.count > 1 && chunks.reduce(Data(), +) == whole)
    }
  }

  @Test func modifiedFileFailsBeforeItsEnd() async throws {
    let directory = try TemporaryDirectory()
    let file = try directory.writeOld(Data(repeating: 1, count: 1_000_000), to: "saga")
    var stream = try await ItemProvider(ofFile: file).bytes(for: .data).makeAsyncIterator()
    #expect(try await stream.next() != nil)
    try directory.overwriteEnd(of: file)
    let error = try await requireProviderError(.fileUnavailable, .data) { while try await stream.next() != nil {} }
    #expect("\(error)".hasSuffix("saga changed while it was read"), "\(error)")
  }

  @Test func errorMidwayFailsEveryLoad() async throws {
    let provider = { counting([Data("ab".utf8)], failure: Failure()) }
    var stream = try await provider().bytes(for: .data).makeAsyncIterator()
    #expect(try await stream.next() == Data("ab".utf8))
    try await requireProviderError(.representationFailed, .data, from: Failure()) { try await stream.next() as Data? }
    #expect(try await stream.next() == nil)
    let directory = try TemporaryDirectory()
    for load in Self.loads(into: directory.url) {
      try await requireProviderError(.representationFailed, .data, from: Failure()) { try await load(provider()) }
    }
    #expect(try names(in: directory.url) == [])
  }

  /// Returns all ways to load the bytes of an item, but the stream.
  private static func loads(into directory: URL) -> [(ItemProvider) async throws -> Void] {
    [
      { _ = try await $0.data(for: .data) }, { try await $0.withFile(for: .data) { _ in } },
      { _ = try await $0.saveFile(for: .data, in: directory) },
    ]
  }

  @Test func releasedStreamEndsItsProgressAndClosesItsFile() async throws {
    let directory = try TemporaryDirectory()
    let file = try directory.write(Data(count: 1 << 20), to: "big")
    let provider = ItemProvider(ofFile: file)
    for reads in 0..<3 {
      let progress = ItemProgress()
      do {
        let stream = try await provider.bytes(for: .data, progress: progress)
        if reads > 0 {
          var chunks = stream.makeAsyncIterator()
          for _ in 0..<reads { _ = try await chunks.next() }
        }
      }
      try await wait(for: "the end of the progress") { progress.snapshot.ending == .cancelled }
      // The last reading thread may keep the file open for a moment longer.
      try await wait(for: "the end of the file") {
        try !FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
          .compactMap { try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)") }
          .contains(file.path)
      }
    }
  }

  @Test func largeStreamIsNeverCompleteInMemory() async throws {
    let chunk = Data(repeating: 7, count: 1 << 20)
    let count = 64
    let made = Counter()
    let provider = counting(Array(repeating: chunk, count: count), made, size: .exact(Int64(count << 20)))
    var total = 0
    for try await chunk in try await provider.bytes(for: .data) {
      total += chunk.count
      if made.count > total >> 20 + 1 { Issue.record("\(made.count) chunks after \(total) bytes") }
    }
    #expect(total == count << 20)
  }

  // MARK: Sizes

  /// Returns providers of the same bytes in every form, with a size that may be wrong.
  private func providers(_ data: Data, _ size: ItemSize, _ directory: TemporaryDirectory) throws -> [ItemProvider] {
    let file = try directory.write(data, to: "source.bin")
    let provider = ItemProvider(suggestedName: "copy.bin")
    provider.registerFile(.data, size: size) { _ in SentTransferredFile(file) }
    return [ItemProvider(of: .data, size: size) { _ in data }, provider, counting(data.map { Data([$0]) }, size: size)]
  }

  @Test func keptPromiseIsAcceptedAndEstimatesAreNotEnforced() async throws {
    let directory = try TemporaryDirectory()
    let data = Data("four".utf8)
    for size in [ItemSize.exact(4), .estimated(1), .estimated(400), .estimated(-1), .unknown] {
      for number in 0..<3 {
        // A stream has one pass.
        let provider = { try providers(data, size, directory)[number] }
        let progress = ItemProgress()
        #expect(try await provider().data(for: .data, progress: progress) == data)
        #expect(progress.snapshot.fraction == 1)
        #expect(try await provider().withFile(for: .data) { try Data(contentsOf: $0) } == data)
        #expect(try await collect(try await provider().bytes(for: .data)).reduce(Data(), +) == data)
      }
    }
  }

  @Test(arguments: [3, 5, 0])
  func brokenPromiseFailsWithBothNumbers(promised: Int64) async throws {
    let directory = try TemporaryDirectory()
    for number in 0..<3 {
      let provider = { try providers(Data("four".utf8), .exact(promised), directory)[number] }
      let progress = ItemProgress()
      let error = try await requireProviderError(.wrongSize, .data) {
        try await provider().data(for: .data, progress: progress)
      }
      let sizes = try #require(error.underlyingError as? ItemSizeError)
      #expect(sizes.promised == promised && "\(error)".contains("\(promised)"))
      #expect(promised > 4 ? sizes.actual == 4 : sizes.actual > promised)
      #expect(progress.snapshot.ending == .failed)
      let target = try TemporaryDirectory()
      for load in Self.loads(into: target.url) + [{ for try await _ in try await $0.bytes(for: .data) {} }] {
        try await requireProviderError(.wrongSize, .data) { try await load(provider()) }
      }
      #expect(try names(in: target.url) == [])
    }
  }

  @Test func progressNeverExceedsTheExpectedSize() async throws {
    let provider = counting([Data(count: 30), Data(count: 50), Data(count: 40)], size: .estimated(100))
    let progress = ItemProgress()
    var fractions: [Double] = []
    for try await _ in try await provider.bytes(for: .data, progress: progress) {
      #expect(progress.snapshot.phase == .transferring)
      fractions.append(progress.snapshot.fraction)
    }
    #expect(fractions == [0.3, 0.8, 1] && progress.snapshot.isFinished)
  }
}

/// Holes of sparse files.
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct FileHolesTests {
  private static let least: UInt64 = 1 << 20

  /// Skips the holes and reads the data of a file whose data is at the given extents.
  ///
  /// - Returns: The length of each skipped hole.
  private func holes(size: UInt64, data: [Range<UInt64>]) -> [UInt64] {
    var holes = FileHoles(size: size)
    var position: UInt64 = 0
    var lengths: [UInt64] = []
    while position < size {
      let hole = holes.length(at: position) { (offset, target) -> UInt64? in
        let extent = data.first { $0.upperBound > offset }
        return switch target {
        case .data: extent.map { max($0.lowerBound, offset) }
        case .hole: extent.map { $0.contains(offset) ? $0.upperBound : offset } ?? offset
        }
      }
      position += hole ?? 0
      lengths.append(hole ?? 0)
      guard position < size, holes.dataEnd > position else { break }
      position = holes.dataEnd
    }
    return lengths
  }

  @Test func holesAreSkippedFromTheShortestWorthIt() {
    let least = Self.least
    for (size, data, expected) in [
      (2 * least, [], [2 * least]), (least, [], [least]), (least - 1, [], [0]),
      (3 * least, [least..<3 * least], [least]), (3 * least, [least - 1..<3 * least], [0]),
      (3 * least, [0..<5, 9..<2 * least], [0, least]),
    ] as [(UInt64, [Range<UInt64>], [UInt64])] {
      #expect(holes(size: size, data: data) == expected)
    }
  }

  @Test func randomSparseFilesStreamAsTheirBytes() async throws {
    var random = SeededGenerator.announced("sparse files")
    let directory = try TemporaryDirectory()
    for _ in 0..<10 {
      let url = directory.file("sparse")
      let file = open(url.path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
      defer { close(file) }
      var expected = Data()
      for _ in 0..<Int.random(in: 1...6, using: &random) {
        let isHole = Bool.random(using: &random)
        let count = Int.random(in: 0...(isHole ? 3 << 20 : 300_000), using: &random)
        let piece = isHole ? Data(count: count) : Data(repeating: 7, count: count)
        if !isHole { piece.withUnsafeBytes { _ = pwrite(file, $0.baseAddress, count, off_t(expected.count)) } }
        expected += piece
      }
      try #require(ftruncate(file, off_t(expected.count)) == 0)
      var streamed = Data()
      for try await chunk in try await ItemProvider(ofFile: url).bytes(for: .data) { streamed += chunk }
      #expect(streamed == expected)
    }
  }

  @Test func longHolesShareTheirBytes() async throws {
    let directory = try TemporaryDirectory()
    let url = try directory.write(Data(), to: "hole")
    try #require(truncate(url.path, 64 << 30) == 0)
    var count: UInt64 = 0
    for try await chunk in try await ItemProvider(ofFile: url).bytes(for: .data) {
      count += UInt64(chunk.count)
      if !chunk.isOfHole || !chunk.withUnsafeBytes(\.isHole) { Issue.record("no hole before \(count)") }
    }
    #expect(count == 64 << 30)
    #expect(!Data(count: 1 << 20).isOfHole && Data(count: 1 << 20).withUnsafeBytes(\.isHole))
  }
}
