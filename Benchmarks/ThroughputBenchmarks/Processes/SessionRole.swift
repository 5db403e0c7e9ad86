// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import BenchmarkKit
import DragPipe
import DropSystem
import DropTransport
import Foundation
import Glibc

/// The two processes of the session benchmark.
///
/// Standard input is the socket of the session. Standard error is the socket of the plain transfer that is compared.
/// Both alternate in the same processes, so that a slow moment of the machine affects both. The sink prints the
/// measurements.
struct SessionRole: Sendable {
  enum Subject: String, Sendable, CaseIterable {
    /// The median time to load 100 bytes.
    case latency
    /// The time in which 99 % of the loads of 100 bytes end.
    case tail
    case bytes
    case handOver
  }

  static let shortLength = 100
  static let fileLength = 1 << 30
  private static let chunkLength = 256 << 10
  private static let (blocks, asks) = (10, 100)

  let subject: Subject
  /// The length of the content that is loaded completely.
  let byteCount: Int
  let rounds: Int
  /// The path of the source's original file.
  let path: String

  // MARK: The source

  func runSource() async throws {
    Thread.detachNewThread { try? answerPlainly() }
    let (count, chunk) = (byteCount, Data(count: min(byteCount, Self.chunkLength)))
    try await DropStream.withSession(over: .descriptor(STDIN_FILENO)) { session in
      let short = ItemProvider(suggestedName: "short")
      short.register(.data) { _ in Data(count: Self.shortLength) }
      let long = ItemProvider(suggestedName: "long")
      long.registerStream(.data) { _ in RepeatedChunks(chunk: chunk, left: count) }
      let original = ItemProvider(contentsOf: URL(fileURLWithPath: path), contentType: .data, openInPlace: true)
      _ = try await session.offer([short, long, original])
    }
  }

  /// Responds to plain messages: to a short message with a message, to two bytes with an open file, to one byte with
  /// all content.
  private func answerPlainly() throws {
    while true {
      switch try PlainSocket.readMessage() {
      case Self.shortLength: try PlainSocket.write(Self.shortLength)
      case 2: try PlainSocket.send(try OwnedDescriptor.open(path, O_RDWR))
      default:
        for start in stride(from: 0, to: byteCount, by: Self.chunkLength) {
          try PlainSocket.write(min(Self.chunkLength, byteCount - start))
        }
      }
    }
  }

  // MARK: The sink

  func runSink() async throws {
    let block = try await DropStream.withSession(over: .descriptor(STDIN_FILENO)) { session in
      var block = Benchmark.Block([])
      for try await drop in session.drops {
        block = try await measure(drop.items)
        try await drop.finish(.copy)
      }
      return block
    }
    let data = try JSONEncoder().encode(block)
    try PlainPipe.write(data)
  }

  private func measure(_ items: [ItemProvider]) async throws -> Benchmark.Block {
    switch subject {
    case .latency: try await latency(items[0], part: 0.5)
    case .tail: try await latency(items[0], part: 0.99)
    case .bytes: try await bytes(items[1])
    case .handOver: try await handOver(items[2])
    }
  }

  /// Measures blocks of loads and blocks of plain messages alternately.
  ///
  /// The first block only warms caches.
  private func latency(_ item: ItemProvider, part: Double) async throws -> Benchmark.Block {
    var samples = [Sample(), Sample()]
    for _ in 0..<max(1, rounds) {
      var (asked, pings): ([Double], [Double]) = ([], [])
      for block in 0...Self.blocks {
        for _ in 0..<Self.asks {
          let start = ContinuousClock.now
          let data = try await item.data(for: .data)
          if block > 0 { asked.append((ContinuousClock.now - start) / .seconds(1)) }
          precondition(data.count == Self.shortLength)
        }
        for _ in 0..<Self.asks {
          let start = ContinuousClock.now
          try PlainSocket.write(Self.shortLength)
          try PlainSocket.read(Self.shortLength)
          if block > 0 { pings.append((ContinuousClock.now - start) / .seconds(1)) }
        }
      }
      samples[0].seconds.append(asked.quantile(part) ?? 0)
      samples[1].seconds.append(pings.quantile(part) ?? 0)
    }
    return Benchmark.Block(samples)
  }

  private func bytes(_ item: ItemProvider) async throws -> Benchmark.Block {
    let total = byteCount
    return try await inTurn(
      {
        var count = 0
        for try await chunk in try await item.bytes(for: .data) { count += chunk.count }
        precondition(count == total)
      },
      {
        try PlainSocket.write(1)
        try PlainSocket.read(total)
      })
  }

  /// Measures the passing of an open file.
  ///
  /// The file is not read, since its length does not matter.
  private func handOver(_ item: ItemProvider) async throws -> Benchmark.Block {
    try await inTurn(
      {
        for _ in 0..<Self.asks {
          try await item.withInPlaceFile(for: .data) { file in precondition(file.isOriginalFile) }
        }
      },
      {
        for _ in 0..<Self.asks {
          try PlainSocket.write(2)
          try PlainSocket.receiveDescriptor()
        }
      })
  }

  private func inTurn(
    _ session: @escaping () async throws -> Void, _ plain: @escaping () async throws -> Void
  ) async throws -> Benchmark.Block {
    var samples = [Sample(), Sample()]
    for round in 0...max(1, rounds) {
      for (index, work) in [session, plain].enumerated() {
        let start = ContinuousClock.now
        try await work()
        // The first round only warms caches.
        if round > 0 { samples[index].seconds.append((ContinuousClock.now - start) / .seconds(1)) }
      }
    }
    samples[0].peakKibibytes = ResidentMemory.peakKibibytes()
    return Benchmark.Block(samples)
  }

  /// Returns the number of items or bytes that each round moves.
  static func amount(_ subject: Subject, _ byteCount: Int) -> Int {
    switch subject {
    case .latency, .tail: 1
    case .bytes: byteCount
    case .handOver: asks
    }
  }
}
