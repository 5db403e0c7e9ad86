// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import ItemCoding
import ItemTransfer
import TestSupport
import Testing
import UniformTypes

@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct CodableRepresentationTests {
  /// A value with a custom encoder.
  private struct Shout: Codable, Hashable, Transferable {
    var words: String

    static var transferRepresentation: some TransferRepresentation {
      CodableRepresentation(contentType: .plainText, encoder: CapitalsEncoder(), decoder: PlainDecoder())
    }
  }

  private struct CapitalsEncoder: ItemEncoder {
    func encode<Value: Encodable>(_ value: Value) throws -> Data {
      guard let shout = value as? Shout, !shout.words.isEmpty else {
        throw EncodingError.invalidValue(value, .init(codingPath: [], debugDescription: "nothing to shout"))
      }
      return Data(shout.words.uppercased().utf8)
    }
  }

  private struct PlainDecoder: ItemDecoder {
    func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
      try #require(Shout(words: String(decoding: data, as: UTF8.self)) as? Value)
    }

    func validate(_ data: Data) throws {
      guard data.first != UInt8(ascii: "?") else {
        throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "a question"))
      }
    }
  }

  @Test func jsonHasSortedKeysAndPlainSlashes() async throws {
    let data = try await ItemProvider(Hero(name: "a/b", strength: 3)).data(for: .hero)
    #expect(String(decoding: data, as: UTF8.self) == #"{"name":"a/b","strength":3}"#)
  }

  @Test func equalValuesHaveEqualBytes() async throws {
    let first = try await ItemProvider(Hero(name: "Ajax")).data(for: .hero)
    for _ in 0..<20 { #expect(try await ItemProvider(Hero(name: "Ajax")).data(for: .hero) == first) }
  }

  @Test func concurrentValuesRoundTrip() async throws {
    try await withThrowingTaskGroup { group in
      for task in 0..<8 {
        group.addTask {
          for index in 0..<50 {
            let hero = Hero(name: "\(task)/\(index)", strength: index)
            let received = try await ItemProvider(hero).value(as: Hero.self)
            #expect(received == hero)
          }
        }
      }
      try await group.waitForAll()
    }
  }

  @Test(arguments: [UTType.hero, .heroList])
  func valueRoundTripsThroughEachCoder(type: UTType) async throws {
    let hero = Hero(name: "Ajax", strength: 9)
    let data = try await ItemProvider(hero).data(for: type)
    let provider = ItemProvider()
    provider.register(type) { _ in data }
    #expect(try await provider.value(as: Hero.self) == hero)
  }

  @Test func propertyListUsesItsEncoder() async throws {
    let data = try await ItemProvider(Hero(name: "Ajax")).data(for: .propertyList)
    #expect(try PropertyListDecoder().decode(Hero.self, from: data) == Hero(name: "Ajax"))
  }

  @Test func customCoderIsUsedForExportAndImport() async throws {
    let provider = ItemProvider(Shout(words: "ho"))
    #expect(try await provider.data(for: .plainText) == Data("HO".utf8))
    #expect(try await provider.value(as: Shout.self) == Shout(words: "HO"))
  }

  @Test func encodingErrorIsTheSourcesFailure() async throws {
    let error = try await requireProviderError(.representationFailed, .plainText) {
      try await ItemProvider(Shout(words: "")).data(for: .text)
    }
    #expect(error.underlyingError is EncodingError)
  }

  @Test func importedBytesAreValidatedBeforeDecoding() async throws {
    let provider = ItemProvider()
    provider.register(.utf8PlainText) { _ in Data("?".utf8) }
    let error = try await requireProviderError(.undecodable, .utf8PlainText) {
      try await provider.value(as: Shout.self)
    }
    #expect(error.underlyingError is DecodingError)
  }
}
