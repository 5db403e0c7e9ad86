// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import ItemCoding

@Suite(.serialized, .limited) struct EscapedTextTests {
  @Test(
    "everything that acts rather than shows is written out",
    arguments: [
      ("", ""), ("plain text", "plain text"), ("é 日本 \u{1F4DC}", "é 日本 \u{1F4DC}"), ("a\\b", #"a\\b"#),
      ("\0", #"\u{0}"#), ("\n\r\t", #"\u{a}\u{d}\u{9}"#), ("\r\n", #"\u{d}\u{a}"#), ("\u{1B}[31m", #"\u{1b}[31m"#),
      ("\u{7F}\u{80}\u{9F}", #"\u{7f}\u{80}\u{9f}"#), ("\u{202E}\u{2066}\u{200F}", #"\u{202e}\u{2066}\u{200f}"#),
      ("\u{200B}\u{200D}\u{2060}\u{FEFF}\u{AD}", #"\u{200b}\u{200d}\u{2060}\u{feff}\u{ad}"#),
      ("\u{2028}\u{2029}", #"\u{2028}\u{2029}"#), ("\u{E0041}", #"\u{e0041}"#), ("\\u{a}", #"\\u{a}"#),
      ("e\u{301}", "e\u{301}"),
    ])
  func escapes(_ text: String, _ escaped: String) {
    #expect(Array(text.escapedForDisplay().unicodeScalars) == Array(escaped.unicodeScalars))
  }

  @Test("no control character of Unicode comes through", arguments: [false, true])
  func allScalars(_ mayBeEscaped: Bool) {
    for value in UInt32(0)...0x10FFFF {
      guard let scalar = Unicode.Scalar(value), scalar.isInvisibleControl else { continue }
      let escaped = String(scalar).escapedForDisplay(mayBeEscaped: mayBeEscaped)
      if escaped.unicodeScalars.contains(scalar) { Issue.record("U+\(value)") }
    }
  }

  @Test("what is escaped already stays so, and with it what is not is escaped")
  func escapedAlready() {
    let text = "a\\b\u{202E}\n"
    let escaped = text.escapedForDisplay()
    #expect(escaped == #"a\\b\u{202e}\u{a}"#)
    #expect(escaped.escapedForDisplay(mayBeEscaped: true) == escaped)
    #expect((escaped + "\n").escapedForDisplay(mayBeEscaped: true) == escaped + #"\u{a}"#)
    #expect(#"a\b"#.escapedForDisplay(limit: 2, mayBeEscaped: true) == #"a\…"#)
  }

  @Test("long text is cut, and says so")
  func cut() {
    #expect("abc".escapedForDisplay(limit: 3) == "abc")
    #expect("abcd".escapedForDisplay(limit: 3) == "abc…")
    #expect("\n\n\n".escapedForDisplay(limit: 2) == #"\u{a}\u{a}…"#)
    #expect(String(repeating: "a", count: 1000).escapedForDisplay().count == 201)
    #expect("ab"[...].escapedForDisplay(limit: 0) == "…")
  }
}
