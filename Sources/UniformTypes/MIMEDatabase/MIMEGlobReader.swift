// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// A reader of one directory's file `globs2`, or of its predecessor `globs`.
///
/// A line is `weight:type:pattern[:flags[:more]]`, or `type:pattern` in the older file. The reader ignores unknown flags
/// and further fields, and skips malformed lines.
struct MIMEGlobReader {
  private let bytes: [UInt8]
  private let hasWeights: Bool

  private struct Line {
    let type: Range<Int>
    let pattern: Range<Int>
    let weight: UInt8
    let isCaseSensitive: Bool

    /// The range of `type:pattern`.
    var claim: Range<Int> { type.lowerBound..<pattern.upperBound }
  }

  /// - Parameters:
  ///   - bytes: The contents of the file.
  ///   - hasWeights: Whether the file is `globs2`.
  init(_ bytes: [UInt8], hasWeights: Bool) {
    self.bytes = bytes
    self.hasWeights = hasWeights
  }

  /// Adds the directory's globs to a table.
  ///
  /// - Parameters:
  ///   - table: The table of all directories.
  ///   - graph: The graph that assigns numbers to types.
  ///   - closed: The types whose globs are ignored because a nearer directory states `__NOGLOBS__` for them. The call
  ///     adds the types for which this directory states it.
  func read(into table: inout MIMEGlobTable, graph: inout MIMETypeGraph, closed: inout Set<MIMENameTable.ID>) {
    let (all, exact) = readLines()
    var closing: Set<MIMENameTable.ID> = []
    table.startDirectory()
    for line in all {
      let type = graph.types.insert(bytes.span.extracting(line.type))
      let pattern = bytes.span.extracting(line.pattern)
      if MIMESyntax.isEqual(pattern, "__NOGLOBS__") {
        closing.insert(type)
        continue
      }
      // The line repeats a case-sensitive line for readers that do not know the flag `cs`.
      if exact.count > 0, !line.isCaseSensitive, exact.find(bytes.span.extracting(line.claim)) != nil { continue }
      guard !closed.contains(type) else { continue }
      graph.noteKnown(type)
      table.insert(pattern, MIMEGlob(type: type, weight: line.weight), isCaseSensitive: line.isCaseSensitive)
    }
    closed.formUnion(closing)
  }

  /// Returns all lines, and the `type:pattern` of the lines with the flag `cs`.
  private func readLines() -> (all: [Line], exact: MIMENameTable) {
    var all: [Line] = []
    var exact = MIMENameTable(ignoresCase: false)
    var lines = MIMELines(bytes)
    while let range = lines.next() {
      guard let line = line(in: range, lines) else { continue }
      all.append(line)
      if line.isCaseSensitive { _ = exact.insert(bytes.span.extracting(line.claim)) }
    }
    return (all, exact)
  }

  private func line(in range: Range<Int>, _ lines: MIMELines) -> Line? {
    let span = bytes.span
    var rest = range
    var weight = MIMEGlob.defaultWeight
    if hasWeights {
      guard let (first, others) = lines.halves(of: rest, at: UInt8(ascii: ":")),
        let number = MIMESyntax.number(span.extracting(first))
      else { return nil }
      weight = UInt8(min(number, MIMEGlob.maximumWeight))
      rest = others
    }
    guard let (type, others) = lines.halves(of: rest, at: UInt8(ascii: ":")), MIMESyntax.isType(span.extracting(type))
    else { return nil }
    var pattern = others
    var isCaseSensitive = false
    if hasWeights, let (first, others) = lines.halves(of: others, at: UInt8(ascii: ":")) {
      pattern = first
      let flags = lines.halves(of: others, at: UInt8(ascii: ":"))?.0 ?? others
      isCaseSensitive = bytes[flags].split(separator: UInt8(ascii: ",")).contains { $0.elementsEqual("cs".utf8) }
    }
    guard !pattern.isEmpty, isUnicode(pattern) else { return nil }
    return Line(type: type, pattern: pattern, weight: weight, isCaseSensitive: isCaseSensitive)
  }

  private func isUnicode(_ range: Range<Int>) -> Bool {
    let span = bytes.span
    if range.allSatisfy({ span[$0] < 0x80 }) { return true }
    return String(validating: bytes[range], as: UTF8.self) != nil
  }
}
