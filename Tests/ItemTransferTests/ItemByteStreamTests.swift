// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import ItemTransfer
import TestSupport
import Testing
import UniformTypes

@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct ItemByteStreamTests {
  /// Returns a provider of a stream that creates its chunks on demand and counts them.
  private func counting(_ chunks: [Data], _ made: Counter = Counter(), failure: Failure? = nil) -> ItemProvider {
    let provider = ItemProvider(suggestedName: "a.bin")
    provider.registerStream(.data) { _ in
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

  @Test func chunksArriveOnDemandWithoutEmptyOnes() async throws {
    let made = Counter()
    let provider = counting([Data("ab".utf8), Data(), Data("c".utf8)], made)
    let stream = try await provider.bytes(for: .data)
    #expect(made.count == 0 && stream.contentType == .data)
    var chunks = stream.makeAsyncIterator()
    #expect(try await chunks.next() == Data("ab".utf8))
    #expect(made.count == 1)
    #expect(try await chunks.next() == Data("c".utf8))
    #expect(try await chunks.next() == nil)
    #expect(try await chunks.next() == nil)
  }

  @Test func streamIsSinglePass() async throws {
    let stream = try await counting([Data("ab".utf8)]).bytes(for: .data)
    #expect(try await collect(stream) == [Data("ab".utf8)])
    #expect(try await collect(stream).isEmpty)
  }

  @Test func streamLoadsAsDataFileAndSavedFile() async throws {
    let chunks = (0..<40).map { Data(repeating: UInt8($0), count: 30_000) }
    let whole = chunks.reduce(Data(), +)
    #expect(try await counting(chunks).data(for: .data) == whole)
    #expect(try await counting(chunks).withFile(for: .data) { try Data(contentsOf: $0) } == whole)
    let directory = try TemporaryDirectory()
    let file = try await counting(chunks).saveFile(for: .data, in: directory.url)
    #expect(file.lastPathComponent == "a.bin")
    #expect(try Data(contentsOf: file) == whole)
  }

  @Test func dataAndFilesLoadInChunks() async throws {
    let whole = Data((0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
    let directory = try TemporaryDirectory()
    let file = try directory.write(whole, to: "big.bin")
    let provider = ItemProvider()
    provider.register(.png) { _ in whole }
    provider.registerFile(.pdf) { _ in SentTransferredFile(file) }
    for type in [UTType.png, .pdf] {
      let chunks = try await collect(try await provider.bytes(for: type))
      #expect(chunks.count > 1 && chunks.reduce(Data(), +) == whole)
    }
  }

  @Test func emptyContentHasNoChunks() async throws {
    #expect(try await collect(try await counting([]).bytes(for: .data)).isEmpty)
    #expect(try await counting([]).data(for: .data).isEmpty)
  }

  @Test func modifiedFileFailsBeforeItsEnd() async throws {
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    let file = try directory.writeOld(Data(repeating: 1, count: 1_000_000), to: "saga")
    let provider = ItemProvider(contentsOf: file, contentType: .data)
    var stream = try await provider.bytes(for: .data).makeAsyncIterator()
    #expect(try await stream.next() != nil)
    try directory.overwriteEnd(of: file)
    let error = try await requireProviderError(.fileUnavailable, .data) { while try await stream.next() != nil {} }
    #expect("\(error)".hasSuffix("saga changed while it was read"), "\(error)")
  }

  @Test func errorMidwayFailsTheLoadAndLeavesNoFile() async throws {
    let earlier = try filesUnderWay()
    let directory = try TemporaryDirectory()
    let chunks = [Data("ab".utf8)]
    let provider = { counting(chunks, failure: Failure()) }
    var stream = try await provider().bytes(for: .data).makeAsyncIterator()
    #expect(try await stream.next() == Data("ab".utf8))
    let error = try await requireProviderError(.representationFailed, .data) { try await stream.next() as Data? }
    #expect(error.underlyingError as? Failure == Failure())
    #expect(try await stream.next() == nil)
    _ = try await requireProviderError(.representationFailed, .data) { try await provider().data(for: .data) }
    _ = try await requireProviderError(.representationFailed, .data) {
      try await provider().withFile(for: .data) { _ in }
    }
    _ = try await requireProviderError(.representationFailed, .data) {
      try await provider().saveFile(for: .data, in: directory.url)
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory.url.path).isEmpty)
    try await expectNothingStays(since: earlier)
  }

  // MARK: Sizes

  /// Returns providers of the same bytes in every form, with a size that may be wrong.
  private func providers(_ data: Data, _ size: ItemSize, _ directory: TemporaryDirectory) throws -> [ItemProvider] {
    let file = try directory.write(data, to: "source.bin")
    let providers = (0..<3).map { _ in ItemProvider(suggestedName: "copy.bin") }
    providers[0].register(.data, size: size) { _ in data }
    providers[1].registerFile(.data, size: size) { _ in SentTransferredFile(file) }
    providers[2].registerStream(.data, size: size) { _ in
      AsyncStream<Data> { continuation in
        for byte in data { continuation.yield(Data([byte])) }
        continuation.finish()
      }
    }
    return providers
  }

  @Test func keptPromiseIsAcceptedAndEstimatesAreNotEnforced() async throws {
    let directory = try TemporaryDirectory()
    let data = Data("four".utf8)
    for size in [ItemSize.exact(4), .estimated(1), .estimated(400), .estimated(-1), .unknown] {
      for provider in try providers(data, size, directory) {
        let progress = ItemProgress()
        #expect(try await provider.data(for: .data, progress: progress) == data)
        #expect(progress.snapshot.fraction == 1)
        #expect(try await provider.withFile(for: .data) { try Data(contentsOf: $0) } == data)
        #expect(try await collect(try await provider.bytes(for: .data)).reduce(Data(), +) == data)
      }
    }
  }

  @Test(arguments: [3, 5, 0])
  func brokenPromiseFailsWithBothNumbers(promised: Int64) async throws {
    let earlier = try filesUnderWay()
    let directory = try TemporaryDirectory()
    for provider in try providers(Data("four".utf8), .exact(promised), directory) {
      let progress = ItemProgress()
      let error = try await requireProviderError(.wrongSize, .data) {
        try await provider.data(for: .data, progress: progress)
      }
      let sizes = try #require(error.underlyingError as? ItemSizeError)
      #expect(sizes.promised == promised)
      #expect(promised > 4 ? sizes.actual == 4 : sizes.actual > promised)
      #expect("\(error)".contains("\(promised)"))
      #expect(progress.snapshot.ending == .failed)
      _ = try await requireProviderError(.wrongSize, .data) { try await provider.withFile(for: .data) { _ in } }
      _ = try await requireProviderError(.wrongSize, .data) {
        for try await _ in try await provider.bytes(for: .data) {}
      }
      let target = try TemporaryDirectory()
      _ = try await requireProviderError(.wrongSize, .data) { try await provider.saveFile(for: .data, in: target.url) }
      #expect(try FileManager.default.contentsOfDirectory(atPath: target.url.path).isEmpty)
    }
    try await expectNothingStays(since: earlier)
  }

  @Test func progressNeverExceedsTheExpectedSize() async throws {
    let chunks = [Data(count: 30), Data(count: 50), Data(count: 40)]
    let provider = ItemProvider()
    provider.registerStream(.data, size: .estimated(100)) { _ in
      AsyncStream<Data> { continuation in
        for chunk in chunks { continuation.yield(chunk) }
        continuation.finish()
      }
    }
    let progress = ItemProgress()
    var fractions: [Double] = []
    for try await _ in try await provider.bytes(for: .data, progress: progress) {
      #expect(progress.snapshot.phase == .transferring)
      fractions.append(progress.snapshot.fraction)
    }
    #expect(fractions == [0.3, 0.8, 1])
    #expect(progress.snapshot.isFinished)
  }

  @Test func largeStreamIsNeverCompleteInMemory() async throws {
    let chunk = Data(repeating: 7, count: 1 << 20)
    let count = 512
    let made = Counter()
    let provider = ItemProvider()
    provider.registerStream(.data, size: .exact(Int64(count << 20))) { _ in
      AsyncThrowingStream<Data, any Error>(unfolding: {
        guard made.count < count else { return nil }
        made.increase()
        return chunk
      })
    }
    var total = 0
    for try await chunk in try await provider.bytes(for: .data) {
      total += chunk.count
      #expect(made.count <= total >> 20 + 1)
    }
    #expect(total == count << 20)
  }
}
