// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// A bitmap font for machines without Pango.
///
/// It has the printable characters of ASCII, the ellipsis and the middle dot. A box replaces each other character. Each
/// cell has 6 by 13 pixels, in bold type 7 by 13, multiplied by an integer factor.
package struct BuiltInFont: TextDrawing {
  /// The width of a cell; bold letters are one pixel wider.
  static let cellWidth = 6
  /// The height of a cell.
  static let cellHeight = 13
  /// The number of columns that a letter uses.
  static let columns = 5
  /// The empty rows above the letters.
  static let topMargin = 1

  /// Creates the font.
  package init() {}

  /// Returns the factor by which a style enlarges the cells.
  static func factor(_ style: TextStyle) -> Int {
    max(1, min(16, Int((style.size / Double(cellHeight)).rounded())))
  }

  private static func advance(_ style: TextStyle) -> Int {
    (style.isBold ? cellWidth + 1 : cellWidth) * factor(style)
  }

  /// Returns the size of a line.
  package func size(of text: String, _ style: TextStyle) -> TextSize {
    TextSize(
      width: text.displayLine.count * Self.advance(style), height: Self.cellHeight * Self.factor(style))
  }

  /// Returns false, since the font has no letters that run from right to left.
  package func isRightToLeft(_ text: String) -> Bool { false }

  /// Returns the edges of each character of a line.
  package func cells(of line: [Character], _ style: TextStyle) -> [TextCell] {
    var end = 0
    return line.displayParts.map { part in
      let start = end
      end += part.count * Self.advance(style)
      return TextCell(leading: start, trailing: end)
    }
  }

  /// Returns a picture of a line.
  package func picture(of text: String, _ style: TextStyle, _ color: Color, maximumWidth: Int) -> Picture? {
    let advance = Self.advance(style)
    let line = Self.shortened(Array(text.displayLine), to: maximumWidth / advance, style.kind)
    guard !line.isEmpty else { return nil }
    let factor = Self.factor(style)
    var canvas = Canvas(width: line.count * advance, height: Self.cellHeight * factor)
    for (index, character) in line.enumerated() {
      let glyph = BuiltInGlyphs.glyph(of: character)
      for (row, bits) in glyph.enumerated() where bits != 0 {
        let thick = style.isBold ? bits << 1 | bits : bits << 1
        for column in 0...Self.columns where thick >> (Self.columns - column) & 1 != 0 {
          let pixel = PixelRectangle(
            x: index * advance + column * factor, y: (row + Self.topMargin) * factor, width: factor, height: factor)
          canvas.clear(pixel, color)
        }
      }
    }
    return canvas.picture
  }

  /// Returns the characters with an ellipsis in place of a part if there are too many.
  ///
  /// The end of a file name is more distinctive than its middle, so the start and the end keep equal lengths.
  static func shortened(_ characters: [Character], to count: Int, _ kind: TextStyle.Kind) -> [Character] {
    guard characters.count > count else { return characters }
    guard count > 0 else { return [] }
    let tail = kind == .name ? (count - 1) / 2 : 0
    return characters.prefix(count - 1 - tail) + ["…"] + characters.suffix(tail)
  }
}

/// The glyphs of ``BuiltInFont``, drawn for this package.
enum BuiltInGlyphs {
  /// The number of rows of a glyph; capital letters stand on the ninth row.
  static let rows = 12

  /// The characters that follow ASCII in the table, whose last glyph is the box.
  private static let furtherCharacters: [Character] = ["…", "·"]

  /// Returns the rows of a glyph, each with its columns in the five lowest bits; the box for an unknown character.
  static func glyph(of character: Character) -> ArraySlice<UInt8> {
    let box = glyphs.count / rows - 1
    let index =
      character.asciiValue.map { (0x20..<0x7F).contains($0) ? Int($0) - 0x20 : box }
      ?? furtherCharacters.firstIndex(of: character).map { 0x5F + $0 } ?? box
    return glyphs[index * rows..<(index + 1) * rows]
  }

  /// The rows of all glyphs, one glyph after the other.
  private static let glyphs: [UInt8] = {
    var glyphs: [UInt8] = []
    for block in drawings {
      let lines = block.split(separator: "\n").map { $0.split(separator: " ") }
      for glyph in lines[0].indices {
        for line in lines { glyphs.append(line[glyph].utf8.reduce(0) { $0 << 1 | ($1 == UInt8(ascii: "#") ? 1 : 0) }) }
      }
    }
    return glyphs
  }()

  /// The drawings of ASCII, of ``furtherCharacters`` and of the box, with up to 16 glyphs side by side.
  private static let drawings = [
    """
    ..... ..#.. .#.#. ..... ..#.. ##..# .##.. ..#.. ...#. .#... ..... ..... ..... ..... ..... ....#
    ..... ..#.. .#.#. .#.#. .#### ##..# #..#. ..#.. ..#.. ..#.. ..#.. ..... ..... ..... ..... ....#
    ..... ..#.. .#.#. .#.#. #.#.. ...#. #..#. ..#.. .#... ...#. #.#.# ..... ..... ..... ..... ...#.
    ..... ..#.. ..... ##### #.#.. ...#. .##.. ..... .#... ...#. .###. ..#.. ..... ..... ..... ...#.
    ..... ..#.. ..... .#.#. .###. ..#.. .#... ..... .#... ...#. #.#.# ..#.. ..... ..... ..... ..#..
    ..... ..#.. ..... .#.#. ..#.# .#... #.#.# ..... .#... ...#. ..#.. ##### ..... .###. ..... .#...
    ..... ..... ..... ##### ..#.# .#... #..#. ..... .#... ...#. ..... ..#.. ..... ..... ..... .#...
    ..... ..#.. ..... .#.#. ####. #..## #..#. ..... .#... ...#. ..... ..#.. ..... ..... ..##. #....
    ..... ..#.. ..... .#.#. ..#.. #..## .##.# ..... ..#.. ..#.. ..... ..... ..##. ..... ..##. #....
    ..... ..... ..... ..... ..... ..... ..... ..... ...#. .#... ..... ..... ..#.. ..... ..... .....
    ..... ..... ..... ..... ..... ..... ..... ..... ..... ..... ..... ..... .#... ..... ..... .....
    ..... ..... ..... ..... ..... ..... ..... ..... ..... ..... ..... ..... ..... ..... ..... .....
    """,
    """
    .###. ..#.. .###. .###. ...#. ##### ..##. ##### .###. .###. ..... ..... ..... ..... ..... .###.
    #...# .##.. #...# #...# ..##. #.... .#... ....# #...# #...# ..... ..... ..... ..... ..... #...#
    #...# #.#.. ....# ....# ..##. #.... #.... ....# #...# #...# ..... ..... ....# ..... #.... ....#
    #..## ..#.. ....# ....# .#.#. ####. ####. ...#. #...# #...# ..##. ..##. ...#. ..... .#... ....#
    #.#.# ..#.. ...#. ..##. .#.#. #...# #...# ...#. .###. #...# ..##. ..##. ..#.. ##### ..#.. ...#.
    ##..# ..#.. ..#.. ....# #..#. ....# #...# ..#.. #...# .#### ..... ..... .#... ..... ...#. ..#..
    #...# ..#.. .#... ....# ##### ....# #...# ..#.. #...# ....# ..... ..... ..#.. ..... ..#.. .....
    #...# ..#.. #.... #...# ...#. #...# #...# .#... #...# ...#. ..##. ..... ...#. ##### .#... ..#..
    .###. ##### ##### .###. ...#. .###. .###. .#... .###. .##.. ..##. ..##. ....# ..... #.... ..#..
    ..... ..... ..... ..... ..... ..... ..... ..... ..... ..... ..... ..#.. ..... ..... ..... .....
    ..... ..... ..... ..... ..... ..... ..... ..... ..... ..... ..... .#... ..... ..... ..... .....
    ..... ..... ..... ..... ..... ..... ..... ..... ..... ..... ..... ..... ..... ..... ..... .....
    """,
    """
    .###. ..#.. ####. .###. ###.. ##### ##### .###. #...# .###. ..### #...# #.... #...# #...# .###.
    #...# ..#.. #...# #...# #..#. #.... #.... #...# #...# ..#.. ...#. #...# #.... ##.## ##..# #...#
    #..## .#.#. #...# #.... #...# #.... #.... #.... #...# ..#.. ...#. #..#. #.... ##.## ##..# #...#
    #.#.# .#.#. #...# #.... #...# #.... #.... #.... #...# ..#.. ...#. #.#.. #.... #.#.# #.#.# #...#
    #.#.# #...# ####. #.... #...# ####. ####. #.... ##### ..#.. ...#. ##... #.... #.#.# #.#.# #...#
    #.#.# #...# #...# #.... #...# #.... #.... #..## #...# ..#.. ...#. #.#.. #.... #...# #.#.# #...#
    #..## ##### #...# #.... #...# #.... #.... #...# #...# ..#.. ...#. #..#. #.... #...# #..## #...#
    #.... #...# #...# #...# #..#. #.... #.... #...# #...# ..#.. #..#. #...# #.... #...# #..## #...#
    .#### #...# ####. .###. ###.. ##### #.... .###. #...# .###. .##.. #...# ##### #...# #...# .###.
    ..... ..... ..... ..... ..... ..... ..... ..... ..... ..... ..... ..... ..... ..... ..... .....
    ..... ..... ..... ..... ..... ..... ..... ..... ..... ..... ..... ..... ..... ..... ..... .....
    ..... ..... ..... ..... ..... ..... ..... ..... ..... ..... ..... ..... ..... ..... ..... .....
    """,
    """
    ####. .###. ####. .###. ##### #...# #...# #...# #...# #...# ##### .###. #.... .###. ..#.. .....
    #...# #...# #...# #...# ..#.. #...# #...# #...# #...# #...# ....# .#... #.... ...#. .#.#. .....
    #...# #...# #...# #.... ..#.. #...# #...# #...# .#.#. .#.#. ...#. .#... .#... ...#. #...# .....
    #...# #...# #...# #.... ..#.. #...# #...# #...# .#.#. .#.#. ...#. .#... .#... ...#. ..... .....
    ####. #...# ####. .###. ..#.. #...# .#.#. #.#.# ..#.. ..#.. ..#.. .#... ..#.. ...#. ..... .....
    #.... #...# #.#.. ....# ..#.. #...# .#.#. #.#.# .#.#. ..#.. .#... .#... ...#. ...#. ..... .....
    #.... #.#.# #..#. ....# ..#.. #...# .#.#. #.#.# .#.#. ..#.. .#... .#... ...#. ...#. ..... .....
    #.... #..#. #...# #...# ..#.. #...# ..#.. ##.## #...# ..#.. #.... .#... ....# ...#. ..... .....
    #.... .##.# #...# .###. ..#.. .###. ..#.. #...# #...# ..#.. ##### .#... ....# ...#. ..... .....
    ..... ..... ..... ..... ..... ..... ..... ..... ..... ..... ..... .###. ..... .###. ..... .....
    ..... ..... ..... ..... ..... ..... ..... ..... ..... ..... ..... ..... ..... ..... ..... #####
    ..... ..... ..... ..... ..... ..... ..... ..... ..... ..... ..... ..... ..... ..... ..... .....
    """,
    """
    .#... ..... #.... ..... ....# ..... ..##. ..... #.... ..#.. ...#. #.... .##.. ..... ..... .....
    ..#.. ..... #.... ..... ....# ..... .#..# ..... #.... ..... ..... #.... ..#.. ..... ..... .....
    ..... ..... #.... ..... ....# ..... .#... ..... #.... ..... ..... #.... ..#.. ..... ..... .....
    ..... .###. #.##. .###. .##.# .###. ####. .##.# #.##. .##.. ..##. #..#. ..#.. ##.#. #.##. .###.
    ..... ....# ##..# #...# #..## #...# .#... #..## ##..# ..#.. ...#. #.#.. ..#.. #.#.# ##..# #...#
    ..... .#### #...# #.... #...# ##### .#... #...# #...# ..#.. ...#. ##... ..#.. #.#.# #...# #...#
    ..... #...# #...# #.... #...# #.... .#... #...# #...# ..#.. ...#. #.#.. ..#.. #.#.# #...# #...#
    ..... #..## ##..# #...# #..## #...# .#... #..## #...# ..#.. ...#. #..#. ..#.. #.#.# #...# #...#
    ..... .##.# #.##. .###. .##.# .###. .#... .##.# #...# .###. ...#. #...# .###. #...# #...# .###.
    ..... ..... ..... ..... ..... ..... ..... ....# ..... ..... ...#. ..... ..... ..... ..... .....
    ..... ..... ..... ..... ..... ..... ..... #...# ..... ..... #..#. ..... ..... ..... ..... .....
    ..... ..... ..... ..... ..... ..... ..... .###. ..... ..... .##.. ..... ..... ..... ..... .....
    """,
    """
    ..... ..... ..... ..... ..... ..... ..... ..... ..... ..... ..... ...## ..#.. ##... ..... .....
    ..... ..... ..... ..... .#... ..... ..... ..... ..... ..... ..... ..#.. ..#.. ..#.. ..... .....
    ..... ..... ..... ..... .#... ..... ..... ..... ..... ..... ..... ..#.. ..#.. ..#.. ..... .....
    #.##. .##.# #.##. .#### ####. #...# #...# #...# #...# #...# ##### ..#.. ..#.. ..#.. ..... .....
    ##..# #..## ##..# #.... .#... #...# #...# #.#.# .#.#. #...# ...#. .#... ..#.. ...#. .#... .....
    #...# #...# #.... .###. .#... #...# .#.#. #.#.# ..#.. #...# ..#.. ..#.. ..#.. ..#.. #.#.# .....
    #...# #...# #.... ....# .#... #...# .#.#. #.#.# ..#.. #...# .#... ..#.. ..#.. ..#.. ...#. .....
    ##..# #..## #.... ....# .#..# #..## ..#.. ##.## .#.#. #..## #.... ..#.. ..#.. ..#.. ..... #.#.#
    #.##. .##.# #.... ####. ..##. .##.# ..#.. #...# #...# .##.# ##### ..#.. ..#.. ..#.. ..... #.#.#
    #.... ....# ..... ..... ..... ..... ..... ..... ..... ....# ..... ...## ..#.. ##... ..... .....
    #.... ....# ..... ..... ..... ..... ..... ..... ..... #...# ..... ..... ..... ..... ..... .....
    #.... ....# ..... ..... ..... ..... ..... ..... ..... .###. ..... ..... ..... ..... ..... .....
    """,
    """
    ..... #####
    ..... #...#
    ..... #...#
    ..... #...#
    ..##. #...#
    ..##. #...#
    ..... #...#
    ..... #...#
    ..... #####
    ..... .....
    ..... .....
    ..... .....
    """,
  ]
}
