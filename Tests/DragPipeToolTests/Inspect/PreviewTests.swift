// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import DragPipeTool

@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct JSONPreviewTests {
  private func text(_ json: String, isPrefix: Bool = false) -> String {
    do throws(JSONPreview.Fault) {
      return try JSONPreview.text(of: Array(json.utf8), isPrefix: isPrefix).text
    } catch {
      return "\(error.offset): \(error.reason)"
    }
  }

  @Test func eachValueHasALineAndIsUnchanged() {
    #expect(
      text(#" {"name":"Atalanta","feats":[1.50,-2E3,{"won":true}],"rest":[],"none":{ }, "x":null}"# + "\n") == """
        {
          "name": "Atalanta",
          "feats": [
            1.50,
            -2E3,
            {
              "won": true
            }
          ],
          "rest": [],
          "none": {},
          "x": null
        }
        """)
    let texts = [#""a\"\u00e9\\""#, "\u{FEFF}[1]", "7", "\"a\u{9B}\u{202E}b\u{7F}\""].map { text($0) }
    #expect(texts == [#""a\"\u00e9\\""#, "[\n  1\n]", "7", #""a\u009b\u202eb\u007f""#])
  }

  @Test func invalidJSONIsReportedWithItsOffset() {
    for (json, fault) in [
      ("", "0: unexpected end of the text"), ("<html>", "0: expected a value"),
      ("[1 2]", "3: expected a comma or the end of the array"),
      ("[1}", "2: expected a comma or the end of the array"), ("{1:2}", "1: expected a key"),
      (#"{"a" 2}"#, "5: expected a colon"), ("1 2", "2: unexpected bytes after the value"),
      ("[1", "2: unexpected end of the text"), (#"["a"#, "3: unexpected end of the text"),
      (#"["a\"#, "4: unexpected end of the text"), ("[,]", "1: expected a value"),
      ("[1,", "3: unexpected end of the text"), ("\"a\u{1B}[2J\"", "2: control character in a string"),
      (String(repeating: "[", count: 9) + String(repeating: "]", count: 8), "17: unexpected end of the text"),
    ] { #expect(text(json) == fault) }
  }

  @Test func truncatedTextIsShownUpToItsEnd() {
    let json = #"{"name":"水","feats":[1,{"a":"b\"c"},[true]],"n":null}"#
    let whole = text(json)
    for count in 0..<json.utf8.count {
      let shown = try? JSONPreview.text(of: Array(json.utf8.prefix(count)), isPrefix: true)
      // A truncated character is shown as the replacement character.
      let common = shown?.text.dropLast().filter { $0 != "\u{FFFD}" } ?? "?"
      #expect(shown?.isTruncated == true && whole.hasPrefix(common), "\(count)")
    }
  }

  @Test func longAndDeepTextsAreTruncated() {
    let deep = text(String(repeating: "[", count: 100_000), isPrefix: true)
    #expect(deep.hasSuffix("…") && deep.unicodeScalars.count <= PreviewText.maximumLength + 1)
    let wide = text("[" + String(repeating: "1,", count: 1000) + "1]")
    #expect(wide.hasSuffix("…") && wide.split(separator: "\n").count == PreviewText.maximumLineCount)
    let long = text("\"" + String(repeating: "a", count: 5000) + "\"")
    #expect(long.unicodeScalars.count == PreviewText.maximumLength + 1)
  }
}

@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct PropertyListPreviewTests {
  private func text(_ list: Any, _ format: PropertyListSerialization.PropertyListFormat = .binary) throws -> String {
    let data = try PropertyListSerialization.data(fromPropertyList: list, format: format, options: 0)
    return try PropertyListPreview.text(of: data).text
  }

  @Test(arguments: [PropertyListSerialization.PropertyListFormat.binary, .xml])
  func bothFormatsLookAlike(_ format: PropertyListSerialization.PropertyListFormat) throws {
    let list: [String: Any] = [
      "name": "Atalanta\u{1B}[2J", "feats": [1, -2.5, true, Data([0, 0xAB])] as [Any], "none": [String: Any](),
      "rest": [Any](), "born": Date(timeIntervalSinceReferenceDate: 0), "large": UInt64.max,
    ]
    #expect(
      try text(list, format) == #"""
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

  @Test func singleValuesAreShown() throws {
    let texts = [try text("Odysseus"), try text(Data(count: 20))]
    #expect(texts == ["\"Odysseus\"", "<20 bytes: \(String(repeating: "00", count: 16))…>"])
    let date = Data(
      hex: "62706c6973743030 337e37e43c8800759c 08 0000000000000101 0000000000000001 0000000000000000 0000000000000011")
    #expect(try PropertyListPreview.text(of: date).text == "a date 1e+300 seconds after 2001")
  }

  @Test func longListsAreTruncated() throws {
    let wide = try text(Array(0..<5000))
    #expect(wide.hasSuffix("…") && wide.split(separator: "\n").count == PreviewText.maximumLineCount)
    let long = try text(["a": String(repeating: "b", count: 9000)], .xml)
    #expect(long.unicodeScalars.count == PreviewText.maximumLength + 1)
  }

  @Test func deepListIsRefused() {
    let deep = String(repeating: "<array>", count: 100_000)
    #expect(throws: DecodingError.self) { try PropertyListPreview.text(of: Data("<plist>\(deep)".utf8)) }
  }
}
