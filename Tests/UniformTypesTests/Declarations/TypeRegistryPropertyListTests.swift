// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import UniformTypes

@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct TypeRegistryPropertyListTests {
  private func declare(_ list: ListValue, in registry: TypeRegistry = TypeRegistry()) throws -> [String] {
    try registry.declare(propertyList: list.encoded(as: .binary)).map(\.location)
  }

  private func entry(_ identifier: String, conformsTo parents: String..., tag: String? = nil) -> ListValue {
    var more: [String: ListValue] = ["UTTypeConformsTo": .array(parents.map { .string($0) })]
    if let tag { more["UTTypeTagSpecification"] = ["public.filename-extension": .string(tag)] }
    return .entry(identifier, more)
  }

  @Test func exportedTypeTakesPrecedenceOverImports() throws {
    let registry = TypeRegistry()
    let exported = entry("org.example.saga", conformsTo: "public.plain-text", tag: "saga")
    let imported = entry("Org.Example.Saga", conformsTo: "public.image", tag: "edda")
    #expect(try declare(.declarations(imported: [imported]), in: registry).isEmpty)
    #expect(
      try declare(.declarations(exported: [exported], imported: [imported]), in: registry) == [
        "UTImportedTypeDeclarations[0].UTTypeIdentifier: the type is already declared"
      ])
    #expect(registry.identifiers(above: "org.example.saga").contains("public.text"))
    #expect(registry.claimants(ofExtension: "saga") == ["org.example.saga"])
    #expect(registry.claimants(ofExtension: "edda").isEmpty)
  }

  @Test func repeatedListIsRefusedAndChangesNothing() throws {
    let registry = TypeRegistry()
    let list = ListValue.declarations(exported: [entry("a.a"), entry("a.b", tag: "b")], imported: [entry("a.c")])
    #expect(try declare(list, in: registry).isEmpty)
    #expect(
      try declare(list, in: registry) == [
        "UTExportedTypeDeclarations[0].UTTypeIdentifier: the type is already declared",
        "UTExportedTypeDeclarations[1].UTTypeIdentifier: the type is already declared",
        "UTImportedTypeDeclarations[0].UTTypeIdentifier: the type is already declared",
      ])
    #expect(registry.declarations.count == 3)
    #expect(registry.claimants(ofExtension: "b") == ["a.b"])
  }

  @Test func faultsAreInTheOrderOfTheList() throws {
    let list = ListValue.declarations(
      exported: [entry("public.png"), entry("a b"), .integer(1), entry("a.a"), entry("a.a")],
      imported: [entry("a.a"), "x", entry("a.self", conformsTo: "public.data", "a.self")])
    let refused = try TypeRegistry().declare(propertyList: list.encoded(as: .binary))
    #expect(
      refused.map { $0.keyPath.split(separator: ".")[0] } == [
        "UTExportedTypeDeclarations[0]", "UTExportedTypeDeclarations[1]", "UTExportedTypeDeclarations[2]",
        "UTExportedTypeDeclarations[4]", "UTImportedTypeDeclarations[0]", "UTImportedTypeDeclarations[1]",
        "UTImportedTypeDeclarations[2]",
      ])
    #expect(refused.map(\.index) == [0, 1, 2, 4, 0, 1, 2])
    #expect(refused.last?.keyPath == "UTImportedTypeDeclarations[2].UTTypeConformsTo[1]")
  }

  @Test func cyclesAreRefused() throws {
    let circle = RefusedDeclaration.Reason.cycle.description
    #expect(
      try declare(
        .declarations(exported: [
          entry("a.one", conformsTo: "a.two"), entry("a.two", conformsTo: "a.three"),
          entry("a.three", conformsTo: "public.data", "a.one"), .entry("a.self", ["UTTypeConformsTo": "A.SELF"]),
        ])) == [
          "UTExportedTypeDeclarations[0].UTTypeConformsTo[0]: \(circle)",
          "UTExportedTypeDeclarations[1].UTTypeConformsTo[0]: \(circle)",
          "UTExportedTypeDeclarations[2].UTTypeConformsTo[1]: \(circle)",
          "UTExportedTypeDeclarations[3].UTTypeConformsTo: \(circle)",
        ])
    // The exported declaration takes effect before the imported declaration is checked.
    #expect(
      try declare(
        .declarations(exported: [entry("a.one", conformsTo: "a.two")], imported: [entry("a.two", conformsTo: "a.one")])
      ) == ["UTImportedTypeDeclarations[0].UTTypeConformsTo[0]: \(circle)"])
  }

  @Test func unreadableListDeclaresNothing() throws {
    let registry = TypeRegistry()
    let list: ListValue = ["UTExportedTypeDeclarations": [entry("a.a")], "UTImportedTypeDeclarations": "none"]
    #expect(throws: TypeDeclarationListError.self) { try declare(list, in: registry) }
    #expect(registry.declarations.isEmpty)
  }

  @Test func longChainIsDeclaredAndItsCycleIsRefused() throws {
    let count = 20_000 / testSizeDivisor
    let chain = (0..<count).map { entry("a.t\($0)", conformsTo: "a.t\($0 + 1)") }
    let registry = TypeRegistry()
    #expect(try declare(.declarations(exported: chain), in: registry).isEmpty)
    #expect(registry.identifiers(above: "a.t0").count == count + 2)
    let closing = ListValue.declarations(imported: [entry("a.t\(count)", conformsTo: "a.t0")])
    #expect(try declare(closing, in: registry).count == 1)
    #expect(try declare(.declarations(exported: chain + [entry("a.t\(count)", conformsTo: "a.t0")])).count == count + 1)
  }

  @Test func longListReportsEachFaultyEntry() throws {
    let count = 100_000 / testSizeDivisor
    let entries = (0..<count).map { index in
      "<dict><key>UTTypeIdentifier</key><string>a\(index % 10 == 3 ? " " : ".")t\(index)</string></dict>"
    }
    let text = "<plist><dict><key>UTImportedTypeDeclarations</key><array>\(entries.joined())</array></dict></plist>"
    let registry = TypeRegistry()
    let refused = try registry.declare(propertyList: Data(text.utf8))
    #expect(refused.map(\.index) == Array(stride(from: 3, to: count, by: 10)))
    #expect(refused.last?.location.hasPrefix("UTImportedTypeDeclarations[\(count - 7)].UTTypeIdentifier: ") == true)
    #expect(registry.declarations.count == count - refused.count)
  }
}
