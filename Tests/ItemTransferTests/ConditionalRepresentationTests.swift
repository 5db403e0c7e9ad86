// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing
import UniformTypes

@testable import ItemTransfer

@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct ConditionalRepresentationTests {
  private struct Letter: Hashable, Transferable {
    var text = ""
    var attachment = ""

    static var transferRepresentation: some TransferRepresentation {
      DataRepresentation<Letter>(contentType: .pdf) {
        Data($0.attachment.utf8)
      } importing: { data in
        Letter(attachment: String(decoding: data, as: UTF8.self))
      }
      .exportingCondition { !$0.attachment.isEmpty }
      .exportingCondition { $0.attachment != "secret" }
      DataRepresentation(contentType: .utf8PlainText) {
        Data($0.text.utf8)
      } importing: { data in
        Letter(text: String(decoding: data, as: UTF8.self))
      }
    }
  }

  @Test func representationIsOfferedForValuesThatSatisfyItsCondition() async throws {
    let provider = ItemProvider(Letter(text: "Dear", attachment: "map"))
    #expect(provider.contentTypes == [.pdf, .utf8PlainText])
    #expect(try await provider.data(for: .pdf) == Data("map".utf8))
  }

  @Test func representationIsHiddenForOtherValues() async throws {
    let provider = ItemProvider(Letter(text: "Dear"))
    #expect(provider.contentTypes == [.utf8PlainText])
    _ = try await requireProviderError(.noRepresentation, .pdf) { try await provider.data(for: .pdf) }
  }

  @Test func severalConditionsMustAllHold() {
    #expect(ItemProvider(Letter(attachment: "secret")).contentTypes == [.utf8PlainText])
  }

  @Test func importIgnoresTheCondition() async throws {
    let provider = ItemProvider()
    provider.register(.pdf) { _ in Data("secret".utf8) }
    #expect(try await provider.value(as: Letter.self) == Letter(attachment: "secret"))
    #expect(Letter.representations.importers.map(\.contentType) == [.pdf, .utf8PlainText])
  }

  @Test func conditionIsCheckedWhenTheValueIsOffered() async throws {
    struct Moody: Transferable {
      let asked: Counter

      static var transferRepresentation: some TransferRepresentation {
        DataRepresentation<Moody>(exportedContentType: .png) { _ in Data() }
          .exportingCondition { item in
            item.asked.increase()
            return true
          }
      }
    }
    let asked = Counter()
    let provider = ItemProvider(Moody(asked: asked))
    #expect(asked.count == 1)
    _ = try await provider.data(for: .png)
    _ = try await provider.data(for: .png)
    #expect(asked.count == 1)
  }

  @Test func conditionAppliesToAllPartsOfACombination() {
    struct Pair: TransferRepresentation {
      typealias Item = Note

      var body: some TransferRepresentation {
        DataRepresentation<Note>(exportedContentType: .png) { _ in Data() }
        DataRepresentation<Note>(exportedContentType: .gif) { _ in Data() }
      }
    }
    struct Note: Transferable {
      var isDrawn: Bool

      static var transferRepresentation: some TransferRepresentation {
        Pair().exportingCondition { $0.isDrawn }
        DataRepresentation(exportedContentType: .html) { _ in Data() }
      }
    }
    #expect(ItemProvider(Note(isDrawn: true)).contentTypes == [.png, .gif, .html])
    #expect(ItemProvider(Note(isDrawn: false)).contentTypes == [.html])
  }
}
