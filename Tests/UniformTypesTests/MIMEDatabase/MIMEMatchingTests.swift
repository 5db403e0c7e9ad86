// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import UniformTypes

private typealias Rule = MIMEFixture.Rule

@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct MIMEMatchingTests {
  private let database: MIMEDatabase

  init() throws {
    database = try MIMEDatabase.reading(
      [
        "globs2": """
        60:a/heavy:*.x
        50:a/base:*.x
        10:a/light:*.x
        50:a/one:*.one
        50:t/script:*.ts
        50:t/video:*.ts
        50:old/name:*.old
        50:a/new:*.old

        """,
        "subclasses": "a/special a/base\nt/script text/plain\n",
        "aliases": "old/name a/new\nold/light a/light\n",
        "XMLnamespaces": "urn:x  a/namespace\nurn:x root a/root\nbroken\n\nurn:y a ../b\n",
      ],
      magic: [
        ("50:old/light", [Rule("LIGHT")]), ("50:a/special", [Rule("SPECIAL")]), ("50:a/stranger", [Rule("STRANGER")]),
        ("50:application/xml", [Rule("<?xml")]),
      ])
  }

  @Test func nameThenContentDecides() {
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
  func controlCharacterInTheFirst128BytesIsNotText(offset: Int, isText: Bool) {
    var content = [UInt8](repeating: 0x61, count: 200)
    content[offset] = 0
    #expect(database.sniff(content).type == (isText ? "text/plain" : "application/octet-stream"))
  }

  @Test func rootElementDeterminesTheTypeOfXML() {
    for (text, type) in [
      ("<?xml version='1.0'?>\n<!-- <no xmlns='urn:x'/> -->\n<root xmlns=\"urn:x\">", "a/root"),
      ("  <p:root a='>' xmlns:p='urn:x'/>", "a/root"), ("<other xmlns='urn:x'>", "a/namespace"),
      ("<!DOCTYPE root [<!ELEMENT root (a)> <!ENTITY b \"]>\">]><root xmlns='urn:x'>", "a/root"),
      ("<?xml version='1.0'?><root>", "application/xml"),
      ("<?xml version='1.0'?><root xmlns='urn:z'>", "application/xml"),
      ("<?xml version='1.0'?><root xmlns='urn:x'", "application/xml"), ("<?xml", "application/xml"),
      ("<q:root xmlns='urn:x'>", "text/plain"), ("< root xmlns='urn:x'>", "text/plain"), ("<", "text/plain"),
    ] {
      #expect(database.sniff(text).type == type, "\(text)")
    }
    #expect(database.namespaces.type(namespace: "urn:x", localName: "any") == "a/namespace")
    #expect(database.namespaces.type(namespace: "urn:y", localName: "a") == nil)
  }
}
