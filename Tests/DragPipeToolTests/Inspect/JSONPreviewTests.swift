// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import DragPipeTool

@Suite("The preview of JSON", .serialized, .limited, .timeLimit(.minutes(5)))
struct JSONPreviewTests {
  private func text(_ json: String, isPrefix: Bool = false) -> String {
    do throws(JSONPreview.Fault) {
      return try JSONPreview.text(of: Array(json.utf8), isPrefix: isPrefix).text
    } catch {
      return "\(error.offset): \(error.reason)"
    }
  }

  @Test("each value has a line and is unchanged")
  func layoutKeepsValuesUnchanged() {
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
    #expect(text(#""a\"\u00e9\\""#) == #""a\"\u00e9\\""#)
    #expect(text("\u{FEFF}[1]") == "[\n  1\n]")
    #expect(text("7") == "7")
  }

  @Test("control characters are escaped")
  func escapesControlCharacters() {
    #expect(text("\"a\u{9B}\u{202E}b\u{7F}\"") == #""a\u009b\u202eb\u007f""#)
    #expect(text("\"a\u{1B}[2J\"") == "2: control character in a string")
  }

  @Test(
    "invalid JSON is reported with its offset",
    arguments: [
      ("", "0: unexpected end of the text"), ("<html>", "0: expected a value"),
      ("[1 2]", "3: expected a comma or the end of the array"),
      ("[1}", "2: expected a comma or the end of the array"), ("{1:2}", "1: expected a key"),
      (#"{"a" 2}"#, "5: expected a colon"), ("1 2", "2: unexpected bytes after the value"),
      ("[1", "2: unexpected end of the text"),
      (#"["a"#, "3: unexpected end of the text"), (#"["a\"#, "4: unexpected end of the text"),
      ("[,]", "1: expected a value"),
      ("[1,", "3: unexpected end of the text"),
    ])
  func reportsInvalidJSON(_ json: String, _ fault: String) {
    #expect(text(json) == fault)
  }

  @Test("a text truncated at any byte is shown up to there")
  func showsTruncatedText() {
    let json = #"{"name":"水","feats":[1,{"a":"b\"c"},[true]],"n":null}"#
    let whole = text(json)
    for count in 0..<json.utf8.count {
      let bytes = Array(json.utf8.prefix(count))
      let shown = try? JSONPreview.text(of: bytes, isPrefix: true)
      #expect(shown?.isTruncated == true)
      // A truncated character is shown as the replacement character.
      let common = shown?.text.dropLast().filter { $0 != "\u{FFFD}" } ?? "?"
      #expect(whole.hasPrefix(common), "\(count)")
    }
  }

  @Test("long and deep texts are truncated by characters and lines, and any nesting is allowed")
  func truncatesLongAndDeepTexts() {
    let deep = text(String(repeating: "[", count: 100_000), isPrefix: true)
    #expect(deep.hasSuffix("…") && deep.unicodeScalars.count <= PreviewText.maximumLength + 1)
    let nested = String(repeating: "[", count: 9) + String(repeating: "]", count: 8)
    #expect(text(nested) == "17: unexpected end of the text")
    let wide = text("[" + String(repeating: "1,", count: 1000) + "1]")
    #expect(wide.hasSuffix("…") && wide.split(separator: "\n").count == PreviewText.maximumLineCount)
    let long = text("\"" + String(repeating: "a", count: 5000) + "\"")
    #expect(long.unicodeScalars.count == PreviewText.maximumLength + 1)
  }
}
