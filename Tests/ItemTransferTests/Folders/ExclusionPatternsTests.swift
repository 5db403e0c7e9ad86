// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import ItemTransfer

@Suite(.timeLimit(minutes: 5)) struct ExclusionPatternsTests {
  /// Patterns, and paths with whether they are left out; a slash at the end marks a folder.
  ///
  /// `git check-ignore` gives the same results.
  private static let table: [(patterns: [String], paths: KeyValuePairs<String, Bool>)] = [
    (["*.o"], ["a.o": true, "x/y/a.o": true, ".o": true, "a.o/": true, "a.oo": false, "a.c": false]),
    (["build/"], ["build/": true, "x/build/": true, "build": false, "builds/": false]),
    (["/docs"], ["docs": true, "docs/": true, "x/docs": false]),
    (["docs/*.pdf"], ["docs/a.pdf": true, "docs/x/a.pdf": false, "x/docs/a.pdf": false]),
    (["./docs/"], ["docs/": true, "docs": false, "x/docs/": false]),
    (["a/**/b"], ["a/b": true, "a/x/b": true, "a/x/y/b": true, "ab": false, "x/a/b": false]),
    (["**/b"], ["b": true, "x/b": true]), (["a/**"], ["a/x": true, "a/x/y": true, "a/": false]),
    (["a/**/**/b", "**/**"], ["a/b": true, "c": true]),
    (["*", "!*.c", "x.c"], ["a": true, "a.c": false, "x.c": true, "d/a.c": false]),
    (
      ["[ab]?", "\\!x", "\\#y", "caf\u{E9}"],
      [
        "ax": true, "b": false, "cx": false, "!x": true, "#y": true, "caf\u{E9}": true, "cafe\u{301}": false,
      ]
    ),
  ]

  @Test func lastPatternThatMatchesDecides() {
    for (texts, paths) in Self.table {
      var patterns = ExclusionPatterns()
      for text in texts {
        let isPattern = patterns.append(text.utf8)
        #expect(isPattern, "\(text)")
      }
      for (path, isExcluded) in paths {
        let isFolder = path.hasSuffix("/")
        let bytes = Array(path.utf8.dropLast(isFolder ? 1 : 0))
        #expect(patterns.excludes(bytes, isFolder: isFolder) == isExcluded, "\(texts) \(path)")
      }
    }
  }

  @Test func textWithoutANameIsNoPattern() {
    var patterns = ExclusionPatterns()
    for text in ["", "/", "!", "!/", ".", "./", "//", "a\0b"] {
      let isPattern = patterns.append(text.utf8)
      #expect(!isPattern, "\(text)")
    }
    #expect(patterns.isEmpty && !patterns.excludes("a".utf8, isFolder: false))
  }

  @Test func linesHaveCommentsAndSpacesAtTheirEnds() {
    var patterns = ExclusionPatterns()
    patterns.append(lines: "# a\n\na  \r\nb\\ \n#c\n\\#d\n   \n".utf8)
    let names = ["a", "a  ", "b", "b ", "c", "#c", "#d", "# a"]
    #expect(names.filter { patterns.excludes($0.utf8, isFolder: false) } == ["a", "b ", "#d"])
    // A byte order mark is not part of a pattern, and a backslash may itself be escaped.
    var marked = ExclusionPatterns()
    marked.append(lines: "\u{FEFF}e\nf\\\\ \n./g\nh//i\nj/***/k\n".utf8)
    let paths = ["e", "f\\", "g", "h/i", "j/x/y/k"]
    #expect(paths.filter { marked.excludes($0.utf8, isFolder: false) } == ["e", "f\\", "j/x/y/k"])
  }

  @Test func patternsFromTheTopDoNotApplyToTheTop() {
    var patterns = ExclusionPatterns()
    for text in ["/a", "b", "x/c"] { _ = patterns.append(text.utf8) }
    let names = ["a", "b", "c"]
    #expect(names.filter { patterns.excludes($0.utf8, isFolder: true, anyDepthOnly: true) } == ["b"])
  }

  @Test func patternsMayAlsoStartWhereThePathOfTheTopStarts() {
    var patterns = ExclusionPatterns()
    for text in ["a/b/x", "/a/b/y", "./b/z", "*.o", "!/keep.o"] { _ = patterns.append(text.utf8) }
    let names = ["x", "y", "z", "a.o", "keep.o", "b/z"]
    func excluded(below top: String) -> [String] {
      names.filter { patterns.excludes($0.utf8, isFolder: false, below: top) }
    }
    #expect(excluded(below: "./a/b/") == ["x", "y", "a.o", "b/z"] && excluded(below: "b") == ["z", "a.o", "b/z"])
    #expect(excluded(below: "") == ["a.o", "b/z"])
  }

  @Test func manyStarsTakeLittleTime() {
    var patterns = ExclusionPatterns()
    _ = patterns.append((String(repeating: "*a", count: 100) + "b").utf8)
    _ = patterns.append((Array(repeating: "**/a", count: 20).joined(separator: "/") + "/b").utf8)
    let name = String(repeating: "a", count: 250)
    let path = Array(repeating: "a", count: 60).joined(separator: "/")
    #expect(!patterns.excludes(name.utf8, isFolder: false) && !patterns.excludes(path.utf8, isFolder: false))
  }

  @Test func excludedFilesAreNotInTheArchiveWhateverTheirNames() throws {
    try withFolder(["a.c": "1", "a.o": "2", "build/x/y": "3", "sub/b.o": "4", "sub/build": "5", "bad\n.o": "6"]) {
      folder in
      var patterns = ExclusionPatterns()
      for text in ["*.o", "build/"] { _ = patterns.append(text.utf8) }
      let options = FolderArchiveOptions { $0.excludes = { [patterns] in patterns.excludes($0, isFolder: $1) } }
      let names = try extractedTree(archive(of: folder, options)).keys.map { String(decoding: $0, as: UTF8.self) }
      #expect(names.sorted() == ["", "a.c", "sub", "sub/build"])
      #expect(FolderListing.unsafeName(inFolder: folder.path, called: "Tales", options) == nil)
      #expect(FolderListing.unsafeName(inFolder: folder.path, called: "Tales") != nil)
    }
  }
}
