// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials

extension Board {
  /// Reads a board file: an object with `columns`, or a bare array of columns.
  ///
  /// - Throws: ``HeroCardError/Code/malformed``, ``HeroCardError/Code/truncated``, ``HeroCardError/Code/empty`` or
  ///   ``HeroCardError/Code/limitExceeded`` (for nesting; the length is yours to bound) where it is no sound JSON,
  ///   ``HeroCardError/Code/invalidValue`` or ``HeroCardError/Code/notCards`` where it is no board.
  public init(jsonData: Data) throws(HeroCardError) {
    let layout = JSONElementLayout(route: nil, unfit: .notCards)
    var scanner = JSONElementScanner(layout: layout, limits: HeroCardLimits(elementBytes: jsonData.count))
    scanner.append(jsonData)
    scanner.finish()
    guard let element = try scanner.next() else {
      throw HeroCardError(.empty, at: JSONPath(), byteOffset: 0, reason: "no JSON value")
    }
    if let other = try scanner.next() {
      throw HeroCardError(.malformed, at: JSONPath(), byteOffset: other.byteOffset, reason: "a second value")
    }
    do {
      self = try JSONDecoder().decode(Board.self, from: element.bytes)
    } catch {
      throw HeroCardError(error, in: element, unfit: .notCards)
    }
  }

  /// The board as a file keeps it, for people to read: indented, keys sorted, slashes not escaped, and the last line
  /// ended.
  ///
  /// The same board gives the same bytes, always. Cards are written without ``Card/column``: their place says it.
  ///
  /// - Throws: `EncodingError` where the board cannot be written.
  public func jsonData() throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return try encoder.encode(self) + "\n".utf8
  }
}
