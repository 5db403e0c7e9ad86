// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import ItemTransfer

/// The listing of a folder's archive.
@Suite(.timeLimit(minutes: 5)) struct FolderEntriesTests {
  private func entries(_ archive: Data, chunkSize: Int = 1000) -> FolderEntries {
    var reader = FolderEntryReader()
    for start in stride(from: 0, to: archive.count, by: chunkSize) {
      archive[start..<min(start + chunkSize, archive.count)].withUnsafeBytes { reader.append($0) }
    }
    return reader.finish()
  }

  @Test(arguments: [1, 511, 100_000]) func entriesHaveTheOrderOfTheArchive(chunkSize: Int) throws {
    try withFolder(["a": "12", "sub/b": "3"]) { folder in
      expectSuccess(link(folder.path + "/a", folder.path + "/h"))
      expectSuccess(symlink("a", folder.path + "/l"))
      expectSuccess(truncate(folder.path + "/sub/b", 1 << 20))
      let found = entries(try archive(of: folder), chunkSize: chunkSize)
      #expect(
        found.fault == nil
          && found.all.map { "\($0.path) \($0.kind) \($0.byteCount) \($0.target)" } == [
            "Tales folder 0 ", "Tales/a file 2 ", "Tales/h hardLink 0 Tales/a", "Tales/l symbolicLink 0 a",
            "Tales/sub folder 0 ", "Tales/sub/b file 1048576 ",
          ])
    }
  }

  @Test func zerosEqualTheirBytes() throws {
    try withFolder(["a": String(repeating: "\0", count: 5000), "b": "x"]) { folder in
      let archive = try archive(of: folder)
      var reader = FolderEntryReader()
      var position = 0
      while position < archive.count {
        let zeros = archive[position...].prefix { $0 == 0 }.count
        reader.append(zeros: UInt64(zeros))
        position += zeros
        let run = archive[position...].prefix { $0 != 0 }
        run.withUnsafeBytes { reader.append($0) }
        position += run.count
      }
      #expect(reader.finish() == entries(archive))
    }
  }

  @Test func faultEndsTheEntries() throws {
    try withFolder(["a": "1", "b": "2"]) { folder in
      var archive = try archive(of: folder)
      // Each header follows a block of records with its header.
      let cut = entries(archive.prefix(3100))
      #expect(cut.all.map(\.path) == ["Tales", "Tales/a"])
      #expect(cut.fault == "\"Tales/a\": the archive is truncated at byte 3100")
      archive[3584 + 150] ^= 1
      let damaged = entries(archive)
      #expect(damaged.all.count == 2 && damaged.fault?.contains("at byte 3584") == true)
    }
  }
}
