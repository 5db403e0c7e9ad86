// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import UniformTypes

@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct UTTypeConformanceTests {
  @Test(arguments: [
    (UTType.utf8PlainText, UTType.plainText), (.utf8PlainText, .text), (.utf8PlainText, .data), (.png, .image),
    (.png, .content), (.png, .item), (.svg, .image), (.svg, .text), (.commaSeparatedText, .delimitedText),
    (.commaSeparatedText, .plainText), (.xmlPropertyList, .propertyList), (.xmlPropertyList, .xml),
    (.binaryPropertyList, .propertyList), (.pdf, .compositeContent), (.zip, .archive), (.fileURL, .url),
    (.folder, .directory), (.mp3, .audiovisualContent),
  ])
  func typeConformsToItsSupertypes(type: UTType, parent: UTType) {
    #expect(type.conforms(to: parent))
    #expect(type.isSubtype(of: parent))
    #expect(parent.isSupertype(of: type))
    #expect(type.supertypes.contains(parent))
  }

  @Test(arguments: [
    (UTType.plainText, UTType.utf8PlainText), (.image, .png), (.data, .text), (.item, .data), (.xml, .svg),
  ])
  func parentDoesNotConformToItsChild(parent: UTType, type: UTType) {
    #expect(!parent.conforms(to: type))
    #expect(!parent.isSubtype(of: type))
    #expect(!type.isSupertype(of: parent))
    #expect(!parent.supertypes.contains(type))
  }

  @Test(arguments: [
    (UTType.png, UTType.jpeg), (.json, .plainText), (.html, .xml), (.binaryPropertyList, .xml), (.folder, .data),
    (.archive, .data), (.pdf, .text),
  ])
  func unrelatedTypesDoNotConform(one: UTType, other: UTType) {
    #expect(!one.conforms(to: other))
    #expect(!other.conforms(to: one))
  }

  @Test func typeConformsToItselfButIsNotItsSubtype() {
    #expect(UTType.png.conforms(to: .png))
    #expect(!UTType.png.isSubtype(of: .png))
    #expect(!UTType.png.isSupertype(of: .png))
    #expect(!UTType.png.supertypes.contains(.png))
  }

  @Test func supertypesExcludeTheTypeItself() {
    #expect(UTType.png.supertypes == [.image, .data, .content, .item])
    #expect(
      UTType.commaSeparatedText.supertypes == [.plainText, .delimitedText, .text, .data, .content, .item])
    #expect(UTType.item.supertypes.isEmpty)
    #expect(UTType.content.supertypes.isEmpty)
  }

  @Test func undeclaredTypeConformsOnlyToItselfAndData() {
    let type = UTType(importedAs: "org.example.conformance.undeclared")
    #expect(type.conforms(to: type))
    #expect(type.conforms(to: .data))
    #expect(type.supertypes == [.data, .item])
    #expect(!type.conforms(to: .content))
    #expect(!type.conforms(to: .text))
  }

  @Test func conformancePassesThroughAnUndeclaredParent() {
    let parent = UTType(importedAs: "org.example.conformance.undeclared-parent")
    let type = UTType(exportedAs: "org.example.conformance.its-child", conformingTo: parent)
    #expect(type.conforms(to: parent))
    #expect(type.conforms(to: .data))
    #expect(type.supertypes == [parent, .data, .item])
  }

  @Test func parentDeclaredLaterAddsItsParents() {
    let parent = UTType(importedAs: "org.example.conformance.later")
    let type = UTType(exportedAs: "org.example.conformance.earlier", conformingTo: parent)
    #expect(!type.conforms(to: .image))
    _ = UTType(exportedAs: "org.example.conformance.LATER", conformingTo: .png)
    #expect(type.conforms(to: .image))
    #expect(type.conforms(to: parent))
    #expect(type.supertypes.contains { $0.identifier == "org.example.conformance.LATER" })
  }

  @Test func conformanceIgnoresCase() {
    let type = UTType(
      exportedAs: "org.example.conformance.Case", conformingTo: UTType(importedAs: "PUBLIC.JSON"))
    #expect(UTType(importedAs: "ORG.EXAMPLE.CONFORMANCE.CASE").conforms(to: .json))
    #expect(type.conforms(to: UTType(importedAs: "Public.Text")))
  }

  @Test func dynamicTypeMayBeAParent() throws {
    let parent = try #require(UTType(filenameExtension: "conformance-parent", conformingTo: .plainText))
    let tags = parent.tags
    let type = UTType(exportedAs: "org.example.conformance.of-dynamic", conformingTo: parent)
    #expect(type.conforms(to: parent) && type.isSubtype(of: parent) && parent.isSupertype(of: type))
    #expect(type.conforms(to: .text) && !type.conforms(to: .image))
    #expect(type.supertypes == parent.supertypes.union([parent]))
    for same in [parent, UTType(named: parent.identifier), UTType(importedAs: parent.identifier.uppercased())]
      + type.supertypes.filter({ $0 == parent })
    {
      #expect(same.isDynamic && !same.isDeclared)
      #expect(same.tags == tags && same.preferredFilenameExtension == "conformance-parent")
      #expect(same.supertypes == parent.supertypes && same.conforms(to: .plainText))
      #expect(same.localizedDescription == nil)
    }
  }

  @Test func conformanceIsTransitiveThroughNestedDynamicTypes() throws {
    let inner = try #require(UTType("dyn.ah62d4uv4ge81c6pv"))
    #expect(inner.conforms(to: .image))
    let outer = try #require(UTType(filenameExtension: "us", conformingTo: inner))
    #expect(outer.conforms(to: inner) && outer.conforms(to: .image) && !outer.conforms(to: .text))
    let outermost = try #require(UTType(filenameExtension: "eu", conformingTo: outer))
    #expect(outermost.conforms(to: outer) && outermost.conforms(to: inner) && outermost.conforms(to: .image))
    #expect(outermost.supertypes == outer.supertypes.union([outer]))
  }

  @Test func decodingOfNestedDynamicTypesIsBounded() throws {
    let many = (0..<100).map { DynamicIdentifier(supertypes: ["t.t\($0)"], tags: []).identifier }
    let all = DynamicIdentifier(supertypes: many, tags: [])
    #expect(all.identifier.utf8.count <= DynamicIdentifier.maximumLength)
    let supertypes = try #require(UTType(all.identifier)).supertypes
    #expect(supertypes.count { $0.identifier.hasPrefix("t.t") } == 64)
    #expect(supertypes.isSuperset(of: many.map { UTType(named: $0) }))
  }

  @Test func cycleThroughADynamicParentIsRefused() {
    let dynamic = DynamicIdentifier(
      supertypes: ["org.example.conformance.round"], tags: [.init(tagClass: .mimeType, value: "x/round")])
    let registry = TypeRegistry()
    let round = TypeDeclaration("org.example.conformance.round", conformsTo: ["public.png", dynamic.identifier])
    #expect(registry.declare([round]).map(\.keyPath) == ["[0].UTTypeConformsTo[1]"])
    #expect(registry.declare([TypeDeclaration("beside", conformsTo: [dynamic.identifier])]).isEmpty)
    #expect(registry.declare([round]).map(\.keyPath) == ["[0].UTTypeConformsTo[1]"])
  }
}
