// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import DropScenes

@Suite(.serialized, .limited)
struct SceneRowTests {
  @Test func detailIsBelowTheTextOrAtTheEndOfItsLine() {
    #expect(SceneRow("Atalanta").lines == ["Atalanta"])
    #expect(SceneRow("Atalanta", detail: "fast").lines == ["Atalanta", "   fast"])
    #expect(SceneRow("Atalanta", detail: "fast", columns: 16).lines == ["Atalanta    fast"])
    // Text that is too long still has a space before the detail.
    #expect(SceneRow("Atalanta", detail: "fast", columns: 3).lines == ["Atalanta fast"])
    // An ideograph takes two columns.
    #expect(SceneRow("孫", detail: "x", columns: 6).lines == ["孫   x"])
  }

  @Test func captionStandsForAPicture() {
    let picture = ScenePicture("1", caption: "picture of 9 bytes") { Data() }
    #expect(SceneRow("Atalanta", picture: picture).lines == ["Atalanta", "   picture of 9 bytes"])
    #expect(SceneRow("", picture: picture).lines == ["   picture of 9 bytes"])
    #expect(SceneRow("", picture: ScenePicture("1") { Data() }).lines == [])
  }
}
