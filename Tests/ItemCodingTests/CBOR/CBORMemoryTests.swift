// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import ItemCoding
import TestSupport
import Testing

/// The memory that coding takes, as the kernel measures it.
///
/// The kernel measures the complete process, so these tests run one after another and without other tests.
@Suite(
  .limited, .serialized, .enabled(if: ProcessInfo.processInfo.environment["DRAGPIPE_MEMORY_TESTS"] != nil),
  .timeLimit(minutes: 5))
struct CBORMemoryTests {
  private struct Big: Codable {
    var a: (Int, Int)? { nil }
    var texts: [String] = []
    var one = ""
    var two = ""
    var three = ""
    var four = ""
    var five = ""
    var six = ""
    var seven = ""
    var numbers: [Double] = []
    var date = Date()
    var price = Decimal()
  }

  private func kilobytes(_ name: String) throws -> Int {
    let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
    let line = try #require(status.split(separator: "\n").first { $0.hasPrefix(name) })
    return try #require(Int(line.filter(\.isNumber)))
  }

  /// Returns the difference between the peak memory of the process during `body` and its memory before, in bytes.
  ///
  /// By default, resident memory is measured.
  private func peakGrowth(
    _ peak: String = "VmHWM:", _ now: String = "VmRSS:", _ body: () throws -> Void
  ) throws -> Int {
    // Resets the peak to the current resident memory.
    try Data("5".utf8).write(to: URL(fileURLWithPath: "/proc/self/clear_refs"))
    let before = try kilobytes(now)
    try body()
    return try (kilobytes(peak) - before) * 1024
  }

  @Test func decodingTakesMemoryInProportionToTheInput() throws {
    let count = 1 << 20
    let header = Data([0x9A, 0x00, 0x10, 0x00, 0x00])
    let nulls = header + Data(repeating: 0xF6, count: count)
    let halfNulls = header + Data(repeating: 0xF6, count: count - 1) + [0x01]
    let stride = MemoryLayout<Big?>.stride
    // Only a result may take memory; a failure must not.
    let values = try peakGrowth { _ = try? CBORDecoder().decode([Big?].self, from: nulls) }
    #expect(values < (2 * stride + 32) * count)
    for data in [halfNulls, nulls.dropLast() + [0x1C]] {
      let growth = try peakGrowth { _ = try? CBORDecoder().decode([Int?].self, from: data) }
      #expect(growth < 64 * count)
    }
    for claim in ["9a7fffffff", "9b00000000ffffffff", "ba3fffffff"] {
      let data = Data(hex: claim) + Data(repeating: 0, count: count)
      let growth = try peakGrowth {
        expectValueOrDecodingError([Big].self, data)
        expectValueOrDecodingError([String: Big].self, data)
        expectValueOrDecodingError([Int].self, data)
        expectValueOrDecodingError(Skipped.self, data)
      }
      #expect(growth < 16 * count)
    }
    let strings = Data([0xBA, 0x00, 0x04, 0x00, 0x00]) + Data(repeating: 0x60, count: count)
    let growth = try peakGrowth { _ = try? CBORDecoder().decode([String: Int].self, from: strings) }
    #expect(growth < 64 * count)
  }

  @Test func encodingTakesAtMostTwiceTheOutput() throws {
    func expectModesty(_ value: some Encodable, _ name: String) throws {
      var output = 0
      let growth = try peakGrowth { output = try CBOREncoder().encode(value).count }
      #expect(growth < output * 2 + 200 << 10, "\(name): \(growth) for \(output)")
    }
    let text = String(repeating: "mead ", count: 20)
    // The first calls load code, which also takes memory.
    for _ in 0..<2 {
      _ = try CBOREncoder().encode([text])
      _ = try CBOREncoder().encode([1])
      _ = try CBOREncoder().encode([1.1])
      _ = try CBOREncoder().encode(Data(count: 1 << 20))
    }
    for byteCount in [100 << 10, 1 << 20, 3 << 19, 3 << 20, 5 << 20, 9 << 20, 20 << 20] {
      try expectModesty((0..<byteCount / 100).map { _ in text }, "strings")
      try expectModesty((0..<byteCount).map { $0 % 24 }, "small integers")
      try expectModesty((0..<byteCount / 9).map { Double($0) * 1.1 }, "doubles")
      try expectModesty(Data(count: byteCount), "data")
    }
  }

  private struct Nest: Decodable {
    var inner: [String: Nest]

    init(from decoder: any Decoder) throws {
      inner = try decoder.singleValueContainer().decode([String: Nest].self)
    }
  }

  @Test func nestedAnnouncedCountsReserveMemoryOnce() throws {
    let count = 4 << 20
    for (isMap, major) in [(true, UInt8(0xBB)), (false, 0x9B)] {
      var data = Data()
      for _ in 0..<500 {
        data.append(major)
        withUnsafeBytes(of: UInt64(count / 2 - 10_000).bigEndian) { data.append(contentsOf: $0) }
        if isMap { data.append(contentsOf: [0x61, 0x61]) }
      }
      data.append(Data(repeating: 0x1C, count: count))
      let reserved = try peakGrowth("VmPeak:", "VmPeak:") {
        let resident = try peakGrowth {
          _ = isMap ? try decodingError(Nest.self, data).kind : try decodingError(List.self, data).kind
        }
        #expect(resident < 20 * count)
      }
      #expect(reserved < 20 * count)
    }
  }

  @Test func consecutiveNestedContainersShareMemory() throws {
    let count = 300_000
    let value = Writing { encoder in
      var container = encoder.unkeyedContainer()
      for _ in 0..<count {
        var inner = container.nestedContainer(keyedBy: AnyTestKey.self)
        var innermost = inner.nestedUnkeyedContainer(forKey: "a")
        try innermost.encode(1)
      }
    }
    var bytes = Data()
    let written = try peakGrowth { bytes = try CBOREncoder().encode(value) }
    #expect(written < 3 << 20)
    #expect(bytes.count == 5 + count * 5)
    let read = try peakGrowth {
      _ = try Reading<Void>.read(bytes) { decoder in
        var container = try decoder.unkeyedContainer()
        while !container.isAtEnd {
          _ = try container.nestedContainer(keyedBy: AnyTestKey.self).nestedUnkeyedContainer(forKey: "a").count
        }
      }
    }
    #expect(read < 2 << 20)
    let kept = try CBORDecoder().decode(Later.self, from: bytes)
    let readLater = try peakGrowth {
      for _ in 0..<count {
        var container = try kept.decoder.unkeyedContainer()
        _ = try container.nestedContainer(keyedBy: AnyTestKey.self)
      }
    }
    #expect(readLater < 2 << 20)
  }

  @Test func numbersThatGetSmallerTakeNoExtraMemory() throws {
    let numbers = [Int](repeating: .max, count: 1024) + [Int](repeating: 1, count: 8 << 20)
    var output = 0
    let growth = try peakGrowth { output = try CBOREncoder().encode(numbers).count }
    #expect(growth < output * 2)
  }

  @Test func idleCodersReleaseTheMemoryOfLargeValues() throws {
    var bytes = Data(hex: "ba 002dc6c0")
    for number in 0..<3_000_000 { bytes.append(contentsOf: "\u{68}\(10_000_000 + number)\u{1}".utf8) }
    let long = try CBOREncoder().encode([String(repeating: "x", count: 256 << 20): 1])
    _ = try CBORDecoder().decode([String: Int].self, from: Data(hex: "a1 6161 01"))
    let before = try kilobytes("VmRSS:")
    do {
      _ = try Reading<Void>.read(bytes) { decoder in
        let container = try decoder.container(keyedBy: AnyTestKey.self)
        _ = try container.decode(Int.self, forKey: "12999999")
      }
      _ = try CBORDecoder().decode([String: Int].self, from: long)
    }
    // Each value took more memory than this limit. The heap may keep up to 64 MiB.
    #expect(try kilobytes("VmRSS:") - before < 100 << 10)
  }
}
