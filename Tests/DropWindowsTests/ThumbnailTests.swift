// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import DropWindows

@Suite(.serialized, .limited, .timeLimit(.minutes(5)))
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

/// Tests of gdk-pixbuf, the decoder of another project.
@Suite(
  .serialized, .limited, .enabled(if: Thumbnails.functions != nil, "gdk-pixbuf is not installed"),
  .timeLimit(.minutes(5)))
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
      // The decoder may show a picture without its last rows, but must not throw or crash.
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
