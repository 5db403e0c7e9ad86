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
    _ = scene.show(content(rows))
    _ = scene.model()
    return scene
  }

  private func content(_ rows: [SceneRow]) -> SceneContent {
    SceneContent(session: SceneSession(SceneConfiguration(name: "Test")), rows: rows)
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
    let names = (0..<6).map { _ in scene.takePicture(visible: [3, 4]) { _ in 56 }?.name }
    #expect(names == ["3", "4", "0", "1", "2", nil])
  }

  @Test func pictureIsLoadedAgainForAnotherSideAndTheFormerStaysUntilThen() {
    var scene = scene([SceneRow("", picture: ScenePicture("a", side: nil) { Data() })])
    func shown(_ scene: inout ShownScene) -> Int? {
      if case .thumbnail(let picture)? = scene.model().rows.first?.icon { picture.width } else { nil }
    }
    let pictures = [1, 2].map { Picture(width: $0, height: 1, pixels: Array(repeating: 0, count: $0)) }
    #expect(scene.takePicture(visible: [0]) { _ in 0 } == nil && scene.takePicture(visible: [0]) { _ in 1 } != nil)
    scene.store(pictures[0], named: "a", side: 1)
    #expect(scene.takePicture(visible: [0]) { _ in 2 } != nil && shown(&scene) == 1)
    // A picture of the former side arrives late.
    scene.store(pictures[1], named: "a", side: 1)
    #expect(shown(&scene) == 1)
    scene.store(pictures[1], named: "a", side: 2)
    #expect(shown(&scene) == 2 && scene.takePicture(visible: [0]) { _ in 2 } == nil)
  }

  @Test func removedRowsShrinkBeforeTheyLeave() {
    var scene = scene(["a", "b", "c", "c"].map { SceneRow($0, input: $0) })
    let leaves = scene.show(content(["a", "c"].map { SceneRow($0, input: $0) }))
    #expect(leaves)
    scene.shrinkLeavingRows(to: 0.5)
    let rows = scene.model().rows
    #expect(rows.map(\.name) == ["a", "b", "c", "c"] && rows.map(\.visiblePart) == [1, 0.5, 1, 0.5])
    #expect((0...3).map { scene.row($0)?.input } == ["a", nil, "c", nil])
    scene.shrinkLeavingRows(to: 0)
    #expect(scene.model().rows.map(\.name) == ["a", "c"])
  }

  @Test(arguments: [["a", "x"], ["c", "b"], ["a", "b", "c", "d"], []])
  func rowsThatChangeLeaveAtOnce(new: [String]) {
    var scene = scene(["a", "b", "c"].map { SceneRow($0) })
    let leaves = scene.show(content(new.map { SceneRow($0) }))
    #expect(leaves == new.isEmpty && scene.model().rows.count == (leaves ? 3 : new.count))
  }

  @Test func itemsAreInsertedAfterTheRowAboveOrBeforeTheFirst() {
    let scene = scene([SceneRow("a", position: 4), SceneRow("b", position: 5), SceneRow("no position")])
    let positions = (0...3).map { scene.position(of: RowInsertion(column: 0, index: $0), isFirst: $0 == 0) }
    #expect(positions == [4, 5, 6, nil])
  }
}
