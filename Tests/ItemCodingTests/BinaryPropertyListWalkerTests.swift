// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import Foundation
import TestSupport
import Testing

@testable import ItemCoding

@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct BinaryPropertyListWalkerTests {
  private func decode(_ list: BinaryList) throws -> AnyPropertyList {
    try PropertyListDecoder().decodeForeign(AnyPropertyList.self, from: list.data)
  }

  private func expectRefusal(
    _ reason: String?, _ list: BinaryList, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let error = #expect(throws: DecodingError.self, sourceLocation: sourceLocation) {
      try PropertyListValidator().validate(list.data)
    }
    guard let error, let reason else { return }
    #expect("\(error)".contains(reason), sourceLocation: sourceLocation)
  }

  // MARK: Sound lists

  @Test func acceptsObjectsOfEveryKindThatFoundationReads() throws {
    let long = [UInt8](repeating: UInt8(ascii: "x"), count: 20)
    let list = BinaryList(
      [0xA0 | 12, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12], [0x08], [0x09], [0x10, 7], [0x11, 1, 0],
      [0x13] + BinaryList.integer(-1, width: 8), [0x14] + BinaryList.integer(5, width: 16),
      [0x22, 0x3F, 0x80, 0, 0], [0x23, 0x3F, 0xF8, 0, 0, 0, 0, 0, 0], [0x33, 0, 0, 0, 0, 0, 0, 0, 0], [0x42, 1, 2],
      BinaryList.long(0x50, 20) + long, [0x61, 0x26, 0x3A])
    #expect(
      try decode(list)
        == .array([
          .bool(false), .bool(true), .integer(7), .integer(256), .integer(-1), .integer(5), .integer(1), .real(1.5),
          .date(Date(timeIntervalSinceReferenceDate: 0)), .data(Data([1, 2])),
          .string(String(repeating: "x", count: 20)), .string("\u{263A}"),
        ]))
  }

  @Test(arguments: 1...8, 1...8)
  func acceptsReferencesAndOffsetsOfEveryWidth(referenceWidth: Int, offsetWidth: Int) throws {
    var list = BinaryList([0xA1] + BinaryList.integer(1, width: referenceWidth), [0x51, 0x61])
    list.referenceWidth = referenceWidth
    list.offsetWidth = offsetWidth
    #expect(try decode(list) == .array([.string("a")]))
  }

  @Test func acceptsAnyObjectAsTheTopObject() throws {
    var list = BinaryList([0x51, 0x61], [0x51, 0x62])
    list.topObject = 1
    #expect(try decode(list) == .string("b"))
  }

  @Test func acceptsSharedContainers() throws {
    let list = BinaryList([0xA3, 1, 1, 1], [0xA1, 2], [0x51, 0x61])
    let shared = AnyPropertyList.array([.string("a")])
    #expect(try decode(list) == .array([shared, shared, shared]))
  }

  // MARK: Lists that contain themselves

  @Test(arguments: [
    BinaryList([0xA1, 0]), BinaryList([0xC1, 0]), BinaryList([0xD1, 1, 0], [0x51, 0x6B]),
    BinaryList([0xD1, 0, 1], [0x51, 0x6B]), BinaryList([0xA1, 1], [0xA1, 2], [0xD1, 3, 0], [0x51, 0x6B]),
    BinaryList([0xA2, 1, 0], [0x51, 0x6B]), BinaryList([0xA2, 0, 0]),
  ])
  func refusesAListThatContainsItself(list: BinaryList) {
    expectRefusal(nil, list)
  }

  @Test func refusesALargeListThatContainsItselfByItsDepth() {
    expectRefusal("nested deeper than", BinaryList([0xA1, 0], [0x4F, 0x11, 2, 0] + [UInt8](repeating: 0, count: 512)))
  }

  @Test func refusesAListThatDoublesAtEveryLevel() {
    let levels = (1...100).map { [0xA2, UInt8($0), UInt8($0)] }
    expectRefusal("too many visits of shared containers", BinaryList(objects: levels + [[0x51, 0x61]]))
    let wide = (1...8).map { [0xAE] + [UInt8](repeating: UInt8($0), count: 14) }
    expectRefusal("too many visits of shared containers", BinaryList(objects: wide + [[0x51, 0x61]]))
  }

  @Test func refusesALargeStringThatIsSharedTooOften() {
    let size = 1 << 20
    let references = BinaryList.long(0xA0, 1000) + [UInt8](repeating: 1, count: 1000)
    for kind in [UInt8(0x40), 0x50, 0x60] {
      var string = BinaryList.long(kind, kind == 0x60 ? size / 2 : size)
      string += [UInt8](repeating: UInt8(ascii: "x"), count: size)
      var list = BinaryList(references, string)
      list.offsetWidth = 4
      expectRefusal("too many bytes in shared strings and data", list)
    }
  }

  // MARK: Invalid objects

  @Test(
    arguments: [
      0x01, 0x07, 0x0A, 0x0F, 0x15, 0x1F, 0x20, 0x21, 0x24, 0x2F, 0x30, 0x32, 0x34, 0x71, 0x7F, 0x90, 0xB1, 0xE1, 0xFF,
    ] as [UInt8])
  func refusesKindsAndSizesThatFoundationDoesNotKnow(marker: UInt8) {
    expectRefusal("an unknown kind of object", BinaryList([marker] + [UInt8](repeating: 0, count: 40)))
  }

  @Test(
    arguments: [
      [0x10], [0x13, 0, 0], [0x14, 0, 0, 0, 0, 0, 0, 0, 0], [0x22, 0], [0x23, 0, 0, 0, 0], [0x33, 0], [0x42, 1],
      [0x53, 0x61, 0x62], [0x61, 0x26], [0x62, 0x26, 0x3A, 0], [0x80], [0xA2, 0], [0xC1], [0xD1, 0], [0xDE, 0, 0],
    ] as [[UInt8]])
  func refusesAnObjectThatExceedsTheObjects(object: [UInt8]) {
    expectRefusal("contents outside the file", BinaryList(object))
  }

  @Test(arguments: [0x40, 0x50, 0x60, 0xA0, 0xC0, 0xD0] as [UInt8])
  func refusesAnyLengthThatExceedsTheFile(kind: UInt8) {
    expectRefusal(nil, BinaryList([kind | 0x0F, 0x10, 0xFF, 0]))
    expectRefusal("an integer that exceeds the file", BinaryList(BinaryList.long(kind, 0x7FFF_FFFF)))
    expectRefusal(
      "an integer that exceeds the file", BinaryList([kind | 0x0F, 0x13] + BinaryList.integer(.max, width: 8)))
    expectRefusal(
      "an integer that exceeds the file", BinaryList([kind | 0x0F, 0x13] + BinaryList.integer(-1, width: 8)))
    expectRefusal("a count that is not an integer", BinaryList([kind | 0x0F, 0x14] + [UInt8](repeating: 0, count: 16)))
    expectRefusal("a count that is not an integer", BinaryList([kind | 0x0F, 0x51, 0x61]))
    expectRefusal("a count that is not an integer", BinaryList([kind | 0x0F]))
  }

  @Test func refusesAReferenceToAnObjectThatDoesNotExist() {
    expectRefusal("a reference to an object that does not exist", BinaryList([0xA1, 1]))
    expectRefusal("a reference to an object that does not exist", BinaryList([0xD1, 1, 2], [0x51, 0x6B]))
  }

  // MARK: Trailers

  @Test func refusesTrailersWithWrongValues() {
    func change(_ body: (inout BinaryList) -> Void) -> BinaryList {
      var list = BinaryList([0xA1, 1], [0x51, 0x61])
      body(&list)
      return list
    }
    expectRefusal("an offset table outside the file", change { $0.topObject = 2 })
    expectRefusal("an offset table outside the file", change { $0.objectCount = 0 })
    expectRefusal("an offset table outside the file", change { $0.objectCount = 3 })
    expectRefusal("an offset table outside the file", change { $0.tableOffset = 7 })
    expectRefusal("an offset table outside the file", change { $0.tableOffset = 17 })
    expectRefusal("an integer that exceeds the file", change { $0.tableOffset = .max })
    expectRefusal("an integer that exceeds the file", change { $0.objectCount = -1 })
    expectRefusal("an integer that exceeds the file", change { $0.topObject = .min })
    expectRefusal("invalid integer widths", change { $0.referenceWidth = 0 })
    expectRefusal("invalid integer widths", change { $0.referenceWidth = 9 })
    expectRefusal("invalid integer widths", change { $0.offsetWidth = 0 })
    expectRefusal("invalid integer widths", change { $0.offsetWidth = 255 })
  }

  @Test func refusesAnObjectInTheHeaderTheTableOrTheTrailer() {
    for offset in [0, 7, 12, 13, 50] as [UInt8] {
      var bytes = BinaryList([0xA1, 1], [0x51, 0x61]).data
      bytes[15] = offset
      #expect(throws: DecodingError.self) { try PropertyListValidator().validate(bytes) }
    }
  }

  @Test func errorContainsTheByteOffset() {
    expectRefusal("property list: an unknown kind of object at byte 10", BinaryList([0xA1, 1], [0xF0]))
  }
}
