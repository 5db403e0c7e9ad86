// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import ItemCoding
import TestSupport
import Testing

/// How much memory coding takes, by the kernel's own count.
///
/// It is counted for the whole process, so these run one after another, and only where nothing else does.
@Suite(.serialized, .enabled(if: ProcessInfo.processInfo.environment["DRAGPIPE_MEMORY_TESTS"] != nil))
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

  /// How many bytes more this process has ever had resident than before `body`; the kernel's own count.
  private func peakGrowth(_ body: () throws -> Void) throws -> Int {
    func kilobytes(_ name: String) throws -> Int {
      let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
      let line = try #require(status.split(separator: "\n").first { $0.hasPrefix(name) })
      return try #require(Int(line.split(separator: " ").dropFirst().first ?? line.split(separator: "\t")[1]))
    }
    // Sets the peak back to what is resident now.
    try Data("5".utf8).write(to: URL(fileURLWithPath: "/proc/self/clear_refs"))
    let before = try kilobytes("VmRSS:")
    try body()
    return try (kilobytes("VmHWM:") - before) * 1024
  }

  @Test("decoding takes no more memory than a multiple of the input, whatever that claims")
  func decoding() throws {
    let count = 1 << 20
    let header = Data([0x9A, 0x00, 0x10, 0x00, 0x00])
    let nulls = header + Data(repeating: 0xF6, count: count)
    let halfNulls = header + Data(repeating: 0xF6, count: count - 1) + [0x01]
    let stride = MemoryLayout<Big?>.stride
    // What the result itself takes is the program's business; that of a failure is ours.
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

  @Test("encoding takes at most half as much again as the output, however large that is")
  func encoding() throws {
    func expectModesty(_ value: some Encodable, _ name: String) throws {
      var output = 0
      let growth = try peakGrowth { output = try CBOREncoder().encode(value).count }
      #expect(growth < output * 3 / 2 + 200 << 10, "\(name): \(growth) for \(output)")
    }
    let text = String(repeating: "mead ", count: 20)
    for byteCount in [100 << 10, 1 << 20, 3 << 19, 3 << 20, 5 << 20, 9 << 20, 20 << 20] {
      try expectModesty((0..<byteCount / 100).map { _ in text }, "strings")
      try expectModesty((0..<byteCount).map { $0 % 24 }, "small integers")
      try expectModesty((0..<byteCount / 9).map { Double($0) * 1.1 }, "doubles")
      try expectModesty(Data(count: byteCount), "data")
    }
  }
}
