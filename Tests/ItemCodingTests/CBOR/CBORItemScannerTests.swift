// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import ItemCoding

@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct CBORItemScannerTests {
  /// The result of a scan.
  private enum Outcome: Equatable {
    case items(ends: [Int], isInItem: Bool)
    case fault(offset: Int, text: String)
  }

  private func scan(
    _ pieces: [Data], maximumDepth: Int = 512, maximumLength: Int = .max
  ) -> Outcome {
    var scanner = CBORItemScanner(maximumDepth: maximumDepth, maximumLength: maximumLength)
    var ends: [Int] = []
    for piece in pieces {
      var position = 0
      while position < piece.count {
        let result = piece.withUnsafeBytes { bytes in
          Result { try scanner.advance(over: bytes, from: &position) }
        }
        switch result {
        case .success(true): ends.append(scanner.offset)
        case .success(false): break
        case .failure(let fault as CBORFault): return .fault(offset: fault.offset, text: fault.text)
        case .failure(let error): return .fault(offset: -1, text: "\(error)")
        }
      }
    }
    return .items(ends: ends, isInItem: scanner.isInItem)
  }

  private func pieces(of data: Data, length: Int) -> [Data] {
    stride(from: 0, to: data.count, by: length).map { data.dropFirst($0).prefix(length) }
  }

  @Test(arguments: RFC8949Examples.wellFormed)
  func findsTheEndsOfExamplesInAnyChunks(hex: String, diagnostic: String) {
    let data = Data(hex: hex)
    for cut in 0...data.count {
      #expect(scan([data.prefix(cut), data.dropFirst(cut)]) == .items(ends: [data.count], isInItem: false))
      if (1..<data.count).contains(cut) { #expect(scan([data.prefix(cut)]) == .items(ends: [], isInItem: true)) }
    }
    #expect(scan(pieces(of: data, length: 1)) == .items(ends: [data.count], isInItem: false))
    #expect(scan([data + data]) == .items(ends: [data.count, 2 * data.count], isInItem: false))
  }

  @Test(arguments: RFC8949Examples.notWellFormed)
  func refusesExamplesOfAppendixF(heading: String, hexes: [String]) {
    for hex in hexes {
      let data = Data(hex: hex)
      let outcome = scan([data])
      if case .items(let ends, isInItem: false) = outcome { Issue.record("\(hex) ends at \(ends)") }
      #expect(scan(pieces(of: data, length: 1)) == outcome)
    }
  }

  @Test func randomBytesEndAtTheSameByteInAnyChunks() {
    var generator = SystemRandomNumberGenerator()
    // Bytes that begin containers and tags are more frequent than in random data.
    let heads: [UInt8] = [0x81, 0x82, 0x9F, 0xA1, 0xBF, 0xC1, 0x5F, 0x7F, 0x41, 0x61, 0x00, 0xFF, 0x18, 0xF8, 0x58]
    for _ in 0..<20_000 {
      let bytes = (0..<Int.random(in: 1...16, using: &generator)).map { _ -> UInt8 in
        Bool.random(using: &generator)
          ? heads[Int.random(in: 0..<heads.count, using: &generator)] : .random(in: 0...255)
      }
      let data = Data(bytes)
      let whole = scan([data])
      for length in [1, 2, 3] where scan(pieces(of: data, length: length)) != whole {
        Issue.record("\(bytes) in pieces of \(length)")
      }
      // `CBORInput` must skip the same item.
      let skipped = bytes.withUnsafeBufferPointer { buffer -> Int? in
        guard let base = buffer.baseAddress else { return nil }
        var offset = 0
        let input = CBORInput(base: base, count: buffer.count, acceptsLongArguments: true)
        return (try? input.skip(&offset, depth: 512)).map { _ in offset }
      }
      // `CBORInput` reads only the first item, so it does not find a fault after that item.
      if case .items(let ends, _) = whole, ends.first != skipped { Issue.record("\(bytes) ends at \(ends)") }
      if case .fault(let offset, _) = whole, let skipped, skipped > offset { Issue.record("\(bytes) has a fault") }
    }
  }

  @Test func refusesItemsOneByteLongerThanTheLimit() {
    for hex in ["4401020304", "7f63616263ff", "8401020304", "9f010203ff", "a201020304", "1a00010000ff", "d9d9f71864"] {
      // One byte precedes the item, so that offsets in the item and in the sequence differ.
      let data = Data(hex: hex == "1a00010000ff" ? "1a00010000" : hex)
      let sound = Outcome.items(ends: [1, 1 + data.count], isInItem: false)
      #expect(scan([Data([0]) + data], maximumLength: data.count) == sound)
      let refused = Outcome.fault(offset: 1, text: "an item longer than \(data.count - 1) bytes")
      #expect(scan([Data([0]) + data], maximumLength: data.count - 1) == refused)
      #expect(scan(pieces(of: Data([0]) + data, length: 1), maximumLength: data.count - 1) == refused)
    }
  }

  @Test(arguments: ["5a00010000", "7b7fffffffffffffff", "5bffffffffffffffff", "9a00010000", "bbffffffffffffffff"])
  func refusesAnnouncedLengthsBeyondTheLimit(hex: String) {
    #expect(
      scan([Data(hex: hex)], maximumLength: 65_535)
        == .fault(offset: 0, text: "an item longer than 65535 bytes"))
  }

  @Test func refusesImpossibleLengthsWithoutALimit() {
    for hex in ["5bffffffffffffffff", "5b7fffffffffffffff", "9bffffffffffffffff", "bb8000000000000000"] {
      guard case .fault = scan([Data(hex: hex)]) else {
        Issue.record("\(hex) is let through")
        continue
      }
    }
  }

  @Test(arguments: ["81", "9f", "a100", "bf00"])
  func refusesItemsOneLevelDeeperThanTheLimit(head: String) {
    func data(_ depth: Int) -> Data { Data(hex: String(repeating: head, count: depth)) }
    #expect(scan([data(3)], maximumDepth: 3) == .items(ends: [], isInItem: true))
    #expect(
      scan([data(4)], maximumDepth: 3)
        == .fault(offset: 3 * head.count / 2, text: "more than 3 nested maps and arrays"))
  }

  @Test func tagsTakeNoMemory() {
    let tags = Data(repeating: 0xC1, count: 100_000)
    #expect(scan([tags + [0]], maximumDepth: 0) == .items(ends: [100_001], isInItem: false))
    #expect(scan([Data([0x9F]) + tags + [0xFF]]) == .fault(offset: 100_001, text: "a break in place of an item"))
  }
}
