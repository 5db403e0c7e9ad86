// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import DisplayWire

/// The decoding of each response, from bytes that were written after the protocol's specification.
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct X11QueryTests {
  private static let padding = "00000000 00000000 00000000 00000000 00000000"

  /// Decodes a response, and checks that every truncated response is an error.
  ///
  /// The last `unused` bytes have no meaning.
  private func decode<Response>(_ query: X11Query<Response>, _ hex: String, unused: Int = 0) throws -> Response {
    let packet = [UInt8](Data(hex: hex))
    for count in 0..<packet.count - unused {
      do throws(X11SyntaxError) {
        _ = try query.decode(Array(packet.prefix(count)))
        Issue.record("\(count) bytes of \(hex)")
      } catch {}
    }
    return try query.decode(packet)
  }

  @Test func decodesWindows() throws {
    let geometry = try decode(
      .getGeometry(.none), "01 18 0500 00000000  00010000 feff 0300 8002 e001 0000 0000 00000000 00000000")
    let root = X11Identifier(0x100)
    #expect(
      (geometry.depth, geometry.root, geometry.frame)
        == (24, root, X11Rectangle(x: -2, y: 3, width: 640, height: 480)))
    let tree = try decode(
      .queryTree(.none),
      "01 00 0500 02000000  00010000 00000000 0200 0000 00000000 00000000 00000000 05000000 06000000")
    #expect((tree.root, tree.parent, tree.children) == (root, .none, [X11Identifier(5), X11Identifier(6)]))
  }

  @Test func decodesAtoms() throws {
    #expect(try decode(.internAtom("A"), "01 00 0500 00000000  45000000 \(Self.padding)") == X11Atom(0x45))
    for (hex, unused, name) in [
      ("02000000  0600 0000 \(Self.padding) 53545249 4e470000", 2, "STRING"),
      ("01000000  0300 0000 \(Self.padding) 61e96200", 1, "a\u{E9}b"),
    ] {
      #expect(try decode(.getAtomName(.string), "01 00 0500 \(hex)", unused: unused) == name)
    }
  }

  @Test func decodesProperties() throws {
    for (hex, type, remaining, data, unused) in [
      ("00 0500 00000000 00000000 00000000 00000000 00000000 00000000 00000000", .none, 0, nil, 0),
      (
        "08 0500 01000000 1f000000 05000000 03000000 00000000 00000000 00000000 61626300", .string, 5,
        .bytes([97, 98, 99]), 1
      ),
      (
        "10 0500 01000000 13000000 00000000 02000000 00000000 00000000 00000000 01000302", .integer, 0,
        .words16([1, 0x203]), 0
      ),
      (
        "20 0500 01000000 04000000 00000000 01000000 00000000 00000000 00000000 04030201", .atom, 0,
        .words32([0x0102_0304]), 0
      ),
      ("08 0500 00000000 1f000000 09000000 00000000 00000000 00000000 00000000", .string, 9, .bytes([]), 0),
    ] as [(String, X11Atom, Int, X11Data?, Int)] {
      let property = try decode(.getProperty(.none, .none, limit: 100), "01 \(hex)", unused: unused)
      let hasData = data.map { $0 == property.data } ?? (property.data.count == 0)
      #expect(
        (property.type, property.remainingBytes, property.exists, hasData) == (type, remaining, data != nil, true))
    }
  }

  @Test(arguments: [
    // The response declares more values than it contains, for each format and up to the largest number.
    "08 0500 01000000 1f000000 00000000 05000000 00000000 00000000 00000000 61626300",
    "10 0500 01000000 1f000000 00000000 03000000 00000000 00000000 00000000 61626300",
    "20 0500 01000000 1f000000 00000000 02000000 00000000 00000000 00000000 61626300",
    "08 0500 01000000 1f000000 00000000 ffffffff 00000000 00000000 00000000 61626300",
    "20 0500 01000000 1f000000 00000000 ffffffff 00000000 00000000 00000000 61626300",
    // The response has an unknown format.
    "07 0500 00000000 1f000000 00000000 00000000 00000000 00000000 00000000",
    "00 0500 00000000 00000000 00000000 01000000 00000000 00000000 00000000",
  ])
  func rejectsMalformedProperties(hex: String) {
    #expect(throws: X11SyntaxError.self) {
      try X11Query.getProperty(.none, .none, limit: 100).decode([UInt8](Data(hex: "01 \(hex)")))
    }
  }

  @Test func decodesInput() throws {
    func status(_ value: Int) -> [UInt8] { [UInt8](Data(hex: "01 0\(value) 0500 00000000 00000000 \(Self.padding)")) }
    for (value, expected) in [X11GrabStatus.success, .alreadyGrabbed, .invalidTime, .notViewable, .frozen].enumerated()
    {
      let queries = [X11Query.grabPointer(.none, events: [], time: .current), .grabKeyboard(.none, time: .current)]
      #expect(try queries.map { try $0.decode(status(value)) } == [expected, expected])
    }
    #expect(throws: X11SyntaxError(1, "the status is 5 instead of 0 to 4")) {
      try X11Query.grabKeyboard(.none, time: .current).decode(status(5))
    }
    #expect(
      try decode(
        .queryPointer(.none), "01 01 0500 00000000  00010000 05000000 0a00 ecff 0100 0200 0501 0000 00000000")
        == X11Pointer(
          root: X11Identifier(0x100), child: X11Identifier(5), rootX: 10, rootY: -20, x: 1, y: 2,
          state: [.shift, .control, .button1]))
    #expect(
      try decode(
        .translateCoordinates(from: .none, to: .none, x: 0, y: 0),
        "01 01 0500 00000000  05000000 ffff 0200 00000000 00000000 00000000 00000000")
        == X11Translation(isSameScreen: true, child: X11Identifier(5), x: -1, y: 2))
    let mapping = try decode(
      .getKeyboardMapping(firstKeyCode: 8, count: 2),
      "01 02 0500 04000000  00000000 \(Self.padding) 61000000 41000000 1bff0000 00000000")
    let places: [(UInt8, Int)] = [(8, 0), (8, 1), (9, 0), (10, 0), (7, 0), (8, 2)]
    #expect(places.map { mapping.symbol($0, column: $1) } == [0x61, 0x41, 0xFF1B, 0, 0, 0])
  }

  @Test func decodesExtensions() throws {
    func hex(_ words: String, detail: String = "00") -> String { "01 \(detail) 0500 00000000 \(words) \(Self.padding)" }
    #expect(
      try decode(.queryExtension("XFIXES"), hex("01 8a 57 8c"))
        == X11Extension(name: "XFIXES", majorOpcode: 138, firstEvent: 87, firstError: 140))
    #expect(try decode(.queryExtension("XFIXES"), hex("00 00 00 00")) == nil)
    #expect(throws: X11SyntaxError.self) {
      try X11Query.queryExtension("XFIXES").decode([UInt8](Data(hex: hex("01 08 00 00"))))
    }
    let some = X11Extension(name: "any", majorOpcode: 130, firstEvent: 0, firstError: 0)
    #expect(try decode(.bigRequestsEnable(some), hex("ffff3f00")) == 0x3F_FFFF)
    let versions = try [
      decode(.xfixesQueryVersion(some), hex("05000000")), decode(.xtestGetVersion(some), hex("02000000", detail: "02")),
    ]
    #expect(versions == [X11Version(major: 5, minor: 0), X11Version(major: 2, minor: 2)])
    #expect(try decode(.getSelectionOwner(.primary), hex("05000000")) == X11Identifier(5))
    #expect(try decode(.getInputFocus(), hex("01000000", detail: "02")) == .pointerRoot)
  }

  @Test func comparesTimesAcrossTheirWrapAround() {
    for (time, other, isLater) in [(2, 1, true), (1, 1, false), (5, 0xFFFF_FFF0, true), (0xFFFF_FFF0, 5, false)]
      as [(UInt32, UInt32, Bool)]
    {
      #expect(X11Time(time).isLater(than: X11Time(other)) == isLater, "\(time), \(other)")
    }
  }
}
