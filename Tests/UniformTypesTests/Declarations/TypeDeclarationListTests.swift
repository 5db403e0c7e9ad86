// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import UniformTypes

@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct TypeDeclarationListTests {
  private func read(_ value: ListValue) throws -> TypeDeclarationList {
    try TypeDeclarationList(propertyList: value.encoded())
  }

  /// Returns the only declaration of a list.
  ///
  /// It has an identifier and the keys `more`.
  private func declaration(_ more: [String: ListValue]) throws -> TypeDeclaration {
    let list = try read(.declarations(exported: [.entry("org.example.saga", more)]))
    #expect(list.refused.isEmpty)
    return try #require(list.declarations.first)
  }

  // MARK: Declarations

  @Test(arguments: [true, false])
  func readsEveryPartInBothFormats(isBinary: Bool) throws {
    let list = ListValue.declarations(exported: [
      .entry(
        "org.example.saga",
        [
          "UTTypeConformsTo": ["public.plain-text", "public.content"],
          "UTTypeTagSpecification": [
            "public.filename-extension": ["saga", "edda"], "public.mime-type": "text/x-saga",
          ],
          "UTTypeDescription": "Saga", "UTTypeReferenceURL": "https://example.org/saga", "UTTypeVersion": .integer(7),
        ])
    ])
    let read = try TypeDeclarationList(propertyList: list.encoded(as: isBinary ? .binary : .xml))
    #expect(read.refused.isEmpty)
    #expect(
      read.declarations == [
        TypeDeclaration(
          "org.example.saga", origin: .exported, conformsTo: ["public.plain-text", "public.content"],
          tags: [.filenameExtension: ["saga", "edda"], .mimeType: ["text/x-saga"]], localizedDescription: "Saga",
          referenceURL: URL(string: "https://example.org/saga"), version: 7)
      ])
  }

  @Test func readsDeclarationWithOnlyAnIdentifier() throws {
    #expect(try declaration([:]) == TypeDeclaration("org.example.saga"))
  }

  @Test func exportedDeclarationsComeBeforeImportedOnes() throws {
    let list = try read(
      .declarations(exported: [.entry("b.b"), .entry("a.a")], imported: [.entry("d.d"), .entry("c.c")]))
    #expect(list.declarations.map(\.identifier) == ["b.b", "a.a", "d.d", "c.c"])
    #expect(list.declarations.map(\.origin) == [.exported, .exported, .imported, .imported])
  }

  @Test func listWithoutTheKeysDeclaresNothing() throws {
    for list in [[:], ["CFBundleIdentifier": "org.example.app"], ListValue.declarations()] as [ListValue] {
      let read = try read(list)
      #expect(read.declarations.isEmpty && read.refused.isEmpty)
    }
  }

  @Test func iconsAndUnknownKeysMayHaveAnyValue() throws {
    for (kind, value) in ListValue.kinds {
      let more = ["UTTypeIconFile", "UTTypeIconFiles", "UTTypeIcons", "Unknown", ""].map { ($0, value) }
      let iconName = kind == "a string" ? "text" : nil
      #expect(
        try declaration(Dictionary(uniqueKeysWithValues: more))
          == TypeDeclaration("org.example.saga", iconName: iconName))
    }
  }

  @Test func iconIsNamedByTheMostSpecificKey() throws {
    let keys: [(name: String, value: ListValue)] = [
      ("Badge", ["UTTypeIconBadgeName": "Badge", "UTTypeIconText": "SAGA"]), ("A.png", ["", "A.png", "B.png"]),
      ("Saga.icns", "Saga.icns"), ("Saga", ["UTTypeIconBadgeName": "Badge", "UTTypeIconName": "Saga"]),
    ]
    var entry: [String: ListValue] = [:]
    for (key, (name, value)) in zip(["UTTypeIcons", "UTTypeIconFiles", "UTTypeIconFile", "UTTypeIcons"], keys) {
      entry[key] = value
      #expect(try declaration(entry).iconName == name)
    }
  }

  // MARK: Forms

  @Test func stringCountsAsArrayOfOneElement() throws {
    let read = try declaration([
      "UTTypeConformsTo": "public.xml", "UTTypeTagSpecification": ["com.apple.ostype": "SAGA", "org.example.rune": []],
    ])
    #expect(read.conformsTo == ["public.xml"])
    #expect(
      read.tags == [UTTagClass(rawValue: "com.apple.ostype"): ["SAGA"], UTTagClass(rawValue: "org.example.rune"): []])
  }

  @Test func removesPeriodAndKeepsCapitalsOfExtension() throws {
    let read = try declaration([
      "UTTypeTagSpecification": ["public.filename-extension": [".saga", "EDDA", "tar.gz"], "org.example.rune": ".f"]
    ])
    #expect(read.tags[.filenameExtension] == ["saga", "EDDA", "tar.gz"])
    #expect(read.tags[UTTagClass(rawValue: "org.example.rune")] == [".f"])
  }

  @Test func mergesTagClassesThatDifferInCase() throws {
    let read = try declaration([
      "UTTypeTagSpecification": ["public.Mime-Type": ["a/a"], "public.mime-type": ["b/b"]]
    ])
    #expect(read.tags == [.mimeType: ["a/a", "b/b"]])
  }

  @Test(
    arguments: [
      (.integer(3), 3), (.integer(-1), -1), (.real(2.0), 2), (.real(2.9), 2), ("4", 4), ("1.2.3", 1), ("first", nil),
      ("", nil), (.real(1e300), nil), (.real(.nan), nil), ("99999999999999999999", nil),
    ] as [(ListValue, Int?)])
  func versionIsTheIntegerPartOfANumberOrText(value: ListValue, version: Int?) throws {
    #expect(try declaration(["UTTypeVersion": value]).version == version)
  }

  @Test(arguments: ["", "http://["])
  func invalidReferenceURLIsLeftOut(text: String) throws {
    #expect(try declaration(["UTTypeReferenceURL": .string(text)]) == TypeDeclaration("org.example.saga"))
  }
}
