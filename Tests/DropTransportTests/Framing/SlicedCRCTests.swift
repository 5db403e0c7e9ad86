// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import DropTransport

@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct SlicedCRCTests {
  @Test(arguments: [0xEDB8_8320, 0x82F6_3B78])
  func slicedRegisterEqualsTheBitwiseRegister(_ polynomial: UInt32) {
    var generator = SeededGenerator.announced("sliced CRC")
    let bytes = (0..<400).map { _ in UInt8.random(in: 0...255, using: &generator) }
    let crc = SlicedCRC(polynomial: polynomial)
    let start = UInt32.random(in: 0...(.max), using: &generator)
    var expected = start
    for length in 0...bytes.count {
      let found = bytes[..<length].withUnsafeBytes { crc.register(start, after: $0) }
      #expect(found == expected, "length \(length)")
      guard length < bytes.count else { break }
      expected = SlicedCRC.register(expected ^ UInt32(bytes[length]), afterZeroByteBy: polynomial)
    }
  }
}
