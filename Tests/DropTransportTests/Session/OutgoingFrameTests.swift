// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import DropTransport

/// Chunks that are stored separately from their header and checksum.
///
/// They must form the same frame as contiguous bytes.
@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct OutgoingFrameTests {
  private static func sealed(_ frame: OutgoingFrame) -> (frame: OutgoingFrame, digest: UInt32) {
    var frame = frame
    var digest = StreamDigest(preambleCheck: Preamble.check)
    frame.seal(sequence: 7, digest: &digest)
    return (frame, digest.value)
  }

  @Test("both forms of a frame have the same bytes from any offset", arguments: [1, 2, 100, 20_000])
  func bothFormsOfAFrameHaveTheSameBytes(count: Int) throws {
    // The first index of this slice is not 0.
    let data = Data(pattern(count + 10)).dropFirst(10)
    let copied = Self.sealed(data.withUnsafeBytes { .data(number: 3, $0, isWhole: false) })
    let lying = Self.sealed(data.withUnsafeBytes { .chunk(number: 3, $0) })
    #expect(lying.digest == copied.digest)
    #expect(lying.frame.length == copied.frame.bytes.count && lying.frame.length == copied.frame.length)
    #expect(lying.frame.payloadLength == count && copied.frame.payloadLength == count)
    let ends = [0, 1, 23, 24, 25, 24 + count / 2, 23 + count, 24 + count, 25 + count, 27 + count]
    for start in Set(ends).sorted() {
      func rest(_ frame: OutgoingFrame) -> [UInt8]? {
        frame.withParts(from: start) { Array($0) + Array($1) + Array($2) }
      }
      #expect(rest(lying.frame) == Array(copied.frame.bytes[start...]), "from \(start)")
      #expect(rest(copied.frame) == nil)
    }
  }
}
