// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import ItemTransfer
import TestSupport
import Testing
import UniformTypes

@testable import DropTransport

/// A comparison of all transports with the same random drops.
///
/// Each transport must deliver the same bytes.
///
/// `DRAGPIPE_DROPS` sets the number of drops, `DRAGPIPE_SEED` the seed.
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct DifferentialTests {
  private static let count = ProcessInfo.processInfo.environment["DRAGPIPE_DROPS"].flatMap { Int($0) } ?? 60

  private static func write(_ drop: RandomDrop, to endpoint: DropEndpoint) async throws {
    try await DropStream.withWriter(to: endpoint) { writer in
      for provider in drop.providers { _ = try await writer.writeAvailable(provider) }
    }
  }

  private static func read(from endpoint: DropEndpoint) async throws -> [String] {
    try await DropStream.withReader(from: endpoint) { reader in
      var found: [String] = []
      for try await item in reader { found += try await RandomDrop.found(item) }
      return found
    }
  }

  private static func throughSession(_ drop: RandomDrop, _ carrier: SessionCarrierKind) async throws -> [String] {
    let outcome = try await holdSession(over: carrier) { session in
      try await session.offer(drop.providers)
    } destination: { session in
      var found: [String] = []
      for try await incoming in session.drops {
        for item in incoming.items { found += try await RandomDrop.found(item) }
        try await incoming.finish(.copy)
      }
      return found
    }
    #expect(try outcome.source.get().keptItems.count == drop.items.count)
    return try outcome.destination.get()
  }

  @Test func everyCarrierTransfersTheSameDrop() async throws {
    var seeds = SeededGenerator.announced("drops")
    let directory = try TemporaryDirectory()
    for number in 0..<Self.count {
      let drop = RandomDrop(seed: seeds.next())
      let pair = try DescriptorPair.pipe()
      async let written: Void = Self.write(drop, to: pair.writer)
      #expect(try await Self.read(from: pair.reader) == drop.expected, "drop \(number)")
      try await written

      let path = directory.file("\(number).drop").path
      try await Self.write(drop, to: .file(path))
      #expect(try await Self.read(from: .file(path)) == drop.expected, "drop \(number) in a file")
      #expect(try await DropFile.verify(path).itemCount == drop.items.count)
      var found: [String] = []
      for try await item in try await DropFile(path: path) { found += try await RandomDrop.found(item) }
      #expect(found == drop.expected, "drop \(number) by the index of a file")

      let carrier = SessionCarrierKind.allCases[number % SessionCarrierKind.allCases.count]
      #expect(try await Self.throughSession(drop, carrier) == drop.expected, "drop \(number) through \(carrier)")
    }
  }
}

/// Items that are derived from a seed.
///
/// They contain every kind of representation, and some that fail.
struct RandomDrop: Sendable {
  struct Representation: Sendable {
    enum Form: CaseIterable, Sendable {
      case data, promisedData, stream, promisedStream, failure, failureMidway, promisedFailureMidway, alias
    }

    var type: String
    var form: Form
    var content: [UInt8]
    var chunkLength: Int
    /// The index of the original, if the representation is an alias.
    var original = 0
  }

  struct Item: Sendable {
    var name: String?
    var representations: [Representation]
  }

  let items: [Item]

  init(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    items = (0..<Int.random(in: 0...6, using: &generator)).map { _ in Self.item(&generator) }
  }

  private static let sizes = [0, 1, 2, 100, 4072, 4096, 65_507, 65_508, 65_509, 70_000, 140_000]
  private static let names = [nil, "a", "Väinämöinen.txt", "\u{202E}x", String(repeating: "n", count: 1024)]

  private static func item(_ generator: inout SeededGenerator) -> Item {
    var representations: [Representation] = []
    for number in 0..<Int.random(in: 1...5, using: &generator) {
      var form = Representation.Form.allCases.randomElement(using: &generator) ?? .data
      if form == .alias, representations.isEmpty { form = .data }
      let content = pattern(sizes.randomElement(using: &generator) ?? 0)
      representations.append(
        Representation(
          type: "org.example.type\(number)", form: form, content: content,
          chunkLength: Int.random(in: 1...30_000, using: &generator),
          original: Int.random(in: 0..<max(1, representations.count), using: &generator)))
    }
    return Item(name: names.randomElement(using: &generator) ?? nil, representations: representations)
  }

  /// The items as item providers, as a source offers them.
  var providers: [ItemProvider] {
    items.map { item in
      let provider = ItemProvider(suggestedName: item.name)
      for representation in item.representations { Self.register(representation, of: item, with: provider) }
      return provider
    }
  }

  private static func register(_ representation: Representation, of item: Item, with provider: ItemProvider) {
    let type = UTType(named: representation.type)
    let content = representation.content
    switch representation.form {
    case .data: provider.register(type) { _ in Data(content) }
    case .promisedData: provider.register(type, size: .exact(Int64(content.count))) { _ in Data(content) }
    case .stream, .promisedStream, .failureMidway, .promisedFailureMidway:
      let isPromised = representation.form == .promisedStream || representation.form == .promisedFailureMidway
      let fails = representation.form == .failureMidway || representation.form == .promisedFailureMidway
      provider.registerStream(type, size: isPromised ? .exact(Int64(content.count)) : .unknown) { _ in
        AsyncThrowingStream { continuation in
          for start in stride(from: 0, to: content.count, by: representation.chunkLength) {
            continuation.yield(Data(content[start..<min(start + representation.chunkLength, content.count)]))
          }
          continuation.finish(throwing: fails ? TestFailure("midway") : nil)
        }
      }
    case .failure: provider.register(type) { _ in throw TestFailure("never") }
    case .alias:
      provider.registerAlias(type, of: UTType(named: item.representations[representation.original].type))
    }
  }

  /// The expected result as text: for each item its name, and for each representation its bytes or its failure.
  var expected: [String] {
    items.flatMap { item in
      ["item \(item.name ?? "-")"]
        + item.representations.map { "\($0.type) \(Self.outcome(of: $0, in: item))" }
    }
  }

  private static func outcome(of representation: Representation, in item: Item) -> String {
    switch representation.form {
    case .data, .promisedData, .stream, .promisedStream:
      "\(representation.content.count) \(representation.content.crc32c)"
    case .failure: "never"
    case .failureMidway, .promisedFailureMidway: "midway"
    case .alias: outcome(of: item.representations[representation.original], in: item)
    }
  }

  /// Returns a received item as text, in the form of ``expected``.
  static func found(_ provider: ItemProvider) async throws -> [String] {
    var found = ["item \(provider.suggestedName ?? "-")"]
    for type in provider.contentTypes {
      do {
        let data = try await provider.data(for: type)
        found.append("\(type.identifier) \(data.count) \(Array(data).crc32c)")
      } catch {
        let cause = error.underlyingError as? DropStreamError
        let isOfTheSender = error.code == .representationFailed && cause?.code == .representationFailed
        let words = ["never", "midway"].first { isOfTheSender && cause?.senderFailure?.reason.contains($0) == true }
        found.append("\(type.identifier) \(words ?? "\(error)")")
      }
    }
    return found
  }
}
