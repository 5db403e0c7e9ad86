// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import DropWindows

@Suite(.serialized, .limited, .timeLimit(.minutes(5)))
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
      #expect(picture.bounds == pictures[0].bounds)
      #expect(picture.height == Int(46 * scale))
      // The round corners are transparent, and the other pixels are opaque.
      #expect(picture[0, 0] >> 24 == 0)
      #expect(picture[picture.width / 2, picture.height / 2] >> 24 == 255)
      for other in pictures where other != picture { #expect(other.pixels != picture.pixels) }
    }
    #expect(Set(pictures.map(\.pixels)).count == 3)
  }

  @Test func aLongNameIsTruncated() {
    let short = canvas([WindowRow(name: "a")])
    let long = canvas([WindowRow(name: String(repeating: "name ", count: 100))])
    #expect(short.width < long.width)
    #expect(long.width <= 320)
  }

  @Test func severalItemsAreCounted() {
    let rows = [WindowRow(name: "a"), WindowRow(name: "b"), WindowRow(name: "c")]
    #expect(canvas(rows) == canvas([WindowRow(name: "3 items", icon: .symbol(.several))]))
  }

  @Test func aThumbnailIsPartOfThePicture() {
    let red = Picture(width: 8, height: 8, pixels: Array(repeating: 0xFFFF_0000, count: 64))
    let picture = canvas([WindowRow(name: "a", icon: .thumbnail(red))])
    #expect(picture.pixels.count { $0 == 0xFFFF_0000 } == 64)
  }
}
