// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import DisplayWire

/// The decoding of each event, from bytes that were written after the protocol's specification.
@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct X11EventTests {
  private static let window = X11Identifier(0x20_0001)

  private func decode(_ hex: String, xfixes: X11Extension? = nil) throws -> X11Event {
    let packet = [UInt8](Data(hex: hex))
    #expect(packet.count == 32)
    for count in 0..<32 {
      #expect(throws: X11SyntaxError.self) { try X11Event(Array(packet.prefix(count)), xfixes: xfixes) }
    }
    var forged = packet
    forged[0] |= 0x80
    let event = try X11Event(packet, xfixes: xfixes)
    #expect(try X11Event(forged, xfixes: xfixes) == X11Event(event.kind, isSentByClient: true))
    #expect(!event.isSentByClient)
    return event
  }

  @Test(arguments: 2...8) func decodesInput(code: Int) throws {
    let event = try decode(
      "0\(code) 26 0100 e8030000 00010000 01002000 05000000 0a00 ecff 0100 0200 0501 01 00")
    let input: X11InputEvent
    switch (code, event.kind) {
    case (2, .keyPress(let content)), (3, .keyRelease(let content)), (4, .buttonPress(let content)),
      (5, .buttonRelease(let content)), (6, .motionNotify(let content)), (7, .enterNotify(let content)),
      (8, .leaveNotify(let content)):
      input = content
    default:
      Issue.record("\(event)")
      return
    }
    #expect(input.detail == 0x26)
    #expect(input.time == X11Time(1000))
    #expect(input.root == X11Identifier(0x100))
    #expect(input.window == Self.window)
    #expect(input.child == X11Identifier(5))
    #expect([input.rootX, input.rootY, input.x, input.y] == [10, -20, 1, 2])
    #expect(input.state == [.shift, .control, .button1])
    #expect(input.mode == (code >= 7 ? 1 : 0))
  }

  @Test func decodesWindows() throws {
    let rest = "00000000 00000000 00000000 00000000 00000000"
    for (code, isIn) in [("09", true), ("0a", false)] {
      let event = try decode("\(code) 03 0100 01002000 02 000000 \(rest)")
      switch event.kind {
      case .focusIn(let focus) where isIn, .focusOut(let focus) where !isIn:
        #expect(focus.window == Self.window)
        #expect(focus.mode == 2)
        #expect(focus.detail == 3)
      default: Issue.record("\(event)")
      }
    }
    let expose = try decode("0c 00 0100 01002000 0100 0200 0300 0400 0500 0000 00000000 00000000 00000000")
    guard case .expose(let area) = expose.kind else {
      Issue.record("\(expose)")
      return
    }
    #expect(area.window == Self.window)
    #expect(area.frame == X11Rectangle(x: 1, y: 2, width: 3, height: 4))
    #expect(area.remaining == 5)
    #expect(try decode("11 00 0100 00010000 01002000 \(rest)").kind == .destroyNotify(Self.window))
    #expect(try decode("12 00 0100 00010000 01002000 \(rest)").kind == .unmapNotify(Self.window))
    #expect(try decode("13 00 0100 00010000 01002000 \(rest)").kind == .mapNotify(Self.window))
    let configure = try decode(
      "16 00 0100 01002000 01002000 00000000 ffff 0200 0300 0400 0000 01 00 00000000")
    guard case .configureNotify(let geometry) = configure.kind else {
      Issue.record("\(configure)")
      return
    }
    #expect(geometry.window == Self.window)
    #expect(geometry.frame == X11Rectangle(x: -1, y: 2, width: 3, height: 4))
    #expect(try decode("22 00 0100 01 08 f8 00 \(rest) 00000000").kind == .mappingNotify)
  }

  @Test(arguments: [("00", false), ("01", true)]) func decodesPropertyChanges(state: String, isDeleted: Bool) throws {
    let event = try decode(
      "1c 00 0100 01002000 45000000 e8030000 \(state)000000 00000000 00000000 00000000")
    guard case .propertyNotify(let change) = event.kind else {
      Issue.record("\(event)")
      return
    }
    #expect(change.window == Self.window)
    #expect(change.property == X11Atom(0x45))
    #expect(change.time == X11Time(1000))
    #expect(change.isDeleted == isDeleted)
  }

  @Test func decodesSelections() throws {
    let clear = try decode("1d 00 0100 e8030000 01002000 01000000 00000000 00000000 00000000 00000000")
    guard case .selectionClear(let cleared) = clear.kind else {
      Issue.record("\(clear)")
      return
    }
    #expect(cleared.time == X11Time(1000))
    #expect(cleared.owner == Self.window)
    #expect(cleared.selection == .primary)

    let request = try decode("1e 00 0100 e8030000 01002000 07000000 01000000 1f000000 46000000 00000000")
    guard case .selectionRequest(let requested) = request.kind else {
      Issue.record("\(request)")
      return
    }
    #expect(requested.time == X11Time(1000))
    #expect(requested.owner == Self.window)
    #expect(requested.requestor == X11Identifier(7))
    #expect(requested.selection == .primary)
    #expect(requested.target == .string)
    #expect(requested.property == X11Atom(0x46))

    let hex = "1f 00 0000 e8030000 07000000 01000000 1f000000 46000000 00000000 00000000"
    let notify = X11SelectionNotifyEvent(
      time: X11Time(1000), requestor: X11Identifier(7), selection: .primary, target: .string, property: X11Atom(0x46))
    #expect(try decode(hex).kind == .selectionNotify(notify))
    #expect(Data(notify.encoded) == Data(hex: hex))
  }

  @Test func decodesClientMessages() throws {
    let hexes = [
      "21 08 0000 01002000 47000000 01020304 05060708 090a0b0c 0d0e0f10 11121314",
      "21 10 0000 01002000 47000000 01000200 03000400 05000600 07000800 09000a00",
      "21 20 0000 01002000 47000000 01000000 02000000 03000000 04000000 05000000",
    ]
    let contents: [X11Data] = [.bytes(Array(1...20)), .words16(Array(1...10)), .words32(Array(1...5))]
    for (hex, data) in zip(hexes, contents) {
      let message = X11ClientMessage(window: Self.window, type: X11Atom(0x47), data: data)
      #expect(try decode(hex).kind == .clientMessage(message))
      #expect(Data(message.encoded) == Data(hex: hex))
    }
    // The server accepts only three formats, so a message of another format is ignored.
    #expect(try decode("21 07 0000" + String(repeating: "00", count: 28)).kind == .other(code: 33))
  }

  @Test func decodesOwnersOnlyIfTheExtensionIsInUse() throws {
    let hex = "57 01 0100 01002000 07000000 01000000 e8030000 e7030000 00000000 00000000"
    let xfixes = X11Extension(name: "XFIXES", majorOpcode: 138, firstEvent: 87, firstError: 140)
    let event = try decode(hex, xfixes: xfixes)
    guard case .selectionOwnerNotify(let change) = event.kind else {
      Issue.record("\(event)")
      return
    }
    #expect(change.change == 1)
    #expect(change.window == Self.window)
    #expect(change.owner == X11Identifier(7))
    #expect(change.selection == .primary)
    #expect(change.time == X11Time(1000))
    #expect(change.selectionTime == X11Time(999))
    #expect(try decode(hex).kind == .other(code: 87))
  }

  @Test(arguments: [11, 13, 14, 15, 16, 20, 21, 35, 63, 64, 127]) func keepsTheCodeOfOtherEvents(code: Int) throws {
    #expect(
      try X11Event([UInt8(code)] + [UInt8](repeating: 1, count: 31)).kind == .other(code: UInt8(code)))
  }

  @Test func describesErrors() {
    let window = X11Error(code: 3, value: 0x20_0001, majorOpcode: 8, minorOpcode: 0, requestName: "MapWindow")
    #expect(window.description == "the display rejected MapWindow: BadWindow for 0x200001")
    #expect(
      X11Error(code: 17, value: 0, majorOpcode: 8, minorOpcode: 0, requestName: "").codeName == "BadImplementation")
    for code: UInt8 in [0, 18, 255] {
      #expect(
        X11Error(code: code, value: 0, majorOpcode: 8, minorOpcode: 0, requestName: "").codeName == "error \(code)")
    }
  }
}
