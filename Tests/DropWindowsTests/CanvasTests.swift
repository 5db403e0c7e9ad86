// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import DropWindows

@Suite(.serialized, .limited, .timeLimit(.minutes(5)))
struct CanvasTests {
  private let black = Color(0)

  @Test func fillsARectangle() {
    var canvas = Canvas(width: 4, height: 3)
    canvas.fill(PixelRectangle(x: 1, y: 1, width: 2, height: 5), Color(0xFF8000))
    #expect(canvas.rows == [[0, 0, 0, 0], [0, 0xFFFF_8000, 0xFFFF_8000, 0], [0, 0xFFFF_8000, 0xFFFF_8000, 0]])
  }

  @Test func blendsATransparentColourWithTheContent() {
    var canvas = Canvas(width: 1, height: 1, color: Color(0xFFFFFF))
    canvas.fill(canvas.bounds, Color(red: 255, green: 0, blue: 0, alpha: 128))
    #expect(canvas[0, 0] == 0xFFFF_7F7F)
  }

  @Test func blendingOnTransparentPixelsKeepsThemPremultiplied() {
    var canvas = Canvas(width: 1, height: 1)
    canvas.fill(canvas.bounds, Color(red: 255, green: 255, blue: 0, alpha: 64))
    #expect(canvas[0, 0] == 0x4040_4000)
  }

  @Test func scalesEachComponentWithRounding() {
    for component: UInt32 in [0, 1, 127, 128, 200, 255] {
      for coverage: UInt32 in [0, 1, 127, 128, 254, 255] {
        let expected = (component * coverage * 2 + 255) / 510
        #expect(Pixel.scale(component * 0x0101_0101, coverage) == expected * 0x0101_0101)
      }
    }
  }

  @Test func changesNothingOutsideTheClip() {
    var canvas = Canvas(width: 4, height: 2)
    canvas.withClip(PixelRectangle(x: 1, y: 0, width: 2, height: 1)) { canvas in
      canvas.fill(canvas.bounds, black)
      canvas.fillRounded(canvas.bounds, radius: 1, black)
      canvas.line(from: DrawingPoint(0, 0), to: DrawingPoint(4, 2), thickness: 3, black)
      canvas.fillPolygon([DrawingPoint(0, 0), DrawingPoint(4, 0), DrawingPoint(4, 2)], black)
    }
    #expect(canvas.sketch == ".##.\n....")
    #expect(canvas.clip == canvas.bounds)
  }

  @Test func acceptsAreasThatAreOutsideOrEmpty() {
    var canvas = Canvas(width: 2, height: 2)
    for area in [
      PixelRectangle(x: -9, y: -9, width: 3, height: 3), PixelRectangle(x: 5, y: 0, width: 1, height: 1),
      PixelRectangle(x: 0, y: 0, width: 0, height: 2), PixelRectangle(x: 0, y: 0, width: -1, height: -4),
    ] {
      canvas.fill(area, black)
      canvas.clear(area, black)
      canvas.fillRounded(area, radius: 2, black)
      canvas.strokeRounded(area, radius: 2, thickness: 1, black)
    }
    canvas.line(from: DrawingPoint(1e300, -1e300), to: DrawingPoint(1e300, -1e300), thickness: 1, black)
    #expect(canvas.sketch == "..\n..")
  }

  @Test func roundsCorners() {
    var canvas = Canvas(width: 8, height: 8)
    canvas.fillRounded(canvas.bounds, radius: 3, black)
    #expect(
      canvas.sketch == """
        .59##95.
        5######5
        9######9
        ########
        ########
        9######9
        5######5
        .59##95.
        """)
  }

  @Test func roundsCornersOfOddSizes() {
    var canvas = Canvas(width: 5, height: 5)
    canvas.fillRounded(canvas.bounds, radius: 2.5, black)
    let rows = canvas.rows
    #expect(rows == Array(rows.reversed()))
    #expect(rows.map { $0.reversed() } == rows)
    #expect(canvas[2, 2] == 0xFF00_0000)
  }

  @Test func strokesStayInside() {
    var canvas = Canvas(width: 7, height: 6)
    canvas.strokeRounded(PixelRectangle(x: 1, y: 1, width: 5, height: 4), radius: 0, thickness: 1, black)
    #expect(
      canvas.sketch == """
        .......
        .#####.
        .#...#.
        .#...#.
        .#####.
        .......
        """)
  }

  @Test func dashesHaveGaps() {
    var canvas = Canvas(width: 40, height: 5)
    canvas.strokeRounded(canvas.bounds, radius: 0, thickness: 1, black, dash: 4)
    let top = canvas.rows[0].map { $0 >> 24 }
    #expect(top.contains(255))
    #expect(top.contains(0))
  }

  @Test func drawsLinesWithRoundEnds() {
    var canvas = Canvas(width: 6, height: 3)
    canvas.line(from: DrawingPoint(1.5, 1.5), to: DrawingPoint(4.5, 1.5), thickness: 1, black)
    #expect(canvas.sketch == "......\n.####.\n......")
  }

  @Test func fillsPolygonsByTheEvenOddRule() {
    var canvas = Canvas(width: 4, height: 4)
    let outer = [DrawingPoint(0, 0), DrawingPoint(4, 0), DrawingPoint(4, 4), DrawingPoint(0, 4), DrawingPoint(0, 0)]
    let inner = [DrawingPoint(1, 1), DrawingPoint(3, 1), DrawingPoint(3, 3), DrawingPoint(1, 3), DrawingPoint(1, 1)]
    canvas.fillPolygon(outer + inner, black)
    #expect(canvas.sketch == "####\n#..#\n#..#\n####")
  }

  @Test func drawsPicturesAndMasksThatAreClipped() {
    var canvas = Canvas(width: 3, height: 2)
    canvas.draw(Picture(width: 2, height: 2, pixels: [0xFF00_0001, 0xFF00_0002, 0xFF00_0003, 0]), x: -1, y: 0)
    canvas.draw(CoverageMask(width: 2, height: 1, bytes: [255, 128]), x: 2, y: 1, Color(0xFFFFFF))
    #expect(canvas.rows == [[0xFF00_0002, 0, 0], [0, 0, 0xFFFF_FFFF]])
  }

  @Test func convertsDecodedRowsWithPaddingAndAlpha() {
    let bytes: [UInt8] = [255, 0, 0, 255, 0, 255, 0, 128, 9, 9, 1, 2, 3, 0, 0, 0, 255, 255]
    let picture = bytes.withUnsafeBytes { Picture(width: 2, height: 2, stride: 10, hasAlpha: true, bytes: $0) }
    #expect(picture?.pixels == [0xFFFF_0000, 0x8000_8000, 0, 0xFF00_00FF])
    let short = bytes.withUnsafeBytes { Picture(width: 2, height: 3, stride: 10, hasAlpha: true, bytes: $0) }
    #expect(short == nil)
  }

  @Test func fitsSizesIntoASquareWithoutEnlarging() {
    #expect(Picture.fitting(width: 4000, height: 1000, side: 32) == (32, 8))
    #expect(Picture.fitting(width: 1, height: 4096, side: 32) == (1, 32))
    #expect(Picture.fitting(width: 10, height: 20, side: 32) == (10, 20))
    #expect(Picture.fitting(width: 0, height: 20, side: 32) == (0, 0))
  }
}
