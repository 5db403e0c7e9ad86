// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import DragPipeTool

@Suite("The preview of JSON", .serialized, .limited)
struct JSONPreviewTests {
  private func text(_ json: String, isPrefix: Bool = false) -> String {
    do throws(JSONPreview.Fault) {
      return try JSONPreview.text(of: Array(json.utf8), isPrefix: isPrefix).text
    } catch {
      return "\(error.offset): \(error.reason)"
    }
  }

  @Test("each value has a line, and is as it was written")
  func layout() {
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

  @Test("what could act on a terminal is escaped")
  func escaped() {
    #expect(text("\"a\u{9B}\u{202E}b\u{7F}\"") == #""a\u009b\u202eb\u007f""#)
    #expect(text("\"a\u{1B}[2J\"") == "2: a control character in a string")
  }

  @Test(
    "what is no JSON is said to be none, and where",
    arguments: [
      ("", "0: the text ends too early"), ("<html>", "0: no value"),
      ("[1 2]", "3: a comma or the end of what is open is missing"),
      ("[1}", "2: a comma or the end of what is open is missing"), ("{1:2}", "1: a key is missing"),
      (#"{"a" 2}"#, "5: a colon is missing"), ("1 2", "2: more bytes behind the value"),
      ("[1", "2: the text ends too early"),
      (#"["a"#, "3: the text ends too early"), (#"["a\"#, "4: the text ends too early"), ("[,]", "1: no value"),
      ("[1,", "3: the text ends too early"),
    ])
  func faults(_ json: String, _ fault: String) {
    #expect(text(json) == fault)
  }

  @Test("a text that was cut anywhere is shown so far")
  func prefixes() {
    let json = #"{"name":"水","feats":[1,{"a":"b\"c"},[true]],"n":null}"#
    let whole = text(json)
    for count in 0..<json.utf8.count {
      let bytes = Array(json.utf8.prefix(count))
      let shown = try? JSONPreview.text(of: bytes, isPrefix: true)
      #expect(shown?.isCut == true)
      // Of a character that is cut, the replacement is shown.
      let common = shown?.text.dropLast().filter { $0 != "\u{FFFD}" } ?? "?"
      #expect(whole.hasPrefix(common), "\(count)")
    }
  }

  @Test("long and deep texts are cut at characters and lines, and no nesting is too deep")
  func bounds() {
    let deep = text(String(repeating: "[", count: 100_000), isPrefix: true)
    #expect(deep.hasSuffix("…") && deep.unicodeScalars.count <= PreviewText.maximumLength + 1)
    #expect(text(String(repeating: "[", count: 9) + String(repeating: "]", count: 8)) == "17: the text ends too early")
    let wide = text("[" + String(repeating: "1,", count: 1000) + "1]")
    #expect(wide.hasSuffix("…") && wide.split(separator: "\n").count == PreviewText.maximumLineCount)
    let long = text("\"" + String(repeating: "a", count: 5000) + "\"")
    #expect(long.unicodeScalars.count == PreviewText.maximumLength + 1)
  }
}
