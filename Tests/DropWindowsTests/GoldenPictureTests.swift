// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import DropWindows

/// Pictures that a person has approved, stored as hashes.
@Suite(.serialized, .limited, .timeLimit(.minutes(5)))
struct GoldenPictureTests {
  @Test(arguments: [("light", Theme.light), ("dark", Theme.dark)])
  func dragWindow(name: String, theme: Theme) throws {
    var state = SampleContent.state(SampleContent.drag, theme: theme)
    try GoldenPictures.check(SampleContent.picture(state), "drag-\(name)")
    let area = state.layout.row(1, scroll: 0)
    _ = state.handle(.pressed(x: area.x + 100, y: area.y + 20))
    _ = state.handle(.released(x: area.x + 100, y: area.y + 20))
    _ = state.handle(.moved(x: area.x + 100, y: area.y + 80, isButtonPressed: false))
    _ = state.handle(.key(.down))
    try GoldenPictures.check(SampleContent.picture(state), "drag-selected-\(name)")
  }

  @Test(arguments: [("light", Theme.light), ("dark", Theme.dark)])
  func dropWindow(name: String, theme: Theme) throws {
    var state = SampleContent.state(SampleContent.drop, theme: theme, height: 560)
    try GoldenPictures.check(SampleContent.picture(state), "drop-\(name)")
    state.model.zones[1].isTargeted = true
    state.model.rows = []
    try GoldenPictures.check(SampleContent.picture(state), "drop-targeted-\(name)")
  }

  @Test func scaledWindow() throws {
    let state = SampleContent.state(SampleContent.drag, width: 840, height: 1040, scale: 2)
    try GoldenPictures.check(SampleContent.picture(state), "drag-scaled")
  }

  @Test func symbols() throws {
    var canvas = Canvas(width: 400, height: 80, color: Theme.light.surface)
    for (index, symbol) in Symbol.allCases.enumerated() {
      let frame = PixelRectangle(x: 4 + index * 40, y: 4, width: 32, height: 32)
      canvas.draw(symbol, in: frame, theme: .light, color: Theme.light.accent)
      canvas.draw(
        symbol, in: PixelRectangle(x: 4 + index * 40, y: 44, width: 20, height: 20), theme: .light,
        color: Theme.light.failure)
    }
    try GoldenPictures.check(canvas, "symbols")
  }

  @Test func builtInFont() throws {
    let lines = [
      "The quick brown fox jumps over the lazy dog.", "PACK MY BOX WITH FIVE DOZEN LIQUOR JUGS",
      "0123456789 !\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~ …·é",
    ]
    var canvas = Canvas(width: 400, height: 120, color: Color(0xFFFFFF))
    for (index, line) in lines.enumerated() {
      for isBold in [false, true] {
        let style = TextStyle(size: 13, isBold: isBold)
        guard let picture = BuiltInFont().picture(of: line, style, Color(0), maximumWidth: 390) else { continue }
        canvas.draw(picture, x: 5, y: 5 + index * 16 + (isBold ? 58 : 0))
      }
    }
    try GoldenPictures.check(canvas, "font")
  }
}
