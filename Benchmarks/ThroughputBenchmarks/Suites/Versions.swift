// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import BenchmarkKit
import FoundationEssentials
import Glibc

/// Which version of each program and package is compared with; what is not installed has none.
enum Versions {
  private static let programs = [
    ("cat", "cat"), ("dd", "dd"), ("pv", "pv"), ("socat", "socat"), ("tar", "tar"), ("python3", "Python"),
  ]

  static func known(python: String?) async -> [String: String] {
    var versions: [String: String] = [:]
    for (program, name) in programs where InstalledPrograms.has(program) {
      versions[name] = await version(of: program, [program == "socat" ? "-V" : "--version"])
    }
    versions["GLib"] = glib
    guard let python else { return versions }
    versions["Python with packages"] = await version(of: python, ["--version"])
    for package in ["orjson", "cbor2", "msgpack"] {
      let script = "import importlib.metadata; print(importlib.metadata.version('\(package)'))"
      versions[package] = await version(of: python, ["-c", script])
    }
    return versions
  }

  /// The source that this program was built of, as far as the directory that it lies in belongs to one; what was
  /// changed since then is said.
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

  /// The first word with a digit and a dot in what a program says of itself.
  private static func version(of program: String, _ arguments: [String]) async -> String? {
    await output(of: program, arguments)?.split { $0.isWhitespace }
      .first { $0.contains(".") && $0.contains(where: \.isNumber) && !$0.contains("/") }.map(String.init)
  }

  /// What a program prints, which may complain without anybody hearing it; nil where it fails.
  private static func output(of program: String, _ arguments: [String]) async -> String? {
    let script = "exec \"$0\" \"$@\" 2>/dev/null"
    let output = try? await OwnProcess.output(of: "/bin/sh", ["-c", script, program] + arguments)
    return output.map { String(decoding: $0.prefix(4096), as: UTF8.self) }
  }
}
