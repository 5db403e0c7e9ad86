// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import UniformTypes

@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct MIMEGlobTableTests {
  private struct Line {
    let pattern: String
    let glob: MIMEGlob
    let isCaseSensitive: Bool

    var key: String { String(pattern.dropFirst(isSuffix ? 2 : 0)) }
    var isSuffix: Bool { pattern.utf8.count > 2 && pattern.hasPrefix("*.") }
    var isWildcard: Bool { key.contains { "*?[\\".contains($0) } }

    /// Returns whether the pattern matches a name, tested without an index.
    func matches(_ name: String) -> Bool {
      MIMEGlobPattern(pattern.utf8Span.span, ignoresCase: !isCaseSensitive)?.matches(name.utf8Span.span) == true
    }
  }

  /// Returns the claims on a name, found by trying each line.
  private func plainClaims(_ lines: [Line], onName name: String) -> [MIMEGlob] {
    let matching = lines.filter { $0.matches(name) }
    func claims(_ lines: [Line]) -> [MIMEGlob] {
      let spelled = lines.filter(\.isCaseSensitive)
      var seen: Set<MIMENameTable.ID> = []
      let first = (spelled.isEmpty ? lines : spelled).filter { seen.insert($0.glob.type).inserted }.map(\.glob)
      return first.enumerated().sorted { ($1.element.weight, $0.offset) < ($0.element.weight, $1.offset) }
        .map(\.element)
    }
    let whole = claims(matching.filter { !$0.isSuffix && !$0.isWildcard })
    if !whole.isEmpty { return whole }
    let suffixes = Dictionary(grouping: matching.filter { $0.isSuffix && !$0.isWildcard }, by: \.key.utf8.count)
    var best: [MIMEGlob] = []
    for length in suffixes.keys.sorted(by: >) {
      let found = claims(suffixes[length] ?? [])
      if best.isEmpty || (found.first?.weight ?? 0) > (best.first?.weight ?? 0) { best = found }
    }
    if !best.isEmpty { return best }
    let wild = matching.filter(\.isWildcard)
    let top = wild.map { [Int($0.glob.weight), $0.pattern.utf8.count] }.max { $0.lexicographicallyPrecedes($1) }
    var found: [MIMEGlob] = []
    for line in wild where [Int(line.glob.weight), line.pattern.utf8.count] == top && !found.contains(line.glob) {
      found.append(line.glob)
    }
    return found
  }

  @Test func claimsMatchTryingEveryPattern() {
    var generator = SeededGenerator.announced(#function)
    func text(_ alphabet: String, _ range: ClosedRange<Int>) -> String {
      let letters = Array(alphabet)
      return String(
        (0..<Int.random(in: range, using: &generator)).map { _ in letters.randomElement(using: &generator) ?? "a" })
    }
    for _ in 0..<300 {
      var table = MIMEGlobTable()
      table.startDirectory()
      var lines: [Line] = []
      for _ in 0..<Int.random(in: 1...25, using: &generator) {
        let pattern =
          switch Int.random(in: 0..<4, using: &generator) {
          case 0: text("aAb.", 1...3)
          case 1, 2: "*." + text("aAb.", 1...3)
          default: text("aAb.*?", 1...4)
          }
        let line = Line(
          pattern: pattern,
          glob: MIMEGlob(
            type: Int32.random(in: 0..<4, using: &generator), weight: UInt8.random(in: 49...51, using: &generator)),
          isCaseSensitive: Int.random(in: 0..<4, using: &generator) == 0)
        lines.append(line)
        table.insert(pattern.utf8Span.span, line.glob, isCaseSensitive: line.isCaseSensitive)
      }
      for _ in 0..<60 {
        let name = text("aAb.", 1...6)
        #expect(
          table.claims(onName: name.utf8Span.span) == plainClaims(lines, onName: name),
          "\(name) of \(lines.map { ($0.pattern, $0.glob.type, $0.glob.weight, $0.isCaseSensitive) })")
      }
      for type in Int32(0)..<4 {
        // Expects each extension once, in the order of insertion.
        var expected: [String] = []
        var seen: Set<String> = []
        for line in lines where line.glob.type == type && line.isSuffix && !line.isWildcard {
          let key = line.isCaseSensitive ? line.key : line.key.asciiLowercased
          if seen.insert("\(line.isCaseSensitive) \(key)").inserted { expected.append(key) }
        }
        #expect(table.extensions(of: type).map(\.asciiLowercased) == expected.map(\.asciiLowercased))
      }
    }
  }

  @Test func dropsClaimsAboveTheLimitAndSortsByWeight() {
    var index = MIMEGlobIndex(ignoresCase: true)
    let weights = (0..<70).map { UInt8(30 + $0 * 7 % 5) }
    for (type, weight) in weights.enumerated() {
      let id = index.insert("x".utf8Span.span, MIMEGlob(type: Int32(type), weight: weight))
      #expect((id == nil) == (type >= MIMEGlobTable.maximumClaims))
    }
    let expected = weights.prefix(MIMEGlobTable.maximumClaims).enumerated()
      .sorted { ($1.element, $0.offset) < ($0.element, $1.offset) }.map {
        MIMEGlob(type: Int32($0.offset), weight: $0.element)
      }
    #expect(index.find("X".utf8Span.span) == expected)
    #expect(index.find("y".utf8Span.span).isEmpty && index.find("xx".utf8Span.span).isEmpty)
  }

  @Test func findsPatternsAboveTheLengthBits() {
    var index = MIMEGlobIndex(ignoresCase: true)
    for length in [62, 63, 64, 200] {
      let key = String(repeating: "k", count: length)
      #expect(index.find(key.utf8Span.span).isEmpty)
      _ = index.insert(key.utf8Span.span, MIMEGlob(type: Int32(length), weight: 50))
      #expect(index.find(key.utf8Span.span).map(\.type) == [Int32(length)])
    }
  }
}
