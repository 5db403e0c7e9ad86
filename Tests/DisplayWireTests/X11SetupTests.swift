// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import DisplayWire

@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct X11SetupTests {
  /// A server with one screen, one depth and one visual.
  private static let golden = [UInt8](
    Data(
      hex: """
        01 00 0b00 0000 1e00
        40420f00 00002000 ffff1f00 00010000 0500 ffff 01 01 00 00 20 20 08 ff 00000000
        582e4f72 67000000
        18 20 20 0000000000
        00010000 20000000 ffffff00 00000000 00000000 8002 e001 a900 7f00 0100 0100 21000000 00 00 18 01
        18 00 0100 00000000
        21000000 04 08 0001 0000ff00 00ff0000 ff000000 00000000
        """))

  private func response(_ hex: String) -> X11SetupResponse? { try? X11SetupResponse([UInt8](Data(hex: hex))) }

  @Test func decodesAServer() throws {
    guard case .success(let setup) = try X11SetupResponse(Self.golden) else { throw Unexpected("no success") }
    #expect(
      (setup.vendor, setup.release, setup.resourceBase, setup.resourceMask)
        == ("X.Org", 1_000_000, 0x20_0000, 0x1F_FFFF))
    #expect(
      (setup.maximumRequestBytes, setup.imageByteOrder, setup.minimumKeyCode, setup.maximumKeyCode)
        == (262_140, .littleEndian, 8, 255))
    #expect(setup.formats.map { [$0.depth, $0.bitsPerPixel, $0.rowPadding] } == [[24, 32, 32]])
    let screen = try #require(setup.screens.first)
    #expect(
      (setup.screens.count, screen.root, screen.colormap, screen.rootVisual, screen.rootDepth)
        == (1, X11Identifier(0x100), X11Identifier(0x20), X11Identifier(0x21), 24))
    let sizes = [screen.width, screen.height, screen.widthInMillimetres, screen.heightInMillimetres]
    #expect((screen.whitePixel, screen.blackPixel, sizes) == (0xFFFFFF, 0, [640, 480, 169, 127]))
    let visual = try #require(screen.visuals.first)
    let masks = [visual.redMask, visual.greenMask, visual.blueMask]
    #expect(
      (visual.identifier, visual.depth, visual.isTrueColor, masks)
        == (X11Identifier(0x21), 24, true, [0xFF0000, 0xFF00, 0xFF]))
    let counts = [Self.golden[..<8], [1, 0, 11, 0, 0, 0, 0xFF, 0xFF]].map { X11SetupResponse.byteCount(header: $0) }
    #expect(counts == [Self.golden.count, 8 + 4 * 65_535])
  }

  @Test func decodesRefusals() {
    for (hex, expected) in [
      ("00 03 0b00 0000 0100 4e6f2e00", .failed(reason: "No.")),
      ("02 00 0000 0000 0200 50617373 776f7264", .authenticate(reason: "Password")),
      ("00 05 0b00 0000 0100 4e6f2e00", nil), ("03 00 0b00 0000 0000", nil),
    ] as [(String, X11SetupResponse?)] {
      #expect(response(hex) == expected)
    }
  }

  @Test func rejectsTruncatedSetups() {
    for count in 0..<Self.golden.count {
      var bytes = Array(Self.golden.prefix(count))
      if (try? X11SetupResponse(bytes)) != nil { Issue.record("\(count) bytes") }
      // If the length is a multiple of four, declares the truncated length, so that another check must find the fault.
      guard count >= 8, count.isMultiple(of: 4) else { continue }
      bytes[6] = UInt8((count - 8) / 4)
      if (try? X11SetupResponse(bytes)) != nil { Issue.record("\(count) bytes, as declared") }
    }
  }

  @Test func rejectsMalformedSetups() {
    for (offset, value, fault) in [
      (2, 10, "version 10"), (6, 29, "a length that is too small"), (6, 31, "a length that is too large"),
      (7, 255, "a length that is too large"), (14, 0x3F, "a resource base with bits of the mask"),
      (24, 200, "a vendor's name that is longer than the rest"), (25, 255, "a longer name"), (28, 0, "no screen"),
      (28, 255, "screens without their bytes"), (29, 255, "formats without their bytes"),
      (30, 2, "an unknown byte order"), (95, 255, "depths without their bytes"),
      (98, 255, "visuals without their bytes"), (99, 255, "more visuals without their bytes"),
    ] as [(Int, UInt8, String)] {
      var bytes = Self.golden
      bytes[offset] = value
      #expect(throws: X11SyntaxError.self, "\(fault)") { try X11SetupResponse(bytes) }
    }
  }

  @Test func rejectsServersWithoutIdentifiersOrRequests() {
    var bytes = Self.golden
    bytes.replaceSubrange(16..<20, with: [0, 0, 0, 0])
    #expect(throws: X11SyntaxError.self) { try X11SetupResponse(bytes) }
    bytes = Self.golden
    bytes.replaceSubrange(26..<28, with: [0xFF, 0x0F])
    #expect(throws: X11SyntaxError(26, "the maximum request length is 16380 bytes, less than 16384")) {
      try X11SetupResponse(bytes)
    }
  }

  @Test func encodesTheFirstMessage() {
    #expect(Data(X11SetupRequest(cookie: nil).encoded).hex == "6c000b00" + "0000000000000000")
    #expect(
      Data(X11SetupRequest(cookie: [1, 2, 3, 4, 5]).encoded)
        == Data(hex: "6c 00 0b00 0000 1200 0500 0000 4d49542d4d414749432d434f4f4b49452d31 0000 0102030405 000000"))
  }
}
