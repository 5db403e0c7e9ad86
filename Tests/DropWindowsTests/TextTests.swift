// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import DropWindows

@Suite(.serialized, .limited, .timeLimit(minutes: 5))
struct TextTests {
  private func sketch(_ text: String, _ style: TextStyle = TextStyle(size: 13), width: Int = 10_000) -> String? {
    guard let picture = BuiltInFont().picture(of: text, style, Color(0), maximumWidth: width) else { return nil }
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
    let small = sketch("a")?.split(separator: "\n") ?? []
    let large = sketch("a", TextStyle(size: 26))?.split(separator: "\n") ?? []
    let doubled = small.flatMap { row in Array(repeating: row.map { "\($0)\($0)" }.joined(), count: 2) }
    #expect(large.map(String.init) == doubled && doubled.count == 26)
  }

  @Test func everyPrintableCharacterHasAGlyphOfItsOwn() {
    var drawings: [String: Character] = [sketch("\u{4E2D}") ?? "": "\u{4E2D}"]
    for code in UInt8(0x21)..<0x7F {
      let character = Character(Unicode.Scalar(code))
      let drawing = sketch(String(character)) ?? ""
      if !drawing.contains("#") { Issue.record("\(character)") }
      if let other = drawings.updateValue(character, forKey: drawing) { Issue.record("\(character) and \(other)") }
    }
    #expect(sketch(" ")?.contains("#") == false)
  }

  @Test func otherCharactersAreABoxOrEscaped() {
    #expect(sketch("…") != sketch("中"))
    for (text, drawn) in [("é", "中"), ("a\u{202E}b", "a\\u{202e}b"), ("\n", "\\u{a}")] {
      #expect(sketch(text) == sketch(drawn))
    }
  }

  @Test func shortensTheMiddle() {
    for (count, text) in [
      (14, "photograph.png"), (9, "phot….png"), (8, "phot…png"), (1, "…"), (0, ""),
    ] {
      #expect(String(BuiltInFont.shortened(Array("photograph.png"), to: count)) == text)
    }
    #expect([6 * 9 + 5, 0, -4].map { sketch("photograph.png", width: $0) } == [sketch("phot….png"), nil, nil])
  }

  @Test func boundsTheLengthOfALine() {
    let size = BuiltInFont().size(of: String(repeating: "x", count: 100_000), TextStyle(size: 13))
    #expect(size.width == (maximumTextLength + 1) * 6)
  }
}

/// Tests of text that Pango draws.
///
/// Its output depends on the machine, so only its properties are checked.
@Suite(.serialized, .limited, .enabled(if: PangoText() != nil, "Pango is not installed"), .timeLimit(minutes: 5))
struct PangoTextTests {
  private let text: PangoText
  private let style = TextStyle(size: 14)

  init() throws {
    text = try #require(PangoText())
  }

  @Test func measuresAndDrawsALine() throws {
    let size = text.size(of: "Holiday", style)
    #expect((20...120).contains(size.width) && (10...40).contains(size.height))
    let picture = try #require(text.picture(of: "Holiday", style, Color(0xFF0000), maximumWidth: 500))
    #expect(picture.width == size.width)
    #expect(picture.pixels.contains { $0 >> 24 > 128 && $0 >> 16 & 0xFF > 100 && $0 & 0xFFFF == 0 })
    let larger = text.size(of: "Holiday", TextStyle(size: 28, isBold: true))
    #expect(larger.width > size.width && larger.height > size.height)
  }

  @Test func shortensALineThatIsTooWide() throws {
    let name = String(repeating: "long name ", count: 50)
    let picture = try #require(text.picture(of: name, style, Color(0), maximumWidth: 100))
    #expect(picture.width <= 100 && picture.height < 40)
  }

  @Test(arguments: ["", "a\nb", "\0", "\u{202E}x", "👍🏽 مرحبا", String(repeating: "x", count: 1 << 16)])
  func acceptsEachText(line: String) {
    #expect((text.picture(of: line, style, Color(0), maximumWidth: 300)?.width ?? 0) <= 300)
    for width in [0, -5] { #expect(text.picture(of: line, style, Color(0), maximumWidth: width) == nil) }
  }
}
