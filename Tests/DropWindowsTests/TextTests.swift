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

  @Test func shortensTheMiddleOfNamesAndTheEndOfSentences() {
    for (count, text) in [
      (14, "photograph.png"), (9, "phot….png"), (8, "phot…png"), (1, "…"), (0, ""),
    ] {
      #expect(String(BuiltInFont.shortened(Array("photograph.png"), to: count, .name)) == text)
    }
    #expect(String(BuiltInFont.shortened(Array("cannot read"), to: 8, .sentence)) == "cannot …")
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

  /// Returns the bounds of the ink, as the first and the last column with it.
  private func ink(of picture: Picture) -> ClosedRange<Int>? {
    let columns = (0..<picture.width).filter { x in
      (0..<picture.height).contains { picture.pixels[$0 * picture.width + x] >> 24 > 64 }
    }
    return columns.first.flatMap { first in columns.last.map { first...$0 } }
  }

  @Test(arguments: ["שלום עולם.txt", "مرحبا بالعالم.txt", "한글.txt", "e\u{301}te\u{301}.txt"], [10_000, 400, 40])
  func everyScriptHasInkOverTheWholePicture(name: String, width: Int) throws {
    for kind in [TextStyle.Kind.name, .sentence] {
      let style = TextStyle(size: 14, kind: kind)
      let natural = text.size(of: name, style).width
      let picture = try #require(text.picture(of: name, style, Color(0), maximumWidth: width))
      #expect(width < natural || picture.width == natural)
      let columns = try #require(ink(of: picture))
      // The edges have the space beside a letter, and a shortened line may be narrower than its limit.
      #expect(columns.lowerBound <= 12 && columns.upperBound >= picture.width - 13)
    }
  }

  @Test func aNameHasItsOwnDirectionAndASentenceRunsToTheRight() throws {
    // The extension is at the left of a Hebrew name, and at the right in a sentence.
    let (name, sentence) = ("אבג.iiii", TextStyle(size: 14, kind: .sentence))
    let natural = try #require(text.picture(of: name, style, Color(0), maximumWidth: 500))
    let inSentence = try #require(text.picture(of: name, sentence, Color(0), maximumWidth: 500))
    #expect(natural.width == inSentence.width && natural != inSentence)
    let latin = [style, sentence].map { text.picture(of: "abc.iiii", $0, Color(0), maximumWidth: 500) }
    #expect(latin[0] == latin[1])
  }

  @Test(arguments: ["", "a\nb", "\0", "\u{202E}x", "👍🏽 مرحبا", String(repeating: "x", count: 1 << 16)])
  func acceptsEachText(line: String) {
    #expect((text.picture(of: line, style, Color(0), maximumWidth: 300)?.width ?? 0) <= 300)
    for width in [0, -5] { #expect(text.picture(of: line, style, Color(0), maximumWidth: width) == nil) }
  }
}
