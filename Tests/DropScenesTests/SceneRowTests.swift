// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import ItemTransfer
import TestSupport
import Testing

@testable import DropScenes

@Suite(.serialized, .limited, .timeLimit(.minutes(5)))
struct SceneRowTests {
  @Test func detailIsBelowTheTextOrAtTheEndOfItsLine() {
    #expect(SceneRow("Atalanta").lines == ["Atalanta"])
    #expect(SceneRow("Atalanta", detail: "fast").lines == ["Atalanta", "   fast"])
    #expect(SceneRow("Atalanta", detail: "fast", lineWidth: 16).lines == ["Atalanta    fast"])
    // Text that is too long still has a space before the detail.
    #expect(SceneRow("Atalanta", detail: "fast", lineWidth: 3).lines == ["Atalanta fast"])
    // An ideograph takes two columns.
    #expect(SceneRow("孫", detail: "x", lineWidth: 6).lines == ["孫   x"])
  }

  @Test func captionStandsForAPicture() {
    let picture = ScenePicture("1", caption: "picture of 9 bytes") { Data() }
    #expect(SceneRow("Atalanta", picture: picture).lines == ["Atalanta", "   picture of 9 bytes"])
    #expect(SceneRow("", picture: picture).lines == ["   picture of 9 bytes"])
    #expect(SceneRow("", picture: ScenePicture("1") { Data() }).lines == [])
  }

  @Test func terminalShowsPurposeOfRows() {
    #expect(SceneRow.heading("To do").lines == ["[To do]"])
    #expect(SceneRow.status("").isEmpty)
    #expect(SceneRow.status("moved").flatMap(\.lines) == ["moved"])
    #expect(SceneRow.button("Close", input: "close").lines == [])
    #expect(SceneRow.field("title").lines == ["title:"])
    #expect(SceneRow.field("text", input: "text").lines == [])
    var row = SceneRow("Atalanta", detail: "fast")
    row.removal = "delete 1"
    row.progress = ItemProgress(total: 4)
    row.progress?.advance(by: 1)
    #expect(row.lines == ["Atalanta", "   fast  25 %  (delete 1)"])
  }
}
