// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import DropTransport

/// A chunk that is sent from where it lies is the frame that a copy of it would be.
@Suite struct OutgoingFrameTests {
  private static func sealed(_ frame: OutgoingFrame) -> (frame: OutgoingFrame, digest: UInt32) {
    var frame = frame
    var digest = StreamDigest(preambleCheck: Preamble.check)
    frame.seal(sequence: 7, digest: &digest)
    return (frame, digest.value)
  }

  @Test("both have the same bytes, from wherever one goes on", arguments: [1, 2, 100, 20_000])
  func parts(count: Int) throws {
    // A slice, whose first index is not 0.
    let data = Data(pattern(count + 10)).dropFirst(10)
    let copied = Self.sealed(data.withUnsafeBytes { .data(number: 3, $0, isWhole: false) })
    let lying = Self.sealed(.chunk(number: 3, data))
    #expect(lying.digest == copied.digest)
    #expect(lying.frame.length == copied.frame.bytes.count && lying.frame.length == copied.frame.length)
    #expect(lying.frame.payloadLength == count && copied.frame.payloadLength == count)
    let ends = [0, 1, 23, 24, 25, 24 + count / 2, 23 + count, 24 + count, 25 + count, 27 + count]
    for start in Set(ends).sorted() {
      for (frame, mayHaveParts) in [(lying.frame, true), (copied.frame, false)] {
        let rest = frame.withRest(from: start) { head, content, tail in
          #expect(mayHaveParts || (content.isEmpty && tail.isEmpty))
          return Array(head) + Array(content) + Array(tail)
        }
        #expect(rest == Array(copied.frame.bytes[start...]), "from \(start)")
      }
    }
  }
}
