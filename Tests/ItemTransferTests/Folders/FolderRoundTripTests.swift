// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import Foundation
import TestSupport
import Testing

@testable import ItemTransfer

@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct FolderRoundTripTests {
  /// Archives the folder, extracts the archive, and compares the two trees.
  private func expectRoundTrip(_ folder: URL, sourceLocation: SourceLocation = #_sourceLocation) throws {
    let archive = try archive(of: folder)
    let again = try FolderArchiveWriter(folder: folder.path).archive(chunkSize: 70_000)
    #expect(archive == again, "not the same again", sourceLocation: sourceLocation)
    let original = try tree(at: folder)
    let copy = try extract(archive, options: .exact) { parent in
      let copy = try tree(at: parent.appendingPathComponent("Tales"))
      // Restores permissions, since a folder without permissions cannot be removed.
      for (path, item) in copy where item.target == nil {
        chmod("\(parent.path)/Tales/\(String(decoding: path, as: UTF8.self))", 0o700)
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
        var times = [timespec](repeating: timespec(tv_sec: time, tv_nsec: time % 3 == 0 ? 0 : 123_456_700), count: 2)
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
      let archive = try archive(of: folder)
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

  @Test func linksAndHolesRoundTrip() throws {
    try withTemporaryDirectory { directory in
      let folder = directory.appendingPathComponent("Tales")
      try makeTree(["a": "x", "sub/deep/b": "y", "closed/c": "z"], at: folder)
      #expect(symlink("../a", folder.path + "/sub/link") == 0)
      #expect(symlink("nowhere", folder.path + "/dangling") == 0)
      #expect(symlink("ring", folder.path + "/ring") == 0)
      #expect(symlink(String(repeating: "l", count: 200), folder.path + "/long") == 0)
      #expect(symlink("caf\u{E9}", folder.path + "/closed/text") == 0)
      #expect(link(folder.path + "/a", folder.path + "/sub/deep/hard") == 0)
      #expect(link(folder.path + "/dangling", folder.path + "/dangling too") == 0)
      #expect(chmod(folder.path + "/closed", 0o555) == 0)
      for (name, size) in [("sparse", 9 << 20), ("hole", 3 << 20)] {
        let raw = open(folder.path + "/\(name)", O_WRONLY | O_CREAT, 0o644)
        #expect(ftruncate(raw, size) == 0)
        if name == "sparse" { #expect(pwrite(raw, "data", 4, 5 << 20) == 4) }
        close(raw)
      }
      try expectRoundTrip(folder)
      let archive = try archive(of: folder)
      #expect(archive.count < 100_000)
      try extract(archive) { parent in
        var status = stat()
        #expect(stat(parent.path + "/Tales/sparse", &status) == 0)
        #expect(status.st_size == 9 << 20 && status.st_blocks < 100)
      }
      chmod(folder.path + "/closed", 0o755)
    }
  }

  @Test func longAndDeepPathsRoundTrip() throws {
    try withTemporaryDirectory { directory in
      let folder = directory.appendingPathComponent("Tales")
      let names = [99, 100, 101, 154, 155, 156, 254].map { String(repeating: "n", count: $0) }
      try makeTree([:], at: folder)
      for name in names {
        try makeTree(["x/\(name)": "1", "\(name)/\(name)": "2", "\(name)/d/": ""], at: folder)
      }
      try expectRoundTrip(folder)
    }
  }

  @Test func treeOfAnyDepthRoundTripsWithFewDescriptors() async throws {
    // It takes long, and must not delay the timeouts of other tests.
    try await runBlocking {
      try withTemporaryDirectory { directory in
        let folder = directory.appendingPathComponent("Tales")
        try makeTree([:], at: folder)
        // 2,040 levels exceed the usual limit of open files, and the complete path exceeds the system's limit.
        var raw = open(folder.path, O_RDONLY)
        for _ in 0..<2040 {
          #expect(mkdirat(raw, "d", 0o755) == 0)
          let next = openat(raw, "d", O_RDONLY)
          close(raw)
          raw = next
        }
        let file = openat(raw, "f", O_WRONLY | O_CREAT, 0o644)
        #expect(write(file, "deep", 4) == 4)
        close(file)
        close(raw)
        let bytes = try archive(of: folder)
        try extract(bytes) { parent in
          let copy = try archive(of: parent.appendingPathComponent("Tales"))
          #expect(copy == bytes)
          let raw = open(parent.path, O_RDONLY)
          FolderUnpacking.remove("Tales", in: raw)
          close(raw)
          try #expect(FileManager.default.contentsOfDirectory(atPath: parent.path).isEmpty)
        }
        let parent = open(directory.path, O_RDONLY)
        FolderUnpacking.remove("Tales", in: parent)
        close(parent)
      }
    }
  }

  @Test func attributesOfUsersTravelOnRequest() throws {
    try withTemporaryDirectory { directory in
      let folder = directory.appendingPathComponent("Tales")
      try makeTree(["a": "x", "sub/": ""], at: folder)
      let value: [UInt8] = [0, 10, 0xFF, 61]
      for path in ["a", "sub"] {
        let raw = open(folder.path + "/" + path, O_RDONLY)
        defer { close(raw) }
        do throws(SystemError) { try SystemCalls.setAttribute(raw, "user.mood", value) } catch {
          // The file system has no attributes.
          guard error.errorNumber == EOPNOTSUPP else { throw error }
          return
        }
      }
      var options = FolderArchiveOptions()
      options.hasAttributes = true
      let archive = try archive(of: folder, options)
      for isRestored in [false, true] {
        var choices = FolderUnpacker.Options()
        choices.setsAttributes = isRestored
        try extract(archive, options: choices) { parent in
          for path in ["a", "sub"] {
            let raw = open(parent.path + "/Tales/" + path, O_RDONLY)
            defer { close(raw) }
            try #expect(SystemCalls.attributeNames(raw).contains("user.mood") == isRestored)
            if isRestored { try #expect(SystemCalls.attribute(raw, "user.mood") == value) }
          }
        }
      }
      let plain = try FolderArchiveWriter(folder: folder.path).archive()
      #expect(plain.firstRange(of: Array("SCHILY".utf8)) == nil)
    }
  }

  @Test(.enabled(if: geteuid() == 0)) func ownersTravelOnRequest() throws {
    try withTemporaryDirectory { directory in
      let folder = directory.appendingPathComponent("Tales")
      try makeTree(["a": "x", "sub/": ""], at: folder)
      #expect(symlink("a", folder.path + "/link") == 0)
      for path in ["a", "sub", "link"] { #expect(lchown(folder.path + "/" + path, 3_000_000, 42) == 0) }
      var options = FolderArchiveOptions()
      options.hasOwners = true
      let archive = try archive(of: folder, options)
      for isRestored in [false, true] {
        var choices = FolderUnpacker.Options()
        choices.setsOwners = isRestored
        try extract(archive, options: choices) { parent in
          for path in ["a", "sub", "link"] {
            var status = stat()
            #expect(lstat(parent.path + "/Tales/" + path, &status) == 0)
            #expect(status.st_uid == (isRestored ? 3_000_000 : 0) && status.st_gid == (isRestored ? 42 : 0))
          }
        }
      }
    }
  }

  @Test func randomTreesRoundTrip() throws {
    var generator = SeededGenerator.announced("folder round trip")
    for _ in 0..<12 {
      try withTemporaryDirectory { directory in
        let folder = directory.appendingPathComponent("Tales")
        try makeTree([:], at: folder)
        var folders = [folder.path]
        var files: [String] = []
        for number in 0..<Int.random(in: 1..<60, using: &generator) {
          let name = ["f", "caf\u{E9} ", String(repeating: "n", count: 110)].randomElement(using: &generator) ?? ""
          let path = "\(folders.randomElement(using: &generator) ?? "")/\(name)\(number)"
          switch Int.random(in: 0..<6, using: &generator) {
          case 0:
            #expect(mkdir(path, [0o755, 0o700, 0o555, 0o111].randomElement(using: &generator) ?? 0) == 0)
            if access(path, W_OK) == 0 { folders.append(path) }
          case 1: #expect(symlink(["f1", "./x", "nowhere"].randomElement(using: &generator) ?? "", path) == 0)
          case 2:
            if let file = files.randomElement(using: &generator) { #expect(link(file, path) == 0) }
          default:
            let size = [0, 1, 511, 512, 513, 4096, 70_000, 300_000].randomElement(using: &generator) ?? 0
            try Data((0..<size).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ 1) }).write(to: URL(fileURLWithPath: path))
            files.append(path)
          }
        }
        for path in (folders + files).reversed() {
          let times = [
            timespec(),
            timespec(tv_sec: Int.random(in: -5...(1 << 34), using: &generator), tv_nsec: number(&generator)),
          ]
          #expect(utimensat(AT_FDCWD, path, times, 0) == 0)
        }
        try expectRoundTrip(folder)
        for path in folders { chmod(path, 0o700) }
      }
    }
  }

  private func number(_ generator: inout SeededGenerator) -> Int {
    Bool.random(using: &generator) ? 0 : Int.random(in: 0..<1_000_000_000, using: &generator)
  }

  @Test func goldenArchiveIsWrittenByteForByte() throws {
    try withTemporaryDirectory { directory in
      let folder = directory.appendingPathComponent("Tales")
      try makeTree(["a.txt": "once\n", "caf\u{E9}/": ""], at: folder)
      #expect(symlink("a.txt", folder.path + "/z") == 0)
      #expect(link(folder.path + "/a.txt", folder.path + "/b") == 0)
      for (path, mode) in [("a.txt", 0o640), ("caf\u{E9}", 0o750), ("", 0o755)] as [(String, mode_t)] {
        #expect(chmod(folder.path + "/" + path, mode) == 0)
      }
      for path in ["a.txt", "caf\u{E9}", "z", ""] {
        let nanoseconds = path == "a.txt" ? 250_000_000 : 0
        let times = [timespec](repeating: timespec(tv_sec: 1_234_567_890, tv_nsec: nanoseconds), count: 2)
        #expect(utimensat(AT_FDCWD, folder.path + "/" + path, times, AT_SYMLINK_NOFOLLOW) == 0)
      }
      let golden = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Golden/folder.tar")
      let archive = try archive(of: folder)
      if ProcessInfo.processInfo.environment["DRAGPIPE_WRITE_GOLDEN"] != nil { try archive.write(to: golden) }
      #expect(try archive == Data(contentsOf: golden))
    }
  }

  @Test func folderNameMayDifferInArchiveAndDestination() throws {
    try withTemporaryDirectory { directory in
      let folder = directory.appendingPathComponent("Tales")
      try makeTree(["a": "x"], at: folder)
      let archive = try FolderArchiveWriter(folder: folder.path + "//", name: "Legends").archive()
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
      try FileManager.default.createSymbolicLink(
        atPath: directory.path + "/link", withDestinationPath: folder.path)
      let raw = open(directory.path, O_RDONLY)
      defer { close(raw) }
      for name in ["Tales", "link"] {
        try requireFolderError(.alreadyExists) { _ = try FolderUnpacker(into: raw, as: name) }
      }
      try #expect(tree(at: folder).count == 2)
      try requireFolderError(.system) { _ = try FolderUnpacker(into: -1, as: "new") }
    }
  }

  @Test(.enabled(if: isFullRun))
  func filesOfMoreThan8GiBRoundTripWithTheirSuccessor() throws {
    try withTemporaryDirectory { directory in
      let folder = directory.appendingPathComponent("Tales")
      try makeTree(["big": "start", "next": "after"], at: folder)
      #expect(truncate(folder.path + "/big", 9 << 30) == 0)
      try extract(archive(of: folder)) { parent in
        try #expect(String(contentsOfFile: parent.path + "/Tales/next", encoding: .utf8) == "after")
        let size = try FileManager.default.attributesOfItem(atPath: parent.path + "/Tales/big")[.size] as? Int
        #expect(size == 9 << 30)
      }
    }
  }
}

extension FolderUnpacker.Options {
  /// Exactly the permissions of the archive.
  fileprivate static var exact: FolderUnpacker.Options {
    var options = FolderUnpacker.Options()
    options.ignoresUmask = true
    return options
  }
}
