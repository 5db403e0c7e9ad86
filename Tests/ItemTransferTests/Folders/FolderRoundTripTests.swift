// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import ItemTransfer

@Suite(.serialized, .limited) struct FolderRoundTripTests {
  /// Archives the folder, extracts the archive, and compares the two trees.
  private func expectRoundTrip(_ folder: URL, sourceLocation: SourceLocation = #_sourceLocation) throws {
    let writer = try FolderArchiveWriter(folder: folder.path)
    let archive = try writer.archive()
    #expect(Int64(archive.count) == writer.byteCount, sourceLocation: sourceLocation)
    try #expect(archive == writer.archive(), "not the same again", sourceLocation: sourceLocation)
    let original = try tree(at: folder)
    let copy = try extract(archive) { destination in
      let copy = try tree(at: destination.appendingPathComponent(folder.lastPathComponent))
      // Restores permissions, since a folder without permissions cannot be removed.
      for path in copy.keys {
        chmod("\(destination.path)/\(folder.lastPathComponent)/\(String(decoding: path, as: UTF8.self))", 0o700)
      }
      return copy
    }
    #expect(copy == original, sourceLocation: sourceLocation)
  }

  @Test func emptyFolderRoundTrips() throws {
    try withTemporaryDirectory { directory in
      let folder = directory.appendingPathComponent("Tales")
      try makeTree([:], at: folder)
      try expectRoundTrip(folder)
    }
  }

  @Test func filesEmptyEntriesAndUnusualNamesRoundTrip() throws {
    try withTemporaryDirectory { directory in
      let folder = directory.appendingPathComponent("Tales of old")
      try makeTree(
        [
          "a.txt": "once", "empty": "", "sub/": "", "sub/deep/b": "upon", "sub.txt": "a", "sub!": "time",
          ".hidden": "x", "with space": "x", "caf\u{E9}": "1", "cafe\u{301}": "2", "back\\slash": "x", "-rf": "x",
          "\u{1F468}\u{200D}\u{1F469}": "family", "...": "x", "%2e": "x", "\u{5E9}\u{5DC}\u{5D5}\u{5DD}": "x",
        ], at: folder)
      try expectRoundTrip(folder)
    }
  }

  @Test func permissionsAndTimesRoundTripWithoutSetUserIDBits() throws {
    try withTemporaryDirectory { directory in
      let folder = directory.appendingPathComponent("Tales")
      try makeTree(["run": "x", "read": "x", "closed/in": "x", "old": "x", "ancient": "x"], at: folder)
      func set(_ path: String, _ mode: mode_t, _ time: Int) {
        var times = [timespec](repeating: timespec(tv_sec: time, tv_nsec: 0), count: 2)
        #expect(utimensat(AT_FDCWD, folder.path + "/" + path, &times, 0) == 0)
        #expect(chmod(folder.path + "/" + path, mode) == 0)
      }
      set("run", 0o755, 1_234_567_891)
      set("read", 0o400, 1_700_000_001)
      set("old", 0o600, 1)
      set("ancient", 0o644, -1_000_000)
      set("closed", 0o500, 1_000_000_007)
      set(".", 0o700, 1_500_000_003)
      try expectRoundTrip(folder)

      set("run", 0o4755, 1_234_567_891)
      let archive = try FolderArchiveWriter(folder: folder.path).archive()
      let copy = try extract(archive) { try tree(at: $0.appendingPathComponent("Tales")) }
      #expect(copy[Array("run".utf8)]?.permissions == 0o755)
      set("closed", 0o700, 0)
    }
  }

  @Test func contentSizesAroundAChunkRoundTrip() throws {
    try withTemporaryDirectory { directory in
      let folder = directory.appendingPathComponent("Sizes")
      try makeTree([:], at: folder)
      for size in [1, 2, 262_000, 262_143, 262_144, 262_145, 524_288, 1_000_000] {
        let bytes = Data((0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) })
        try bytes.write(to: folder.appendingPathComponent("\(size)"))
      }
      try expectRoundTrip(folder)
    }
  }

  @Test func manySmallFilesRoundTripInByteOrder() throws {
    try withTemporaryDirectory { directory in
      let folder = directory.appendingPathComponent("Many")
      try makeTree([:], at: folder)
      for number in 0..<1500 {
        try Data("\(number)".utf8).write(to: folder.appendingPathComponent("file \(number)"))
      }
      try expectRoundTrip(folder)
    }
  }

  @Test func folderNameMayDifferInArchiveAndDestination() throws {
    try withTemporaryDirectory { directory in
      let folder = directory.appendingPathComponent("Tales")
      try makeTree(["a": "x"], at: folder)
      let archive = try FolderArchiveWriter(folder: folder.path + "//", name: "Legends").archive()
      try extract(archive) { try #expect(tree(at: $0.appendingPathComponent("Legends")).count == 2) }
      try extract(archive, as: "Myths") { try #expect(tree(at: $0.appendingPathComponent("Myths")).count == 2) }
      for name in ["", ".", "..", "a/b", "/", "a\u{0}", "a\n"] {
        try requireFolderError(.unsafeName) { try extract(archive, as: name) { _ in } }
        try requireFolderError(.unsafeName) { _ = try FolderArchiveWriter(folder: folder.path, name: name) }
      }
      try requireFolderError(.unsafeName) { _ = try FolderArchiveWriter(folder: folder.path + "/.") }
    }
  }

  @Test func existingFolderIsNeitherReplacedNorRemoved() throws {
    try withTemporaryDirectory { directory in
      let folder = directory.appendingPathComponent("Tales")
      try makeTree(["a": "x"], at: folder)
      let file = directory.appendingPathComponent("a.zip")
      try FolderArchiveWriter(folder: folder.path).archive().write(to: file)
      let reader = try FolderArchiveReader(path: file.path)
      try requireFolderError(.alreadyExists) { try reader.extract(into: directory.path) }
      try FileManager.default.createSymbolicLink(
        atPath: directory.path + "/link", withDestinationPath: folder.path)
      try requireFolderError(.alreadyExists) { try reader.extract(into: directory.path, as: "link") }
      try #expect(tree(at: folder).count == 2)
      try requireFolderError(.system) { try reader.extract(into: directory.path + "/nowhere") }
    }
  }

  @Test func archiveIsReadThroughADescriptorWithoutMovingIt() throws {
    try withTemporaryDirectory { directory in
      let folder = directory.appendingPathComponent("Tales")
      try makeTree(["a": "x"], at: folder)
      let file = directory.appendingPathComponent("a.zip")
      try FolderArchiveWriter(folder: folder.path).archive().write(to: file)
      let raw = open(file.path, O_RDONLY)
      #expect(lseek(raw, 7, SEEK_SET) == 7)
      let reader = try FolderArchiveReader(descriptor: raw)
      #expect(lseek(raw, 0, SEEK_CUR) == 7)
      close(raw)
      #expect(reader.name == "Tales")
      #expect(reader.contentByteCount == 1)
      try reader.extract(into: directory.path, as: "copy")
      try #expect(tree(at: directory.appendingPathComponent("copy")).count == 2)
    }
  }

  @Test(
    .enabled(if: ProcessInfo.processInfo.environment["DRAGPIPE_SLOW_TESTS"] != nil),
    arguments: [65_533, 65_534, 65_535])
  func moreEntriesThanAPlainRecordRoundTrip(files: Int) throws {
    try withTemporaryDirectory { directory in
      let folder = directory.appendingPathComponent("Many")
      try makeTree([:], at: folder)
      for number in 0..<files { close(open(folder.path + "/\(number)", O_WRONLY | O_CREAT, 0o644)) }
      let writer = try FolderArchiveWriter(folder: folder.path)
      let archive = try writer.archive()
      #expect(Int64(archive.count) == writer.byteCount)
      try extract(archive) {
        let names = try FileManager.default.contentsOfDirectory(atPath: $0.path + "/Many")
        #expect(names.count == files)
      }
      close(open(folder.path + "/one more", O_WRONLY | O_CREAT, 0o644))
      if files == 65_535 {
        try requireFolderError(.limitExceeded) { _ = try FolderArchiveWriter(folder: folder.path) }
      }
    }
  }

  @Test(.enabled(if: ProcessInfo.processInfo.environment["DRAGPIPE_SLOW_TESTS"] != nil))
  func fileOfMoreThan4GiBRoundTripsWithItsSuccessor() throws {
    try withTemporaryDirectory { directory in
      let folder = directory.appendingPathComponent("Large")
      try makeTree(["big": "start", "next": "after"], at: folder)
      #expect(truncate(folder.path + "/big", 5 << 30) == 0)
      let file = directory.path + "/a.zip"
      let raw = open(file, O_WRONLY | O_CREAT, 0o600)
      let writer = try FolderArchiveWriter(folder: folder.path)
      try writer.write { #expect(write(raw, $0.baseAddress, $0.count) == $0.count) }
      #expect(lseek(raw, 0, SEEK_CUR) == off_t(writer.byteCount))
      close(raw)
      let reader = try FolderArchiveReader(path: file)
      #expect(reader.contentByteCount == 5 << 30 + 5)
      try reader.extract(into: directory.path, as: "copy")
      try #expect(String(contentsOfFile: directory.path + "/copy/next", encoding: .utf8) == "after")
      let size = try FileManager.default.attributesOfItem(atPath: directory.path + "/copy/big")[.size] as? Int
      #expect(size == 5 << 30)
    }
  }
}
