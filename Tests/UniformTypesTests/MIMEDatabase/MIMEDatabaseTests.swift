// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import UniformTypes

@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct MIMEDatabaseTests {
  @Test func emptyDatabaseGuessesFromContent() {
    let database = MIMEDatabase(directories: ["/no/such/directory/mime"])
    #expect(!database.isKnown("a/b") && database.magicExtent == 0 && database.canonicalType(of: "a/b") == "a/b")
    #expect(database.type(ofName: "a.png") == nil && database.types(withFilenameExtension: "png").isEmpty)
    let matches: [MIMEDatabase.Match] = [
      .init(type: "text/plain", evidence: .guess), .init(type: "application/octet-stream", evidence: .guess),
      .init(type: "application/x-zerosize", evidence: .content),
    ]
    #expect([Array("text".utf8), [0, 1, 2], []].map { database.sniff($0) } == matches)
  }

  @Test func directoriesFollowTheXDGSpecification() {
    let system = ["/usr/local/share/mime", "/usr/share/mime"]
    for (environment, directories) in [
      ([:], system), (["XDG_DATA_DIRS": ""], system), (["HOME": "/h"], ["/h/.local/share/mime"] + system),
      (["HOME": "/h", "XDG_DATA_HOME": ""], ["/h/.local/share/mime"] + system),
      (["HOME": "/h", "XDG_DATA_HOME": "/d/"], ["/d/mime"] + system),
      (["XDG_DATA_HOME": "d", "XDG_DATA_DIRS": "a:/b::/c/:/b"], ["/b/mime", "/c/mime"]),
    ] as [([String: String], [String])] {
      #expect(MIMEDatabase.systemDirectories(environment: { environment[$0] }) == directories)
    }
  }

  // MARK: Skipped files

  @Test func skippedFilesAreReported() throws {
    let fixture = try MIMEFixture()
    let file = "\(fixture.path)/mime.cache"
    var remarks = [fixture.database().remarks]
    try fixture.write("mime.cache", MIMECacheContents().bytes.dropLast())
    remarks.append(fixture.database().remarks)
    try FileManager.default.removeItem(atPath: file)
    try #require(mkfifo(file, 0o600) == 0)
    remarks.append(fixture.database().remarks)
    try FileManager.default.removeItem(atPath: file)
    try FileManager.default.createSymbolicLink(atPath: file, withDestinationPath: "mime.cache")
    remarks.append(fixture.database().remarks)
    #expect(
      remarks == [
        ["\(file): the file is missing; update-mime-database writes it"],
        ["\(file): byte 84: the file ends before this number; it is ignored"],
        ["\(file): this is not a regular file; it is ignored"],
        ["\(file): Too many levels of symbolic links; it is ignored"],
      ])
    #expect(MIMEDatabase(directories: ["/no/such", "/dev/null"]).remarks.isEmpty)
  }

  @Test(arguments: [(0, true), (1, false)])
  func overlongFileIsSkippedWithARemark(excess: Int, isRead: Bool) throws {
    let fixture = try MIMEFixture()
    let bytes = MIMECacheContents(globs: "50:a/x:*.x\n").bytes
    try fixture.write(
      "mime.cache", bytes + [UInt8](repeating: 0, count: MIMECacheFile.maximumLength - bytes.count + excess))
    let database = fixture.database()
    let remark = "\(fixture.path)/mime.cache: the file has more than 4194304 bytes; it is ignored"
    #expect(database.remarks == (isRead ? [] : [remark]))
    #expect(database.type(ofName: "f.x") == (isRead ? "a/x" : nil))
  }

  // MARK: Aliases

  @Test func aliasLeadsToTheCanonicalNameInAnyCase() throws {
    let database = try MIMEDatabase.reading(.init(aliases: "audio/x-amr audio/AMR\n"))
    for name in ["audio/amr", "Audio/X-Amr"] {
      #expect(database.canonicalType(of: name) == "audio/AMR" && database.aliases(of: name) == ["audio/x-amr"])
    }
    #expect(["audio/x-amr", "audio/other"].map { database.isKnown($0) } == [true, false])
  }

  @Test(arguments: [(8, true), (9, false)])
  func followsAChainOfAliasesUpToTheLimit(hops: Int, isFollowed: Bool) throws {
    let database = try MIMEDatabase.reading(.init(aliases: (0..<hops).map { "a/n\($0) a/n\($0 + 1)\n" }.joined()))
    #expect(database.canonicalType(of: "a/n0") == (isFollowed ? "a/n\(hops)" : "a/n0"))
  }

  @Test func nearerAliasTakesPrecedenceAndCyclesAreIgnored() throws {
    let database = try MIMEDatabase.reading(
      .init(aliases: "a/x a/near\na/a a/b\na/b a/a\na/c a/c\na/d a/a\n"), .init(aliases: "a/x a/far\n"))
    let types = ["a/x", "a/a", "a/b", "a/c", "a/d"].map { database.canonicalType(of: $0) }
    #expect(types == ["a/near", "a/a", "a/b", "a/c", "a/d"])
  }

  // MARK: Parents

  @Test func unstatedParentsAreTextOrBytes() throws {
    let database = try MIMEDatabase.reading(
      .init(
        aliases: "a/alias a/type\n",
        parents: "image/svg+xml application/xml\nimage/svg+xml a/second\ntext/x-c a/alias\n"))
    for (type, parents) in [
      ("image/svg+xml", ["application/xml", "a/second"]), ("TEXT/X-C", ["a/type"]), ("text/x-new", ["text/plain"]),
      ("text/plain", ["application/octet-stream"]), ("image/png", ["application/octet-stream"]),
      ("application/octet-stream", []), ("inode/directory", []), ("x-content/audio-cdda", []),
      ("x-scheme-handler/http", []),
    ] {
      let isData = type == "application/octet-stream" || !parents.isEmpty
      let isSubtype = database.isSubtype(type, of: "application/octet-stream")
      #expect(database.parents(of: type) == parents && isSubtype == isData, "\(type)")
    }
  }

  @Test func findsIndirectSubtypesAndCyclesTerminate() throws {
    let database = try MIMEDatabase.reading(
      .init(
        parents: """
          image/svg+xml application/xml
          application/xml text/xml2
          a/a a/b
          a/b a/c
          a/c a/a
          a/self a/self

          """))
    for (type, parent, isSubtype) in [
      ("image/SVG+xml", "text/XML2", true), ("image/svg+xml", "text/plain", true),
      ("image/svg+xml", "application/octet-stream", true), ("text/unknown", "text/plain", true),
      ("un/known", "UN/known", true), ("a/a", "a/c", true), ("a/c", "a/b", true),
      ("application/xml", "image/svg+xml", false), ("image/png", "text/plain", false), ("a/a", "a/other", false),
      ("a/a", "a/self", false),
    ] {
      #expect(database.isSubtype(type, of: parent) == isSubtype, "\(type), \(parent)")
    }
    #expect(database.parents(of: "a/self") == ["application/octet-stream"])
  }

  @Test(arguments: [(1023, true), (1024, false)])
  func followsAChainOfSupertypesUpToTheLimit(length: Int, isFollowed: Bool) throws {
    let database = try MIMEDatabase.reading(.init(parents: (0..<length).map { "a/n\($0) a/n\($0 + 1)\n" }.joined()))
    #expect(database.isSubtype("a/n0", of: "a/n\(length)") == isFollowed)
  }

  // MARK: Names

  @Test func wildcardsMatch() throws {
    for (pattern, name, isMatch) in [
      ("a*c", "abbc", true), ("a*c", "abbcd", false), ("a?c", "abc", true), ("a?c", "ac", false),
      ("*.so.[0-9]*", "lib.so.2.4", true), ("*.so.[0-9]*", "lib.so.x", false), ("[!a-c]x", "DX", true),
      ("[^a-c]x", "bx", false), ("[]]x", "]x", true), ("\\*x", "*x", true), ("\\*x", "ax", false),
      ("readme*", "README.md", true), ("*~", "x~", true), ("*a*b*c", "xxaxxbxxbc", true),
    ] {
      let database = try MIMEDatabase.reading(.init(globs: "50:a/x:\(pattern)\n"))
      #expect((database.type(ofName: name) == "a/x") == isMatch, "\(pattern), \(name)")
    }
  }

  @Test func patternOfManyStarsMatchesInBoundedTime() async throws {
    // Trying all positions of all stars would never end.
    let pattern = String(repeating: "*a", count: 127) + "b"
    let database = try MIMEDatabase.reading(.init(globs: "50:a/x:\(pattern)\n"))
    let name = String(repeating: "a", count: 255)
    #expect(try await onThread { database.type(ofName: name) } == nil)
  }

  private func expect(
    _ database: MIMEDatabase, _ types: KeyValuePairs<String, String?>,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    for (name, type) in types {
      #expect(database.type(ofName: name) == type, "\(name)", sourceLocation: sourceLocation)
    }
  }

  @Test func extensionsLeadToTypesAndBack() throws {
    let database = try MIMEDatabase.reading(
      .init(globs: "40:a/light:*.x\n50:a/tar:*.tar.gz\n50:a/gz:*.gz\n60:a/heavy:*.x\n50:a/gz:*.gzip\n50:a/gz:*z\n"))
    let types = ["x", "TAR.GZ", ".x", ""].map { database.types(withFilenameExtension: $0) }
    #expect(types == [["a/heavy", "a/light"], ["a/tar"], [], []])
    #expect(["a/GZ", "a/none"].map { database.filenameExtensions(of: $0) } == [["gz", "gzip"], []])
    let long = [254, 255].map { String(repeating: ".", count: $0) + "x" }
    expect(
      database, ["x.tar.gz": "a/tar", "/dir.x/y.Gz": "a/gz", "x.gz/": nil, "x": nil, long[0]: "a/heavy", long[1]: nil])
  }

  @Test func preferredExtensionComesFromTheDocument() throws {
    let fixture = try MIMEFixture(.init(globs: "50:video/q:*.moov\n50:video/q:*.mov\n50:video/q:*.qt\n"))
    let document = #"<mime-type><glob pattern="*.QT"/><glob weight="5" pattern="*.mov"/><glob pattern="*.no"/>"#
    try fixture.write("video/q.xml", Array(document.utf8))
    let database = fixture.database()
    for _ in 0..<2 { #expect(database.filenameExtensions(of: "VIDEO/q") == ["qt", "mov", "moov"]) }
  }

  @Test func caseSensitiveGlobHidesOthers() throws {
    let database = try MIMEDatabase.reading(
      .init(globs: "50:t/cpp:*.C:cs\n50:t/c:*.c\n50:t/d:*.D:cs\n50:t/core:core:cs\n"))
    expect(database, ["a.C": "t/cpp", "a.c": "t/c", "a.D": "t/d", "a.d": nil, "core": "t/core", "Core": nil])
    #expect(database.types(withFilenameExtension: "C") == ["t/cpp"])
  }

  @Test func fullNamePrecedesExtensionAndWildcard() throws {
    let database = try MIMEDatabase.reading(
      .init(globs: "90:a/wild:read*\n50:a/md:*.md\n10:a/whole:readme.md\n20:a/longer:read.*\n90:a/long:read.?\n"))
    expect(database, ["README.md": "a/whole", "read.md": "a/md", "reading": "a/wild", "read.x": "a/long"])
  }

  @Test func nearerDirectoryDiscardsFartherGlobs() throws {
    let near = MIMECacheContents(globs: "0:a/x:__NOGLOBS__\n50:a/x:*.new\n")
    let far = MIMECacheContents(globs: "50:a/x:*.old\n50:a/y:*.old2\n")
    try expect(.reading(near, far), ["f.old": nil, "f.new": "a/x", "f.old2": "a/y"])
    try expect(.reading(far, near), ["f.old": "a/x"])
    #expect(try MIMEDatabase.reading(near, far).filenameExtensions(of: "a/x") == ["new"])
  }

  @Test func nearerDirectoryWinsAtEqualWeight() throws {
    let database = try MIMEDatabase.reading(
      .init(globs: "50:a/near:*.x\n10:a/both:*.y\n"), .init(globs: "50:a/far:*.x\n90:a/both:*.y\n50:a/other:*.y\n"))
    let types = ["x", "y"].map { database.types(withFilenameExtension: $0) }
    #expect(types == [["a/near", "a/far"], ["a/both", "a/other"]])
  }

  // MARK: Names and content

  private static let contents = MIMECacheContents(
    aliases: "old/name a/new\nold/light a/light\n", parents: "a/special a/base\nt/script text/plain\n",
    globs: """
      60:a/heavy:*.x
      50:a/base:*.x
      10:a/light:*.x
      50:a/one:*.one
      50:t/script:*.ts
      50:t/video:*.ts
      50:old/name:*.old
      50:a/new:*.old
      """,
    roots: "urn:x  a/namespace\nurn:x root a/root\nurn:y a ../b\n",
    magic: [
      ("old/light", 50, [.init("LIGHT")]), ("a/special", 50, [.init("SPECIAL")]),
      ("a/stranger", 50, [.init("STRANGER")]), ("application/xml", 50, [.init("<?xml")]),
    ])

  @Test func nameThenContentDecides() throws {
    let database = try MIMEDatabase.reading(Self.contents)
    for (name, text, type, evidence) in [
      // A single claim on the name decides.
      ("f.one", "STRANGER", "a/one", .name), ("f.one", "", "a/one", .name),
      // Two names of one type are a single claim.
      ("f.old", "", "a/new", .name),
      // The content selects among several claims.
      ("f.x", "LIGHT", "a/light", .nameAndContent), ("f.x", "SPECIAL", "a/special", .nameAndContent),
      ("f.x", "STRANGER", "a/heavy", .guess), ("f.x", "", "a/heavy", .guess),
      ("f.ts", "let a = 1", "t/script", .guess),
      // The content decides without a claim on the name.
      ("f", "LIGHT", "a/light", .content), ("f", "none", "text/plain", .guess),
      ("f", "\0\u{1}", "application/octet-stream", .guess), ("f", "", "application/x-zerosize", .content),
    ] as [(String, String, String, MIMEDatabase.Match.Evidence)] {
      #expect(
        database.type(ofName: name, text: text) == .init(type: type, evidence: evidence), "\(name), \(text)")
    }
    #expect(database.type(ofName: "f.ts", bytes: [0x47, 0]).evidence == .guess)
  }

  @Test(arguments: [(127, false), (128, true)])
  func controlCharacterInTheFirst128BytesIsNotText(offset: Int, isText: Bool) throws {
    let database = try MIMEDatabase.reading(Self.contents)
    var content = [UInt8](repeating: 0x61, count: 200)
    content[offset] = 0
    #expect(database.sniff(content).type == (isText ? "text/plain" : "application/octet-stream"))
  }

  @Test func rootElementDeterminesTheTypeOfXML() throws {
    let database = try MIMEDatabase.reading(Self.contents)
    for (text, type) in [
      ("<?xml version='1.0'?>\n<!-- <no xmlns='urn:x'/> -->\n<root xmlns=\"urn:x\">", "a/root"),
      ("  <p:root a='>' xmlns:p='urn:x'/>", "a/root"), ("<other xmlns='urn:x'>", "a/namespace"),
      ("<!DOCTYPE root [<!ELEMENT root (a)> <!ENTITY b \"]>\">]><root xmlns='urn:x'>", "a/root"),
      ("<?xml version='1.0'?><root>", "application/xml"),
      ("<?xml version='1.0'?><root xmlns='urn:z'>", "application/xml"),
      ("<?xml version='1.0'?><root xmlns='urn:x'", "application/xml"), ("<?xml", "application/xml"),
      ("<q:root xmlns='urn:x'>", "text/plain"), ("< root xmlns='urn:x'>", "text/plain"), ("<", "text/plain"),
      ("<a xmlns='urn:y'>", "text/plain"),
    ] {
      #expect(database.sniff(text).type == type, "\(text)")
    }
  }

  // MARK: The system's database

  @Test(.enabled(if: hasSystemDirectory)) func readsTheSystemDatabase() {
    let database = MIMEDatabase(directories: [systemDirectory])
    #expect(database.remarks.isEmpty && 1000..<MIMEDatabase.maximumMagicExtent ~= database.magicExtent)
    let found = [
      database.types(withFilenameExtension: "png").first, database.filenameExtensions(of: "image/jpeg").first,
      database.type(ofName: "a.tar.gz"),
    ]
    #expect(found == ["image/png", "jpg", "application/x-compressed-tar"])
    #expect(database.isSubtype("image/svg+xml", of: "text/plain"))
    let match = database.sniff([0x89] + Array("PNG\r\n".utf8) + [0x1A, 0x0A])
    #expect(match == .init(type: "image/png", evidence: .content))
  }
}

private let systemDirectory = "/usr/share/mime"
private let hasSystemDirectory = FileManager.default.fileExists(atPath: "\(systemDirectory)/mime.cache")
