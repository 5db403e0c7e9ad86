// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DisplayWire
import DropSystem
import TestSupport
import Testing

@testable import DropWindows

@Suite(.serialized, .limited, .timeLimit(minutes: 5))
struct CanvasTests {
  private let black = Color(0)

  /// Returns the opacities of a new canvas after drawing.
  private func sketch(_ width: Int, _ height: Int, _ draw: (inout Canvas) -> Void) -> String {
    var canvas = Canvas(width: width, height: height)
    draw(&canvas)
    return canvas.sketch
  }

  @Test func fillsARectangle() {
    var canvas = Canvas(width: 4, height: 3)
    canvas.fill(PixelRectangle(x: 1, y: 1, width: 2, height: 5), Color(0xFF8000))
    #expect(canvas.rows == [[0, 0, 0, 0], [0, 0xFFFF_8000, 0xFFFF_8000, 0], [0, 0xFFFF_8000, 0xFFFF_8000, 0]])
  }

  @Test func blendsTransparentColours() {
    var canvas = Canvas(width: 1, height: 1, color: Color(0xFFFFFF))
    canvas.fill(canvas.bounds, Color(red: 255, green: 0, blue: 0, alpha: 128))
    #expect(canvas[0, 0] == 0xFFFF_7F7F)
    // Transparent pixels stay premultiplied.
    canvas = Canvas(width: 1, height: 1)
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
    #expect(canvas.sketch == ".##.\n...." && canvas.clip == canvas.bounds)
  }

  @Test func acceptsAreasThatAreOutsideOrEmpty() {
    let sketch = sketch(2, 2) { canvas in
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
    }
    #expect(sketch == "..\n..")
  }

  @Test func drawsShapes() {
    #expect(
      sketch(8, 8) { $0.fillRounded($0.bounds, radius: 3, black) } == """
        .59##95.
        5######5
        9######9
        ########
        ########
        9######9
        5######5
        .59##95.
        """)
    // A stroke stays inside.
    #expect(
      sketch(7, 6) {
        $0.strokeRounded(PixelRectangle(x: 1, y: 1, width: 5, height: 4), radius: 0, thickness: 1, black)
      } == """
        .......
        .#####.
        .#...#.
        .#...#.
        .#####.
        .......
        """)
    // A line has round ends.
    #expect(
      sketch(6, 3) { $0.line(from: DrawingPoint(1.5, 1.5), to: DrawingPoint(4.5, 1.5), thickness: 1, black) }
        == "......\n.####.\n......")
    // Polygons follow the even-odd rule.
    func square(_ low: Double, _ high: Double) -> [DrawingPoint] {
      [(low, low), (high, low), (high, high), (low, high), (low, low)].map { DrawingPoint($0, $1) }
    }
    #expect(sketch(4, 4) { $0.fillPolygon(square(0, 4) + square(1, 3), black) } == "####\n#..#\n#..#\n####")
  }

  @Test func roundsCornersOfOddSizes() {
    var canvas = Canvas(width: 5, height: 5)
    canvas.fillRounded(canvas.bounds, radius: 2.5, black)
    let rows = canvas.rows
    #expect(rows == Array(rows.reversed()) && rows == rows.map { $0.reversed() } && canvas[2, 2] == 0xFF00_0000)
  }

  @Test func dashesHaveGaps() {
    var canvas = Canvas(width: 40, height: 5)
    canvas.strokeRounded(canvas.bounds, radius: 0, thickness: 1, black, dash: 4)
    #expect(Set(canvas.rows[0].map { $0 >> 24 }).isSuperset(of: [0, 255]))
  }

  @Test func drawsPicturesAndMasksThatAreClipped() {
    var canvas = Canvas(width: 3, height: 2)
    canvas.draw(Picture(width: 2, height: 2, pixels: [0xFF00_0001, 0xFF00_0002, 0xFF00_0003, 0]), x: -1, y: 0)
    canvas.draw(CoverageMask(width: 2, height: 1, bytes: [255, 128]), x: 2, y: 1, Color(0xFFFFFF))
    #expect(canvas.rows == [[0xFF00_0002, 0, 0], [0, 0, 0xFFFF_FFFF]])
  }

  @Test func convertsDecodedRowsWithPaddingAndAlpha() {
    let bytes: [UInt8] = [255, 0, 0, 255, 0, 255, 0, 128, 9, 9, 1, 2, 3, 0, 0, 0, 255, 255]
    func picture(height: Int) -> Picture? {
      bytes.withUnsafeBytes { Picture(width: 2, height: height, stride: 10, hasAlpha: true, bytes: $0) }
    }
    #expect([2, 3].map { picture(height: $0)?.pixels } == [[0xFFFF_0000, 0x8000_8000, 0, 0xFF00_00FF], nil])
  }

  @Test func fitsSizesIntoASquareWithoutEnlarging() {
    for (width, height, size) in [
      (4000, 1000, (32, 8)), (1, 4096, (1, 32)), (10, 20, (10, 20)), (0, 20, (0, 0)),
    ] {
      #expect(Picture.fitting(width: width, height: height, side: 32) == size)
    }
  }

  @Test func reducedPicturesHaveTheMeanOfTheirPixels() {
    let pixels: [UInt32] = [0xFF00_0000, 0xFF20_4060, 0xFF40_8000, 0xFF00_0020, 0, 0, 0x8080_0000, 0]
    let picture = Picture(width: 4, height: 2, pixels: pixels)
    #expect(picture.reduced(toSide: 2) == Picture(width: 2, height: 1, pixels: [0x7F08_1018, 0x9F30_2008]))
    #expect(picture.reduced(toSide: 4) == picture)
  }

  @Test func everySymbolIsDrawnInsideItsFrame() {
    for symbol in Symbol.allCases {
      for side in [16, 32, 64] {
        var canvas = Canvas(width: side + 8, height: side + 8)
        let frame = PixelRectangle(x: 4, y: 4, width: side, height: side)
        canvas.draw(symbol, in: frame, theme: .light, color: Theme.light.success)
        let count = canvas.pixels.count { $0 != 0 }
        canvas.clear(frame, Color(red: 0, green: 0, blue: 0, alpha: 0))
        let isInside = canvas.pixels.allSatisfy { $0 == 0 }
        #expect(count > side && isInside, "\(symbol) of \(side) pixels")
      }
    }
  }
}

@Suite(.serialized, .limited, .timeLimit(minutes: 5))
struct PixelFormatTests {
  /// Returns a setup with one screen.
  private func setup(
    depth: UInt8 = 24, bitsPerPixel: UInt8 = 32, order: UInt8 = 0, visualClass: UInt8 = 4,
    masks: [UInt32] = [0xFF0000, 0xFF00, 0xFF]
  ) throws -> X11Setup {
    var body = bytes([1, 0x20_0000, 0x1F_FFFF, 0])
    body += [0, 0, 0xFF, 0xFF, 1, 1, order, 0, 32, 32, 8, 255, 0, 0, 0, 0]
    body += [depth, bitsPerPixel, 32, 0, 0, 0, 0, 0]
    body += bytes([0x100, 0x101, 0xFFFFFF, 0, 0]) + [0x80, 2, 0xE0, 1, 0xA0, 0, 0x78, 0, 1, 0, 1, 0]
    body += bytes(0x102) + [0, 0, depth, 1] + [depth, 0, 1, 0, 0, 0, 0, 0]
    body += bytes(0x102) + [visualClass, 8, 0, 1] + bytes(masks) + [0, 0, 0, 0]
    guard
      case .success(let setup) = try X11SetupResponse([1, 0, 11, 0, 0, 0, UInt8(body.count / 4), 0] + body)
    else { throw CancellationError() }
    return setup
  }

  private func format(_ setup: X11Setup) throws(DisplayError) -> PixelFormat {
    try PixelFormat(setup.screens[0], setup)
  }

  @Test func writesPixelsInTheFormatOfTheDisplay() throws {
    var canvas = Canvas(width: 3, height: 2, color: Color(0xFFFFFF))
    canvas.fill(PixelRectangle(x: 1, y: 1, width: 1, height: 1), Color(0x112233))
    for (setup, expected) in [
      (try setup(), [0x33, 0x22, 0x11, 0, 0xFF, 0xFF, 0xFF, 0]),
      (try setup(order: 1), [0, 0x11, 0x22, 0x33, 0, 0xFF, 0xFF, 0xFF]),
      (try setup(masks: [0xFF, 0xFF00, 0xFF0000]), [0x11, 0x22, 0x33, 0, 0xFF, 0xFF, 0xFF, 0]),
      (try setup(depth: 32), [0x33, 0x22, 0x11, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]),
    ] as [(X11Setup, [UInt8])] {
      #expect(try format(setup).bytes(of: PixelRectangle(x: 1, y: 1, width: 2, height: 1), on: canvas) == expected)
    }
  }

  @Test func refusesOtherFormatsWithAReason() throws {
    for (setup, reason) in [
      (try setup(depth: 16, bitsPerPixel: 16), "a colour depth of 16 bits"),
      (try setup(bitsPerPixel: 24), "a colour depth of 24 bits"), (try setup(visualClass: 3), "no true colours"),
      (try setup(masks: [0x3FF0_0000, 0xF_FC00, 0x3FF]), "no true colours"),
      (try setup(masks: [0, 0, 0]), "no true colours"),
    ] {
      let error = #expect(throws: DisplayError.self) { try format(setup) }
      #expect(error?.code == .badAddress && error?.description.contains(reason) == true)
    }
  }

  @Test func stripsCoverTheAreaAndFitIntoRequests() {
    let area = PixelRectangle(x: 3, y: 5, width: 700, height: 333)
    for limit in [32, 100, 2828, 16_384, 262_144, 1 << 24] {
      let strips = PixelFormat.strips(of: area, limit: limit)
      let areFitting = strips.allSatisfy { 4 * $0.width * $0.height + 24 <= limit }
      #expect(areFitting && strips.reduce(0) { $0 + $1.width * $1.height } == area.width * area.height)
      #expect(strips.reduce(PixelRectangle.empty) { $0.union($1) } == area)
    }
    #expect(PixelFormat.strips(of: .empty, limit: 1000).isEmpty)
  }
}
