// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import UniformTypes

@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct MIMEDatabaseTests {
  @Test func emptyDatabaseGuessesFromContent() {
    let database = MIMEDatabase(directories: ["/no/such/directory/mime"])
    #expect(database.allTypes.isEmpty && database.magicExtent == 0 && database.canonicalType(of: "a/b") == "a/b")
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
      #expect(MIMEDatabase.systemDirectories(environment: environment) == directories)
    }
  }

  // MARK: Aliases

  @Test func aliasLeadsToTheCanonicalNameInAnyCase() throws {
    let database = try MIMEDatabase.reading([
      "types": "audio/AMR\n", "aliases": "audio/x-amr audio/AMR\nnonsense\na/b\na/b c\n",
    ])
    for name in ["audio/amr", "Audio/X-Amr"] {
      #expect(database.canonicalType(of: name) == "audio/AMR" && database.aliases(of: name) == ["audio/x-amr"])
    }
    #expect(["audio/x-amr", "audio/other"].map { database.isKnown($0) } == [true, false])
    #expect(database.allTypes == ["audio/AMR"])
  }

  @Test(arguments: [(8, true), (9, false)])
  func followsAChainOfAliasesUpToTheLimit(hops: Int, isFollowed: Bool) throws {
    let database = try MIMEDatabase.reading(["aliases": (0..<hops).map { "a/n\($0) a/n\($0 + 1)\n" }.joined()])
    #expect(database.canonicalType(of: "a/n0") == (isFollowed ? "a/n\(hops)" : "a/n0"))
  }

  @Test func nearerAliasTakesPrecedenceAndCyclesAreIgnored() throws {
    let near = ["aliases": "a/x a/near\na/a a/b\na/b a/a\na/c a/c\na/d a/a\n"]
    let database = try MIMEDatabase.reading(near, ["aliases": "a/x a/far\n"])
    let types = ["a/x", "a/a", "a/b", "a/c", "a/d"].map { database.canonicalType(of: $0) }
    #expect(types == ["a/near", "a/a", "a/b", "a/c", "a/d"])
  }

  // MARK: Parents

  @Test func unstatedParentsAreTextOrBytes() throws {
    let database = try MIMEDatabase.reading([
      "subclasses": "image/svg+xml application/xml\nimage/svg+xml a/second\ntext/x-c a/alias\n",
      "aliases": "a/alias a/type\n",
    ])
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
    let database = try MIMEDatabase.reading([
      "subclasses": """
      image/svg+xml application/xml
      application/xml text/xml2
      a/a a/b
      a/b a/c
      a/c a/a
      a/self a/self

      """
    ])
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
    let database = try MIMEDatabase.reading(["subclasses": (0..<length).map { "a/n\($0) a/n\($0 + 1)\n" }.joined()])
    #expect(database.isSubtype("a/n0", of: "a/n\(length)") == isFollowed)
  }

  @Test func limitsTheParentsOfAType() throws {
    let database = try MIMEDatabase.reading([
      "aliases": (0..<100).map { "a/alias\($0) a/own\n" }.joined(),
      "subclasses": (0..<100).map { "a/alias\($0) a/p\($0)\n" }.joined(),
    ])
    #expect(database.parents(of: "a/own").count == MIMETypeGraph.maximumParents)
  }

  // MARK: Documents

  @Test func documentHasTheExtensionsInTheirOrder() throws {
    let fixture = try MIMEFixture([
      "image/x.xml": """
      <?xml version="1.0"?><!-- <glob pattern="*.no"/> --><!DOCTYPE a [<!ENTITY b "<glob pattern='*.no'/>">]>
      <mime-type><glob pattern="*.b&amp;b"/><glob pattern='*.&#x4A;&what;'/><glob pattern="*.B&amp;B"/>
      <glob pattern="*.C" case-sensitive="true"/><glob pattern="whole"/></mime-type>
      """
    ])
    let unlisted = fixture.database().documentedExtensions(of: "IMAGE/x")
    try fixture.write("types", "image/x\n")
    let listed = fixture.database().documentedExtensions(of: "IMAGE/x")
    #expect([unlisted, listed] == [[], ["b&b", "j&what;", "C"]])
  }

  @Test func typeNameCannotLeaveTheDirectories() throws {
    let document = #"<mime-type><glob pattern="*.secret"/></mime-type>"#
    let fixture = try MIMEFixture(["../secret.xml": document, "secret.xml": document, "a/b/secret.xml": document])
    let database = fixture.database()
    let types = [
      "../secret", "a/../secret", "./secret", "a/..", "/secret", "secret/", "..", "a//secret", "a/b/secret", "",
    ]
    #expect(types.filter { !database.documentedExtensions(of: $0).isEmpty } == [])
  }

  @Test(arguments: [(0, true), (1, false)])
  func overlongDocumentIsNotRead(excess: Int, isRead: Bool) throws {
    let document = #"<glob pattern="*.x"/>"#
    let count = MIMEDatabase.maximumDocumentLength - document.utf8.count + excess
    let fixture = try MIMEFixture(["a/b.xml": document + String(repeating: " ", count: count)])
    #expect((fixture.database().documentedExtensions(of: "a/b") == ["x"]) == isRead)
  }

  @Test func readsDocumentOfFartherDirectoryBehindTruncatedOne() throws {
    let near = try MIMEFixture(["a/b.xml": #"<mime-type><glob pattern="*.trunc"#])
    let far = try MIMEFixture(["a/b.xml": #"<mime-type><glob pattern="*.intact"/>"#])
    #expect(MIMEDatabase(directories: [near.path, far.path]).documentedExtensions(of: "a/b") == ["intact"])
  }

  /// Returns the number of attributes of each tag.
  private func attributeCounts(_ text: String) -> [Int] {
    var scanner = MIMEXMLScanner(Array(text.utf8))
    var counts: [Int] = []
    while let tag = scanner.nextTag() { counts.append(tag.attributes.count) }
    return counts
  }

  @Test func attributesAreLimitedInNumberAndLength() {
    let many = [63, 64, 65].map { (0..<$0).map { " a\($0)='\($0)'" }.joined() }
    let long = [4096, 4097].map { " pattern='\(String(repeating: "x", count: $0))'" }
    #expect((many + long).map { attributeCounts("<glob\($0)/><next>") } == [[63, 0], [64, 0], [], [1, 0], []])
  }

  // MARK: Any database

  @Test func changedFilesDoNotTrap() throws {
    var numbers = SeededGenerator.announced(#function)
    let originals = [
      "globs2": "50:a/x:*.x\n40:a/y:*.tar.[xy]*:cs\n10:a/z:name\n0:a/x:__NOGLOBS__\n", "types": "a/x\na/y\n",
      "aliases": "a/b a/x\na/c a/b\n", "subclasses": "a/x a/y\na/y text/plain\n", "XMLnamespaces": "urn:x root a/x\n",
    ].mapValues { Array($0.utf8) }
    for _ in 0..<(isFullRun ? 200 : 40) {
      let fixture = try MIMEFixture()
      for (name, original) in originals {
        var bytes = original
        for _ in 0..<Int.random(in: 0...4, using: &numbers) {
          let index = Int.random(in: 0..<bytes.count, using: &numbers)
          switch Int.random(in: 0..<3, using: &numbers) {
          case 0: bytes[index] = UInt8.random(in: 0...255, using: &numbers)
          case 1: bytes.insert(UInt8.random(in: 0...255, using: &numbers), at: index)
          default: bytes.swapAt(index, Int.random(in: 0..<bytes.count, using: &numbers))
          }
        }
        try fixture.write(name, bytes)
      }
      let database = fixture.database()
      _ = database.type(ofName: "a.tar.xz", text: "<root xmlns='urn:x'>")
      for type in database.allTypes {
        let isSound =
          database.isKnown(type) && database.canonicalType(of: type) == type
          && ([type] + database.parents(of: type)).allSatisfy { database.isSubtype(type, of: $0) }
        if !isSound { Issue.record("\(type)") }
        for each in database.filenameExtensions(of: type) { _ = database.types(withFilenameExtension: each) }
      }
    }
  }

  @Test(.enabled(if: hasSystemDirectory)) func readsTheSystemDatabase() {
    let database = MIMEDatabase(directories: [systemDirectory])
    #expect(database.allTypes.count > 500 && database.magicExtent <= MIMEDatabase.maximumMagicExtent)
    let found = [
      database.types(withFilenameExtension: "png").first, database.filenameExtensions(of: "image/jpeg").first,
      database.type(ofName: "a.tar.gz"), database.documentedExtensions(of: "image/png").first,
    ]
    #expect(found == ["image/png", "jpg", "application/x-compressed-tar", "png"])
    #expect(database.isSubtype("image/svg+xml", of: "text/plain"))
    let match = database.sniff([0x89] + Array("PNG\r\n".utf8) + [0x1A, 0x0A])
    #expect(match == .init(type: "image/png", evidence: .content))
  }
}

private let systemDirectory = "/usr/share/mime"
private let hasSystemDirectory = FileManager.default.fileExists(atPath: "\(systemDirectory)/globs2")

@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct MIMEDatabaseCacheTests {
  /// A clock that advances only on request, and the value of `XDG_DATA_HOME`.
  private final class World: Sendable {
    private let time = Lock(ContinuousClock.now)
    private let base: Lock<String>

    init(home: String) { base = Lock(home) }

    var now: ContinuousClock.Instant { time.withLock { $0 } }
    var home: String {
      get { base.withLock { $0 } }
      set { base.withLock { $0 = newValue } }
    }

    func advance(_ duration: Duration) { time.withLock { $0 += duration } }
  }

  private let fixture: MIMEFixture
  private let world: World
  private let cache: MIMEDatabaseCache

  init() throws {
    fixture = try MIMEFixture()
    let world = World(home: fixture.base)
    self.world = world
    cache = MIMEDatabaseCache(
      environment: { ["XDG_DATA_HOME": world.home, "XDG_DATA_DIRS": "/no/such/directory"] }, now: { world.now })
  }

  @Test func detectsNewAndReplacedFilesAfterTheInterval() throws {
    let first = cache.current()
    world.advance(.seconds(60))
    #expect(cache.current() === first)
    try fixture.write("types", "a/x\n")
    world.advance(.milliseconds(4999))
    #expect(cache.current().allTypes.isEmpty)
    world.advance(.milliseconds(1))
    #expect(cache.current().allTypes == ["a/x"])
    try fixture.write("types", "a/y\n")
    // The new file may have the inode and, within one tick of the clock, the time of the old one.
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSince1970: 1)], ofItemAtPath: fixture.path + "/types")
    world.advance(.seconds(5))
    #expect(cache.current().allTypes == ["a/y"])
  }

  @Test func detectsAChangedEnvironment() throws {
    try fixture.write("types", "a/n0\n")
    #expect(cache.current().allTypes == ["a/n0"])
    let other = try MIMEFixture(["types": "a/n1\n"])
    world.home = other.base
    world.advance(.seconds(5))
    #expect(cache.current().allTypes == ["a/n1"])
  }

  @Test func concurrentCallersGetACompleteDatabase() async throws {
    try fixture.write("globs2", (0..<500).map { "50:a/n\($0):*.x\($0)\n" }.joined())
    let (cache, world) = (cache, world)
    await withTaskGroup(of: Int.self) { group in
      for task in 0..<64 {
        group.addTask {
          if task.isMultiple(of: 8) { world.advance(.seconds(5)) }
          let database = cache.current()
          _ = database.sniff("text")
          return database.allTypes.count
        }
      }
      for await count in group { #expect(count == 500) }
    }
    #expect(cache.current() === cache.current())
  }
}
