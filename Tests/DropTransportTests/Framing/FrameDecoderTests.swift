// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import DropTransport

@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct FrameDecoderTests {
  private struct Frame: Hashable {
    var header: FrameHeader
    var payload: [UInt8] = []
    var offset: UInt64
    var check: UInt32?
  }

  /// Returns every frame in the bytes, which arrive in pieces that end at the offsets `cuts`.
  private func frames(in bytes: [UInt8], cuts: [Int] = []) throws -> [Frame] {
    var decoder = FrameDecoder()
    var frames: [Frame] = []
    var preambles = 0
    var start = 0
    try bytes.withUnsafeBytes { all in
      for end in cuts + [bytes.count] {
        while let (event, used) = try decoder.next(in: UnsafeRawBufferPointer(rebasing: all[start..<end])) {
          start += used
          #expect(decoder.offset == UInt64(start))
          switch event {
          case .preamble: preambles += 1
          case .header(let header): frames.append(Frame(header: header, offset: decoder.frameOffset))
          case .payload(let piece):
            #expect(!piece.isEmpty)
            frames[frames.count - 1].payload += piece
          case .endOfFrame(let check): frames[frames.count - 1].check = check
          }
        }
      }
    }
    #expect(preambles == 1)
    #expect(start == bytes.count)
    #expect(decoder.isBetweenFrames)
    return frames
  }

  @Test("the decoder reads what the encoder writes: types, flags, sequence, offsets, payloads")
  func decoderReadsTheFramesOfTheEncoder() throws {
    let frames = try frames(in: SmallStream.bytes)
    #expect(frames.map(\.header.type.rawValue) == [1, 2, 2, 3, 2, 4, 1, 2, 4, 5])
    #expect(frames.map(\.header.flags.rawValue) == [0, 0, 0, 0, 1, 0, 0, 1, 0, 0])
    #expect(frames.map(\.header.sequence) == Array(0..<10))
    #expect(frames.map { Int($0.offset) } == SmallStream.frames.map(\.lowerBound))
    #expect(frames[1].payload + frames[2].payload == Array("Hail, Odysseus".utf8))
    #expect(frames[3].payload == [14, 0, 0, 0, 0, 0, 0, 0])
    #expect(frames[5].payload == [2, 0, 0, 0])
    #expect(frames.allSatisfy { $0.check != nil && $0.header.request == 0 })
  }

  @Test("the frames do not depend on the pieces of the input")
  func framesDoNotDependOnThePiecesOfTheInput() throws {
    let bytes = SmallStream.bytes
    let whole = try frames(in: bytes)
    #expect(try frames(in: bytes, cuts: Array(1..<bytes.count)) == whole)
    #expect(outcome(of: bytes) == SmallStream.items)
    #expect(outcome(of: bytes, cuts: Array(1..<bytes.count)) == SmallStream.items)

    var generator = SeededGenerator.announced("random pieces")
    for _ in 0..<300 {
      let count = Int.random(in: 1...12, using: &generator)
      let cuts = (0..<count).map { _ in Int.random(in: 0...bytes.count, using: &generator) }.sorted()
      #expect(try frames(in: bytes, cuts: cuts) == whole, "cut at \(cuts)")
      #expect(outcome(of: bytes, cuts: cuts) == SmallStream.items, "cut at \(cuts)")
    }
  }

  @Test func chunkEncodedInPlaceEqualsAppendedChunk() {
    var appending = FrameEncoder()
    var sealing = FrameEncoder()
    let content = Array("a chunk".utf8)
    var appended: [UInt8] = [1, 2, 3]
    content.withUnsafeBytes { appending.appendData($0, whole: false, to: &appended) }
    var sealed: [UInt8] = [1, 2, 3]
    sealing.beginChunk(in: &sealed)
    sealed += content
    sealing.endChunk(from: 3, whole: false, in: &sealed)
    #expect(sealed == appended)
    #expect(sealing.counts == appending.counts)
    var ends: ([UInt8], [UInt8]) = ([], [])
    appending.appendEndOfStream(to: &ends.0)
    sealing.appendEndOfStream(to: &ends.1)
    #expect(ends.0 == ends.1)
  }

  @Test("random items in random chunks round-trip in any pieces")
  func randomItemsRoundTripInAnyPieces() {
    var generator = SeededGenerator.announced("random streams")
    for _ in 0..<60 {
      var builder = StreamBuilder()
      var items: [ReceivedItem] = []
      for _ in 0..<Int.random(in: 0...4, using: &generator) {
        var item = ReceivedItem(Bool.random(using: &generator) ? "é\u{1F4DC}" : nil, [:])
        for number in 0..<Int.random(in: 1...4, using: &generator) {
          let content = (0..<Int.random(in: 0...300, using: &generator)).map { UInt8(truncatingIfNeeded: $0) }
          item.representations.append(.init(type: "type.\(number)", content: content))
        }
        builder.add(item, chunkLength: Bool.random(using: &generator) ? 64 : nil)
        items.append(item)
      }
      builder.end()
      let cuts = (0..<5).map { _ in Int.random(in: 0...builder.bytes.count, using: &generator) }.sorted()
      #expect(outcome(of: builder.bytes, cuts: cuts) == items)
    }
  }
}

extension StreamBuilder {
  mutating func add(_ item: ReceivedItem, chunkLength: Int?) {
    offer(item.representations.map(\.type), name: item.name)
    for representation in item.representations {
      // Empty content has no chunks.
      guard let chunkLength, !representation.content.isEmpty else {
        whole(representation.content)
        continue
      }
      var rest = representation.content[...]
      while !rest.isEmpty {
        chunk(Array(rest.prefix(chunkLength)))
        rest = rest.dropFirst(chunkLength)
      }
      endOfRepresentation(UInt64(representation.content.count))
    }
    endOfItem(UInt32(item.representations.count))
  }
}

/// Returns whether the stream was complete and had these items.
func == (outcome: Outcome, items: [ReceivedItem]) -> Bool {
  if case .success(let received) = outcome { received == items } else { false }
}
