// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A coding key with any string or number.
struct FuzzedKey: CodingKey {
  var stringValue: String
  var intValue: Int?

  init(stringValue: String) {
    self.stringValue = stringValue
  }

  init(intValue: Int) {
    stringValue = "\(intValue)"
    self.intValue = intValue
  }
}

/// A value that decodes nothing, so that the decoder skips its item.
struct FuzzedSkip: Codable {
  init(from decoder: any Decoder) {}

  func encode(to encoder: any Encoder) {}
}

/// A value that retains its decoder, and nested containers and decoders, and reads from them later.
struct FuzzedLater: Decodable {
  private let decoder: any Decoder
  private let inside: [any Decoder]
  private let keyed: KeyedDecodingContainer<FuzzedKey>?
  private let unkeyed: (any UnkeyedDecodingContainer)?

  init(from decoder: any Decoder) throws {
    self.decoder = decoder
    keyed = try? decoder.container(keyedBy: FuzzedKey.self)
    unkeyed = try? decoder.unkeyedContainer()
    var inside: [any Decoder] = []
    if let keyed {
      // Reads from the last key to the first, which is not the stored order.
      for key in keyed.allKeys.reversed().prefix(8) {
        if let decoder = try? keyed.superDecoder(forKey: key) { inside.append(decoder) }
      }
      if let decoder = try? keyed.superDecoder() { inside.append(decoder) }
    }
    if var elements = unkeyed {
      while inside.count < 8, !elements.isAtEnd, let decoder = try? elements.superDecoder() { inside.append(decoder) }
    }
    self.inside = inside
  }

  func read() {
    _ = try? FuzzedTree(from: decoder)
    for decoder in inside {
      _ = try? FuzzedTree(from: decoder)
      _ = decoder.codingPath.count
    }
    if let keyed {
      for key in keyed.allKeys.prefix(8) { _ = try? keyed.decode(FuzzedTree.self, forKey: key) }
    }
    if var elements = unkeyed {
      while !elements.isAtEnd, (try? elements.decode(FuzzedLater.self)) != nil {}
    }
  }
}

/// A value that decodes nested containers in an unusual order, and continues after errors.
struct FuzzedNesting: Decodable {
  private(set) var count = 0

  init(from decoder: any Decoder) throws {
    if let container = try? decoder.container(keyedBy: FuzzedKey.self) {
      for key in container.allKeys {
        if let inner = try? container.nestedContainer(keyedBy: FuzzedKey.self, forKey: key) {
          for innerKey in inner.allKeys.reversed() {
            count += (try? inner.decode(FuzzedNesting.self, forKey: innerKey))?.count ?? 0
            count += (try? inner.decodeIfPresent(Int.self, forKey: innerKey)) ?? nil == nil ? 0 : 1
          }
        } else if var inner = try? container.nestedUnkeyedContainer(forKey: key) {
          count += Self.read(&inner)
        } else if try container.decodeNil(forKey: key) || container.contains(key) {
          count += 1
        }
      }
    } else {
      var container = try decoder.unkeyedContainer()
      count += Self.read(&container)
    }
  }

  private static func read(_ container: inout any UnkeyedDecodingContainer) -> Int {
    var count = 0
    while !container.isAtEnd {
      if (try? container.decodeNil()) == true { continue }
      if (try? container.decode(Int8.self)) != nil {
        count += 1
      } else if var inner = try? container.nestedUnkeyedContainer() {
        count += read(&inner)
      } else if let inner = try? container.nestedContainer(keyedBy: FuzzedKey.self) {
        count += inner.allKeys.count
      } else if (try? container.decode(FuzzedSkip.self)) == nil {
        return count
      }
    }
    return count
  }
}
