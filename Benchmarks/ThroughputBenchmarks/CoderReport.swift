// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import CAllocationCounter
import DragPipe
import HeroCards

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Measures the CBOR coders beside Foundation's JSON coders, on the same values in the same process, turn by turn.
struct CoderReport: Sendable {
  private struct Row {
    let label: String
    /// Of JSON, in times.
    let encoding: Double
    let decoding: Double
    let goal: (encoding: Double, decoding: Double)
    /// Of the CBOR coders, in milliseconds.
    let milliseconds: (encoding: Double, decoding: Double)

    var isMet: Bool { encoding >= goal.encoding && decoding >= goal.decoding }
  }

  let heroCount: Int
  let repetitions: Int

  private static let jsonEncoder = JSONEncoder()
  private static let jsonDecoder = JSONDecoder()
  private static let encoder = CBOREncoder()
  private static let decoder = CBORDecoder()

  func print() throws {
    let heroes = HeroFixtures.heroes(heroCount)
    let cards = HeroFixtures.cards(heroCount * 10)
    let plainHeroes = heroes.map(PlainHero.init)
    let plainCards = cards.map(PlainCard.init)
    let few = min(heroCount, 2000)
    var rows = [
      try whole("heroes in one array, plain Codable", plainHeroes, goal: (6, 4.5)),
      try each("one hero a message, plain Codable", Array(plainHeroes.prefix(few)), goal: (5.5, 4.5)),
      try whole("heroes in one array, by fields", heroes, goal: (12, 8)),
      try each("one hero a message, by fields", Array(heroes.prefix(few)), goal: (12, 8)),
      try whole("cards in one array, plain Codable", plainCards, goal: (7, 4.5)),
      try each("one card a message, plain Codable", Array(plainCards.prefix(few * 10)), goal: (4, 4)),
      try whole("cards in one array, by fields", cards, goal: (12, 6)),
    ]
    let numbers = heroCount * 50
    rows.append(try whole("doubles", (0..<numbers).map { Double($0) * 1.000123 }, goal: (80, 60)))
    rows.append(try whole("integers", (0..<numbers).map { $0 &* 2_654_435_761 % 100_000_000 }, goal: (30, 20)))
    Swift.print("CBOR beside Foundation's JSON: encode / decode, medians; \(heroCount) heroes, \(cards.count) cards")
    for row in rows { Swift.print(Self.line(row)) }
    for line in try memory("heroes, plain Codable", plainHeroes) { Swift.print(line) }
    for line in try memory("cards, by fields", cards) { Swift.print(line) }
    for line in try memory("64 MiB of data", Data(count: 64 << 20)) { Swift.print(line) }
    Swift.print()
  }

  // MARK: Time

  private func whole<Value: Codable>(
    _ label: String, _ value: Value, goal: (Double, Double)
  ) throws -> Row {
    let json = try Self.jsonEncoder.encode(value)
    let cbor = try Self.encoder.encode(value)
    return try row(
      label, goal,
      ({ _ = try Self.jsonEncoder.encode(value) }, { _ = try Self.encoder.encode(value) }),
      (
        { _ = try Self.jsonDecoder.decode(Value.self, from: json) },
        { _ = try Self.decoder.decode(Value.self, from: cbor) }
      ))
  }

  private func each<Value: Codable>(
    _ label: String, _ values: [Value], goal: (Double, Double)
  ) throws -> Row {
    let json = try values.map { try Self.jsonEncoder.encode($0) }
    let cbor = try values.map { try Self.encoder.encode($0) }
    return try row(
      label, goal,
      (
        { for value in values { _ = try Self.jsonEncoder.encode(value) } },
        { for value in values { _ = try Self.encoder.encode(value) } }
      ),
      (
        { for bytes in json { _ = try Self.jsonDecoder.decode(Value.self, from: bytes) } },
        { for bytes in cbor { _ = try Self.decoder.decode(Value.self, from: bytes) } }
      ))
  }

  private typealias Pair = (json: () throws -> Void, cbor: () throws -> Void)

  private func row(_ label: String, _ goal: (Double, Double), _ encode: Pair, _ decode: Pair) throws -> Row {
    // Every row begins as a fresh program would: on no heap full of gaps that former rows left.
    return_free_memory()
    let encoding = try medians(encode)
    let decoding = try medians(decode)
    return Row(
      label: label, encoding: encoding.json / encoding.cbor, decoding: decoding.json / decoding.cbor, goal: goal,
      milliseconds: (encoding.cbor * 1000, decoding.cbor * 1000))
  }

  /// Seconds; in turn, so that a slow moment hits both.
  private func medians(_ pair: Pair) throws -> (json: Double, cbor: Double) {
    var json: [Double] = []
    var cbor: [Double] = []
    for round in 0...repetitions {
      let first = try Self.seconds(pair.json)
      let second = try Self.seconds(pair.cbor)
      // The first round only warms caches.
      guard round > 0 else { continue }
      json.append(first)
      cbor.append(second)
    }
    return (json.sorted()[json.count / 2], cbor.sorted()[cbor.count / 2])
  }

  private static func seconds(_ body: () throws -> Void) rethrows -> Double {
    let clock = ContinuousClock()
    let start = clock.now
    try body()
    return (clock.now - start) / .seconds(1)
  }

  // MARK: Memory

  /// How much more memory is resident at most, in times of what there is in the end.
  private func memory<Value: Codable>(_ label: String, _ value: Value) throws -> [String] {
    // What a session keeps belongs to no single call.
    let bytes = try Self.encoder.encode(value)
    _ = try Self.decoder.decode(Value.self, from: bytes)
    let (output, encoding) = try Self.peak { try Self.encoder.encode(value) }
    let encodingRatio = Double(encoding) / Double(output.count)
    let before = allocated_bytes()
    let (values, decoding) = try Self.peak { try Self.decoder.decode(Value.self, from: bytes) }
    let decoded = withExtendedLifetime(values) { allocated_bytes() - before }
    let decodingRatio = Double(decoding) / Double(decoded)
    return [
      Self.memoryLine("peak while encoding \(label), of the output", encodingRatio, goal: 1.5),
      Self.memoryLine("peak while decoding \(label), of the values", decodingRatio, goal: 1.2),
    ]
  }

  /// How many more bytes were resident at most while `body` ran; 0 where the kernel does not tell.
  private static func peak<Value>(_ body: () throws -> Value) throws -> (Value, Int) {
    // What the heap keeps of former runs would be had for nothing.
    return_free_memory()
    try Data("5".utf8).write(to: URL(fileURLWithPath: "/proc/self/clear_refs"))
    let before = try residentKibibytes("VmRSS:")
    let value = try body()
    return (value, (try residentKibibytes("VmHWM:") - before) << 10)
  }

  private static func residentKibibytes(_ name: String) throws -> Int {
    let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
    let line = status.split(separator: "\n").first { $0.hasPrefix(name) } ?? ""
    return Int(line.filter(\.isNumber)) ?? 0
  }

  // MARK: Text

  private static func line(_ row: Row) -> String {
    let goal = "goal \(text(row.goal.encoding)) / \(text(row.goal.decoding))"
    let time = "\(text(row.milliseconds.encoding)) / \(text(row.milliseconds.decoding)) ms"
    let ratios = "\(text(row.encoding)) / \(text(row.decoding)) x"
    return "  \(padded(row.label, 38)) \(padded(ratios, 18)) \(padded(goal, 16)) \(time)\(row.isMet ? "" : "  MISSED")"
  }

  private static func memoryLine(_ label: String, _ ratio: Double, goal: Double) -> String {
    let rounded = (ratio * 100).rounded() / 100
    return "  \(padded(label, 62)) \(padded("\(rounded) x", 8)) goal \(goal)\(ratio <= goal ? "" : "  MISSED")"
  }

  private static func padded(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
  }

  private static func text(_ value: Double) -> String {
    value >= 100 ? "\(Int(value.rounded()))" : "\((value * 10).rounded() / 10)"
  }
}
