// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import DropWindows

@Suite(.serialized, .limited, .timeLimit(.minutes(5)))
struct TextTests {
  private let style = TextStyle(size: 13)
  private let black = Color(0)

  private func sketch(_ text: String, _ style: TextStyle = TextStyle(size: 13), width: Int = 10_000) -> String? {
    guard let picture = BuiltInFont().picture(of: text, style, black, maximumWidth: width) else { return nil }
    var canvas = Canvas(width: picture.width, height: picture.height)
    canvas.draw(picture, x: 0, y: 0)
    return canvas.sketch
  }

  @Test func drawsALetter() {
    #expect(
      sketch("g") == """
        ......
        ......
        ......
        ......
        .##.#.
        #..##.
        #...#.
        #...#.
        #..##.
        .##.#.
        ....#.
        #...#.
        .###..
        """)
  }

  @Test func drawsBoldLettersTwice() {
    #expect(sketch("l", TextStyle(size: 13, isBold: true))?.split(separator: "\n")[2] == "..##...")
  }

  @Test func enlargesByWholeFactors() {
    #expect(BuiltInFont().size(of: "ab", TextStyle(size: 26)) == TextSize(width: 24, height: 26))
    let small = sketch("a")?.split(separator: "\n").map(Array.init) ?? []
    let large = sketch("a", TextStyle(size: 26))?.split(separator: "\n").map(Array.init) ?? []
    for y in 0..<26 { for x in 0..<12 { #expect(large[y][x] == small[y / 2][x / 2]) } }
  }

  @Test func everyPrintableCharacterHasAGlyphOfItsOwn() {
    var drawings: [String: Character] = [:]
    let box = sketch("\u{4E2D}") ?? ""
    for code in UInt8(0x21)..<0x7F {
      let character = Character(Unicode.Scalar(code))
      let drawing = sketch(String(character)) ?? ""
      #expect(drawing.contains("#"), "\(character)")
      #expect(drawing != box, "\(character)")
      #expect(drawings[drawing] == nil, "\(character) and \(drawings[drawing] ?? " ")")
      drawings[drawing] = character
    }
    #expect(sketch(" ")?.contains("#") == false)
  }

  @Test func drawsABoxForOtherCharacters() {
    #expect(sketch("é") == sketch("中"))
    #expect(sketch("…") != sketch("中"))
  }

  @Test func escapesInvisibleCharacters() {
    #expect(sketch("a\u{202E}b") == sketch("a\\u{202e}b"))
    #expect(sketch("\n") == sketch("\\u{a}"))
  }

  @Test func shortensTheMiddle() {
    func shortened(_ text: String, _ count: Int) -> String {
      String(BuiltInFont.shortened(Array(text), to: count))
    }
    #expect(shortened("photograph.png", 14) == "photograph.png")
    #expect(shortened("photograph.png", 9) == "phot….png")
    #expect(shortened("photograph.png", 8) == "phot…png")
    #expect(shortened("photograph.png", 1) == "…")
    #expect(shortened("photograph.png", 0) == "")
    #expect(sketch("photograph.png", width: 6 * 9 + 5) == sketch("phot….png"))
    #expect(sketch("abc", width: 0) == nil)
    #expect(sketch("abc", width: -4) == nil)
  }

  @Test func boundsTheLengthOfALine() {
    let size = BuiltInFont().size(of: String(repeating: "x", count: 100_000), style)
    #expect(size.width == (maximumTextLength + 1) * 6)
  }

  @Test func everySymbolIsDrawnInsideItsFrame() {
    for symbol in Symbol.allCases {
      for side in [16, 32, 64] {
        var canvas = Canvas(width: side + 8, height: side + 8)
        let frame = PixelRectangle(x: 4, y: 4, width: side, height: side)
        canvas.draw(symbol, in: frame, theme: .light, color: Theme.light.success)
        let inside = canvas.pixels.filter { $0 != 0 }.count
        var rest = canvas
        rest.clear(frame, Color(red: 0, green: 0, blue: 0, alpha: 0))
        #expect(inside > side, "\(symbol)")
        #expect(rest.pixels.allSatisfy { $0 == 0 }, "\(symbol) of \(side) pixels")
      }
    }
  }
}

/// Tests of text that Pango draws.
///
/// Its output depends on the machine, so only its properties are checked.
@Suite(.serialized, .limited, .enabled(if: PangoText() != nil, "Pango is not installed"), .timeLimit(.minutes(5)))
struct PangoTextTests {
  private let style = TextStyle(size: 14)

  @Test func measuresAndDrawsALine() throws {
    let text = try #require(PangoText())
    let size = text.size(of: "Holiday", style)
    #expect((20...120).contains(size.width))
    #expect((10...40).contains(size.height))
    let picture = try #require(text.picture(of: "Holiday", style, Color(0xFF0000), maximumWidth: 500))
    #expect(picture.width == size.width)
    #expect(picture.pixels.contains { $0 >> 24 > 128 && $0 >> 16 & 0xFF > 100 && $0 & 0xFFFF == 0 })
  }

  @Test func shortensALineThatIsTooWide() throws {
    let text = try #require(PangoText())
    let name = String(repeating: "long name ", count: 50)
    let picture = try #require(text.picture(of: name, style, Color(0), maximumWidth: 100))
    #expect(picture.width <= 100)
    #expect(picture.height < 40)
  }

  @Test(arguments: ["", "a\nb", "\0", "\u{202E}x", "👍🏽 مرحبا", String(repeating: "x", count: 1 << 16)])
  func acceptsEachText(text: String) throws {
    let pango = try #require(PangoText())
    let picture = pango.picture(of: text, style, Color(0), maximumWidth: 300)
    #expect((picture?.width ?? 0) <= 300)
    #expect(pango.picture(of: text, style, Color(0), maximumWidth: 0) == nil)
    #expect(pango.picture(of: text, style, Color(0), maximumWidth: -5) == nil)
  }

  @Test func largerStylesAreLarger() throws {
    let text = try #require(PangoText())
    let small = text.size(of: "Title", style)
    let large = text.size(of: "Title", TextStyle(size: 28, isBold: true))
    #expect(large.width > small.width)
    #expect(large.height > small.height)
  }
}
