// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import ItemTransfer

/// Archives exchanged with other programs.
@Suite(.serialized, .limited, .timeLimit(minutes: 10)) struct FolderInteroperabilityTests {
  private static let long = String(repeating: "long", count: 50)

  private func run(_ command: [String]) async throws {
    // bsdtar refuses names that the locale of the caller cannot encode.
    let run = try await ProgramRun(command[0], Array(command.dropFirst()), environment: ["LC_ALL": "C.UTF-8"])
    #expect(run.exitCode == 0, "\(command): \(run.errors)")
  }

  /// Makes a folder with links, holes and unusual names, and times in full seconds.
  ///
  /// If `isLimited`, all names fit into old formats.
  private func withTales(isLimited: Bool = false, _ body: (_ directory: URL, _ folder: URL) async throws -> Void)
    async throws
  {
    try await withTemporaryDirectory { directory in
      let folder = directory.appendingPathComponent("Tales")
      try makeTree(["a": "once", "caf\u{E9}": "x", "sub/": "", "deep/er/b c": "upon", "empty": ""], at: folder)
      if !isLimited {
        try makeTree(["\(Self.long)/\(Self.long)": "a time"], at: folder)
        expectSuccess(symlink(Self.long, folder.path + "/sub/long"))
      }
      try Data(repeating: 7, count: 300_000).write(to: folder.appendingPathComponent("big"))
      expectSuccess(symlink("deep/er", folder.path + "/link"))
      expectSuccess(link(folder.path + "/a", folder.path + "/deep/hard"))
      let raw = open(folder.path + "/sparse", O_WRONLY | O_CREAT, 0o640)
      #expect(ftruncate(raw, 9 << 20) == 0 && pwrite(raw, "data", 4, 5 << 20) == 4)
      close(raw)
      for path in try FileManager.default.subpathsOfDirectory(atPath: folder.path).reversed() + [""] {
        let times = [timespec](repeating: timespec(tv_sec: 1_234_567_890, tv_nsec: 0), count: 2)
        expectSuccess(utimensat(AT_FDCWD, folder.path + "/" + path, times, AT_SYMLINK_NOFOLLOW))
      }
      try await body(directory, folder)
    }
  }

  /// Expects that a program extracts our archive as the folder was.
  private func expectRead(by command: [String], intoDirectory option: String? = nil, hasLinkTimes: Bool = true)
    async throws
  {
    try await withTales { directory, folder in
      let archived = directory.appendingPathComponent("a.tar")
      try archive(of: folder).write(to: archived)
      let copy = directory.appendingPathComponent("copy")
      try FileManager.default.createDirectory(at: copy, withIntermediateDirectories: false)
      try await run(command + [archived.path] + [option, copy.path].compactMap(\.self))
      var (original, found) = try (tree(at: folder), tree(at: copy.appendingPathComponent("Tales")))
      for path in original.keys where !hasLinkTimes && original[path]?.target != nil {
        original[path]?.modified = []
        found[path]?.modified = []
      }
      #expect(found == original)
    }
  }

  /// Expects that the archive of a program extracts as the folder was.
  private func expectArchive(of command: [String]) async throws {
    // The older formats cannot hold all names and times.
    let isLimited = command[1].hasSuffix("v7") || command[1].hasSuffix("ustar")
    try await withTales(isLimited: isLimited) { directory, folder in
      for (place, top) in [(directory, "Tales"), (folder, ".")] {
        let archived = directory.appendingPathComponent("a.tar")
        try await run(command + ["-cf", archived.path, "-C", place.path, top])
        var (original, copy) = (try tree(at: folder), try extractedTree(Data(contentsOf: archived)))
        for path in original.keys {
          copy[path]?.permissions = original[path]?.permissions ?? 0
          if isLimited || command.contains(where: { $0.contains("globexthdr.mtime") }) {
            copy[path]?.modified = original[path]?.modified ?? []
          }
        }
        #expect(copy == original, "\(top)")
      }
    }
  }

  @Test func tarReadsOurArchives() async throws {
    try await expectRead(by: ["tar", "-xpf"], intoDirectory: "-C")
  }

  @Test(.peers("bsdtar", "python3")) func otherProgramsReadOurArchives() async throws {
    try await expectRead(by: ["bsdtar", "-xpf"], intoDirectory: "-C")
    // Python's module does not restore the time of a link: it follows the link, or sets no time.
    try await expectRead(by: ["python3", "-m", "tarfile", "-e"], hasLinkTimes: false)
  }

  @Test(arguments: [
    ["--format=v7"], ["--format=ustar"], ["--format=oldgnu"], ["--format=gnu", "--sparse"], ["--format=pax"],
    ["--format=pax", "--sparse", "--sparse-version=0.0"], ["--format=pax", "--sparse", "--sparse-version=0.1"],
    ["--format=pax", "--sparse", "--sparse-version=1.0"],
    ["--format=pax", "--pax-option=globexthdr.mtime=5,globexthdr.name=g"],
    ["--format=pax", "--pax-option=comment=global"], ["--format=gnu", "--blocking-factor=200"],
  ])
  func archivesOfTarAreRead(options: [String]) async throws {
    try await expectArchive(of: ["tar"] + options)
  }

  @Test(
    .peers("bsdtar"),
    arguments: [
      ["--format=pax"], ["--format=ustar"], ["--format=gnutar"], ["--format=v7"], ["--format=pax", "--read-sparse"],
    ])
  func archivesOfBSDTarAreRead(options: [String]) async throws {
    try await expectArchive(of: ["bsdtar"] + options)
  }

  @Test(.peers("python3"), arguments: ["USTAR", "GNU", "PAX"])
  func archivesOfPythonAreRead(format: String) async throws {
    let program = """
      import sys, tarfile
      with tarfile.open(sys.argv[1], "w", format=tarfile.\(format)_FORMAT) as archive: archive.add(sys.argv[2], "Tales")
      """
    try await withTales(isLimited: format == "USTAR") { directory, folder in
      let archived = directory.appendingPathComponent("a.tar")
      try await run(["python3", "-c", program, archived.path, folder.path])
      let found = try extractedTree(Data(contentsOf: archived))
      #expect(try found.mapValues(\.content) == tree(at: folder).mapValues(\.content))
      #expect(try found.mapValues(\.target) == tree(at: folder).mapValues(\.target))
    }
  }
}
