// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import UniformTypes

@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct TypeDeclarationListTests {
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

  @Test func tagsAreNormalized() throws {
    let read = try declaration([
      "UTTypeTagSpecification": [
        "public.filename-extension": [".saga", "EDDA", "tar.gz"], "org.example.rune": ".f",
        "public.Mime-Type": ["a/a"], "public.mime-type": ["b/b"],
      ]
    ])
    #expect(
      read.tags == [
        .filenameExtension: ["saga", "EDDA", "tar.gz"], UTTagClass(rawValue: "org.example.rune"): [".f"],
        .mimeType: ["a/a", "b/b"],
      ])
  }

  @Test(
    arguments: [
      (.integer(3), 3), (.integer(-1), -1), (.real(2.0), 2), (.real(2.9), 2), ("4", 4), ("1.2.3", 1), ("first", nil),
      ("", nil), (.real(1e300), nil), (.real(.nan), nil), ("99999999999999999999", nil),
    ] as [(ListValue, Int?)])
  func versionIsTheIntegerPartOfANumberOrText(value: ListValue, version: Int?) throws {
    #expect(try declaration(["UTTypeVersion": value]).version == version)
  }

  @Test func invalidReferenceURLIsLeftOut() throws {
    for text: ListValue in ["", "http://["] {
      #expect(try declaration(["UTTypeReferenceURL": text]) == TypeDeclaration("org.example.saga"))
    }
  }

  // MARK: Faults of one declaration

  /// Returns the faults of the second of three declarations.
  ///
  /// The others must be accepted, and the second itself if it only gets remarks.
  private func faults(_ entry: ListValue, sourceLocation: SourceLocation = #_sourceLocation) throws -> [String] {
    let list = ListValue.declarations(imported: [.entry("org.example.first"), entry, .entry("org.example.last")])
    // Only the binary format can represent control characters.
    let read = try TypeDeclarationList(propertyList: list.encoded(as: .binary))
    let areRemarks = read.refused.allSatisfy { $0.isRemark && $0.identifier == "org.example.saga" }
    #expect(
      read.declarations.map(\.identifier)
        == ["org.example.first"] + (areRemarks ? ["org.example.saga"] : []) + ["org.example.last"],
      sourceLocation: sourceLocation)
    #expect(read.refused.allSatisfy { $0.index == 1 && $0.isRemark == areRemarks }, sourceLocation: sourceLocation)
    return read.refused.map { "\($0.isRemark ? "remark" : "refused") \($0.location.dropFirst(start.count))" }
  }

  private func faults(
    _ more: [String: ListValue], sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> [String] {
    try faults(.entry("org.example.saga", more), sourceLocation: sourceLocation)
  }

  private let start = "UTImportedTypeDeclarations[1]"

  @Test func valueOfWrongKindIsReportedWithKeyPathAndKind() throws {
    #expect(try faults([:] as ListValue) == ["refused .UTTypeIdentifier: expected a string, found nothing"])
    for (found, value) in ListValue.kinds {
      if found != "a dictionary" {
        let text = "expected a dictionary, found \(found)"
        let found = try faults(value) + faults(["UTTypeTagSpecification": value])
        #expect(found == ["refused : \(text)", "refused .UTTypeTagSpecification: \(text)"])
      }
      if found != "a string" {
        for (key, value, path) in [
          ("UTTypeIdentifier", value, "refused .UTTypeIdentifier"),
          ("UTTypeDescription", value, "refused .UTTypeDescription"),
          ("UTTypeReferenceURL", value, "refused .UTTypeReferenceURL"),
          ("UTTypeConformsTo", ["public.data", value], "remark .UTTypeConformsTo[1]"),
          (
            "UTTypeTagSpecification", ["org.example.rune": ["a", "b", value]],
            "remark .UTTypeTagSpecification.org.example.rune[2]"
          ),
        ] as [(String, ListValue, String)] {
          #expect(try faults([key: value]) == ["\(path): expected a string, found \(found)"])
        }
      }
      if found != "a string", found != "an array" {
        let text = "expected a string or an array of strings, found \(found)"
        let paths = ["UTTypeConformsTo", "UTTypeTagSpecification.org.example.rune"]
        let found =
          try faults(["UTTypeConformsTo": value]) + faults(["UTTypeTagSpecification": ["org.example.rune": value]])
        #expect(found == paths.map { "remark .\($0): \(text)" })
      }
      if found != "a string", found != "a number" {
        #expect(
          try faults(["UTTypeVersion": value])
            == ["refused .UTTypeVersion: expected a number or a string, found \(found)"])
      }
    }
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
    #expect(try faults(.entry(identifier)) == ["refused .UTTypeIdentifier: \(reason)"])
    guard reason != .reservedIdentifier else { return }
    let parent = ListValue.string(identifier)
    let found = try faults(["UTTypeConformsTo": ["public.data", parent]]) + faults(["UTTypeConformsTo": parent])
    #expect(found == ["remark .UTTypeConformsTo[1]: \(reason)", "remark .UTTypeConformsTo: \(reason)"])
  }

  @Test func invalidTagIsLeftOutWithItsKeyPath() throws {
    for tag in ["", ".", "..saga", "a/b"].map(ListValue.string) {
      for (value, index) in [(["saga", tag], "[1]"), (tag, "")] as [(ListValue, String)] {
        #expect(
          try faults(["UTTypeTagSpecification": ["public.filename-extension": value]]) == [
            "remark .UTTypeTagSpecification.public.filename-extension\(index): the tag is not valid for its class"
          ])
      }
    }
    #expect(
      try faults(["UTTypeTagSpecification": [String(repeating: "x", count: 1025): "tag"]])
        == ["refused .UTTypeTagSpecification: a tag class has more than 1024 bytes"])
  }

  @Test func orderOfFaultsIsDeterministic() throws {
    let tags = Dictionary(uniqueKeysWithValues: "hgfedcba".map { (String($0), ListValue.string("\u{0}")) })
    for _ in 0..<20 {
      #expect(
        try faults(["UTTypeTagSpecification": .dictionary(tags)])
          == "abcdefgh".map { "remark .UTTypeTagSpecification.\($0): the tag is not valid for its class" })
    }
  }

  @Test func faultNamesTheIdentifierAndTheIgnoredValue() throws {
    let read = try read(
      .declarations(
        exported: [.entry("org.example.saga", ["UTTypeVersion": .bool(true)]), "org.example.edda"],
        imported: [
          .entry(
            "io.iina.m4a",
            [
              "UTTypeConformsTo": ["public.audio", "public.mpeg-4-audio "],
              "UTTypeTagSpecification": ["public.filename-extension": ["m4a", "a/b", "m4b"]],
            ])
        ]))
    #expect(read.refused.map(\.identifier) == ["org.example.saga", nil, "io.iina.m4a", "io.iina.m4a"])
    let tags: [UTTagClass: [String]] = [.filenameExtension: ["m4a", "m4b"]]
    #expect(
      read.declarations == [
        TypeDeclaration("io.iina.m4a", origin: .imported, conformsTo: ["public.audio"], tags: tags)
      ])
    #expect(
      read.refused.dropFirst(2).map(\.description) == [
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

  @Test func longListReportsEachFaultyEntry() throws {
    let count = 20_000 / testSizeDivisor
    let entries = (0..<count).map { index in
      "<dict><key>UTTypeIdentifier</key><string>a\(index % 10 == 3 ? " " : ".")t\(index)</string></dict>"
    }
    let list = xml("<dict><key>UTImportedTypeDeclarations</key><array>\(entries.joined())</array></dict>")
    let registry = TypeRegistry()
    let refused = try registry.declare(propertyList: list)
    #expect(refused.map(\.index) == Array(stride(from: 3, to: count, by: 10)))
    let keyPath = "UTImportedTypeDeclarations[\(count - 7)].UTTypeIdentifier"
    #expect(refused.last?.keyPath == keyPath && registry.declarations.count == count - refused.count)
  }

  // MARK: Faults of the complete list

  private func error(_ data: Data) throws -> TypeDeclarationListError {
    try #require(throws: TypeDeclarationListError.self) { try TypeDeclarationList(propertyList: data) }
  }

  private func xml(_ text: String) -> Data { Data("<plist>\(text)</plist>".utf8) }

  @Test func listWithoutOuterDictionaryIsRefused() throws {
    for (list, found) in [
      ("<array><dict/></array>", "an array"), ("<string>a</string>", "a string"), ("<integer>1</integer>", "a number"),
      ("<true/>", "a boolean"), ("<date>2001-01-01T00:00:00Z</date>", "a date"), ("<data>AQID</data>", "data"),
    ] {
      let error = try error(xml(list))
      let expected = TypeDeclarationListError(.invalidValue, "expected a dictionary, found \(found)")
      #expect(error == expected && error.description == error.reason)
    }
  }

  @Test func keyWithoutArrayRefusesTheList() throws {
    for key in ["UTExportedTypeDeclarations", "UTImportedTypeDeclarations"] {
      for (found, value) in ListValue.kinds + [("a dictionary", .entry("org.example.saga"))] where found != "an array" {
        let error = try error(ListValue.dictionary([key: value]).encoded(as: .binary))
        let description = "\(key): expected an array of dictionaries, found \(found)"
        #expect(error.code == .invalidValue && error.keyPath == key && error.description == description)
      }
    }
    let list: ListValue = ["UTExportedTypeDeclarations": [.entry("a.a")], "UTImportedTypeDeclarations": "none"]
    let registry = TypeRegistry()
    #expect(throws: TypeDeclarationListError.self) { try registry.declare(propertyList: list.encoded()) }
    #expect(registry.declarations.isEmpty)
  }

  @Test func bytesThatAreNotAPropertyListAreRefused() throws {
    for text in ["", "no list", "{ a = b; }", "bplist00", "<plist>", "<plist><dict></plist>", "<html></html>"] {
      let error = try error(Data(text.utf8))
      #expect(error.code == .malformed && error.keyPath.isEmpty && error.reason.hasPrefix("property list: "))
    }
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
    let error = try error(xml("<dict><\u{7}\u{85}\u{2028}></dict>"))
    let isVisible = error.description.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.isASCII }
    #expect(error.code == .malformed && isVisible)
  }

  @Test func declaredEntitiesAreRefusedAndExternalDocumentTypesNotRead() throws {
    let laughs = (1...30).map { "<!ENTITY l\($0) \"&l\($0 - 1);&l\($0 - 1);\">" }.joined()
    let body = "<plist><dict><key>UTExportedTypeDeclarations</key><array><string>&l30;</string></array></dict></plist>"
    for text in [
      "<!DOCTYPE plist [<!ENTITY l0 \"ha\">\(laughs)]>\(body)",
      "<!DOCTYPE plist [<!ENTITY l0 \"ha\">]><plist><dict/></plist>",
      "<!DOCTYPE plist [<!ENTITY l30 SYSTEM \"file:///etc/passwd\">]>\(body)", body,
    ] {
      #expect(try error(Data(text.utf8)).code == .malformed)
    }
    let external = "<!DOCTYPE plist SYSTEM \"file:///nowhere.dtd\"><plist><dict/></plist>"
    #expect(try TypeDeclarationList(propertyList: Data(external.utf8)).declarations.isEmpty)
  }

  // MARK: Limits

  @Test func listAboveTheByteLimitIsRefused() throws {
    let list = xml("<dict/>")
    let padding = Data(repeating: 0x20, count: TypeDeclarationList.maximumByteCount - list.count)
    #expect(try TypeDeclarationList(propertyList: list + padding).declarations.isEmpty)
    #expect(try error(list + padding + [0x20]).code == .limitExceeded)
  }

  @Test func listAboveTheDepthLimitIsRefused() throws {
    func nested(_ depth: Int) -> String {
      String(repeating: "<array>", count: depth) + String(repeating: "</array>", count: depth)
    }
    func list(_ text: String) -> Data {
      let entry = "<dict><key>UTTypeIdentifier</key><string>a.b</string><key>UTTypeConformsTo</key>\(text)</dict>"
      return xml("<dict><key>UTExportedTypeDeclarations</key><array>\(entry)</array></dict>")
    }
    #expect(try TypeDeclarationList(propertyList: list(nested(125))).refused.count == 1)
    for list in [list(nested(126)), list(nested(100_000)), xml("<dict><key>other</key>\(nested(200))</dict>")] {
      #expect(try error(list).code == .malformed)
    }
  }

  @Test func listWithTooManyRemarksIsRefused() throws {
    /// Returns a list of declarations with numbers of faulty parents.
    func list(_ counts: Int...) -> Data {
      let entries = counts.map { count in
        let parents = "<array>\(String(repeating: "<string/>", count: count))</array>"
        return "<dict><key>UTTypeIdentifier</key><string>a.b</string><key>UTTypeConformsTo</key>\(parents)</dict>"
      }
      return xml("<dict><key>UTImportedTypeDeclarations</key><array>\(entries.joined())</array></dict>")
    }
    if isFullRun { #expect(try TypeDeclarationList(propertyList: list(1 << 15, 1 << 15)).refused.count == 1 << 16) }
    let error = try error(list(1 << 15, 1 << 15, 1))
    let description = "UTImportedTypeDeclarations: there are more than 65536 faulty parents and tags"
    #expect(error.code == .limitExceeded && error.description == description)
  }

  /// Returns a binary list whose only array contains object 3, the first of `objects`, `count` times.
  private func sharing(_ count: Int, _ objects: [[UInt8]]) -> Data {
    func integer(_ value: Int, width: Int) -> [UInt8] {
      (0..<width).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
    let key: [UInt8] = [0x5F, 0x10, 26] + Array("UTExportedTypeDeclarations".utf8)
    let array = [0xAF, 0x12] + integer(count, width: 4) + Array(repeating: 3, count: count)
    var bytes = Data("bplist00".utf8)
    var table: [UInt8] = []
    for object in [[0xD1, 1, 2], key, array] + objects {
      table += integer(bytes.count, width: 4)
      bytes += object
    }
    let trailer = [3 + objects.count, 0, bytes.count].flatMap { integer($0, width: 8) }
    return bytes + table + [0, 0, 0, 0, 0, 0, 4, 1] + trailer
  }

  @Test func listWithTooManyEntriesIsRefused() throws {
    let limit = TypeDeclarationList.maximumDeclarationCount
    #expect(try TypeDeclarationList(propertyList: sharing(1000, [[0xD0]])).refused.count == 1000)
    let error = try error(sharing(limit + 1, [[0xD0]]))
    #expect(error.code == .limitExceeded && error.keyPath == "UTExportedTypeDeclarations")
  }

  @Test func listWithTooManySharedKeysIsRefused() throws {
    let keys = Array(UInt8(4)..<204)
    let names = keys.map { [0x51, $0 & 0x7F] as [UInt8] }
    // Either limit may be found first, since the validator also limits visits by the length of the list.
    let code = try error(sharing(100_000, [[0xDF, 0x10, 200] + keys + keys] + names)).code
    #expect(code == .limitExceeded || code == .malformed)
  }

  @Test func listThatContainsItselfIsRefused() throws {
    for entry: [UInt8] in [[0xA1, 3], [0xA1, 2], [0xA1, 0], [0xD1, 1, 3]] {
      #expect(try error(sharing(1, [entry])).code == .malformed)
    }
  }
}
