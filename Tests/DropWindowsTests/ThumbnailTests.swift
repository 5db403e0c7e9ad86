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

/// The decoder for machines without gdk-pixbuf, compared with gdk-pixbuf.
@Suite(
  .serialized, .limited, .enabled(if: ZlibFunctions.shared != nil, "zlib is not installed"), .timeLimit(minutes: 5))
struct PNGDecoderTests {
  private func decode(_ bytes: [UInt8], side: Int = 4096) throws -> Picture? {
    try Thumbnails.decodeAsPNG(bytes, side: side, Interruption())
  }

  @Test(.enabled(if: Thumbnails.functions != nil, "gdk-pixbuf is not installed"))
  func randomPicturesOfEachKindAreThoseOfAnotherDecoder() async throws {
    var generator = SeededGenerator.announced("PNG")
    func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in .random(in: 0...255, using: &generator) } }
    let kinds: [(kind: UInt8, depths: [UInt8], channels: Int)] = [
      (0, [1, 2, 4, 8, 16], 1), (2, [8, 16], 3), (3, [1, 2, 4, 8], 1), (4, [8, 16], 2), (6, [8, 16], 4),
    ]
    for (kind, depths, channels) in kinds {
      for depth in depths {
        for hasTransparency in [false, true] where !hasTransparency || kind < 4 {
          let (width, height) = (Int.random(in: 1...19, using: &generator), Int.random(in: 1...9, using: &generator))
          let raw = (0..<height).flatMap { _ in
            [.random(in: 0...4, using: &generator)] + bytes((width * channels * Int(depth) + 7) / 8)
          }
          let palette = kind == 3 ? bytes(3 << Int(depth)) : nil
          let transparency = kind == 3 ? bytes(1 << Int(depth)) : (0..<channels).flatMap { _ in [0, raw[1] & 1] }
          let file = SamplePNG.encoded(
            raw, width: width, height: height, depth: depth, kind: kind, palette: palette,
            transparency: hasTransparency ? transparency : nil)
          let expected = try #require(try await Thumbnails.picture(of: file, side: 4096))
          let isEqual = try decode(file) == expected
          #expect(isEqual, "kind \(kind), depth \(depth), transparency \(hasTransparency), \(width) by \(height)")
        }
      }
    }
  }

  @Test(.enabled(if: Thumbnails.functions != nil, "gdk-pixbuf is not installed"))
  func compressedFilesAreThoseOfAnotherDecoder() async throws {
    let root = (0..<3).reduce(URL(fileURLWithPath: #filePath)) { url, _ in url.deletingLastPathComponent() }
    let images = root.appendingPathComponent("Samples/Data/images")
    let files = try FileManager.default.contentsOfDirectory(at: images, includingPropertiesForKeys: nil)
      .filter { $0.pathExtension == "png" }
    #expect(files.count > 50)
    for index in sampled(files.indices, 12, "pictures") {
      let file = files[index]
      let bytes = Array(try Data(contentsOf: file))
      let expected = try #require(try await Thumbnails.picture(of: bytes, side: 4096))
      let isEqual = try decode(bytes) == expected
      #expect(isEqual, "\(file.lastPathComponent)")
    }
  }

  @Test func eachPixelOfASmallPictureIsAMean() throws {
    // Two columns of black and white become gray, and the third stays red.
    let rows: [UInt8] = [0, 0, 0, 0, 255, 255, 255, 255, 0, 0, 255, 0, 0]
    let file = SamplePNG.encoded(rows, width: 4, height: 1)
    #expect(try decode(file, side: 2)?.pixels == [0xFF80_8080, 0xFFFF_0000])
    #expect(try decode(SamplePNG.encoded(width: 400, height: 100), side: 32)?.height == 8)
  }

  @Test func sizesAreLimitedBeforeMemoryIsTaken() throws {
    let files = [
      SamplePNG.encoded(width: 4096, height: 1), SamplePNG.encoded(width: 4097, height: 1),
      SamplePNG.encoded([0], width: 4096, height: 4096, depth: 16, kind: 6),
      SamplePNG.encoded([0], width: 0, height: 1),
    ]
    #expect(try files.map { try decode($0)?.width } == [4096, nil, nil, nil])
  }

  @Test func malformedFilesAreRefused() throws {
    let row: [UInt8] = [0, 7]
    func gray(_ raw: [UInt8]) -> [UInt8] { SamplePNG.encoded(raw, width: 1, height: 1, kind: 0) }
    #expect(try decode(gray(row))?.pixels == [0xFF07_0707])
    for (fault, file) in [
      ("unknown filter", gray([5, 7])), ("too long", gray(row + [0])), ("too short", gray([0])),
      ("interlaced", SamplePNG.encoded(row, width: 1, height: 1, kind: 0, isInterlaced: true)),
      ("unknown depth", SamplePNG.encoded(row, width: 1, height: 1, depth: 3, kind: 0)),
      ("unknown kind", SamplePNG.encoded(row, width: 1, height: 1, kind: 5)),
      ("no palette", SamplePNG.encoded(row, width: 1, height: 1, kind: 3)),
      ("colour 7 of 1", SamplePNG.encoded(row, width: 1, height: 1, kind: 3, palette: [1, 2, 3])),
    ] {
      #expect(try decode(file) == nil, "\(fault)")
    }
    let bytes = SamplePNG.encoded(width: 3, height: 3)
    for count in bytes.indices where try decode(Array(bytes[..<count])) != nil { Issue.record("\(count) bytes") }
  }

  @Test func eachChangedByteIsFound() throws {
    var generator = SeededGenerator.announced("corrupt PNG")
    let bytes = SamplePNG.encoded(width: 9, height: 5)
    for index in 8..<bytes.count {
      var corrupt = bytes
      corrupt[index] ^= .random(in: 1...255, using: &generator)
      if try decode(corrupt) != nil { Issue.record("byte \(index)") }
    }
  }
}
