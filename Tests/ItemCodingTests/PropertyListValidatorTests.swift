// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import Foundation
import TestSupport
import Testing

@testable import ItemCoding

@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct PropertyListValidatorTests {
  private static let formats: [PropertyListDecoder.PropertyListFormat] = [.xml, .binary]
  private static let maximumDepth = PropertyListValidator.maximumDepth

  private func xml(_ body: String) -> Data { Data("<plist version=\"1.0\">\(body)</plist>".utf8) }

  private func decode(_ data: Data) throws -> AnyPropertyList {
    try PropertyListDecoder().decodeForeign(AnyPropertyList.self, from: data)
  }

  /// Checks that no text is a list.
  private func expectRefusal(_ texts: String..., sourceLocation: SourceLocation = #_sourceLocation) {
    for text in texts {
      do {
        Issue.record("\(text) is \(try decode(Data(text.utf8)))", sourceLocation: sourceLocation)
      } catch {
        #expect(error is DecodingError, "\(text.prefix(200)): \(error)", sourceLocation: sourceLocation)
      }
    }
  }

  // MARK: Sound lists

  @Test(arguments: formats)
  func acceptsListsOfFoundation(format: PropertyListDecoder.PropertyListFormat) throws {
    let large = String(repeating: "Scheherazade ", count: 5000)
    for list in [
      AnyPropertyList.sample, .array([]), .dictionary([:]), .array((0..<3000).map { .integer(Int64($0 % 7)) }),
      // A large string may be shared often.
      .array(Array(repeating: .dictionary([large: .string(large)]), count: 50)),
    ] {
      #expect(try decode(list.encoded(as: format)) == list)
    }
    // Slices are read from their own start.
    let slice = try (Data([1, 2, 3]) + AnyPropertyList.sample.encoded(as: format)).dropFirst(3)
    #expect(try decode(slice) == .sample)
  }

  @Test func acceptsEveryFormOfXML() throws {
    for text in [
      "<plist><string>a</string></plist>", "\u{FEFF}<plist><string>a</string></plist>",
      " \t\r\n<?xml version=\"1.0\"?><!-- <array> --><plist><string>a</string></plist>",
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?><!DOCTYPE plist PUBLIC \"x\" \"y\"><plist><string>a</string></plist>",
      "<plist><?pi > </array> ?><!-- > </array> --><string><![CDATA[a]]></string></plist>",
      "<plist ><string attribute=\"x\" >&#x61;</string ></plist >", "<string>a</string>",
    ] {
      #expect(try decode(Data(text.utf8)) == .string("a"), "\(text)")
    }
  }

  // MARK: Depth

  @Test(arguments: formats, [true, false])
  func refusesListsOneLevelDeeperThanTheLimit(
    format: PropertyListDecoder.PropertyListFormat, dictionaries: Bool
  ) async throws {
    let deepest = AnyPropertyList.nested(Self.maximumDepth, dictionaries: dictionaries)
    let bytes = try deepest.encoded(as: format)
    #expect(try decode(bytes) == deepest)
    #expect(
      await onSmallStack(512 << 10) {
        (try? PropertyListDecoder().decodeForeign(AnyPropertyList.self, from: bytes)) != nil
      })
    let tooDeep = try AnyPropertyList.nested(Self.maximumDepth + 1, dictionaries: dictionaries).encoded(as: format)
    let error = try #require(throws: DecodingError.self) { try decode(tooDeep) }
    #expect("\(error)".contains("nested deeper than the limit of \(Self.maximumDepth) levels"))
  }

  @Test(arguments: formats)
  func emptyContainersCountAsLevels(format: PropertyListDecoder.PropertyListFormat) throws {
    func nested(_ depth: Int) -> AnyPropertyList { (1..<depth).reduce(.array([])) { inner, _ in .array([inner]) } }
    _ = try decode(nested(Self.maximumDepth).encoded(as: format))
    let tooDeep = try nested(Self.maximumDepth + 1).encoded(as: format)
    #expect(throws: DecodingError.self) { try decode(tooDeep) }
  }

  @Test func refusesDeepXMLInAnyForm() {
    for level in [
      "<array>", "<dict><key>k</key>", "<plist>", "<array ><!-- --> ", "<array></dict >", "<array><? > </array> ?>",
      "<array><!-- </array> -->", "<array><![CDATA[</array>]]>", "<array x=\"</array>\">", "<array><string></string>",
    ] {
      expectRefusal("<plist>" + String(repeating: level, count: 20_000))
    }
  }

  // MARK: Hostile lists

  @Test func refusesBytesOfNeitherFormat() throws {
    expectRefusal(
      "", " ", "bplist", "bplist00", "a", "{ a = b; }", "(((((", "\"text\"", "\u{0}<plist/>", "\u{0B}<616263>",
      "\u{0C}<plist><string>a</string></plist>", "// comment\n<616263>", "\u{2028}<616263>")
    let text = "<plist><string>a</string></plist>"
    expectRefusal("<?xml version=\"1.0\" encoding=\"UTF-16\"?>\(text)")
    for encoding in [String.Encoding.utf16, .utf16LittleEndian, .utf16BigEndian, .utf32] {
      let data = try #require(text.data(using: encoding))
      #expect(throws: DecodingError.self) { try decode(data) }
    }
  }

  @Test func refusesMalformedUTF8WithItsOffset() throws {
    for element in ["integer", "real", "string", "key", "date", "data", "!--"] {
      let list = Data("<plist><\(element)> ".utf8) + [0xFA] + Data("-0x1F</\(element)></plist>".utf8)
      let error = try #require(throws: DecodingError.self) { try decode(list) }
      #expect("\(error)".contains("malformed UTF-8 at byte \(10 + element.utf8.count)"))
    }
  }

  @Test func brokenXMLIsADecodingError() {
    expectRefusal(
      "<", "<>", "</", "<!", "<?", "<!-->", "<plist", "<plist>", "<plist/>", "<plist></plist>", "<array/>x<", "<0a0b>",
      "<string>$null", "<string>&", "<string>&#", "<string>&#xFFFFFFFFF;</string>", "<string>&#xD800;</string>",
      "<string><![CDATA[</string>", "<dict><key>a</key></dict>", "<dict><integer>1</integer></dict>", "<integer>-",
      "<integer></integer>", "<real>0x</real>", "<date>1-1</date>", "<nothing/>", "<?xml version=\"1.0\" encoding=\"",
      "<!DOCTYPE plist [ <!ENTITY a \"b\"> ]><string>&a;</string>", "<plist><true/><true/></plist>",
      "<plist><?><string>a</string></plist>")
  }

  @Test func datesOfAnySizeDoNotTrap() {
    for day in ["9999-12-31", "-9999-12-31", "\(Int.max)-12-99", "99999999999999999999-01-01", "0-00-00"] {
      expectSound(xml("<date>\(day)T99:99:99Z</date>"))
    }
  }

  @Test(arguments: formats)
  func truncatedOrChangedListsGiveAValueOrADecodingError(format: PropertyListDecoder.PropertyListFormat) throws {
    let text = """
      <array><integer> -0x1F</integer><real>-inf</real><date>2001-01-01T00:00:00Z</date><data>AQID</data><true/>\
      <string>a<![CDATA[b]]>&#x41;&amp;</string><dict><key>\u{E9}</key><array/></dict><?pi x?><!-- d --></array>
      """
    let list = try format == .xml ? xml(text) : AnyPropertyList.sample.encoded(as: format)
    _ = try decode(list)
    for index in list.indices { expectSound(list.prefix(index)) }
    for index in sampled(0..<list.count, 120, "changed lists") {
      let others: [UInt8] =
        format == .xml ? [0x3C, 0x3E, 0x2F, 0x26, 0xE2] : (0..<8).map { list[index] ^ (1 << $0) }
      for byte in [0x00, 0xFF] + others {
        var changed = list
        changed[index] = byte
        expectSound(changed)
      }
    }
  }

  private func expectSound(_ data: Data) {
    expectValueOrDecodingError(AnyPropertyList.self, data, PropertyListDecoder())
  }
}

@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct BinaryPropertyListWalkerTests {
  private func decode(_ list: BinaryList) throws -> AnyPropertyList {
    try PropertyListDecoder().decodeForeign(AnyPropertyList.self, from: list.data)
  }

  private func expectRefusal(
    _ reason: String?, _ lists: BinaryList..., sourceLocation: SourceLocation = #_sourceLocation
  ) {
    for list in lists {
      let error = #expect(throws: DecodingError.self, sourceLocation: sourceLocation) {
        try PropertyListValidator().validate(list.data)
      }
      guard let error, let reason else { continue }
      #expect("\(error)".contains(reason), "\(list.objects)", sourceLocation: sourceLocation)
    }
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

  @Test func acceptsReferencesAndOffsetsOfEveryWidthAndAnyTopObject() throws {
    for referenceWidth in 1...8 {
      for offsetWidth in 1...8 {
        var list = BinaryList([0xA1] + BinaryList.integer(1, width: referenceWidth), [0x51, 0x61])
        (list.referenceWidth, list.offsetWidth) = (referenceWidth, offsetWidth)
        #expect(try decode(list) == .array([.string("a")]))
      }
    }
    var list = BinaryList([0x51, 0x61], [0x51, 0x62])
    list.topObject = 1
    #expect(try decode(list) == .string("b"))
    let shared = AnyPropertyList.array([.string("a")])
    #expect(try decode(BinaryList([0xA3, 1, 1, 1], [0xA1, 2], [0x51, 0x61])) == .array([shared, shared, shared]))
  }

  // MARK: Lists that contain themselves

  @Test func refusesAListThatContainsItself() {
    expectRefusal(
      nil, BinaryList([0xA1, 0]), BinaryList([0xC1, 0]), BinaryList([0xD1, 1, 0], [0x51, 0x6B]),
      BinaryList([0xD1, 0, 1], [0x51, 0x6B]), BinaryList([0xA1, 1], [0xA1, 2], [0xD1, 3, 0], [0x51, 0x6B]),
      BinaryList([0xA2, 1, 0], [0x51, 0x6B]), BinaryList([0xA2, 0, 0]))
    // A large list is refused by its depth.
    expectRefusal("nested deeper than", BinaryList([0xA1, 0], [0x4F, 0x11, 2, 0] + [UInt8](repeating: 0, count: 512)))
  }

  @Test func refusesListsThatShareTooMuch() {
    var list = BinaryList()
    list.objects = (1...100).map { [0xA2, UInt8($0), UInt8($0)] } + [[0x51, 0x61]]
    expectRefusal("too many visits of shared containers", list)
    list.objects = (1...8).map { [0xAE] + [UInt8](repeating: UInt8($0), count: 14) } + [[0x51, 0x61]]
    expectRefusal("too many visits of shared containers", list)
    let references = BinaryList.long(0xA0, 1000) + [UInt8](repeating: 1, count: 1000)
    list.offsetWidth = 4
    for (kind, size) in [(0x40, 1 << 20), (0x50, 1 << 20), (0x60, 1 << 19)] as [(UInt8, Int)] {
      list.objects = [references, BinaryList.long(kind, size) + [UInt8](repeating: 0x78, count: 1 << 20)]
      expectRefusal("too many bytes in shared strings and data", list)
    }
  }

  // MARK: Invalid objects

  @Test func refusesInvalidObjects() {
    for marker: UInt8 in [
      0x01, 0x07, 0x0A, 0x0F, 0x15, 0x1F, 0x20, 0x21, 0x24, 0x2F, 0x30, 0x32, 0x34, 0x71, 0x7F, 0x90, 0xB1, 0xE1, 0xFF,
    ] {
      expectRefusal("an unknown kind of object", BinaryList([marker] + [UInt8](repeating: 0, count: 40)))
    }
    for object: [UInt8] in [
      [0x10], [0x13, 0, 0], [0x14, 0, 0, 0, 0, 0, 0, 0, 0], [0x22, 0], [0x23, 0, 0, 0, 0], [0x33, 0], [0x42, 1],
      [0x53, 0x61, 0x62], [0x61, 0x26], [0x62, 0x26, 0x3A, 0], [0x80], [0xA2, 0], [0xC1], [0xD1, 0], [0xDE, 0, 0],
    ] {
      expectRefusal("contents outside the file", BinaryList(object))
    }
    expectRefusal(
      "a reference to an object that does not exist", BinaryList([0xA1, 1]), BinaryList([0xD1, 1, 2], [0x51, 0x6B]))
    expectRefusal("property list: an unknown kind of object at byte 10", BinaryList([0xA1, 1], [0xF0]))
  }

  @Test func refusesAnyLengthThatExceedsTheFile() {
    for kind: UInt8 in [0x4F, 0x5F, 0x6F, 0xAF, 0xCF, 0xDF] {
      expectRefusal(nil, BinaryList([kind, 0x10, 0xFF, 0]))
      expectRefusal(
        "an integer that exceeds the file", BinaryList(BinaryList.long(kind, 0x7FFF_FFFF)),
        BinaryList([kind, 0x13] + BinaryList.integer(.max, width: 8)),
        BinaryList([kind, 0x13] + BinaryList.integer(-1, width: 8)))
      expectRefusal(
        "a count that is not an integer", BinaryList([kind, 0x14] + [UInt8](repeating: 0, count: 16)),
        BinaryList([kind, 0x51, 0x61]), BinaryList([kind]))
    }
  }

  // MARK: Trailers

  @Test func refusesTrailersWithWrongValues() {
    func change<Value>(_ field: WritableKeyPath<BinaryList, Value>, _ value: Value) -> BinaryList {
      var list = BinaryList([0xA1, 1], [0x51, 0x61])
      list[keyPath: field] = value
      return list
    }
    expectRefusal(
      "an offset table outside the file", change(\.topObject, 2), change(\.objectCount, 0), change(\.objectCount, 3),
      change(\.tableOffset, 7), change(\.tableOffset, 17))
    expectRefusal(
      "an integer that exceeds the file", change(\.tableOffset, .max), change(\.objectCount, -1),
      change(\.topObject, .min))
    expectRefusal(
      "invalid integer widths", change(\.referenceWidth, 0), change(\.referenceWidth, 9), change(\.offsetWidth, 0),
      change(\.offsetWidth, 255))
    // An object in the header, the table or the trailer.
    for offset in [0, 7, 12, 13, 50] as [UInt8] {
      var bytes = BinaryList([0xA1, 1], [0x51, 0x61]).data
      bytes[15] = offset
      #expect(throws: DecodingError.self) { try PropertyListValidator().validate(bytes) }
    }
  }
}
