// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DragPipe
import FoundationEssentials
import HeroCards

/// Functions that read standard input to its end and return the number of received items or bytes.
enum StreamSinks {
  private static var options: DropStreamOptions {
    var options = DropStreamOptions()
    options.limits.items = .max
    return options
  }

  static func heroes() async throws -> Int {
    try await DropStream.withReader(from: .standardInput, options: options) { items in
      var heroes = 0
      for try await item in items {
        _ = try await item.value(as: Hero.self)
        heroes += 1
      }
      return heroes
    }
  }

  static func items() async throws -> Int {
    try await DropStream.withReader(from: .standardInput, options: options) { items in
      var count = 0
      for try await _ in items { count += 1 }
      return count
    }
  }

  static func cards() async throws -> Int {
    try await DropStream.withReader(from: .standardInput, options: options) { items in
      var count = 0
      for try await item in items {
        _ = try await item.value(as: Card.self)
        count += 1
      }
      return count
    }
  }

  static func bytes() async throws -> Int {
    try await DropStream.withInspector(from: .standardInput, options: options) { items in
      var bytes = 0
      for try await item in items { bytes += item.representations.reduce(0) { $0 + Int($1.byteCount) } }
      return bytes
    }
  }

  static func lines<Value: Decodable>(of type: Value.Type) throws -> Int {
    let decoder = JSONDecoder()
    return try PlainPipe.forEachLine { line in _ = try decoder.decode(type, from: line) }
  }

  static func splitLines() throws -> Int {
    try PlainPipe.forEachLine { line in keep(line) }
  }

  static func splitMessages() throws -> Int {
    try PlainPipe.forEachMessage { reader in keep(reader) }
  }

  static func handCards() throws -> Int {
    try PlainPipe.forEachMessage { reader in keep(PlainCard(from: &reader)) }
  }
}
