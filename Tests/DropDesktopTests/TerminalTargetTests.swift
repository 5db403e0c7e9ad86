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

/// Drops on a program, whose terminal may be hostile.
///
/// A comment names the section of the specification, the file `docs/dnd-protocol.rst` of kitty.
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct TerminalTargetTests {
  /// Runs a program that accepts drops.
  private func accepting<Result: Sendable>(
    _ options: DesktopOptions = .patient, answer: DesktopDrop.Answer = .accept(.copy), refusedColumn: Int? = nil,
    _ body: @escaping @Sendable (FakeTerminal, DesktopDrop.Events) async throws -> Result
  ) async throws -> Result {
    let (window, device) = try FakeTerminal.pair()
    let responder: DesktopDrop.Responder = { $0.x == refusedColumn ? .refuse : answer }
    return try await TerminalDragTests.program(device, options).whileRouting { terminal in
      try await DesktopDrop(terminal.display, window: 0, responder: responder).withEvents { events in
        _ = try await window.next(kind: "a")
        _ = try await window.next(kind: "a")
        return try await body(window, events)
      }
    }
  }

  /// Drops types on the program, which loads the items while `body` is the terminal.
  ///
  /// - Returns: The code of the error of the load; `nil` if it succeeds.
  @discardableResult
  private func load(
    _ names: String, _ options: DesktopOptions = .patient,
    _ body: @escaping @Sendable (FakeTerminal) async throws -> Void
  ) async throws -> DesktopError? {
    try await accepting(options) { window, events in
      window.send("t=M:x=1:y=1:o=3", names)
      let session = try await events.nextDrop()
      let loading = Task {
        for item in try await session.items {
          for type in item.contentTypes(visibleTo: .ownProcess) { _ = try await item.data(for: type) }
        }
      }
      try await body(window)
      do {
        try await loading.value
        return nil
      } catch let error as ItemProviderError {
        return try #require(error.underlyingError as? DesktopError)
      } catch {
        return try #require(error as? DesktopError)
      }
    }
  }

  // Section "Accepting drops".
  @Test func registersAndWithdraws() async throws {
    let (window, device) = try FakeTerminal.pair()
    try await TerminalDragTests.program(device).whileRouting { terminal in
      try await DesktopDrop(terminal.display, window: 0).withEvents { _ in
        #expect(try await window.next(kind: "a").text.contains("text/uri-list"))
        let machine = try await window.next(kind: "a")
        #expect((machine.number("x"), machine.text) == (1, "1:00ff"))
      }
      #expect(try await window.next().kind == "A")
    }
  }

  @Test func answersMovesWhenTheAnswerChanges() async throws {
    try await accepting(refusedColumn: 9) { window, events in
      window.send("t=m:x=1:y=2:o=3", "text/html text/plain application/x-kde-cutselection")
      let answer = try await window.next()
      #expect((answer.kind, answer.number("o"), answer.text) == ("m", 1, "text/plain text/html"))
      window.send("t=m:x=2:y=2:o=3")
      window.send("t=m:x=9:y=2:o=3")
      let refusal = try await window.next()
      #expect((refusal.kind, refusal.number("o"), refusal.text) == ("m", 0, ""))
      window.send("t=m:x=-1:y=-1")
      var shown: [String] = []
      while shown.last != "left" {
        switch try await events.next() {
        case .entered(let names): shown.append(names.joined(separator: " "))
        case .moved(let position): shown.append("\(position.x),\(position.y)")
        case .left: shown.append("left")
        default: shown.append("other")
        }
        if shown == ["left"] { break }
      }
      #expect(shown.last == "left" && !shown.contains("other"))
    }
  }

  // Section "The Drag and Drop protocol": long lists of types arrive in chunks.
  @Test func listOfTypesArrivesInChunks() async throws {
    try await accepting { window, events in
      window.send("t=M:x=1:y=1:o=1:m=1", "text/pla")
      window.send("m=0", "in image/png")
      let found = try await events.nextDrop().position.typeNames
      #expect(found == ["text/plain", "image/png"])
    }
  }

  @Test func typesAboveTheLimitAreIgnored() async throws {
    var options = DesktopOptions.patient
    options.maximumTypes = 2
    try await accepting(options) { window, events in
      window.send("t=M:x=1:y=1:o=1", "a/b c/d e/f")
      let found = try await events.nextDrop().position.typeNames
      #expect(found == ["a/b", "c/d"])
    }
  }

  @Test func unknownTypesAreRefused() async throws {
    try await accepting { window, _ in
      window.send("t=m:x=1:y=1:o=3", "inode/directory \u{9B}31m")
      #expect(try await window.next().number("o") == 0)
      window.send("t=M:x=1:y=1:o=3", "inode/directory")
      let end = try await window.next()
      #expect((end.kind, end.keys["o"]) == ("r", nil))
    }
  }

  @Test(arguments: [(DropAction.copy, 0), (.move, 2)])
  func movesOnlyOnRequest(action: DropAction, operation: Int) async throws {
    try await accepting(answer: .accept(action)) { window, _ in
      window.send("t=m:x=1:y=1:o=2", "text/plain")
      let found = try await window.next().number("o")
      #expect(found == operation)
    }
  }

  @Test func copiesUnlessMoveWasRequested() async throws {
    try await accepting { window, events in
      window.send("t=M:x=1:y=1:o=3", "text/plain")
      let session = try await events.nextDrop()
      #expect(session.acceptedAction == .copy)
      try await session.finish(session.acceptedAction)
      #expect(try await window.next(kind: "r").number("o") == 1)
      await #expect(throws: DesktopError.self) { try await session.finish(.copy) }
    }
  }

  @Test func unfinishedSessionIsRefused() async throws {
    let (window, device) = try FakeTerminal.pair()
    try await TerminalDragTests.program(device).whileRouting { terminal in
      let session = try await DesktopDrop(terminal.display, window: 0).withEvents { events in
        window.send("t=M:x=1:y=1:o=3", "text/plain")
        return try await events.nextDrop()
      }
      let end = try await window.next(kind: "r")
      #expect(end.keys["o"] == nil)
      await #expect(throws: (any Error).self) { _ = try await session.items.first?.data(for: .utf8PlainText) }
    }
  }

  @Test func laterDropEndsTheFormer() async throws {
    try await accepting { window, events in
      window.send("t=M:x=1:y=1:o=3", "text/plain")
      let former = try await events.nextDrop()
      let loading = Task { try await former.items.first?.data(for: .utf8PlainText) }
      _ = try await window.next(kind: "r")
      window.send("t=r:x=1:m=1", "AAAA")
      window.send("t=M:x=1:y=1:o=3", "text/plain")
      _ = try await events.nextDrop()
      await #expect(throws: (any Error).self) { try await loading.value }
    }
  }

  @Test func dropAfterCutChunksIsComplete() async throws {
    try await accepting { window, events in
      window.send("t=M:x=1:y=1:o=3", "text/plain")
      let former = try await events.nextDrop()
      let loading = Task { try await former.items.first?.data(for: .utf8PlainText) }
      _ = try await window.next(kind: "r")
      window.send("t=r:x=1:m=1", "AAAA")
      window.send("t=M:x=1:y=1:o=3", "image/png image/gif")
      let session = try await events.nextDrop()
      await #expect(throws: (any Error).self) { try await loading.value }
      async let picture = try await session.items.first?.data(for: .gif)
      #expect(try await window.next(kind: "r").number("x") == 2)
      let bytes = Data((0..<10_000).map { UInt8(truncatingIfNeeded: $0) })
      try await window.send("t=r:x=2", data: bytes)
      #expect(try await picture == bytes)
    }
  }

  // MARK: Data

  // Section "Accepting drops".
  @Test func emptyDataIsComplete() async throws {
    let error = try await load("text/plain") { window in
      let found = try await window.next(kind: "r").number("x")
      #expect(found == 1)
      window.send("t=r:x=1")
    }
    #expect(error == nil)
  }

  @Test func responsesToOtherRequestsAreIgnored() async throws {
    let error = try await load("text/plain") { window in
      _ = try await window.next(kind: "r")
      window.send("t=r:x=7", "!!!")
      window.send("t=R:x=1:y=4", "EIO")
      window.send("t=r:x=1", "SXJpcw")
      window.send("t=r:x=1")
    }
    #expect(error == nil)
  }

  @Test(arguments: [
    ("t=R:x=1", "EIO:\u{9B}31m\u{202E}", DesktopError.Code.sourceFailed), ("t=R:x=1", "EPERM", .notAllowed),
    ("t=r:x=1", "A A=", .malformed), ("t=r:x=1", "A", .malformed), ("t=r:x=1", "A===", .malformed),
    ("t=r:x=1:m=1", String(repeating: "A", count: 4097), .malformed), ("t=r:x=1:Q", "AAAA", .malformed),
  ])
  func invalidDataEndsLoad(metadata: String, payload: String, code: DesktopError.Code) async throws {
    let error = try await load("text/plain") { window in
      _ = try await window.next(kind: "r")
      window.send(metadata, payload)
    }
    #expect(error?.code == code)
    #expect(error?.description.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F } == true)
  }

  @Test func endlessDataEndsAtTheLimit() async throws {
    var options = DesktopOptions.patient
    options.maximumBytes = 1 << 20
    let error = try await load("text/plain", options) { window in
      _ = try await window.next(kind: "r")
      let chunk = String(repeating: "AAAA", count: 1024)
      for _ in 0..<400 { window.send("t=r:x=1:m=1", chunk) }
    }
    #expect(error?.code == .limitExceeded)
  }

  @Test func dataAtTheLimitIsAccepted() async throws {
    var options = DesktopOptions.patient
    options.maximumBytes = 3072
    for excess in [0, 1] {
      let error = try await load("text/plain", options) { window in
        _ = try await window.next(kind: "r")
        try await window.send("t=r:x=1", data: Data(repeating: 65, count: 3072 + excess))
      }
      #expect(error?.code == (excess == 0 ? nil : .limitExceeded))
    }
  }

  @Test func silentTerminalTimesOut() async throws {
    let error = try await load("text/plain", .timingOut(after: .milliseconds(100))) { window in
      _ = try await window.next(kind: "r")
    }
    #expect(error?.code == .timedOut)
  }

  // Section "Accepting drops": an error response ends the drop.
  @Test func errorEndsTheDrop() async throws {
    try await accepting { window, events in
      window.send("t=M:x=1:y=1:o=3", "text/plain image/png")
      let session = try await events.nextDrop()
      let item = try #require(try await session.items.first)
      let loading = Task { try await item.data(for: .utf8PlainText) }
      _ = try await window.next(kind: "r")
      window.send("t=R:x=1", "EIO")
      await #expect(throws: (any Error).self) { try await loading.value }
      await #expect(throws: (any Error).self) { try await item.data(for: .png) }
      await #expect(throws: DesktopError.self) { try await session.finish(.copy) }
    }
  }

  @Test func dataThatIsNotTakenEndsAfterTimeout() async throws {
    try await accepting(.timingOut(after: .milliseconds(200))) { window, events in
      window.send("t=M:x=1:y=1:o=3", "text/plain")
      let session = try await events.nextDrop()
      let transfer = try await session.drop.content.transfer(of: "text/plain")
      _ = try await window.next(kind: "r")
      try await window.send("t=r:x=1", data: Data(repeating: 65, count: 2 << 20))
      try await wait(for: "the end of the drop") { (try? await session.drop.check(.copy)) == nil }
      await #expect(throws: DesktopError.self) { while try await transfer?.nextBytes(limit: .max) != nil {} }
    }
  }

  @Test func requestAfterUnfinishedDataTimesOut() async throws {
    try await accepting(.timingOut(after: .milliseconds(100))) { window, events in
      window.send("t=M:x=1:y=1:o=3", "text/plain image/png")
      let session = try await events.nextDrop()
      let content = session.drop.content
      let unfinished = try await content.transfer(of: "text/plain")
      _ = try await window.next(kind: "r")
      window.send("t=r:x=1:m=1", "AAAA")
      _ = try await unfinished?.nextBytes(limit: .max)
      await #expect(throws: DesktopError.self) { try await content.transfer(of: "image/png") }
      await #expect(throws: DesktopError.self) { try await unfinished?.nextBytes(limit: .max) }
    }
  }

  @Test func hangUpEndsLoad() async throws {
    let error = try await load("text/plain") { window in
      _ = try await window.next(kind: "r")
      window.send("t=r:x=1:m=1", "AAAA")
      window.hangUp()
    }
    #expect(error?.code == .displayGone)
  }

  @Test func cancelledLoadLeavesTheDropUsable() async throws {
    try await accepting { window, events in
      window.send("t=M:x=1:y=1:o=1", "text/plain image/png")
      let session = try await events.nextDrop()
      let item = try #require(try await session.items.first)
      let loading = Task { try await item.data(for: .utf8PlainText) }
      _ = try await window.next(kind: "r")
      window.send("t=r:x=1:m=1", "AAAA")
      loading.cancel()
      await #expect(throws: (any Error).self) { try await loading.value }
      async let picture = try await item.data(for: .png)
      // The terminal ends the first value before it sends the second.
      window.send("m=0", "AAAA")
      window.send("t=r:x=1")
      #expect(try await window.next(kind: "r").number("x") == 2)
      try await window.send("t=r:x=2", data: Data([1, 2, 3]))
      #expect(try await picture == Data([1, 2, 3]))
    }
  }

  /// The bytes after a pause must not become keys.
  @Test(arguments: ["\u{1B}", "\u{1B}]"]) func pauseAtTheStartOfChunkLosesNothing(start: String) async throws {
    let error = try await load("text/plain") { window in
      _ = try await window.next(kind: "r")
      window.send("t=r:x=1:m=1", "SXJpc")
      let rest = "\u{1B}]72;t=r:x=1:m=0;w==\u{1B}\\\u{1B}]72;t=r:x=1\u{1B}\\"
      window.write(start)
      // Longer than the pause that makes a key.
      try await Task.sleep(for: .milliseconds(150))
      window.write(String(rest.dropFirst(start.count)))
    }
    #expect(error == nil)
  }

  // MARK: Remote files

  /// Answers the request for a list of one file on the machine of the terminal.
  private func sendList(_ window: FakeTerminal, _ list: String = "file:///tmp/Troy\r\n") async throws {
    _ = try await window.next(kind: "r")
    try await window.send("t=r:x=1:X=1", data: Data(list.utf8))
    _ = try await window.next(kind: "r")
  }

  @Test func remoteFilesHaveNoAddressHere() async throws {
    try await accepting { window, events in
      window.send("t=M:x=1:y=1:o=3", "text/uri-list")
      let session = try await events.nextDrop()
      async let addresses = try await session.addresses
      _ = try await window.next(kind: "r")
      try await window.send("t=r:x=1:X=1", data: Data("file:///etc/passwd\r\n".utf8))
      do {
        _ = try await addresses
        Issue.record("accepted")
      } catch {
        #expect((error as? DesktopError)?.code == .notAllowed)
      }
    }
  }

  // Section "Dropping from remote machines": a drop of the own window.
  @Test func ownFilesAreRefused() async throws {
    let error = try await load("text/uri-list") { window in
      try await sendList(window)
      window.send("t=R:x=1:y=1", "EPERM:own window")
    }
    #expect(error?.code == .notAllowed)
  }

  @Test func filesOfWebPageAreRefused() async throws {
    let error = try await load("text/uri-list chromium/x-renderer-taint") { window in
      _ = try await window.next(kind: "r")
      try await window.send("t=r:x=1:X=1", data: Data("file:///etc/passwd\r\n".utf8))
    }
    #expect(error?.code == .malformed)
  }

  @Test(arguments: ["file:///tmp/..", "file:///", "file:///a%0Ab", "file:///a%1B%5B31m", "file:///%E2%80%AE"])
  func invalidNamesAreRefused(address: String) async throws {
    let error = try await load("text/uri-list") { window in
      _ = try await window.next(kind: "r")
      try await window.send("t=r:x=1:X=1", data: Data("\(address)\r\n".utf8))
    }
    #expect(error?.code == .malformed)
  }

  @Test func linkIsNotAFile() async throws {
    let error = try await load("text/uri-list") { window in
      try await sendList(window)
      try await window.send("t=r:x=1:y=1:X=1", data: Data("/etc/passwd".utf8))
    }
    #expect(error?.code == .malformed)
  }

  // Section "Reading remote directories".
  @Test(arguments: ["..", "a/b", "a\0", ".", "\u{1B}[31m", "\u{202E}", "a\0\0b", "\0"])
  func invalidNamesInFoldersAreRefused(names: String) async throws {
    let error = try await load("text/uri-list") { window in
      try await sendList(window)
      try await window.send("t=r:x=1:y=1:X=5", data: Data(names.utf8))
      // A single null byte at the end is allowed.
      if names == "a\0" {
        _ = try await window.next(kind: "r")
        window.send("t=R:x=1:Y=5", "EACCES")
      }
    }
    #expect(error?.code == (names == "a\0" ? .notAllowed : .malformed))
  }

  @Test(arguments: [
    ("a", true), ("./a/b", true), ("../a", false), ("/a", false), ("", false), ("a/../b", false), ("a\0b", false),
  ])
  func linksStayInTheirFolder(target: String, stays: Bool) async throws {
    let error = try await load("text/uri-list") { window in
      try await sendList(window)
      try await window.send("t=r:x=1:y=1:X=5", data: Data("link".utf8))
      let request = try await window.next(kind: "r")
      #expect((request.number("x"), request.number("Y")) == (1, 5))
      try await window.send("t=r:x=1:Y=5:X=1", data: Data(target.utf8))
      if stays {
        let end = try await window.next(kind: "r")
        #expect((end.number("x"), end.number("Y")) == (0, 5))
      }
    }
    #expect(error?.code == (stays ? nil : .malformed))
  }

  @Test func linksMayLeadUpwardInsideTheTopFolder() {
    #expect(TerminalRemoteFiles.stays(Array("../a".utf8), depth: 1))
    #expect(!TerminalRemoteFiles.stays(Array("../../a".utf8), depth: 1))
  }

  @Test func handlesMustBeNew() async throws {
    for handle in [5, -1] {
      let error = try await load("text/uri-list") { window in
        try await sendList(window)
        try await window.send("t=r:x=1:y=1:X=5", data: Data("sub".utf8))
        _ = try await window.next(kind: "r")
        try await window.send("t=r:x=1:Y=5:X=\(handle)", data: Data("sub".utf8))
      }
      #expect(error?.code == .malformed)
    }
  }

  @Test(arguments: [64, 65]) func depthIsLimited(depth: Int) async throws {
    let error = try await load("text/uri-list") { window in
      try await sendList(window)
      try await window.send("t=r:x=1:y=1:X=2", data: Data("d".utf8))
      for level in 2...depth {
        _ = try await window.next(kind: "r")
        let isLast = level == depth
        try await window.send("t=r:x=1:Y=\(level):X=\(level + 1)", data: Data((isLast ? "" : "d").utf8))
        if level <= 64 { #expect(try await window.next(kind: "r").number("x") == 0) }
      }
    }
    #expect(error?.code == (depth == 64 ? nil : .limitExceeded))
  }

  /// Empty names are counted too, before the list is split.
  @Test(arguments: [false, true]) func numberOfEntriesIsLimited(isEmpty: Bool) async throws {
    let names = (0...TerminalRemoteFiles.maximumEntries).map { isEmpty ? "" : "\($0)" }.joined(separator: "\0")
    let error = try await load("text/uri-list") { window in
      try await sendList(window)
      try await window.send("t=r:x=1:y=1:X=2", data: Data(names.utf8))
    }
    #expect(error?.code == .limitExceeded)
  }

  @Test func entriesWithTheSameNameAreRefused() async throws {
    try await accepting { window, events in
      window.send("t=M:x=1:y=1:o=3", "text/uri-list")
      let session = try await events.nextDrop()
      let loading = Task { try await session.items }
      try await sendList(window)
      try await window.send("t=r:x=1:y=1:X=2", data: Data("a\0a".utf8))
      for number in 1...2 {
        _ = try await window.next(kind: "r")
        try await window.send("t=r:x=\(number):Y=2", data: Data([1]))
      }
      await #expect(throws: DesktopError.self) { try await loading.value }
    }
  }

  @Test func filesAreRemovedWithTheSession() async throws {
    let directory = try TemporaryDirectory()
    let (window, device) = try FakeTerminal.pair()
    try await TerminalDragTests.program(device).whileRouting { terminal in
      try await DesktopDrop(terminal.display, window: 0, directory: directory.url).withEvents { events in
        window.send("t=M:x=1:y=1:o=3", "text/uri-list")
        let session = try await events.nextDrop()
        async let items = try await session.items
        try await sendList(window)
        try await window.send("t=r:x=1:y=1", data: Data("horse".utf8))
        let item = try #require(try await items.first)
        #expect(item.suggestedName == "Troy")
        #expect(try await item.data(for: .data) == Data("horse".utf8))
        #expect(session.progress.snapshot.completed == 5)
        try await session.finish(.copy)
      }
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory.url.path) == [])
  }
}
