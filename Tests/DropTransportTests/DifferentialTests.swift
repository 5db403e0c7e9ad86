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

  private static func write(_ drop: RandomDrop, to endpoint: DropEndpoint) async throws {
    try await DropStream.withWriter(to: endpoint) { writer in
      for provider in drop.providers { _ = try await writer.writeAvailable(provider) }
    }
  }

  private static func read(from endpoint: DropEndpoint) async throws -> [String] {
    try await DropStream.withReader(from: endpoint) { reader in
      var found: [String] = []
      for try await item in reader { found += try await RandomDrop.found(item) }
      return found
    }
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

  @Test func everyCarrierTransfersTheSameDrop() async throws {
    var seeds = SeededGenerator.announced("drops")
    let directory = try TemporaryDirectory()
    for number in 0..<Self.count {
      let drop = RandomDrop(seed: seeds.next())
      let pair = try DescriptorPair.pipe()
      async let written: Void = Self.write(drop, to: pair.writer)
      #expect(try await Self.read(from: pair.reader) == drop.expected, "drop \(number)")
      try await written

      let path = directory.file("\(number).drop").path
      try await Self.write(drop, to: .file(path))
      #expect(try await Self.read(from: .file(path)) == drop.expected, "drop \(number) in a file")
      #expect(try await DropFile.verify(path).itemCount == drop.items.count)
      var found: [String] = []
      for try await item in try await DropFile(path: path) { found += try await RandomDrop.found(item) }
      #expect(found == drop.expected, "drop \(number) by the index of a file")

      let carrier = SessionCarrierKind.allCases[number % SessionCarrierKind.allCases.count]
      #expect(try await Self.throughSession(drop, carrier) == drop.expected, "drop \(number) through \(carrier)")
    }
  }
}
