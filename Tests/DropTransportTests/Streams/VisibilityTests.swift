// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropTransport
import Foundation
import ItemTransfer
import TestSupport
import Testing
import UniformTypes

@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct VisibilityTests {
  @Test(
    "a reader is offered what is visible to it, and no loader of anything else runs", arguments: ItemVisibility.allCases
  )
  func readerIsOfferedOnlyWhatIsVisibleToIt(_ audience: ItemVisibility) async throws {
    let provider = ItemProvider()
    let types: [(ItemVisibility, UTType)] = [(.ownProcess, .png), (.team, .jpeg), (.group, .gif), (.all, .pdf)]
    for (visibility, type) in types {
      provider.register(type, visibility: visibility) { _ in
        #expect(visibility.includes(audience))
        return Data(type.identifier.utf8)
      }
    }
    var options = DropStreamOptions()
    options.audience = audience
    let pair = try DescriptorPair.pipe()
    async let written: Void = DropStream.withWriter(to: pair.writer, options: options) { try await $0.write(provider) }
    let arrived = try await DropStream.withReader(from: pair.reader) { items in
      try await items.reduce(into: []) { $0.append($1.contentTypes) }
    }
    try await written
    #expect(arrived == [types.filter { $0.0.includes(audience) }.map(\.1)])
  }

  @Test("the writer refuses an item without visible representations")
  func writerRefusesAnItemWithoutVisibleRepresentations() async throws {
    let provider = ItemProvider()
    provider.register(.png, visibility: .ownProcess) { _ in Data() }
    let pair = try DescriptorPair.pipe()
    let read = Task { try await DropStream.withReader(from: pair.reader) { for try await _ in $0 {} } }
    await #expect(throws: DropStreamError.self) {
      try await DropStream.withWriter(to: pair.writer) { try await $0.write(provider) }
    }
    await #expect(throws: DropStreamError.self) { try await read.value }
  }
}
