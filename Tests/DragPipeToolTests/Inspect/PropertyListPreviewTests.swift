// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import DragPipeTool

@Suite("The preview of property lists", .serialized, .limited, .timeLimit(.minutes(5)))
struct PropertyListPreviewTests {
  private func text(_ list: Any, _ format: PropertyListSerialization.PropertyListFormat) throws -> String {
    let data = try PropertyListSerialization.data(fromPropertyList: list, format: format, options: 0)
    return try PropertyListPreview.text(of: data).text
  }

  @Test("XML and binary lists look alike, with their keys in order", arguments: [true, false])
  func bothFormatsLookAlike(isBinary: Bool) throws {
    let list: [String: Any] = [
      "name": "Atalanta\u{1B}[2J", "feats": [1, -2.5, true, Data([0, 0xAB])] as [Any], "none": [String: Any](),
      "rest": [Any](), "born": Date(timeIntervalSinceReferenceDate: 0), "large": UInt64.max,
    ]
    #expect(
      try text(list, isBinary ? .binary : .xml) == #"""
        {
          "born": 2001-01-01 00:00:00 +0000,
          "feats": [
            1,
            -2.5,
            true,
            <2 bytes: 00ab>
          ],
          "large": 18446744073709551615,
          "name": "Atalanta\u001b[2J",
          "none": {},
          "rest": []
        }
        """#)
  }

  @Test("a single value is shown, including a date beyond all calendars")
  func showsSingleValues() throws {
    #expect(try text("Odysseus", .binary) == "\"Odysseus\"")
    #expect(try text(Data(count: 20), .binary) == "<20 bytes: \(String(repeating: "00", count: 16))…>")
    let date = Data(
      hex: "62706c6973743030 337e37e43c8800759c 08 0000000000000101 0000000000000001 0000000000000000 0000000000000011")
    #expect(try PropertyListPreview.text(of: date).text == "a date 1e+300 seconds after 2001")
  }

  @Test("long lists are truncated by characters and lines")
  func truncatesLongLists() throws {
    let wide = try text(Array(0..<5000), .binary)
    #expect(wide.hasSuffix("…") && wide.split(separator: "\n").count == PreviewText.maximumLineCount)
    let long = try text(["a": String(repeating: "b", count: 9000)], .xml)
    #expect(long.unicodeScalars.count == PreviewText.maximumLength + 1)
  }

  @Test("lists that are nested too deeply, cyclic or truncated are refused")
  func refusesHostileLists() throws {
    let deep = String(repeating: "<array>", count: 100_000)
    // This array contains itself as its only element.
    let cycle = Data(
      hex: "62706c6973743030 a100 08 0000000000000101 0000000000000001 0000000000000000 000000000000000a")
    let whole = try PropertyListSerialization.data(fromPropertyList: ["a": [1, 2]], format: .binary, options: 0)
    for data in [
      Data("<plist>\(deep)".utf8), cycle, whole.dropLast(), Data("bplist00".utf8), Data(), Data("{a=b;}".utf8),
    ] {
      #expect(throws: DecodingError.self) { try PropertyListPreview.text(of: Data(data)) }
    }
  }
}
