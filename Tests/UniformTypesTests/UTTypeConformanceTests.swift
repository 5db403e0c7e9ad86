// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import UniformTypes

@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct UTTypeConformanceTests {
  /// Checks every function that tells whether one type is a supertype of another type.
  private func expect(
    _ type: UTType, isSubtype: Bool, of parent: UTType, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let found = [
      type.conforms(to: parent), type.isSubtype(of: parent), parent.isSupertype(of: type),
      type.supertypes.contains(parent),
    ]
    #expect(!found.contains(!isSubtype), "\(type), \(parent): \(found)", sourceLocation: sourceLocation)
  }

  @Test func typeConformsToItsSupertypesAndNotToItsSubtypes() {
    for (type, parent) in [
      (.utf8PlainText, .plainText), (.utf8PlainText, .text), (.utf8PlainText, .data), (.png, .image),
      (.png, .content), (.png, .item), (.svg, .image), (.svg, .text), (.svg, .xml),
      (.commaSeparatedText, .delimitedText), (.commaSeparatedText, .plainText), (.xmlPropertyList, .propertyList),
      (.xmlPropertyList, .xml), (.binaryPropertyList, .propertyList), (.pdf, .compositeContent), (.zip, .archive),
      (.fileURL, .url), (.folder, .directory), (.mp3, .audiovisualContent), (.text, .data), (.data, .item),
      (.linkPresentationMetadata, .data),
    ] as [(UTType, UTType)] {
      expect(type, isSubtype: true, of: parent)
      expect(parent, isSubtype: false, of: type)
    }
  }

  @Test func unrelatedTypesDoNotConform() {
    for (one, other) in [
      (.png, .jpeg), (.json, .plainText), (.html, .xml), (.binaryPropertyList, .xml), (.folder, .data),
      (.archive, .data), (.pdf, .text),
    ] as [(UTType, UTType)] {
      expect(one, isSubtype: false, of: other)
      expect(other, isSubtype: false, of: one)
    }
  }

  @Test func typeConformsToItselfButIsNotItsSubtype() {
    let png = UTType.png
    #expect([png.conforms(to: png), png.isSubtype(of: png), png.isSupertype(of: png)] == [true, false, false])
    let supertypes: [Set<UTType>] = [
      [.image, .data, .content, .item], [.plainText, .delimitedText, .text, .data, .content, .item], [], [],
    ]
    #expect([png, .commaSeparatedText, .item, .content].map(\.supertypes) == supertypes)
  }

  @Test func undeclaredTypeConformsOnlyToItselfAndData() {
    let type = UTType(importedAs: "org.example.conformance.undeclared")
    #expect(type.conforms(to: type) && type.conforms(to: .data) && !type.conforms(to: .content))
    let child = UTType(exportedAs: "org.example.conformance.its-child", conformingTo: type)
    #expect(child.conforms(to: type) && child.conforms(to: .data))
    #expect([type, child].map(\.supertypes) == [[.data, .item], [type, .data, .item]])
  }

  @Test func parentDeclaredLaterAddsItsParents() {
    let parent = UTType(importedAs: "org.example.conformance.later")
    let type = UTType(exportedAs: "org.example.conformance.earlier", conformingTo: parent)
    let wasImage = type.conforms(to: .image)
    _ = UTType(exportedAs: "org.example.conformance.LATER", conformingTo: .png)
    let isListed = type.supertypes.contains { $0.identifier == "org.example.conformance.LATER" }
    #expect(!wasImage && type.conforms(to: .image) && type.conforms(to: parent) && isListed)
  }

  // MARK: Dynamic parents

  @Test func dynamicTypeMayBeAParent() throws {
    let parent = try #require(UTType(filenameExtension: "conformance-parent", conformingTo: .plainText))
    let type = UTType(exportedAs: "org.example.conformance.of-dynamic", conformingTo: parent)
    expect(type, isSubtype: true, of: parent)
    #expect(type.supertypes == parent.supertypes.union([parent]) && !type.conforms(to: .image))
    for same in [parent, UTType(named: parent.identifier), UTType(importedAs: parent.identifier.uppercased())]
      + type.supertypes.filter({ $0 == parent })
    {
      let texts = [same.preferredFilenameExtension, same.localizedDescription]
      #expect(same.isDynamic && !same.isDeclared && texts == ["conformance-parent", nil])
      #expect(same.tags == parent.tags && same.supertypes == parent.supertypes && same.conforms(to: .plainText))
    }
  }

  @Test func conformanceIsTransitiveThroughNestedDynamicTypes() throws {
    let inner = try #require(UTType("dyn.ah62d4uv4ge81c6pv"))
    let outer = try #require(UTType(filenameExtension: "us", conformingTo: inner))
    let outermost = try #require(UTType(filenameExtension: "eu", conformingTo: outer))
    let nested = [outermost, outer, inner, .image]
    for (index, type) in nested.enumerated() {
      #expect(nested.map(type.conforms(to:)) == nested.indices.map { $0 >= index }, "\(type)")
    }
    #expect(!outer.conforms(to: .text) && outermost.supertypes == outer.supertypes.union([outer]))
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
    let beside = TypeDeclaration("beside", conformsTo: [dynamic.identifier])
    let refused = [round, beside, round].map { registry.declare([$0]).map(\.keyPath) }
    #expect(refused == [["[0].UTTypeConformsTo[1]"], [], ["[0].UTTypeConformsTo[1]"]])
  }
}
