// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import DropWindows

/// Pictures that a person has approved, stored as hashes.
@Suite(.serialized, .limited, .timeLimit(minutes: 5))
struct GoldenPictureTests {
  @Test(arguments: [("light", Theme.light), ("dark", Theme.dark)])
  func windows(name: String, theme: Theme) throws {
    var state = SampleContent.state(SampleContent.drag, theme: theme)
    try GoldenPictures.check(SampleContent.picture(state), "drag-\(name)")
    let area = state.layout.row(1, scroll: 0)
    _ = state.handle(.pressed(x: area.x + 100, y: area.y + 20))
    _ = state.handle(.released(x: area.x + 100, y: area.y + 20))
    _ = state.handle(.moved(x: area.x + 100, y: area.y + 80, isButtonPressed: false))
    _ = state.handle(.key(.down))
    try GoldenPictures.check(SampleContent.picture(state), "drag-selected-\(name)")
    state = SampleContent.state(SampleContent.drop, theme: theme, height: 560)
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
      for (y, side, color) in [(4, 32, Theme.light.accent), (44, 20, Theme.light.failure)] {
        let frame = PixelRectangle(x: 4 + index * 40, y: y, width: side, height: side)
        canvas.draw(symbol, in: frame, theme: .light, color: color)
      }
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

@Suite(.serialized, .limited, .timeLimit(minutes: 5))
struct DragPictureTests {
  private func canvas(
    _ rows: [WindowRow], _ effect: DragPicture.Effect = .copy, theme: Theme = .light, scale: Double = 1
  ) -> Canvas {
    DragPicture(of: rows, theme: theme, scale: scale, text: BuiltInFont()).canvas(effect)
  }

  @Test(arguments: [Theme.light, .dark], [1.0, 1.5, 2])
  func effectsDifferInTheirSignAndNotInTheirSize(theme: Theme, scale: Double) {
    let rows = [WindowRow(name: "notes.txt", icon: .symbol(.text))]
    let pictures = DragPicture.Effect.allCases.map { canvas(rows, $0, theme: theme, scale: scale) }
    for picture in pictures {
      #expect(picture.bounds == pictures[0].bounds && picture.height == Int(46 * scale))
      // The round corners are transparent, and the other pixels are opaque.
      #expect([picture[0, 0], picture[picture.width / 2, picture.height / 2]].map { $0 >> 24 } == [0, 255])
    }
    #expect(Set(pictures.map(\.pixels)).count == 4)
  }

  @Test func aLongNameIsTruncated() {
    let short = canvas([WindowRow(name: "a")])
    let long = canvas([WindowRow(name: String(repeating: "name ", count: 100))])
    #expect(short.width < long.width && long.width <= 320)
  }

  @Test func severalItemsAreCounted() {
    let isEqual =
      canvas(["a", "b", "c"].map { WindowRow(name: $0) })
      == canvas([WindowRow(name: "3 items", icon: .symbol(.several))])
    #expect(isEqual)
  }

  @Test func thumbnailsOfTheFirstThreeItemsOverlap() {
    let colors: [UInt32] = [0xFFFF_0000, 0xFF00_FF00, 0xFF00_00FF, 0xFFFF_00FF]
    let rows = colors.map { color in
      WindowRow(
        name: "a", icon: .thumbnail(Picture(width: 30, height: 8, pixels: Array(repeating: color, count: 240))))
    }
    let picture = canvas(rows)
    let counts = colors.map { color in picture.pixels.count { $0 == color } }
    #expect(counts[0] == 240 && (1..<240).contains(counts[1]) && (1..<240).contains(counts[2]) && counts[3] == 0)
  }

  @Test func aThumbnailIsPartOfThePicture() {
    let red = Picture(width: 8, height: 8, pixels: Array(repeating: 0xFFFF_0000, count: 64))
    let picture = canvas([WindowRow(name: "a", icon: .thumbnail(red))])
    #expect(picture.pixels.count { $0 == 0xFFFF_0000 } == 64)
  }
}
