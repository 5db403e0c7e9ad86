// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import DropWindows

@Suite(.serialized, .limited)
struct ThumbnailTests {
  @Test func recognizesFormatsByTheirFirstBytes() {
    #expect(PictureFormat(SamplePNG.encoded(width: 1, height: 1)) == .png)
    #expect(PictureFormat([0xFF, 0xD8, 0xFF, 0xE0]) == .jpeg)
    #expect(PictureFormat(Array("GIF89a".utf8)) == .gif)
    #expect(PictureFormat(Array("RIFF1234WEBPVP8 ".utf8)) == .webp)
    #expect(PictureFormat(Array("RIFF1234WAVE".utf8)) == nil)
    #expect(PictureFormat(Array("<svg xmlns='http://www.w3.org/2000/svg'/>".utf8)) == nil)
    #expect(PictureFormat([0x89, 0x50]) == nil)
    #expect(PictureFormat([]) == nil)
  }

  @Test func refusesEachInputThatIsNotAPicture() async throws {
    for bytes: [UInt8] in [
      [], [1, 2, 3], Array("/* XPM */ static char *a[] = {\"1 1 1 1\", \"a c #000\", \"a\"};".utf8),
    ] {
      #expect(try await Thumbnails.picture(of: bytes, side: 32) == nil)
    }
    #expect(try await Thumbnails.picture(ofFile: "/nonexistent", side: 32) == nil)
    #expect(try await Thumbnails.picture(ofFile: "/", side: 32) == nil)
    #expect(try await Thumbnails.picture(ofFile: "/dev/zero", side: 32) == nil)
  }
}

/// Tests with the installed library gdk-pixbuf.
@Suite(.serialized, .limited, .enabled(if: Thumbnails.functions != nil, "gdk-pixbuf is not installed"))
struct PixbufDecoderTests {
  @Test func decodesASmallPictureUnchanged() async throws {
    let picture = try #require(try await Thumbnails.picture(of: SamplePNG.encoded(width: 2, height: 3), side: 32))
    #expect(picture.width == 2)
    #expect(picture.height == 3)
    #expect(picture.pixels == [UInt32](repeating: 0xFF80_4020, count: 6))
  }

  @Test func reducesALargePicture() async throws {
    let bytes = SamplePNG.encoded(width: 400, height: 100)
    let picture = try #require(try await Thumbnails.picture(of: bytes, side: 32))
    #expect(picture.width == 32)
    #expect(picture.height == 8)
    #expect(picture.pixels.allSatisfy { $0 == 0xFF80_4020 })
  }

  @Test func readsAFile() async throws {
    let directory = try TemporaryDirectory()
    let file = try directory.write(Data(SamplePNG.encoded(width: 5, height: 5)), to: "a.png")
    #expect(try await Thumbnails.picture(ofFile: file.path, side: 32)?.width == 5)
    #expect(try await Thumbnails.picture(ofFile: file.path, side: 0) == nil)
  }

  @Test func refusesSizesAboveTheLimit() async throws {
    #expect(try await Thumbnails.picture(of: SamplePNG.encoded(width: 4096, height: 1), side: 32)?.height == 1)
    #expect(try await Thumbnails.picture(of: SamplePNG.encoded(width: 4097, height: 1), side: 32) == nil)
    #expect(try await Thumbnails.picture(of: SamplePNG.encoded(width: 1, height: 5000), side: 32) == nil)
    let claim = SamplePNG.encoded(width: 1, height: 1, declaredWidth: 1 << 30, declaredHeight: 1 << 30)
    #expect(try await Thumbnails.picture(of: claim, side: 32) == nil)
  }

  @Test func refusesTruncatedPicturesAtEachLength() async throws {
    let bytes = SamplePNG.encoded(width: 3, height: 3)
    for count in 0..<bytes.count - 12 {
      // The decoder may show a picture that lacks its last rows, but it must not crash.
      _ = try await Thumbnails.picture(of: Array(bytes[..<count]), side: 32)
    }
    #expect(try await Thumbnails.picture(of: Array(bytes[..<40]), side: 32) == nil)
  }

  @Test func survivesCorruptPictures() async throws {
    var generator = SeededGenerator.announced("corrupt thumbnails")
    let bytes = SamplePNG.encoded(width: 20, height: 20)
    for _ in 0..<100 {
      var corrupt = bytes
      for _ in 0..<3 {
        corrupt[Int.random(in: 8..<bytes.count, using: &generator)] = .random(in: 0...255, using: &generator)
      }
      let picture = try await Thumbnails.picture(of: corrupt, side: 32)
      #expect((picture?.width ?? 0) <= 32)
    }
  }

  @Test func cancellationEndsTheWork() async throws {
    let task = Task {
      try await Task.sleep(for: .seconds(1000))
      return 0
    }
    task.cancel()
    let work = Task {
      _ = try? await task.value
      withUnsafeCurrentTask { $0?.cancel() }
      return try await Thumbnails.picture(of: SamplePNG.encoded(width: 2, height: 2), side: 32)
    }
    await #expect(throws: CancellationError.self) { try await work.value }
  }
}

/// An encoder of PNG pictures of one colour.
enum SamplePNG {
  /// Returns an encoded picture, which can declare a false size.
  static func encoded(width: Int, height: Int, declaredWidth: Int? = nil, declaredHeight: Int? = nil) -> [UInt8] {
    let row = [0] + [[UInt8]](repeating: [0x80, 0x40, 0x20], count: width).joined()
    let raw = [UInt8]([[UInt8]](repeating: Array(row), count: height).joined())
    var deflated: [UInt8] = [0x78, 0x01]
    for start in stride(from: 0, to: raw.count, by: 65_535) {
      let part = raw[start..<min(start + 65_535, raw.count)]
      let count = UInt16(part.count)
      deflated.append(start + part.count == raw.count ? 1 : 0)
      deflated += [UInt8(count & 0xFF), UInt8(count >> 8), UInt8(~count & 0xFF), UInt8(~count >> 8)] + part
    }
    var (low, high): (UInt32, UInt32) = (1, 0)
    for byte in raw {
      low = (low + UInt32(byte)) % 65_521
      high = (high + low) % 65_521
    }
    deflated += bigEndian(high << 16 | low)
    let header =
      bigEndian(UInt32(declaredWidth ?? width)) + bigEndian(UInt32(declaredHeight ?? height)) + [8, 2, 0, 0, 0]
    return [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + chunk("IHDR", header) + chunk("IDAT", deflated)
      + chunk("IEND", [])
  }

  private static func chunk(_ name: String, _ content: [UInt8]) -> [UInt8] {
    let body = Array(name.utf8) + content
    var checksum = UInt32.max
    for byte in body {
      checksum ^= UInt32(byte)
      for _ in 0..<8 { checksum = checksum >> 1 ^ (checksum & 1 == 1 ? 0xEDB8_8320 : 0) }
    }
    return bigEndian(UInt32(content.count)) + body + bigEndian(~checksum)
  }

  private static func bigEndian(_ value: UInt32) -> [UInt8] {
    [UInt8(value >> 24), UInt8(value >> 16 & 0xFF), UInt8(value >> 8 & 0xFF), UInt8(value & 0xFF)]
  }
}
