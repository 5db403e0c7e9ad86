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
    let picture = ScenePicture("a", side: nil) { Data() }
    var scene = scene([SceneRow("", picture: picture)])
    func shown(_ scene: inout ShownScene) -> Int? {
      if case .thumbnail(let picture)? = scene.model().rows.first?.icon { picture.width } else { nil }
    }
    let pictures = [1, 2].map { Picture(width: $0, height: 1, pixels: Array(repeating: 0, count: $0)) }
    #expect(scene.takePicture(visible: [0]) { _ in 0 } == nil && scene.takePicture(visible: [0]) { _ in 1 } != nil)
    scene.store(pictures[0], of: picture, side: 1)
    #expect(scene.takePicture(visible: [0]) { _ in 2 } != nil && shown(&scene) == 1)
    // A picture of the former side arrives late.
    scene.store(pictures[1], of: picture, side: 1)
    #expect(shown(&scene) == 1)
    scene.store(pictures[1], of: picture, side: 2)
    #expect(shown(&scene) == 2 && scene.takePicture(visible: [0]) { _ in 2 } == nil)
  }

  @Test func pictureOfTwoSidesIsLoadedOnceForEach() {
    var scene = scene([56, 256].map { SceneRow("", picture: ScenePicture("a", side: $0) { Data() }) })
    let sides = (0..<3).map { _ in scene.takePicture(visible: [0, 1]) { $0.side ?? 0 }?.side }
    #expect(sides == [56, 256, nil])
  }

  @Test func removedRowsShrinkBeforeTheyLeave() {
    var scene = scene(["a", "b", "c", "c"].map { SceneRow($0, input: $0) })
    func show(_ texts: [String]) -> Bool {
      scene.show(content(SceneRow.status("\(texts.count)") + texts.map { SceneRow($0, input: $0) }))
    }
    #expect(show(["a", "c"]) && scene.shrinkLeavingRows())
    let rows = scene.model().rows
    #expect(rows.map(\.name) == ["a", "b", "c", "c"] && rows.map(\.visiblePart) == [1, 0.9, 1, 0.9])
    #expect((0...3).map { scene.row($0)?.input } == ["a", nil, "c", nil])
    // Another row leaves meanwhile, and its own time begins.
    #expect(show(["a"]) && show(["a"]) && scene.shrinkLeavingRows())
    #expect(scene.model().rows.map(\.visiblePart) == [1, 0.8, 0.9, 0.8])
    while scene.shrinkLeavingRows() {}
    #expect(scene.model().rows.map(\.name) == ["a"])
  }

  @Test(arguments: [["a", "x"], ["c", "b"], ["a", "b", "c", "d"], ["a", "b", "c"], []])
  func rowsThatChangeLeaveAtOnce(new: [String]) {
    var scene = scene(["a", "b", "c"].map { SceneRow($0) })
    let leaves = scene.show(content(new.map { SceneRow($0) }))
    #expect(leaves == new.isEmpty && scene.model().rows.count == (leaves ? 3 : new.count))
  }

  @Test func tilesLeaveAtOnce() {
    var scene = scene(
      ["a", "b"].map { text in
        var row = SceneRow(text)
        row.style = .tile
        return row
      })
    #expect(!scene.show(content([])) && scene.model().rows.isEmpty)
  }

  @Test func itemsAreInsertedAfterTheRowAboveOrBeforeTheFirst() {
    let scene = scene([SceneRow("a", position: 4), SceneRow("b", position: 5), SceneRow("no position")])
    let positions = (0...3).map { scene.position(of: RowInsertion(column: 0, index: $0), isFirst: $0 == 0) }
    #expect(positions == [4, 5, 6, nil])
  }
}
