// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import Foundation
import TestSupport
import Testing

@testable import ItemCoding

@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct PropertyListValidatorTests {
  private static let formats: [PropertyListDecoder.PropertyListFormat] = [.xml, .binary]
  private static let maximumDepth = PropertyListValidator.maximumDepth

  private func xml(_ body: String) -> Data { Data("<plist version=\"1.0\">\(body)</plist>".utf8) }

  private func decode(_ data: Data) throws -> AnyPropertyList {
    try PropertyListDecoder().decodeForeign(AnyPropertyList.self, from: data)
  }

  // MARK: Sound lists

  @Test(arguments: formats)
  func acceptsListsOfFoundation(format: PropertyListDecoder.PropertyListFormat) throws {
    #expect(try decode(AnyPropertyList.sample.encoded(as: format)) == .sample)
    #expect(try decode(AnyPropertyList.array([]).encoded(as: format)) == .array([]))
    #expect(try decode(AnyPropertyList.dictionary([:]).encoded(as: format)) == .dictionary([:]))
  }

  @Test(arguments: formats)
  func slicesAreReadFromTheirOwnStart(format: PropertyListDecoder.PropertyListFormat) throws {
    let list = try Data([1, 2, 3]) + AnyPropertyList.sample.encoded(as: format)
    #expect(try decode(list.dropFirst(3)) == .sample)
  }

  @Test(arguments: formats)
  func acceptsALargeStringThatIsSharedOften(format: PropertyListDecoder.PropertyListFormat) throws {
    let large = String(repeating: "Scheherazade ", count: 5000)
    let list = AnyPropertyList.array(Array(repeating: .dictionary([large: .string(large)]), count: 50))
    #expect(try decode(list.encoded(as: format)) == list)
  }

  @Test(arguments: formats)
  func acceptsManySmallValues(format: PropertyListDecoder.PropertyListFormat) throws {
    let list = AnyPropertyList.array((0..<3000).map { .integer(Int64($0 % 7)) })
    #expect(try decode(list.encoded(as: format)) == list)
  }

  @Test(arguments: [
    "<plist><string>a</string></plist>", "\u{FEFF}<plist><string>a</string></plist>",
    " \t\r\n<?xml version=\"1.0\"?><!-- <array> --><plist><string>a</string></plist>",
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?><!DOCTYPE plist PUBLIC \"x\" \"y\"><plist><string>a</string></plist>",
    "<plist><?pi > </array> ?><!-- > </array> --><string><![CDATA[a]]></string></plist>",
    "<plist ><string attribute=\"x\" >&#x61;</string ></plist >", "<string>a</string>",
  ])
  func acceptsEveryFormOfXML(text: String) throws {
    #expect(try decode(Data(text.utf8)) == .string("a"))
  }

  // MARK: Depth

  @Test(arguments: formats, [true, false])
  func refusesListsOneLevelDeeperThanTheLimit(format: PropertyListDecoder.PropertyListFormat, dictionaries: Bool) throws
  {
    let nested = dictionaries ? AnyPropertyList.nestedDictionaries : AnyPropertyList.nestedArrays
    let deepest = nested(Self.maximumDepth)
    #expect(try decode(deepest.encoded(as: format)) == deepest)
    let tooDeep = try nested(Self.maximumDepth + 1).encoded(as: format)
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

  @Test(arguments: formats, [true, false])
  func decodesTheMaximumDepthOnASmallStack(format: PropertyListDecoder.PropertyListFormat, dictionaries: Bool)
    async throws
  {
    let nested = dictionaries ? AnyPropertyList.nestedDictionaries : AnyPropertyList.nestedArrays
    let list = try nested(Self.maximumDepth).encoded(as: format)
    let decoded: Bool = await withCheckedContinuation { continuation in
      let thread = Thread {
        let value = try? PropertyListDecoder().decodeForeign(AnyPropertyList.self, from: list)
        continuation.resume(returning: value != nil)
      }
      thread.stackSize = 512 * 1024
      thread.start()
    }
    #expect(decoded)
  }

  @Test(arguments: [
    "<array>", "<dict><key>k</key>", "<plist>", "<array ><!-- --> ", "<array></dict >", "<array><? > </array> ?>",
    "<array><!-- </array> -->", "<array><![CDATA[</array>]]>", "<array x=\"</array>\">", "<array><string></string>",
  ])
  func refusesDeepXMLInAnyForm(level: String) {
    let text = "<plist>" + String(repeating: level, count: 20_000)
    #expect(throws: DecodingError.self) { try decode(Data(text.utf8)) }
  }

  @Test func refusesAmbiguousInstructions() {
    #expect(throws: DecodingError.self) { try decode(xml("<?><string>a</string>")) }
  }

  // MARK: Hostile lists

  @Test(arguments: [
    "", " ", "bplist", "bplist00", "a", "{ a = b; }", "(((((", "\"text\"", "\u{0}<plist/>", "\u{0B}<616263>",
    "\u{0C}<plist><string>a</string></plist>", "// comment\n<616263>", "\u{2028}<616263>",
  ])
  func refusesBytesOfNeitherFormat(text: String) {
    #expect(throws: DecodingError.self) { try decode(Data(text.utf8)) }
  }

  @Test func refusesEncodingsOtherThanUTF8() throws {
    let text = "<plist><string>a</string></plist>"
    for encoding in [String.Encoding.utf16, .utf16LittleEndian, .utf16BigEndian, .utf32] {
      let data = try #require(text.data(using: encoding))
      #expect(throws: DecodingError.self) { try decode(data) }
    }
    let labelled = "<?xml version=\"1.0\" encoding=\"UTF-16\"?>\(text)"
    #expect(throws: DecodingError.self) { try decode(Data(labelled.utf8)) }
  }

  @Test(arguments: ["integer", "real", "string", "key", "date", "data", "!--"])
  func refusesMalformedUTF8WithItsOffset(element: String) throws {
    let list = Data("<plist><\(element)> ".utf8) + [0xFA] + Data("-0x1F</\(element)></plist>".utf8)
    let error = try #require(throws: DecodingError.self) { try decode(list) }
    #expect("\(error)".contains("malformed UTF-8 at byte \(10 + element.utf8.count)"))
  }

  @Test(arguments: [
    "<", "<>", "</", "<!", "<?", "<!-->", "<plist", "<plist>", "<plist/>", "<plist></plist>", "<array/>x<", "<0a0b>",
    "<string>$null", "<string>&", "<string>&#", "<string>&#xFFFFFFFFF;</string>", "<string>&#xD800;</string>",
    "<string><![CDATA[</string>", "<dict><key>a</key></dict>", "<dict><integer>1</integer></dict>", "<integer>-",
    "<integer></integer>", "<real>0x</real>", "<date>1-1</date>", "<nothing/>", "<?xml version=\"1.0\" encoding=\"",
    "<!DOCTYPE plist [ <!ENTITY a \"b\"> ]><string>&a;</string>", "<plist><true/><true/></plist>",
  ])
  func brokenXMLIsADecodingError(text: String) {
    #expect(throws: DecodingError.self) { try decode(Data(text.utf8)) }
  }

  @Test(arguments: ["9999-12-31", "-9999-12-31", "9223372036854775807-12-99", "99999999999999999999-01-01", "0-00-00"])
  func datesOfAnySizeDoNotTrap(day: String) {
    expectValueOrDecodingError(xml("<date>\(day)T99:99:99Z</date>"))
  }

  /// Returns a small list with a value of each kind.
  private func smallList(_ format: PropertyListDecoder.PropertyListFormat) throws -> Data {
    guard format == .xml else { return try AnyPropertyList.sample.encoded(as: format) }
    return xml(
      """
      <array><integer> -0x1F</integer><real>-inf</real><date>2001-01-01T00:00:00Z</date><data>AQID</data><true/>\
      <string>a<![CDATA[b]]>&#x41;&amp;</string><dict><key>\u{E9}</key><array/></dict><?pi x?><!-- d --></array>
      """)
  }

  @Test(arguments: formats)
  func truncatedListsGiveAValueOrADecodingError(format: PropertyListDecoder.PropertyListFormat) throws {
    let list = try smallList(format)
    _ = try decode(list)
    for count in 0..<list.count { expectValueOrDecodingError(list.prefix(count)) }
  }

  @Test(arguments: formats)
  func changedBytesGiveAValueOrADecodingError(format: PropertyListDecoder.PropertyListFormat) throws {
    let list = try smallList(format)
    for index in list.indices {
      let others: [UInt8] =
        format == .xml ? [0x3C, 0x3E, 0x2F, 0x26, 0xE2] : (0..<8).map { list[index] ^ (1 << $0) }
      for byte in [0x00, 0xFF] + others {
        var changed = list
        changed[index] = byte
        expectValueOrDecodingError(changed)
      }
    }
  }

  private func expectValueOrDecodingError(_ data: Data) {
    do {
      _ = try decode(data)
    } catch is DecodingError {
      // Expected.
    } catch {
      Issue.record("\(error) for \(data.map { String($0, radix: 16) })")
    }
  }
}
