// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import ItemTransfer

@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct FolderArchiveWriterTests {
  // MARK: Refusals

  @Test(arguments: ["pipe", "socket"])
  func specialFileFailsWithItsPathOrIsLeftOut(kind: String) throws {
    try withFolder(["sub/a": "x"]) { folder in
      let path = folder.path + "/sub/b"
      expectSuccess(kind == "pipe" ? mkfifo(path, 0o600) : mknod(path, S_IFSOCK | 0o600, 0))
      let error = try requireFolderError(.specialFile, "Tales/sub/b") { _ = try archive(of: folder) }
      #expect("\(error)" == "\"Tales/sub/b\": a \(kind) cannot be sent")
      let messages = Collector<String>()
      #expect(try extractedTree(archive(of: folder, .init { $0.leaveOut = { messages.add($0) } })).count == 3)
      #expect(messages.values == ["\(error)"])
    }
  }

  @Test func folderMayBeNamedByALink() throws {
    try withFolder(["a": "x"]) { folder in
      let link = folder.deletingLastPathComponent().path + "/link"
      expectSuccess(symlink("Tales", link))
      let archive = try FolderArchiveWriter(folder: link).archive()
      #expect(archive.firstRange(of: Array("\0link/\0".utf8)) != nil)
      #expect(try extractedTree(archive).count == 2)
    }
  }

  @Test(arguments: [
    [0x61, 0xFF], [0xC3], [0x61, 0x0A], [0x1B, 0x5B], [0x7F], [0xC2, 0x9B], [0xE2, 0x80, 0xAE, 0x61],
    Array(".dragpipe-abcdefghijk9.partial".utf8),
  ])
  func misleadingNamesAreRejected(name: [UInt8]) throws {
    try withFolder { folder in
      let path = (Array(folder.path.utf8) + [0x2F] + name + [0]).map { CChar(bitPattern: $0) }
      close(open(path, O_WRONLY | O_CREAT, 0o600))
      let error = try requireFolderError(.unsafeName) { _ = try archive(of: folder) }
      #expect(error.path?.bytes == Array("Tales/".utf8) + name)
      #expect(!error.description.unicodeScalars.contains { $0.value < 0x20 || (0x7F...0x9F).contains($0.value) })
    }
  }

  @Test func missingFolderFailsWithTheSystemError() throws {
    try withFolder(["a": "x"]) { folder in
      for path in ["/nowhere", "", folder.path + "/a", folder.path + "\u{0}/a"] {
        let error = try requireFolderError(.system) { _ = try FolderArchiveWriter(folder: path, name: "x") }
        #expect(error.errorNumber == (path.hasSuffix("/Tales/a") ? ENOTDIR : ENOENT))
      }
    }
  }

  @Test func limitsApplyFromOneBeyondThem() throws {
    try withFolder(["one/two/three": "12345", "four": "678"]) { folder in
      func hold<Number: FixedWidthInteger>(
        _ path: WritableKeyPath<FolderArchive.Limits, Number>, _ bound: Number
      ) throws {
        _ = try FolderArchiveWriter(folder: folder.path, limits: .init(path, bound)).archive()
        try requireFolderError(.limitExceeded) {
          _ = try FolderArchiveWriter(folder: folder.path, limits: .init(path, bound - 1)).archive()
        }
      }
      expectSuccess(symlink("a", folder.path + "/s"))
      try hold(\.entries, 6)
      try hold(\.nameBytes, 5)
      try hold(\.pathBytes, "Tales/one/two/three".utf8.count)
      try hold(\.contentBytes, 8)
      expectSuccess(Glibc.link(folder.path + "/four", folder.path + "/five"))
      try hold(\.tableBytes, "Tales/five".utf8.count + 64)
    }
  }

  // MARK: Changes

  /// Archives a folder with a file of 1 MiB, two more files and a folder, and calls `change` after the first chunk.
  private func write(changing change: (String) throws -> Void) throws {
    try withFolder(["b": "bbb", "c": "", "d/e": "eee"]) { folder in
      try Data(repeating: 1, count: 1 << 20).write(to: folder.appendingPathComponent("a"))
      var chunks = 0
      _ = try FolderArchiveWriter(folder: folder.path).archive {
        chunks += 1
        if chunks == 1 { try change(folder.path) }
      }
    }
  }

  private static func remove(_ path: String) throws {
    try FileManager.default.removeItem(atPath: path)
  }

  @Test func changedOrRemovedEntryFailsWithItsPath() throws {
    for (name, change) in [
      ("a", { expectSuccess(truncate($0, 600_000)) }), ("a", { expectSuccess(truncate($0, 1 << 20 + 1)) }),
      (
        "a",
        { path in
          let times = [timespec](repeating: timespec(tv_sec: 5, tv_nsec: 5), count: 2)
          expectSuccess(utimensat(AT_FDCWD, path, times, 0))
        }
      ),
      ("c", Self.remove), ("d", Self.remove),
    ] as [(String, (String) throws -> Void)] {
      try requireFolderError(.changedWhileRead, "Tales/\(name)") { try write { try change("\($0)/\(name)") } }
    }
  }

  @Test(arguments: ["b", "c", "d"])
  func replacedEntriesAreNotRead(name: String) throws {
    for replace in [
      { path in
        try Self.remove(path)
        expectSuccess(symlink(name == "d" ? "/tmp" : "/etc/passwd", path))
      },
      { path in
        try Self.remove(path)
        expectSuccess(mkfifo(path, 0o600))
      },
      { path in
        expectSuccess(rename(path, "\(path) moved"))
        expectSuccess(mknod(path, S_IFSOCK | 0o600, 0))
      },
    ] as [(String) throws -> Void] {
      try requireFolderError(.changedWhileRead, "Tales/\(name)") { try write { try replace("\($0)/\(name)") } }
    }
  }

  @Test func movedFolderStaysTheListedOne() throws {
    try write { path in
      expectSuccess(rename(path, path + " moved"))
      expectSuccess(symlink("/etc", path))
    }
  }
}
