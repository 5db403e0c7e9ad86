// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DisplayWire
import DropSystem
import DropTransport
import Foundation
import ItemTransfer
import TestSupport
import Testing
import UniformTypes

@testable import DropDesktop

/// Programs that offer content but violate the protocol.
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct HostileOwnerTests {
  private typealias Respond = @Sendable (DesktopDisplay, X11SelectionRequestEvent, FakeDisplay) async throws -> Void

  /// Owns the clipboard with a request handler while `body` reads the clipboard.
  private func owning<Result>(
    timeout: Duration = .seconds(120), _ respond: @escaping Respond,
    _ body: (any ForeignContent) async throws -> Result
  ) async throws -> Result {
    try await withLoopback(.timingOut(after: timeout)) { display, server in
      let clipboard = display.x11.atoms[.clipboard]
      let requests = display.x11.selectionRequests(of: clipboard)
      try display.x11.connection.send(
        .setSelectionOwner(display.x11.window, selection: clipboard, time: try await display.x11.currentTime()))
      let responding = Task {
        while let request = await requests.next() { try await respond(display, request, server) }
      }
      defer { responding.cancel() }
      return try await body(Clipboard(display).reader())
    }
  }

  /// Stores a value in the requested property and notifies the requestor.
  private static func store(
    _ owner: DesktopDisplay, _ request: X11SelectionRequestEvent, _ type: X11Atom, _ data: X11Data
  ) throws {
    try owner.x11.connection.send(.changeProperty(request.requestor, request.property, type: type, data))
    try owner.x11.notify(request, property: request.property)
  }

  @Test func silenceTimesOut() async throws {
    var code = try await failure {
      try await owning(timeout: .milliseconds(400)) { _, _, _ in
      } _: {
        try await $0.typeNames()
      }
    }
    #expect(code == .timedOut)
    code = try await failure {
      try await owning(timeout: .milliseconds(400)) { owner, request, _ in
        try Self.store(owner, request, owner.x11.atoms[.incremental], .words32([100]))
      } _: {
        try await $0.data(of: "image/png", limit: 1 << 20)
      }
    }
    #expect(code == .timedOut)
  }

  @Test func aReportedValueThatWasNotStoredIsAnError() async throws {
    let code = try await failure {
      try await owning { owner, request, _ in
        try owner.x11.notify(request, property: request.property)
      } _: {
        try await $0.data(of: "image/png", limit: 1 << 20)
      }
    }
    #expect(code == .sourceFailed)
  }

  /// Stores a value in parts, each after the requestor has deleted the part before it.
  ///
  /// - Returns: The number of parts that the requestor has requested.
  @discardableResult
  private static func store(
    _ owner: DesktopDisplay, _ request: X11SelectionRequestEvent, announcing count: UInt32, parts: [[UInt8]]
  ) async throws -> Int {
    let deletions = owner.x11.router.events(limit: 100) { event -> Bool? in
      guard case .propertyNotify(let change) = event.kind, change.window == request.requestor, change.isDeleted
      else { return nil }
      return true
    }
    try store(owner, request, owner.x11.atoms[.incremental], .words32([count]))
    for (index, part) in parts.enumerated() {
      guard await deletions.next() != nil else { return index }
      try owner.x11.connection.send(
        .changeProperty(request.requestor, request.property, type: request.target, .bytes(part[...])))
    }
    return parts.count
  }

  @Test func aValueThatIsShorterThanAnnouncedIsTruncated() async throws {
    func read(_ name: String, announced: UInt32) async throws -> Data {
      try await owning { owner, request, _ in
        try await Self.store(owner, request, announcing: announced, parts: [[1, 2], [3], []])
      } _: {
        try await $0.data(of: name, limit: 1000)
      }
    }
    #expect(try await failure { try await read("image/png", announced: 4) } == .malformed)
    #expect(try await read("image/png", announced: 3) == Data([1, 2, 3]))
    // Tk announces the length in UTF-8, and sends Latin-1.
    #expect(try await read("STRING", announced: 4) == Data([1, 2, 3]))
  }

  /// The stream has an end of its own.
  @Test func aVerifiedStreamIsCompleteWithoutTheEndOfTheValue() async throws {
    let pipe = try SystemCalls.pipe()
    try await DropStream.withWriter(to: .descriptor(pipe.write)) { try await $0.write(DragItems.text("Hail")) }
    let stream = try #require(try await ChunkSource(.descriptor(pipe.read)).next())
    // The owner must not time out before it has sent the stream, even on a busy machine.
    let text = try await owning(timeout: .seconds(10)) { owner, request, _ in
      try await Self.store(owner, request, announcing: 1, parts: [Array(stream)])
    } _: {
      try await IncomingItems(content: $0, names: [TargetName.drop]).items().first?.value(as: String.self)
    }
    #expect(text == "Hail")
  }

  @Test func anErrorOfTheStreamIsReportedWhileTheOwnerIsSilent() async throws {
    let error = await #expect(throws: DropStreamError.self) {
      try await owning(timeout: .seconds(30)) { owner, request, _ in
        try await Self.store(owner, request, announcing: 1, parts: [Array("not a drop stream".utf8)])
      } _: {
        _ = try await IncomingItems(content: $0, names: [TargetName.drop]).items()
      }
    }
    #expect(error?.code == .notADropStream)
  }

  @Test(arguments: [false, true]) func anOwnerThatClosesIsNoticed(isSending: Bool) async throws {
    let code = try await failure {
      try await owning { owner, request, _ in
        if isSending { try await Self.store(owner, request, announcing: 9, parts: [[1]]) }
        try owner.x11.connection.send(.destroyWindow(owner.x11.window))
      } _: {
        try await $0.data(of: "image/png", limit: 1 << 20)
      }
    }
    #expect(code == .sourceFailed)
  }

  @Test func anAnnouncedLengthAboveTheLimitIsDeclinedBeforeTheFirstPart() async throws {
    let parts = Collector<Int>()
    await #expect {
      try await owning { owner, request, _ in
        parts.add(try await Self.store(owner, request, announcing: 1001, parts: [[1]]))
      } _: {
        try await $0.data(of: "image/png", limit: 1000)
      }
    } throws: {
      "\($0)".contains("1001 bytes")
    }
    #expect(!parts.values.contains(1))
  }

  /// xclip serves no other request before the last part was read.
  @Test func anOwnerCanSendTheRestOfAValueThatExceedsTheLimit() async throws {
    let isSent = Gate()
    await #expect {
      try await withLoopback { display, _ in
        let clipboard = display.x11.atoms[.clipboard]
        let requests = display.x11.selectionRequests(of: clipboard)
        try display.x11.connection.send(
          .setSelectionOwner(display.x11.window, selection: clipboard, time: try await display.x11.currentTime()))
        Task {
          guard let request = await requests.next() else { return }
          let parts = Array(repeating: [UInt8](repeating: 7, count: 100), count: 20) + [[]]
          try await Self.store(display, request, announcing: 0, parts: parts)
          isSent.open()
        }
        _ = try await Clipboard(display).reader().data(of: "image/png", limit: 250)
      }
    } throws: {
      "\($0)".contains("300 bytes")
    }
    await isSent.wait()
  }

  @Test func anIncrementalValueWithoutEndStopsAtTheLimit() async throws {
    let code = try await failure {
      try await owning { owner, request, _ in
        let deletions = owner.x11.router.events(limit: 1) { event -> Bool? in
          guard case .propertyNotify(let change) = event.kind, change.window == request.requestor, change.isDeleted
          else { return nil }
          return true
        }
        try Self.store(owner, request, owner.x11.atoms[.incremental], .words32([1]))
        while await deletions.next() != nil {
          try owner.x11.connection.send(
            .changeProperty(
              request.requestor, request.property, type: request.target, .bytes(ArraySlice(repeating: 7, count: 65_536))
            ))
        }
      } _: {
        try await $0.data(of: "image/png", limit: 1 << 20)
      }
    }
    #expect(code == .limitExceeded)
  }

  @Test func aLimitHoldsExactly() async throws {
    func read(_ count: Int) async throws -> Int {
      try await owning { owner, request, _ in
        try Self.store(owner, request, request.target, .bytes(ArraySlice(repeating: 7, count: count)))
      } _: {
        try await $0.data(of: "image/png", limit: 1000).count
      }
    }
    #expect(try await read(1000) == 1000)
    #expect(try await failure { try await read(1001) } == .limitExceeded)
  }

  @Test func manyTypesAreCutOffAndUnusableNamesLeftOut() async throws {
    let names = try await owning { owner, request, _ in
      let strange = try await owner.x11.connection.intern([
        "a\u{1B}[2J", "tab\there", "", String(repeating: "n", count: 256),
      ])
      let many =
        try await owner.x11.connection.intern((0..<256).map { "image/x-\($0)" })
        + (0..<10_000).map { X11Atom(100_000 + $0) }
      try Self.store(owner, request, .atom, .atoms(strange + [X11Atom(0x1FFF_FFFF)] + many + many))
    } _: {
      try await $0.typeNames()
    }
    // The limit counts the names that are left out.
    #expect(names == (0..<251).map { "image/x-\($0)" })
  }

  @Test func aValueOfTheWrongFormOrInAnotherPropertyIsMalformed() async throws {
    for respond in [
      { owner, request, _ in try Self.store(owner, request, .string, .bytes(ArraySlice("TARGETS".utf8))) },
      { owner, request, _ in try owner.x11.notify(request, property: .wmName) },
    ] as [Respond] {
      #expect(try await failure { try await owning(respond) { try await $0.typeNames() } } == .malformed)
    }
  }

  @Test func aDisplayThatEndsFailsTheRead() async throws {
    let code = try await failure {
      try await owning { _, _, server in
        server.close()
      } _: {
        try await $0.typeNames()
      }
    }
    #expect(code == .displayGone)
  }

  @Test(arguments: [
    ("file:///etc/hostname\r\nfile:///dev/null\r\n", DesktopError.Code.malformed),
    ("file://elsewhere.example/etc/hostname", .malformed), ("file:///nonexistent/saga", .nothingOffered),
    ("file:///etc/%00hostname", .malformed), ("file:relative", .malformed), ("\u{0}\u{0}", .malformed),
    ("file:///proc/self/exe", .malformed),
    // A page has chosen this file.
    ("tainted file:///etc/hostname", .malformed),
  ])
  func addressesThatMayNotBeUsedAreRefused(list: String, code: DesktopError.Code) async throws {
    let found = try await failure {
      try await owning { owner, request, _ in
        let names = try await owner.x11.connection.intern([TargetName.uriList, TargetName.rendererTaint])
        if request.target == owner.x11.atoms[.targets] {
          try Self.store(owner, request, .atom, .atoms(list.hasPrefix("tainted") ? names : [names[0]]))
        } else {
          try Self.store(owner, request, names[0], .bytes(ArraySlice(list.replacing("tainted ", with: "").utf8)))
        }
      } _: {
        try await IncomingItems(content: $0, names: $0.typeNames()).items().count
      }
    }
    #expect(found == code)
  }
}

/// The responses of an owner to a program that violates the protocol.
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct SelectionResponseTests {
  private enum Signal: Sendable {
    case notified(target: X11Atom)
    case newValue
  }

  /// Reads a value that follows in parts, each of which is read once and deleted.
  private func value(
    _ display: DesktopDisplay, _ window: X11Identifier, _ property: X11Atom, _ signals: AsyncQueue<Signal>
  ) async throws -> Data {
    func take() async throws -> X11Property {
      try await display.x11.connection.response(to: .getProperty(window, property, limit: 4 << 20, deletes: true))
    }
    #expect(try await take().type == display.x11.atoms[.incremental])
    var data = Data()
    while true {
      guard case .newValue = try await display.x11.next(of: signals, while: "a part arrives") else { continue }
      let part = try await take()
      // The signal of the announcement arrives after the announcement was read.
      guard part.exists, case .bytes(let bytes) = part.data else { continue }
      guard !bytes.isEmpty else { return data }
      data += bytes
    }
  }

  /// Qt asks again with the same property if the first value takes too long.
  @Test(arguments: [false, true]) func laterRequestForAPropertyReplacesTheEarlier(earlierIsFirst: Bool) async throws {
    let (picture, text, isOffered) = (Gate(), Gate(), Gate())
    let (pictureIsRequested, textIsRequested) = (Gate(), Gate())
    let content = Data(repeating: 0x61, count: 3_000_000)
    let item = ItemProvider()
    item.register(.png) { _ in
      pictureIsRequested.open()
      await picture.wait()
      return Data(repeating: 0x62, count: 3_000_000)
    }
    item.register(.utf8PlainText) { _ in
      textIsRequested.open()
      await text.wait()
      return content
    }
    try await withLoopback { display, _ in
      async let _: Void = Clipboard(display).offer([item]) { isOffered.open() }
      await isOffered.wait()
      let (window, property) = (try await display.x11.window(), display.x11.atoms[.value])
      let signals = display.x11.router.events { event -> Signal? in
        switch event.kind {
        case .selectionNotify(let notice) where notice.requestor == window: .notified(target: notice.target)
        case .propertyNotify(let change)
        where change.window == window && change.property == property && !change.isDeleted: .newValue
        default: nil
        }
      }
      let time = try await display.x11.currentTime()
      let targets = try await display.x11.connection.intern(["image/png", "UTF8_STRING"])
      for (target, isRequested) in zip(targets, [pictureIsRequested, textIsRequested]) {
        try display.x11.connection.send(
          .convertSelection(
            requestor: window, selection: display.x11.atoms[.clipboard], target: target, property: property, time: time)
        )
        await isRequested.wait()
      }
      for gate in earlierIsFirst ? [picture, text] : [text, picture] { gate.open() }
      while true {
        guard case .notified(let found) = try await display.x11.next(of: signals, while: "the value is created") else {
          continue
        }
        #expect(found == targets[1])
        break
      }
      let isEqual = try await value(display, window, property, signals) == content
      #expect(isEqual)
    }
  }
}
