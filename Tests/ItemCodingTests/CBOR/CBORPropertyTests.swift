// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import ItemCoding
import TestSupport
import Testing

/// Properties that hold for all values, tested with random values.
///
/// `DRAGPIPE_ROUNDS` sets the number of rounds for each property, and `DRAGPIPE_SEED` the seed.
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct CBORPropertyTests {
  private func forEachRound(_ label: String, _ body: (inout RandomTreeMaker) throws -> Void) throws {
    var maker = RandomTreeMaker(generator: .announced(label))
    for _ in 0..<testRounds { try body(&maker) }
  }

  @Test func randomValuesRoundTripAsInOtherCoders() throws {
    let (json, list) = (JSONEncoder(), PropertyListEncoder())
    list.outputFormat = .binary
    try forEachRound("round trips") { maker in
      let tree = maker.tree(depth: 4)
      let record = maker.record(depth: 3)
      try expectRoundTrips(tree)
      try expectRoundTrips([record, record], encoder: deterministicEncoder)
      let bytes = try deterministicEncoder.encode(["value": tree])
      let viaJSON = try JSONDecoder().decode([String: RandomTree].self, from: json.encode(["value": tree]))
      #expect(try CBORDecoder().decode([String: RandomTree].self, from: bytes) == viaJSON)
      let viaList = try PropertyListDecoder().decode([RandomRecord].self, from: list.encode([record]))
      #expect(try roundTrip([record]) == viaList)
    }
  }

  @Test func equalValuesHaveEqualBytesInDeterministicOrder() throws {
    try forEachRound("determinism") { maker in
      let tree = maker.tree(depth: 4)
      let bytes = try deterministicEncoder.encode(tree)
      let copy = try CBORDecoder().decode(RandomTree.self, from: CBOREncoder().encode(tree))
      #expect(try deterministicEncoder.encode(copy) == bytes && CBOREncoder().encode(tree).count == bytes.count)
      #expect(throws: Never.self) { try CBORDiagnosticNotation().text(of: bytes) }
    }
  }

  @Test func sequencesOfRandomValuesRoundTrip() throws {
    try forEachRound("sequences") { maker in
      let trees = (0..<5).map { _ in maker.tree(depth: 2) }
      let bytes = try CBOREncoder().encode(sequence: trees)
      #expect(try CBORDecoder().decodeSequence(of: RandomTree.self, from: bytes) == trees)
      let pieces = try trees.map { try CBOREncoder().encode([$0]).dropFirst() }
      #expect(pieces.map(\.count).reduce(0, +) == bytes.count)
    }
  }
}
