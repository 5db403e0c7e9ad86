// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import ItemCoding
import TestSupport
import Testing
import UniformTypes

@testable import ItemTransfer

/// Representations of values whose bytes are encoded and decoded without suspension.
@Suite(.limited, .timeLimit(.minutes(5))) struct ValueRepresentationTests {
  private struct Voyage: Transferable, Codable, Hashable {
    var harbour: String
    var isSecret = false

    static var transferRepresentation: some TransferRepresentation {
      CodableRepresentation(for: Voyage.self, contentType: .json).exportingCondition { !$0.isSecret }
      CodableRepresentation(for: Voyage.self, contentType: .data, encoder: CBOREncoder(), decoder: CBORDecoder())
        .visibility(.team)
      DataRepresentation(exportedContentType: .utf8PlainText) { (voyage: Voyage) in Data(voyage.harbour.utf8) }
        .suggestedFileName { $0.harbour + ".txt" }
    }
  }

  @Test func valueHasTheRepresentationsOfItsType() async throws {
    let provider = ItemProvider(Voyage(harbour: "Ithaca"))
    #expect(provider.contentTypes == [.json, .data, .utf8PlainText])
    #expect(provider.contentTypes(visibleTo: .all) == [.json, .utf8PlainText])
    #expect(provider.suggestedName == "Ithaca.txt")
    #expect(try await provider.data(for: .utf8PlainText) == Data("Ithaca".utf8))
    #expect(try await provider.value(as: Voyage.self) == Voyage(harbour: "Ithaca"))
  }

  @Test func conditionExcludesARepresentationOfAValue() {
    let provider = ItemProvider(Voyage(harbour: "Aeaea", isSecret: true))
    #expect(provider.contentTypes == [.data, .utf8PlainText])
  }

  @Test func registeredTypeKeepsItsFirstLoader() async throws {
    let provider = ItemProvider()
    provider.register(.json) { _ in Data("1".utf8) }
    provider.register(Voyage(harbour: "Ithaca"))
    #expect(provider.contentTypes == [.json, .data, .utf8PlainText])
    #expect(try await provider.data(for: .json) == Data("1".utf8))
  }

  @Test func cancelledTaskLoadsNoValue() async {
    let task = Task { () -> ItemProviderError.Code? in
      withUnsafeCurrentTask { $0?.cancel() }
      do throws(ItemProviderError) {
        _ = try await ItemProvider(Voyage(harbour: "Ithaca")).value(as: Voyage.self)
        return nil
      } catch {
        return error.code
      }
    }
    #expect(await task.value == .cancelled)
  }

  @Test func bytesInMemoryMustHaveThePromisedSize() async {
    let traits = ItemRepresentation.Traits(contentType: .json, size: .exact(3))
    let provider = ItemProvider(suggestedName: nil, only: ItemRepresentation(traits, data: Data("{}".utf8)))
    await #expect {
      try await provider.data(for: .json)
    } throws: { ($0 as? ItemProviderError)?.code == .wrongSize }
    await #expect {
      try await provider.value(as: Voyage.self)
    } throws: { ($0 as? ItemProviderError)?.code == .wrongSize }
  }

  @Test func undecodableBytesInMemoryAreReported() async {
    let traits = ItemRepresentation.Traits(contentType: .json)
    let provider = ItemProvider(suggestedName: nil, only: ItemRepresentation(traits, data: Data("{".utf8)))
    await #expect {
      try await provider.value(as: Voyage.self)
    } throws: { error in
      let error = error as? ItemProviderError
      return error?.code == .undecodable && error?.contentType == .json && error?.underlyingError is DecodingError
    }
  }

  @Test func progressOfAValueInMemoryEnds() async throws {
    let progress = ItemProgress()
    _ = try await ItemProvider(Voyage(harbour: "Ithaca")).value(as: Voyage.self, progress: progress)
    #expect(progress.snapshot.isFinished)
  }
}
