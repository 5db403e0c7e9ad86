// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import Foundation
import ItemTransfer
import TestSupport
import Testing

@testable import DropTransport

@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct StagedFileTests {
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

  @Test func preservesRunsOfZerosAtEveryPosition() throws {
    for count in [0, 1, 4095, 4096, 4097, 8192, 100_000] {
      let zeros = zeros(count)
      for pieces in [
        [zeros], [zeros, [1]], [[1], zeros], [[1], zeros, [2]], [zeros, zeros], [[1], zeros, zeros],
        [zeros, [1], zeros], [[1] + zeros], [zeros + [1]], [zeros + [1] + zeros], [[1], zeros + [2] + zeros],
        [zeros, []],
      ] {
        #expect(try content(of: pieces).bytes == pieces.flatMap { $0 }, "\(pieces.map(\.count))")
      }
    }
  }

  @Test func longRunsOfZerosTakeNoSpaceOnTheDisk() throws {
    let (bytes, blocks) = try content(of: Array(repeating: zeros(1 << 20), count: 16))
    #expect(bytes.count == 16 << 20 && blocks * 512 < 1 << 20)
  }

  @Test func fullDiskIsAnErrorWithTheFileName() async throws {
    let file = StagedFile(try .open("/dev/full", O_WRONLY), name: "a\u{1B}b")
    let error = try await requireDropError(
      .systemCall, reason: "cannot write a\\u{1b}b: No space left on device"
    ) { try [1, 2, 3].withUnsafeBytes { bytes in try file.append(bytes) } }
    #expect(error.errorNumber == ENOSPC)
  }
}
