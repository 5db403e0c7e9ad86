// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import Foundation
import ItemTransfer
import TestSupport
import Testing

@testable import DropTransport

/// The fields of an offer: names, types, sizes, aliases, and the attributes of files.
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct OfferParserTests {
  private typealias Builder = StreamBuilder

  private let type = Builder.field(OfferField.typeIdentifier, Array("a".utf8))
  private func representation(_ value: [UInt8]) -> [UInt8] { Builder.field(OfferField.representation, value) }
  private func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }

  private func parse(_ fields: [UInt8]) throws(DropStreamError) -> DropOffer {
    try OfferParser(limits: DropStreamLimits(), frameOffset: 16).parse(fields)
  }

  /// Checks that each offer is rejected at its frame.
  private func expectDamaged(_ offers: [UInt8]..., sourceLocation: SourceLocation = #_sourceLocation) {
    for offer in offers {
      let error = #expect(throws: DropStreamError.self, "\(offer)", sourceLocation: sourceLocation) {
        try parse(offer)
      }
      if error?.code != .damaged || error?.byteOffset != 16 {
        Issue.record("\(offer): \(error?.description ?? "")", sourceLocation: sourceLocation)
      }
    }
  }

  @Test func encodedOfferDecodesToItself() throws {
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
      #expect(try parse(payload) == offer)
      // A truncated payload is not a valid offer.
      for length in 0..<payload.count where (try? parse(Array(payload[..<length]))) == offer {
        Issue.record("cut at \(length)")
      }
    }
  }

  @Test func offerHasTheExpectedBytes() {
    var payload: [UInt8] = []
    DropOffer(suggestedName: "n", representations: [.init(typeIdentifier: "t", byteCount: 258)]).append(to: &payload)
    #expect(payload.hexText == "01010000006e" + "0213000000" + "010100000074" + "02080000000201000000000000")
  }

  @Test func malformedOffersAreRefused() {
    let name = Builder.field(OfferField.suggestedName, Array("a".utf8))
    let valid = representation(type)
    // No representation, or a truncated field.
    expectDamaged(
      [], name, representation([]), valid + [2], valid + [2, 0, 0, 0], valid + [2, 1, 0, 0, 0],
      valid + [0x80, 0xFF, 0xFF, 0xFF, 0xFF], valid + [0x80, 0xFF, 0xFF, 0xFF, 0x7F, 0], representation(type + [1]),
      representation(type.dropLast()))
    // A repeated field.
    let mark = Builder.field(OfferField.opensInPlace, [])
    let size = Builder.field(OfferField.byteCount, zeros(8))
    expectDamaged(
      name + name + valid, representation(type + type), representation(type + mark + mark),
      representation(type + size + size))
    // A value of a wrong length.
    expectDamaged(representation(type + Builder.field(OfferField.opensInPlace, [1])))
    for count in [0, 1, 4, 7, 9, 16] {
      expectDamaged(representation(type + Builder.field(OfferField.byteCount, zeros(count))))
    }
    // A type that is empty, is not UTF-8, or could act on a terminal.
    for bytes in [[], [0xFF], [0xC0, 0xAF], Array("a\nb".utf8), Array("\u{1B}[2J".utf8), Array("\u{202E}a".utf8), [0]] {
      expectDamaged(representation(Builder.field(OfferField.typeIdentifier, bytes)))
    }
  }

  @Test func unusualTypesPassUnchanged() throws {
    for identifier in ["dyn.abc", "Public.Data", "a b", "text/html", "é", "\\"] {
      let field = Builder.field(OfferField.typeIdentifier, Array(identifier.utf8))
      #expect(try parse(representation(field)).representations == [.init(typeIdentifier: identifier)])
    }
  }

  @Test func randomFieldsNeverCrashTheParser() {
    var generator = SeededGenerator.announced("random offers")
    for _ in 0..<20_000 {
      let bytes = (0..<Int.random(in: 0...24, using: &generator)).map { _ in
        // Small numbers produce valid fields occasionally.
        UInt8.random(in: 0...(Bool.random(using: &generator) ? 3 : 255), using: &generator)
      }
      if let offer = try? parse(bytes), offer.representations.isEmpty { Issue.record("\(bytes)") }
    }
  }

  @Test func unknownAncillaryFieldIsSkippedAndUnknownCriticalFieldIsRefused() async throws {
    for tag in [0x80, 0x92, 0xFF] as [UInt8] {
      for value in [[], [0], Array(repeating: 0xFF, count: 5000)] as [[UInt8]] {
        let field = Builder.field(tag, value)
        let valid = representation(type)
        for offer in [field + valid, valid + field, representation(type + field), representation(field + type)] {
          #expect(try parse(offer) == parse(valid))
        }
      }
    }
    for tag in [0, 4, 0x7F] as [UInt8] {
      let field = Builder.field(tag, [1, 2])
      for offer in [field + representation(type), representation(type) + field, representation(type + field)] {
        let reason = "an offer has a field \(tag), which is unknown and must not be skipped"
        try await requireDropError(.unsupported, reason: reason) { try parse(offer) }
      }
    }
  }

  // MARK: Aliases and estimates

  private func outcome(_ offer: [UInt8], _ contents: [[UInt8]], representations: UInt32) -> Outcome {
    DropTransportTests.outcome(
      of: Builder.stream { stream in
        stream.offer(offer)
        for content in contents { stream.whole(content) }
        stream.counts.representations = UInt64(representations)
        stream.endOfItem(representations)
      })
  }

  private static let types = Builder.fields(["public.png", "public.jpeg"])

  @Test func sharedBytesAreSentOnce() {
    let first = Builder.fields(["public.png"]) + Builder.alias("public.image", of: 0)
    let between = ReceivedItem(nil, ["public.png": [1, 2], "public.image": [1, 2], "public.jpeg": [3]])
    expectItems([between], outcome(first + Builder.fields(["public.jpeg"]), [[1, 2], [3]], representations: 3))
    let last = Self.types + Builder.alias("public.data", of: 1) + Builder.alias("public.image", of: 0)
    let atEnd = ReceivedItem(
      nil, ["public.png": [1, 2], "public.jpeg": [3], "public.data": [3], "public.image": [1, 2]])
    expectItems([atEnd], outcome(last, [[1, 2], [3]], representations: 4))
    expectCode(.damaged, outcome(first, [[1], [1]], representations: 2))
  }

  /// An alias of itself, of a later representation, of none, of an alias, with a size, and with a short index.
  @Test(arguments: [
    Builder.alias("public.image", of: 0) + types, types + Builder.alias("public.image", of: 2),
    types + Builder.alias("public.image", of: .max),
    types + Builder.alias("public.image", of: 0) + Builder.alias("public.data", of: 2),
    types + Builder.alias("public.image", of: 0, byteCount: 7),
    types
      + Builder.field(
        OfferField.representation,
        Builder.field(OfferField.typeIdentifier, [65]) + Builder.field(OfferField.alias, [0, 0, 0])),
  ])
  func malformedAliasIsRefused(offer: [UInt8]) {
    expectCode(.damaged, outcome(offer, [[1], [2]], representations: 3))
  }

  @Test func sizeEstimateIsNotEnforcedAndHasEightBytes() throws {
    let offer = representation(type + Builder.field(OfferField.estimatedByteCount, [UInt8](littleEndian: UInt64(5))))
    #expect(try parse(offer).representations[0].estimatedByteCount == 5)
    expectCode(nil, outcome(offer, [[1]], representations: 1))
    expectDamaged(representation(type + Builder.field(OfferField.estimatedByteCount, [1, 2])))
  }

  @Test func theFormHasOneByteAndALaterFormIsReadAsBytes() throws {
    let form = { (bytes: [UInt8]) in Builder.field(OfferField.form, bytes) }
    for (number, expected) in [
      (0, .data), (1, .file), (2, .text), (3, .url), (4, .propertyList), (5, .data), (255, .data),
    ]
      as [(UInt8, ItemRepresentation.Form)]
    {
      let offer = try parse(representation(type + form([number])))
      #expect(offer.representations.map(\.form) == [expected])
      guard expected != .data else { continue }
      var payload: [UInt8] = []
      offer.append(to: &payload)
      #expect(payload == representation(type + form([number])))
    }
    expectDamaged(
      representation(type + form([])), representation(type + form([1, 1])), representation(type + form([1]) + form([1]))
    )
  }

  // MARK: Attributes of files

  private func attributes(_ fields: [UInt8]) throws -> ItemFileAttributes {
    try parse(fields + Builder.fields(["public.data"])).attributes
  }

  private func encoded(_ attributes: ItemFileAttributes) -> [UInt8] {
    var bytes: [UInt8] = []
    DropOffer.append(attributes, to: &bytes)
    return bytes
  }

  @Test func attributesHaveTheExpectedBytes() throws {
    let time = try #require(FileTime(seconds: -2, nanoseconds: 3))
    let both = ItemFileAttributes(permissions: 0o751, modificationTime: time)
    #expect(both.modificationDate == Date(timeIntervalSince1970: -2 + 3e-9))
    var folder = ItemFileAttributes()
    folder.folder = "a/b"
    for (expected, bytes) in [
      (both, [0x81, 12, 0, 0, 0, 0xFE, 255, 255, 255, 255, 255, 255, 255, 3, 0, 0, 0, 0x82, 2, 0, 0, 0, 0xE9, 1]),
      (ItemFileAttributes(), []), (folder, [0x83, 3, 0, 0, 0] + Array("a/b".utf8)),
    ] as [(ItemFileAttributes, [UInt8])] {
      #expect(try encoded(expected) == bytes && attributes(bytes) == expected)
    }
    #expect(try attributes([]).isEmpty)
  }

  @Test func permissionsThatASenderMustNotSetAreIgnored() throws {
    #expect(try attributes(Builder.field(0x82, [0xFF, 0xFF])).permissions == 0o1777)
    #expect(ItemFileAttributes(permissions: 0o4755).permissions == 0o755)
  }

  @Test func malformedAttributesAreRefused() throws {
    let most = Builder.field(0x81, zeros(8) + [0xFF, 0xC9, 0x9A, 0x3B])
    #expect(try attributes(most).modificationTime?.nanoseconds == 999_999_999)
    let time = Builder.field(0x81, zeros(12))
    let permissions = Builder.field(0x82, [0, 0])
    let folder = Builder.field(0x83, Array("a/b".utf8))
    var malformed = [
      Builder.field(0x81, zeros(8) + [0x00, 0xCA, 0x9A, 0x3B]), time + time, permissions + permissions,
      folder + folder, Builder.field(0x83, [0xFF]), Builder.field(0x83, [UInt8](repeating: 0x61, count: 4097)),
    ]
    for (tag, length) in [(0x81, 11), (0x81, 13), (0x82, 1), (0x82, 3), (0x82, 0), (0x83, 0)] as [(UInt8, Int)] {
      malformed.append(Builder.field(tag, zeros(length)))
    }
    for fields in malformed {
      expectDropError("\(fields)") { try attributes(fields) }
    }
  }
}

extension [UInt8] {
  var hexText: String { map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined() }
}
