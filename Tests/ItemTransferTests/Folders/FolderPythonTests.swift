// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import ItemTransfer

/// Archives that are exchanged with other programs, if these programs are installed.
@Suite(.serialized, .limited) struct FolderPythonTests {
  private func run(_ program: String, _ arguments: [String], in directory: URL) throws -> Int32 {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = arguments
    process.currentDirectoryURL = directory
    process.standardOutput = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    return process.terminationStatus
  }

  private func withArchive(_ body: (URL) throws -> Void) throws {
    try withTemporaryDirectory { directory in
      let folder = directory.appendingPathComponent("Tales")
      try makeTree(["a": "once", "caf\u{E9}": "x", "sub/": "", "deep/er/b c": "upon", "empty": ""], at: folder)
      try Data(count: 300_000).write(to: folder.appendingPathComponent("big"))
      try FolderArchiveWriter(folder: folder.path).archive().write(to: directory.appendingPathComponent("a.zip"))
      try body(directory)
    }
  }

  @Test(.enabled(if: installedProgram("python3") != nil))
  func pythonReadsOurArchives() throws {
    let program = """
      import os, zipfile
      archive = zipfile.ZipFile("a.zip")
      assert archive.testzip() is None
      names = archive.namelist()
      expected = ["Tales/"] + ["Tales/" + n for n in
        ["a", "big", "caf\\u00e9", "deep/", "deep/er/", "deep/er/b c", "empty", "sub/"]]
      assert names == expected, names
      for info in archive.infolist():
        assert info.external_attr >> 16 == os.stat(info.filename).st_mode, info
        assert info.is_dir() or archive.read(info) == open(info.filename, "rb").read(), info
      """
    try withArchive { directory in
      let python = try #require(installedProgram("python3"))
      try #expect(run(python, ["-c", program], in: directory) == 0)
    }
  }

  @Test(arguments: [["unzip", "-tqq", "a.zip"], ["bsdtar", "-tf", "a.zip"]])
  func unzipAndBsdtarReadOurArchives(command: [String]) throws {
    guard let program = installedProgram(command[0]) else { return }
    try withArchive { directory in try #expect(run(program, Array(command.dropFirst()), in: directory) == 0) }
  }

  @Test(.enabled(if: installedProgram("python3") != nil), arguments: [false, true])
  func archivesOfPythonAreRead(isZip64: Bool) throws {
    let program = """
      import zipfile
      class Pipe:
        def __init__(self, file): self.file = file
        def write(self, data): return self.file.write(data)
        def flush(self): self.file.flush()
      for name in ["file.zip", "pipe.zip"]:
        raw = open(name, "wb")
        # What cannot seek gets data descriptors.
        with zipfile.ZipFile(raw if name == "file.zip" else Pipe(raw), "w", zipfile.ZIP_STORED) as archive:
          archive.mkdir("Tales")
          for path, text in [("Tales/a", b"once"), ("Tales/sub/caf\\u00e9", b"upon"), ("Tales/empty", b"")]:
            with archive.open(path, "w", force_zip64=\(isZip64 ? "True" : "False")) as file: file.write(text)
        raw.close()
      """
    try withTemporaryDirectory { directory in
      let python = try #require(installedProgram("python3"))
      try #expect(run(python, ["-c", program], in: directory) == 0)
      for name in ["file", "pipe"] {
        let archive = try Data(contentsOf: directory.appendingPathComponent("\(name).zip"))
        let found = try extract(archive) { try tree(at: $0.appendingPathComponent("Tales")) }
        #expect(found.count == 5)
        #expect(found[Array("a".utf8)]?.content == Data("once".utf8))
        #expect(found[Array("sub/caf\u{E9}".utf8)]?.content == Data("upon".utf8))
      }
    }
  }
}
