// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import BenchmarkKit
import DragPipe
import FoundationEssentials
import HeroCards

/// The cost of item providers, compared with plain closures, sequences and objects, and with Foundation's JSON.
struct ProviderSuite: Sendable {
  private static let aliveCount = 1_000_000
  private static let chunkLength = 1 << 20

  let workload: Workload

  var cases: [LocalCase] {
    [
      loading, inAndOut("a card in and out", HeroFixtures.cards, plain: { PlainCard($0) }),
      inAndOut("a hero in and out", HeroFixtures.heroes, plain: { PlainHero($0) }), streaming,
      Self.alive(min(Self.aliveCount, workload.heroCount * 50)),
    ]
  }

  // MARK: Loading

  private var loading: LocalCase {
    let count = workload.heroCount
    return LocalCase(
      suite: .providers, name: "register and load 100 bytes", unit: .items, amount: count,
      contenders: [Contender("ItemProvider", .ours), Contender("closure in a dictionary", .peer)],
      goals: [.allocations(10), .seconds(2e-6)]
    ) {
      let text = [UInt8](repeating: 0x78, count: 100)
      return LocalCase.Work(rounds: [
        { for _ in 0..<count { keep(try await Self.registered(text)) } },
        { for _ in 0..<count { keep(try await Self.kept(text)) } },
      ])
    }
  }

  private static func registered(_ text: [UInt8]) async throws -> Data {
    let provider = ItemProvider()
    provider.register(.utf8PlainText) { _ in Data(text) }
    return try await provider.data(for: .text)
  }

  private static func kept(_ text: [UInt8]) async throws -> Data? {
    var promises: [String: @Sendable () async throws -> Data] = [:]
    promises["public.utf8-plain-text"] = { Data(text) }
    return try await promises["public.utf8-plain-text"]?()
  }

  /// Returns a case that passes values as a drag within one program does: the source has a value, and the target gets
  /// a value.
  private func inAndOut<Value: Codable & Transferable & Sendable, Plain: HandCodable & Sendable>(
    _ name: String, _ fixtures: @escaping @Sendable (Int) -> [Value], plain: @escaping @Sendable (Value) -> Plain
  ) -> LocalCase {
    let count = workload.heroCount
    return LocalCase(
      suite: .providers, name: name, unit: .items, amount: count,
      contenders: [
        Contender("ItemProvider and Transferable", .ours), Contender(CodingSuite.json, .peer),
        Contender("by hand", .limit),
      ]
    ) {
      let values = fixtures(min(count, 1000))
      let plain = values.map(plain)
      let (encoder, decoder) = (JSONEncoder(), JSONDecoder())
      return LocalCase.Work(rounds: [
        {
          for number in 0..<count {
            keep(try await ItemProvider(values[number % values.count]).value(as: Value.self))
          }
        },
        {
          for number in 0..<count {
            keep(try decoder.decode(Value.self, from: encoder.encode(values[number % values.count])))
          }
        },
        {
          for number in 0..<count {
            var writer = HandWriter()
            plain[number % plain.count].write(to: &writer)
            writer.bytes.withUnsafeBytes { bytes in
              var reader = HandReader(bytes)
              keep(Plain(from: &reader))
            }
          }
        },
      ])
    }
  }

  // MARK: Streaming

  private var streaming: LocalCase {
    let count = max(1, workload.megabytes * 8)
    return LocalCase(
      suite: .providers, name: "streamed in chunks of 1 MiB", unit: .bytes, amount: count * Self.chunkLength,
      contenders: [Contender("ItemProvider", .ours), Contender("the sequence itself", .peer)]
    ) {
      let chunk = Data(repeating: 7, count: Self.chunkLength)
      let provider = ItemProvider()
      provider.registerStream(.data, size: .exact(Int64(count * Self.chunkLength))) { _ in
        FreshChunks(chunk: chunk, left: count)
      }
      return LocalCase.Work(
        rounds: [
          { try await Self.expect(count, try await provider.bytes(for: .data)) },
          { try await Self.expect(count, FreshChunks(chunk: chunk, left: count)) },
        ],
        figures: { try await Self.growth(provider) })
    }
  }

  private static func expect<Chunks: AsyncSequence>(_ count: Int, _ chunks: Chunks) async throws
  where Chunks.Element == Data {
    var total = 0
    for try await chunk in chunks { total += chunk.count }
    precondition(total == count * chunkLength)
  }

  /// Returns the maximum memory of a streamed load as a figure.
  ///
  /// Two chunks may be in memory at the same time: the next chunk is created while a chunk is passed.
  private static func growth(_ provider: ItemProvider) async throws -> [Figure] {
    let use = try await HeapUse.of { for try await chunk in try await provider.bytes(for: .data) { keep(chunk) } }
    return use.map { [Figure("memory at most", Double($0.peak) / 1024, unit: "KiB", goal: 2048)] } ?? []
  }

  // MARK: Keeping

  /// Returns the case that keeps many providers in memory, each with a name and one registered representation.
  static func alive(_ count: Int) -> LocalCase {
    LocalCase(
      suite: .providers, name: "many providers alive", unit: .items, amount: count,
      contenders: [Contender("ItemProvider", .ours), Contender("object with a dictionary", .peer)]
    ) {
      LocalCase.Work(
        rounds: [{ keep(providers(count)) }, { keep(objects(count)) }],
        figures: {
          let use = await HeapUse.of { providers(count) }
          return use.map { [Figure("bytes for each", Double($0.kept) / Double(count), unit: "B", goal: 600)] } ?? []
        })
    }
  }

  private static func providers(_ count: Int) -> [ItemProvider] {
    var providers: [ItemProvider] = []
    providers.reserveCapacity(count)
    for index in 0..<count {
      let provider = ItemProvider(suggestedName: "hero.json")
      provider.register(.json) { _ in Data("\(index)".utf8) }
      providers.append(provider)
    }
    return providers
  }

  private final class Promise {
    let name: String
    var representations: [String: @Sendable () async throws -> Data] = [:]

    init(name: String) {
      self.name = name
    }
  }

  private static func objects(_ count: Int) -> [Promise] {
    (0..<count).map { index in
      let promise = Promise(name: "hero.json")
      promise.representations["public.json"] = { Data("\(index)".utf8) }
      return promise
    }
  }
}
