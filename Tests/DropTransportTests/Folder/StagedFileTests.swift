// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import Foundation
import TestSupport
import Testing

@testable import DropTransport

@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct StagedFileTests {
  /// Writes the pieces with one call each, and returns the content of the file and its number of blocks.
  private func content(of pieces: [[UInt8]]) throws -> (bytes: [UInt8], blocks: Int) {
    let directory = try TemporaryDirectory()
    let path = directory.file("staged").path
    let file = StagedFile(try .open(path, O_WRONLY | O_CREAT | O_EXCL, 0o600), name: "staged")
    for piece in pieces { try piece.withUnsafeBytes { bytes in try file.append(bytes) } }
    try file.close()
    var status = stat()
    #expect(stat(path, &status) == 0)
    return (Array(try Data(contentsOf: directory.file("staged"))), Int(status.st_blocks))
  }

  private func zeros(_ count: Int) -> [UInt8] { Array(repeating: 0, count: count) }

  @Test("runs of zeros of any length are preserved at every position")
  func preservesRunsOfZerosAtEveryPosition() throws {
    for count in [0, 1, 4095, 4096, 4097, 8192, 100_000] {
      let zeros = zeros(count)
      for pieces in [
        [zeros], [zeros, [1]], [[1], zeros], [[1], zeros, [2]], [zeros, zeros], [[1], zeros, zeros],
        [zeros, [1], zeros], [[1] + zeros], [zeros + [1]], [zeros, []],
      ] {
        #expect(try content(of: pieces).bytes == pieces.flatMap { $0 }, "\(pieces.map(\.count))")
      }
    }
  }

  @Test("random files with runs of zeros round-trip")
  func randomFilesWithRunsOfZerosRoundTrip() throws {
    var generator = SeededGenerator.announced("sparse files")
    for _ in 0..<60 {
      let pieces = (0..<Int.random(in: 0...8, using: &generator)).map { _ in
        let count = Int.random(in: 0...9000, using: &generator)
        var piece = zeros(count)
        if Bool.random(using: &generator), count > 0 { piece[Int.random(in: 0..<count, using: &generator)] = 7 }
        return piece
      }
      #expect(try content(of: pieces).bytes == pieces.flatMap { $0 })
    }
  }

  @Test("long runs of zeros take no space on the disk")
  func longRunsOfZerosTakeNoSpaceOnTheDisk() throws {
    let (bytes, blocks) = try content(of: Array(repeating: zeros(1 << 20), count: 16))
    #expect(bytes.count == 16 << 20)
    #expect(blocks * 512 < 1 << 20)
  }

  @Test("a sparse item arrives complete through a stream")
  func sparseItemArrivesCompleteThroughAStream() async throws {
    let fixture = try FolderFixture()
    let content = [1] + zeros(200_000) + [2] + zeros(5000)
    let bytes = StreamBuilder.stream {
      $0.add(ReceivedItem("chunks", ["public.data": content]), chunkLength: 4096)
      $0.add(ReceivedItem("whole", ["public.data": content]), chunkLength: nil)
      $0.add(ReceivedItem("zeros", ["public.data": zeros(8192)]), chunkLength: 4096)
    }
    _ = try await fixture.receive(bytes)
    #expect(try fixture.content("chunks") == content)
    #expect(try fixture.content("whole") == content)
    #expect(try fixture.content("zeros") == zeros(8192))
  }

  @Test("a disk that is full is an error with the file's name")
  func fullDiskIsAnErrorWithTheFileName() throws {
    let file = StagedFile(try .open("/dev/full", O_WRONLY), name: "a\u{1B}b")
    let error = #expect(throws: DropStreamError.self) {
      try [1, 2, 3].withUnsafeBytes { bytes in try file.append(bytes) }
    }
    #expect(error?.code == .systemCall)
    #expect(error?.errorNumber == ENOSPC)
    #expect(error?.reason == "cannot write a\\u{1b}b: No space left on device")
  }
}
