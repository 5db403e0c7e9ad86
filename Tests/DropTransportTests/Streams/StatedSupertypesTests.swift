// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import ItemTransfer
import TestSupport
import Testing
import UniformTypes

@testable import DropTransport

@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct StatedSupertypesTests {
  private func stream(of type: String, supertypes: [String]) -> [UInt8] {
    StreamBuilder.stream { builder in
      let stated = supertypes.reduce([]) { $0 + StreamBuilder.field(OfferField.supertype, Array($1.utf8)) }
      builder.offer(
        StreamBuilder.field(
          OfferField.representation, StreamBuilder.field(OfferField.typeIdentifier, Array(type.utf8)) + stated))
      builder.whole([1])
      builder.endOfItem()
    }
  }

  private func withItem(of bytes: [UInt8], _ body: (ItemProvider) async throws -> Void) async throws {
    try await DropStream.withReader(from: .descriptor(try pipe(holding: bytes))) { items in
      var count = 0
      for try await item in items {
        count += 1
        try await body(item)
      }
      #expect(count == 1)
    }
  }

  @Test("an undeclared type conforms to the supertypes that its source states")
  func undeclaredTypeConformsToItsStatedSupertypes() async throws {
    let bytes = stream(of: "org.example.stated", supertypes: ["org.example.elsewhere", "public.json"])
    try await withItem(of: bytes) { item in
      for type in [.json, .text, .data, .content, UTType(importedAs: "org.example.elsewhere")] as [UTType] {
        #expect(item.hasRepresentation(conformingTo: type))
        let data = try await item.data(for: type)
        #expect(data == Data([1]))
      }
      #expect(!item.hasRepresentation(conformingTo: .image))
      #expect(!item.contentTypes[0].conforms(to: .json), "what a peer says must not change what this process knows")
    }
  }

  @Test("a source cannot change what a known type conforms to")
  func sourceCannotChangeTheSupertypesOfAKnownType() async throws {
    try await withItem(of: stream(of: "public.png", supertypes: ["public.json"])) { item in
      #expect(item.hasRepresentation(conformingTo: .image))
      #expect(!item.hasRepresentation(conformingTo: .json))
    }
  }

  @Test("a source states only supertypes that the system's types do not imply")
  func sourceStatesOnlySupertypesThatTheSystemDoesNotImply() {
    let document = UTType(exportedAs: "org.example.stated-document", conformingTo: .json)
    let recipe = UTType(exportedAs: "org.example.stated-recipe", conformingTo: document)
    #expect(recipe.supertypesToState == [document, .json])
    #expect(document.supertypesToState == [.json])
    #expect(UTType.png.supertypesToState.isEmpty)
    #expect(UTType(importedAs: "org.example.stated-nowhere").supertypesToState.isEmpty)
  }

  @Test("stated supertypes are stated again when the item is forwarded")
  func statedSupertypesAreForwarded() async throws {
    let first = stream(of: "org.example.passed-on", supertypes: ["public.html"])
    try await withItem(of: first) { item in
      let pair = try DescriptorPair.pipe()
      try await DropStream.withWriter(to: pair.writer) { try await $0.write(item) }
      try await DropStream.withReader(from: pair.reader) { items in
        for try await again in items { #expect(again.hasRepresentation(conformingTo: .html)) }
      }
    }
  }

  @Test("supertypes are accepted up to their limit, and must be readable")
  func supertypesAreAcceptedUpToTheirLimit() throws {
    for (count, code) in [(64, nil), (65, DropStreamError.Code.limitExceeded)] as [(Int, DropStreamError.Code?)] {
      #expect(outcome(of: stream(of: "a", supertypes: (0..<count).map { "type.\($0)" })).code == code)
    }
    for type in ["", "a\nb", String(repeating: "x", count: 513)] {
      #expect(outcome(of: stream(of: "a", supertypes: [type])).code != nil)
    }
  }
}
