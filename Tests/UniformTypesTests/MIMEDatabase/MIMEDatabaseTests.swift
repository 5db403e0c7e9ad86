// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import UniformTypes

@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct MIMEDatabaseTests {
  @Test func emptyDatabaseGuessesFromContent() {
    let database = MIMEDatabase(directories: ["/no/such/directory/mime"])
    #expect(database.allTypes.isEmpty)
    #expect(database.type(ofName: "a.png") == nil)
    #expect(database.types(withFilenameExtension: "png").isEmpty)
    #expect(database.canonicalType(of: "a/b") == "a/b")
    #expect(database.sniff("text") == .init(type: "text/plain", evidence: .guess))
    #expect(database.sniff([0, 1, 2]) == .init(type: "application/octet-stream", evidence: .guess))
    #expect(database.sniff([]) == .init(type: "application/x-zerosize", evidence: .content))
    #expect(database.magicExtent == 0)
  }

  // MARK: Aliases

  @Test func aliasLeadsToTheCanonicalNameInAnyCase() throws {
    let fixture = try MIMEFixture()
    try fixture.write("types", "audio/AMR\n").write("aliases", "audio/x-amr audio/AMR\nnonsense\na/b\na/b c\n")
    let database = fixture.database()
    #expect(database.canonicalType(of: "Audio/X-Amr") == "audio/AMR")
    #expect(database.canonicalType(of: "audio/amr") == "audio/AMR")
    #expect(database.aliases(of: "audio/amr") == ["audio/x-amr"])
    #expect(database.aliases(of: "audio/x-amr") == ["audio/x-amr"])
    #expect(database.isKnown("audio/x-amr"))
    #expect(!database.isKnown("audio/other"))
    #expect(database.allTypes == ["audio/AMR"])
  }

  @Test(arguments: [(8, true), (9, false)])
  func followsAChainOfAliasesUpToTheLimit(hops: Int, isFollowed: Bool) throws {
    let fixture = try MIMEFixture()
    try fixture.write("aliases", (0..<hops).map { "a/n\($0) a/n\($0 + 1)\n" }.joined())
    #expect(fixture.database().canonicalType(of: "a/n0") == (isFollowed ? "a/n\(hops)" : "a/n0"))
  }

  @Test func cyclicAliasesAreIgnored() throws {
    let fixture = try MIMEFixture()
    try fixture.write("aliases", "a/a a/b\na/b a/a\na/c a/c\na/d a/a\n")
    let database = fixture.database()
    for type in ["a/a", "a/b", "a/c", "a/d"] { #expect(database.canonicalType(of: type) == type) }
  }

  @Test func nearerAliasTakesPrecedence() throws {
    let near = try MIMEFixture()
    let far = try MIMEFixture()
    try near.write("aliases", "a/x a/near\n")
    try far.write("aliases", "a/x a/far\n")
    #expect(MIMEDatabase(directories: [near.path, far.path]).canonicalType(of: "a/x") == "a/near")
  }

  // MARK: Parents

  @Test func unstatedParentsAreTextOrBytes() throws {
    let fixture = try MIMEFixture()
    try fixture.write("subclasses", "image/svg+xml application/xml\nimage/svg+xml a/second\ntext/x-c a/alias\n")
      .write("aliases", "a/alias a/type\n")
    let database = fixture.database()
    #expect(database.parents(of: "image/svg+xml") == ["application/xml", "a/second"])
    #expect(database.parents(of: "TEXT/X-C") == ["a/type"])
    #expect(database.parents(of: "text/x-new") == ["text/plain"])
    #expect(database.parents(of: "text/plain") == ["application/octet-stream"])
    #expect(database.parents(of: "image/png") == ["application/octet-stream"])
    #expect(database.parents(of: "application/octet-stream").isEmpty)
    for type in ["inode/directory", "x-content/audio-cdda", "x-scheme-handler/http"] {
      #expect(database.parents(of: type).isEmpty)
      #expect(!database.isSubtype(type, of: "application/octet-stream"))
    }
  }

  @Test func findsIndirectSubtypes() throws {
    let fixture = try MIMEFixture()
    try fixture.write("subclasses", "image/svg+xml application/xml\napplication/xml text/xml2\n")
    let database = fixture.database()
    #expect(database.isSubtype("image/SVG+xml", of: "text/XML2"))
    #expect(database.isSubtype("image/svg+xml", of: "text/plain"))
    #expect(database.isSubtype("image/svg+xml", of: "application/octet-stream"))
    #expect(database.isSubtype("text/unknown", of: "text/plain"))
    #expect(database.isSubtype("un/known", of: "UN/known"))
    #expect(!database.isSubtype("application/xml", of: "image/svg+xml"))
    #expect(!database.isSubtype("image/png", of: "text/plain"))
  }

  @Test func cyclicParentsTerminate() throws {
    let fixture = try MIMEFixture()
    try fixture.write("subclasses", "a/a a/b\na/b a/c\na/c a/a\na/self a/self\n")
    let database = fixture.database()
    #expect(database.isSubtype("a/a", of: "a/c"))
    #expect(database.isSubtype("a/c", of: "a/b"))
    #expect(!database.isSubtype("a/a", of: "a/other"))
    #expect(!database.isSubtype("a/a", of: "a/self"))
    #expect(database.parents(of: "a/self") == ["application/octet-stream"])
  }

  @Test(arguments: [(1023, true), (1024, false)])
  func followsAChainOfSupertypesUpToTheLimit(length: Int, isFollowed: Bool) throws {
    let fixture = try MIMEFixture()
    try fixture.write("subclasses", (0..<length).map { "a/n\($0) a/n\($0 + 1)\n" }.joined())
    #expect(fixture.database().isSubtype("a/n0", of: "a/n\(length)") == isFollowed)
  }

  @Test func limitsTheParentsOfAType() throws {
    let fixture = try MIMEFixture()
    let alias = (0..<100).map { "a/alias\($0) a/own\n" }.joined()
    try fixture.write("aliases", alias).write("subclasses", (0..<100).map { "a/alias\($0) a/p\($0)\n" }.joined())
    #expect(fixture.database().parents(of: "a/own").count == MIMETypeGraph.maximumParents)
  }

  // MARK: Documents

  @Test func documentHasTheExtensionsInTheirOrder() throws {
    let fixture = try MIMEFixture()
    fixture.makeDirectory("mime/image")
    try fixture.write(
      "image/x.xml",
      """
      <?xml version="1.0"?><!-- <glob pattern="*.no"/> --><!DOCTYPE a [<!ENTITY b "<glob pattern='*.no'/>">]>
      <mime-type><glob pattern="*.b&amp;b"/><glob pattern='*.&#x4A;&what;'/><glob pattern="*.B&amp;B"/>
      <glob pattern="*.C" case-sensitive="true"/><glob pattern="whole"/></mime-type>
      """)
    #expect(fixture.database().documentedExtensions(of: "IMAGE/x") == [])
    try fixture.write("types", "image/x\n")
    #expect(fixture.database().documentedExtensions(of: "IMAGE/x") == ["b&b", "j&what;", "C"])
  }

  @Test(
    arguments: [
      "../secret", "a/../secret", "./secret", "a/..", "/secret", "secret/", "..", "a//secret", "a/b/secret", "",
    ])
  func typeNameCannotLeaveTheDirectories(type: String) throws {
    let fixture = try MIMEFixture()
    fixture.makeDirectory("mime/a")
    fixture.makeDirectory("mime/a/b")
    for name in ["../secret.xml", "secret.xml", "a/b/secret.xml"] {
      try fixture.write(name, #"<mime-type><glob pattern="*.secret"/></mime-type>"#)
    }
    #expect(fixture.database().documentedExtensions(of: type).isEmpty)
  }

  @Test(arguments: [(0, true), (1, false)]) func overlongDocumentIsNotRead(excess: Int, isRead: Bool) throws {
    let fixture = try MIMEFixture()
    fixture.makeDirectory("mime/a")
    let document = #"<glob pattern="*.x"/>"#
    let filler = String(repeating: " ", count: MIMEDatabase.maximumDocumentLength - document.utf8.count + excess)
    try fixture.write("a/b.xml", document + filler)
    #expect((fixture.database().documentedExtensions(of: "a/b") == ["x"]) == isRead)
  }

  @Test func readsDocumentOfFartherDirectoryBehindTruncatedOne() throws {
    let near = try MIMEFixture()
    let far = try MIMEFixture()
    for fixture in [near, far] { fixture.makeDirectory("mime/a") }
    try near.write("a/b.xml", #"<mime-type><glob pattern="*.trunc"#)
    try far.write("a/b.xml", #"<mime-type><glob pattern="*.intact"/>"#)
    #expect(MIMEDatabase(directories: [near.path, far.path]).documentedExtensions(of: "a/b") == ["intact"])
  }

  // MARK: Directories

  @Test func directoriesFollowTheXDGSpecification() {
    func directories(_ environment: [String: String]) -> [String] {
      MIMEDatabase.systemDirectories(environment: environment)
    }
    let system = ["/usr/local/share/mime", "/usr/share/mime"]
    #expect(directories([:]) == system)
    #expect(directories(["HOME": "/h"]) == ["/h/.local/share/mime"] + system)
    #expect(directories(["HOME": "/h", "XDG_DATA_HOME": ""]) == ["/h/.local/share/mime"] + system)
    #expect(directories(["HOME": "/h", "XDG_DATA_HOME": "/d/"]) == ["/d/mime"] + system)
    #expect(directories(["XDG_DATA_HOME": "d", "XDG_DATA_DIRS": "a:/b::/c/:/b"]) == ["/b/mime", "/c/mime"])
    #expect(directories(["XDG_DATA_DIRS": ""]) == system)
  }
}
