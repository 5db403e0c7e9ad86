// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropWindows
import Foundation
import ItemTransfer
import TestSupport
import Testing

@testable import DropSceneUI
@testable import DropScenes

@Suite(.serialized, .limited, .timeLimit(minutes: 1)) struct ShownSceneTests {
  private func scene(_ rows: [SceneRow]) -> ShownScene {
    var scene = ShownScene(takesDrops: false)
    scene.content = SceneContent(session: SceneSession(SceneConfiguration(name: "Test")), rows: rows)
    _ = scene.model()
    return scene
  }

  @Test func crossCancelsALoadAndThenRemovesTheRow() {
    var row = SceneRow("Circe")
    let progress = ItemProgress()
    (row.progress, row.removal) = (progress, "remove 1")
    let scene = scene(SceneRow.status("loading") + [row])
    #expect(scene.pressCross(ofRow: 0) == nil && progress.isCancelled)
    #expect(scene.pressCross(ofRow: 0) == "remove 1" && scene.pressCross(ofRow: 1) == nil)
  }

  @Test func picturesOfVisibleRowsAreLoadedFirstAndEachOnce() {
    let rows = (0..<5).map { index in SceneRow("", picture: ScenePicture("\(index)") { Data() }) }
    var scene = scene(rows)
    let names = (0..<6).map { _ in scene.takePicture(visible: [3, 4])?.name }
    #expect(names == ["3", "4", "0", "1", "2", nil])
  }

  @Test func itemsAreInsertedAfterTheRowAboveOrBeforeTheFirst() {
    let scene = scene([SceneRow("a", position: 4), SceneRow("b", position: 5), SceneRow("no position")])
    let positions = (0...3).map { scene.position(of: RowInsertion(column: 0, index: $0), isFirst: $0 == 0) }
    #expect(positions == [4, 5, 6, nil])
  }
}
