// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import UniformTypes

@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct MIMEBridgeTests {
  private let fixture: MIMEFixture
  private let bridge: MIMEBridge

  init() throws {
    fixture = try MIMEFixture()
    try fixture.write(
      "globs2",
      """
      60:text/x-bridge-rune:*.bridge-rune
      50:application/x-bridge-saga+xml:*.bridge-saga
      50:image/x-bridge-png:*.bridge-png
      50:audio/x-bridge-hum:*.bridge-hum
      40:text/plain:*.bridge-hum
      50:text/x-bridge-cycle:*.bridge-cycle
      50:image/x-bridge-swift:*.swift
      50:text/x-bridge-source:*.rb
      50:application/x-bridge-sharedlib:*.so.[0-9]*
      50:application/x-bridge-sharedlib:*.dll
      50:text/plain:*.bridge-ini
      50:text/plain:*.bridge-txt
      """)
    try fixture.write(
      "subclasses",
      """
      application/x-bridge-saga+xml application/xml
      application/x-bridge-saga+xml application/x-bridge-scroll
      application/x-bridge-scroll application/zip
      text/x-bridge-cycle text/x-bridge-circle
      text/x-bridge-circle text/x-bridge-cycle
      """)
    try fixture.write(
      "aliases",
      """
      image/x-bridge-png image/png
      x-bridge/jpg image/jpeg
      x-bridge/ruby application/x-ruby

      """)
    bridge = MIMEBridge(database: fixture.database())
  }

  private func dynamic(_ query: String) throws -> DynamicIdentifier {
    try #require(DynamicIdentifier(query: query))
  }

  @Test func aliasLeadsToTheDeclaredType() {
    #expect(bridge.declaredTypes(ofMIMEType: "x-bridge/jpg") == [.jpeg])
    #expect(bridge.declaredTypes(ofMIMEType: "X-Bridge/JPG") == [.jpeg])
    #expect(bridge.declaredTypes(ofMIMEType: "x-bridge/none").isEmpty)
  }

  @Test func sharedExtensionProvesNothing() {
    #expect(bridge.declaredTypes(ofMIMEType: "text/x-bridge-source").isEmpty)
    #expect(bridge.declaredTypes(ofMIMEType: "image/x-bridge-swift").isEmpty)
    #expect(bridge.declaredTypes(ofMIMEType: "application/x-bridge-sharedlib").isEmpty)
    let library = FileIdentification(name: "libbridge.so.6", bridge: bridge).byName()
    #expect(library?.mimeType == "application/x-bridge-sharedlib")
    #expect(library?.type == UTType(mimeType: "application/x-bridge-sharedlib"))
  }

  @Test(arguments: [true, false])
  func reviewedMIMETypesHaveTheirDeclaredType(hasAliases: Bool) {
    let bridge = hasAliases ? bridge : MIMEBridge(database: MIMEDatabase(directories: []))
    #expect(bridge.declaredTypes(ofMIMEType: "application/x-ruby") == [.rubyScript])
    #expect(bridge.declaredTypes(ofMIMEType: "Text/X-Python3") == [.pythonScript])
    #expect(bridge.declaredTypes(ofMIMEType: "application/x-godot-scene").isEmpty)
    #expect(bridge.declaredTypes(ofMIMEType: "x-bridge/ruby") == (hasAliases ? [.rubyScript] : []))
  }

  @Test func dynamicTypeHasTheSupertypesOfItsMIMEType() throws {
    let saga = try dynamic("?0=6:3=application/x-bridge-saga+xml")
    let expected: Set<UTType> = Set([.xml, .zip, .data, .item]).union(UTType.xml.supertypes).union(
      UTType.zip.supertypes)
    #expect(saga.supertypes(in: bridge) == expected.union([.dynamic(mimeType: "application/x-bridge-scroll")]))
    #expect(saga.supertypes(in: nil) == [.data, .item])
    #expect(try dynamic("?0=6:3=audio/x-bridge-hum").supertypes(in: bridge).contains(.audio))
    #expect(try dynamic("?0=6:3=text/x-bridge-rune;charset=utf-8").supertypes(in: bridge).contains(.text))
  }

  @Test func extensionHasTheSupertypesOfItsMIMEType() throws {
    let rune = try dynamic("?0=6:1=bridge-rune")
    let supertypes = rune.supertypes(in: bridge)
    #expect(supertypes.contains(.dynamic(mimeType: "text/x-bridge-rune")) && supertypes.contains(.plainText))
    #expect(rune.allTags(in: bridge) == [.filenameExtension: ["bridge-rune"], .mimeType: ["text/x-bridge-rune"]])
    let told = try dynamic("?0=6:3=text/x-bridge-rune")
    #expect(told.allTags(in: bridge) == [.filenameExtension: ["bridge-rune"], .mimeType: ["text/x-bridge-rune"]])
    #expect(told.allTags(in: nil) == [.mimeType: ["text/x-bridge-rune"]])
  }

  @Test func extensionOfDeclaredMIMETypeConformsToItsType() throws {
    let ini = try dynamic("?0=6:1=bridge-ini")
    #expect(ini.supertypes(in: bridge) == UTType.plainText.supertypes.union([.plainText]))
    // The type does not get the extensions of plain text.
    #expect(ini.allTags(in: bridge) == [.filenameExtension: ["bridge-ini"], .mimeType: ["text/plain"]])
  }

  @Test func aliasOfDeclaredMIMETypeConformsToItsType() throws {
    let alias = try dynamic("?0=6:3=x-bridge/jpg")
    #expect(alias.supertypes(in: bridge) == UTType.jpeg.supertypes.union([.jpeg]))
    #expect(alias.supertypes(in: nil) == [.data, .item])
  }

  @Test(arguments: ["?0=B:1=bridge-rune", "1=bridge-rune", "?0=6,7:1=bridge-rune"])
  func dynamicTypeWithOtherSupertypesGainsNothing(query: String) throws {
    let stated = try dynamic(query)
    #expect(stated.supertypes(in: bridge) == stated.supertypes(in: nil))
    #expect(stated.allTags(in: bridge) == stated.allTags(in: nil))
  }

  @Test func cyclicParentsTerminate() throws {
    let cycle = try dynamic("?0=6:3=text/x-bridge-cycle").supertypes(in: bridge)
    #expect(cycle.contains(.dynamic(mimeType: "text/x-bridge-circle")) && cycle.contains(.text))
  }

  @Test func onlyTheFirstWordCountsWithoutADatabase() throws {
    let none = MIMEBridge(database: MIMEDatabase(directories: []))
    #expect(try dynamic("?0=6:3=image/x-any").supertypes(in: none) == UTType.image.supertypes.union([.image]))
    #expect(try dynamic("?0=6:3=dev.kaya/note").supertypes(in: none) == [.data, .item])
    #expect(try dynamic("?0=6:1=png").supertypes(in: none) == [.data, .item])
  }
}
