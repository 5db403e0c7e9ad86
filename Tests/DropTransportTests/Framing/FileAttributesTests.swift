// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import Foundation
import ItemTransfer
import TestSupport
import Testing

@testable import DropTransport

/// The attributes of an item's file in an offer.
@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct FileAttributesTests {
  private func parse(_ bytes: [UInt8]) throws(DropStreamError) -> DropOffer {
    try OfferParser(limits: DropStreamLimits(), frameOffset: 0).parse(bytes + StreamBuilder.fields(["public.data"]))
  }

  private func field(_ tag: UInt8, _ value: [UInt8]) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.appendField(tag) { $0.append(contentsOf: value) }
    return bytes
  }

  @Test("time and permissions are fields with fixed lengths")
  func timeAndPermissionsHaveFixedLengths() throws {
    var bytes: [UInt8] = []
    let time = try #require(FileTime(seconds: -2, nanoseconds: 3))
    DropOffer.append(ItemFileAttributes(permissions: 0o751, modificationTime: time), to: &bytes)
    #expect(
      bytes == [0x81, 12, 0, 0, 0, 0xFE, 255, 255, 255, 255, 255, 255, 255, 3, 0, 0, 0, 0x82, 2, 0, 0, 0, 0xE9, 1])
    let attributes = try parse(bytes).attributes
    #expect(attributes == ItemFileAttributes(permissions: 0o751, modificationTime: time))
    #expect(attributes.modificationDate == Date(timeIntervalSince1970: -2 + 3e-9))
  }

  @Test("absent attributes are encoded without a field and decoded as absent")
  func absentAttributesHaveNoField() throws {
    var bytes: [UInt8] = []
    DropOffer.append(ItemFileAttributes(), to: &bytes)
    #expect(bytes.isEmpty)
    #expect(try parse([]).attributes.isEmpty)
  }

  @Test("only permissions that an untrusted sender may set are used")
  func ignoresPermissionsThatASenderMustNotSet() throws {
    #expect(try parse(field(0x82, [0xFF, 0xFF])).attributes.permissions == 0o1777)
    #expect(ItemFileAttributes(permissions: 0o4755).permissions == 0o755)
  }

  @Test func folderIsAFieldThatOldReadersSkip() throws {
    var bytes: [UInt8] = []
    var attributes = ItemFileAttributes()
    attributes.folder = "a/b"
    DropOffer.append(attributes, to: &bytes)
    #expect(bytes == [0x83, 3, 0, 0, 0] + Array("a/b".utf8))
    #expect(try parse(bytes).attributes == attributes)
    #expect(throws: DropStreamError.self) { try parse(bytes + bytes) }
    #expect(throws: DropStreamError.self) { try parse(field(0x83, [])) }
    #expect(throws: DropStreamError.self) { try parse(field(0x83, [0xFF])) }
    #expect(throws: DropStreamError.self) { try parse(field(0x83, [UInt8](repeating: 0x61, count: 4097))) }
  }

  @Test(
    "malformed attributes are corrupt",
    arguments: [
      [0x81, 11], [0x81, 13], [0x82, 1], [0x82, 3], [0x82, 0],
    ] as [[UInt8]])
  func fieldWithAnotherLengthIsCorrupt(tagAndLength: [UInt8]) {
    let bytes = field(tagAndLength[0], [UInt8](repeating: 0, count: Int(tagAndLength[1])))
    #expect(throws: DropStreamError.self) { try parse(bytes) }
  }

  @Test("invalid nanoseconds and repeated fields are refused")
  func refusesInvalidNanosecondsAndRepeatedFields() throws {
    let most: [UInt8] = [0xFF, 0xC9, 0x9A, 0x3B]
    #expect(
      try parse(field(0x81, [UInt8](repeating: 0, count: 8) + most)).attributes.modificationTime?.nanoseconds
        == 999_999_999)
    #expect(throws: DropStreamError.self) {
      try parse(field(0x81, [UInt8](repeating: 0, count: 8) + [0x00, 0xCA, 0x9A, 0x3B]))
    }
    let time = field(0x81, [UInt8](repeating: 0, count: 12))
    #expect(throws: DropStreamError.self) { try parse(time + time) }
    #expect(throws: DropStreamError.self) { try parse(field(0x82, [0, 0]) + field(0x82, [0, 0])) }
  }
}
