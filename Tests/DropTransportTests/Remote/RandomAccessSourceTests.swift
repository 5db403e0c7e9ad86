// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import Foundation
import ItemTransfer
import Synchronization
import TestSupport
import Testing
import UniformTypes

@testable import DropTransport

/// Drop files in sources other than files.
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct RandomAccessSourceTests {
  private func file(_ content: Data) async throws -> (DropFile, MemorySource) {
    let source = MemorySource(content)
    return (try await DropFile(source: source, name: "memory"), source)
  }

  @Test(arguments: [false, true]) func itemsEqualTheItemsOfTheFile(_ isPiped: Bool) async throws {
    let lengths = [0, 1, 100, 70_000, 5_000_000, 3]
    let (file, _) = try await file(dropFile(lengths, isPiped: isPiped))
    #expect(file.itemCount == lengths.count)
    var number = 0
    for try await item in file {
      #expect(item.suggestedName == "item \(number)")
      try await item.expect(Data(pattern(lengths[number])))
      number += 1
    }
    #expect(number == lengths.count)
  }

  @Test func aShortItemIsReadWithThreeReads() async throws {
    let (file, source) = try await file(dropFile([Int](repeating: 1000, count: 5000)))
    #expect(try await file.item(at: 2500).data(for: .data).count == 1000)
    // The end with the footer of the index, a page, and the item.
    #expect(source.reads.count == 3, "\(source.reads)")
    let read = source.reads.joined().map(\.count).reduce(0, +)
    #expect(read < 256 << 10, "\(read)")
  }

  @Test func consecutiveItemsAreFetchedTogether() async throws {
    let (file, source) = try await file(dropFile([Int](repeating: 100, count: 300)))
    let before = source.reads.count
    #expect(try await file.fetchItems(10..<200) == 200)
    for index in 10..<200 { #expect(try await file.item(at: index).data(for: .data).count == 100) }
    #expect(source.reads.count <= before + 2)
    #expect(try await file.fetchItems(299..<300) == 300)
    #expect(try await file.item(at: 299).data(for: .data).count == 100)
  }

  @Test func aNameIsFoundWithFewReads() async throws {
    let (file, source) = try await file(dropFile([Int](repeating: 10, count: 20_000)))
    #expect(try await file.items(named: "item 12345", limit: 2) == [12_345])
    // The end, the header of the names, the names, a page, and the offer.
    #expect(source.reads.count == 5, "\(source.reads.count)")
    #expect(try await file.items(named: "item 20000", limit: 2) == [])
    #expect(source.reads.count == 5, "\(source.reads.count)")
  }

  /// Few items have no index of their names, and a letter with its accent may be written in two ways.
  @Test(arguments: [(64, "item 63"), (200, "item 199"), (200, "cafe\u{301} 7")])
  func aNameIsFoundInTheOffers(count: Int, name: String) async throws {
    let other = name.hasSuffix("7") ? "caf\u{E9} 7" : nil
    let content = try await dropFile([Int](repeating: 20_000, count: count), lastName: other)
    let (file, source) = try await file(content)
    #expect(try await file.items(named: name, limit: 2) == [count - 1])
    #expect(source.reads.count < 12, "\(source.reads.count)")
  }

  /// Reading the offers of short items reads most of a file, so they are read in long pieces.
  @Test func offersThatAreCloseAreReadTogether() async throws {
    let (file, source) = try await file(dropFile([Int](repeating: 10, count: 10_000)))
    var start = 0
    let before = source.reads.count
    while start < file.itemCount { start = try await file.fetchOffers(from: start) }
    // A page and its offers, three times.
    #expect(source.reads.count - before == 6)
    let (long, longSource) = try await self.file(dropFile([Int](repeating: 50_000, count: 1000)))
    start = try await long.fetchOffers(from: 0)
    #expect((64...85).contains(start) && longSource.reads.last.map { $0.count } == 1)
  }

  @Test func descriptionsAreReadWithoutContent() async throws {
    let (file, source) = try await file(dropFile([5_000_000, 10]))
    let described = try await file.description(ofItem: 0)
    #expect(described.suggestedName == "item 0" && described.representations.map(\.byteCount) == [5_000_000])
    #expect(described.representations.map(\.crc32c) == [nil])
    #expect(source.reads.joined().map(\.count).reduce(0, +) < 100_000)
  }

  @Test func aRepresentationIsExtracted() async throws {
    let directory = try TemporaryDirectory()
    let (file, _) = try await file(dropFile([5_000_000]))
    let path = directory.file("out").path
    #expect(try await file.extract(item: 0, representation: 0, to: path) == 5_000_000)
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == Data(pattern(5_000_000)))
    try await requireDropError(.alreadyExists) { try await file.extract(item: 0, representation: 0, to: path) }
  }

  @Test func everyChangedByteIsDetectedOrHarmless() async throws {
    let content = try await dropFile([10, 400])
    for position in content.indices {
      var changed = content
      changed[position] ^= 0x40
      do {
        let (file, _) = try await file(changed)
        for (index, length) in [10, 400].enumerated() {
          let found = try await file.item(at: index).data(for: .data)
          if found != Data(pattern(length)) { Issue.record("wrong bytes after a change of byte \(position)") }
        }
      } catch is DropStreamError {
      } catch is ItemProviderError {
      }
    }
  }

  @Test func aTruncatedSourceOrAnotherFormatIsAnError() async throws {
    let content = try await dropFile([10, 400])
    let text = Data(String(repeating: "hero,power\n", count: 100).utf8)
    for (content, expected) in [0, 1, 16, 100, 480].map({ (content.prefix($0), $0 == 0 ? .empty : .truncated) })
      + [(text, .notADropStream)] as [(Data, DropStreamError.Code)]
    {
      #expect(await failureCode { try await file(Data(content)) } == expected, "\(content.count) bytes")
    }
  }

  @Test func tooFewBytesAreAnError() async throws {
    let content = try await dropFile([10])
    for change in [{ @Sendable in $0.map { $0.dropLast() } }, { @Sendable in Array($0.dropLast()) }]
      as [@Sendable ([Data]) -> [Data]]
    {
      try await requireDropError(.truncated, reason: "memory\\u{1b} did not return the requested bytes") {
        _ = try await DropFile(source: MemorySource(content, change: change), name: "memory\u{1B}")
      }
    }
  }

  @Test func errorsOfTheSourceAreThrown() async throws {
    struct Failure: Error {}
    let content = try await dropFile([10])
    let error = try await requireDropError(.sourceUnavailable) {
      _ = try await DropFile(source: MemorySource(content) { _ in throw Failure() }, name: "memory")
    }
    #expect(error.underlyingError is Failure)
    let code = await failureCode {
      _ = try await DropFile(
        source: MemorySource(content) { _ in throw DropStreamError(.sourceChanged, "changed") }, name: "memory")
    }
    #expect(code == .sourceChanged)
  }

  @Test func cancellationEndsTheRead() async throws {
    let content = try await dropFile([10])
    let began = Latch()
    let opening = Task {
      _ = try await DropFile(
        source: MemorySource(content) { bytes in
          began.open()
          try await Task.sleep(for: .seconds(600))
          return bytes
        }, name: "memory")
    }
    await began.wait()
    opening.cancel()
    await expectFailure(.cancelled) { try await opening.value }
  }
}

/// Returns the bytes of a drop file with items of some lengths.
func dropFile(_ lengths: [Int], isPiped: Bool = false, lastName: String? = nil) async throws -> Data {
  let directory = try TemporaryDirectory()
  let path = directory.file("a.drop").path
  var options = DropStreamOptions()
  var endpoint = DropEndpoint.file(path)
  if isPiped {
    options.writesIndex = true
    try Data().write(to: URL(fileURLWithPath: path))
    endpoint = .descriptor(try SystemCalls.open(path, O_WRONLY))
  }
  try await DropStream.withWriter(to: endpoint, options: options) { writer in
    for (number, length) in lengths.enumerated() {
      let name = number == lengths.count - 1 ? lastName : nil
      try await writer.write(ItemProvider(pattern(length), name: name ?? "item \(number)"))
    }
  }
  return try Data(contentsOf: URL(fileURLWithPath: path))
}

/// A source in memory that records its reads, and changes its responses on request.
final class MemorySource: RandomAccessSource {
  private let content: Data
  private let change: @Sendable ([Data]) async throws -> [Data]
  private let log = Lock<[[Range<UInt64>]]>([])

  init(_ content: Data, change: @escaping @Sendable ([Data]) async throws -> [Data] = { $0 }) {
    self.content = content
    self.change = change
  }

  var reads: [[Range<UInt64>]] { log.withLock { $0 } }

  func byteCount() async throws -> UInt64 { UInt64(content.count) }

  func bytes(in ranges: [Range<UInt64>]) async throws -> [Data] {
    log.withLock { $0.append(ranges) }
    return try await change(ranges.map { content[Int($0.lowerBound)..<Int($0.upperBound)] })
  }
}

extension ItemProvider {
  /// Registers content that is produced in chunks, so that no open file replaces it.
  ///
  /// An error may follow the chunks.
  func registerChunks(
    _ type: UTType, _ content: Data, by length: Int = 100_000, size: ItemSize = .unknown,
    throwing error: (any Error)? = nil
  ) {
    registerStream(type, size: size) { _ in
      AsyncThrowingStream { continuation in
        for start in stride(from: 0, to: content.count, by: length) {
          continuation.yield(content[start..<min(start + length, content.count)])
        }
        continuation.finish(throwing: error)
      }
    }
  }
}
