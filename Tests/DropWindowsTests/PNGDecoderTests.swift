// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import Foundation
import TestSupport
import Testing

@testable import DropWindows

/// The decoder for machines without gdk-pixbuf, compared with gdk-pixbuf.
@Suite(
  .serialized, .limited, .enabled(if: ZlibFunctions.shared != nil, "zlib is not installed"), .timeLimit(.minutes(5)))
struct PNGDecoderTests {
  private func decode(_ bytes: [UInt8], side: Int = 4096) throws -> Picture? {
    try Thumbnails.decodeAsPNG(bytes, side: side, Interruption())
  }

  @Test(.enabled(if: Thumbnails.functions != nil, "gdk-pixbuf is not installed"))
  func randomPicturesOfEachKindAreThoseOfAnotherDecoder() async throws {
    var generator = SeededGenerator.announced("PNG")
    let kinds: [(kind: UInt8, depths: [UInt8], channels: Int)] = [
      (0, [1, 2, 4, 8, 16], 1), (2, [8, 16], 3), (3, [1, 2, 4, 8], 1), (4, [8, 16], 2), (6, [8, 16], 4),
    ]
    for (kind, depths, channels) in kinds {
      for depth in depths {
        for hasTransparency in [false, true] where !hasTransparency || kind < 4 {
          let (width, height) = (Int.random(in: 1...19, using: &generator), Int.random(in: 1...9, using: &generator))
          let length = (width * channels * Int(depth) + 7) / 8
          var raw: [UInt8] = []
          for _ in 0..<height {
            raw.append(.random(in: 0...4, using: &generator))
            for _ in 0..<length { raw.append(.random(in: 0...255, using: &generator)) }
          }
          func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in .random(in: 0...255, using: &generator) } }
          let palette = kind == 3 ? bytes(3 << Int(depth)) : nil
          let transparency = kind == 3 ? bytes(1 << Int(depth)) : (0..<channels).flatMap { _ in [0, raw[1] & 1] }
          let file = SamplePNG.encoded(
            raw, width: width, height: height, depth: depth, kind: kind, palette: palette,
            transparency: hasTransparency ? transparency : nil)
          let expected = try #require(try await Thumbnails.picture(of: file, side: 4096))
          let decoded = try #require(try decode(file), "kind \(kind), depth \(depth)")
          let isEqual = decoded == expected
          #expect(
            isEqual,
            "kind \(kind), depth \(depth), transparency \(hasTransparency), \(width) by \(height)")
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
    for file in files {
      let bytes = Array(try Data(contentsOf: file))
      let expected = try #require(try await Thumbnails.picture(of: bytes, side: 4096))
      let decoded = try #require(try decode(bytes), "\(file.lastPathComponent)")
      #expect(decoded == expected, "\(file.lastPathComponent)")
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
    #expect(try decode(SamplePNG.encoded(width: 4096, height: 1))?.width == 4096)
    #expect(try decode(SamplePNG.encoded(width: 4097, height: 1)) == nil)
    #expect(try decode(SamplePNG.encoded([0], width: 4096, height: 4096, depth: 16, kind: 6)) == nil)
    #expect(try decode(SamplePNG.encoded([0], width: 0, height: 1)) == nil)
  }

  @Test func malformedFilesAreRefused() throws {
    let row: [UInt8] = [0, 7]
    #expect(try decode(SamplePNG.encoded(row, width: 1, height: 1, kind: 0))?.pixels == [0xFF07_0707])
    #expect(try decode(SamplePNG.encoded([5, 7], width: 1, height: 1, kind: 0)) == nil, "unknown filter")
    #expect(try decode(SamplePNG.encoded(row, width: 1, height: 1, kind: 0, isInterlaced: true)) == nil)
    #expect(try decode(SamplePNG.encoded(row, width: 1, height: 1, depth: 3, kind: 0)) == nil)
    #expect(try decode(SamplePNG.encoded(row, width: 1, height: 1, kind: 5)) == nil)
    #expect(try decode(SamplePNG.encoded(row, width: 1, height: 1, kind: 3)) == nil, "no palette")
    #expect(try decode(SamplePNG.encoded(row, width: 1, height: 1, kind: 3, palette: [1, 2, 3])) == nil, "colour 7")
    #expect(try decode(SamplePNG.encoded(row + [0], width: 1, height: 1, kind: 0)) == nil, "too long")
    #expect(try decode(SamplePNG.encoded([0], width: 1, height: 1, kind: 0)) == nil, "too short")
    let bytes = SamplePNG.encoded(width: 3, height: 3)
    for count in bytes.indices { #expect(try decode(Array(bytes[..<count])) == nil) }
  }

  @Test func eachChangedByteIsFound() throws {
    var generator = SeededGenerator.announced("corrupt PNG")
    let bytes = SamplePNG.encoded(width: 9, height: 5)
    for index in 8..<bytes.count {
      var corrupt = bytes
      corrupt[index] ^= .random(in: 1...255, using: &generator)
      #expect(try decode(corrupt) == nil, "byte \(index)")
    }
  }
}
