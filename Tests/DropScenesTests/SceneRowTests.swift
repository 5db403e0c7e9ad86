// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import ItemTransfer
import TestSupport
import Testing

@testable import DropScenes

@Suite(.serialized, .limited, .timeLimit(minutes: 5))
struct SceneRowTests {
  @Test func detailIsBelowTheTextOrAtTheEndOfItsLine() {
    for (row, lines) in [
      (SceneRow("Atalanta"), ["Atalanta"]), (SceneRow("Atalanta", detail: "fast"), ["Atalanta", "   fast"]),
      (SceneRow("Atalanta", detail: "fast", lineWidth: 16), ["Atalanta    fast"]),
      // Text that is too long still has a space before the detail.
      (SceneRow("Atalanta", detail: "fast", lineWidth: 3), ["Atalanta fast"]),
      // An ideograph takes two columns.
      (SceneRow("孫", detail: "x", lineWidth: 6), ["孫   x"]),
    ] {
      #expect(row.lines == lines)
    }
  }

  @Test func columnsAreSideBySideIfTheTerminalIsWideEnough() {
    var last = SceneRow("Rest")
    last.column = 1
    let rows =
      SceneRow.status("moved") + [.heading("To do"), SceneRow("Ask Circe for the course"), .heading("Done", column: 1)]
      + [last, .field("title")]
    let stacked = ["moved", "[To do]", "Ask Circe for the course", "[Done]", "Rest", "title:"]
    #expect(rows.lines(width: nil) == stacked && rows.lines(width: 35) == stacked)
    #expect(
      rows.lines(width: 36) == [
        "moved", "[To do]           [Done]           ", "Ask Circe for     Rest             ",
        "  the course                       ", "title:",
      ])
  }

  @Test func captionStandsForAPicture() {
    let picture = ScenePicture("1", caption: "picture of 9 bytes") { Data() }
    let rows = [
      SceneRow("Atalanta", picture: picture), SceneRow("", picture: picture),
      SceneRow("", picture: ScenePicture("1") { Data() }),
    ]
    #expect(rows.map(\.lines) == [["Atalanta", "   picture of 9 bytes"], ["   picture of 9 bytes"], []])
  }

  @Test func terminalShowsPurposeOfRows() {
    let rows: [SceneRow] = [
      .heading("To do"), .button("Close", input: "close"), .field("title"), .field("text", input: "text"),
    ]
    #expect(rows.map(\.lines) == [["[To do]"], [], ["title:"], []])
    #expect([SceneRow.status(""), SceneRow.status("moved")].map { $0.flatMap(\.lines) } == [[], ["moved"]])
    var row = SceneRow("Atalanta", detail: "fast")
    row.removal = "delete 1"
    row.progress = ItemProgress(total: 4)
    row.progress?.advance(by: 1)
    #expect(row.lines == ["Atalanta", "   fast  25 %"])
  }
}
