// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import DragPipeTool

@Suite("Text of the help", .serialized, .limited)
struct HelpTextTests {
  @Test("lines of a paragraph belong together, indented ones stay as they are")
  func blocks() {
    let blocks = HelpText.blocks(of: "One\ntwo\n\nthree:\n  a\n   b\nfour\n\n\n  c")
    #expect(
      blocks == [
        .paragraph("One two"), .paragraph("three:"), .lines(["  a", "   b"]), .paragraph("four"), .lines(["  c"]),
      ])
    #expect(HelpText.blocks(of: "").isEmpty)
  }

  @Test("a paragraph is broken between words where the next would not fit; a word too long stays whole")
  func wrapping() {
    let word = String(repeating: "x", count: 39)
    #expect(HelpText.wrap("\(word) \(word)x") == "\(word) \(word)x\n")
    #expect(HelpText.wrap("\(word) \(word)xx", indentation: 3) == "\(word)\n   \(word)xx\n")
    #expect(HelpText.wrap("\(word) \(word)", from: 2) == "\(word)\n\(word)\n")
    let long = String(repeating: "y", count: 100)
    #expect(HelpText.wrap("a \(long) b") == "a\n\(long)\nb\n")
  }

  @Test("a table has its texts in one column, under a label that is too long for it")
  func table() {
    let label = String(repeating: "l", count: 30)
    #expect(HelpText.table([("a", "one"), ("bcd", "two")]) == "  a    one\n  bcd  two\n")
    #expect(HelpText.table([("a", "one"), (label, "two")]) == "  a  one\n  \(label)\n     two\n")
  }
}
