// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import Foundation
import TestSupport
import Testing

@testable import DropWindows

@Suite(.serialized, .limited, .timeLimit(minutes: 5))
struct ThumbnailTests {
  @Test func recognizesFormatsByTheirFirstBytes() {
    for (bytes, format) in [
      (SamplePNG.encoded(width: 1, height: 1), .png), ([0xFF, 0xD8, 0xFF, 0xE0], .jpeg), (Array("GIF89a".utf8), .gif),
      (Array("RIFF1234WEBPVP8 ".utf8), .webp), (Array("RIFF1234WAVE".utf8), nil),
      (Array("<svg xmlns='http://www.w3.org/2000/svg'/>".utf8), nil), ([0x89, 0x50], nil), ([], nil),
    ] as [([UInt8], PictureFormat?)] {
      #expect(PictureFormat(bytes) == format, "\(bytes)")
    }
  }

  @Test func refusesEachInputThatIsNotAPicture() async throws {
    for bytes: [UInt8] in [
      [], [1, 2, 3], Array("/* XPM */ static char *a[] = {\"1 1 1 1\", \"a c #000\", \"a\"};".utf8),
    ] {
      #expect(try await Thumbnails.picture(of: bytes, side: 32) == nil)
    }
    for path in ["/nonexistent", "/", "/dev/zero"] {
      #expect(try await Thumbnails.picture(ofFile: path, side: 32) == nil)
    }
  }
}

/// Tests of gdk-pixbuf, the decoder of another project.
@Suite(
  .serialized, .limited, .enabled(if: Thumbnails.functions != nil, "gdk-pixbuf is not installed"),
  .timeLimit(minutes: 5))
struct PixbufDecoderTests {
  private let red = UInt32(0xFF80_4020)

  @Test func decodesASmallPictureUnchanged() async throws {
    let picture = try await Thumbnails.picture(of: SamplePNG.encoded(width: 2, height: 3), side: 32)
    #expect(picture == Picture(width: 2, height: 3, pixels: [UInt32](repeating: red, count: 6)))
  }

  @Test func reducesALargePicture() async throws {
    let picture = try await Thumbnails.picture(of: SamplePNG.encoded(width: 400, height: 100), side: 32)
    #expect(picture == Picture(width: 32, height: 8, pixels: [UInt32](repeating: red, count: 256)))
  }

  @Test func readsAFile() async throws {
    let directory = try TemporaryDirectory()
    let file = try directory.write(Data(SamplePNG.encoded(width: 5, height: 5)), to: "a.png")
    let (shown, none) = try await (
      Thumbnails.picture(ofFile: file.path, side: 32), Thumbnails.picture(ofFile: file.path, side: 0)
    )
    #expect((shown?.width, none) == (5, nil))
  }

  @Test func refusesSizesAboveTheLimit() async throws {
    #expect(try await Thumbnails.picture(of: SamplePNG.encoded(width: 4096, height: 1), side: 32)?.height == 1)
    for claim in [
      SamplePNG.encoded(width: 4097, height: 1), SamplePNG.encoded(width: 1, height: 5000),
      SamplePNG.encoded(width: 1, height: 1, declaredWidth: 1 << 30, declaredHeight: 1 << 30),
    ] {
      #expect(try await Thumbnails.picture(of: claim, side: 32) == nil)
    }
  }

  @Test func survivesTruncatedAndCorruptPictures() async throws {
    let small = SamplePNG.encoded(width: 3, height: 3)
    for count in 0..<small.count - 12 {
      // The decoder may show a picture without its last rows, but must not throw or crash.
      _ = try await Thumbnails.picture(of: Array(small[..<count]), side: 32)
    }
    #expect(try await Thumbnails.picture(of: Array(small[..<40]), side: 32) == nil)
    var generator = SeededGenerator.announced("corrupt thumbnails")
    let bytes = SamplePNG.encoded(width: 20, height: 20)
    for _ in 0..<100 {
      var corrupt = bytes
      for _ in 0..<3 {
        corrupt[Int.random(in: 8..<bytes.count, using: &generator)] = .random(in: 0...255, using: &generator)
      }
      let picture = try await Thumbnails.picture(of: corrupt, side: 32)
      if (picture?.width ?? 0) > 32 { Issue.record("\(corrupt)") }
    }
  }

  @Test func cancellationEndsTheWork() async throws {
    let work = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await Thumbnails.picture(of: SamplePNG.encoded(width: 2, height: 2), side: 32)
    }
    await #expect(throws: CancellationError.self) { try await work.value }
  }
}
