// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Any value, found by trying one type after another.
indirect enum FuzzedTree: Codable {
  case null
  case bool(Bool)
  case integer(Int128)
  case double(Double)
  case date(Date)
  case data(Data)
  case text(String)
  case array([FuzzedTree])
  case object([String: FuzzedTree])
  case numbered([Int: FuzzedTree])

  init(from decoder: any Decoder) throws {
    if var container = try? decoder.unkeyedContainer() {
      var items: [FuzzedTree] = []
      while !container.isAtEnd { items.append(try container.decode(FuzzedTree.self)) }
      self = .array(items)
      return
    }
    let container = try decoder.singleValueContainer()
    if let object = try? container.decode([String: FuzzedTree].self) {
      self = .object(object)
    } else if let object = try? container.decode([Int: FuzzedTree].self) {
      self = .numbered(object)
    } else {
      self = try Self.leaf(container)
    }
  }

  private static func leaf(_ container: any SingleValueDecodingContainer) throws -> FuzzedTree {
    if container.decodeNil() { return .null }
    if let value = try? container.decode(Date.self) { return .date(value) }
    if let value = try? container.decode(Bool.self) { return .bool(value) }
    if let value = try? container.decode(Int128.self) { return .integer(value) }
    if let value = try? container.decode(Double.self) { return .double(value) }
    if let value = try? container.decode(Data.self) { return .data(value) }
    return .text(try container.decode(String.self))
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .null: try container.encodeNil()
    case .bool(let value): try container.encode(value)
    case .integer(let value): try container.encode(value)
    case .double(let value): try container.encode(value)
    case .date(let value): try container.encode(value)
    case .data(let value): try container.encode(value)
    case .text(let value): try container.encode(value)
    case .array(let value): try container.encode(value)
    case .object(let value): try container.encode(value)
    case .numbered(let value): try container.encode(value)
    }
  }
}

/// A record with fields of every kind.
///
/// All fields may be missing.
struct FuzzedRecord: Codable {
  final class Box: Codable {
    var record: FuzzedRecord?
  }

  enum Kind: String, Codable {
    case small = "s"
    case large = "l"
  }

  enum Payload: Codable {
    case empty
    case one(Int)
    case named(text: String, number: Double?)
  }

  /// Words that are encoded in sorted order, since equal sets may have different orders.
  struct Words: Codable {
    var words: Set<String>

    init(from decoder: any Decoder) throws { words = try Set(from: decoder) }
    func encode(to encoder: any Encoder) throws { try words.sorted().encode(to: encoder) }
  }

  var a: Int?
  var b: UInt8?
  var c: Int16?
  var d: UInt64?
  var e: UInt128?
  var f: Double?
  var g: Float?
  var h: String?
  var i: Data?
  var j: Date?
  var k: Decimal?
  var l: URL?
  var m: UUID?
  var n: [Int]?
  var o: [String: Bool]?
  var p: [Int: String]?
  var q: Kind?
  var r: Payload?
  var s: Box?
  var t: [FuzzedRecord]?
  var u: [Int8?]?
  var v: [Kind: Int]?
  var w: Words?
  var x: ClosedRange<Int>?
}

/// Two recursive alternatives.
///
/// Without a limit, decoding takes time exponential in the depth.
indirect enum FuzzedAlternatives: Codable {
  struct Missing: Codable {
    var inner: FuzzedAlternatives
    var neverThere: Int
  }

  struct Present: Codable {
    var inner: FuzzedAlternatives?
  }

  case missing(Missing)
  case present(Present)
  case list([FuzzedAlternatives])
  case number(Int)

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let value = try? container.decode(Missing.self) {
      self = .missing(value)
    } else if let value = try? container.decode(Present.self) {
      self = .present(value)
    } else if let value = try? container.decode([FuzzedAlternatives].self) {
      self = .list(value)
    } else {
      self = .number(try container.decode(Int.self))
    }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .missing(let value): try container.encode(value)
    case .present(let value): try container.encode(value)
    case .list(let value): try container.encode(value)
    case .number(let value): try container.encode(value)
    }
  }
}
