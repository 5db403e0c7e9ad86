// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import Foundation
import TestSupport
import Testing

@testable import ItemTransfer

@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct FolderRoundTripTests {
  /// Archives the folder, extracts the archive, and compares the two trees.
  private func expectRoundTrip(_ folder: URL, sourceLocation: SourceLocation = #_sourceLocation) throws {
    let archive = try archive(of: folder)
    let again = try FolderArchiveWriter(folder: folder.path).archive(chunkSize: 70_000)
    #expect(archive == again, "not the same again", sourceLocation: sourceLocation)
    let original = try tree(at: folder)
    let copy = try extract(archive, options: .init { $0.ignoresUmask = true }) { parent in
      let copy = try tree(at: parent.appendingPathComponent("Tales"))
      // Restores permissions, since a folder without permissions cannot be removed.
      for (path, item) in copy where item.target == nil {
        chmod("\(parent.path)/Tales/\(String(decoding: path, as: UTF8.self))", 0o700)
      }
      return copy
    }
    #expect(copy == original, sourceLocation: sourceLocation)
  }

  @Test func unusualNamesAndEmptyEntriesRoundTrip() throws {
    try withFolder { try expectRoundTrip($0) }
    try withFolder(
      [
        "a.txt": "once", "empty": "", "sub/": "", "sub/deep/b": "upon", "sub.txt": "a", "sub!": "time",
        ".hidden": "x", "with space": "x", "caf\u{E9}": "1", "cafe\u{301}": "2", "back\\slash": "x", "-rf": "x",
        "\u{1F468}\u{200D}\u{1F469}": "family", "...": "x", "%2e": "x", "\u{5E9}\u{5DC}\u{5D5}\u{5DD}": "x",
      ], named: "Tales of old"
    ) { try expectRoundTrip($0) }
  }

  @Test func permissionsAndTimesRoundTripWithoutSetUserIDBits() throws {
    try withFolder(["run": "x", "read": "x", "closed/in": "x", "old": "x", "ancient": "x"]) { folder in
      func set(_ path: String, _ mode: mode_t, _ time: Int) {
        let times = [timespec](repeating: timespec(tv_sec: time, tv_nsec: time % 3 == 0 ? 0 : 123_456_700), count: 2)
        expectSuccess(utimensat(AT_FDCWD, folder.path + "/" + path, times, 0))
        expectSuccess(chmod(folder.path + "/" + path, mode))
      }
      set("run", 0o755, 1_234_567_891)
      set("read", 0o400, 1_700_000_001)
      set("old", 0o600, 1)
      set("ancient", 0o644, -1_000_000)
      set("closed", 0o500, 1_000_000_007)
      set(".", 0o700, 1_500_000_003)
      try expectRoundTrip(folder)

      set("run", 0o4755, 1_234_567_891)
      #expect(try extractedTree(archive(of: folder))["run"]?.permissions == 0o755)
      set("closed", 0o700, 0)
    }
  }

  @Test func contentSizesAroundAChunkRoundTrip() throws {
    try withFolder { folder in
      for size in [1, 2, 262_000, 262_143, 262_144, 262_145, 524_288, 1_000_000] {
        let bytes = Data((0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) })
        try bytes.write(to: folder.appendingPathComponent("\(size)"))
      }
      try expectRoundTrip(folder)
    }
  }

  @Test func manyFilesAndLongPathsRoundTrip() throws {
    try withFolder { folder in
      for number in 0..<200 {
        let bytes = Data(repeating: UInt8(truncatingIfNeeded: number), count: 600)
        try bytes.write(to: folder.appendingPathComponent("file \(number)"))
      }
      for name in [99, 100, 101, 154, 155, 156, 254].map({ String(repeating: "n", count: $0) }) {
        try makeTree(["x/\(name)": "1", "\(name)/\(name)": "2", "\(name)/d/": ""], at: folder)
      }
      try expectRoundTrip(folder)
      // Some of these chunks have space for the first block of a small file only.
      let again = try FolderArchiveWriter(folder: folder.path).archive(chunkSize: 137 * 512)
      try #expect(again == archive(of: folder))
    }
  }

  @Test func linksAndHolesRoundTrip() throws {
    try withFolder(["a": "x", "sub/deep/b": "y", "closed/c": "z"]) { folder in
      for (path, target) in [
        ("sub/link", "../a"), ("dangling", "nowhere"), ("ring", "ring"), ("long", String(repeating: "l", count: 200)),
        ("closed/text", "caf\u{E9}"),
      ] {
        expectSuccess(symlink(target, "\(folder.path)/\(path)"))
      }
      expectSuccess(link(folder.path + "/a", folder.path + "/sub/deep/hard"))
      expectSuccess(link(folder.path + "/dangling", folder.path + "/dangling too"))
      expectSuccess(chmod(folder.path + "/closed", 0o555))
      for (name, size) in [("sparse", 9 << 20), ("hole", 3 << 20)] {
        let raw = open(folder.path + "/\(name)", O_WRONLY | O_CREAT, 0o644)
        expectSuccess(ftruncate(raw, size))
        if name == "sparse" { #expect(pwrite(raw, "data", 4, 5 << 20) == 4) }
        close(raw)
      }
      try expectRoundTrip(folder)
      let archive = try archive(of: folder)
      #expect(archive.count < 100_000)
      try extract(archive) { parent in
        var status = stat()
        expectSuccess(stat(parent.path + "/Tales/sparse", &status))
        #expect(status.st_size == 9 << 20 && status.st_blocks < 100)
      }
      chmod(folder.path + "/closed", 0o755)
    }
  }

  @Test func treeOfAnyDepthRoundTripsWithFewDescriptors() async {
    // This test needs a process of its own, whose limit of open files it lowers.
    await #expect(processExitsWith: .success) {
      var limit = rlimit()
      getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
      limit.rlim_cur = 100
      try #require(setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)
      try FolderRoundTripTests().roundTripDeepTree()
    }
  }

  /// Archives and extracts a tree with more levels than files may be open, and with longer paths than the system allows.
  private func roundTripDeepTree() throws {
    func removeTales(in parent: URL) throws {
      let raw = open(parent.path, O_RDONLY)
      FolderUnpacking.remove("Tales", in: raw)
      close(raw)
      try #expect(names(in: parent) == [])
    }
    try withFolder { folder in
      let name = String(repeating: "d", count: 20)
      var raw = open(folder.path, O_RDONLY)
      // The path in the archive has almost 4,096 bytes, which is its limit. The complete path has more.
      for _ in 0..<193 {
        if mkdirat(raw, name, 0o755) != 0 { Issue.record("mkdirat: \(errno)") }
        let next = openat(raw, name, O_RDONLY)
        close(raw)
        raw = next
      }
      let file = openat(raw, "f", O_WRONLY | O_CREAT, 0o644)
      #expect(write(file, "deep", 4) == 4)
      close(file)
      close(raw)
      let bytes = try archive(of: folder)
      try extract(bytes) { parent in
        try #expect(archive(of: parent.appendingPathComponent("Tales")) == bytes)
        try removeTales(in: parent)
      }
      try removeTales(in: folder.deletingLastPathComponent())
    }
  }

  @Test(arguments: [false, true])
  func attributesOfUsersTravelOnRequest(isRestored: Bool) throws {
    try withFolder(["a": "x", "sub/": ""]) { folder in
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
      let archive = try archive(of: folder, .init { $0.hasAttributes = true })
      try extract(archive, options: .init { $0.setsAttributes = isRestored }) { parent in
        for path in ["a", "sub"] {
          let raw = open(parent.path + "/Tales/" + path, O_RDONLY)
          defer { close(raw) }
          let isFound = try SystemCalls.attributeNames(raw).contains("user.mood")
          try #expect(isFound == isRestored && (!isFound || SystemCalls.attribute(raw, "user.mood") == value))
        }
      }
      let plain = try FolderArchiveWriter(folder: folder.path).archive()
      #expect(plain.firstRange(of: Array("SCHILY".utf8)) == nil)
    }
  }

  @Test(.enabled(if: geteuid() == 0), arguments: [false, true])
  func ownersTravelOnRequest(isRestored: Bool) throws {
    try withFolder(["a": "x", "sub/": ""]) { folder in
      expectSuccess(symlink("a", folder.path + "/link"))
      for path in ["a", "sub", "link"] { expectSuccess(lchown(folder.path + "/" + path, 3_000_000, 42)) }
      let archive = try archive(of: folder, .init { $0.hasOwners = true })
      try extract(archive, options: .init { $0.setsOwners = isRestored }) { parent in
        for path in ["a", "sub", "link"] {
          var status = stat()
          expectSuccess(lstat(parent.path + "/Tales/" + path, &status))
          #expect(status.st_uid == (isRestored ? 3_000_000 : 0) && status.st_gid == (isRestored ? 42 : 0))
        }
      }
    }
  }

  @Test func randomTreesRoundTrip() throws {
    var generator = SeededGenerator.announced("folder round trip")
    for _ in 0..<(isFullRun ? 12 : 4) {
      try withFolder { folder in
        var folders = [folder.path]
        var files: [String] = []
        for number in 0..<Int.random(in: 1..<60, using: &generator) {
          let name = ["f", "caf\u{E9} ", String(repeating: "n", count: 110)].randomElement(using: &generator) ?? ""
          let path = "\(folders.randomElement(using: &generator) ?? "")/\(name)\(number)"
          switch Int.random(in: 0..<6, using: &generator) {
          case 0:
            expectSuccess(mkdir(path, [0o755, 0o700, 0o555, 0o111].randomElement(using: &generator) ?? 0))
            if access(path, W_OK) == 0 { folders.append(path) }
          case 1: expectSuccess(symlink(["f1", "./x", "nowhere"].randomElement(using: &generator) ?? "", path))
          case 2:
            if let file = files.randomElement(using: &generator) { expectSuccess(link(file, path)) }
          default:
            let size = [0, 1, 511, 512, 513, 4096, 70_000, 300_000].randomElement(using: &generator) ?? 0
            try Data((0..<size).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ 1) }).write(to: URL(fileURLWithPath: path))
            files.append(path)
          }
        }
        for path in (folders + files).reversed() {
          let seconds = Int.random(in: -5...(1 << 34), using: &generator)
          let nanoseconds = Bool.random(using: &generator) ? 0 : Int.random(in: 0..<1_000_000_000, using: &generator)
          let times = [timespec(), timespec(tv_sec: seconds, tv_nsec: nanoseconds)]
          expectSuccess(utimensat(AT_FDCWD, path, times, 0))
        }
        try expectRoundTrip(folder)
        for path in folders { chmod(path, 0o700) }
      }
    }
  }

  @Test func goldenArchiveIsWrittenByteForByte() throws {
    try withFolder(["a.txt": "once\n", "caf\u{E9}/": ""]) { folder in
      expectSuccess(symlink("a.txt", folder.path + "/z"))
      expectSuccess(link(folder.path + "/a.txt", folder.path + "/b"))
      for (path, mode) in [("a.txt", 0o640), ("caf\u{E9}", 0o750), ("", 0o755)] as [(String, mode_t)] {
        expectSuccess(chmod(folder.path + "/" + path, mode))
      }
      for path in ["a.txt", "caf\u{E9}", "z", ""] {
        let nanoseconds = path == "a.txt" ? 250_000_000 : 0
        let times = [timespec](repeating: timespec(tv_sec: 1_234_567_890, tv_nsec: nanoseconds), count: 2)
        expectSuccess(utimensat(AT_FDCWD, folder.path + "/" + path, times, AT_SYMLINK_NOFOLLOW))
      }
      let golden = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Golden/folder.tar")
      let archive = try archive(of: folder)
      if ProcessInfo.processInfo.environment["DRAGPIPE_WRITE_GOLDEN"] != nil { try archive.write(to: golden) }
      #expect(try archive == Data(contentsOf: golden))
    }
  }

  @Test func folderNameMayDifferInArchiveAndDestination() throws {
    try withFolder(["a": "x"]) { folder in
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
    try withFolder(["a": "x"]) { folder in
      let directory = folder.deletingLastPathComponent().path
      try FileManager.default.createSymbolicLink(atPath: directory + "/link", withDestinationPath: folder.path)
      let raw = open(directory, O_RDONLY)
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
    try withFolder(["big": "start", "next": "after"]) { folder in
      expectSuccess(truncate(folder.path + "/big", 9 << 30))
      try extract(archive(of: folder)) { parent in
        try #expect(String(contentsOfFile: parent.path + "/Tales/next", encoding: .utf8) == "after")
        let size = try FileManager.default.attributesOfItem(atPath: parent.path + "/Tales/big")[.size] as? Int
        #expect(size == 9 << 30)
      }
    }
  }
}
