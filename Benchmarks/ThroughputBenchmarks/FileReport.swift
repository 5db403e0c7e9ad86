// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DragPipe

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Measures drop files: how fast one is written, and what it takes to have one item of it without the others.
struct FileReport: Sendable {
  private static let itemCount = 100_000

  /// Of the whole file.
  let megabytes: Int
  let repetitions: Int

  func print() async throws {
    let file = FileManager.default.temporaryDirectory
      .appendingPathComponent("dragpipe-benchmark-\(UUID().uuidString).drop")
    defer { try? FileManager.default.removeItem(at: file) }
    let content = Data((0..<max(1, megabytes * 1_000_000 / Self.itemCount)).map { UInt8(truncatingIfNeeded: $0 &* 31) })
    let clock = ContinuousClock()
    let start = clock.now
    try await DropStream.withWriter(to: .file(file.path)) { writer in
      for number in 0..<Self.itemCount {
        let item = ItemProvider(suggestedName: "\(number)")
        item.register(.data, size: .exact(Int64(content.count))) { _ in content }
        try await writer.write(item)
      }
    }
    let writing = (clock.now - start) / .seconds(1)
    Swift.print("a drop file of \(Self.itemCount) items, \(megabytes) MB")
    Swift.print("  writing it                                \(Int(Double(megabytes) / writing)) MB/s")
    let milliseconds = try await openings(of: file.path, expecting: content)
    let (median, most) = (milliseconds[milliseconds.count / 2], milliseconds[milliseconds.count * 99 / 100])
    let isMet = median <= 5
    Swift.print(
      "  opening it and having one representation  \(Self.text(median)) ms, 99 of 100 in \(Self.text(most)) ms"
        + "  goal 5 ms\(isMet ? "" : "  MISSED")")
    Swift.print()
  }

  /// Sorted times of opening the file anew and reading an item somewhere in it.
  private func openings(of path: String, expecting content: Data) async throws -> [Double] {
    let clock = ContinuousClock()
    var milliseconds: [Double] = []
    var number = 1
    for _ in 0..<max(100, repetitions * 20) {
      number = (number &* 48_271) % Self.itemCount
      let start = clock.now
      let item = try await DropFile.open(path).item(at: number)
      let data = try await item.data(for: .data)
      milliseconds.append((clock.now - start) / .milliseconds(1))
      precondition(data == content && item.suggestedName == "\(number)")
    }
    return milliseconds.sorted()
  }

  private static func text(_ value: Double) -> String { "\((value * 100).rounded() / 100)" }
}
