// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import UniformTypes

@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct MIMEGlobTests {
  // MARK: Patterns

  /// Returns whether a name matches a pattern, or `nil` if the pattern is invalid.
  private func matches(_ pattern: String, _ name: String) -> Bool? {
    MIMEGlobPattern(pattern.utf8Span.span, ignoresCase: true).map { $0.matches(name.utf8Span.span) }
  }

  @Test(arguments: [
    ("*", "", true), ("*", "abc", true), ("a*c", "abbc", true), ("a*c", "abbcd", false), ("a?c", "abc", true),
    ("a?c", "ac", false), ("*.so.[0-9]*", "lib.so.2.4", true), ("*.so.[0-9]*", "lib.so.x", false),
    ("[!a-c]x", "dx", true), ("[^a-c]x", "bx", false), ("[]]x", "]x", true), ("[a", "[a", true), ("[a", "a", false),
    ("\\*x", "*x", true), ("\\*x", "ax", false), ("a\\", "a\\", true), ("[a-]", "-", true),
    ("README*", "readme.md", true),
    ("**a**", "bab", true), ("*~", "x~", true), ("[z-a]", "m", false), ("*a*b*c", "xxaxxbxxbc", true),
  ])
  func patternsMatch(pattern: String, name: String, isMatch: Bool) {
    #expect(matches(pattern, name) == isMatch)
  }

  @Test func patternOfManyStarsMatchesInBoundedTime() {
    let pattern = String(repeating: "*a", count: 127)
    let name = String(repeating: "a", count: 255)
    let time = ContinuousClock().measure {
      for _ in 0..<100 { #expect(matches("\(pattern)b", name) == false) }
    }
    #expect(time < .seconds(5))
  }

  @Test(arguments: [(0, false), (1, true), (255, true), (256, false)])
  func overlongPatternIsRejected(length: Int, isPattern: Bool) {
    let pattern = String(repeating: "a", count: length)
    #expect((matches(pattern, pattern) != nil) == isPattern)
  }

  // MARK: Extensions

  @Test func extensionsLeadToTypesAndBack() throws {
    let fixture = try MIMEFixture()
    try fixture.write("globs2", "40:a/light:*.x\n50:a/tar:*.tar.gz\n50:a/gz:*.gz\n60:a/heavy:*.x\n50:a/gz:*.gzip\n")
    let database = fixture.database()
    #expect(database.types(withFilenameExtension: "x") == ["a/heavy", "a/light"])
    #expect(database.types(withFilenameExtension: "TAR.GZ") == ["a/tar"])
    #expect(database.types(withFilenameExtension: ".x").isEmpty)
    #expect(database.types(withFilenameExtension: "").isEmpty)
    #expect(database.filenameExtensions(of: "a/GZ") == ["gz", "gzip"])
    #expect(database.filenameExtensions(of: "a/none").isEmpty)
    #expect(database.type(ofName: "x.tar.gz") == "a/tar")
    #expect(database.type(ofName: "/dir.x/y.Gz") == "a/gz")
    #expect(database.type(ofName: "x.gz/") == nil)
    #expect(database.type(ofName: "x") == nil)
  }

  @Test func preferredExtensionComesFromTheDocument() throws {
    let fixture = try MIMEFixture()
    fixture.makeDirectory("mime/video")
    try fixture.write("globs2", "50:video/q:*.moov\n50:video/q:*.mov\n50:video/q:*.qt\n")
      .write(
        "video/q.xml", #"<mime-type><glob pattern="*.QT"/><glob pattern='*.mov'/><glob pattern="*.no"/></mime-type>"#)
    let database = fixture.database()
    #expect(database.filenameExtensions(of: "video/q") == ["qt", "mov", "moov"])
    #expect(database.filenameExtensions(of: "video/q") == ["qt", "mov", "moov"])
  }

  @Test func caseSensitiveGlobIgnoresItsCopyForOldReaders() throws {
    let fixture = try MIMEFixture()
    try fixture.write(
      "globs2", "50:t/cpp:*.C:cs\n50:t/cpp:*.C\n50:t/c:*.c\n50:t/c:*.c:cs,new\n50:t/core:core:new,cs:more\n")
    let database = fixture.database()
    #expect(database.type(ofName: "a.C") == "t/cpp")
    #expect(database.type(ofName: "a.c") == "t/c")
    #expect(database.types(withFilenameExtension: "C") == ["t/cpp"])
    #expect(database.type(ofName: "core") == "t/core")
    #expect(database.type(ofName: "Core") == nil)
  }

  @Test func fullNamePrecedesExtensionAndWildcard() throws {
    let fixture = try MIMEFixture()
    try fixture.write(
      "globs2", "90:a/wild:read*\n50:a/md:*.md\n10:a/whole:readme.md\n20:a/longer:read.*\n90:a/long:read.?\n")
    let database = fixture.database()
    #expect(database.type(ofName: "README.md") == "a/whole")
    #expect(database.type(ofName: "read.md") == "a/md")
    #expect(database.type(ofName: "reading") == "a/wild")
    #expect(database.type(ofName: "read.x") == "a/long")
  }

  // MARK: Directories

  @Test func nearerDirectoryDiscardsFartherGlobs() throws {
    let near = try MIMEFixture()
    let far = try MIMEFixture()
    try near.write("globs2", "0:a/x:__NOGLOBS__\n50:a/x:*.new\n")
    try far.write("globs2", "50:a/x:*.old\n50:a/y:*.old2\n")
    let database = MIMEDatabase(directories: [near.path, far.path])
    #expect(database.type(ofName: "f.old") == nil)
    #expect(database.type(ofName: "f.new") == "a/x")
    #expect(database.type(ofName: "f.old2") == "a/y")
    #expect(MIMEDatabase(directories: [far.path, near.path]).type(ofName: "f.old") == "a/x")
  }

  @Test func nearerDirectoryWinsAtEqualWeight() throws {
    let near = try MIMEFixture()
    let far = try MIMEFixture()
    try near.write("globs2", "50:a/near:*.x\n10:a/both:*.y\n")
    try far.write("globs2", "50:a/far:*.x\n90:a/both:*.y\n50:a/other:*.y\n")
    let database = MIMEDatabase(directories: [near.path, far.path])
    #expect(database.types(withFilenameExtension: "x") == ["a/near", "a/far"])
    #expect(database.types(withFilenameExtension: "y") == ["a/other", "a/both"])
  }

  @Test func readsOlderFileWithoutANewerOne() throws {
    let fixture = try MIMEFixture()
    try fixture.write("globs", "# comment\na/x:*.x\n")
    #expect(fixture.database().type(ofName: "f.x") == "a/x")
    try fixture.write("globs2", "50:a/y:*.y\n")
    #expect(fixture.database().type(ofName: "f.x") == nil)
  }

  // MARK: Malformed files

  @Test func skipsMalformedLines() throws {
    let fixture = try MIMEFixture()
    var bytes = Array(
      "50:a/x\n:::\n-1:a/x:*.a\n9999999999:a/x:*.b\n50:ax:*.c\n50:a/x/y:*.d\n50:a/x:\n5x:a/x:*.e\n".utf8)
    bytes +=
      Array("50:a/x:*.".utf8) + [0xFF, 0xFE] + Array("\n50:../x:*.g\n50:a/..:*.g\n\n\n50:a/x:*.good\n50:a/x:*.cut".utf8)
    try fixture.write("globs2", bytes)
    let database = fixture.database()
    #expect(database.filenameExtensions(of: "a/x") == ["good", "cut"])
    #expect(database.allTypes == ["a/x"])
  }

  @Test(arguments: [(4096, true), (4097, false)])
  func skipsOverlongLines(length: Int, isRead: Bool) throws {
    let fixture = try MIMEFixture()
    let line = "50:a/x:*.x:"
    try fixture.write("globs2", line + String(repeating: "f", count: length - line.utf8.count) + "\n50:a/y:*.y\n")
    #expect((fixture.database().type(ofName: "f.x") == "a/x") == isRead)
    #expect(fixture.database().type(ofName: "f.y") == "a/y")
  }

  @Test(arguments: [(0, true), (1, false)])
  func skipsOverlongFileWithARemark(excess: Int, isRead: Bool) throws {
    let fixture = try MIMEFixture()
    var bytes = Array("50:a/x:*.x\n".utf8)
    bytes += [UInt8](repeating: UInt8(ascii: "\n"), count: MIMEDatabase.maximumFileLength - bytes.count + excess)
    try fixture.write("globs2", bytes)
    let database = fixture.database()
    #expect((database.type(ofName: "f.x") == "a/x") == isRead)
    let remark = "\(fixture.path)/globs2: the file has more than 16777216 bytes; it is ignored"
    #expect(database.remarks == (isRead ? [] : [remark]))
  }

  @Test func refusedFilesAreReported() throws {
    let fixture = try MIMEFixture()
    fixture.makeFIFO("globs2")
    fixture.makeDirectory("mime/aliases")
    #expect(
      fixture.database().remarks
        == ["aliases", "globs2"].map {
          "\(fixture.path)/\($0): this is not a regular file; it is ignored"
        })
    #expect(MIMEDatabase(directories: ["/no/such", "/dev/null"]).remarks.isEmpty)
  }

  @Test func unreadableFileIsReportedWithTheSystemError() throws {
    let fixture = try MIMEFixture()
    fixture.makeLink("types", to: "types")
    let error = "Too many levels of symbolic links"
    #expect(fixture.database().remarks == ["\(fixture.path)/types: \(error); it is ignored"])
  }

  @Test func specialFilesDoNotBlock() throws {
    let fixture = try MIMEFixture()
    fixture.makeFIFO("globs2")
    fixture.makeDirectory("mime/aliases")
    try fixture.write("globs", "a/x:*.x\n")
    #expect(fixture.database().type(ofName: "f.x") == "a/x")
  }

  @Test func limitsClaimsWildcardsAndExtensions() throws {
    let fixture = try MIMEFixture()
    var text = (0..<65).map { "50:a/n\($0):*.x\n" }.joined()
    text += (0..<257).map { "50:w/n\($0):w\($0)[x]\n" }.joined()
    text += (0..<257).map { "50:e/e:*.e\($0)\n" }.joined()
    try fixture.write("globs2", text)
    let database = fixture.database()
    #expect(database.types(withFilenameExtension: "x").count == 64)
    #expect(database.type(ofName: "w255x") == "w/n255")
    #expect(database.type(ofName: "w256x") == nil)
    #expect(database.filenameExtensions(of: "e/e").count == 256)
    #expect(database.type(ofName: "f.e256") == "e/e")
  }

  @Test(.timeLimit(.minutes(10)))
  func readsManyShortLinesInBoundedTime() throws {
    let fixture = try MIMEFixture()
    var bytes: [UInt8] = []
    var number = 0
    while bytes.count < 2 << 20 {
      bytes += Array("1:a/\(number % 7):*.\(number)\n".utf8)
      number += 1
    }
    try fixture.write("globs2", bytes)
    #expect(fixture.database().types(withFilenameExtension: "\(number - 1)") == ["a/\((number - 1) % 7)"])
  }

  @Test(arguments: [(255, "a/x"), (256, nil)])
  func overlongNameMatchesNothing(length: Int, type: String?) throws {
    let fixture = try MIMEFixture()
    try fixture.write("globs2", "50:a/x:*.x\n")
    #expect(fixture.database().type(ofName: String(repeating: ".", count: length - 1) + "x") == type)
  }
}
