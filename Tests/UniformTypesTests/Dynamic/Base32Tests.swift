// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import UniformTypes

@Suite(.serialized, .limited) struct Base32Tests {
  @Test("any bytes come back")
  func roundTrip() {
    var generator = SeededGenerator.announced(#function)
    for count in 0..<200 {
      let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
      #expect(Base32.decode(Base32.encode(bytes)) == bytes)
    }
  }

  @Test("each digit stands for its place in the alphabet")
  func alphabet() {
    // The 32 values 0 to 31 in a row are 20 bytes.
    let digits = "abcdefghkmnpqrstuvwxyz0123456789"
    #expect(Base32.decode(digits.utf8).map { Base32.encode($0) } == Array(digits.utf8))
    #expect(Base32.encode([0xFF]) == Array("96".utf8))
  }

  @Test(
    "characters outside of the alphabet are refused", arguments: ["i8", "j8", "l8", "o8", "A8", "-8", "8=", "8 ", "é"])
  func outsideOfAlphabet(text: String) {
    #expect(Base32.decode(text.utf8) == nil)
  }

  @Test(
    "digits that carry no bits, and left-over bits that are not zero, are refused",
    arguments: ["a", "aaa", "aaaaaa", "ab", "aah"])
  func leftOver(text: String) {
    #expect(Base32.decode(text.utf8) == nil)
    #expect(Base32.decode("aa".utf8) == [0])
  }
}
