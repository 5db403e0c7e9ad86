// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import DropTransport

/// The field that declares a representation as an alias of an earlier representation.
@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct AliasFieldTests {
  private func stream(_ offer: [UInt8], _ contents: [[UInt8]], representations: UInt32) -> Outcome {
    outcome(
      of: StreamBuilder.stream { stream in
        stream.offer(offer)
        for content in contents { stream.whole(content) }
        stream.counts.representations = UInt64(representations)
        stream.endOfItem(representations)
      })
  }

  private static let types = StreamBuilder.fields(["public.png", "public.jpeg"])

  @Test("the shared bytes are sent once")
  func sharedBytesAreSentOnce() throws {
    let first = StreamBuilder.fields(["public.png"]) + StreamBuilder.alias("public.image", of: 0)
    #expect(
      try stream(first + StreamBuilder.fields(["public.jpeg"]), [[1, 2], [3]], representations: 3).get()
        == [ReceivedItem(nil, ["public.png": [1, 2], "public.image": [1, 2], "public.jpeg": [3]])])
    let last =
      Self.types + StreamBuilder.alias("public.data", of: 1) + StreamBuilder.alias("public.image", of: 0)
    #expect(
      try stream(last, [[1, 2], [3]], representations: 4).get()
        == [
          ReceivedItem(
            nil, ["public.png": [1, 2], "public.jpeg": [3], "public.data": [3], "public.image": [1, 2]])
        ])
  }

  @Test("bytes for an alias are refused")
  func bytesForAnAliasAreRefused() {
    let offer = StreamBuilder.fields(["public.png"]) + StreamBuilder.alias("public.image", of: 0)
    #expect(stream(offer, [[1], [1]], representations: 2).code == .damaged)
  }

  @Test(
    "an alias of itself, a later representation or an alias, or with its own size, is refused",
    arguments: [
      StreamBuilder.alias("public.image", of: 0) + types,
      types + StreamBuilder.alias("public.image", of: 2),
      types + StreamBuilder.alias("public.image", of: .max),
      types + StreamBuilder.alias("public.image", of: 0) + StreamBuilder.alias("public.data", of: 2),
      types + StreamBuilder.alias("public.image", of: 0, byteCount: 7),
      types
        + StreamBuilder.field(
          OfferField.representation,
          StreamBuilder.field(OfferField.typeIdentifier, [65]) + StreamBuilder.field(OfferField.alias, [0, 0, 0])),
    ])
  func malformedAliasIsRefused(offer: [UInt8]) {
    #expect(stream(offer, [[1], [2]], representations: 3).code == .damaged)
  }

  @Test("a size estimate is not enforced, and has eight bytes")
  func sizeEstimateIsNotEnforcedAndHasEightBytes() throws {
    let field = StreamBuilder.field(OfferField.estimatedByteCount, [UInt8](littleEndian: UInt64(5)))
    let type = StreamBuilder.field(OfferField.typeIdentifier, Array("public.png".utf8))
    let payload = StreamBuilder.field(OfferField.representation, type + field)
    let offer = try OfferParser(limits: DropStreamLimits(), frameOffset: 0).parse(payload)
    #expect(offer.representations[0].estimatedByteCount == 5)
    #expect(stream(payload, [[1]], representations: 1).code == nil)
    let cut = StreamBuilder.field(OfferField.representation, type + StreamBuilder.field(0x84, [1, 2]))
    #expect(stream(cut, [[1]], representations: 1).code == .damaged)
  }
}
