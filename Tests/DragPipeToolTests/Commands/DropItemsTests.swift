// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropDesktop
import DropWindows
import Foundation
import ItemTransfer
import TestSupport
import Testing
import UniformTypes

@testable import DragPipeTool

/// The rows of a drop window, without a display.
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct DropItemsTests {
  private let items = DropItems()

  private func item(_ name: String, size: ItemSize = .unknown) -> ItemProvider {
    let item = ItemProvider(suggestedName: name)
    item.register(.png, size: size) { _ in Data(name.utf8) }
    return item
  }

  /// Begins a drop of items with the names.
  private func begin(_ names: String...) { items.begin(names.map { item($0) }) }

  private var model: WindowModel {
    var model = WindowModel(title: "Drop")
    items.update(&model)
    return model
  }

  private var states: [ItemState] { model.rows.map(\.state) }

  @Test func rowsShowNamesTypesAndSizes() {
    #expect(model.rows.isEmpty && model.status.isEmpty)
    items.begin([item("a.png", size: .exact(2000)), ItemProvider()])
    #expect(
      model.rows.map { [$0.name, $0.type, $0.size] } == [["a.png", "PNG image", "2.0 kB"], ["data", "data", ""]])
    #expect(model.rows.map(\.icon) == [.symbol(.picture), .symbol(.file)] && model.status == "2 items to receive")
  }

  @Test func dynamicTypesAreShownByTheTagsThatTheyEncode() throws {
    let types = [UTType(filenameExtension: "xyzzy"), UTType(mimeType: "application/x-xyzzy")]
    for (type, shown) in zip(types, [".xyzzy", "application/x-xyzzy"]) {
      let type = try #require(type)
      let item = ItemProvider(suggestedName: "a")
      item.register(type) { _ in Data() }
      #expect(type.isDynamic && WindowRow(item).type == shown)
      let failure = ToolFailure(ItemProviderError(.noRepresentation, contentType: type))
      #expect(failure.message.contains(shown) && !failure.message.contains("dyn."))
    }
  }

  @Test func statesFollowTheLoads() {
    begin("a", "b", "c", "d")
    let loads = [ItemProgress(total: 4), ItemProgress(), ItemProgress(), ItemProgress(total: 0)]
    #expect(states == Array(repeating: .loading(0), count: 4))
    for (index, load) in loads.enumerated() { items.follow(index, load) }
    loads[0].advance(by: 1)
    #expect(states == [.loading(0.25), .loading(nil), .loading(nil), .loading(1)])
    loads[0].finish()
    loads[1].cancel()
    #expect(states == [.done, .failed("cancelled"), .loading(nil), .loading(1)])
    #expect(model.status == "2 items to receive")
  }

  @Test func cancellingARowCancelsItsLoadOnly() {
    begin("a", "b", "c")
    let loads = [ItemProgress(), ItemProgress(), ItemProgress()]
    items.follow(0, loads[0])
    loads[0].finish()
    items.follow(1, loads[1])
    // The first load has ended, and the third has not begun.
    for row in [0, 1, 2, 9] { items.cancel(row: row) }
    items.follow(2, loads[2])
    #expect(loads.map { $0.snapshot.ending } == [.finished, .cancelled, .cancelled])
    #expect(states == [.done, .failed("cancelled"), .failed("cancelled")])
  }

  @Test func theListOfItemsIsCancelledAsARow() {
    let cancelled = Collector<Bool>()
    let progress = ItemProgress()
    items.begin(progress) { cancelled.add(true) }
    progress.advance(by: 1500)
    #expect(states == [.loading(nil)] && model.status == "1.5 kB received")
    items.cancel(row: 0)
    items.announce([])
    #expect(cancelled.values == [true] && states == [.failed("cancelled")])
  }

  private func summaries(_ list: String) throws -> [DroppedItemSummary] {
    try JSONDecoder().decode([DroppedItemSummary].self, from: Data(list.utf8))
  }

  @Test(arguments: ["18446744073709551615", "0"]) func anyAnnouncedLengthIsShown(count: String) throws {
    let progress = ItemProgress()
    items.begin(progress) {}
    items.announce(try summaries(#"[{"type":"public.data","streamByteCount":\#(count)}]"#))
    progress.advance(by: 1)
    guard case .loading(let fraction?) = states[0] else {
      Issue.record("\(states)")
      return
    }
    #expect((0...1).contains(fraction))
  }

  @Test func itemThatIsCancelledBeforeItArrivesStaysCancelledWithoutSizes() throws {
    items.begin(ItemProgress()) {}
    items.announce(try summaries(#"[{"type":"public.data"},{"type":"public.data"}]"#))
    items.cancel(row: 1)
    begin("a", "b")
    #expect(states[1] == .failed("cancelled"))
  }

  @Test func announcedItemsHaveRowsBeforeTheirBytesArrive() throws {
    let cancelled = Collector<Bool>()
    let progress = ItemProgress()
    let list = #"""
      [{"name":"a.png","type":"public.png","byteCount":1000,"streamByteCount":1000},
       {"name":"b","type":"public.folder","streamByteCount":3000},{"type":"dyn.none"}]
      """#
    items.begin(progress) { cancelled.add(true) }
    items.announce(try summaries(list))
    #expect(model.rows.map { [$0.name, $0.type, $0.size] }[0] == ["a.png", "PNG image", "1.0 kB"])
    #expect(model.rows.map(\.icon) == [.symbol(.picture), .symbol(.folder), .symbol(.file)])
    #expect(model.rows.allSatisfy { !$0.type.contains("dyn.") && !$0.name.contains("dyn.") })
    #expect(states == [.loading(0), .loading(0), .loading(nil)])
    progress.advance(by: 2500)
    #expect(states == [.loading(1), .loading(0.5), .loading(nil)] && model.status == "2.5 kB received")
    // A row is cancelled alone; its item is left out once it has arrived.
    items.cancel(row: 1)
    #expect(cancelled.values.isEmpty && states[1] == .failed("cancelled"))
    begin("a.png", "b", "c")
    #expect(states == [.loading(1), .failed("cancelled"), .loading(1)])
    let load = ItemProgress()
    items.follow(1, load)
    #expect(load.snapshot.ending == .cancelled)
  }

  @Test func theTotalOfAnnouncedItemsIsShown() throws {
    let progress = ItemProgress()
    let item = #"{"name":"a","type":"public.data","byteCount":2000,"streamByteCount":2000}"#
    let cancelled = Collector<Bool>()
    items.begin(progress) { cancelled.add(true) }
    items.announce(try summaries("[\(item),\(item)]"))
    progress.advance(by: 1000)
    #expect(model.status == "1.00 of 4.00 kB received")
    for row in 0...1 { items.cancel(row: row) }
    #expect(cancelled.values == [true])
    // Claims that overflow are no sizes.
    let large = #"{"name":"a","type":"public.data","streamByteCount":18446744073709551615}"#
    items.begin(progress) {}
    items.announce(try summaries("[\(item),\(large)]"))
    #expect(states == [.loading(0.5), .loading(nil)])
  }

  @Test func theSizesOfLoadedItemsHaveATotal() {
    items.begin([item("a", size: .exact(1000)), item("b", size: .exact(3000))])
    let load = ItemProgress(total: 1000)
    items.follow(0, load)
    load.advance(by: 1000)
    load.finish()
    #expect(model.status == "1 item to receive, 1.00 of 4.00 kB")
  }

  @Test func receivedFilesCanBeOpenedAndDragged() {
    begin("a", "b")
    #expect(!model.rowsAreDraggable && !model.rowsAreOpened)
    items.keep([1: "/in/b (2)", 2: "/in/c"])
    items.end(nil)
    #expect(model.rows.map(\.tooltip) == ["", "/in/b (2)"] && model.rowsAreDraggable && model.rowsAreOpened)
  }

  @Test func rowsOfEarlierDropsStayBelow() {
    begin("a")
    let load = ItemProgress()
    items.follow(0, load)
    load.finish()
    items.end(nil)
    #expect(model.status == "1 item received")
    begin("b", "c")
    items.cancel(row: 2)
    #expect(model.rows.map(\.name) == ["b", "c", "a"] && states == [.loading(0), .loading(0), .done])
    items.end(nil)
    #expect(states == [.failed("left out"), .failed("left out"), .done])
    items.begin((0..<2 * DropItems.rowLimit).map { item("\($0)") })
    #expect(model.rows.count == DropItems.rowLimit && model.rows[0].name == "0")
  }

  @Test(arguments: [
    (ToolExitCode.partial, [ItemState.done, .failed("left out")]),
    (.failure, [.failed("not received"), .failed("not received")]),
  ])
  func anEndWithAFailureShowsWhatIsMissing(exitCode: ToolExitCode, expected: [ItemState]) {
    begin("a", "b", "c")
    let loads = [ItemProgress(), ItemProgress()]
    items.follow(0, loads[0])
    items.follow(2, loads[1])
    loads[0].finish()
    loads[1].fail(ToolFailure(.failure, "on purpose"))
    items.end(ToolFailure(exitCode, "a reason"))
    #expect(states == expected + [.failed("failed to load")])
  }

  @Test func followedItemsReportTheirBytes() async throws {
    let file = ItemProvider(suggestedName: "f")
    file.register(.utf8PlainText, size: .exact(4)) { _ in Data("hail".utf8) }
    file.register(.fileURL) { _ in Data("file:///private".utf8) }
    items.begin([item("a"), file])
    let followed = items.followed([item("a"), file])
    #expect(followed.map(\.suggestedName) == ["a", "f"] && followed[1].contentTypes == [.utf8PlainText])
    #expect(try await followed[1].data(for: .utf8PlainText) == Data("hail".utf8))
    #expect(states == [.loading(0), .done])
    items.cancel(row: 0)
    await #expect(throws: (any Error).self) { try await followed[0].data(for: .png) }
  }
}
