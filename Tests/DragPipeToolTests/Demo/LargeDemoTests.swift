// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import DropTransport
import Foundation
import TestSupport
import Testing

@testable import DragPipeTool

@Suite("The large demo", .serialized, .limited, .timeLimit(.minutes(5)))
struct LargeDemoTests {
  /// Runs one side of the demo within this process, and returns its events.
  private func told(
    _ socket: consuming OwnedDescriptor, _ run: @escaping @Sendable (ToolEnvironment) async throws -> Void
  ) async throws -> [DemoEvent] {
    let pipe = try SystemCalls.pipe()
    let events = DemoEvents(try ChunkSource(.descriptor(pipe.read)))
    let input = socket.release()
    let running = Task {
      defer { for descriptor in [input, pipe.write] { try? SystemCalls.close(descriptor) } }
      try await run(ToolEnvironment(input: input, output: pipe.write))
    }
    var all: [DemoEvent] = []
    while let event = try await events.next() { all.append(event) }
    try await running.value
    return all
  }

  @Test("the destination receives the first item and half of the second, and the source stops there")
  func destinationReceivesOneAndAHalfItems() async throws {
    let size: Int64 = 32 << 20
    let demo = LargeDemo(byteCount: size, progressMode: .never)
    let ends = try SystemCalls.socketPair()
    async let source = told(OwnedDescriptor(ends.0)) { try await demo.offer($0) }
    let taken = try await told(OwnedDescriptor(ends.1)) { try await demo.take($0) }
    let offered = try await source
    let wholes = taken.compactMap { if case .completed(let bytes, _) = $0 { bytes } else { nil } }
    #expect(wholes == [size])
    let cancelled = try #require(taken.compactMap { if case .cancelled(let bytes) = $0 { bytes } else { nil } }.first)
    #expect((size / 2..<size).contains(cancelled))
    let stops = offered.compactMap { if case .stopped(let made, let reason) = $0 { (made, reason) } else { nil } }
    let (made, reason) = try #require(stops.first)
    #expect(reason == "cancelled half way")
    // The content in transit is limited, and is small compared with the item.
    #expect((cancelled..<size).contains(made), "\(made)")
  }

  @Test(
    "invalid sizes and options are refused",
    arguments: [
      (["--large", "--size", "1M"], nil), (["--large", "--size", "2g", "--json"], nil), (["--json"], nil),
      (["--large", "--size", "1023K"], "--size 1023K is out of range; use 1M up to"),
      (["--large", "--size", "0"], "--size 0 is out of range"),
      (["--large", "--size", "9999999999G"], "--size 9999999999G is out of range"),
      (["--large", "--size", "16777216T"], "16777216T is not a size"),
      (["--large", "--size", "-1"], "-1 is not a size"),
      (["--large", "--size", "much"], "much is not a size; use a number such as 500M or 2G"),
      (["--size", "2G"], "--size and --progress need --large"),
      (["--progress", "always"], "--size and --progress need"),
      (["--large", "--progress", "loud"], "--progress loud is unknown; use auto, always, never or json"),
      (["sauce"], "demo takes no operand"), (["source", "destination"], "demo takes no operand"),
    ] as [([String], String?)])
  func rejectsInvalidSizes(_ words: [String], _ complaint: String?) throws {
    do throws(ToolFailure) {
      _ = try DemoCommand(try ParsedArguments(words, options: DemoCommand.options))
      #expect(complaint == nil)
    } catch {
      #expect(error.exitCode == .usage)
      #expect(complaint.map { error.message.hasPrefix($0) } == true, "\(error.message)")
    }
  }

  @Test("the report exists as text and as JSON")
  func reportHasTextAndJSON() throws {
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
}

@Suite("Large content that is generated on request", .serialized, .limited, .timeLimit(.minutes(5)))
struct LargeContentTests {
  @Test(
    "the content has its length, and no two chunks are equal",
    arguments: [1, 7, 8, 262_143, 262_144, 262_145, 600_001, 1 << 20] as [Int64])
  func contentHasItsLengthAndNoEqualChunks(_ count: Int64) async throws {
    let content = LargeContent(byteCount: count)
    var chunks: [Data] = []
    for try await chunk in content { chunks.append(chunk) }
    #expect(chunks.reduce(0) { $0 + $1.count } == Int(count))
    #expect(Set(chunks).count == chunks.count)
    #expect(content.madeByteCount == count)
    // A second iterator must return the same bytes.
    var again: [Data] = []
    for try await chunk in content { again.append(chunk) }
    #expect(again == chunks)
  }

  @Test("bytes that are not requested are not generated, whatever the size")
  func unrequestedBytesAreNotGenerated() async throws {
    let content = LargeContent(byteCount: .max)
    #expect(content.madeByteCount == 0)
    var iterator = content.makeAsyncIterator()
    let chunk = try #require(try await iterator.next())
    #expect(content.madeByteCount == Int64(chunk.count))
    #expect(chunk.count <= 1 << 20)
  }
}

@Suite("Counting descriptors", .serialized, .limited, .timeLimit(.minutes(5)))
struct OpenDescriptorsTests {
  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
  }

  private func open(_ number: Int, _ target: String) throws {
    try FileManager.default.createSymbolicLink(
      atPath: directory.file("\(number)").path, withDestinationPath: target)
  }

  @Test("descriptors that stay open are counted, except those of the runtime")
  func openDescriptorsAreCounted() async throws {
    try open(0, "/dev/null")
    let before = try await OpenDescriptors(folder: directory.url.path)
    #expect(try await before.growth() == 0)
    for (number, target) in ["anon_inode:[timerfd]", "anon_inode:[eventfd]", "pipe:[1]", "socket:[2]"].enumerated() {
      try open(number + 1, target)
    }
    #expect(try await before.growth() == 3)
  }

  @Test("descriptors that close after a short time do not count")
  func descriptorsThatCloseSoonDoNotCount() async throws {
    let before = try await OpenDescriptors(folder: directory.url.path)
    try open(0, "pipe:[1]")
    async let growth = before.growth()
    try await Task.sleep(for: .milliseconds(50))
    try FileManager.default.removeItem(at: directory.file("0"))
    #expect(try await growth == 0)
  }
}
