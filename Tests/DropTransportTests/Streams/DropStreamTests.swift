// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import Foundation
import ItemTransfer
import TestSupport
import Testing
import UniformTypes

@testable import DropTransport

@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct DropStreamTests {
  /// Sizes near the capacities of pipes, chunks and memory.
  private static let sizes: [Int] = {
    let chunk = DropStreamOptions().chunkLength
    let memory = DropStreamLimits().bytesInMemory
    return [0, 1, 65_535, 65_536, 65_537, chunk - 1, chunk, chunk + 1, memory - 1, memory, memory + 1, 3_000_000]
  }()

  @Test(arguments: Carrier.allCases) func contentOfEverySizeArrivesThroughEveryCarrier(_ carrier: Carrier) async throws
  {
    let directory = try TemporaryDirectory()
    // The other carriers differ only in how their descriptors are opened.
    let needsAllSizes = isFullRun || [.pipe, .socketPair, .file].contains(carrier)
    let contents = (needsAllSizes ? Self.sizes : [0, 65_537, 3_000_000]).map { pattern($0) }
    let files = try contents.map { try directory.write(Data($0), to: "\($0.count)") }
    let (written, received) = try await carrier.carry { writer in
      for (content, file) in zip(contents, files) {
        let item = ItemProvider(named: "\(content.count)", loading: .png) { _ in Data(content) }
        item.register(.data, size: .exact(Int64(content.count))) { _ in Data(content) }
        item.registerFile(.jpeg) { _ in SentTransferredFile(file) }
        item.registerFile(.pdf, size: .exact(Int64(content.count))) { _ in SentTransferredFile(file) }
        try await writer.write(item)
      }
      // A sequence without chunks, and one with an empty chunk.
      let empty = ItemProvider()
      empty.registerStream(.data) { _ in AsyncStream<Data> { $0.finish() } }
      empty.registerStream(.png) { _ in
        AsyncStream {
          $0.yield(Data())
          $0.finish()
        }
      }
      try await writer.write(empty)
    }
    try written.get()
    let items = try received.get()
    #expect(items.map(\.name) == contents.map { "\($0.count)" } + [nil])
    for (item, content) in zip(items, contents) {
      #expect(item.representations.map(\.type) == ["public.png", "public.data", "public.jpeg", "com.adobe.pdf"])
      #expect(item.representations.allSatisfy { $0.content == content }, "\(content.count) bytes")
    }
    #expect(items.last == ReceivedItem(nil, ["public.data": [], "public.png": []]))
  }

  @Test func chunkLengthOutOfRangeIsClamped() {
    var options = DropStreamOptions()
    for (set, kept) in [(0, 1), (-5, 1), (1, 1), (1 << 24, 1 << 24), (.max, 1 << 24)] {
      options.chunkLength = set
      #expect(options.chunkLength == kept)
    }
  }

  @Test(arguments: [Carrier.pipe, .nonBlockingSocketPair, .fifo])
  func manySmallItemsArriveInOrder(_ carrier: Carrier) async throws {
    let (written, received) = try await carrier.carry { writer in
      for number in 0..<3000 { try await writer.write(ItemProvider([UInt8(number % 256)], name: "\(number)")) }
    }
    try written.get()
    expectItems((0..<3000).map { ReceivedItem("\($0)", ["public.data": [UInt8($0 % 256)]]) }, received)
  }

  @Test func valuesArriveAndBothEndsReturnTheResultsOfTheirBodies() async throws {
    let pair = try DescriptorPair.pipe()
    async let received = DropStream.withReader(from: pair.reader) { reader in
      var values: [String] = []
      for try await item in reader { values.append(try await item.value(as: String.self)) }
      return values
    }
    let text = try await DropStream.withWriter(to: pair.writer) { writer in
      try await writer.write(ItemProvider("Hail, Odysseus"))
      return "written"
    }
    #expect(text == "written")
    #expect(try await received == ["Hail, Odysseus"])
  }

  @Test func progressCountsTheWrittenBytesAndFinishes() async throws {
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

/// Ways to iterate over the items of a stream.
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct DropStreamReaderTests {
  /// Writes items whose names are their numbers.
  ///
  /// All items fit into one batch of the reader.
  private func numberedStream(_ count: Int) async throws -> DropEndpoint {
    let pair = try DescriptorPair.pipe()
    try await DropStream.withWriter(to: pair.writer) { writer in
      for number in 0..<count { try await writer.write(ItemProvider([UInt8(number)], name: "\(number)")) }
    }
    return pair.reader
  }

  @Test func secondIteratorContinuesWhereTheFirstStopped() async throws {
    try await DropStream.withReader(from: try await numberedStream(5)) { items in
      var names: [String?] = []
      for try await item in items {
        names.append(item.suggestedName)
        if names.count == 2 { break }
      }
      for try await item in items { names.append(item.suggestedName) }
      #expect(names == ["0", "1", "2", "3", "4"])
    }
    // The rest arrives after the first iterator has stopped, so it is not in the batch of the first item.
    let bytes = StreamBuilder.stream { stream in for number in 0..<3 { stream.item(name: "\(number)") } }
    let pair = try DescriptorPair.pipe()
    try await DropStream.withReader(from: pair.reader) { items in
      try pair.send(bytes[..<200])
      var first = items.makeAsyncIterator()
      #expect(try await first.next()?.suggestedName == "0")
      try pair.send(bytes[200...])
      try SystemCalls.close(pair.write)
      let rest = try await items.collect()
      #expect(rest.map(\.suggestedName) == ["1", "2"])
    }
  }

  @Test func concurrentIteratorsShareTheItems() async throws {
    try await DropStream.withReader(from: try await numberedStream(100)) { items in
      let names = try await withThrowingTaskGroup(of: [String].self) { group in
        for _ in 0..<4 {
          group.addTask { try await items.reduce(into: []) { $0.append($1.suggestedName ?? "") } }
        }
        return try await group.reduce(into: []) { $0 += $1 }
      }
      #expect(names.sorted() == (0..<100).map(String.init).sorted())
    }
  }

  @Test func collectReturnsAllItemsInOrderUpToTheMaximum() async throws {
    let items = try await DropStream.withReader(from: try await numberedStream(100)) { try await $0.collect() }
    #expect(items.map(\.suggestedName) == (0..<100).map(String.init))
    let rest = try await DropStream.withReader(from: try await numberedStream(3)) { reader in
      var iterator = reader.makeAsyncIterator()
      _ = try await iterator.next()
      return try await reader.collect(maximumCount: 2)
    }
    #expect(rest.map(\.suggestedName) == ["1", "2"])
    try await requireDropError(.limitExceeded) {
      try await DropStream.withReader(from: try await numberedStream(3)) { try await $0.collect(maximumCount: 2) }
    }
    let truncated = DropEndpoint.descriptor(try pipe(holding: SmallStream.bytes.dropLast()))
    try await requireDropError(.truncated) {
      try await DropStream.withReader(from: truncated) { try await $0.collect() }
    }
  }
}

@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct VisibilityTests {
  @Test(arguments: ItemVisibility.allCases)
  func readerIsOfferedOnlyWhatIsVisibleToIt(_ audience: ItemVisibility) async throws {
    let provider = ItemProvider()
    let types: [(ItemVisibility, UTType)] = [(.ownProcess, .png), (.team, .jpeg), (.group, .gif), (.all, .pdf)]
    for (visibility, type) in types {
      provider.register(type, visibility: visibility) { _ in
        #expect(visibility.includes(audience))
        return Data(type.identifier.utf8)
      }
    }
    let options = DropStreamOptions.setting { $0.audience = audience }
    let (written, received) = try await Carrier.pipe.carry(options: options) { try await $0.write(provider) }
    try written.get()
    let visible = types.filter { $0.0.includes(audience) }.map(\.1.identifier)
    #expect(try received.get().map { $0.representations.map(\.type) } == [visible])
  }
}

@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct StatedSupertypesTests {
  private func stream(of type: String, supertypes: [String]) -> [UInt8] {
    let stated = supertypes.reduce([]) { $0 + StreamBuilder.field(OfferField.supertype, Array($1.utf8)) }
    let identifier = StreamBuilder.field(OfferField.typeIdentifier, Array(type.utf8))
    return StreamBuilder.stream { builder in
      builder.offer(StreamBuilder.field(OfferField.representation, identifier + stated))
      builder.whole([1])
      builder.endOfItem()
    }
  }

  private func item(of stream: DropEndpoint) async throws -> ItemProvider {
    let items = try await DropStream.withReader(from: stream) { try await $0.collect() }
    #expect(items.count == 1)
    return try #require(items.first)
  }

  @Test func undeclaredTypeConformsToItsStatedSupertypes() async throws {
    let bytes = stream(of: "org.example.stated", supertypes: ["org.example.elsewhere", "public.json"])
    let item = try await item(of: .descriptor(try pipe(holding: bytes)))
    for type in [.json, .text, .data, .content, UTType(importedAs: "org.example.elsewhere")] as [UTType] {
      #expect(item.hasRepresentation(conformingTo: type))
      try await item.expect(Data([1]), for: type)
    }
    #expect(!item.hasRepresentation(conformingTo: .image))
    #expect(!item.contentTypes[0].conforms(to: .json), "what a peer says must not change what this process knows")

    // The supertypes are stated again when the item is forwarded.
    let pair = try DescriptorPair.pipe()
    try await DropStream.withWriter(to: pair.writer) { try await $0.write(item) }
    #expect(try await self.item(of: pair.reader).hasRepresentation(conformingTo: .json))
  }

  @Test func sourceCannotChangeTheSupertypesOfAKnownType() async throws {
    let bytes = stream(of: "public.png", supertypes: ["public.json"])
    let item = try await item(of: .descriptor(try pipe(holding: bytes)))
    #expect(item.hasRepresentation(conformingTo: .image) && !item.hasRepresentation(conformingTo: .json))
  }

  @Test func sourceStatesOnlySupertypesThatTheSystemDoesNotImply() {
    let document = UTType(exportedAs: "org.example.stated-document", conformingTo: .json)
    let recipe = UTType(exportedAs: "org.example.stated-recipe", conformingTo: document)
    #expect(recipe.supertypesToState == [document, .json] && document.supertypesToState == [.json])
    #expect(UTType.png.supertypesToState.isEmpty)
    #expect(UTType(importedAs: "org.example.stated-nowhere").supertypesToState.isEmpty)
  }

  @Test func supertypesAreAcceptedUpToTheirLimit() throws {
    for (count, code) in [(64, nil), (65, DropStreamError.Code.limitExceeded)] as [(Int, DropStreamError.Code?)] {
      expectCode(code, outcome(of: stream(of: "a", supertypes: (0..<count).map { "type.\($0)" })))
    }
    for type in ["", "a\nb", String(repeating: "x", count: 513)] {
      #expect(outcome(of: stream(of: "a", supertypes: [type])).code != nil)
    }
  }
}

@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct DropStreamInspectorTests {
  private func inspect(
    _ bytes: [UInt8], keeping length: @escaping @Sendable (UTType) -> Int = { _ in 0 }
  ) async throws -> [DropItemDescription] {
    try await DropStream.withInspector(from: .descriptor(try pipe(holding: bytes)), keeping: length) { inspector in
      var items: [DropItemDescription] = []
      for try await item in inspector { items.append(item) }
      return items
    }
  }

  @Test func sizesAndChecksumsDescribeTheContent() async throws {
    for chunkLength in [1, 7, nil] as [Int?] {
      let bytes = StreamBuilder.stream {
        // The name is passed on unescaped.
        $0.add(
          ReceivedItem("../\u{1B}[2J", ["public.png": Array("123456789".utf8), "public.data": []]),
          chunkLength: chunkLength)
        $0.add(ReceivedItem(nil, ["a.b": pattern(100_000)]), chunkLength: chunkLength.map { $0 * 1000 })
      }
      let items = try await inspect(bytes)
      #expect(items.map(\.suggestedName) == ["../\u{1B}[2J", nil])
      #expect(items.map { $0.representations.map(\.contentType) } == [[.png, .data], [UTType(importedAs: "a.b")]])
      #expect(items.map { $0.representations.map(\.byteCount) } == [[9, 0], [100_000]])
      #expect(items.map { $0.representations.map(\.crc32c) } == [[0xE306_9283, 0], [pattern(100_000).crc32c]])
    }
  }

  @Test func keepsOnlyTheRequestedFirstBytes() async throws {
    for chunkLength in [1, 7, nil] as [Int?] {
      let bytes = StreamBuilder.stream {
        $0.add(
          ReceivedItem("n", ["public.png": pattern(50), "a.b": pattern(10), "a.c": pattern(100)]),
          chunkLength: chunkLength)
        $0.add(ReceivedItem(nil, ["a.c": [], "a.b": pattern(9)]), chunkLength: chunkLength)
      }
      let items = try await inspect(bytes) { $0 == .png ? 0 : 10 }
      let prefixes = items.map { $0.representations.map(\.prefix) }
      #expect(prefixes == [[[], pattern(10), pattern(10)], [[], pattern(9)]].map { $0.map { Array($0) } })
      #expect(items.map { $0.representations.map(\.byteCount) } == [[50, 10, 100], [0, 9]])
    }
  }
}
