// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import ItemTransfer
import TestSupport
import Testing

@testable import DropTransport

/// A comparison of all transports with the same random drops.
///
/// Each transport must deliver the same bytes.
///
/// `DRAGPIPE_DROPS` sets the number of drops, `DRAGPIPE_SEED` the seed.
@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct DifferentialTests {
  private static let count = ProcessInfo.processInfo.environment["DRAGPIPE_DROPS"].flatMap { Int($0) } ?? 60

  private static func throughPipe(_ drop: RandomDrop) async throws -> [String] {
    let pair = try DescriptorPair.pipe()
    async let written = writing(to: pair.writer) { writer in
      for provider in drop.providers { _ = try await writer.writeAvailable(provider) }
    }
    var found: [String] = []
    try await DropStream.withReader(from: pair.reader) { reader in
      for try await item in reader { found += try await RandomDrop.found(item) }
    }
    try await written.get()
    return found
  }

  private static func throughFile(_ drop: RandomDrop, _ path: String) async throws -> (inOrder: [String], [String]) {
    try await DropStream.withWriter(to: .file(path)) { writer in
      for provider in drop.providers { _ = try await writer.writeAvailable(provider) }
    }
    var inOrder: [String] = []
    try await DropStream.withReader(from: .file(path)) { reader in
      for try await item in reader { inOrder += try await RandomDrop.found(item) }
    }
    let file = try await DropFile(path: path)
    var found: [String] = []
    for index in 0..<file.itemCount { found += try await RandomDrop.found(try await file.item(at: index)) }
    #expect(try await DropFile.verify(path).itemCount == drop.items.count)
    return (inOrder, found)
  }

  private static func throughSession(_ drop: RandomDrop, _ carrier: SessionCarrierKind) async throws -> [String] {
    let outcome = try await holdSession(over: carrier) { session in
      try await session.offer(drop.providers)
    } destination: { session in
      var found: [String] = []
      for try await incoming in session.drops {
        for item in incoming.items { found += try await RandomDrop.found(item) }
        try await incoming.finish(.copy)
      }
      return found
    }
    #expect(try outcome.source.get().keptItems.count == drop.items.count)
    return try outcome.destination.get()
  }

  @Test("a drop is the same through a pipe, a file in order, a file by its index, and a session")
  func everyCarrierTransfersTheSameDrop() async throws {
    var seeds = SeededGenerator.announced("drops")
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    for number in 0..<Self.count {
      let drop = RandomDrop(seed: seeds.next())
      #expect(try await Self.throughPipe(drop) == drop.expected, "drop \(number)")
      let file = try await Self.throughFile(drop, directory.file("\(number).drop").path)
      #expect(file.inOrder == drop.expected, "drop \(number)")
      #expect(file.1 == drop.expected, "drop \(number)")
      let carrier = SessionCarrierKind.allCases[number % SessionCarrierKind.allCases.count]
      #expect(try await Self.throughSession(drop, carrier) == drop.expected, "drop \(number)")
    }
  }
}
