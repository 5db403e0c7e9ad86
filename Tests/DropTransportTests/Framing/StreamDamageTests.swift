// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import DropTransport

/// A small stream with every possible corruption.
///
/// The reader must reject each.
@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct StreamDamageTests {
  private let bytes = SmallStream.bytes
  private let frames = SmallStream.frames

  /// Checks that no corrupt stream is accepted.
  private func expectAllRefused(
    _ damaged: some Sequence<(what: String, bytes: [UInt8])>, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    var silent: [String] = []
    var tried = 0
    for (what, bytes) in damaged where bytes != self.bytes {
      tried += 1
      if outcome(of: bytes).code == nil { silent.append(what) }
    }
    #expect(silent.isEmpty, sourceLocation: sourceLocation)
    #expect(tried > 0, sourceLocation: sourceLocation)
  }

  private func bytes(with frames: [Range<Int>]) -> [UInt8] {
    frames.reduce(Array(bytes[..<Preamble.length])) { $0 + bytes[$1] }
  }

  @Test("the stream itself is complete")
  func unchangedStreamIsComplete() async throws {
    #expect(outcome(of: bytes) == SmallStream.items)
    #expect(try await pipeOutcome(of: bytes) == SmallStream.items)
  }

  @Test("a stream truncated at any byte is rejected as truncated, and one without bytes as empty")
  func truncatedStreamIsRejected() async throws {
    for length in 0..<bytes.count {
      let prefix = Array(bytes[..<length])
      let error = try requireFailure(length == 0 ? .empty : .truncated, try await pipeOutcome(of: prefix))
      #expect(error.byteOffset == UInt64(length))
      #expect(outcome(of: prefix).code == error.code)
    }
  }

  @Test("a flipped bit is detected at any position")
  func flippedBitIsDetected() {
    expectAllRefused(
      bytes.indices.lazy.flatMap { index in
        (0..<8).lazy.map { bit in
          var damaged = bytes
          damaged[index] ^= 1 << bit
          return ("bit \(bit) of byte \(index)", damaged)
        }
      })
  }

  @Test("a byte set to 00 or FF is detected at any position", arguments: [0x00, 0xFF] as [UInt8])
  func overwrittenByteIsDetected(_ value: UInt8) {
    expectAllRefused(
      bytes.indices.lazy.map { index in
        var damaged = bytes
        damaged[index] = value
        return ("byte \(index)", damaged)
      })
  }

  @Test("a missing, doubled or additional byte is detected at any position")
  func missingOrAdditionalByteIsDetected() {
    expectAllRefused(
      bytes.indices.lazy.flatMap { index in
        ["dropped", "doubled", "inserted"].lazy.map { what in
          var damaged = bytes
          switch what {
          case "dropped": damaged.remove(at: index)
          case "doubled": damaged.insert(bytes[index], at: index)
          default: damaged.insert(0x5A, at: index)
          }
          return ("byte \(index) \(what)", damaged)
        }
      })
  }

  @Test("swapped frames are detected")
  func swappedFramesAreDetected() {
    expectAllRefused(
      frames.indices.lazy.flatMap { first in
        frames.indices.lazy.map { second in
          var order = frames
          order.swapAt(first, second)
          return ("frames \(first) and \(second)", bytes(with: order))
        }
      })
  }

  @Test("a repeated or missing frame is detected")
  func repeatedOrMissingFrameIsDetected() {
    expectAllRefused(
      frames.indices.lazy.flatMap { which in
        (0...frames.count).lazy.map { place in
          var order = frames
          order.insert(frames[which], at: place)
          return ("frame \(which) again at \(place)", bytes(with: order))
        }
      })
    expectAllRefused(
      frames.indices.lazy.map { which in
        var order = frames
        order.remove(at: which)
        return ("frame \(which) missing", bytes(with: order))
      })
  }

  @Test("an added or substituted frame of another stream is detected")
  func frameOfAnotherStreamIsDetected() {
    var other = StreamBuilder()
    other.item(Array("of another one".utf8), name: "greeting.txt")
    other.item([])
    other.end()
    let foreign = other.frames.map { Array(other.bytes[$0]) }
    var damaged: [(what: String, bytes: [UInt8])] = []
    for place in frames.indices {
      let before = Array(bytes[..<frames[place].lowerBound])
      let after = Array(bytes[frames[place].upperBound...])
      for (which, frame) in foreign.enumerated() {
        damaged.append(("\(which) in front of \(place)", before + frame + bytes[frames[place]] + after))
        damaged.append(("\(which) for \(place)", before + frame + after))
      }
    }
    expectAllRefused(damaged)
  }

  @Test("a matching frame of another stream is detected by the digest at the end")
  func matchingFrameOfAnotherStreamIsDetectedByTheDigest() throws {
    let mine = StreamBuilder.stream {
      $0.item([1, 2, 3])
      $0.item([4, 5, 6])
    }
    var twin = StreamBuilder()
    twin.item([9, 9, 9])
    let place = twin.frames[1]
    let spliced = Array(mine[..<place.lowerBound] + twin.bytes[place] + mine[place.upperBound...])
    let error = try requireFailure(.damaged, outcome(of: spliced))
    #expect(error.reason == "corrupt: stream digest mismatch")
  }

  @Test("a reader of a pipe throws the same error")
  func readerOfAPipeThrowsTheSameError() async throws {
    for index in stride(from: 0, to: bytes.count, by: 11) {
      var damaged = bytes
      damaged[index] ^= 0x10
      let expected = try #require(outcome(of: damaged).code)
      try requireFailure(expected, try await pipeOutcome(of: damaged), "byte \(index)")
    }
  }
}
