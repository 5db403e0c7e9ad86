// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import DisplayWire

/// The decoding of each event, from bytes that were written after the protocol's specification.
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct X11EventTests {
  private let window = X11Identifier(0x20_0001)
  private let time = X11Time(1000)
  private static let rest = "00000000 00000000 00000000 00000000 00000000"

  private func decode(_ hex: String, xfixes: X11Extension? = nil) throws -> X11Event.Kind {
    let packet = [UInt8](Data(hex: hex))
    #expect(packet.count == 32)
    for count in 0..<32 where (try? X11Event(Array(packet.prefix(count)), xfixes: xfixes)) != nil {
      Issue.record("\(count) bytes of \(hex)")
    }
    var forged = packet
    forged[0] |= 0x80
    let event = try X11Event(packet, xfixes: xfixes)
    let events = try [event, X11Event(forged, xfixes: xfixes)]
    #expect(events == [false, true].map { X11Event(event.kind, isSentByClient: $0) })
    return event.kind
  }

  @Test(arguments: 2...8) func decodesInput(code: Int) throws {
    let kind = try decode("0\(code) 26 0100 e8030000 00010000 01002000 05000000 0a00 ecff 0100 0200 0501 01 00")
    switch (code, kind) {
    case (2, .keyPress(let input)), (3, .keyRelease(let input)), (4, .buttonPress(let input)),
      (5, .buttonRelease(let input)), (6, .motionNotify(let input)), (7, .enterNotify(let input)),
      (8, .leaveNotify(let input)):
      #expect(
        (input.detail, input.time, input.mode, input.state)
          == (0x26, time, code >= 7 ? 1 : 0, [.shift, .control, .button1]))
      #expect((input.root, input.window, input.child) == (X11Identifier(0x100), window, X11Identifier(5)))
      #expect([input.rootX, input.rootY, input.x, input.y] == [10, -20, 1, 2])
    default: Issue.record("\(kind)")
    }
  }

  @Test func decodesWindows() throws {
    for (code, isIn) in [("09", true), ("0a", false)] {
      switch try decode("\(code) 03 0100 01002000 02 000000 \(Self.rest)") {
      case .focusIn(let focus) where isIn, .focusOut(let focus) where !isIn:
        #expect((focus.window, focus.mode, focus.detail) == (window, 2, 3))
      case let kind: Issue.record("\(kind)")
      }
    }
    if case .expose(let area) = try decode(
      "0c 00 0100 01002000 0100 0200 0300 0400 0500 0000 00000000 00000000 00000000")
    {
      #expect(
        (area.window, area.frame, area.remaining) == (window, X11Rectangle(x: 1, y: 2, width: 3, height: 4), 5))
    } else {
      Issue.record("no exposure")
    }
    if case .configureNotify(let geometry) = try decode(
      "16 00 0100 01002000 01002000 00000000 ffff 0200 0300 0400 0000 01 00 00000000")
    {
      #expect((geometry.window, geometry.frame) == (window, X11Rectangle(x: -1, y: 2, width: 3, height: 4)))
    } else {
      Issue.record("no configuration")
    }
    let kinds = try ["11", "12", "13"].map { try decode("\($0) 00 0100 00010000 01002000 \(Self.rest)") }
    #expect(kinds == [.destroyNotify(window), .unmapNotify(window), .mapNotify(window)])
    #expect(try decode("22 00 0100 01 08 f8 00 \(Self.rest) 00000000") == .mappingNotify)
  }

  @Test(arguments: [("00", false), ("01", true)]) func decodesPropertyChanges(state: String, isDeleted: Bool) throws {
    let kind = try decode("1c 00 0100 01002000 45000000 e8030000 \(state)000000 00000000 00000000 00000000")
    guard case .propertyNotify(let change) = kind else { throw Unexpected(kind) }
    #expect(
      (change.window, change.property, change.time, change.isDeleted) == (window, X11Atom(0x45), time, isDeleted))
  }

  @Test func decodesSelections() throws {
    let clear = try decode("1d 00 0100 e8030000 01002000 01000000 00000000 00000000 00000000 00000000")
    guard case .selectionClear(let cleared) = clear else { throw Unexpected(clear) }
    #expect((cleared.time, cleared.owner, cleared.selection) == (time, window, .primary))

    let request = try decode("1e 00 0100 e8030000 01002000 07000000 01000000 1f000000 46000000 00000000")
    guard case .selectionRequest(let requested) = request else { throw Unexpected(request) }
    #expect(
      (requested.time, requested.owner, requested.requestor, requested.selection, requested.target, requested.property)
        == (time, window, X11Identifier(7), .primary, .string, X11Atom(0x46)))

    let hex = "1f 00 0000 e8030000 07000000 01000000 1f000000 46000000 00000000 00000000"
    let notify = X11SelectionNotifyEvent(
      time: time, requestor: X11Identifier(7), selection: .primary, target: .string, property: X11Atom(0x46))
    #expect(try decode(hex) == .selectionNotify(notify) && Data(notify.encoded) == Data(hex: hex))
  }

  @Test func decodesClientMessages() throws {
    for (hex, data) in [
      ("21 08 0000 01002000 47000000 01020304 05060708 090a0b0c 0d0e0f10 11121314", .bytes(ArraySlice(1...20))),
      ("21 10 0000 01002000 47000000 01000200 03000400 05000600 07000800 09000a00", .words16(Array(1...10))),
      ("21 20 0000 01002000 47000000 01000000 02000000 03000000 04000000 05000000", .words32(Array(1...5))),
    ] as [(String, X11Data)] {
      let message = X11ClientMessage(window: window, type: X11Atom(0x47), data: data)
      #expect(try decode(hex) == .clientMessage(message) && Data(message.encoded) == Data(hex: hex))
    }
    // The server accepts only three formats, so a message of another format is ignored.
    #expect(try decode("21 07 0000" + String(repeating: "00", count: 28)) == .other(code: 33))
  }

  @Test func decodesOwnersOnlyIfTheExtensionIsInUse() throws {
    let hex = "57 01 0100 01002000 07000000 01000000 e8030000 e7030000 00000000 00000000"
    let xfixes = X11Extension(name: "XFIXES", majorOpcode: 138, firstEvent: 87, firstError: 140)
    let kind = try decode(hex, xfixes: xfixes)
    guard case .selectionOwnerNotify(let change) = kind else { throw Unexpected(kind) }
    #expect(
      (change.change, change.window, change.owner, change.selection, change.time, change.selectionTime)
        == (1, window, X11Identifier(7), .primary, time, X11Time(999)))
    #expect(try decode(hex) == .other(code: 87))
  }

  @Test func keepsTheCodeOfOtherEvents() throws {
    for code: UInt8 in [11, 13, 14, 15, 16, 20, 21, 35, 63, 64, 127] {
      #expect(try X11Event([code] + [UInt8](repeating: 1, count: 31)).kind == .other(code: code))
    }
  }

  @Test func describesErrors() {
    func error(_ code: UInt8) -> X11Error {
      X11Error(code: code, value: 0x20_0001, majorOpcode: 8, minorOpcode: 0, requestName: "MapWindow")
    }
    #expect(error(3).description == "the display rejected MapWindow: BadWindow for 0x200001")
    #expect([17, 0, 18, 255].map { error($0).codeName } == ["BadImplementation", "error 0", "error 18", "error 255"])
  }
}
