// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing
import UniformTypes

@testable import ItemTransfer

@Suite(.serialized, .limited) struct ItemPreviewTests {
  @Test("the promised preview is loaded when it is asked for, the last promise counting; else an image")
  func previews() async throws {
    let provider = ItemProvider()
    provider.register(.plainText) { _ in Data() }
    _ = try await requireProviderError(.noRepresentation, .image) { try await provider.preview() }
    provider.register(.gif) { _ in Data("gif".utf8) }
    #expect(try await provider.preview() == ItemPreview(contentType: .gif, data: Data("gif".utf8)))
    let runs = Counter()
    for name in ["first", "last"] {
      provider.registerPreview(.png) { _ in
        runs.increase()
        return Data(name.utf8)
      }
    }
    #expect(runs.count == 0)
    let preview = try await provider.preview()
    #expect(preview.contentType == .png && preview.data == Data("last".utf8) && runs.count == 1)
  }
}
