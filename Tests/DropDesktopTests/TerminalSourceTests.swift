// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import DropTransport
import Foundation
import ItemTransfer
import TestSupport
import Testing
import UniformTypes

@testable import DropDesktop

/// Drags from a program, whose terminal may be hostile.
///
/// A comment names the section of the specification, the file `docs/dnd-protocol.rst` of kitty.
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct TerminalSourceTests {
  /// Runs a drag, with the terminal as `body`.
  ///
  /// - Returns: The outcome of the drag.
  private func drag(
    _ items: [ItemProvider], allowsMove: Bool = false, options: DesktopOptions = .patient,
    finishTimeout: Duration = .seconds(60), _ body: (FakeTerminalDesk, FakeTerminalDesk.Offer) async throws -> Void
  ) async throws -> DesktopDrag.Outcome {
    let (window, device) = try FakeTerminal.pair()
    async let outcome = try await TerminalDragTests.program(device, options).whileRouting { terminal in
      try await terminal.withGestures { gestures in
        _ = await gestures.next()
        let drag = DesktopDrag(terminal.display, items, allowsMove: allowsMove, finishTimeout: finishTimeout)
        return try await drag.run()
      }
    }
    let desk = try FakeTerminalDesk(window, window)
    try await body(desk, try await desk.begin())
    return try await outcome
  }

  private static func text(_ name: String? = nil) -> ItemProvider {
    let item = ItemProvider(suggestedName: name)
    item.register(.utf8PlainText, size: .exact(4)) { _ in Data("Iris".utf8) }
    return item
  }

  private func code(_ body: () async throws -> DesktopDrag.Outcome) async -> DesktopError.Code? {
    do {
      _ = try await body()
      return nil
    } catch {
      return (error as? DesktopError)?.code
    }
  }

  // Section "Starting drags".
  @Test func offersTypesAndPresentsShortText() async throws {
    let outcome = try await drag([Self.text()]) { desk, offer in
      #expect(offer.operations == 1)
      #expect(offer.names.first == "application/vnd.dragpipe.drop")
      #expect(offer.names.allSatisfy { $0.contains("/") })
      let index = try #require(offer.names.firstIndex(of: "text/plain"))
      #expect(offer.presented[index] == Data("Iris".utf8))
      #expect(offer.presented[-1] == Data("1 item".utf8))
      desk.source.send("t=e:x=4:y=1")
    }
    #expect(outcome == .cancelled)
  }

  // Section "Dragging to remote machines": addresses of folders end with a slash.
  @Test func presentsAddressesOfFiles() async throws {
    let directory = try TemporaryDirectory()
    let file = try directory.write(Data(), to: "Iris")
    _ = try await drag([file, directory.url].map { ItemProvider(unlinked: $0) }) { desk, offer in
      let index = try #require(offer.names.firstIndex(of: "text/uri-list"))
      let list = String(decoding: offer.presented[index] ?? Data(), as: UTF8.self)
      let folder = URL(filePath: directory.url.path, directoryHint: .isDirectory)
      #expect(list == "\(file.absoluteString)\r\n\(folder.absoluteString)\r\n")
      desk.source.send("t=e:x=4:y=1")
    }
  }

  // Section "Dragging to remote machines": the terminal alone knows whether the program is on its machine.
  @Test func presentsAddressesOfPromisedFiles() async throws {
    _ = try await drag([Self.text("Iris.txt")]) { desk, offer in
      let index = try #require(offer.names.firstIndex(of: "text/uri-list"))
      let entry = try #require(try URIList(parsing: offer.presented[index] ?? Data()).entries.first)
      #expect(try Data(contentsOf: try URIList.file(entry)) == Data("Iris".utf8))
      desk.source.send("t=e:x=4:y=1")
    }
  }

  // A program may have received the item, with an address that another program has chosen.
  @Test func fileOfClaimedAddressIsNotSent() async throws {
    let directory = try TemporaryDirectory()
    let secret = try directory.write(Data("secret".utf8), to: "id_rsa")
    let item = Self.text("Iris")
    item.register(.fileURL) { _ in Data(secret.absoluteString.utf8) }
    let found = await code {
      try await drag([item]) { desk, _ in
        desk.source.send("t=k:x=1")
        let message = try await desk.source.next()
        #expect((message.kind, message.text) == ("E", "EPERM"))
      }
    }
    #expect(found == .notAllowed)
  }

  @Test func fileOfOtherHostIsNotSent() async throws {
    let item = ItemProvider(suggestedName: "passwd")
    item.register(.fileURL) { _ in Data("file://olympus.invalid/etc/passwd".utf8) }
    let found = await code {
      try await drag([item]) { desk, _ in
        desk.source.send("t=k:x=1")
        let message = try await desk.source.next()
        #expect(message.kind == "E")
      }
    }
    #expect(found == .malformed)
  }

  @Test func escapesNameOnPicture() async throws {
    _ = try await drag([Self.text("\u{1B}[31mred")]) { desk, offer in
      #expect(offer.presented[-1] == Data(#"\u{1b}[31mred"#.utf8))
      desk.source.send("t=e:x=4:y=1")
    }
  }

  @Test func pictureIsSentAsPixels() async throws {
    let (window, device) = try FakeTerminal.pair()
    async let outcome = try await TerminalDragTests.program(device).whileRouting { terminal in
      try await terminal.withGestures { gestures in
        _ = await gestures.next()
        let icon = DesktopDrag.Icon(width: 2, height: 1, pixels: [0xFF01_0203, 0x8040_0000])
        return try await DesktopDrag(terminal.display, [Self.text()], icon: icon).run()
      }
    }
    let offer = try await FakeTerminalDesk(window, window).begin()
    #expect(offer.presented[-1] == Data([1, 2, 3, 255, 127, 0, 0, 128]))
    window.send("t=e:x=4")
    #expect(try await outcome == .refused)
  }

  // Section "Starting drags": the table of events.
  @Test(arguments: [(false, DropAction.copy), (true, .move)])
  func reportsMoveOnlyIfAllowed(allowsMove: Bool, action: DropAction) async throws {
    let outcome = try await drag([Self.text()], allowsMove: allowsMove) { desk, offer in
      #expect(offer.operations == (allowsMove ? 3 : 1))
      desk.source.send("t=e:x=3")
      desk.source.send("t=e:x=2:o=2")
      desk.source.send("t=e:x=4:y=0")
    }
    #expect(outcome == .dropped(action))
  }

  // A program removes what was moved.
  @Test func moveOfContentThatWasNotDeliveredIsRefused() async throws {
    let item = ItemProvider()
    item.register(.utf8PlainText) { _ in throw SystemError(EIO, in: "read") }
    let outcome = try await drag([item], allowsMove: true) { desk, offer in
      desk.source.send("t=e:x=3")
      desk.source.send("t=e:x=5:y=\(try #require(offer.names.firstIndex(of: "text/plain")))")
      #expect(try await desk.source.next().kind == "E")
      desk.source.send("t=e:x=2:o=2")
      desk.source.send("t=e:x=4:y=0")
    }
    #expect(outcome == .refused)
  }

  // The text before the drag is not the file, which a caller removes after a move.
  @Test(arguments: [(false, DropAction.copy), (true, .move)])
  func filesAreMovedOnlyIfTheyWereSent(isRequested: Bool, action: DropAction) async throws {
    let directory = try TemporaryDirectory()
    let file = try directory.write(Data("Iris".utf8), to: "a.txt")
    let item = ItemProvider(contentsOf: file)
    item.register(.fileURL) { _ in Data(file.absoluteString.utf8) }
    let outcome = try await drag([item], allowsMove: true) { desk, offer in
      desk.source.send("t=e:x=3")
      if isRequested {
        desk.source.send("t=k:x=1")
        let message = try await desk.source.next()
        let data = try await desk.source.data(of: message)
        #expect(data == Data("Iris".utf8))
      }
      desk.source.send("t=e:x=2:o=2")
      desk.source.send("t=e:x=4:y=0")
    }
    #expect(outcome == .dropped(action))
  }

  @Test func moveOfContentThatIsStillRequestedIsACopy() async throws {
    let item = Self.text()
    item.register(.png) { _ in
      // The end of the drag cancels the loader.
      try await Task.sleep(for: .seconds(50))
      return Data()
    }
    let outcome = try await drag([item], allowsMove: true) { desk, offer in
      desk.source.send("t=e:x=3")
      desk.source.send("t=e:x=5:y=\(try #require(offer.names.firstIndex(of: "text/plain")))")
      #expect(try await desk.source.data(of: try await desk.source.next()) == Data("Iris".utf8))
      desk.source.send("t=e:x=5:y=\(try #require(offer.names.firstIndex(of: "image/png")))")
      desk.source.send("t=e:x=2:o=2")
      desk.source.send("t=e:x=4:y=0")
    }
    #expect(outcome == .dropped(.copy))
  }

  @Test func cancelledDropIsRefused() async throws {
    let outcome = try await drag([Self.text()]) { desk, _ in
      desk.source.send("t=e:x=3")
      desk.source.send("t=e:x=4:y=1")
    }
    #expect(outcome == .refused)
  }

  // Section "Starting drags": the gesture has ended before the drag began.
  @Test func deniedStartIsCancellation() async throws {
    let (window, device) = try FakeTerminal.pair()
    async let outcome = try await TerminalDragTests.program(device).whileRouting { terminal in
      try await terminal.withGestures { gestures in
        _ = await gestures.next()
        return try await DesktopDrag(terminal.display, [Self.text()]).run()
      }
    }
    _ = try await window.next(kind: "o")
    window.send("t=o:x=1:y=1")
    _ = try await window.next(kind: "P")
    window.send("t=E", "EPERM:released")
    #expect(try await outcome == .cancelled)
  }

  @Test func errorOfTerminalEndsDrag() async throws {
    let found = await code {
      try await drag([Self.text()]) { desk, _ in
        desk.source.send("t=E", "EMFILE:\u{9B}31m")
        // The program does not end the drag again.
        let next = try await desk.source.next()
        #expect(next.kind == "o")
      }
    }
    #expect(found == .targetFailed)
  }

  // Section "Starting drags": errors of requests.
  @Test func unknownTypeIsReported() async throws {
    let outcome = try await drag([Self.text()]) { desk, offer in
      desk.source.send("t=e:x=5:y=\(offer.names.count)")
      let message = try await desk.source.next()
      #expect((message.kind, message.number("y"), message.text) == ("E", offer.names.count, "ENOENT"))
      desk.source.send("t=e:x=4:y=1")
    }
    #expect(outcome == .cancelled)
  }

  @Test func failingLoaderIsReported() async throws {
    let item = ItemProvider()
    item.register(.utf8PlainText) { _ in throw SystemError(ENOSPC, in: "write") }
    _ = try await drag([item]) { desk, offer in
      let index = try #require(offer.names.firstIndex(of: "text/plain"))
      desk.source.send("t=e:x=5:y=\(index)")
      let message = try await desk.source.next()
      #expect((message.kind, message.number("y"), message.text) == ("E", index, "ENOSPC"))
      desk.source.send("t=e:x=4:y=1")
    }
  }

  @Test func negativeTypeEndsDrag() async throws {
    let found = await code {
      try await drag([Self.text()]) { desk, _ in
        desk.source.send("t=e:x=5:y=-1")
        // Section "Starting drags": the program cancels the drag.
        let found = try await desk.source.next(kind: "E").number("y")
        #expect(found == -1)
      }
    }
    #expect(found == .malformed)
  }

  @Test(arguments: [0, 1]) func numberOfRequestsIsLimited(excess: Int) async throws {
    var options = DesktopOptions.patient
    options.maximumTransfers = 3
    let begun = Latch()
    let item = ItemProvider()
    item.register(.utf8PlainText) { _ in
      begun.open()
      // The end of the drag cancels the loader.
      try await Task.sleep(for: .seconds(50))
      return Data()
    }
    let found = await code {
      try await drag([item], options: options) { desk, offer in
        let index = try #require(offer.names.firstIndex(of: "text/plain"))
        desk.source.send("t=e:x=5:y=\(index)")
        // The first request is being served.
        await begun.wait()
        for _ in 0..<3 + excess { desk.source.send("t=e:x=5:y=\(index)") }
        desk.source.send("t=e:x=4:y=1")
      }
    }
    #expect(found == (excess == 0 ? nil : .limitExceeded))
  }

  // Section "Dragging to remote machines".
  @Test func addressOutOfBoundsEndsDrag() async throws {
    let directory = try TemporaryDirectory()
    let found = await code {
      try await drag([ItemProvider(unlinked: directory.url)]) { desk, _ in
        desk.source.send("t=k:x=2")
        let message = try await desk.source.next()
        #expect((message.kind, message.text) == ("E", "ENOENT"))
      }
    }
    #expect(found == .sourceFailed)
  }

  @Test func linkIsSentAsLink() async throws {
    let directory = try TemporaryDirectory()
    let secret = try directory.write(Data("secret".utf8), to: "secret")
    let link = directory.file("link")
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: secret)
    _ = try await drag([ItemProvider(unlinked: link)]) { desk, _ in
      desk.source.send("t=k:x=1")
      let message = try await desk.source.next()
      #expect(message.number("X") == 1)
      #expect(try await desk.source.data(of: message) == Data(secret.path.utf8))
      desk.source.send("t=e:x=4:y=1")
    }
  }

  @Test func otherKindsOfFilesAreNotSent() async throws {
    let directory = try TemporaryDirectory()
    let pipe = directory.file("pipe")
    #expect(mkfifo(pipe.path, 0o600) == 0)
    let item = ItemProvider(unlinked: pipe)
    let found = await code {
      try await drag([item]) { desk, _ in
        desk.source.send("t=k:x=1")
        let message = try await desk.source.next()
        #expect((message.kind, message.text) == ("E", "EINVAL"))
      }
    }
    #expect(found == .sourceFailed)
  }

  @Test func removedFileEndsDrag() async throws {
    let directory = try TemporaryDirectory()
    let file = try directory.write(Data(), to: "Eurydice")
    let found = await code {
      try await drag([ItemProvider(unlinked: file)]) { desk, _ in
        try FileManager.default.removeItem(at: file)
        desk.source.send("t=k:x=1")
        let message = try await desk.source.next()
        #expect((message.kind, message.text) == ("E", "ENOENT"))
      }
    }
    #expect(found == .sourceFailed)
  }

  @Test func hangUpEndsDrag() async throws {
    let found = await code { try await drag([Self.text()]) { desk, _ in desk.source.hangUp() } }
    #expect(found == .displayGone)
  }

  @Test func silentTerminalDoesNotStartDrag() async throws {
    let (window, device) = try FakeTerminal.pair()
    let found = await code {
      let program = try TerminalDragTests.program(device, .timingOut(after: .milliseconds(100)))
      async let outcome = program.whileRouting { terminal in
        try await terminal.withGestures { gestures in
          _ = await gestures.next()
          return try await DesktopDrag(terminal.display, [Self.text()]).run()
        }
      }
      _ = try await window.next(kind: "o")
      window.send("t=o:x=1:y=1")
      return try await outcome
    }
    #expect(found == .timedOut)
  }

  @Test func dropWithoutEndTimesOut() async throws {
    let found = await code {
      try await drag([Self.text()], finishTimeout: .milliseconds(50)) { desk, _ in desk.source.send("t=e:x=3") }
    }
    #expect(found == .timedOut)
  }

  @Test func cancelledTaskCancelsDrag() async throws {
    let (window, device) = try FakeTerminal.pair()
    let task = Task {
      try await TerminalDragTests.program(device).whileRouting { terminal in
        try await terminal.withGestures { gestures in
          _ = await gestures.next()
          return try await DesktopDrag(terminal.display, [Self.text()]).run()
        }
      }
    }
    _ = try await FakeTerminalDesk(window, window).begin()
    task.cancel()
    #expect(try await window.next(kind: "E").number("y") == -1)
    #expect(try await window.next(kind: "o").number("x") == 2)
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test func secondDragIsRefused() async throws {
    let (window, device) = try FakeTerminal.pair()
    try await TerminalDragTests.program(device).whileRouting { terminal in
      async let first = try await DesktopDrag(terminal.display, [Self.text()]).run()
      _ = try await window.next(kind: "P")
      let found = await code { try await DesktopDrag(terminal.display, [Self.text()]).run() }
      #expect(found == .notAllowed)
      window.send("t=E", "OK")
      window.send("t=e:x=4:y=1")
      #expect(try await first == .cancelled)
    }
  }
}
