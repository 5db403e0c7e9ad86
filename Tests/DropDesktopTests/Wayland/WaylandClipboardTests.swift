// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DisplayWire
import DropSystem
import DropTransport
import Foundation
import ItemTransfer
import Synchronization
import TestSupport
import Testing
import UniformTypes

@testable import DropDesktop

/// The clipboard of a compositor that runs in the test.
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct WaylandClipboardTests {
  private static let (text, picture) = ("text/plain;charset=utf-8", "image/png")

  /// Runs `body` while the compositor responds to each request for a value.
  private func reading<Result>(
    _ shape: SelectionProtocol = .ext, _ options: DesktopOptions = .patient,
    receive: @escaping @Sendable (String, WaylandDescriptor?, FakeCompositor) -> Void = { _, _, _ in },
    _ body: (Clipboard, FakeCompositor) async throws -> Result
  ) async throws -> Result {
    try await withCompositor(shape.globals, options) { request, compositor in
      guard request.name == "receive" else { return false }
      receive(request.string(0) ?? "", request.descriptor(1), compositor)
      return true
    } _: { display, compositor in
      try await body(Clipboard(display, shape.selection), compositor)
    }
  }

  // MARK: Reading

  @Test(arguments: SelectionProtocol.allCases, [0, 1, 65_535, 300_000])
  func valuesOfOtherProgramsArrive(shape: SelectionProtocol, count: Int) async throws {
    let value = DragItems.bytes(count)
    try await reading(shape) { _, pipe, _ in
      feed(pipe, value)
    } _: { clipboard, compositor in
      if shape.needsFocus { try await compositor.focus(clipboard.display.surface()) }
      try compositor.copy([Self.picture], by: shape)
      let found = try await clipboard.reader().data(of: Self.picture, limit: 300_000)
      #expect(found == value)
    }
  }

  @Test func longValueArrives() async throws {
    let value = DragItems.bytes(20_000_000)
    try await reading { _, pipe, _ in
      feed(pipe, value)
    } _: { clipboard, compositor in
      try compositor.copy([Self.picture], by: .ext)
      let isEqual = try await clipboard.reader().data(of: Self.picture, limit: value.count) == value
      #expect(isEqual)
    }
  }

  @Test(arguments: [256, 257, 65_000]) func typesKeepTheirOrderUpToTheLimit(count: Int) async throws {
    let names = (0..<count).map { "text/x-\($0)" }
    try await reading { clipboard, compositor in
      try compositor.copy(["a", "a", "", "ä"] + names, by: .ext)
      let found = try await clipboard.typeNames()
      #expect(found == ["a"] + names.prefix(255))
    }
  }

  @Test func replacedOffersAreDestroyedOnce() async throws {
    try await reading { clipboard, compositor in
      for _ in 0..<100 { try compositor.copy([Self.text], by: .ext) }
      #expect(try await clipboard.typeNames() == [Self.text])
      try compositor.clear(.ext)
      #expect(try await failure { try await clipboard.typeNames() } == .nothingOffered)
      _ = try await compositor.request(.dataControlOffer, "destroy", count: 100)
      let ended = compositor.requests.filter { $0.interface == .dataControlOffer && $0.name == "destroy" }
      #expect(ended.count == 100 && Set(ended.map(\.object)).count == 100)
    }
  }

  /// A compositor closes the pipe of an invalid offer at once.
  @Test(arguments: [false, true]) func replacedOfferIsNotAnEmptyValue(isCleared: Bool) async throws {
    try await reading { _, pipe, compositor in
      // The pipe ends before this program has processed the event.
      _ = pipe?.take()
      _ = try? isCleared ? compositor.clear(.ext) : { _ = try compositor.copy(["b"], by: .ext) }()
    } _: { clipboard, compositor in
      try compositor.copy([Self.text], by: .ext)
      let reader = try await clipboard.reader()
      #expect(try await failure { try await reader.data(of: Self.text, limit: 9) } == .sourceFailed)
    }
  }

  @Test func stalledSourceTimesOut() async throws {
    let pipes = Collector<WaylandDescriptor>()
    try await reading(.ext, .timingOut(after: .milliseconds(200))) { _, pipe, _ in
      if let pipe { pipes.add(pipe) }
    } _: { clipboard, compositor in
      try compositor.copy([Self.text], by: .ext)
      let reader = try await clipboard.reader()
      #expect(try await failure { try await reader.data(of: Self.text, limit: 9) } == .timedOut)
    }
    // The failed transfer has closed its end.
    let pipe = try #require(pipes.values.first?.raw)
    let error = #expect(throws: SystemError.self) {
      try [UInt8](repeating: 0, count: 1).withUnsafeBytes { try SystemCalls.writeSilently(pipe, $0) }
    }
    #expect(error?.errorNumber == EPIPE)
  }

  @Test(arguments: [(100_000, nil), (100_001, DesktopError.Code.limitExceeded)])
  func valueMayHaveTheLengthOfTheLimit(count: Int, code: DesktopError.Code?) async throws {
    try await reading { _, pipe, _ in
      feed(pipe, DragItems.bytes(count))
    } _: { clipboard, compositor in
      try compositor.copy([Self.picture], by: .ext)
      let reader = try await clipboard.reader()
      var found: DesktopError.Code?
      do {
        _ = try await reader.data(of: Self.picture, limit: 100_000)
      } catch let error as DesktopError {
        found = error.code
      }
      #expect(found == code)
    }
  }

  @Test func cancelledReadEnds() async throws {
    let (pipes, isRequested) = (Collector<WaylandDescriptor>(), Gate())
    try await reading { _, pipe, _ in
      if let pipe { pipes.add(pipe) }
      isRequested.open()
    } _: { clipboard, compositor in
      try compositor.copy([Self.text], by: .ext)
      let reader = try await clipboard.reader()
      let task = Task { try await reader.data(of: Self.text, limit: 9) }
      await isRequested.wait()
      task.cancel()
      await #expect(throws: CancellationError.self) {
        try await finishing("the end of the read") { try await task.value }
      }
    }
  }

  @Test func clipboardOfWindowsNeedsTheKeyboard() async throws {
    try await reading(.core) { clipboard, _ in
      let primary = Clipboard(clipboard.display, .primary)
      let codes = [
        try await failure { try await clipboard.typeNames() },
        try await failure { try await clipboard.offer([DragItems.text("x")]) },
        try await failure { try await clipboard.clear() }, try await failure { try await primary.clear() },
      ]
      #expect(codes == Array(repeating: .notOwned, count: 4))
    }
  }

  /// Without the keyboard, the device no longer reports what other programs copy.
  @Test(arguments: [SelectionProtocol.core, .primary])
  func offerOfAWindowEndsWithTheKeyboard(shape: SelectionProtocol) async throws {
    try await reading(shape) { clipboard, compositor in
      let surface = try clipboard.display.surface()
      try await compositor.focus(surface)
      try compositor.copy([Self.picture], by: shape)
      let reader = try await clipboard.reader()
      compositor.send(try #require(compositor.object(.keyboard)), .keyboard, "leave", .uint(13), .uint(surface.id))
      try await clipboard.display.wayland.roundTrip()
      #expect(try await failure { try await reader.data(of: Self.picture, limit: 9) } == .sourceFailed)
      #expect(try await failure { try await clipboard.typeNames() } == .notOwned)
    }
  }

  @Test func compositorWithoutAClipboardIsReported() async throws {
    try await withCompositor([.compositor, .seat]) { _, _ in
      false
    } _: { display, _ in
      for selection in Clipboard.Selection.allCases {
        let clipboard = Clipboard(display, selection)
        let codes = [
          try await failure { try await clipboard.typeNames() },
          try await failure { try await clipboard.offer([DragItems.text("x")]) },
          try await failure { try await clipboard.changes() },
        ]
        #expect(codes == Array(repeating: .noDisplay, count: 3))
      }
    }
  }

  @Test(arguments: SelectionProtocol.allCases) func changesAreReported(shape: SelectionProtocol) async throws {
    try await reading(shape) { clipboard, compositor in
      try compositor.copy(["a"], by: shape)
      var changes = try await clipboard.changes().makeAsyncIterator()
      for _ in 0..<5 { try compositor.copy(["b"], by: shape) }
      try await clipboard.display.wayland.roundTrip()
      #expect(await changes.next(isolation: nil)?.isOffered == true)
      try compositor.clear(shape)
      #expect(await changes.next(isolation: nil)?.isOffered == false)
    }
  }

  // MARK: Offering

  /// Runs `body` while items are offered; the source is the argument.
  private func offering<Result: Sendable>(
    _ items: [ItemProvider], _ shape: SelectionProtocol = .ext, _ options: DesktopOptions = .patient,
    pasteLimit: Int? = nil,
    _ body: (FakeCompositor, UInt32, Task<Void, any Error>) async throws -> Result
  ) async throws -> Result {
    try await withCompositor(shape.globals, options) { _, _ in
      false
    } _: { display, compositor in
      let surface = try display.surface()
      if shape.needsFocus { try await compositor.focus(surface) }
      let isOffered = Gate()
      let offer = Task {
        try await Clipboard(display, shape.selection).offer(items, pasteLimit: pasteLimit) { isOffered.open() }
      }
      defer { offer.cancel() }
      await isOffered.wait()
      let source = try await compositor.request(shape.device, shape.request)
      #expect(source.uint(0) == compositor.object(shape.source) && source.uint(1) == (shape.needsFocus ? 12 : 0))
      return try await body(compositor, source.uint(0), offer)
    }
  }

  @Test(arguments: SelectionProtocol.allCases, [0, 1, 65_535, 300_000])
  func otherProgramsPaste(shape: SelectionProtocol, count: Int) async throws {
    try await offering([DragItems.picture(count)], shape) { compositor, source, offer in
      let names = compositor.requests.filter { $0.interface == shape.source && $0.name == "offer" }.map { $0.string(0) }
      #expect(names == ["application/vnd.dragpipe.drop", Self.picture])
      let value = try await compositor.pasted(Self.picture, from: source, shape.source)
      #expect(Data(value) == DragItems.bytes(count))
      #expect(try await compositor.pasted("text/x-unknown", from: source, shape.source).isEmpty)
      compositor.send(source, shape.source, "cancelled")
      try await finishing("the end of the offer") { try await offer.value }
      _ = try await compositor.request(shape.source, "destroy")
    }
  }

  @Test func longValueIsPasted() async throws {
    try await offering([DragItems.picture(20_000_000)]) { compositor, source, _ in
      let value = try await compositor.pasted(Self.picture, from: source, .dataControlSource)
      let isEqual = Data(value) == DragItems.bytes(20_000_000)
      #expect(isEqual)
    }
  }

  @Test func readerThatClosesEarlyEndsOnlyItsTransfer() async throws {
    try await offering([DragItems.picture(1_000_000)]) { compositor, source, _ in
      let reader = try compositor.paste(Self.picture, from: source, .dataControlSource)
      _ = try await onThread { try readSome(reader) }
      try SystemCalls.close(reader)
      let value = try await compositor.pasted(Self.picture, from: source, .dataControlSource)
      #expect(value.count == 1_000_000)
    }
  }

  /// A value may be pasted while another program already copies.
  @Test func transferOutlivesTheOffer() async throws {
    try await offering([DragItems.picture(1_000_000)]) { compositor, source, offer in
      let reader = try compositor.paste(Self.picture, from: source, .dataControlSource)
      compositor.send(source, .dataControlSource, "cancelled")
      let value = try await readAll(reader)
      #expect(value.count == 1_000_000)
      try await finishing("the end of the offer") { try await offer.value }
    }
  }

  @Test func offerEndsAfterItsPastes() async throws {
    try await offering([DragItems.text("x")], pasteLimit: 2) { compositor, source, offer in
      for _ in 0..<2 {
        #expect(try await compositor.pasted(Self.text, from: source, .dataControlSource) == [0x78])
      }
      try await finishing("the end of the offer") { try await offer.value }
    }
  }

  @Test func surplusRequestsAreClosedAtOnce() async throws {
    var options = DesktopOptions.patient
    options.maximumTransfers = 2
    let gate = Gate()
    try await offering([DragItems.picture(behind: gate)], .ext, options) { compositor, source, _ in
      let waiting = try (0..<2).map { _ in try compositor.paste(Self.picture, from: source, .dataControlSource) }
      #expect(try await compositor.pasted(Self.picture, from: source, .dataControlSource).isEmpty)
      gate.open()
      for reader in waiting { #expect(try await readAll(reader) == [7]) }
    }
  }

  @Test func requestsBeforeTheEndOfAnOfferDoNotHideIt() async throws {
    try await offering([DragItems.text("x")]) { compositor, source, offer in
      for _ in 0..<20 {
        var readers: [CInt] = []
        for _ in 0..<40 { readers.append(try compositor.paste("text/x-unknown", from: source, .dataControlSource)) }
        for reader in readers { try SystemCalls.close(reader) }
      }
      compositor.send(source, .dataControlSource, "cancelled")
      try await finishing("the end of the offer") { try await offer.value }
    }
  }

  @Test func failedRepresentationClosesThePipe() async throws {
    let item = ItemProvider()
    item.register(.png) { _ in throw CocoaError(.fileNoSuchFile) }
    try await offering([item]) { compositor, source, _ in
      let value = try await compositor.pasted(Self.picture, from: source, .dataControlSource)
      #expect(value.isEmpty)
    }
  }

  @Test func cancelledOfferDestroysItsSource() async throws {
    try await offering([DragItems.text("x")]) { compositor, source, offer in
      offer.cancel()
      await #expect(throws: CancellationError.self) { try await offer.value }
      let end = try await compositor.request(.dataControlSource, "destroy")
      #expect(end.object == source)
    }
  }

  @Test func clearingRemovesTheContent() async throws {
    try await reading { clipboard, compositor in
      try await clipboard.clear()
      #expect(try await compositor.request(.dataControlDevice, "set_selection").uint(0) == 0)
    }
  }

  // MARK: Faults

  enum Fault: CaseIterable { case close, error, finished }

  @Test(arguments: Fault.allCases) func endOfTheCompositorEndsAnOffer(fault: Fault) async throws {
    try await offering([DragItems.text("x")]) { compositor, _, offer in
      switch fault {
      case .close: compositor.close()
      case .error: compositor.send(1, .display, "error", .uint(1), .uint(3), .string("no\u{1B}[2J"))
      case .finished:
        compositor.send(try #require(compositor.object(.dataControlDevice)), .dataControlDevice, "finished")
        return try await finishing("the end of the offer") { try await offer.value }
      }
      #expect(try await failure { try await finishing("the end") { try await offer.value } } == .displayGone)
    }
  }

  @Test func endOfTheCompositorEndsARead() async throws {
    try await reading { _, pipe, compositor in
      _ = pipe?.take()
      compositor.close()
    } _: { clipboard, compositor in
      try compositor.copy([Self.text], by: .ext)
      let reader = try await clipboard.reader()
      #expect(try await failure { try await reader.data(of: Self.text, limit: 9) } == .displayGone)
      #expect(try await failure { try await clipboard.typeNames() } == .displayGone)
    }
  }

  @Test func silentCompositorTimesOut() async throws {
    let isSilent = Lock(false)
    try await withCompositor(SelectionProtocol.ext.globals, .timingOut(after: .milliseconds(200))) { _, _ in
      isSilent.withLock { $0 }
    } _: { display, compositor in
      isSilent.withLock { $0 = true }
      let codes = [
        try await failure { try await Clipboard(display).typeNames() },
        try await failure { try await Clipboard(display).offer([DragItems.text("x")]) },
      ]
      #expect(codes == [.timedOut, .timedOut])
      compositor.close()
    }
  }

  // MARK: Drop streams

  /// Copies items, and pastes them with the same connection: the compositor passes the pipes of the reader on.
  private func stream(
    of items: [ItemProvider], cutAfter limit: Int = .max, _ body: (Clipboard) async throws -> Void
  ) async throws {
    let source = Lock<UInt32>(0)
    try await withCompositor(SelectionProtocol.ext.globals) { request, compositor in
      guard request.name == "receive", let pipe = request.descriptor(1), let name = request.string(0) else {
        return false
      }
      guard let reader = try? compositor.paste(name, from: source.withLock { $0 }, .dataControlSource) else {
        return true
      }
      Task {
        let bytes = try await readAll(reader)
        feed(pipe, Data(bytes.prefix(limit)))
      }
      return true
    } _: { display, compositor in
      let isOffered = Gate()
      let offer = Task { try await Clipboard(display).offer(items) { isOffered.open() } }
      defer { offer.cancel() }
      await isOffered.wait()
      source.withLock { $0 = compositor.object(.dataControlSource) ?? 0 }
      try compositor.copy(["application/vnd.dragpipe.drop", Self.text], by: .ext)
      try await body(Clipboard(display))
    }
  }

  @Test func streamBringsAllItemsWithTheirNames() async throws {
    let items = [DragItems.text("Hail", name: "Ægir"), DragItems.picture(300_000, name: "shield.png")]
    try await stream(of: items) { clipboard in
      try await clipboard.withItems { items in
        #expect(items.map(\.suggestedName) == ["Ægir", "shield.png"])
        let text = try await items.first?.value(as: String.self)
        let isEqual = try await items.last?.data(for: .png) == DragItems.bytes(300_000)
        #expect(text == "Hail" && isEqual)
      }
    }
  }

  @Test(arguments: [0, 1, 200_000]) func truncatedStreamIsAnError(limit: Int) async throws {
    try await stream(of: [DragItems.picture(300_000)], cutAfter: limit) { clipboard in
      await #expect(throws: DropStreamError.self) { try await clipboard.withItems { _ in } }
    }
  }
}
