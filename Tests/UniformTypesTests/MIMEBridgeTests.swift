// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import UniformTypes

@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct MIMEBridgeTests {
  private let bridge: MIMEBridge
  private let noDatabase = MIMEBridge(database: MIMEDatabase(directories: []))

  init() throws {
    bridge = MIMEBridge(
      database: try .reading(
        .init(
          aliases: """
            image/x-bridge-png image/png
            x-bridge/jpg image/jpeg
            x-bridge/ruby application/x-ruby
            """,
          parents: """
            application/x-bridge-saga+xml application/xml
            application/x-bridge-saga+xml application/x-bridge-scroll
            application/x-bridge-scroll application/zip
            text/x-bridge-cycle text/x-bridge-circle
            text/x-bridge-circle text/x-bridge-cycle
            """,
          globs: """
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
            """)))
  }

  private func dynamic(_ query: String) throws -> DynamicIdentifier {
    try #require(DynamicIdentifier(query: query))
  }

  // MARK: Declared types

  @Test func aliasesAndReviewedMIMETypesLeadToTheirDeclaredType() {
    for (mimeType, types, typesWithoutDatabase) in [
      ("x-bridge/jpg", [.jpeg], []), ("X-Bridge/JPG", [.jpeg], []), ("x-bridge/none", [], []),
      ("x-bridge/ruby", [.rubyScript], []), ("application/x-ruby", [.rubyScript], [.rubyScript]),
      ("Text/X-Python3", [.pythonScript], [.pythonScript]), ("application/x-godot-shader", [], []),
      // A shared extension proves nothing.
      ("text/x-bridge-source", [], []), ("image/x-bridge-swift", [], []), ("application/x-bridge-sharedlib", [], []),
    ] as [(String, [UTType], [UTType])] {
      let found = [bridge, noDatabase].map { $0.declaredTypes(ofMIMEType: mimeType) }
      #expect(found == [types, typesWithoutDatabase], "\(mimeType)")
    }
    let library = FileIdentification(name: "libbridge.so.6", bridge: bridge).byName()
    #expect(library?.mimeType == "application/x-bridge-sharedlib")
    #expect(library?.type == UTType(mimeType: "application/x-bridge-sharedlib"))
  }

  // MARK: Dynamic types

  @Test func dynamicTypeHasTheSupertypesOfItsMIMEType() throws {
    func lineage(_ types: UTType...) -> Set<UTType> { types.reduce([]) { $0.union($1.supertypes).union([$1]) } }
    let scroll = UTType.dynamic(mimeType: "application/x-bridge-scroll")
    let bytes: Set<UTType> = [.data, .item]
    for (query, types, typesWithoutDatabase) in [
      ("3=application/x-bridge-saga+xml", lineage(.data, .xml, .zip).union([scroll]), bytes),
      ("3=x-bridge/jpg", lineage(.jpeg), bytes), ("1=bridge-ini", lineage(.plainText), bytes),
      ("1=png", nil, bytes), ("3=dev.kaya/note", nil, bytes), ("3=image/x-any", nil, lineage(.image)),
    ] as [(String, Set<UTType>?, Set<UTType>)] {
      let type = try dynamic("?0=6:" + query)
      let found = [type.supertypes(in: types == nil ? noDatabase : bridge), type.supertypes(in: noDatabase)]
      #expect(found == [types ?? typesWithoutDatabase, typesWithoutDatabase], "\(query)")
    }
    #expect(try dynamic("?0=6:3=x-bridge/jpg").supertypes(in: nil) == bytes)
    for (query, some) in [
      ("3=audio/x-bridge-hum", [.audio]), ("3=text/x-bridge-rune;charset=utf-8", [.text]),
      ("1=bridge-rune", [.dynamic(mimeType: "text/x-bridge-rune"), .plainText]),
      // Cyclic parents terminate.
      ("3=text/x-bridge-cycle", [.dynamic(mimeType: "text/x-bridge-circle"), .text]),
    ] as [(String, Set<UTType>)] {
      #expect(try dynamic("?0=6:" + query).supertypes(in: bridge).isSuperset(of: some), "\(query)")
    }
  }

  @Test func dynamicTypeHasTheTagsOfItsMIMEType() throws {
    let all: [UTTagClass: [String]] = [.filenameExtension: ["bridge-rune"], .mimeType: ["text/x-bridge-rune"]]
    let stated = try dynamic("?0=6:3=text/x-bridge-rune")
    // The last type does not get the extensions of plain text.
    let types = [try dynamic("?0=6:1=bridge-rune"), stated, try dynamic("?0=6:1=bridge-ini")]
    #expect(
      types.map { $0.allTags(in: bridge) }
        == [all, all, [.filenameExtension: ["bridge-ini"], .mimeType: ["text/plain"]]])
    #expect(stated.allTags(in: nil) == [.mimeType: ["text/x-bridge-rune"]])
  }

  @Test(arguments: ["?0=B:1=bridge-rune", "1=bridge-rune", "?0=6,7:1=bridge-rune"])
  func dynamicTypeWithOtherSupertypesGainsNothing(query: String) throws {
    let stated = try dynamic(query)
    let hasSameSupertypes = stated.supertypes(in: bridge) == stated.supertypes(in: nil)
    #expect(hasSameSupertypes && stated.allTags(in: bridge) == stated.allTags(in: nil))
  }
}
