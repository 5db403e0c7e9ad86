// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DragPipe
import Glibc
import HeroCards

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What one of the two processes of a measurement does.
///
/// A source says on standard error that it is ready, reads one byte from standard input, which starts the clock, and
/// then writes to standard output. A sink reads standard input, and writes to standard output how many heroes or bytes it
/// has got. In the end both write to standard error how many KiB of memory they had at most.
enum BenchmarkRole: String, Sendable {
  /// All four representations of each hero, as a drag offers them.
  case dropSource
  /// The hero's own representation alone.
  case dropOwnSource
  case dropSink
  /// The plain way: one array, encoded and decoded as a whole.
  case arraySource
  case arraySink
  /// The plain way that streams: one hero a line.
  case linesSource
  case linesSink
  case dropFileSource
  case dropByteSink
  case plainFileSource
  case plainByteSink
  /// One card an item, as its own type and nothing else; the sink only takes the items, or also decodes them.
  case dropCardSource
  case dropItemSink
  case dropCardSink
  /// What is in memory, again and again; the path is the chunk's length, for the plain one.
  case dropMemorySource
  case plainMemorySource
  /// A file that is kept, in a folder or under a path.
  case dropFolderSink
  case plainFileSink
  /// How many nanoseconds the first type of a process takes; the source has nothing to send.
  case typeSource
  case typeSink
  /// The two sides of a session; the count is that of repetitions.
  case sessionSource
  case sessionSink

  func run(count: Int, megabytes: Int, path: String) async throws {
    try await work(count: count, megabytes: megabytes, path: path)
    if self == .sessionSource || self == .sessionSink { return }
    let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") } ?? ""
    let digits = Array(line.utf8.filter { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
    write(STDERR_FILENO, digits, digits.count)
  }

  private func work(count: Int, megabytes: Int, path: String) async throws {
    switch self {
    case .dropSource: try await sendHeroes(count) { ItemProvider($0) }
    case .dropOwnSource: try await sendHeroes(count) { OwnRepresentation.provider(of: $0) }
    case .dropSink: try await report(receivedHeroes())
    case .arraySource:
      let heroes = HeroFixtures.heroes(count)
      waitForStart()
      try PlainPipe.write(JSONEncoder().encode(heroes))
    case .arraySink: report(try JSONDecoder().decode([Hero].self, from: PlainPipe.readToEnd()).count)
    case .linesSource:
      let heroes = HeroFixtures.heroes(count)
      let encoder = JSONEncoder()
      waitForStart()
      for hero in heroes { try PlainPipe.bufferedWrite(encoder.encode(hero) + [0x0A]) }
      try PlainPipe.flush()
    case .linesSink:
      let decoder = JSONDecoder()
      var heroes = 0
      try PlainPipe.forEachLine { line in
        _ = try decoder.decode(Hero.self, from: line)
        heroes += 1
      }
      report(heroes)
    case .dropFileSource:
      waitForStart()
      try await DropStream.withWriter(to: .standardOutput) {
        try await $0.write(ItemProvider(contentsOf: URL(fileURLWithPath: path)))
      }
    case .dropByteSink: try await report(receivedBytes())
    case .plainFileSource:
      waitForStart()
      try PlainPipe.copy(fileAt: path)
    case .typeSource: waitForStart()
    case .typeSink: report(Int(TypeReport.nanosecondsOfFirstLookup()))
    case .dropCardSource: try await sendCards(count)
    case .dropItemSink: try await report(receivedItems())
    case .dropCardSink: try await report(receivedCards())
    case .dropMemorySource: try await sendMemory(megabytes * 1_000_000)
    case .plainMemorySource:
      waitForStart()
      try PlainPipe.write(megabytes * 1_000_000)
    case .dropFolderSink:
      let receipt = try await DropFolder(path: path).receive(from: .standardInput)
      report(receipt.files.reduce(0) { $0 + Int($1.byteCount) })
    case .plainFileSink: report(try PlainPipe.copy(toFileAt: path + "/plain"))
    case .sessionSource: try await session(count, megabytes, path).runSource()
    case .sessionSink: try await session(count, megabytes, path).runSink()
    case .plainByteSink: report(try PlainPipe.countToEnd())
    }
  }

  private func session(_ count: Int, _ megabytes: Int, _ path: String) -> SessionRoles {
    SessionRoles(repetitions: count, byteCount: megabytes * 1_000_000, path: path)
  }

  private func sendHeroes(_ count: Int, as provider: @Sendable (Hero) -> ItemProvider) async throws {
    let heroes = HeroFixtures.heroes(count)
    waitForStart()
    try await DropStream.withWriter(to: .standardOutput) { writer in
      for hero in heroes { try await writer.write(provider(hero)) }
    }
  }

  private func receivedHeroes() async throws -> Int {
    try await DropStream.withReader(from: .standardInput) { items in
      var heroes = 0
      for try await item in items {
        _ = try await item.value(as: Hero.self)
        heroes += 1
      }
      return heroes
    }
  }

  private func sendCards(_ count: Int) async throws {
    let cards = HeroFixtures.cards(min(count, 1000))
    waitForStart()
    try await DropStream.withWriter(to: .standardOutput) { writer in
      for number in 0..<count { try await writer.write(OwnRepresentation.provider(of: cards[number % cards.count])) }
    }
  }

  private func receivedItems() async throws -> Int {
    try await DropStream.withReader(from: .standardInput) { items in
      var count = 0
      for try await _ in items { count += 1 }
      return count
    }
  }

  private func receivedCards() async throws -> Int {
    try await DropStream.withReader(from: .standardInput) { items in
      var count = 0
      for try await item in items {
        _ = try await item.value(as: Card.self)
        count += 1
      }
      return count
    }
  }

  private func sendMemory(_ byteCount: Int) async throws {
    let item = ItemProvider(suggestedName: "memory")
    item.registerStream(.data) { _ in MemoryChunks(left: byteCount) }
    waitForStart()
    try await DropStream.withWriter(to: .standardOutput) { try await $0.write(item) }
  }

  private func receivedBytes() async throws -> Int {
    try await DropStream.withInspector(from: .standardInput) { items in
      var bytes = 0
      for try await item in items { bytes += item.representations.reduce(0) { $0 + Int($1.byteCount) } }
      return bytes
    }
  }

  /// Says that everything is prepared, and waits for the clock.
  private func waitForStart() {
    var byte: UInt8 = 1
    _ = write(STDERR_FILENO, &byte, 1)
    _ = read(STDIN_FILENO, &byte, 1)
  }

  private func report(_ count: Int) {
    print(count)
  }
}

/// The same memory, again and again.
private struct MemoryChunks: AsyncSequence, AsyncIteratorProtocol, Sendable {
  typealias Element = Data
  typealias Failure = Never

  var left: Int
  private let chunk = Data((0..<(1 << 20)).map { UInt8(truncatingIfNeeded: $0 &* 31) })

  init(left: Int) {
    self.left = left
  }

  func makeAsyncIterator() -> MemoryChunks { self }

  mutating func next() async -> Data? {
    guard left > 0 else { return nil }
    let piece = chunk.prefix(left)
    left -= piece.count
    return piece
  }
}

/// A hero or a card offered as itself and nothing else.
private enum OwnRepresentation {
  static func provider(of card: Card) -> ItemProvider {
    let provider = ItemProvider()
    provider.register(.cardCBOR) { _ in try CBOREncoder().encode(card) }
    return provider
  }

  static func provider(of hero: Hero) -> ItemProvider {
    let provider = ItemProvider()
    provider.register(.heroCBOR) { _ in try CBOREncoder().encode(hero) }
    return provider
  }
}
