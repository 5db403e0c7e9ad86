// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DisplayWire
import Foundation
import ItemTransfer
import TestSupport
import Testing
import UniformTypes

@testable import DropDesktop

/// The responses of an owner to a program that violates the protocol.
@Suite(
  .serialized, .limited, .timeLimit(.minutes(30)), .enabled(if: VirtualDisplay.isInstalled, "Xvfb is not installed"))
struct SelectionResponseTests {
  private enum Signal: Sendable {
    case notified(target: X11Atom)
    case newValue
  }

  private let desk: TestDesk

  init() async throws {
    desk = try await TestDesk()
  }

  /// Reads a value that follows in parts, each of which is read once and deleted.
  private func value(
    _ display: DesktopDisplay, _ property: X11Atom, _ signals: EventSubscription<Signal>
  ) async throws -> Data {
    func take() async throws -> X11Property {
      try await display.connection.response(
        to: .getProperty(display.window, property, limit: 4 << 20, deletes: true))
    }
    #expect(try await take().type == display.atoms[.incremental])
    var data = Data()
    while true {
      guard case .newValue = try await display.next(of: signals, while: "a part arrives") else { continue }
      let part = try await take()
      // The signal of the announcement arrives after the announcement was read.
      guard part.exists, case .bytes(let bytes) = part.data else { continue }
      guard !bytes.isEmpty else { return data }
      data += bytes
    }
  }

  /// Qt asks again with the same property if the first value takes too long.
  @Test(arguments: [false, true]) func laterRequestForAPropertyReplacesTheEarlier(earlierIsFirst: Bool) async throws {
    let (picture, text) = (Gate(), Gate())
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
    let isOffered = Gate()
    let offer = Task {
      try await desk.withDisplay { try await Clipboard($0).offer([item]) { isOffered.open() } }
    }
    await isOffered.wait()
    try await desk.withDisplay { display in
      let (window, property) = (display.window, display.atoms[.value])
      let signals = display.router.events { event -> Signal? in
        switch event.kind {
        case .selectionNotify(let notice) where notice.requestor == window: .notified(target: notice.target)
        case .propertyNotify(let change)
        where change.window == window && change.property == property && !change.isDeleted: .newValue
        default: nil
        }
      }
      let time = try await display.currentTime()
      func request(_ name: String) async throws -> X11Atom {
        let target = try await display.connection.intern(name)
        try display.connection.send(
          .convertSelection(
            requestor: window, selection: display.atoms[.clipboard], target: target, property: property, time: time))
        return target
      }
      _ = try await request("image/png")
      await pictureIsRequested.wait()
      let target = try await request("UTF8_STRING")
      await textIsRequested.wait()
      for gate in earlierIsFirst ? [picture, text] : [text, picture] { gate.open() }
      while true {
        guard case .notified(let found) = try await display.next(of: signals, while: "the value is made") else {
          continue
        }
        #expect(found == target)
        break
      }
      let received = try await value(display, property, signals)
      #expect(received.count == content.count)
      let isEqual = received == content
      #expect(isEqual)
    }
    offer.cancel()
    _ = await offer.result
  }
}
