// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import ItemTransfer

@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct FolderArchiveWriterTests {
  private func withFolder(_ items: KeyValuePairs<String, String>, _ body: (URL) throws -> Void) throws {
    try withTemporaryDirectory { directory in
      let folder = directory.appendingPathComponent("Tales")
      try makeTree(items, at: folder)
      try body(folder)
    }
  }

  // MARK: Refusals

  @Test(arguments: ["pipe", "socket"])
  func specialFileFailsWithItsPathOrIsLeftOut(kind: String) throws {
    try withFolder(["sub/a": "x"]) { folder in
      let path = folder.path + "/sub/b"
      if kind == "pipe" { #expect(mkfifo(path, 0o600) == 0) } else { #expect(mknod(path, S_IFSOCK | 0o600, 0) == 0) }
      let error = try requireFolderError(.specialFile, "Tales/sub/b") { _ = try archive(of: folder) }
      #expect("\(error)" == "\"Tales/sub/b\": a \(kind) cannot be sent")
      var options = FolderArchiveOptions()
      let messages = Collector<String>()
      options.leaveOut = { messages.add($0) }
      try extract(archive(of: folder, options)) { try #expect(tree(at: $0.appendingPathComponent("Tales")).count == 3) }
      #expect(messages.values == ["\(error)"])
    }
  }

  @Test func folderMayBeNamedByALink() throws {
    try withFolder(["a": "x"]) { folder in
      let link = folder.deletingLastPathComponent().path + "/link"
      #expect(symlink("Tales", link) == 0)
      let archive = try FolderArchiveWriter(folder: link).archive()
      #expect(archive.firstRange(of: Array("\0link/\0".utf8)) != nil)
      try extract(archive) { try #expect(tree(at: $0.appendingPathComponent("Tales")).count == 2) }
    }
  }

  @Test(arguments: [
    [0x61, 0xFF], [0xC3], [0x61, 0x0A], [0x1B, 0x5B], [0x7F], [0xC2, 0x9B], [0xE2, 0x80, 0xAE, 0x61],
  ])
  func misleadingNamesAreRejected(name: [UInt8]) throws {
    try withFolder([:]) { folder in
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
    func hold<Number: FixedWidthInteger>(
      _ path: WritableKeyPath<FolderArchive.Limits, Number>, _ bound: Number, _ folder: URL
    ) throws {
      var limits = FolderArchive.Limits()
      limits[keyPath: path] = bound
      _ = try FolderArchiveWriter(folder: folder.path, limits: limits).archive()
      limits[keyPath: path] = bound - 1
      try requireFolderError(.limitExceeded) {
        _ = try FolderArchiveWriter(folder: folder.path, limits: limits).archive()
      }
    }
    try withFolder(["one/two/three": "12345", "four": "678"]) { folder in
      #expect(symlink("a", folder.path + "/s") == 0)
      try hold(\.entries, 6, folder)
      try hold(\.nameBytes, 5, folder)
      try hold(\.pathBytes, "Tales/one/two/three".utf8.count, folder)
      try hold(\.contentBytes, 8, folder)
      #expect(Glibc.link(folder.path + "/four", folder.path + "/five") == 0)
      try hold(\.tableBytes, "Tales/five".utf8.count + 64, folder)
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

  @Test func changedFileFailsWithItsPath() throws {
    try requireFolderError(.changedWhileRead, "Tales/a") {
      try write { #expect(truncate($0 + "/a", 600_000) == 0) }
    }
    try requireFolderError(.changedWhileRead, "Tales/a") {
      try write { #expect(truncate($0 + "/a", 1 << 20 + 1) == 0) }
    }
    try requireFolderError(.changedWhileRead, "Tales/a") {
      try write { path in
        var times = [timespec](repeating: timespec(tv_sec: 5, tv_nsec: 5), count: 2)
        #expect(utimensat(AT_FDCWD, path + "/a", &times, 0) == 0)
      }
    }
  }

  @Test func removedEntryFailsWithItsPath() throws {
    try requireFolderError(.changedWhileRead, "Tales/c") { try write { #expect(unlink($0 + "/c") == 0) } }
    try requireFolderError(.changedWhileRead, "Tales/d") {
      try write { try FileManager.default.removeItem(atPath: $0 + "/d") }
    }
  }

  @Test func replacedEntriesAreNotRead() throws {
    for name in ["b", "c", "d"] {
      try requireFolderError(.changedWhileRead, "Tales/\(name)") {
        try write { path in
          try FileManager.default.removeItem(atPath: "\(path)/\(name)")
          #expect(symlink(name == "d" ? "/tmp" : "/etc/passwd", "\(path)/\(name)") == 0)
        }
      }
      try requireFolderError(.changedWhileRead, "Tales/\(name)") {
        try write { path in
          try FileManager.default.removeItem(atPath: "\(path)/\(name)")
          #expect(mkfifo("\(path)/\(name)", 0o600) == 0)
        }
      }
      try requireFolderError(.changedWhileRead, "Tales/\(name)") {
        try write { path in
          #expect(rename("\(path)/\(name)", "\(path)/moved") == 0)
          #expect(mknod("\(path)/\(name)", S_IFSOCK | 0o600, 0) == 0)
        }
      }
    }
  }

  @Test func movedFolderStaysTheListedOne() throws {
    try write { path in
      #expect(rename(path, path + " moved") == 0)
      #expect(symlink("/etc", path) == 0)
    }
  }

  // MARK: Descriptors

  private func failToWrite(_ folder: URL) throws {
    struct Failing: Error {}
    let writer = try FolderArchiveWriter(folder: folder.path)
    #expect(throws: Failing.self) { _ = try writer.archive { throw Failing() } }
  }

  @Test func noDescriptorStaysOpenAfterAnUnfinishedArchive() async {
    // This test needs a process of its own, because concurrent tests open descriptors.
    await #expect(processExitsWith: .success) { try FolderArchiveWriterTests().failOften() }
  }

  private func failOften() throws {
    try withFolder(["a": "x", "b/c/d": "y"]) { folder in
      try Data(repeating: 1, count: 700_000).write(to: folder.appendingPathComponent("b/c/big"))
      let before = try openDescriptorCount()
      for _ in 0..<200 { try failToWrite(folder) }
      try #expect(openDescriptorCount() < before + 20)
    }
  }
}
