// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import ItemCoding

/// Keyed containers that a session keeps and reuses for later values, and new containers if none can be reused.
@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct CBORContainerReuseTests {
  /// A class that replaces the box of a keyed container in the tests.
  private final class Box {
    let owner: AnyObject

    init(_ owner: AnyObject) {
      self.owner = owner
    }
  }

  private struct Reference { let box: Box }
  private struct SharedReference { let box: Box }
  private struct UnownedReference { unowned let box: Box }
  private struct Number { let bits: UInt }
  private struct ReferenceAndNumber {
    let box: Box
    let number: Int
  }
  private struct TwoReferences {
    let box: Box
    let other: Box
  }

  // MARK: The proof

  @Test func keyedContainersAreReferences() {
    #expect(CBORContainerLayout.allowsReuse, "the toolchain has another layout: coding works and is slower")
  }

  @Test func proofAcceptsOneStrongReference() {
    #expect(CBORContainerLayout.isOneReference { Reference(box: Box($0)) })
  }

  @Test func proofRefusesOtherLayouts() {
    var retained: [Box] = []
    func retain(_ box: Box) -> Box {
      retained.append(box)
      return box
    }
    #expect(!CBORContainerLayout.isOneReference { _ in Number(bits: 0xDEAD_BEE8) })
    #expect(!CBORContainerLayout.isOneReference { ReferenceAndNumber(box: Box($0), number: 1) })
    #expect(!CBORContainerLayout.isOneReference { TwoReferences(box: Box($0), other: Box($0)) })
    #expect(!CBORContainerLayout.isOneReference { SharedReference(box: retain(Box($0))) })
    #expect(!CBORContainerLayout.isOneReference { UnownedReference(box: retain(Box($0))) })
    #expect(!CBORContainerLayout.isOneReference { _ in "text" })
  }

  // MARK: The fallback

  private struct Tree: Codable, Equatable {
    enum Kind: String, Codable { case leaf, branch }

    var name: String
    var kind = Kind.leaf
    var numbers: [Int] = []
    var children: [Tree] = []
    var parts: [String: Tree] = [:]
  }

  private static let tree = Tree(
    name: "root", kind: .branch, numbers: [1, 2, 3],
    children: [Tree(name: "a", children: [Tree(name: "b"), Tree(name: "c", numbers: [4])]), Tree(name: "d")],
    parts: ["e": Tree(name: "e", children: [Tree(name: "f")])])

  private func encode(_ value: some Encodable, reusesContainers: Bool) throws -> Data {
    let session = CBOREncodingSession(reusesContainers: reusesContainers)
    defer { session.dissolve() }
    session.begin(CBOREncoder.Options())
    try session.encodeOutermost(value)
    return session.takeBytes()
  }

  private func decode<Value: Decodable>(_ type: Value.Type, _ data: Data, reusesContainers: Bool) throws -> Value {
    let session = CBORDecodingSession(reusesContainers: reusesContainers)
    defer { session.dissolve() }
    return try data.withUnsafeBytes { bytes in
      session.begin(bytes, at: 0, CBORDecoder.Options())
      defer { session.end() }
      var offset = 0
      return try session.decodeOutermost(type, &offset)
    }
  }

  @Test(arguments: [true, false]) func treesRoundTrip(reusesContainers: Bool) throws {
    let bytes = try encode(Self.tree, reusesContainers: reusesContainers)
    #expect(try bytes == CBOREncoder().encode(Self.tree))
    #expect(try decode(Tree.self, bytes, reusesContainers: reusesContainers) == Self.tree)
  }

  @Test(arguments: [true, false]) func retainedEncodingContainersThrow(reusesContainers: Bool) throws {
    nonisolated(unsafe) var retained: [KeyedEncodingContainer<AnyTestKey>] = []
    let value = Writing { encoder in
      var container = encoder.container(keyedBy: AnyTestKey.self)
      try container.encode(retained.count, forKey: "a")
      retained.append(container)
    }
    let bytes = try encode([value, value], reusesContainers: reusesContainers)
    #expect(bytes == Data(hex: "82 a1616100 a1616101"))
    #expect(retained.count == 2)
    for index in retained.indices {
      #expect(throws: EncodingError.self) { try retained[index].encode(1, forKey: "late") }
    }
  }

  private struct Retaining: Decodable {
    let container: KeyedDecodingContainer<AnyTestKey>

    init(from decoder: any Decoder) throws {
      container = try decoder.container(keyedBy: AnyTestKey.self)
    }
  }

  @Test(arguments: [true, false]) func retainedDecodingContainersDecode(reusesContainers: Bool) throws {
    let bytes = Data(hex: "83 a1616101 a1616102 a1616103")
    let retained = try decode([Retaining].self, bytes, reusesContainers: reusesContainers)
    #expect(try retained.reversed().map { try $0.container.decode(Int.self, forKey: "a") } == [3, 2, 1])
    #expect(try retained.map { try $0.container.decode(Int.self, forKey: "a") } == [1, 2, 3])
  }
}
