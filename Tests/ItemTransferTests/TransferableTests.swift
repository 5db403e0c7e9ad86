// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing
import UniformTypes

@testable import ItemTransfer

@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct TransferableTests {
  // MARK: Types with several representations

  private struct Single: Transferable {
    static var transferRepresentation: some TransferRepresentation {
      DataRepresentation(exportedContentType: .png) { (_: Single) in Data() }
    }
  }

  private struct Many: Transferable {
    static var transferRepresentation: some TransferRepresentation {
      DataRepresentation(exportedContentType: .png) { _ in Data("png".utf8) }
      DataRepresentation(importedContentType: .jpeg) { _ in Many() }
      FileRepresentation(exportedContentType: .pdf) { _ in throw Failure() }
      DataRepresentation(contentType: .gif) { _ in
        Data("gif".utf8)
      } importing: { _ in
        Many()
      }
      FileRepresentation(importedContentType: .zip) { _ in Many() }
      DataRepresentation(exportedContentType: .svg) { _ in Data("svg".utf8) }
    }
  }

  /// A named type that combines representations, as the documentation suggests.
  private struct NamedCombination: TransferRepresentation {
    typealias Item = Composite

    var body: some TransferRepresentation {
      DataRepresentation<Composite>(exportedContentType: .jpeg) { _ in Data("jpeg".utf8) }
      DataRepresentation<Composite>(exportedContentType: .gif) { _ in Data("gif".utf8) }
    }
  }

  private struct Composite: Transferable {
    static var transferRepresentation: some TransferRepresentation {
      DataRepresentation(exportedContentType: .png) { _ in Data("png".utf8) }
      NamedCombination()
      DataRepresentation(exportedContentType: .pdf) { _ in Data("pdf".utf8) }
    }
  }

  /// A value that exports one type twice.
  ///
  /// The first representation takes precedence.
  private struct Repeating: Transferable {
    static var transferRepresentation: some TransferRepresentation {
      DataRepresentation(exportedContentType: .png) { _ in Data("first".utf8) }
      DataRepresentation(exportedContentType: .png) { _ in Data("second".utf8) }
    }
  }

  // MARK: Lists

  @Test func singleRepresentationIsListed() {
    #expect(ItemProvider(Single()).contentTypes == [.png])
    #expect(Single.representations.importers.isEmpty)
  }

  @Test func representationsKeepTheirOrder() {
    let list = Many.representations
    #expect(list.exporters.map(\.contentType) == [.png, .pdf, .gif, .svg])
    #expect(list.importers.map(\.contentType) == [.jpeg, .gif, .zip])
    #expect(ItemProvider(Many()).contentTypes == [.png, .pdf, .gif, .svg])
  }

  @Test func compositeAddsItsBody() async throws {
    let provider = ItemProvider(Composite())
    #expect(provider.contentTypes == [.png, .jpeg, .gif, .pdf])
    #expect(try await provider.data(for: .gif) == Data("gif".utf8))
  }

  @Test func firstOfTwoRepresentationsOfOneTypeWins() async throws {
    let provider = ItemProvider(Repeating())
    #expect(provider.contentTypes == [.png])
    #expect(try await provider.data(for: .png) == Data("first".utf8))
  }

  @Test func pairHasTwoPartsAndNoBody() {
    let pair = PairRepresentation(
      first: DataRepresentation<Single>(exportedContentType: .png) { _ in Data() },
      second: DataRepresentation<Single>(importedContentType: .gif) { _ in Single() })
    let list = pair.list
    #expect(list.exporters.map(\.contentType) == [.png])
    #expect(list.importers.map(\.contentType) == [.gif])
  }

  // MARK: Values

  @Test func exportRunsOnDemand() async throws {
    struct Lazy: Transferable {
      let exports: Counter

      static var transferRepresentation: some TransferRepresentation {
        DataRepresentation(exportedContentType: .png) { item in
          item.exports.increase()
          return Data()
        }
      }
    }
    let exports = Counter()
    let provider = ItemProvider(Lazy(exports: exports))
    #expect(exports.count == 0)
    _ = try await provider.data(for: .png)
    _ = try await provider.data(for: .png)
    #expect(exports.count == 2)
  }

  @Test func exportOnlyTypeCannotBeLoaded() async throws {
    _ = try await requireProviderError(.noRepresentation, nil) {
      try await ItemProvider(Single()).value(as: Single.self)
    }
  }
}
