// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DisplayWire
import TestSupport
import Testing

@testable import DropWindows

@Suite(.serialized, .limited, .timeLimit(.minutes(5)))
struct PixelFormatTests {
  /// Returns a setup with one screen.
  private func setup(
    depth: UInt8 = 24, bitsPerPixel: UInt8 = 32, order: UInt8 = 0, visualClass: UInt8 = 4,
    masks: [UInt32] = [0xFF0000, 0xFF00, 0xFF]
  ) throws -> X11Setup {
    func words(_ values: [UInt32]) -> [UInt8] {
      values.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8 & 0xFF), UInt8($0 >> 16 & 0xFF), UInt8($0 >> 24)] }
    }
    var bytes = words([1, 0x20_0000, 0x1F_FFFF, 0])
    bytes += [0, 0, 0xFF, 0xFF, 1, 1, order, 0, 32, 32, 8, 255, 0, 0, 0, 0]
    bytes += [depth, bitsPerPixel, 32, 0, 0, 0, 0, 0]
    bytes += words([0x100, 0x101, 0xFFFFFF, 0, 0]) + [0x80, 2, 0xE0, 1, 0xA0, 0, 0x78, 0, 1, 0, 1, 0]
    bytes += words([0x102]) + [0, 0, depth, 1] + [depth, 0, 1, 0, 0, 0, 0, 0]
    bytes += words([0x102]) + [visualClass, 8, 0, 1] + words(masks) + [0, 0, 0, 0]
    let header: [UInt8] = [1, 0, 11, 0, 0, 0, UInt8(bytes.count / 4), 0]
    guard case .success(let setup) = try X11SetupResponse(header + bytes) else { throw CancellationError() }
    return setup
  }

  private func format(_ setup: X11Setup) throws(DisplayError) -> PixelFormat {
    try PixelFormat(setup.screens[0], setup)
  }

  private func bytes(_ setup: X11Setup) throws -> [UInt8] {
    var canvas = Canvas(width: 3, height: 2, color: Color(0xFFFFFF))
    canvas.fill(PixelRectangle(x: 1, y: 1, width: 1, height: 1), Color(0x112233))
    return try format(setup).bytes(of: PixelRectangle(x: 1, y: 1, width: 2, height: 1), on: canvas)
  }

  @Test func writesPixelsInTheFormatOfTheDisplay() throws {
    #expect(try bytes(setup()) == [0x33, 0x22, 0x11, 0, 0xFF, 0xFF, 0xFF, 0])
    #expect(try bytes(setup(order: 1)) == [0, 0x11, 0x22, 0x33, 0, 0xFF, 0xFF, 0xFF])
    #expect(try bytes(setup(masks: [0xFF, 0xFF00, 0xFF0000])) == [0x11, 0x22, 0x33, 0, 0xFF, 0xFF, 0xFF, 0])
    #expect(try bytes(setup(depth: 32)) == [0x33, 0x22, 0x11, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF])
  }

  @Test func refusesOtherFormatsWithAReason() throws {
    for (setup, reason) in [
      (try setup(depth: 16, bitsPerPixel: 16), "a colour depth of 16 bits"),
      (try setup(bitsPerPixel: 24), "a colour depth of 24 bits"),
      (try setup(visualClass: 3), "no true colours"),
      (try setup(masks: [0x3FF0_0000, 0xF_FC00, 0x3FF]), "no true colours"),
      (try setup(masks: [0, 0, 0]), "no true colours"),
    ] {
      let error = #expect(throws: DisplayError.self) { try format(setup) }
      #expect(error?.code == .badAddress)
      #expect(error?.description.contains(reason) == true)
    }
  }

  @Test func stripsCoverTheAreaAndFitIntoRequests() {
    let area = PixelRectangle(x: 3, y: 5, width: 700, height: 333)
    for limit in [32, 100, 2828, 16_384, 262_144, 1 << 24] {
      let strips = PixelFormat.strips(of: area, limit: limit)
      #expect(strips.allSatisfy { 4 * $0.width * $0.height + 24 <= limit })
      #expect(strips.reduce(0) { $0 + $1.width * $1.height } == area.width * area.height)
      #expect(strips.reduce(PixelRectangle.empty) { $0.union($1) } == area)
    }
    #expect(PixelFormat.strips(of: .empty, limit: 1000).isEmpty)
  }
}
