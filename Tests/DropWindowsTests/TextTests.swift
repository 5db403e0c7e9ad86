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

@Suite(.serialized, .limited, .timeLimit(minutes: 5))
struct TextLineTests {
  /// Returns the line "ab", a word of two letters from right to left, and "c", with cells of 10 pixels.
  private func line(isRightToLeft: Bool) -> TextLine {
    // The word of two letters is in the middle on the screen too, between the others in either order.
    let starts = isRightToLeft ? [30, 40, 20, 10, 0] : [0, 10, 30, 20, 40]
    let cells = starts.enumerated().map { index, start in
      [2, 3].contains(index)
        ? TextCell(leading: start + 10, trailing: start) : TextCell(leading: start, trailing: start + 10)
    }
    return TextLine(cells, isRightToLeft: isRightToLeft)
  }

  @Test func caretBetweenTwoDirectionsIsAtTheSideOfTheLine() {
    #expect(line(isRightToLeft: false).carets == [0, 10, 20, 30, 40, 50])
    #expect(line(isRightToLeft: true).carets == [50, 40, 30, 20, 10, 0])
  }

  @Test func areasOfARangeAreJoinedWhereTheyTouch() {
    #expect(line(isRightToLeft: false).areas(of: 1..<3) == [10..<20, 30..<40])
    #expect(line(isRightToLeft: false).areas(of: 1..<4) == [10..<40])
    #expect(line(isRightToLeft: false).areas(of: 2..<2) == [])
  }

  @Test(arguments: [
    ("one two\n\nthreefour five ", 5, ["one ", "two", "", "three", "four ", "five "]),
    ("a\nb\r\nc\rd\u{2028}e\u{2029}", 5, ["a", "b", "c", "d", "e", ""]),
    // The space that ends a line need not fit.
    ("aaa bbb ccc", 7, ["aaa bbb ", "ccc"]), ("abcdef gh", 6, ["abcdef ", "gh"]), ("a b", 1, ["a ", "b"]),
    // Other control characters are escaped.
    ("a\u{B}b\u{C}c\u{85}d", 9, ["a\u{B}b\u{C}c\u{85}d"]), ("", 5, [""]),
    // A character that is wider than the line has a line of its own.
    ("ab", 0, ["a", "b"]),
  ])
  func textIsDividedAtLineEndsAfterSpacesAndWithinLongWords(text: String, width: Int, lines: [String]) {
    let text = Array(text)
    #expect(text.lines(fitting: width) { $0.count }.map { String(text[$0]) } == lines)
  }

  @Test func eachCharacterHasItsPartOfTheEscapedLine() {
    let parts = Array("a\u{202E}é\0").displayParts
    #expect(parts == ["a", "\\u{202e}", "é", "\\u{0}"])
    let long = Array(String(repeating: "x", count: maximumTextLength + 2))
    #expect(long.displayParts.suffix(3) == ["x", "…", ""])
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

/// Tests of a field whose text Pango draws.
@Suite(.serialized, .limited, .enabled(if: PangoText() != nil, "Pango is not installed"), .timeLimit(minutes: 5))
struct BidirectionalFieldTests {
  private let hebrew = "שלום עולם"

  /// Returns a window with a field that has the focus, and the caret at the start of its text.
  private func state(_ text: String, isMultiline: Bool = false) throws -> WindowState {
    var model = WindowModel(title: "")
    model.field = WindowField(label: "name", text: text, isMultiline: isMultiline)
    var state = WindowState(model, width: 400, height: 300, text: try #require(PangoText()))
    let area = state.layout.field
    _ = state.handle(.pressed(x: area.x + 20, y: area.y + 12)) + state.handle(.key(.home, isControl: true))
    return state
  }

  /// Returns the areas in the field that have a colour: the caret or the selection.
  private func areas(_ color: Color, in state: WindowState) -> [PixelRectangle] {
    state.scene().commands.compactMap { command in
      guard case .fill(color, _) = command.shape, state.layout.field.contains(x: command.frame.x, y: command.frame.y)
      else { return nil }
      return command.frame
    }
  }

  private func caret(_ state: WindowState) -> Int? { areas(state.theme.accent, in: state).last?.x }

  @Test func aHebrewLineBeginsAtTheRight() throws {
    var state = try state(hebrew)
    let area = try #require(state.fieldLayout?.area)
    let start = try #require(caret(state))
    #expect((area.endX - 4..<area.endX).contains(start))
    _ = state.handle(.key(.end))
    let width = state.text.size(of: hebrew, TextStyle(size: WindowLayout.bodySize)).width
    #expect(caret(state) == start - width)
  }

  @Test func arrowsMoveTheCaretOnTheScreen() throws {
    for (text, isRightToLeft) in [(hebrew, true), ("abc שלום def", false), ("שלום abc עולם", true)] {
      var state = try state(text)
      var places = [try #require(caret(state))]
      for _ in text {
        _ = state.handle(.key(isRightToLeft ? .left : .right))
        places.append(try #require(caret(state)))
      }
      #expect(places == (isRightToLeft ? Array(places.sorted().reversed()) : places.sorted()), "\(text)")
      #expect(Set(places).count == text.count + 1 && state.model.field?.caret == text.count, "\(text)")
    }
  }

  @Test func aClickPlacesTheCaretThere() throws {
    var state = try state("abc שלום def")
    let area = state.layout.field
    for position in [0, 2, 4, 5, 6, 8, 12] {
      state.model.field?.move(to: position, isExtending: false)
      let x = try #require(caret(state))
      _ = state.handle(.pressed(x: area.endX - 2, y: area.y + 12)) + state.handle(.pressed(x: x, y: area.y + 12))
      #expect(state.model.field?.caret == position)
    }
  }

  @Test func aSelectionAcrossDirectionsHasTwoAreas() throws {
    var state = try state("abc שלום def")
    // The first letters of the Hebrew word are at its right end, away from the Latin word.
    state.model.field?.select(1..<6)
    let selected = areas(state.theme.tint, in: state)
    #expect(selected.count == 2)
    let places = try [1, 4, 6, 8].map { position in
      state.model.field?.move(to: position, isExtending: false)
      return try #require(caret(state))
    }
    #expect(selected.map(\.x) == [places[0], places[2]] && selected.map(\.endX) == [places[1], places[3]])
  }

  @Test func joinersWithinAWordAreNotEscaped() throws {
    // The joiner is part of the character before it, and would be escaped at the end of a string.
    let word = Array("می\u{200C}خواهم")
    let text = try #require(PangoText())
    let style = TextStyle(size: 14, kind: .line(isRightToLeft: true))
    let line = TextLine(text.cells(of: word, style), isRightToLeft: true)
    #expect(line.carets.first == text.size(of: String(word), style).width && line.carets.last == 0)
    #expect(line.carets == line.carets.sorted().reversed() && Set(line.carets).count == word.count + 1)
  }

  @Test func theParagraphDirectsEachOfItsLines() throws {
    let state = try state("مرحبا بكم في هذا التطبيق Linux " + String(repeating: "Swift ", count: 20), isMultiline: true)
    let lines = try #require(state.fieldLayout)
    let ends = state.scene().commands.compactMap { command in
      if case .text = command.shape { command.frame.endX } else { nil }
    }
    // The last line has only Latin words.
    #expect(ends.count == 3 && Set(ends) == [lines.area.endX])
  }
}
