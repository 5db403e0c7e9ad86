// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Any value of a property list.
indirect enum AnyPropertyList: Codable, Equatable {
  case array([AnyPropertyList])
  case dictionary([String: AnyPropertyList])
  case bool(Bool)
  case integer(Int64)
  case real(Double)
  case date(Date)
  case data(Data)
  case string(String)

  init(from decoder: any Decoder) throws {
    if var container = try? decoder.unkeyedContainer() {
      var items: [AnyPropertyList] = []
      while !container.isAtEnd { items.append(try container.decode(AnyPropertyList.self)) }
      self = .array(items)
    } else if let container = try? decoder.container(keyedBy: AnyTestKey.self) {
      var values: [String: AnyPropertyList] = [:]
      for key in container.allKeys {
        values[key.stringValue] = try container.decode(AnyPropertyList.self, forKey: key)
      }
      self = .dictionary(values)
    } else {
      self = try Self.leaf(try decoder.singleValueContainer())
    }
  }

  /// Decodes a value that is not a container.
  ///
  /// This is a separate method so that its variables do not take stack space in every level of the recursive
  /// initializer.
  private static func leaf(_ container: any SingleValueDecodingContainer) throws -> AnyPropertyList {
    if let value = try decode(Bool.self, container) { return .bool(value) }
    if let value = try decode(Int64.self, container) { return .integer(value) }
    if let value = try decode(Double.self, container) { return .real(value) }
    if let value = try decode(Date.self, container) { return .date(value) }
    if let value = try decode(Data.self, container) { return .data(value) }
    return .string(try container.decode(String.self))
  }

  /// Decodes a value, or returns `nil` for another type.
  ///
  /// - Throws: Errors other than `DecodingError`. Decoders must not throw such errors.
  private static func decode<Value: Decodable>(
    _ type: Value.Type, _ container: any SingleValueDecodingContainer
  ) throws -> Value? {
    do {
      return try container.decode(type)
    } catch is DecodingError {
      return nil
    }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .array(let value): try container.encode(value)
    case .dictionary(let value): try container.encode(value)
    case .bool(let value): try container.encode(value)
    case .integer(let value): try container.encode(value)
    case .real(let value): try container.encode(value)
    case .date(let value): try container.encode(value)
    case .data(let value): try container.encode(value)
    case .string(let value): try container.encode(value)
    }
  }

  /// A sample with a value of each kind.
  static let sample = AnyPropertyList.dictionary([
    "strings": .array([.string("plain"), .string("h\u{E9}ll\u{F6} \u{1F9B8}"), .string("<&>\""), .string("")]),
    "numbers": .array([
      .integer(1), .integer(-1), .integer(300), .integer(70_000), .integer(.max), .integer(.min), .real(1.5),
    ]),
    "bool": .array([.bool(true), .bool(false)]),
    "date": .date(Date(timeIntervalSinceReferenceDate: 100_000_000)),
    "data": .data(Data(0..<40)),
    "empty": .array([.array([]), .dictionary([:]), .data(Data())]),
  ])

  /// Returns arrays or dictionaries nested to `depth`, with a string in the innermost.
  static func nested(_ depth: Int, dictionaries: Bool = false) -> AnyPropertyList {
    (0..<depth).reduce(.string("inside")) { inner, _ in dictionaries ? .dictionary(["k": inner]) : .array([inner]) }
  }

  func encoded(as format: PropertyListDecoder.PropertyListFormat) throws -> Data {
    let encoder = PropertyListEncoder()
    encoder.outputFormat = format
    return try encoder.encode(self)
  }
}

/// An encoder of binary property lists with arbitrary objects, which may be invalid.
struct BinaryList {
  var objects: [[UInt8]]
  var topObject = 0
  var referenceWidth = 1
  var offsetWidth = 2
  /// The object count in the trailer; `nil` for the correct number.
  var objectCount: Int?
  var tableOffset: Int?

  init(_ objects: [UInt8]...) {
    self.objects = objects
  }

  var data: Data {
    var bytes = Data("bplist00".utf8)
    var table = Data()
    for object in objects {
      table.append(contentsOf: Self.integer(bytes.count, width: offsetWidth))
      bytes.append(contentsOf: object)
    }
    let tableOffset = tableOffset ?? bytes.count
    bytes.append(table)
    bytes.append(contentsOf: [0, 0, 0, 0, 0, 0, UInt8(offsetWidth), UInt8(referenceWidth)])
    for field in [objectCount ?? objects.count, topObject, tableOffset] {
      bytes.append(contentsOf: Self.integer(field, width: 8))
    }
    return bytes
  }

  static func integer(_ value: Int, width: Int) -> [UInt8] {
    (0..<width).reversed().map { $0 < 8 ? UInt8(truncatingIfNeeded: value >> (8 * $0)) : 0 }
  }

  /// Returns a marker for a length above 14: the marker byte, and then the length as an integer of four bytes.
  static func long(_ kind: UInt8, _ count: Int) -> [UInt8] {
    [kind | 0x0F, 0x12] + integer(count, width: 4)
  }
}
