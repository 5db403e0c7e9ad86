// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import ItemTransfer

@Suite(.serialized, .limited) struct FolderMutationTests {
  private enum Mutation: CaseIterable {
    case flip, set, word, cut, insert, swap
  }

  private func mutate(_ bytes: inout [UInt8], with generator: inout SeededGenerator) {
    let place = Int.random(in: 0..<bytes.count, using: &generator)
    switch Mutation.allCases.randomElement(using: &generator) ?? .flip {
    case .flip: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
    case .set: bytes[place] = [0, 1, 0x2F, 0x2E, 0x7F, 0x80, 0xFF].randomElement(using: &generator) ?? 0
    case .word: for index in place..<min(place + 4, bytes.count) { bytes[index] = 0xFF }
    case .cut: bytes.removeSubrange(place..<min(place + Int.random(in: 1..<9, using: &generator), bytes.count))
    case .insert: bytes.insert(UInt8.random(in: 0...255, using: &generator), at: place)
    case .swap: bytes.swapAt(place, Int.random(in: 0..<bytes.count, using: &generator))
    }
    if bytes.isEmpty { bytes = [0] }
  }

  @Test("whatever becomes of an archive's bytes, it is extracted whole or refused, and then nothing stays")
  func mutations() throws {
    var generator = SeededGenerator.announced("folder archive mutations")
    let crafted = CraftedZip(
      CraftedZip.Entry("Tales/"), CraftedZip.Entry("Tales/a", "once"), CraftedZip.Entry("Tales/b/c", "upon"))
    let archives = try withTemporaryDirectory { directory in
      let folder = directory.appendingPathComponent("Tales")
      try makeTree(["a": "once", "b/c": "upon", "d/": "", "e": ""], at: folder)
      return [
        Array(try FolderArchiveWriter(folder: folder.path).archive()), crafted.bytes,
        crafted.with { $0.isZip64 = true }.bytes,
      ]
    }
    var refused = 0
    for round in 0..<450 {
      var bytes = archives[round % archives.count]
      for _ in 0...Int.random(in: 0..<3, using: &generator) { mutate(&bytes, with: &generator) }
      do {
        try extract(bytes) { destination in
          let names = try FileManager.default.contentsOfDirectory(atPath: destination.path)
          #expect(names.count == 1)
          for name in names { _ = try tree(at: destination.appendingPathComponent(name)) }
        }
      } catch is FolderArchiveError {
        refused += 1
      }
    }
    #expect(refused > 150)
  }
}
