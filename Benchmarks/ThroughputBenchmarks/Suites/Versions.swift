// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import BenchmarkKit
import FoundationEssentials
import Glibc

/// The versions of the programs and packages that are compared, if they are installed.
enum Versions {
  private static let programs = [
    ("cat", "cat"), ("dd", "dd"), ("pv", "pv"), ("socat", "socat"), ("tar", "tar"),
  ]

  static func known(python: String?) async -> [String: String] {
    var versions: [String: String] = [:]
    for (program, name) in programs where InstalledPrograms.has(program) {
      versions[name] = await version(of: program, [program == "socat" ? "-V" : "--version"])
    }
    versions["GLib"] = glib
    if let installed = ToolSuite.installedPython { versions["Python"] = await version(of: installed, ["--version"]) }
    guard let python else { return versions }
    versions["Python with packages"] = await version(of: python, ["--version"])
    for package in ["orjson", "cbor2", "msgpack"] {
      let script = "import importlib.metadata; print(importlib.metadata.version('\(package)'))"
      versions[package] = await version(of: python, ["-I", "-c", script])
    }
    return versions
  }

  /// Returns the commit of this program's source code, with a mark for uncommitted changes; `nil` outside a repository.
  static func commit() async -> String? {
    guard InstalledPrograms.has("git"),
      let own = try? FileManager.default.destinationOfSymbolicLink(atPath: OwnProcess.path)
    else { return nil }
    let directory = URL(fileURLWithPath: own).deletingLastPathComponent().path
    let output = await output(of: "git", ["-C", directory, "describe", "--always", "--dirty", "--abbrev=12"])
    return output?.split(separator: "\n").first.map(String.init)
  }

  private static var glib: String? {
    guard let library = dlopen("libglib-2.0.so.0", RTLD_NOW) else { return nil }
    let numbers = ["major", "minor", "micro"].compactMap { part in
      dlsym(library, "glib_\(part)_version").map { "\($0.assumingMemoryBound(to: CUnsignedInt.self).pointee)" }
    }
    return numbers.count == 3 ? numbers.joined(separator: ".") : nil
  }

  /// Returns the version in the output of a program: its first word with a digit and a period.
  private static func version(of program: String, _ arguments: [String]) async -> String? {
    await output(of: program, arguments)?.split { $0.isWhitespace }
      .first { $0.contains(".") && $0.contains(where: \.isNumber) && !$0.contains("/") }.map(String.init)
  }

  /// Returns what a program writes to standard output, or `nil` if it fails.
  private static func output(of program: String, _ arguments: [String]) async -> String? {
    let script = "exec \"$0\" \"$@\" 2>/dev/null"
    let output = try? await OwnProcess.output(of: "/bin/sh", ["-c", script, program] + arguments)
    return output.map { String(decoding: $0.prefix(4096), as: UTF8.self) }
  }
}
