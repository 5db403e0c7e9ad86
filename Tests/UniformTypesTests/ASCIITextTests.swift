// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import UniformTypes

@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct ASCIITextTests {
  @Test func lowercasesEachByteOfAWordIndependently() {
    var generator = SeededGenerator.announced(#function)
    for byte in UInt8.min...UInt8.max {
      for index in 0..<8 {
        var bytes = (0..<8).map { _ in UInt8.random(in: 0...255, using: &generator) }
        bytes[index] = byte
        let word = bytes.withUnsafeBytes { $0.loadUnaligned(as: UInt64.self) }
        let expected = bytes.map(\.asciiLowercased).withUnsafeBytes { $0.loadUnaligned(as: UInt64.self) }
        if word.asciiLowercased != expected { Issue.record("\(bytes)") }
      }
    }
  }

  @Test func comparesAndHashesLikeSingleBytes() {
    var generator = SeededGenerator.announced(#function)
    let alphabet: [UInt8] = Array("aAbB@[`{zZ".utf8) + [0, 0x7F, 0x80, 0xC1, 0xE1, 0xFF]
    for _ in 0..<(isFullRun ? 20_000 : 5000) {
      let left = (0..<Int.random(in: 0...40, using: &generator)).map { _ in
        alphabet.randomElement(using: &generator) ?? 0
      }
      // Derives the right side from the left side, since independent strings would almost never be equal.
      var right = Bool.random(using: &generator) ? left : left.map(\.asciiLowercased)
      if Int.random(in: 0..<4, using: &generator) == 0, let index = right.indices.randomElement(using: &generator) {
        right[index] = alphabet.randomElement(using: &generator) ?? 0
      }
      if Int.random(in: 0..<8, using: &generator) == 0 { right.append(0) }
      for (ignoringCase, isEqual) in [
        (false, left == right), (true, left.map(\.asciiLowercased) == right.map(\.asciiLowercased)),
      ]
      where left.span.isEqual(to: right.span, ignoringCase: ignoringCase) != isEqual
        || isEqual && hash(left, ignoringCase: ignoringCase) != hash(right, ignoringCase: ignoringCase)
      {
        Issue.record("\(left) \(right)")
      }
      if left.span.hasASCIICapitals != (left != left.map(\.asciiLowercased)) { Issue.record("\(left)") }
    }
  }

  @Test(arguments: [false, true])
  func hashChangesWithOneBitOrByte(ignoringCase: Bool) {
    var generator = SeededGenerator.announced(#function)
    for count in 0..<40 {
      let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
      let changed = bytes.indices.map { bytes[..<$0] + [bytes[$0] ^ 0x80] + bytes[($0 + 1)...] }
      for other in [bytes + [0]] + changed
      where hash(bytes, ignoringCase: ignoringCase) == hash(Array(other), ignoringCase: ignoringCase) {
        Issue.record("\(bytes) \(other)")
      }
    }
  }

  private func hash(_ bytes: [UInt8], ignoringCase: Bool) -> Int {
    var hasher = Hasher()
    bytes.span.hash(into: &hasher, ignoringCase: ignoringCase)
    return hasher.finalize()
  }
}
