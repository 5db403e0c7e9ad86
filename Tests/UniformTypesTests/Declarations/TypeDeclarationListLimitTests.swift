// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import UniformTypes

@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct TypeDeclarationListLimitTests {
  private func error(_ data: Data) throws -> TypeDeclarationListError {
    try #require(throws: TypeDeclarationListError.self) { try TypeDeclarationList(propertyList: data) }
  }

  private func xml(_ text: String) -> Data { Data("<plist>\(text)</plist>".utf8) }

  /// Returns a binary list whose only array contains object 3, the first of `objects`, `count` times.
  private func sharing(_ count: Int, _ objects: [[UInt8]]) -> Data {
    let key: [UInt8] = [0x5F, 0x10, 26] + Array("UTExportedTypeDeclarations".utf8)
    let array = [0xAF, 0x12] + integer(count, width: 4) + Array(repeating: 3, count: count)
    var bytes = Data("bplist00".utf8)
    var table: [UInt8] = []
    for object in [[0xD1, 1, 2], key, array] + objects {
      table += integer(bytes.count, width: 4)
      bytes += object
    }
    let trailer = [3 + objects.count, 0, bytes.count].flatMap { integer($0, width: 8) }
    return bytes + table + [0, 0, 0, 0, 0, 0, 4, 1] + trailer
  }

  private func integer(_ value: Int, width: Int) -> [UInt8] {
    (0..<width).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }

  @Test func listAboveTheByteLimitIsRefused() throws {
    let list = xml("<dict/>")
    let padding = Data(repeating: 0x20, count: TypeDeclarationList.maximumByteCount - list.count)
    #expect(try TypeDeclarationList(propertyList: list + padding).declarations.isEmpty)
    #expect(try error(list + padding + [0x20]).code == .limitExceeded)
  }

  @Test func listWithTooManyEntriesIsRefused() throws {
    let limit = TypeDeclarationList.maximumDeclarationCount
    #expect(try TypeDeclarationList(propertyList: sharing(1000, [[0xD0]])).refused.count == 1000)
    let error = try error(sharing(limit + 1, [[0xD0]]))
    #expect(error.code == .limitExceeded && error.keyPath == "UTExportedTypeDeclarations")
  }

  @Test func listWithTooManySharedKeysIsRefused() throws {
    let keys = Array(UInt8(4)..<204)
    let names = keys.map { [0x51, $0 & 0x7F] as [UInt8] }
    let data = sharing(100_000, [[0xDF, 0x10, 200] + keys + keys] + names) + Data()
    // Either limit may be found first, since the validator also limits visits by the length of the list.
    let code = try error(data).code
    #expect(code == .limitExceeded || code == .malformed)
  }

  @Test(arguments: [[0xA1, 3], [0xA1, 2], [0xA1, 0], [0xD1, 1, 3]])
  func listThatContainsItselfIsRefused(entry: [UInt8]) throws {
    #expect(try error(sharing(1, [entry])).code == .malformed)
  }

  @Test func listAboveTheDepthLimitIsRefused() throws {
    func nested(_ depth: Int) -> String {
      String(repeating: "<array>", count: depth) + String(repeating: "</array>", count: depth)
    }
    func list(_ text: String) -> Data {
      let entry = "<dict><key>UTTypeIdentifier</key><string>a.b</string><key>UTTypeConformsTo</key>\(text)</dict>"
      return xml("<dict><key>UTExportedTypeDeclarations</key><array>\(entry)</array></dict>")
    }
    #expect(try TypeDeclarationList(propertyList: list(nested(125))).refused.count == 1)
    #expect(try error(list(nested(126))).code == .malformed)
    #expect(try error(list(nested(100_000))).code == .malformed)
    #expect(try error(xml("<dict><key>other</key>\(nested(200))</dict>")).code == .malformed)
  }

  @Test func declaredEntitiesAreRefused() throws {
    let laughs = (1...30).map { "<!ENTITY l\($0) \"&l\($0 - 1);&l\($0 - 1);\">" }.joined()
    let body = "<plist><dict><key>UTExportedTypeDeclarations</key><array><string>&l30;</string></array></dict></plist>"
    for text in [
      "<!DOCTYPE plist [<!ENTITY l0 \"ha\">\(laughs)]>\(body)",
      "<!DOCTYPE plist [<!ENTITY l0 \"ha\">]><plist><dict/></plist>",
      "<!DOCTYPE plist [<!ENTITY l30 SYSTEM \"file:///etc/passwd\">]>\(body)", body,
    ] {
      #expect(try error(Data(text.utf8)).code == .malformed)
    }
  }

  @Test func externalDocumentTypeIsNotRead() throws {
    let text = "<!DOCTYPE plist SYSTEM \"file:///nowhere.dtd\"><plist><dict/></plist>"
    #expect(try TypeDeclarationList(propertyList: Data(text.utf8)).declarations.isEmpty)
  }
}
