// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import DropTransport
import Foundation
import HeroCards
import TestSupport
import Testing

@testable import DragPipeTool

@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct DemoEventsTests {
  private let write: CInt
  private let events: DemoEvents

  init() throws {
    let pipe = try SystemCalls.pipe()
    write = pipe.write
    events = DemoEvents(try ChunkSource(.descriptor(pipe.read)))
  }

  private struct UnexpectedEvent: Error {}

  @Test func eventsArriveInOrderAndOtherLinesAreKeptAsMessages() async throws {
    try await DemoEvent.moved(bytes: 5).send(to: ToolEnvironment(output: write))
    try SystemCalls.writeAll(write, Array("dragpipe: no room \u{1B}[2J\n{\"completed\":{\"byt".utf8))
    guard case .moved(5)? = try await events.next() else { throw UnexpectedEvent() }
    try SystemCalls.writeAll(write, Array("es\":7,\"seconds\":0.5}}\n\n{\"unknown\":{}}\na\nb\n".utf8))
    guard case .completed(7, 0.5)? = try await events.next() else { throw UnexpectedEvent() }
    try SystemCalls.close(write)
    #expect(try await events.next() == nil)
    #expect(await events.remarks == [#"no room \u{1b}[2J"#, #"{"unknown":{}}"#, "a"])
    await #expect(throws: DemoEvents.Silence.self) { _ = try await events.expected() }
  }

  @Test func eventAfterThePipeIsClosedIsUndelivered() async throws {
    defer { try? SystemCalls.close(write) }
    await events.close()
    await #expect(throws: OutputClosed.self) {
      try await DemoEvent.moved(bytes: 1).send(to: ToolEnvironment(output: write))
    }
  }
}

@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct DemoDataTests {
  private func sample(_ name: String) throws -> Data {
    let root = (0..<4).reduce(URL(fileURLWithPath: #filePath)) { url, _ in url.deletingLastPathComponent() }
    return try Data(contentsOf: root.appendingPathComponent("Samples/Data/\(name)"))
  }

  @Test func heroesAndCardsOfTheDemoAreThoseOfTheSamples() throws {
    let heroes = try HeroReader.heroes(from: sample("heroes.json"))
    let demo = try HeroReader.heroes(from: DemoData.heroes)
    #expect(demo.count >= 5 && Set(demo).isSubset(of: heroes))
    let counts = [Set(heroes.map(\.name)).count, Set(heroes.map(\.id)).count]
    let areDated = heroes.allSatisfy { $0.modified != nil }
    #expect(heroes.count >= 60 && counts == [heroes.count, heroes.count] && areDated)
    let board = try Board(jsonData: sample("board.json"))
    #expect(try Board(jsonData: DemoData.board).cards.allSatisfy(board.cards.contains))
    #expect(board.columns.count >= 3 && board.columns.allSatisfy { !$0.cards.isEmpty })
  }
}

@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct LargeDemoTests {
  /// Runs one side of the demo within this process, and returns its events.
  private func events(
    _ socket: CInt, _ run: @escaping @Sendable (ToolEnvironment) async throws -> Void
  ) async throws -> [DemoEvent] {
    let pipe = try SystemCalls.pipe()
    let events = DemoEvents(try ChunkSource(.descriptor(pipe.read)))
    let running = Task {
      defer { for descriptor in [socket, pipe.write] { try? SystemCalls.close(descriptor) } }
      try await run(ToolEnvironment(input: socket, output: pipe.write))
    }
    var all: [DemoEvent] = []
    while let event = try await events.next() { all.append(event) }
    try await running.value
    return all
  }

  @Test func destinationReceivesOneAndAHalfItemsAndTheSourceStopsThere() async throws {
    let size: Int64 = 32 << 20
    let demo = LargeDemo(byteCount: size, progressMode: .never)
    let ends = try SystemCalls.socketPair()
    let (offered, taken) = try await finishing("both sides of the demo") {
      async let source = events(ends.0) { try await demo.offer($0) }
      let taken = try await events(ends.1) { try await demo.take($0) }
      return (try await source, taken)
    }
    #expect(taken.compactMap { if case .completed(let bytes, _) = $0 { bytes } else { nil } } == [size])
    let cancelled = try #require(taken.compactMap { if case .cancelled(let bytes) = $0 { bytes } else { nil } }.first)
    #expect((size / 2..<size).contains(cancelled))
    let stops = offered.compactMap { if case .stopped(let made, let reason) = $0 { (made, reason) } else { nil } }
    let (made, reason) = try #require(stops.first)
    // The content in transit is limited, and is small compared with the item.
    #expect(reason == "cancelled half way" && (cancelled..<size).contains(made), "\(made), \(reason)")
  }

  @Test(arguments: ["--large --size 1M", "--large --size 2g --json", "--json"])
  func validOptionsAreAccepted(_ line: String) throws {
    let words = line.split(separator: " ").map(String.init)
    _ = try DemoCommand(try ParsedArguments(words, options: DemoCommand.options))
  }

  @Test func reportHasTextAndJSON() throws {
    let rest = LargeDemoReport.Cancellation.Rest(files: 1, descriptors: 2)
    #expect(rest.text == "1 file and 2 open descriptors" && !rest.isEmpty)
    let report = LargeDemoReport(
      processes: DemoProcessNumbers(source: 3, destination: 4),
      transferred: .init(bytes: 3_000_000, seconds: 1.50049),
      cancelled: .init(bytes: 1_500_000, made: 1_600_000, reason: "no\u{1B}", left: .init()))
    #expect(
      report.text == """
        complete and verified
        transferred  3000000 bytes in 1.5 s, 1.9 MB/s
        cancelled    after 1500000 bytes; error at the source: no\\u{1b}
        stopped      after the source had generated 1600000 bytes
        remaining    nothing

        """)
    #expect(
      try JSONOutput().text(report) == """
        {"cancelled":{"bytes":1500000,"heard":"no\\u001b","left":{"descriptors":0,"files":0},"made":1600000},\
        "processes":{"destination":4,"source":3},\
        "transferred":{"bytes":3000000,"bytesPerSecond":1999347,"seconds":1.5},"verified":true}
        """)
  }

  @Test func largeContentHasItsLengthAndNoEqualChunks() async throws {
    for count in [1, 7, 8, 262_143, 262_144, 262_145, 600_001, 1 << 20] as [Int64] {
      let content = LargeContent(byteCount: count)
      var chunks: [Data] = []
      for try await chunk in content { chunks.append(chunk) }
      let hasEqualChunks = Set(chunks).count < chunks.count
      #expect(Data(chunks.joined()).count == Int(count) && content.madeByteCount == count && !hasEqualChunks)
      // A second iterator must return the same bytes.
      var again: [Data] = []
      for try await chunk in content { again.append(chunk) }
      #expect(again == chunks)
    }
  }

  @Test func bytesThatAreNotRequestedAreNotGenerated() async throws {
    let content = LargeContent(byteCount: .max)
    #expect(content.madeByteCount == 0)
    var iterator = content.makeAsyncIterator()
    let chunk = try #require(try await iterator.next())
    #expect(content.madeByteCount == Int64(chunk.count) && chunk.count <= 1 << 20)
  }
}

@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct OpenDescriptorsTests {
  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
  }

  private func open(_ targets: String...) throws {
    for target in targets {
      let number = try FileManager.default.contentsOfDirectory(atPath: directory.url.path).count
      try FileManager.default.createSymbolicLink(
        atPath: directory.file("\(number)").path, withDestinationPath: target)
    }
  }

  /// Takes a second, the time that threads have to close their descriptors.
  @Test func openDescriptorsAreCountedExceptThoseOfTheRuntime() async throws {
    try open("/dev/null")
    let before = try await OpenDescriptors(folder: directory.url.path)
    #expect(try await before.growth() == 0)
    try open("anon_inode:[timerfd]", "anon_inode:[eventfd]", "pipe:[1]", "socket:[2]")
    #expect(try await before.growth() == 3)
  }

  @Test func descriptorsThatCloseSoonDoNotCount() async throws {
    var (time, growth) = (Duration.zero, 0)
    repeat {
      let before = try await OpenDescriptors(folder: directory.url.path)
      try open("pipe:[1]")
      let start = ContinuousClock.now
      async let later = before.growth()
      try await Task.sleep(for: .milliseconds(50))
      try FileManager.default.removeItem(at: directory.file("0"))
      time = .now - start
      growth = try await later
      // On a busy machine, this task may run only after the second in which descriptors may close.
    } while time > .milliseconds(900)
    #expect(growth == 0)
  }
}
