// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import BenchmarkKit
import DragPipe
import FoundationEssentials
import HeroCards

/// The CBOR coders, compared with Foundation's coders, Python packages, and bytes written by hand.
struct CodingSuite: Sendable {
  /// The minimum ratios to Foundation's JSON that encoding and decoding should reach.
  typealias Least = (encoding: Double, decoding: Double)

  static let json = "Foundation JSON"
  static let hand = "by hand"
  static let contenders = [
    Contender("dragpipe CBOR", .ours), Contender(json, .peer), Contender("Foundation binary plist", .peer),
    Contender(hand, .limit),
  ]

  let workload: Workload

  var cases: [LocalCase] { heroes + cards + numbers + data }

  // MARK: Values

  private var heroes: [LocalCase] {
    let count = workload.heroCount
    let few = min(count, 2000)
    let plain: @Sendable () -> [PlainHero] = { HeroFixtures.heroes(count).map(PlainHero.init) }
    return Self.whole("heroes in one array", count, .heroes, least: (6, 4.5), plain, hand: plain)
      + Self.each("one hero a message", few, .heroes, least: (5.5, 4.5), { Array(plain().prefix(few)) })
      + Self.whole(
        "heroes in one array, by fields", count, .heroes, least: (12, 8), { HeroFixtures.heroes(count) }, hand: plain)
      + Self.each(
        "one hero a message, by fields", few, .heroes, least: (12, 8), { HeroFixtures.heroes(few) }, PlainHero.init)
  }

  /// Returns the cases that encode and decode cards in one array.
  static func cards(_ count: Int) -> [LocalCase] {
    let plain: @Sendable () -> [PlainCard] = { HeroFixtures.cards(count).map(PlainCard.init) }
    return whole("cards in one array", count, .cards, least: (5, 3.5), plain, hand: plain)
  }

  private var cards: [LocalCase] {
    let count = workload.cardCount
    let few = min(count, 20_000)
    let plain: @Sendable () -> [PlainCard] = { HeroFixtures.cards(count).map(PlainCard.init) }
    return Self.cards(count)
      + Self.each("one card a message", few, .cards, least: (4, 4), { Array(plain().prefix(few)) })
      + Self.whole(
        "cards in one array, by fields", count, .cards, least: (12, 6), { HeroFixtures.cards(count) }, hand: plain)
  }

  private var numbers: [LocalCase] {
    let count = workload.numberCount
    let doubles: @Sendable () -> [Double] = { NumberFixtures.doubles(count) }
    let integers: @Sendable () -> [Int] = { NumberFixtures.integers(count) }
    return Self.cases(of: CodingWork(memoryOf: doubles), "doubles", count, .doubles, least: (30, 25))
      + Self.cases(of: CodingWork(memoryOf: integers), "integers", count, .integers, least: (20, 15))
  }

  private var data: [LocalCase] {
    let length = workload.dataLength
    let hand: @Sendable ([Data]) -> () -> Void = { values in
      let memory = HandMemory(for: values[0])
      return { memory.copy(values[0]) }
    }
    let work = CodingWork<Data>(
      values: { [Data((0..<length).map { UInt8(truncatingIfNeeded: $0 &* 31) })] }, handEncode: hand, handDecode: hand)
    return Self.cases(
      of: work, "bytes in one Data", length, nil, unit: .bytes, least: nil, hand: "by hand, into room that is there")
  }

  // MARK: Shapes

  private static func whole<Value: Codable & Sendable, Plain: HandCodable & SendableMetatype>(
    _ name: String, _ count: Int, _ python: PythonWork.Values, least: Least,
    _ values: @escaping @Sendable () -> [Value],
    hand: @escaping @Sendable () -> [Plain]
  ) -> [LocalCase] {
    let work = CodingWork<[Value]>(
      values: { [values()] }, handEncode: { _ in HandWork.encode([hand()]) },
      handDecode: { _ in HandWork.decode([hand()]) })
    return cases(of: work, name, count, python, least: least)
  }

  private static func each<Value: Codable & HandCodable & Sendable>(
    _ name: String, _ count: Int, _ python: PythonWork.Values, least: Least, _ values: @escaping @Sendable () -> [Value]
  ) -> [LocalCase] {
    each(name, count, python, least: least, values, { $0 })
  }

  private static func each<Value: Codable & Sendable, Plain: HandCodable & SendableMetatype>(
    _ name: String, _ count: Int, _ python: PythonWork.Values, least: Least,
    _ values: @escaping @Sendable () -> [Value],
    _ plain: @escaping @Sendable (Value) -> Plain
  ) -> [LocalCase] {
    let work = CodingWork(
      values: values, handEncode: { HandWork.encode($0.map { [plain($0)] }) },
      handDecode: { HandWork.decode($0.map { [plain($0)] }) })
    return cases(of: work, name, count, python, messageCount: count, least: least)
  }

  /// Returns a case for encoding and a case for decoding.
  static func cases<Value: Codable & Sendable>(
    of work: CodingWork<Value>, _ name: String, _ count: Int, _ python: PythonWork.Values?, messageCount: Int? = nil,
    unit: WorkUnit = .items, least: Least?, hand: String = Self.hand
  ) -> [LocalCase] {
    let contenders = contenders.map { $0.kind == .limit ? Contender(hand, .limit) : $0 }
    return [
      LocalCase(
        suite: .coding, name: "\(name), encode", unit: unit, amount: count, contenders: contenders,
        goals: least.map { [.ratio(to: json, atLeast: $0.encoding)] } ?? [],
        python: python.map { PythonWork(values: $0, direction: .encode, messageCount: messageCount) },
        prepare: { try work.encoding() }),
      LocalCase(
        suite: .coding, name: "\(name), decode", unit: unit, amount: count, contenders: contenders,
        goals: least.map { [.ratio(to: json, atLeast: $0.decoding)] } ?? [],
        python: python.map { PythonWork(values: $0, direction: .decode, messageCount: messageCount) },
        prepare: { try work.decoding() }),
    ]
  }
}
