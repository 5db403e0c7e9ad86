// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import CAllocationCounter
import DragPipe

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Measures what a promise costs within one process: allocations first, as they are the same on every machine.
struct ProviderReport: Sendable {
  private struct Row {
    let label: String
    let figure: String
    let goal: String
    let isMet: Bool
  }

  let repetitions: Int

  func print() async throws {
    var rows: [Row] = []
    rows += try await registerAndLoad()
    rows.append(aliveProviders())
    rows.append(try await streamed())
    Swift.print("item providers in one process")
    for row in rows {
      let label = row.label + String(repeating: " ", count: max(0, 52 - row.label.count))
      let figure = row.figure + String(repeating: " ", count: max(0, 14 - row.figure.count))
      Swift.print("  \(label) \(figure) goal \(row.goal)\(row.isMet ? "" : "  MISSED")")
    }
    Swift.print()
  }

  private static let text = [UInt8](repeating: 0x78, count: 100)

  private func registerAndLoad() async throws -> [Row] {
    func once() async throws {
      let provider = ItemProvider()
      provider.register(.utf8PlainText) { _ in Data(Self.text) }
      let data = try await provider.data(for: .text)
      precondition(data.count == 100)
    }
    for _ in 0..<1000 { try await once() }
    let count = 20_000
    count_allocations(true)
    let before = allocation_count()
    for _ in 0..<count { try await once() }
    count_allocations(false)
    let allocations = Double(allocation_count() - before) / Double(count)
    var seconds: [Double] = []
    for _ in 0...max(5, repetitions) {
      let clock = ContinuousClock()
      let start = clock.now
      for _ in 0..<count { try await once() }
      seconds.append((clock.now - start) / .seconds(1))
    }
    let microseconds = seconds.sorted()[seconds.count / 2] / Double(count) * 1e6
    return [
      Row(
        label: "register and load 100 bytes: allocations", figure: "\((allocations * 10).rounded() / 10)", goal: "10",
        isMet: allocations <= 10),
      Row(
        label: "register and load 100 bytes: time", figure: "\((microseconds * 100).rounded() / 100) µs", goal: "2 µs",
        isMet: microseconds <= 2),
    ]
  }

  /// Each with a name and one promised representation of its own.
  private func aliveProviders() -> Row {
    let count = 1_000_000
    var providers: [ItemProvider] = []
    providers.reserveCapacity(count)
    let before = allocated_bytes()
    for index in 0..<count {
      let provider = ItemProvider(suggestedName: "hero.json")
      provider.register(.json) { _ in Data("\(index)".utf8) }
      providers.append(provider)
    }
    let bytes = Double(allocated_bytes() - before) / Double(count)
    precondition(providers.count == count)
    return Row(
      label: "a million providers alive: bytes each", figure: "\(Int(bytes.rounded()))", goal: "600",
      isMet: bytes <= 600)
  }

  private func streamed() async throws -> Row {
    let chunk = Data(repeating: 7, count: 1 << 20)
    let count = 4096
    let provider = ItemProvider()
    provider.registerStream(.data, size: .exact(Int64(count) << 20)) { _ in
      Repeated(chunk: chunk, count: count)
    }
    let before = allocated_bytes()
    var most: UInt64 = 0
    var total = 0
    for try await chunk in try await provider.bytes(for: .data) {
      total += chunk.count
      most = max(most, allocated_bytes())
    }
    precondition(total == count << 20)
    let grown = most > before ? most - before : 0
    return Row(
      label: "4 GiB streamed in chunks of 1 MiB: memory grown by", figure: "\(grown >> 10) KiB", goal: "2048 KiB",
      isMet: grown <= 2 << 20)
  }
}

/// The same chunk again and again, copied so that each is memory of its own.
private struct Repeated: AsyncSequence, Sendable {
  let chunk: Data
  let count: Int

  func makeAsyncIterator() -> Iterator { Iterator(chunk: chunk, left: count) }

  struct Iterator: AsyncIteratorProtocol {
    let chunk: Data
    var left: Int

    mutating func next() async -> Data? {
      guard left > 0 else { return nil }
      left -= 1
      var copy = chunk
      copy[copy.startIndex] = UInt8(truncatingIfNeeded: left)
      return copy
    }
  }
}
