// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import ItemTransfer

/// Archives exchanged with other programs, if those are installed.
@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct FolderInteroperabilityTests {
  private func run(_ command: [String], in directory: URL) throws -> Int32 {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: try #require(installedProgram(command[0])))
    process.arguments = Array(command.dropFirst())
    process.currentDirectoryURL = directory
    // bsdtar refuses names that the locale of the caller cannot encode.
    process.environment = ProcessInfo.processInfo.environment.merging(["LC_ALL": "C.UTF-8"]) { $1 }
    process.standardOutput = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    return process.terminationStatus
  }

  /// Makes a folder with links, holes and unusual names, and times in full seconds.
  private func withFolder(_ body: (_ directory: URL, _ folder: URL) throws -> Void) throws {
    try withTemporaryDirectory { directory in
      let folder = directory.appendingPathComponent("Tales")
      let long = String(repeating: "long", count: 50)
      try makeTree(
        ["a": "once", "caf\u{E9}": "x", "sub/": "", "deep/er/b c": "upon", "empty": "", "\(long)/\(long)": "a time"],
        at: folder)
      try Data(repeating: 7, count: 300_000).write(to: folder.appendingPathComponent("big"))
      #expect(symlink("deep/er", folder.path + "/link") == 0)
      #expect(symlink(long, folder.path + "/sub/long") == 0)
      #expect(link(folder.path + "/a", folder.path + "/deep/hard") == 0)
      let raw = open(folder.path + "/sparse", O_WRONLY | O_CREAT, 0o640)
      #expect(ftruncate(raw, 9 << 20) == 0 && pwrite(raw, "data", 4, 5 << 20) == 4)
      close(raw)
      for path in try FileManager.default.subpathsOfDirectory(atPath: folder.path).reversed() + [""] {
        let times = [timespec](repeating: timespec(tv_sec: 1_234_567_890, tv_nsec: 0), count: 2)
        #expect(utimensat(AT_FDCWD, folder.path + "/" + path, times, AT_SYMLINK_NOFOLLOW) == 0)
      }
      try body(directory, folder)
    }
  }

  @Test(arguments: [["tar", "-xpf"], ["bsdtar", "-xpf"], ["python3", "-m", "tarfile", "-e"]])
  func otherProgramsReadOurArchives(command: [String]) throws {
    guard installedProgram(command[0]) != nil else { return }
    try withFolder { directory, folder in
      try archive(of: folder).write(to: directory.appendingPathComponent("a.tar"))
      let copy = directory.appendingPathComponent("copy")
      try FileManager.default.createDirectory(at: copy, withIntermediateDirectories: false)
      try #expect(run(command + ["../a.tar"], in: copy) == 0)
      var (original, found) = try (tree(at: folder), tree(at: copy.appendingPathComponent("Tales")))
      // Python's module does not restore the time of a link: it follows the link, or sets no time.
      if command[0] == "python3" {
        for path in original.keys where original[path]?.target != nil {
          original[path]?.modified = []
          found[path]?.modified = []
        }
      }
      #expect(found == original)
    }
  }

  @Test(arguments: [
    ["tar", "--format=v7"], ["tar", "--format=ustar"], ["tar", "--format=oldgnu"], ["tar", "--format=gnu", "--sparse"],
    ["tar", "--format=pax"], ["tar", "--format=pax", "--sparse", "--sparse-version=0.0"],
    ["tar", "--format=pax", "--sparse", "--sparse-version=0.1"],
    ["tar", "--format=pax", "--sparse", "--sparse-version=1.0"],
    ["tar", "--format=pax", "--pax-option=globexthdr.mtime=5,globexthdr.name=g"],
    ["tar", "--format=pax", "--pax-option=comment=global"],
    ["tar", "--format=gnu", "--blocking-factor=200"], ["bsdtar", "--format=pax"], ["bsdtar", "--format=ustar"],
    ["bsdtar", "--format=gnutar"], ["bsdtar", "--format=v7"], ["bsdtar", "--format=pax", "--read-sparse"],
  ])
  func archivesOfOtherProgramsAreRead(command: [String]) throws {
    guard installedProgram(command[0]) != nil else { return }
    try withFolder { directory, folder in
      // The older formats cannot hold all names.
      let isLimited = command[1].hasSuffix("v7") || command[1].hasSuffix("ustar")
      if isLimited {
        let long = String(repeating: "long", count: 50)
        try FileManager.default.removeItem(at: folder.appendingPathComponent(long))
        try FileManager.default.removeItem(at: folder.appendingPathComponent("sub/long"))
      }
      for top in ["Tales", "."] {
        let place = top == "." ? folder : directory
        try #expect(run(command + ["-cf", directory.path + "/a.tar", top], in: place) == 0)
        let copy = try extract(Data(contentsOf: directory.appendingPathComponent("a.tar"))) {
          try tree(at: $0.appendingPathComponent("Tales"))
        }
        #expect(try copy.mapValues(\.content) == tree(at: folder).mapValues(\.content), "\(top)")
        #expect(try copy.mapValues(\.names) == tree(at: folder).mapValues(\.names), "\(top)")
        #expect(try copy.mapValues(\.target) == tree(at: folder).mapValues(\.target), "\(top)")
        if !command.contains(where: { $0.contains("globexthdr.mtime") }), !isLimited {
          #expect(try copy.mapValues(\.modified) == tree(at: folder).mapValues(\.modified), "\(top)")
        }
      }
    }
  }

  @Test(.enabled(if: installedProgram("python3") != nil), arguments: ["USTAR", "GNU", "PAX"])
  func archivesOfPythonAreRead(format: String) throws {
    let program = """
      import tarfile
      with tarfile.open("a.tar", "w", format=tarfile.\(format)_FORMAT) as archive: archive.add("Tales")
      """
    try withFolder { directory, folder in
      if format == "USTAR" {
        let long = String(repeating: "long", count: 50)
        try FileManager.default.removeItem(at: folder.appendingPathComponent(long))
        try FileManager.default.removeItem(at: folder.appendingPathComponent("sub/long"))
      }
      try #expect(run(["python3", "-c", program], in: directory) == 0)
      let archive = try Data(contentsOf: directory.appendingPathComponent("a.tar"))
      let found = try extract(archive) { try tree(at: $0.appendingPathComponent("Tales")) }
      #expect(try found.mapValues(\.content) == tree(at: folder).mapValues(\.content))
      #expect(try found.mapValues(\.target) == tree(at: folder).mapValues(\.target))
    }
  }
}
