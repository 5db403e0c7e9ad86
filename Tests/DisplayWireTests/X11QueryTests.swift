// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import DisplayWire

/// The decoding of each response, from bytes that were written after the protocol's specification.
@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct X11QueryTests {
  /// Decodes a response, and checks that every truncated response is an error.
  ///
  /// The last `unused` bytes have no meaning.
  private func decode<Response>(_ query: X11Query<Response>, _ hex: String, unused: Int = 0) throws -> Response {
    let packet = [UInt8](Data(hex: hex))
    for count in 0..<packet.count - unused {
      #expect(throws: X11SyntaxError.self) { try query.decode(Array(packet.prefix(count))) }
    }
    return try query.decode(packet)
  }

  @Test func decodesWindows() throws {
    let state = try decode(
      .getWindowAttributes(.none),
      """
      01 02 0500 03000000  21000000 0100 00 01 ffffffff 00000000 01 01 02 01 20000000
      00804000 00800000 0000 0000
      """, unused: 4)
    #expect(
      state
        == X11WindowState(
          visual: X11Identifier(0x21), isInputOnly: false, isMapped: true, isViewable: true, overridesRedirect: true,
          allEvents: [.exposure, .propertyChange], ownEvents: .exposure))
    let geometry = try decode(
      .getGeometry(.none),
      "01 18 0500 00000000  00010000 feff 0300 8002 e001 0000 0000 00000000 00000000")
    #expect(geometry.depth == 24)
    #expect(geometry.root == X11Identifier(0x100))
    #expect(geometry.frame == X11Rectangle(x: -2, y: 3, width: 640, height: 480))
    let tree = try decode(
      .queryTree(.none),
      """
      01 00 0500 02000000  00010000 00000000 0200 0000 00000000 00000000 00000000
      05000000 06000000
      """)
    #expect(tree.root == X11Identifier(0x100))
    #expect(tree.parent == .none)
    #expect(tree.children == [X11Identifier(5), X11Identifier(6)])
  }

  @Test func decodesAtoms() throws {
    let padding = "00000000 00000000 00000000 00000000 00000000"
    #expect(try decode(.internAtom("A"), "01 00 0500 00000000  45000000 \(padding)") == X11Atom(0x45))
    #expect(
      try decode(.getAtomName(.string), "01 00 0500 02000000  0600 0000 \(padding) 53545249 4e470000", unused: 2)
        == "STRING")
    #expect(
      try decode(.getAtomName(.string), "01 00 0500 01000000  0300 0000 \(padding) 61e96200", unused: 1) == "a\u{E9}b")
    #expect(
      try decode(.listProperties(.none), "01 00 0500 01000000  0100 0000 \(padding) 27000000") == [.wmName])
  }

  @Test func decodesProperties() throws {
    let query = X11Query.getProperty(.none, .none, limit: 100)
    let absent = try decode(query, "01 00 0500 00000000 00000000 00000000 00000000 00000000 00000000 00000000")
    #expect(!absent.exists)
    #expect(absent.data.count == 0)
    let bytes = try decode(
      query, "01 08 0500 01000000 1f000000 05000000 03000000 00000000 00000000 00000000 61626300",
      unused: 1)
    #expect(bytes.type == .string)
    #expect(bytes.remainingBytes == 5)
    #expect(bytes.data == .bytes(Array("abc".utf8)))
    let words16 = try decode(
      query, "01 10 0500 01000000 13000000 00000000 02000000 00000000 00000000 00000000 01000302")
    #expect(words16.data == .words16([1, 0x203]))
    let words32 = try decode(
      query, "01 20 0500 01000000 04000000 00000000 01000000 00000000 00000000 00000000 04030201")
    #expect(words32.data == .atoms([X11Atom(0x0102_0304)]))
    let otherType = try decode(
      query, "01 08 0500 00000000 1f000000 09000000 00000000 00000000 00000000 00000000")
    #expect(otherType.exists)
    #expect(otherType.remainingBytes == 9)
    #expect(otherType.data == .bytes([]))
  }

  @Test(arguments: [
    // The response declares more values than it contains, for each format and up to the largest number.
    "01 08 0500 01000000 1f000000 00000000 05000000 00000000 00000000 00000000 61626300",
    "01 10 0500 01000000 1f000000 00000000 03000000 00000000 00000000 00000000 61626300",
    "01 20 0500 01000000 1f000000 00000000 02000000 00000000 00000000 00000000 61626300",
    "01 08 0500 01000000 1f000000 00000000 ffffffff 00000000 00000000 00000000 61626300",
    "01 20 0500 01000000 1f000000 00000000 ffffffff 00000000 00000000 00000000 61626300",
    // The response has an unknown format.
    "01 07 0500 00000000 1f000000 00000000 00000000 00000000 00000000 00000000",
    "01 00 0500 00000000 00000000 00000000 01000000 00000000 00000000 00000000",
  ])
  func rejectsMalformedProperties(hex: String) {
    #expect(throws: X11SyntaxError.self) {
      try X11Query.getProperty(.none, .none, limit: 100).decode([UInt8](Data(hex: hex)))
    }
  }

  @Test func decodesInput() throws {
    let padding = "00000000 00000000 00000000"
    for (value, status) in [X11GrabStatus.success, .alreadyGrabbed, .invalidTime, .notViewable, .frozen].enumerated() {
      let hex = "01 0\(value) 0500 00000000  00000000 00000000 00000000 \(padding)"
      #expect(try X11Query.grabPointer(.none, events: [], time: .current).decode([UInt8](Data(hex: hex))) == status)
      #expect(try X11Query.grabKeyboard(.none, time: .current).decode([UInt8](Data(hex: hex))) == status)
    }
    #expect(throws: X11SyntaxError(1, "the status is 5 instead of 0 to 4")) {
      let hex = "01 05 0500 00000000  00000000 00000000 00000000 \(padding)"
      return try X11Query.grabKeyboard(.none, time: .current).decode([UInt8](Data(hex: hex)))
    }
    let pointer = try decode(
      .queryPointer(.none), "01 01 0500 00000000  00010000 05000000 0a00 ecff 0100 0200 0501 0000 00000000")
    #expect(
      pointer
        == X11Pointer(
          root: X11Identifier(0x100), child: X11Identifier(5), rootX: 10, rootY: -20, x: 1, y: 2,
          state: [.shift, .control, .button1]))
    let translation = try decode(
      .translateCoordinates(from: .none, to: .none, x: 0, y: 0),
      "01 01 0500 00000000  05000000 ffff 0200 00000000 00000000 00000000 00000000")
    #expect(translation == X11Translation(isSameScreen: true, child: X11Identifier(5), x: -1, y: 2))
    let mapping = try decode(
      .getKeyboardMapping(firstKeyCode: 8, count: 2),
      """
      01 02 0500 04000000  00000000 00000000 00000000 \(padding)
      61000000 41000000 1bff0000 00000000
      """)
    #expect(mapping.symbol(8) == 0x61)
    #expect(mapping.symbol(8, column: 1) == 0x41)
    #expect(mapping.symbol(9) == 0xFF1B)
    #expect(mapping.symbol(10) == 0)
    #expect(mapping.symbol(7) == 0)
    #expect(mapping.symbol(8, column: 2) == 0)
  }

  @Test func decodesExtensions() throws {
    let padding = "00000000 00000000 00000000 00000000 00000000"
    #expect(
      try decode(.queryExtension("XFIXES"), "01 00 0500 00000000  01 8a 57 8c \(padding)")
        == X11Extension(name: "XFIXES", majorOpcode: 138, firstEvent: 87, firstError: 140))
    #expect(try decode(.queryExtension("XFIXES"), "01 00 0500 00000000  00 00 00 00 \(padding)") == nil)
    #expect(throws: X11SyntaxError.self) {
      try X11Query.queryExtension("XFIXES").decode([UInt8](Data(hex: "01 00 0500 00000000  01 08 00 00 \(padding)")))
    }
    let some = X11Extension(name: "any", majorOpcode: 130, firstEvent: 0, firstError: 0)
    #expect(try decode(.bigRequestsEnable(some), "01 00 0500 00000000  ffff3f00 \(padding)") == 0x3F_FFFF)
    #expect(
      try decode(.xfixesQueryVersion(some), "01 00 0500 00000000  05000000 \(padding)")
        == X11Version(major: 5, minor: 0))
    #expect(
      try decode(.xtestGetVersion(some), "01 02 0500 00000000  02000000 \(padding)") == X11Version(major: 2, minor: 2))
    #expect(
      try decode(.getSelectionOwner(.primary), "01 00 0500 00000000  05000000 \(padding)") == X11Identifier(5))
    #expect(try decode(.getInputFocus(), "01 02 0500 00000000  01000000 \(padding)") == .pointerRoot)
  }

  @Test func comparesTimesAcrossTheirWrapAround() {
    #expect(X11Time(2).isLater(than: X11Time(1)))
    #expect(!X11Time(1).isLater(than: X11Time(1)))
    #expect(X11Time(5).isLater(than: X11Time(0xFFFF_FFF0)))
    #expect(!X11Time(0xFFFF_FFF0).isLater(than: X11Time(5)))
  }
}
