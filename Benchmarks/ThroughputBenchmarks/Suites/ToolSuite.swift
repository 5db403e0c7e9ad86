// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import BenchmarkKit
import DropTransport
import Glibc

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The tool as a shell runs it, beside what else moves files through a pipe.
struct ToolSuite: Sendable {
  /// A program or some; `$1` is what there is, `$2` an empty directory, `$3` the tool, `$4` Python.
  private struct Side: Sendable {
    let contender: Contender
    let script: String
    /// What must be installed for it.
    let program: String?

    init(_ name: String, _ kind: Contender.Kind, _ script: String, needs program: String? = nil) {
      contender = Contender(name, kind)
      self.script = script
      self.program = program
    }
  }

  let workload: Workload
  let workspace: Workspace
  /// Where the tool is.
  let tool: String
  /// Python's interpreter; nil where there is none.
  let python: String?

  private static let smallLength = 4096
  private static let programs = ["dd", "pv", "socat", "tar"]

  /// The tool that was built with this program; nil where there is none.
  static var builtTool: String? {
    guard let own = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe") else { return nil }
    let path = URL(fileURLWithPath: own).deletingLastPathComponent().appendingPathComponent("dragpipe").path
    return access(path, X_OK) == 0 ? path : nil
  }

  /// The interpreter itself: what a shell finds may be a script that looks for it first.
  static func installedPython() async -> String? {
    guard InstalledPrograms.has("python3"),
      let output = try? await OwnProcess.output(of: "python3", ["-c", "import sys; print(sys.executable)"])
    else { return nil }
    let path = String(decoding: output, as: UTF8.self).split(separator: "\n").first.map(String.init)
    return path.flatMap { access($0, X_OK) == 0 ? $0 : nil }
  }

  /// What is not installed, and is left out.
  static var missing: [String] { programs.filter { !InstalledPrograms.has($0) } }

  var benchmarks: [Benchmark] { [startUp, oneFile, manyFiles, socket, heroes, oneOfMany] }

  // MARK: Cases

  private var startUp: Benchmark {
    benchmark(
      "start-up", .items, 1,
      [
        Side("dragpipe --version", .ours, "\"$3\" --version > /dev/null"),
        Side("cat </dev/null", .peer, "cat < /dev/null"),
        Side("tar --version", .peer, "tar --version > /dev/null", needs: "tar"),
      ] + withPython(Side("python3 -c pass", .peer, "\"$4\" -c pass"))
    ) { "" }
  }

  private var oneFile: Benchmark {
    let sides = [
      Side("send | receive", .ours, "\"$3\" send \"$1\" | \"$3\" receive -q \"$2\""),
      Side("cat | cat", .peer, Self.cat),
      Side("tar | tar", .peer, "tar cf - -C \"${1%/*}\" \"${1##*/}\" | tar xf - -C \"$2\"", needs: "tar"),
    ]
    let pv = Side("pv | cat", .peer, "pv -q < \"$1\" | cat > \"$2/copy\"")
    return benchmark(
      "one file", .bytes, workload.byteCount, sides + (InstalledPrograms.has("pv") ? [pv] : []),
      expecting: workload.byteCount
    ) { try source() }
  }

  private var manyFiles: Benchmark {
    let count = workload.archivedItemCount
    return benchmark(
      "a folder of \(Figures.count(Double(count))) files", .items, count,
      [
        Side("send | receive", .ours, "cd \"$1\" && \"$3\" send * | \"$3\" receive -q \"$2\""),
        Side("tar | tar", .peer, "cd \"$1\" && tar cf - * | tar xf - -C \"$2\"", needs: "tar"),
        Side("cp", .peer, "cd \"$1\" && cp * \"$2\""),
      ], expecting: count * Self.smallLength, bytesPerItem: Self.smallLength
    ) { try folder() }
  }

  private var socket: Benchmark {
    // Whoever listens says so by the socket's name in the directory.
    let wait = "while [ ! -S \"$2/s\" ]; do sleep 0.001; done"
    let ours =
      "\"$3\" send -q --once --to \"unix:$2/s\" \"$1\" & \(wait); \"$3\" receive -q --from \"unix:$2/s\" -o \"$2/copy\""
    let socat =
      "socat -u -b 65536 UNIX-LISTEN:\"$2/s\" CREATE:\"$2/copy\" & \(wait); "
      + "socat -u -b 65536 OPEN:\"$1\",rdonly UNIX-CONNECT:\"$2/s\""
    let sides =
      [Side("send | receive", .ours, ours + "; wait")]
      + (InstalledPrograms.has("socat") ? [Side("socat | socat", .peer, socat + "; wait")] : [])
      + [Side("cat | cat, a pipe", .peer, Self.cat)]
    return benchmark(
      "one file through a Unix socket", .bytes, workload.byteCount, sides, expecting: workload.byteCount
    ) { try source() }
  }

  private static let cat = "cat < \"$1\" | cat > \"$2/copy\""

  private var heroes: Benchmark {
    let write = "import json, sys\nfor hero in json.load(open(sys.argv[1])): print(json.dumps(hero))"
    let read = "import json, sys\njson.dump([json.loads(line) for line in sys.stdin], open(sys.argv[1], \"w\"))"
    return benchmark(
      "heroes into a file", .items, workload.heroCount,
      [
        Side(
          "send | receive --into", .ours,
          "\"$3\" send --as hero \"$1\" | \"$3\" receive -q --as hero --into \"$2/copy\"")
      ]
        + withPython(
          Side(
            "Python's json, both sides", .peer,
            "\"$4\" -c '\(write)' \"$1\" | \"$4\" -c '\(read)' \"$2/copy\""))
    ) { try heroFile() }
  }

  private var oneOfMany: Benchmark {
    let count = workload.archivedItemCount
    let name = "\(count - 1)"
    return benchmark(
      "one file out of \(Figures.count(Double(count)))", .items, 1,
      [
        Side("extract", .ours, "\"$3\" extract \"$1.drop\" \(name) public.data -o - > /dev/null"),
        Side("tar -xO", .peer, "tar -xOf \"$1.tar\" \(name) > /dev/null", needs: "tar"),
      ]
    ) {
      let folder = try folder()
      if access(folder + ".drop", R_OK) != 0 {
        let archive = InstalledPrograms.has("tar") ? "tar cf \"$1.tar\" * && " : ""
        try await run("cd \"$1\" && \(archive)\"$2\" send --to \"$1.drop\" *", folder, tool)
      }
      return folder
    }
  }

  private func withPython(_ side: Side) -> [Side] { python == nil ? [] : [side] }

  // MARK: What they have in common

  /// A case whose sides have the same before them, and an empty directory each, in which so many bytes must be then.
  private func benchmark(
    _ name: String, _ unit: WorkUnit, _ amount: Int, _ sides: [Side], expecting byteCount: Int? = nil,
    bytesPerItem: Int? = nil,
    source: @escaping @Sendable () async throws -> String
  ) -> Benchmark {
    let sides = sides.filter { $0.program.map(InstalledPrograms.has) ?? true }
    return Benchmark(
      .tool, name, unit, amount: Double(amount), bytesPerItem: bytesPerItem.map(Double.init),
      contenders: sides.map(\.contender)
    ) { index, purpose in
      let (path, side) = (try await source(), sides[index])
      let target = try workspace.emptyDirectory("out")
      let sample = try await ShellPipeline(side.script, path, target, tool, python ?? "").run(purpose)
      if let byteCount { try workspace.expect(byteCount, in: target, of: side.contender.name) }
      return sample
    }
  }

  private func run(_ script: String, _ arguments: String...) async throws {
    let shell = try ChildProcess("/bin/sh", ["-ec", script, "sh"] + arguments)
    let ending = await shell.waitForEnd()
    guard ending.exitCode == 0 else { throw OwnProcess.Failure(description: "\(script) ended with \(ending)") }
  }

  // MARK: Files

  private func source() throws -> String {
    try workspace.file("source") { try BenchmarkFile.make($0, byteCount: workload.byteCount) }
  }

  private func heroFile() throws -> String {
    try workspace.file("heroes.json") { path in
      let heroes = HeroFixtures.heroes(workload.heroCount).map(PlainHero.init)
      try JSONEncoder().encode(heroes).write(to: URL(fileURLWithPath: path))
    }
  }

  /// Small files, named by their numbers.
  private func folder() throws -> String {
    try workspace.file("folder") { path in
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
      for number in 0..<workload.archivedItemCount {
        try BenchmarkFile.make("\(path)/\(number)", byteCount: Self.smallLength)
      }
    }
  }
}
