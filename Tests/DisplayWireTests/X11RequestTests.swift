// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import DisplayWire

/// The encoding of each request, compared with bytes that were written after the protocol's specification.
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct X11RequestTests {
  private let window = X11Identifier(0x20_0001)
  private let root = X11Identifier(0x100)
  private let time = X11Time(1000)
  private let property = X11Atom(0x45)
  private let xtest = X11Extension(name: "XTEST", majorOpcode: 132, firstEvent: 0, firstError: 0)
  private let frame = X11Rectangle(x: 3, y: 4, width: 5, height: 6)

  private func expect(
    _ request: X11Request, _ hex: String, _ name: String, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let expected = (Data(hex: hex).hex, name, request.encoded.count)
    #expect((Data(request.encoded).hex, request.name, request.byteCount) == expected, sourceLocation: sourceLocation)
  }

  @Test func encodesWindowRequests() {
    let attributes = X11WindowAttributes(
      backgroundPixel: 0xFFFFFF, overridesRedirect: true, events: [.exposure, .propertyChange])
    expect(
      .createWindow(
        window, parent: root, frame: X11Rectangle(x: -1, y: 2, width: 3, height: 4), attributes: attributes),
      """
      01 00 0b00  01002000 00010000 ffff 0200 0300 0400 0000 0000 00000000
      020a0000  ffffff00 01000000 00804000
      """, "CreateWindow")
    expect(
      .createWindow(window, parent: root, frame: frame, isInputOnly: true),
      "01 00 0800  01002000 00010000 0300 0400 0500 0600 0000 0200 00000000 00000000", "CreateWindow")
    expect(
      .createWindow(window, parent: root, frame: frame, depth: 32, visual: X11Identifier(0x77)),
      "01 20 0800  01002000 00010000 0300 0400 0500 0600 0000 0000 77000000 00000000", "CreateWindow")
    expect(
      .changeWindowAttributes(window, X11WindowAttributes(events: .structureNotify)),
      "02 00 0400  01002000 00080000 00000200", "ChangeWindowAttributes")
    expect(
      .changeWindowAttributes(window, X11WindowAttributes(bitGravity: 2, savesUnder: false)),
      "02 00 0500  01002000 10040000 02000000 00000000", "ChangeWindowAttributes")
    expect(.destroyWindow(window), "04 00 0200 01002000", "DestroyWindow")
    expect(.mapWindow(window), "08 00 0200 01002000", "MapWindow")
    expect(
      .configureWindow(window, x: -5, width: 7, stacking: .above),
      "0c 00 0600  01002000 4500 0000 fbffffff 07000000 00000000", "ConfigureWindow")
    expect(
      .configureWindow(window, y: 1, height: 2, stacking: .below),
      "0c 00 0600  01002000 4a00 0000 01000000 02000000 01000000", "ConfigureWindow")
    expect(X11Query.getGeometry(window).request, "0e 00 0200 01002000", "GetGeometry")
    expect(X11Query.queryTree(window).request, "0f 00 0200 01002000", "QueryTree")
  }

  @Test func encodesPropertyRequests() {
    expect(
      X11Query.internAtom("TARGETS", onlyIfExists: true).request,
      "10 01 0400  0700 0000 54415247 45545300", "InternAtom")
    expect(X11Query.internAtom("").request, "10 00 0200  0000 0000", "InternAtom")
    expect(X11Query.getAtomName(.string).request, "11 00 0200  1f000000", "GetAtomName")
    expect(
      .changeProperty(window, property, type: .string, .bytes(ArraySlice("abc".utf8)), mode: .append),
      "12 02 0700  01002000 45000000 1f000000 08 000000 03000000 616263 00", "ChangeProperty")
    expect(
      .changeProperty(window, property, type: .string, .bytes([]), mode: .prepend),
      "12 01 0600  01002000 45000000 1f000000 08 000000 00000000", "ChangeProperty")
    expect(
      .changeProperty(window, property, type: .integer, .words16([1, 0x0203])),
      "12 00 0700  01002000 45000000 13000000 10 000000 02000000 0100 0302", "ChangeProperty")
    expect(
      .changeProperty(window, property, type: .atom, .atoms([X11Atom(0x0102_0304)])),
      "12 00 0700  01002000 45000000 04000000 20 000000 01000000 04030201", "ChangeProperty")
    expect(.deleteProperty(window, property), "13 00 0300  01002000 45000000", "DeleteProperty")
    expect(
      X11Query.getProperty(window, property, type: .atom, offset: 8, limit: 10, deletes: true).request,
      "14 01 0600  01002000 45000000 04000000 02000000 03000000", "GetProperty")
    expect(
      X11Query.getProperty(window, property, limit: 0).request,
      "14 00 0600  01002000 45000000 00000000 00000000 00000000", "GetProperty")
  }

  @Test func encodesSelectionRequests() {
    expect(
      .setSelectionOwner(window, selection: .primary, time: time),
      "16 00 0400  01002000 01000000 e8030000", "SetSelectionOwner")
    expect(X11Query.getSelectionOwner(.primary).request, "17 00 0200  01000000", "GetSelectionOwner")
    expect(
      .convertSelection(
        requestor: window, selection: .primary, target: .string, property: X11Atom(0x46), time: time),
      "18 00 0600  01002000 01000000 1f000000 46000000 e8030000", "ConvertSelection")
    expect(
      .sendEvent(
        X11ClientMessage(window: window, type: X11Atom(0x47), data: .words32([1, 2])), to: window),
      """
      19 00 0b00  01002000 00000000
      21 20 0000  01002000 47000000 01000000 02000000 00000000 00000000 00000000
      """, "SendEvent")
    expect(
      .sendEvent(
        X11SelectionNotifyEvent(
          time: time, requestor: window, selection: .primary, target: .string, property: X11Atom(0x46)),
        to: root, events: [.substructureNotify, .substructureRedirect], propagates: true),
      """
      19 01 0b00  00010000 00001800
      1f 00 0000  e8030000 01002000 01000000 1f000000 46000000 00000000 00000000
      """, "SendEvent")
    expect(
      .sendEvent(X11ClientMessage(window: window, type: X11Atom(0x47), data: .bytes([1])), to: root),
      """
      19 00 0b00  00010000 00000000
      21 08 0000  01002000 47000000 01000000 00000000 00000000 00000000 00000000
      """, "SendEvent")
    expect(
      .sendEvent(X11ClientMessage(window: window, type: X11Atom(0x47), data: .words16([0x102])), to: root),
      """
      19 00 0b00  00010000 00000000
      21 10 0000  01002000 47000000 02010000 00000000 00000000 00000000 00000000
      """, "SendEvent")
  }

  @Test func encodesInputRequests() {
    expect(
      X11Query.grabPointer(
        window, events: [.buttonRelease, .pointerMotion], cursor: X11Identifier(0x20_0009),
        reportsToOwnWindows: true, time: time
      ).request, "1a 01 0600  01002000 4800 01 01 00000000 09002000 e8030000", "GrabPointer")
    expect(.ungrabPointer(), "1b 00 0200  00000000", "UngrabPointer")
    expect(
      X11Query.grabKeyboard(window, time: time).request,
      "1f 00 0400  01002000 e8030000 01 01 0000", "GrabKeyboard")
    expect(.ungrabKeyboard(time: time), "20 00 0200  e8030000", "UngrabKeyboard")
    expect(X11Query.queryPointer(window).request, "26 00 0200  01002000", "QueryPointer")
    expect(
      X11Query.translateCoordinates(from: window, to: root, x: -1, y: 5).request,
      "28 00 0400  01002000 00010000 ffff 0500", "TranslateCoordinates")
    expect(X11Query.getInputFocus().request, "2b 00 0100", "GetInputFocus")
    expect(
      X11Query.getKeyboardMapping(firstKeyCode: 8, count: 248).request, "65 00 0200  08 f8 0000",
      "GetKeyboardMapping")
  }

  @Test func encodesDrawingRequests() {
    let context = X11Identifier(0x20_0006)
    expect(
      .createGC(context, for: window, foreground: 0xFF, background: 0),
      "37 00 0700  06002000 01002000 0c000100 ff000000 00000000 00000000", "CreateGC")
    expect(.freeGC(context), "3c 00 0200  06002000", "FreeGC")
    expect(
      .putImage(
        [1, 2, 3, 4, 5, 6, 7, 8], on: window, context: context,
        frame: X11Rectangle(x: 3, y: 4, width: 2, height: 1), depth: 24),
      "48 02 0800  01002000 06002000 0200 0100 0300 0400 00 18 0000 01020304 05060708", "PutImage")
  }

  @Test func encodesExtensionRequests() {
    let xfixes = X11Extension(name: "XFIXES", majorOpcode: 138, firstEvent: 87, firstError: 140)
    let bigRequests = X11Extension(name: "BIG-REQUESTS", majorOpcode: 133, firstEvent: 0, firstError: 0)
    expect(
      X11Query.queryExtension("XTEST").request, "62 00 0400  0500 0000 58544553 54000000", "QueryExtension")
    expect(X11Query.bigRequestsEnable(bigRequests).request, "85 00 0100", "BigReqEnable")
    expect(X11Query.xfixesQueryVersion(xfixes).request, "8a 00 0300  05000000 00000000", "XFixesQueryVersion")
    expect(
      .xfixesSelectSelectionInput(
        xfixes, window: window, selection: .primary, changes: [.newOwner, .windowDestroyed, .clientClosed]),
      "8a 02 0400  01002000 01000000 07000000", "XFixesSelectSelectionInput")
    let shape = X11Extension(name: "SHAPE", majorOpcode: 129, firstEvent: 64, firstError: 0)
    expect(
      .shapeRectangles(shape, .input, of: window, []), "81 01 0400  00 02 0000 01002000 00000000",
      "ShapeRectangles")
    expect(
      .shapeRectangles(shape, .bounding, of: window, [X11Rectangle(x: 1, y: -1, width: 3, height: 4)]),
      "81 01 0600  00 00 0000 01002000 00000000 0100 ffff 0300 0400", "ShapeRectangles")
    expect(X11Query.xtestGetVersion(xtest).request, "84 00 0200  02 00 0200", "XTestGetVersion")
    expect(
      .xtestFakeInput(xtest, .key(code: 0x26, isPressed: true), delay: 5),
      "84 02 0900  02 26 0000 05000000 00000000 00000000 00000000 0000 0000 00000000 00000000", "XTestFakeInput")
    expect(
      .xtestFakeInput(xtest, .key(code: 0x26, isPressed: false)),
      "84 02 0900  03 26 0000 00000000 00000000 00000000 00000000 0000 0000 00000000 00000000", "XTestFakeInput")
    expect(
      .xtestFakeInput(xtest, .button(1, isPressed: true)),
      "84 02 0900  04 01 0000 00000000 00000000 00000000 00000000 0000 0000 00000000 00000000", "XTestFakeInput")
    expect(
      .xtestFakeInput(xtest, .button(3, isPressed: false)),
      "84 02 0900  05 03 0000 00000000 00000000 00000000 00000000 0000 0000 00000000 00000000", "XTestFakeInput")
    expect(
      .xtestFakeInput(xtest, .motion(root: root, x: 10, y: -20)),
      "84 02 0900  06 00 0000 00000000 00010000 00000000 00000000 0a00 ecff 00000000 00000000", "XTestFakeInput")
  }

  @Test(arguments: [
    (262_116, "1200ffff"), (262_117, "1200000001000100"), (262_144, "1200000007000100"),
  ])
  func encodesLongRequests(count: Int, header: String) {
    let request = X11Request.changeProperty(
      window, property, type: .string, .bytes(ArraySlice(repeating: 7, count: count)))
    #expect(Data(request.encoded).hex.hasPrefix(header + "01002000"))
    let byteCount = header.count / 2 + 20 + (count + 3) & ~3
    #expect((request.encoded.count, request.byteCount) == (byteCount, byteCount))
  }
}
