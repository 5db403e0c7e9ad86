// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import ItemCoding
import TestSupport
import Testing

/// Values that try one type after another.
///
/// Most attempts fail, and the program catches the errors.
@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct CBORTryEveryTypeTests {
  /// Any value, for programs that do not know its type.
  private enum AnyValue: Decodable, Equatable {
    case null
    case bool(Bool)
    case int(Int)
    case unsigned(UInt64)
    case double(Double)
    case text(String)
    case array([AnyValue])
    case map([String: AnyValue])

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      if container.decodeNil() {
        self = .null
      } else if let value = try? container.decode(Bool.self) {
        self = .bool(value)
      } else if let value = try? container.decode(Int.self) {
        self = .int(value)
      } else if let value = try? container.decode(UInt64.self) {
        self = .unsigned(value)
      } else if let value = try? container.decode(Double.self) {
        self = .double(value)
      } else if let value = try? container.decode(String.self) {
        self = .text(value)
      } else if let value = try? container.decode([AnyValue].self) {
        self = .array(value)
      } else {
        self = .map(try container.decode([String: AnyValue].self))
      }
    }
  }

  /// Any value, decoded from nested containers.
  private struct Nested: Decodable {
    var count = 0

    init(from decoder: any Decoder) throws {
      var container = try decoder.unkeyedContainer()
      count = try Self.count(in: &container)
    }

    private static func count(in container: inout any UnkeyedDecodingContainer) throws -> Int {
      var count = 0
      while !container.isAtEnd {
        if (try? container.decode(Int.self)) != nil { continue }
        if let map = try? container.nestedContainer(keyedBy: AnyTestKey.self) {
          count += map.allKeys.count
        } else {
          var inner = try container.nestedUnkeyedContainer()
          count += try Self.count(in: &inner)
        }
      }
      return count
    }
  }

  @Test func decodesValuesOfEveryType() throws {
    let hex = "88 f6 f5 20 1bffffffffffffffff f93800 6161 82 01 80 a2 6162 a0 6163 81f4"
    #expect(
      try decode(AnyValue.self, hex)
        == .array([
          .null, .bool(true), .int(-1), .unsigned(.max), .double(0.5), .text("a"),
          .array([.int(1), .array([])]),
          .map(["b": .map([:]), "c": .array([.bool(false)])]),
        ]))
  }

  @Test func errorsOfAttemptsHavePathAndByteOffset() throws {
    struct Errors: Decodable {
      init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let path = decoder.codingPath.map(\.stringValue).joined(separator: ".")
        for _ in 0..<2 {
          for (expected, attempt) in [
            ("a Boolean", { _ = try container.decode(Bool.self) }),
            ("an integer", { _ = try container.decode(Int.self) }),
            ("a number", { _ = try container.decode(Double.self) }),
            ("an array", { _ = try container.decode([Int].self) }),
            ("a map", { _ = try container.decode([String: Int].self) }),
            ("a map", { _ = try decoder.container(keyedBy: AnyTestKey.self) }),
            ("an array", { _ = try decoder.unkeyedContainer() }),
          ] as [(String, () throws -> Void)] {
            let error = try #require(throws: DecodingError.self) { try attempt() }
            let byte = try #require(decoder.userInfo[.bytes] as? [String: Int])[path]
            #expect(error.kind == "typeMismatch" && error.path == path && error.byte == byte)
            #expect(
              error.context?.debugDescription.hasSuffix(
                ": expected \(expected), found a text string") == true)
          }
        }
      }
    }
    var decoder = CBORDecoder()
    decoder.userInfo[.bytes] = ["a.Index 0": 4, "a.Index 1": 6, "b.Index 0": 11]
    _ = try decode([String: [Errors]].self, "a2 6161 82 6178 6179 6162 81 617a", decoder)
  }

  /// A value that makes failing attempts before and after each nested value.
  ///
  /// Each error must have the path of its value.
  private struct Tree: Decodable {
    var failureCount = 0

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      try fail(decoder) { _ = try container.decode(Bool.self) }
      for _ in 0..<2 {
        if let inner = try? container.decode([Tree].self) { add(inner) }
        try fail(decoder) { _ = try container.decode(Bool.self) }
        if let inner = try? container.decode([String: Tree].self) { add(inner.values) }
        try fail(decoder) { _ = try container.decode(Bool.self) }
        if let keyed = try? decoder.container(keyedBy: AnyTestKey.self) {
          for key in keyed.allKeys {
            let error = try #require(throws: DecodingError.self) { try keyed.decode(Bool.self, forKey: key) }
            #expect(error.context?.codingPath.map(\.stringValue) == (decoder.codingPath + [key]).map(\.stringValue))
            add([try keyed.decode(Tree.self, forKey: key), try Tree(from: try keyed.superDecoder(forKey: key))])
          }
        }
        try fail(decoder) { _ = try container.decode(Bool.self) }
      }
    }

    private mutating func add(_ inner: some Sequence<Tree>) {
      for tree in inner { failureCount += tree.failureCount }
    }

    private mutating func fail(_ decoder: any Decoder, _ attempt: () throws -> Void) throws {
      let error = try #require(throws: DecodingError.self) { try attempt() }
      failureCount += 1
      #expect(error.context?.codingPath.map(\.stringValue) == decoder.codingPath.map(\.stringValue))
    }
  }

  @Test func errorsBetweenNestedValuesHaveAPath() throws {
    let tree = try decode(Tree.self, "83 82 01 81 02 a2 6161 82 03 04 6162 a1 6163 05 06")
    #expect(tree.failureCount > 100)
  }

  /// A value that retains the errors of all its attempts until the end.
  private struct KeptErrors: Decodable {
    var errors: [DecodingError] = []

    init(from decoder: any Decoder) throws {
      let map = try decoder.container(keyedBy: AnyTestKey.self)
      for key in map.allKeys.sorted(by: { $0.stringValue < $1.stringValue }) {
        errors.append(try #require(throws: DecodingError.self) { try map.decode(Bool.self, forKey: key) })
        errors.append(try #require(throws: DecodingError.self) { try map.decode(Int.self, forKey: key) })
        guard var array = try? map.nestedUnkeyedContainer(forKey: key) else { continue }
        while !array.isAtEnd {
          errors.append(try #require(throws: DecodingError.self) { try array.decode(Bool.self) })
          errors.append(try #require(throws: DecodingError.self) { try array.decode([Int].self) })
          _ = try array.decode(String.self)
        }
      }
    }
  }

  @Test func retainedErrorsKeepTheirPathAndByteOffset() throws {
    let long = Data(hex: "79 0400") + Data(repeating: 0x78, count: 1024)
    let map = Data(hex: "a2 6161") + long + Data(hex: "6162 82 6178 6179")
    let values = try CBORDecoder().decode([KeptErrors].self, from: Data([0x82]) + map + map)
    let places = values.flatMap(\.errors).map { "\($0.path) \($0.byte ?? -1)" }
    let first = ["a 4", "a 4", "b 1033", "b 1033"]
    let inside = ["b.Index 0 1034", "b.Index 0 1034", "b.Index 1 1036", "b.Index 1 1036"]
    let second = ["a 1041", "a 1041", "b 2070", "b 2070"]
    let insideSecond = ["b.Index 0 2071", "b.Index 0 2071", "b.Index 1 2073", "b.Index 1 2073"]
    #expect(
      places == (first + inside).map { "Index 0.\($0)" } + (second + insideSecond).map { "Index 1.\($0)" })
  }

  @Test func errorsOfTheCallHavePathAndByteOffset() throws {
    let error = try decodingError([String: AnyValue].self, "a1 6161 82 6162 81 c1 40")
    #expect(error.kind == "typeMismatch" && error.path == "a" && error.byte == 3)
    let number = try decodingError([String: [UInt8?]].self, "a1 6161 83 01 f6 e0")
    #expect(number.path == "a.Index 2" && number.byte == 6)
    #expect(
      number.context?.debugDescription
        == "at byte 6: expected an integer, found simple value 0")
  }

  // MARK: The limit

  @Test func decodesTwentyThousandMapsInFortyNestedArrays() throws {
    let maps =
      Data(repeating: 0x81, count: 39) + Data(hex: "99 4e20")
      + Data(repeatElement([0xA1, 0x61, 0x61, 1], count: 20_000).joined())
    var value = try CBORDecoder().decode(AnyValue.self, from: maps)
    for _ in 0..<39 {
      guard case .array(let elements) = value, elements.count == 1 else { break }
      value = elements[0]
    }
    #expect(value == .array(Array(repeating: .map(["a": .int(1)]), count: 20_000)))
    #expect(try CBORDecoder().decode(Nested.self, from: maps).count == 20_000)
  }

  /// A type that decodes each element twice, and thus visits two to the power of its depth values.
  private struct Twice: Decodable {
    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      if (try? container.decode(String.self)) != nil { return }
      _ = try container.decode([Twice].self)
      _ = try container.decode([Twice].self)
    }
  }

  @Test func refusesTooManyVisitsToTheSameBytes() throws {
    let text = try CBOREncoder().encode(String(repeating: "a", count: 100_000))
    let error = try decodingError(Twice.self, Data(repeating: 0x81, count: 40) + text)
    #expect(error.kind == "dataCorrupted")
    #expect(
      error.context?.debugDescription.hasSuffix(": decoding exceeds the limit of visits to the same bytes")
        == true)
    _ = try CBORDecoder().decode(Twice.self, from: Data(repeating: 0x81, count: 6) + text)
  }
}

extension CodingUserInfoKey {
  fileprivate static let bytes = CodingUserInfoKey(rawValue: "bytes").unsafelyUnwrapped
}
