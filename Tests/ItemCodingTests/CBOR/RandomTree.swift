// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import ItemCoding
import TestSupport

/// Random values of any shape.
indirect enum RandomTree: Codable, Equatable, Sendable {
  case null
  case bool(Bool)
  case integer(Int64)
  case double(Double)
  case text(String)
  case data(Data)
  case date(Date)
  case array([RandomTree])
  case object([String: RandomTree])
  case record(RandomRecord)
}

/// A record with fields of every kind, some of which are optional.
struct RandomRecord: Codable, Equatable, Sendable {
  struct Part: Codable, Equatable, Sendable {
    var byte: UInt8
    var short: Int16?
    var text: String
  }

  enum Side: String, Codable, Equatable, Sendable { case left, right }

  var id: UUID
  var name: String
  var small: Int8
  var wide: UInt32?
  var long: Int64
  var float: Float
  var double: Double?
  var isOn: Bool?
  var side: Side
  var moment: Date?
  var bytes: Data?
  var parts: [Part]
  var lookup: [String: Part]
  var numbered: [Int: String]
  var link: URL?
  var inner: RandomTree?
}

/// A generator of random values.
struct RandomTreeMaker {
  var generator: SeededGenerator

  mutating func tree(depth: Int) -> RandomTree {
    switch Int.random(in: 0..<(depth > 0 ? 10 : 7), using: &generator) {
    case 0: .null
    case 1: .bool(.random(using: &generator))
    case 2: .integer(integer())
    case 3: .double(double())
    case 4: .text(text())
    case 5: .data(data())
    case 6: .date(date())
    case 7: .array(list { $0.tree(depth: depth - 1) })
    case 8: .object(dictionary { $0.tree(depth: depth - 1) })
    default: .record(record(depth: depth - 1))
    }
  }

  mutating func record(depth: Int) -> RandomRecord {
    RandomRecord(
      id: uuid(), name: text(), small: Int8(truncatingIfNeeded: integer()),
      wide: maybe { UInt32(truncatingIfNeeded: $0.integer()) }, long: integer(),
      float: Float(Int16.random(in: .min...(.max), using: &generator)) / 16,
      double: maybe { $0.double() }, isOn: maybe { .random(using: &$0.generator) },
      side: .random(using: &generator) ? .left : .right, moment: maybe { $0.date() },
      bytes: maybe { $0.data() },
      parts: list { $0.part() }, lookup: dictionary { $0.part() },
      numbered: Dictionary(list { (Int($0.integer()), $0.text()) }) { first, _ in first },
      link: maybe { URL(string: "https://example.com/\(UInt16(truncatingIfNeeded: $0.integer()))") } ?? nil,
      inner: depth > 0 ? maybe { $0.tree(depth: depth - 1) } : nil)
  }

  private mutating func part() -> RandomRecord.Part {
    RandomRecord.Part(
      byte: UInt8(truncatingIfNeeded: integer()), short: maybe { Int16(truncatingIfNeeded: $0.integer()) }, text: text()
    )
  }

  /// Returns any item, in which each NaN has the bits of `Double.nan`.
  mutating func item(depth: Int) -> CBORValue {
    switch Int.random(in: 0..<(depth > 0 ? 14 : 11), using: &generator) {
    case 0: return .unsigned(UInt64(bitPattern: integer()))
    case 1: return .negative(UInt64(bitPattern: integer()))
    case 2: return .bytes(data())
    case 3: return .text(text())
    case 4:
      let items: [CBORValue] = [true, false, nil, .undefined, .simple(0), .simple(19), .simple(32), .simple(255)]
      return items.randomElement(using: &generator) ?? nil
    case 5: return .float(double())
    case 6: return .float(Double(Float(double()) / 3))
    case 7: return .float([.infinity, -.infinity, .nan, 0, -0.0, 0x1p-24, 65504].randomElement(using: &generator) ?? 0)
    case 8:
      let number = Double(bitPattern: generator.next())
      return .float(number.isNaN ? .nan : number)
    case 9: return .tagged(.random(in: 2...3, using: &generator), .bytes(data()))
    case 10:
      let scalars = (0..<4).map { _ in Unicode.Scalar(UInt8.random(in: 0...159, using: &generator)) }
      return .text(scalars.reduce(into: "") { $0.unicodeScalars.append($1) })
    case 11: return .array(list { $0.item(depth: depth - 1) })
    case 12:
      var keys: Set<CBORValue> = []
      return .map(
        list { CBORValue.Entry(key: $0.item(depth: depth - 1), value: $0.item(depth: depth - 1)) }
          .filter { keys.insert($0.key).inserted })
    default: return .tagged(UInt64(bitPattern: integer()), item(depth: depth - 1))
    }
  }

  // MARK: Leaves

  /// Returns an integer of any encoded length, often at the limit of a length.
  mutating func integer() -> Int64 {
    let bits = Int64.random(in: 0...64, using: &generator)
    let number = bits == 64 ? Int64.max : (1 << min(bits, 62)) - Int64.random(in: 0...2, using: &generator)
    return .random(using: &generator) ? number : -1 - number
  }

  /// Returns a number that equals itself and that JSON and property lists can encode.
  mutating func double() -> Double {
    switch Int.random(in: 0..<4, using: &generator) {
    case 0: Double(Int32.random(in: .min...(.max), using: &generator)) / 8
    case 1: Double(Int8.random(in: .min...(.max), using: &generator)) + 0.5
    case 2: Double(Float.random(in: -1e6...1e6, using: &generator))
    default: Double.random(in: -1e9...1e9, using: &generator)
    }
  }

  mutating func text() -> String {
    let ranges: [ClosedRange<UInt32>] = [0x20...0x7E, 0x20...0x7E, 0xA1...0x7FF, 0x3041...0x3096, 0x1F600...0x1F64F]
    return (0..<Int.random(in: 0..<40, using: &generator)).reduce(into: "") { text, _ in
      let range = ranges.randomElement(using: &generator) ?? 0x20...0x7E
      text.unicodeScalars.append(Unicode.Scalar(.random(in: range, using: &generator)) ?? "?")
    }
  }

  mutating func data() -> Data {
    Data((0..<Int.random(in: 0..<40, using: &generator)).map { _ in .random(in: .min...(.max), using: &generator) })
  }

  /// Returns a date in whole seconds, the precision that all formats share.
  mutating func date() -> Date {
    Date(timeIntervalSinceReferenceDate: Double(Int32.random(in: .min...(.max), using: &generator)))
  }

  private mutating func uuid() -> UUID {
    let (high, low) = (generator.next(), generator.next())
    return UUID(uuid: unsafeBitCast((high, low), to: uuid_t.self))
  }

  // MARK: Optional and repeated values

  private mutating func maybe<Value>(_ make: (inout Self) -> Value) -> Value? {
    .random(using: &generator) ? make(&self) : nil
  }

  private mutating func list<Value>(_ make: (inout Self) -> Value) -> [Value] {
    (0..<Int.random(in: 0..<6, using: &generator)).map { _ in make(&self) }
  }

  private mutating func dictionary<Value>(_ make: (inout Self) -> Value) -> [String: Value] {
    Dictionary(list { ($0.text(), make(&$0)) }) { first, _ in first }
  }
}
