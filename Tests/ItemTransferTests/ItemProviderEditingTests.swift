// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing
import UniformTypes

@testable import ItemTransfer

@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct ItemProviderEditingTests {
  private let provider = ItemProvider()

  init() {
    provider.register(.json, visibility: .team, size: .exact(4)) { _ in Data("null".utf8) }
    provider.registerAlias(.utf8PlainText, of: .json)
    provider.registerAlias(.plainText, of: .json)
    provider.register(.png) { _ in Data("image".utf8) }
  }

  private func text(_ type: UTType) async throws -> String {
    String(decoding: try await provider.data(for: type), as: UTF8.self)
  }

  @Test func documentedFilterRuns() async throws {
    let items = [ItemProvider("Hail, Odysseus"), ItemProvider("Farewell")]
    for item in items {
      item.map(.utf8PlainText) { text, _ in Data(String(decoding: text, as: UTF8.self).uppercased().utf8) }
    }
    #expect(try await items[0].value(as: String.self) == "HAIL, ODYSSEUS")
    #expect(try await items[1].value(as: String.self) == "FAREWELL")
  }

  @Test func replaceKeepsPositionAndVisibility() async throws {
    #expect(provider.replace(.json, size: .exact(2)) { _ in Data("{}".utf8) })
    #expect(try await text(.json) == "{}")
    #expect(provider.contentTypes == [.json, .utf8PlainText, .plainText, .png])
    #expect(provider.contentTypes(visibleTo: .all) == [.png])
    #expect(provider.representations[0].size == .exact(2))
  }

  @Test func replaceAndMapOfUnregisteredTypeChangeNothing() {
    #expect(!provider.replace(.mpeg4Movie) { _ in Data() })
    #expect(!provider.map(.mpeg4Movie) { bytes, _ in bytes })
    #expect(!provider.map(.image) { bytes, _ in bytes })
    #expect(provider.contentTypes == [.json, .utf8PlainText, .plainText, .png])
  }

  @Test func mapTransformsTheOldBytesOnceForEachLoad() async throws {
    let loads = Counter()
    provider.prepend(.html) { _ in
      loads.increase()
      return Data("a".utf8)
    }
    #expect(provider.map(.html) { bytes, _ in bytes + bytes })
    #expect(loads.count == 0)
    #expect(try await text(.html) == "aa")
    #expect(try await text(.html) == "aa")
    #expect(loads.count == 2)
  }

  @Test func mapsCompose() async throws {
    provider.map(.png) { bytes, _ in bytes + Data("1".utf8) }
    provider.map(.png) { bytes, _ in bytes + Data("2".utf8) }
    #expect(try await text(.png) == "image12")
  }

  @Test func mapCountsOnlyTheNewBytes() async throws {
    let chunks = AsyncStream<Data> { stream in
      stream.yield(Data(count: 100))
      stream.finish()
    }
    provider.registerStream(.zip) { _ in chunks }
    provider.map(.zip) { bytes, _ in bytes.prefix(3) }
    let progress = ItemProgress()
    var count = 0
    for try await chunk in try await provider.bytes(for: .zip, progress: progress) { count += chunk.count }
    #expect(count == 3)
    #expect(progress.snapshot.completed == 3)
  }

  @Test func errorsOfTransformAndOldLoaderFailTheLoad() async throws {
    provider.map(.png) { _, _ in throw Failure(reason: "rust") }
    var error = await #expect(throws: ItemProviderError.self) { try await provider.data(for: .png) }
    #expect(error?.code == .representationFailed && error?.underlyingError is Failure)
    provider.replace(.png) { _ in throw Failure(reason: "storm") }
    provider.map(.png) { bytes, _ in bytes }
    error = await #expect(throws: ItemProviderError.self) { try await provider.data(for: .png) }
    #expect(error?.code == .representationFailed && error?.underlyingError is Failure)
  }

  @Test func cancellingALoadReachesTheOldLoader() async throws {
    let started = Gate()
    let progress = ItemProgress()
    provider.replace(.png) { inner in
      started.open()
      while !inner.isCancelled { await Task.yield() }
      throw CancellationError()
    }
    provider.map(.png) { bytes, _ in bytes }
    let load = Task { [provider] in try await provider.data(for: .png, progress: progress) }
    await started.wait()
    progress.cancel()
    let error = await #expect(throws: ItemProviderError.self) { try await load.value }
    #expect(error?.code == .cancelled)
  }

  @Test func prependMovesATypeToTheFront() async throws {
    provider.prepend(.png) { _ in Data("better".utf8) }
    #expect(provider.contentTypes == [.png, .json, .utf8PlainText, .plainText])
    #expect(try await text(.image) == "better")
  }

  @Test func removeTakesAllConformingTypes() {
    #expect(provider.removeRepresentations(conformingTo: .text) == [.json, .utf8PlainText, .plainText])
    #expect(provider.contentTypes == [.png])
    #expect(provider.removeRepresentations(conformingTo: .text).isEmpty)
  }

  @Test func aliasesOfEditedRepresentationKeepTheirBytes() async throws {
    provider.replace(.json) { _ in Data("{}".utf8) }
    #expect(try await text(.utf8PlainText) == "null")
    #expect(provider.representations.map(\.aliasedType) == [nil, nil, .utf8PlainText, nil])
    provider.removeRepresentations(conformingTo: .utf8PlainText)
    #expect(provider.representations.map(\.aliasedType) == [nil, nil, nil])
    #expect(try await text(.plainText) == "null")
  }
}
