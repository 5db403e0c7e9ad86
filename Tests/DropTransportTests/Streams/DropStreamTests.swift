// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import Foundation
import ItemTransfer
import TestSupport
import Testing
import UniformTypes

@testable import DropTransport

@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct DropStreamTests {
  /// Sizes near the capacities of pipes, chunks and memory.
  private static let sizes: [Int] = {
    let chunk = DropStreamOptions().chunkLength
    let memory = DropStreamLimits().bytesInMemory
    return [0, 1, 65_535, 65_536, 65_537, chunk - 1, chunk, chunk + 1, memory - 1, memory, memory + 1, 3_000_000]
  }()

  @Test("bytes and files of every size arrive through every carrier", arguments: Carrier.allCases)
  func contentOfEverySizeArrivesThroughEveryCarrier(_ carrier: Carrier) async throws {
    let directory = try TemporaryDirectory()
    let contents = Self.sizes.map { pattern($0) }
    let files = try contents.map { try directory.write(Data($0), to: "\($0.count)") }
    let (written, received) = try await carrier.carry { writer in
      for (content, file) in zip(contents, files) {
        let item = ItemProvider(suggestedName: "\(content.count)")
        item.register(.png) { _ in Data(content) }
        item.register(.data, size: .exact(Int64(content.count))) { _ in Data(content) }
        item.registerFile(.jpeg) { _ in SentTransferredFile(file) }
        item.registerFile(.pdf, size: .exact(Int64(content.count))) { _ in SentTransferredFile(file) }
        try await writer.write(item)
      }
    }
    try written.get()
    let items = try received.get()
    #expect(items.map(\.name) == contents.map { "\($0.count)" })
    for (item, content) in zip(items, contents) {
      #expect(item.representations.map(\.type) == ["public.png", "public.data", "public.jpeg", "com.adobe.pdf"])
      #expect(item.representations.allSatisfy { $0.content == content }, "\(content.count) bytes")
    }
  }

  @Test("a sequence without chunks is an empty representation", arguments: Carrier.allCases)
  func sequenceWithoutChunksIsAnEmptyRepresentation(_ carrier: Carrier) async throws {
    let (written, received) = try await carrier.carry { writer in
      let item = ItemProvider()
      item.registerStream(.data) { _ in AsyncStream<Data> { $0.finish() } }
      item.registerStream(.png) { _ in
        AsyncStream {
          $0.yield(Data())
          $0.finish()
        }
      }
      try await writer.write(item)
    }
    try written.get()
    #expect(try received.get() == [ReceivedItem(nil, ["public.data": [], "public.png": []])])
  }

  @Test("items do not depend on the chunk length", arguments: [1, 2, 3, 7, 64, 4096, 1 << 24])
  func itemsDoNotDependOnTheChunkLength(_ chunkLength: Int) async throws {
    var options = DropStreamOptions()
    options.chunkLength = chunkLength
    let directory = try TemporaryDirectory()
    let contents = [0, 1, 2, 3, 6, 7, 8, 63, 64, 65, 200].map { pattern($0) }
    let files = try contents.map { try directory.write(Data($0), to: "\($0.count)") }
    let (written, received) = try await Carrier.pipe.carry(options: options) { writer in
      for (content, file) in zip(contents, files) {
        try await writer.write(ItemProvider(content))
        try await writer.write(ItemProvider(file: file, promising: Int64(content.count)))
      }
    }
    try written.get()
    #expect(try received.get().flatMap(\.representations).map(\.content) == contents.flatMap { [$0, $0] })
  }

  @Test("a chunk length out of range is clamped")
  func chunkLengthOutOfRangeIsClamped() {
    var options = DropStreamOptions()
    for (set, kept) in [(0, 1), (-5, 1), (1, 1), (1 << 24, 1 << 24), (.max, 1 << 24)] {
      options.chunkLength = set
      #expect(options.chunkLength == kept)
    }
  }

  @Test("many small items arrive in order", arguments: [Carrier.pipe, .nonBlockingSocketPair, .fifo])
  func manySmallItemsArriveInOrder(_ carrier: Carrier) async throws {
    let (written, received) = try await carrier.carry { writer in
      for number in 0..<3000 { try await writer.write(ItemProvider([UInt8(number % 256)], name: "\(number)")) }
    }
    try written.get()
    let items = try received.get()
    #expect(items.map(\.name) == (0..<3000).map { "\($0)" })
    #expect(items.map(\.representations) == (0..<3000).map { [.init(type: "public.data", content: [UInt8($0 % 256)])] })
  }

  @Test("a stream without items is complete", arguments: Carrier.allCases)
  func streamWithoutItemsIsComplete(_ carrier: Carrier) async throws {
    let (written, received) = try await carrier.carry { _ in }
    try written.get()
    #expect(received == [])
  }

  @Test("both ends return the results of their bodies")
  func bothEndsReturnTheResultsOfTheirBodies() async throws {
    let pair = try DescriptorPair.pipe()
    async let count = DropStream.withReader(from: pair.reader) { reader in
      var count = 0
      for try await _ in reader { count += 1 }
      return count
    }
    let text = try await DropStream.withWriter(to: pair.writer) { writer in
      try await writer.write(ItemProvider([1]))
      return "written"
    }
    #expect(text == "written")
    #expect(try await count == 1)
  }

  @Test("a value is transferred as a representation of its type")
  func valueIsTransferredAsARepresentationOfItsType() async throws {
    let pair = try DescriptorPair.pipe()
    let greeting = Greeting(words: "Hail, Odysseus")
    async let received = DropStream.withReader(from: pair.reader) { reader in
      var greetings: [Greeting] = []
      for try await item in reader { greetings.append(try await item.value(as: Greeting.self)) }
      return greetings
    }
    try await DropStream.withWriter(to: pair.writer) { try await $0.write(ItemProvider(greeting)) }
    #expect(try await received == [greeting])
  }

  @Test("an undeclared type is transferred by its identifier")
  func undeclaredTypeIsTransferredByItsIdentifier() async throws {
    let type = UTType(importedAs: "com.Example.Unheard-Of")
    let (_, received) = try await Carrier.pipe.carry { try await $0.write(ItemProvider([1], type: type)) }
    #expect(received == [ReceivedItem(nil, ["com.Example.Unheard-Of": [1]])])
  }

  @Test("a stream that arrives byte by byte is read", arguments: [Carrier.pipe, .socketPair])
  func streamThatArrivesByteByByteIsRead(_ carrier: Carrier) async throws {
    let pair = carrier == .pipe ? try DescriptorPair.pipe() : try .socketPair()
    async let received = outcome(from: pair.reader)
    try await onThread {
      for byte in SmallStream.bytes { try [byte].withUnsafeBytes { try SystemCalls.writeAll(pair.write, $0) } }
      try SystemCalls.close(pair.write)
    }
    #expect(try await received == SmallStream.items)
  }

  @Test("progress counts the bytes that were written, and finishes")
  func progressCountsTheWrittenBytesAndFinishes() async throws {
    let directory = try TemporaryDirectory()
    let file = try directory.write(Data(pattern(300_000)), to: "file")
    let progress = ItemProgress(total: 700_003)
    let (written, _) = try await Carrier.pipe.carry { writer in
      let item = ItemProvider(pattern(400_000))
      item.register(.text) { _ in Data([1, 2, 3]) }
      item.registerFile(.png) { _ in SentTransferredFile(file) }
      try await writer.write(item, progress: progress)
      #expect(progress.snapshot.isFinished)
    }
    try written.get()
    #expect(progress.snapshot.completed == 700_003)
  }
}

private struct Greeting: Codable, Hashable, Transferable {
  var words: String

  static var transferRepresentation: some TransferRepresentation {
    CodableRepresentation(contentType: .json)
    DataRepresentation(exportedContentType: .utf8PlainText) { Data($0.words.utf8) }
  }
}
