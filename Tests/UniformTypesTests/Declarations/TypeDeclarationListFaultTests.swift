// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import UniformTypes

@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct TypeDeclarationListFaultTests {
  /// Returns the refusals for a faulty declaration between two valid declarations, both of which must be accepted.
  private func refused(_ entry: ListValue, _ format: PropertyListDecoder.PropertyListFormat = .xml) throws -> [String] {
    let list = ListValue.declarations(imported: [.entry("org.example.first"), entry, .entry("org.example.last")])
    let read = try TypeDeclarationList(propertyList: list.encoded(as: format))
    #expect(read.declarations.map(\.identifier) == ["org.example.first", "org.example.last"])
    #expect(read.refused.map(\.index) == [1])
    return read.refused.map(\.location)
  }

  private func refused(_ more: [String: ListValue]) throws -> [String] {
    try refused(.entry("org.example.saga", more))
  }

  /// Returns the remarks about a declaration that is accepted without its faulty parts.
  private func remarks(
    _ more: [String: ListValue], _ format: PropertyListDecoder.PropertyListFormat = .xml
  ) throws -> [String] {
    let list = ListValue.declarations(imported: [.entry("org.example.first"), .entry("org.example.saga", more)])
    let read = try TypeDeclarationList(propertyList: list.encoded(as: format))
    #expect(read.declarations.map(\.identifier) == ["org.example.first", "org.example.saga"])
    #expect(read.refused.allSatisfy { $0.isRemark && $0.index == 1 && $0.identifier == "org.example.saga" })
    return read.refused.map(\.location)
  }

  private let start = "UTImportedTypeDeclarations[1]"

  // MARK: Faults of one declaration

  @Test func valueOfWrongKindIsReportedWithKeyPathAndKind() throws {
    for (found, value) in ListValue.kinds {
      if found != "a dictionary" {
        #expect(try refused(value) == ["\(start): expected a dictionary, found \(found)"])
        #expect(
          try refused(["UTTypeTagSpecification": value]) == [
            "\(start).UTTypeTagSpecification: expected a dictionary, found \(found)"
          ])
      }
      if found != "a string" {
        #expect(
          try refused(["UTTypeIdentifier": value]) == [
            "\(start).UTTypeIdentifier: expected a string, found \(found)"
          ])
        for key in ["UTTypeDescription", "UTTypeReferenceURL"] {
          #expect(try refused([key: value]) == ["\(start).\(key): expected a string, found \(found)"])
        }
        #expect(
          try remarks(["UTTypeConformsTo": ["public.data", value]]) == [
            "\(start).UTTypeConformsTo[1]: expected a string, found \(found)"
          ])
        #expect(
          try remarks(["UTTypeTagSpecification": ["public.filename-extension": ["a", "b", value]]]) == [
            "\(start).UTTypeTagSpecification.public.filename-extension[2]: expected a string, found \(found)"
          ])
      }
      if found != "a string", found != "an array" {
        #expect(
          try remarks(["UTTypeConformsTo": value]) == [
            "\(start).UTTypeConformsTo: expected a string or an array of strings, found \(found)"
          ])
        #expect(
          try remarks(["UTTypeTagSpecification": ["org.example.rune": value]]) == [
            "\(start).UTTypeTagSpecification.org.example.rune: expected a string or an array of strings, "
              + "found \(found)"
          ])
      }
      if found != "a string", found != "a number" {
        #expect(
          try refused(["UTTypeVersion": value]) == [
            "\(start).UTTypeVersion: expected a number or a string, found \(found)"
          ])
      }
    }
  }

  @Test func declarationWithoutIdentifierIsRefused() throws {
    #expect(
      try refused(["UTTypeConformsTo": "public.data"] as ListValue) == [
        "\(start).UTTypeIdentifier: expected a string, found nothing"
      ])
  }

  @Test func refusalNamesTheIdentifierIfKnown() throws {
    let list = ListValue.declarations(exported: [
      .entry("org.example.saga", ["UTTypeVersion": .bool(true)]), "org.example.edda",
    ])
    let read = try TypeDeclarationList(propertyList: list.encoded())
    #expect(read.refused.map(\.identifier) == ["org.example.saga", nil])
  }

  @Test(
    arguments: [
      ("", .emptyIdentifier), ("org.example.a saga", .illegalCharacter(offset: 13)),
      ("org.\u{0}", .illegalCharacter(offset: 4)), ("org.\u{1B}[2J", .illegalCharacter(offset: 4)),
      (String(repeating: "a", count: 5000), .longIdentifier), ("dyn.age8", .reservedIdentifier),
    ] as [(String, RefusedDeclaration.Reason)])
  func illegalIdentifierRefusesADeclarationAndIsRemovedFromParents(
    identifier: String, reason: RefusedDeclaration.Reason
  ) throws {
    // Only the binary format can represent control characters.
    #expect(try refused(.entry(identifier), .binary) == ["\(start).UTTypeIdentifier: \(reason)"])
    guard reason != .reservedIdentifier else { return }
    let parents: ListValue = ["public.data", .string(identifier)]
    #expect(try remarks(["UTTypeConformsTo": parents], .binary) == ["\(start).UTTypeConformsTo[1]: \(reason)"])
    #expect(
      try remarks(["UTTypeConformsTo": .string(identifier)], .binary) == ["\(start).UTTypeConformsTo: \(reason)"])
  }

  @Test(arguments: ["", ".", "..saga", "a/b"])
  func invalidTagIsLeftOutWithItsKeyPath(tag: String) throws {
    let path = "\(start).UTTypeTagSpecification.public.filename-extension"
    #expect(
      try remarks(["UTTypeTagSpecification": ["public.filename-extension": ["saga", .string(tag)]]]) == [
        "\(path)[1]: \(RefusedDeclaration.Reason.invalidTag)"
      ])
    #expect(
      try remarks(["UTTypeTagSpecification": ["public.filename-extension": .string(tag)]]) == [
        "\(path): \(RefusedDeclaration.Reason.invalidTag)"
      ])
  }

  @Test func orderOfFaultsIsDeterministic() throws {
    let tags = Dictionary(uniqueKeysWithValues: "hgfedcba".map { (String($0), ListValue.string("\u{0}")) })
    for _ in 0..<20 {
      #expect(
        try remarks(["UTTypeTagSpecification": .dictionary(tags)], .binary)
          == "abcdefgh".map { "\(start).UTTypeTagSpecification.\($0): the tag is not valid for its class" })
    }
  }

  @Test func overlongTagClassRefusesItsDeclaration() throws {
    #expect(
      try refused(["UTTypeTagSpecification": [String(repeating: "x", count: 1025): "tag"]]) == [
        "\(start).UTTypeTagSpecification: a tag class has more than 1024 bytes"
      ])
  }

  @Test func refusalEscapesControlCharacters() throws {
    let refused = RefusedDeclaration(
      index: 0, keyPath: "a.\u{1B}]0;", identifier: "b\u{202E}\u{9B}\n" + String(repeating: "c", count: 90),
      reason: .invalidTag)
    let text = refused.description
    #expect(text.unicodeScalars.allSatisfy { $0.isASCII && $0.value >= 0x20 || $0 == "…" })
    #expect(text.hasPrefix(#"a.\u{1b}]0; (b\u{202e}\u{9b}\u{a}ccc"#))
  }

  // MARK: Remarks

  @Test func faultyParentsAndTagsAreLeftOut() throws {
    let list = ListValue.declarations(
      exported: [.entry("org.sbarex.a", ["UTTypeConformsTo": ["org.sbarex.a", "public.source-code"]])],
      imported: [
        .entry(
          "io.iina.m4a",
          [
            "UTTypeConformsTo": ["public.audio", "public.mpeg-4-audio "],
            "UTTypeTagSpecification": ["public.filename-extension": ["m4a", "a/b", "m4b"]],
          ])
      ])
    let read = try TypeDeclarationList(propertyList: list.encoded())
    #expect(read.declarations.map(\.conformsTo) == [["public.source-code"], ["public.audio"]])
    #expect(read.declarations.last?.tags == [.filenameExtension: ["m4a", "m4b"]])
    #expect(read.refused.map(\.isRemark) == [true, true, true])
    #expect(
      read.refused.map(\.description) == [
        """
        UTExportedTypeDeclarations[0].UTTypeConformsTo[0] (org.sbarex.a): "org.sbarex.a" is ignored: the type would \
        conform to itself
        """,
        """
        UTImportedTypeDeclarations[0].UTTypeTagSpecification.public.filename-extension[1] (io.iina.m4a): "a/b" is \
        ignored: the tag is not valid for its class
        """,
        """
        UTImportedTypeDeclarations[0].UTTypeConformsTo[1] (io.iina.m4a): "public.mpeg-4-audio " is ignored: the \
        identifier's character at byte 19 is not a letter, a digit, a hyphen or a period
        """,
      ])
  }

  @Test func laterFaultHasTheIndexInThePropertyList() throws {
    let list = ListValue.declarations(exported: [
      .entry("a.one", ["UTTypeConformsTo": ["a b", "public.data", "a.two"]]),
      .entry("a.two", ["UTTypeConformsTo": "a.one"]),
    ])
    let refused = try TypeRegistry().declare(propertyList: list.encoded()).filter { !$0.isRemark }
    #expect(
      refused.map(\.keyPath) == [
        "UTExportedTypeDeclarations[0].UTTypeConformsTo[2]", "UTExportedTypeDeclarations[1].UTTypeConformsTo",
      ])
  }

  @Test func listWithTooManyRemarksIsRefused() throws {
    let parents = Array(repeating: ListValue.string(""), count: 1 << 15)
    func list(_ count: Int) throws -> Data {
      let entries = (0..<count).map { ListValue.entry("a.t\($0)", ["UTTypeConformsTo": .array(parents)]) }
      return try ListValue.declarations(imported: entries).encoded(as: .binary)
    }
    #expect(try TypeDeclarationList(propertyList: list(2)).refused.count == 1 << 16)
    let error = try error(list(3))
    #expect(error.code == .limitExceeded)
    #expect(error.description == "UTImportedTypeDeclarations: there are more than 65536 faulty parents and tags")
  }

  // MARK: Faults of the complete list

  private func error(_ data: Data) throws -> TypeDeclarationListError {
    try #require(throws: TypeDeclarationListError.self) { try TypeDeclarationList(propertyList: data) }
  }

  @Test(arguments: [
    ("<array><dict/></array>", "an array"), ("<string>a</string>", "a string"), ("<integer>1</integer>", "a number"),
    ("<true/>", "a boolean"), ("<date>2001-01-01T00:00:00Z</date>", "a date"), ("<data>AQID</data>", "data"),
  ])
  func listWithoutOuterDictionaryIsRefused(list: String, found: String) throws {
    let error = try error(Data("<plist>\(list)</plist>".utf8))
    #expect(error.code == .invalidValue && error.keyPath.isEmpty)
    #expect(error.description == "expected a dictionary, found \(found)")
  }

  @Test func keyWithoutArrayRefusesTheList() throws {
    for key in ["UTExportedTypeDeclarations", "UTImportedTypeDeclarations"] {
      for (found, value) in ListValue.kinds + [("a dictionary", .entry("org.example.saga"))] where found != "an array" {
        let error = try error(ListValue.dictionary([key: value]).encoded(as: .binary))
        #expect(error.code == .invalidValue && error.keyPath == key)
        #expect(error.description == "\(key): expected an array of dictionaries, found \(found)")
      }
    }
  }

  @Test(arguments: ["", "no list", "{ a = b; }", "bplist00", "<plist>", "<plist><dict></plist>", "<html></html>"])
  func bytesThatAreNotAPropertyListAreRefused(text: String) throws {
    let error = try error(Data(text.utf8))
    #expect(error.code == .malformed && error.keyPath.isEmpty && error.reason.hasPrefix("property list: "))
  }

  @Test(
    arguments: [
      ("<dict>\n<key>a</key>\n</dict>", "Value missing for key inside <dict> at line 4"),
      ("<dict>\n<foo/></dict>", "Encountered unknown tag foo/ on line 3"),
      ("<dict>\r\n<foo/></dict>", "Encountered unknown tag foo/ on line 3"),
      ("<dict>\n<key>a</key>\n<string/>\n<string>b</string>\n<string>c</string></dict>", "on line 5"),
      ("<dict>\n<key>a</key>\n<array>\n<dict/>\n<string/></array>\n<dict>\n<true/></dict></dict>", "on line 7"),
      ("<dict>\n<key>a</key><dict><key>b</key>\n<false/></dict>\n<array/></dict>", "on line 5"),
      (
        "<dict>\n<!-- <string> --><?a <b> ?><key><![CDATA[<\n<c>]]></key><string>\n</string><real>1</real>", "on line 5"
      ),
      ("<dict>\n<string\n>a</string></dict>", "on line 3"),
      ("<dict>\n\n<key>a", "EOF on line 4"), ("<dict>\n<!-- \n", "at byte 19 on line 3"),
    ])
  func faultOfXMLNamesItsLine(text: String, ending: String) throws {
    let error = try error(Data("<plist>\n\(text)".utf8))
    #expect(error.reason.hasSuffix(ending), "\(error)")
  }

  @Test func errorEscapesQuotationsOfTheParser() throws {
    let error = try error(Data("<plist><dict><\u{7}\u{85}\u{2028}></dict></plist>".utf8))
    #expect(error.code == .malformed)
    #expect(error.description.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.isASCII })
  }
}
