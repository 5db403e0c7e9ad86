// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import DropTransport

@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct OfferParserTests {
  private func parse(_ fields: [UInt8]) -> Result<DropOffer, DropStreamError> {
    do throws(DropStreamError) {
      return .success(try OfferParser(limits: DropStreamLimits(), frameOffset: 16).parse(fields))
    } catch {
      return .failure(error)
    }
  }

  private func expectDamaged(_ fields: [UInt8], sourceLocation: SourceLocation = #_sourceLocation) {
    guard case .failure(let error) = parse(fields) else {
      Issue.record("accepted", sourceLocation: sourceLocation)
      return
    }
    #expect(error.code == .damaged, sourceLocation: sourceLocation)
    #expect(error.byteOffset == 16, sourceLocation: sourceLocation)
  }

  private let type = StreamBuilder.field(OfferField.typeIdentifier, Array("a".utf8))
  private func representation(_ value: [UInt8]) -> [UInt8] { StreamBuilder.field(OfferField.representation, value) }
  private func size(_ value: [UInt8]) -> [UInt8] { StreamBuilder.field(OfferField.byteCount, value) }

  @Test("an encoded offer decodes to itself")
  func encodedOfferDecodesToItself() throws {
    for offer in [
      DropOffer(representations: [.init(typeIdentifier: "public.data")]),
      DropOffer(suggestedName: "é \u{1F4DC}", representations: [.init(typeIdentifier: "a", byteCount: 0)]),
      DropOffer(
        suggestedName: "x",
        representations: [
          .init(typeIdentifier: "a", byteCount: .max), .init(typeIdentifier: "b"), .init(typeIdentifier: "a"),
        ]),
    ] {
      var payload: [UInt8] = []
      offer.append(to: &payload)
      #expect(try parse(payload).get() == offer)
      // A truncated payload is not a valid offer.
      for length in 0..<payload.count where (try? parse(Array(payload[..<length])).get()) == offer {
        Issue.record("cut at \(length)")
      }
    }
  }

  @Test("an offer has the expected bytes")
  func offerHasTheExpectedBytes() throws {
    var payload: [UInt8] = []
    DropOffer(suggestedName: "n", representations: [.init(typeIdentifier: "t", byteCount: 258)]).append(to: &payload)
    #expect(payload.hexText == "01010000006e" + "0213000000" + "010100000074" + "02080000000201000000000000")
  }

  @Test("an offer without a representation, or with a truncated field, is refused")
  func offerWithoutRepresentationOrWithATruncatedFieldIsRefused() {
    expectDamaged([])
    expectDamaged(StreamBuilder.field(OfferField.suggestedName, Array("a".utf8)))
    expectDamaged(representation([]))
    expectDamaged(representation(type) + [2])
    expectDamaged(representation(type) + [2, 0, 0, 0])
    expectDamaged(representation(type) + [2, 1, 0, 0, 0])
    expectDamaged(representation(type) + [0x80, 0xFF, 0xFF, 0xFF, 0xFF])
    expectDamaged(representation(type) + [0x80, 0xFF, 0xFF, 0xFF, 0x7F, 0])
    expectDamaged(representation(type + [1]))
    expectDamaged(representation(type.dropLast()))
  }

  @Test("a repeated field is refused if it may occur only once")
  func repeatedFieldIsRefused() {
    let name = StreamBuilder.field(OfferField.suggestedName, Array("a".utf8))
    expectDamaged(name + name + representation(type))
    expectDamaged(representation(type + type))
    let mark = StreamBuilder.field(OfferField.opensInPlace, [])
    expectDamaged(representation(type + mark + mark))
    expectDamaged(representation(type + StreamBuilder.field(OfferField.opensInPlace, [1])))
    expectDamaged(representation(type + size([UInt8](repeating: 0, count: 8)) + size([UInt8](repeating: 0, count: 8))))
  }

  @Test("a size field that does not have eight bytes is refused", arguments: [0, 1, 4, 7, 9, 16])
  func sizeFieldWithoutEightBytesIsRefused(_ count: Int) {
    expectDamaged(representation(type + size([UInt8](repeating: 0, count: count))))
  }

  @Test("a type that is empty, not UTF-8, or could act on a terminal is refused")
  func emptyOrUnsafeTypeIsRefused() {
    for bytes in [[], [0xFF], [0xC0, 0xAF], Array("a\nb".utf8), Array("\u{1B}[2J".utf8), Array("\u{202E}a".utf8), [0]] {
      expectDamaged(representation(StreamBuilder.field(OfferField.typeIdentifier, bytes)))
    }
  }

  @Test(
    "an odd type that is text passes unchanged", arguments: ["dyn.abc", "Public.Data", "a b", "text/html", "é", "\\"])
  func unusualTypePassesUnchanged(_ identifier: String) throws {
    let field = StreamBuilder.field(OfferField.typeIdentifier, Array(identifier.utf8))
    #expect(try parse(representation(field)).get().representations == [.init(typeIdentifier: identifier)])
  }

  @Test("random fields are decoded or refused, and never crash the parser")
  func randomFieldsNeverCrashTheParser() {
    var generator = SeededGenerator.announced("random offers")
    for _ in 0..<20_000 {
      let bytes = (0..<Int.random(in: 0...24, using: &generator)).map { _ in
        // Small numbers produce valid fields occasionally.
        UInt8.random(in: 0...(Bool.random(using: &generator) ? 3 : 255), using: &generator)
      }
      if case .success(let offer) = parse(bytes) { #expect(!offer.representations.isEmpty) }
    }
  }
}

extension [UInt8] {
  /// The bytes as pairs of hexadecimal digits.
  var hexText: String { map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined() }
}
