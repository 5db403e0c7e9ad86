// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import ItemTransfer

/// The removal of a folder that was moved.
@Suite(.timeLimit(minutes: 5)) struct ArchivedFilesTests {
  /// Archives a folder, changes it, and removes what was archived.
  private func remove(
    _ folder: URL, excluding excludes: ((ArraySlice<UInt8>, Bool) -> Bool)?, after change: (String) throws -> Void
  ) throws -> ArchivedFiles.Kept {
    let record = ArchivedFiles()
    _ = try archive(of: folder, .init { $0.record = record })
    try change(folder.path)
    return record.remove(folder: folder.path, shown: "T", excludes: excludes)
  }

  private func exists(_ url: URL) -> Bool { FileManager.default.fileExists(atPath: url.path) }

  @Test func unchangedFolderIsRemovedWithItsLinks() throws {
    try withFolder(["a": "1", "empty/": "", "sub/deep/b": "2", "sub/c": "3"]) { folder in
      expectSuccess(link(folder.path + "/a", folder.path + "/sub/deep/a2"))
      expectSuccess(link(folder.path + "/a", folder.path + "/z"))
      expectSuccess(symlink("nowhere", folder.path + "/link"))
      expectSuccess(symlink("..", folder.path + "/sub/up"))
      let kept = try remove(folder, excluding: nil) { _ in }
      #expect(kept.lines.isEmpty && kept.count == 0 && kept.removesTop && !exists(folder))
    }
  }

  @Test func changedAndNewFilesStayWithTheirFolders() throws {
    try withFolder(["a": "1", "sub/b": "2", "sub/c": "3", "other/d": "4", "old/x": "5"]) { folder in
      expectSuccess(symlink("here", folder.path + "/sub/link"))
      let kept = try remove(folder, excluding: nil) { path in
        let date = try FileManager.default.attributesOfItem(atPath: path + "/sub/b")[.modificationDate]
        try Data("9".utf8).write(to: URL(fileURLWithPath: path + "/sub/b"))
        // A program may restore the time after a change.
        try FileManager.default.setAttributes([.modificationDate: try #require(date)], ofItemAtPath: path + "/sub/b")
        try Data("new".utf8).write(to: URL(fileURLWithPath: path + "/new\u{1B}"))
        try FileManager.default.createDirectory(atPath: path + "/other/made", withIntermediateDirectories: false)
        try FileManager.default.removeItem(atPath: path + "/a")
        try FileManager.default.moveItem(atPath: path + "/old", toPath: path + "/moved")
        expectSuccess(unlink(path + "/sub/link"))
        expectSuccess(symlink("elsewhere", path + "/sub/link"))
      }
      let lines = [
        #"T/moved was not removed: it was not sent"#, #"T/new\u{1b} was not removed: it was not sent"#,
        "T/other/made was not removed: it was not sent", "T/sub/b was not removed: it has changed since it was sent",
        "T/sub/link was not removed: it has changed since it was sent",
      ]
      #expect(kept.lines == lines && kept.count == 5 && !kept.removesTop)
      let left = try tree(at: folder).keys.map { String(decoding: $0, as: UTF8.self) }.sorted()
      #expect(left == ["", "moved", "moved/x", "new\u{1B}", "other", "other/made", "sub", "sub/b", "sub/link"])
    }
  }

  @Test func excludedFilesStayWithoutALine() throws {
    try withFolder(["a": "1", "sub/b.o": "2", "skip/c": "3"]) { folder in
      let excludes = { (path: ArraySlice<UInt8>, _: Bool) in
        path.last == UInt8(ascii: "o") || path.elementsEqual("skip".utf8)
      }
      let kept = try remove(folder, excluding: excludes) { _ in }
      #expect(kept.count == 0 && !kept.removesTop && exists(folder.appendingPathComponent("sub/b.o")))
      #expect(exists(folder.appendingPathComponent("skip/c")) && !exists(folder.appendingPathComponent("a")))
    }
  }

  @Test func fileThatDiffersInTwoArchivesStays() throws {
    try withFolder(["a": "1", "b": "2"]) { folder in
      let record = ArchivedFiles()
      _ = try archive(of: folder, .init { $0.record = record })
      try Data("3".utf8).write(to: folder.appendingPathComponent("a"))
      _ = try archive(of: folder, .init { $0.record = record })
      let kept = record.remove(folder: folder.path, shown: "T", excludes: nil)
      #expect(kept.lines == ["T/a was not removed: it has changed since it was sent"])
    }
  }

  /// The destination that moves the folder may have the first archive.
  @Test func fileThatOneCompleteArchiveLacksStays() throws {
    try withFolder(["a": "1"]) { folder in
      let record = ArchivedFiles()
      let options = FolderArchiveOptions { $0.record = record }
      _ = try archive(of: folder, options)
      try Data("2".utf8).write(to: folder.appendingPathComponent("b"))
      // An archive without its end gives no destination anything.
      let writer = try FolderArchiveWriter(folder: folder.path, options: options)
      let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: FolderArchive.chunkSize, alignment: 16)
      defer { buffer.deallocate() }
      _ = try writer.fill(buffer)
      #expect(
        record.remove(folder: folder.path, shown: "T", excludes: nil).lines == ["T/b was not removed: it was not sent"])
      #expect(!exists(folder.appendingPathComponent("a")))
    }
  }

  @Test func linkInPlaceOfTheFolderIsNotFollowed() throws {
    try withFolder(["a": "1", "sub/b": "2"]) { folder in
      let elsewhere = folder.path + "-2"
      let kept = try remove(folder, excluding: nil) { path in
        try FileManager.default.moveItem(atPath: path + "/sub", toPath: elsewhere)
        expectSuccess(symlink(elsewhere, path + "/sub"))
      }
      #expect(kept.lines == ["T/sub was not removed: it has changed since it was sent"])
      #expect(exists(URL(fileURLWithPath: elsewhere + "/b")))
    }
  }

  @Test func manyKeptFilesHaveAThousandLines() throws {
    try withFolder(["a": "1"]) { folder in
      let kept = try remove(folder, excluding: nil) { path in
        for number in 0..<1001 { try Data().write(to: URL(fileURLWithPath: path + "/new\(number)")) }
      }
      #expect(kept.lines.count == 1000 && kept.count == 1001)
    }
  }
}
