// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import UniformTypes

private typealias Rule = MIMEFixture.Rule

@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct MIMEMatchingTests {
  private func database() throws -> MIMEDatabase {
    let fixture = try MIMEFixture()
    try fixture.write(
      "globs2",
      """
      60:a/heavy:*.x
      50:a/base:*.x
      10:a/light:*.x
      50:a/one:*.one
      50:t/script:*.ts
      50:t/video:*.ts
      50:old/name:*.old
      50:a/new:*.old

      """
    )
    .write("subclasses", "a/special a/base\nt/script text/plain\n")
    .write("aliases", "old/name a/new\nold/light a/light\n")
    .write("XMLnamespaces", "urn:x  a/namespace\nurn:x root a/root\nbroken\n\nurn:y a ../b\n")
    .writeMagic([
      ("50:old/light", [Rule("LIGHT")]), ("50:a/special", [Rule("SPECIAL")]), ("50:a/stranger", [Rule("STRANGER")]),
      ("50:application/xml", [Rule("<?xml")]),
    ])
    return fixture.database()
  }

  @Test func singleClaimOnTheNameDecides() throws {
    let database = try database()
    #expect(database.type(ofName: "f.one", text: "STRANGER") == .init(type: "a/one", evidence: .name))
    #expect(database.type(ofName: "f.one", text: "") == .init(type: "a/one", evidence: .name))
    #expect(database.type(ofName: "f.old", text: "") == .init(type: "a/new", evidence: .name), "two names of one type")
  }

  @Test func contentSelectsAmongSeveralClaims() throws {
    let database = try database()
    #expect(database.type(ofName: "f.x", text: "LIGHT") == .init(type: "a/light", evidence: .nameAndContent))
    #expect(database.type(ofName: "f.x", text: "SPECIAL") == .init(type: "a/special", evidence: .nameAndContent))
    #expect(database.type(ofName: "f.x", text: "STRANGER") == .init(type: "a/heavy", evidence: .guess))
    #expect(database.type(ofName: "f.x", text: "") == .init(type: "a/heavy", evidence: .guess))
  }

  @Test func textSelectsAClaimOfATextType() throws {
    let database = try database()
    #expect(database.type(ofName: "f.ts", text: "let a = 1") == .init(type: "t/script", evidence: .guess))
    #expect(database.type(ofName: "f.ts", bytes: [0x47, 0]).evidence == .guess)
  }

  @Test func contentDecidesWithoutAClaimOnTheName() throws {
    let database = try database()
    #expect(database.type(ofName: "f", text: "LIGHT") == .init(type: "a/light", evidence: .content))
    #expect(database.type(ofName: "f", text: "none") == .init(type: "text/plain", evidence: .guess))
    #expect(database.type(ofName: "f", bytes: [0, 1]) == .init(type: "application/octet-stream", evidence: .guess))
    #expect(database.type(ofName: "f", text: "").type == "application/x-zerosize")
  }

  @Test(arguments: [(127, false), (128, true)])
  func controlCharacterInTheFirst128BytesIsNotText(offset: Int, isText: Bool) throws {
    var content = [UInt8](repeating: 0x61, count: 200)
    content[offset] = 0
    #expect(try database().sniff(content).type == (isText ? "text/plain" : "application/octet-stream"))
  }

  @Test(arguments: [
    ("<?xml version='1.0'?>\n<!-- <no xmlns='urn:x'/> -->\n<root xmlns=\"urn:x\">", "a/root"),
    ("  <p:root a='>' xmlns:p='urn:x'/>", "a/root"), ("<other xmlns='urn:x'>", "a/namespace"),
    ("<!DOCTYPE root [<!ELEMENT root (a)> <!ENTITY b \"]>\">]><root xmlns='urn:x'>", "a/root"),
    ("<?xml version='1.0'?><root>", "application/xml"),
    ("<?xml version='1.0'?><root xmlns='urn:z'>", "application/xml"),
    ("<?xml version='1.0'?><root xmlns='urn:x'", "application/xml"), ("<?xml", "application/xml"),
    ("<q:root xmlns='urn:x'>", "text/plain"), ("< root xmlns='urn:x'>", "text/plain"), ("<", "text/plain"),
  ])
  func rootElementDeterminesTheTypeOfXML(text: String, type: String) throws {
    let database = try database()
    #expect(database.sniff(text).type == type)
    #expect(database.namespaces.type(namespace: "urn:x", localName: "any") == "a/namespace")
    #expect(database.namespaces.type(namespace: "urn:y", localName: "a") == nil)
  }
}
