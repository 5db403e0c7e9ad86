// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import DropDesktop

/// Text of other programs, in chunks of any length.
@Suite(.limited, .timeLimit(minutes: 1)) struct TextDecoderTests {
  private func decoded(_ bytes: [UInt8], _ encoding: TextDecoder.Encoding, by size: Int) throws -> String {
    var decoder = TextDecoder(encoding)
    var text = Data()
    for start in stride(from: 0, to: bytes.count, by: size) {
      text += try decoder.decode(Data(bytes[start...].prefix(size)), isLast: false)
    }
    text += try decoder.decode(Data(), isLast: true)
    return String(decoding: text, as: UTF8.self)
  }

  @Test(arguments: [
    (Array("Ægir 日本 😀".utf8), "Ægir 日本 😀"), ([], ""), ([0x61], "a"), ([0xE6], "æ"),
    (Array("saga\0".utf8), "saga"), (Array("a\0b\0\0".utf8), "a\0b\0"), ([0x61, 0xE6, 0], "aæ"),
    ([0xEF, 0xBB, 0xBF] + Array("日".utf8), "日"),
    ([0xFF, 0xFE, 0x3D, 0xD8, 0x00, 0xDE, 0x61, 0, 0xFF, 0xFE], "😀a\u{FEFF}"),
    ([0xFE, 0xFF, 0xD8, 0x3D, 0xDE, 0x00, 0, 0x61], "😀a"),
    ([0x61, 0x62, 0xC6, 0x67, 0xE9], "abÆgé"),
  ])
  func markedTextIsDecodedInChunksOfAnyLength(bytes: [UInt8], text: String) throws {
    for size in [1, 2, 3, 4, 99] { #expect(try decoded(bytes, .marked, by: size) == text, "chunks of \(size)") }
  }

  @Test func latin1KeepsEveryByte() throws {
    let text = String(String.UnicodeScalarView((0...255).map { Unicode.Scalar(UInt8($0)) }))
    #expect(try decoded(Array(0...255), .latin1, by: 7) == text)
  }

  /// Characters that were already returned cannot be decoded again.
  @Test(arguments: [
    Array("日".utf8) + [0x61, 0xFF, 0x62], Array("日".utf8) + [0xE6], [0xEF, 0xBB, 0xBF, 0x61, 0xFF],
    [0xFF, 0xFE, 0x61], [0xFF, 0xFE, 0x3D, 0xD8, 0x61, 0], [0xFE, 0xFF, 0xD8, 0x3D],
  ])
  func invalidTextAfterAnotherEncodingIsAnError(bytes: [UInt8]) {
    #expect(throws: (any Error).self) { try decoded(bytes, .marked, by: 3) }
  }
}
