// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import ItemTransfer
import TestSupport
import Testing
import UniformTypes

@testable import DropTransport

/// Cancelled loads of single items of a session.
@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct DropFolderCancelTests {
  @Test func cancelledLoadDoesNotAffectOtherItems() async throws {
    let fixture = try FolderFixture()
    let isLoading = Gate()
    let stalled = ItemProvider(suggestedName: "stalled")
    stalled.register(.data) { _ in
      isLoading.open()
      try await Task.sleep(for: .seconds(3600))
      return Data()
    }
    func plain(_ name: String) -> ItemProvider {
      let item = ItemProvider(suggestedName: name)
      item.register(.data, size: .exact(4)) { _ in Data("hail".utf8) }
      return item
    }
    let loads = Collector<(Int, ItemProgress)>()
    let observer = DropFolder.Observer(begin: { _, _ in }, advance: { _ in }, load: { loads.add(($0, $1)) })
    let cancelling = Task {
      await isLoading.wait()
      loads.values.last?.1.cancel()
    }
    let offered = [plain("a"), stalled, plain("b")]
    let (sent, receipt) = try await holdSession {
      try await $0.offer(offered)
    } destination: { session in
      for try await drop in session.drops {
        let receipt = try await fixture.folder.receive(drop, observer: observer)
        try await drop.finish(.copy, keeping: receipt.keptItems)
        return receipt as DropFolder.Receipt?
      }
      return nil
    }
    await cancelling.value
    #expect(try sent.get().keptItems == [0, 2])
    let received = try #require(try receipt.get())
    #expect(received.files.map(\.name) == ["a", "b"])
    #expect(received.missing.map(\.name) == ["stalled"])
    #expect(received.missing.map(\.failure.kind) == [.cancelled])
    #expect(loads.values.map(\.0) == [0, 1, 2])
    #expect(loads.values.map { $0.1.snapshot.ending } == [.finished, .cancelled, .finished])
    #expect(loads.values.map { $0.1.snapshot.completed } == [4, 0, 4])
    #expect(try fixture.names == ["a", "b"])
  }
}
