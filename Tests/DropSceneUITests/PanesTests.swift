// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import TestSupport
import Testing

@testable import DropSceneUI

/// The layout of windows in the cells of a terminal.
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct PanesTests {
  private static let texts = [
    "Sun Wukong's (孫悟空) own notes", "Väinämöinen", "e\u{301}e\u{301}e\u{301}", "🐉🐉🐉", "かぐや姫のかぐや姫のかぐや姫のかぐや姫の", "",
    "! cannot load 木蘭木蘭木蘭木蘭木蘭木蘭: the host is unknown",
  ]

  private func panes(_ count: Int) -> [Pane] {
    (0..<count).map { index in
      Pane(
        number: index + 1, name: Self.texts[index % Self.texts.count],
        lines: Self.texts.map { Span(text: $0, style: $0.hasPrefix("!") ? .error : .plain) }, isKey: index == count - 1)
    }
  }

  private func text(_ lines: [[Span]]) -> [String] {
    lines.map { $0.map(\.text).joined() }
  }

  @Test(arguments: [1, 2, 3, 4, 20])
  func everyLineOfRowHasSameNumberOfCells(count: Int) {
    for width in sampled(4..<201, 40, "widths of windows") {
      let drawing = Panes(width: width, height: 40).draw(panes(count))
      let columns = max(1, min(count, width / Panes.minimumSize.width))
      for (line, text) in zip(drawing.lines, text(drawing.lines)) {
        // The last row may have fewer windows.
        let boxes = line.count { $0.text.hasSuffix("│ ") || $0.text.hasSuffix("┐ ") || $0.text.hasSuffix("┘ ") }
        if text.columnCount != boxes * (width / columns) { Issue.record("\(width): \(text)") }
      }
    }
  }

  @Test func columnsOfSpansAreTheirCells() {
    for line in Panes(width: 100, height: 30).draw(panes(4)).lines {
      var cell = 0
      for span in line {
        if let column = span.column, column != cell { Issue.record("\(column) instead of \(cell)") }
        cell += span.text.columnCount
      }
    }
  }

  @Test func drawingFitsAnyHeightAndShowsKeyWindow() {
    for height in sampled(3..<61, 24, "heights of a terminal") {
      for count in [1, 2, 5, 20] {
        let panes = panes(count)
        let drawing = Panes(width: 80, height: height).draw(panes)
        if drawing.lines.count > height || drawing.visible[panes[count - 1].id] == nil {
          Issue.record("\(count) windows, \(height) lines: \(drawing.lines.count)")
        }
      }
    }
  }

  @Test func scrolledWindowShowsItsRange() {
    var pane = Pane(number: 1, name: "Heroes", lines: (1...30).map { Span(text: "\($0)") })
    for (offset, first, note) in [(0, "1", "1–8 of 30"), (5, "6", "6–13 of 30"), (-3, "1", "1–8"), (99, "23", "23–30")]
    {
      pane.offset = offset
      let lines = text(Panes(width: 40, height: 10).draw([pane]).lines)
      #expect(lines[1].hasPrefix("│\(first) ") && lines[9].contains(note))
    }
  }

  @Test func errorsAreWrappedAndOtherLinesTruncated() {
    let long = "the quick brown fox jumps over the lazy dog"
    let pane = Pane(number: 1, name: "", lines: [Span(text: "! \(long)", style: .error), Span(text: long)])
    #expect(
      text(Panes(width: 24).draw([pane]).lines).dropFirst() == [
        "│! the quick brown fox│ ", "│jumps over the lazy  │ ", "│dog                  │ ",
        "│the quick brown fox …│ ", "└─────────────────────┘ ",
      ])
  }

  @Test func wrappedTextKeepsItsWordsAndFits() {
    for (text, width, lines) in [
      ("", 5, [""]), ("ab cd ef", 5, ["ab cd", "ef"]), ("abcdefgh", 3, ["abc", "def", "gh"]),
      ("水水水", 1, ["水", "水", "水"]),
    ] {
      #expect(text.wrapped(toColumns: width) == lines)
    }
    for text in Self.texts {
      for width in 2...50 {
        let lines = text.wrapped(toColumns: width)
        let isComplete = lines.joined().filter { $0 != " " } == text.filter { $0 != " " }
        if !isComplete || lines.contains(where: { $0.columnCount > width }) { Issue.record("\(width): \(lines)") }
      }
    }
  }

  @Test func stylesAreWrittenOnlyWithColours() {
    let span = Span(text: "a", style: .error, column: 3)
    for (span, hasColours, text) in [
      (span, true, "\u{1B}[4G\u{1B}[31ma\u{1B}[0m"), (span, false, "\u{1B}[4Ga"), (Span(text: "a"), true, "a"),
    ] {
      #expect(span.rendered(hasColours: hasColours) == text)
    }
  }
}
