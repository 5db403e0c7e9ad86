// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import DropTransport
import Foundation
import TestSupport
import Testing

@testable import DragPipeTool

@Suite("The large demo", .serialized, .limited)
struct LargeDemoTests {
  /// What one side tells while it runs within this process.
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

  @Test("the destination takes all of the first and half of the second, of which the source makes no more")
  func sides() async throws {
    let size: Int64 = 32 << 20
    let demo = LargeDemo(byteCount: size, progressMode: .never)
    let ends = try SystemCalls.socketPair()
    async let source = told(OwnedDescriptor(ends.0)) { try await demo.offer($0) }
    let taken = try await told(OwnedDescriptor(ends.1)) { try await demo.take($0) }
    let offered = try await source
    let wholes = taken.compactMap { if case .whole(let bytes, _) = $0 { bytes } else { nil } }
    #expect(wholes == [size])
    let cancelled = try #require(taken.compactMap { if case .cancelled(let bytes) = $0 { bytes } else { nil } }.first)
    #expect((size / 2..<size).contains(cancelled))
    let stops = offered.compactMap { if case .stopped(let made, let heard) = $0 { (made, heard) } else { nil } }
    let (made, heard) = try #require(stops.first)
    #expect(heard == "called off half way")
    // What was on its way is bounded, and little of so much.
    #expect((cancelled..<size).contains(made), "\(made)")
  }

  @Test(
    "sizes and options that make no sense are refused",
    arguments: [
      (["--large", "--size", "1M"], nil), (["--large", "--size", "2g", "--json"], nil), (["--json"], nil),
      (["--large", "--size", "1023K"], "--size wants at least 1M"), (["--large", "--size", "0"], "--size wants"),
      (["--large", "--size", "9999999999G"], "--size wants at least 1M"),
      (["--large", "--size", "16777216T"], "16777216T is no"),
      (["--large", "--size", "-1"], "-1 is no size"),
      (["--large", "--size", "much"], "much is no size; try 500M or 2G"),
      (["--size", "2G"], "--size and --progress go with --large"),
      (["--progress", "always"], "--size and --progress go"),
      (["--large", "--progress", "loud"], "--progress wants auto, always, never or json"),
      (["sauce"], "demo takes no operand"), (["source", "destination"], "demo takes no operand"),
    ] as [([String], String?)])
  func arguments(_ words: [String], _ complaint: String?) throws {
    do throws(ToolFailure) {
      _ = try DemoCommand(try ParsedArguments(words, options: DemoCommand.options))
      #expect(complaint == nil)
    } catch {
      #expect(error.exitCode == .usage)
      #expect(complaint.map { error.message.hasPrefix($0) } == true, "\(error.message)")
    }
  }

  @Test("the report says what it knows, in words and as JSON")
  func report() throws {
    let rest = LargeDemoReport.Cancellation.Rest(files: 1, descriptors: 2)
    #expect(rest.text == "1 file and 2 open descriptors" && !rest.isEmpty)
    let report = LargeDemoReport(
      processes: DemoProcessNumbers(source: 3, destination: 4),
      transferred: .init(bytes: 3_000_000, seconds: 1.50049),
      cancelled: .init(bytes: 1_500_000, made: 1_600_000, heard: "no\u{1B}", left: .init()))
    #expect(
      report.text == """
        whole and verified
        transferred  3000000 bytes in 1.5 s, 1.9 MB/s
        cancelled    after 1500000 bytes; the source heard: no\\u{1b}
        stopped      when the source had made 1600000 bytes
        left of it   nothing

        """)
    #expect(
      try JSONOutput().text(report) == """
        {"cancelled":{"bytes":1500000,"heard":"no\\u001b","left":{"descriptors":0,"files":0},"made":1600000},\
        "processes":{"destination":4,"source":3},\
        "transferred":{"bytes":3000000,"bytesPerSecond":1999347,"seconds":1.5},"verified":true}
        """)
  }
}

@Suite("Large content that is made as it is asked for", .serialized, .limited)
struct LargeContentTests {
  @Test(
    "there are as many bytes as there should be, and no two chunks are the same",
    arguments: [1, 7, 8, 262_143, 262_144, 262_145, 600_001, 1 << 20] as [Int64])
  func chunks(_ count: Int64) async throws {
    let content = LargeContent(byteCount: count)
    var chunks: [Data] = []
    for try await chunk in content { chunks.append(chunk) }
    #expect(chunks.reduce(0) { $0 + $1.count } == Int(count))
    #expect(Set(chunks).count == chunks.count)
    #expect(content.madeByteCount == count)
    // Whoever asks anew gets the same.
    var again: [Data] = []
    for try await chunk in content { again.append(chunk) }
    #expect(again == chunks)
  }

  @Test("what is not asked for is not made, however much there would be")
  func lazily() async throws {
    let content = LargeContent(byteCount: .max)
    #expect(content.madeByteCount == 0)
    var iterator = content.makeAsyncIterator()
    let chunk = try #require(try await iterator.next())
    #expect(content.madeByteCount == Int64(chunk.count))
    #expect(chunk.count <= 1 << 20)
  }
}

@Suite("Counting descriptors", .serialized, .limited)
struct OpenDescriptorsTests {
  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
  }

  private func open(_ number: Int, _ target: String) throws {
    try FileManager.default.createSymbolicLink(
      atPath: directory.file("\(number)").path, withDestinationPath: target)
  }

  @Test("what stays open is counted, but for what the runtime keeps")
  func growth() async throws {
    try open(0, "/dev/null")
    let before = try await OpenDescriptors(folder: directory.url.path)
    #expect(try await before.growth() == 0)
    for (number, target) in ["anon_inode:[timerfd]", "anon_inode:[eventfd]", "pipe:[1]", "socket:[2]"].enumerated() {
      try open(number + 1, target)
    }
    #expect(try await before.growth() == 3)
  }

  @Test("what is let go of a little later does not count")
  func patience() async throws {
    let before = try await OpenDescriptors(folder: directory.url.path)
    try open(0, "pipe:[1]")
    async let growth = before.growth()
    try await Task.sleep(for: .milliseconds(50))
    try FileManager.default.removeItem(at: directory.file("0"))
    #expect(try await growth == 0)
  }
}
