// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import BenchmarkKit
import DropSystem
import Glibc

/// All cases that the options select, and remarks about cases that are left out.
struct Catalogue: Sendable {
  let benchmarks: [Benchmark]
  let remarks: [String]

  /// Creates the cases, after finding out which peers are installed.
  ///
  /// - Throws: `UsageError` if the Python interpreter or the tool of the options cannot be run.
  init(_ options: RunOptions, workspace: Workspace) async throws {
    let workload = Workload(options)
    var remarks: [String] = []
    var peers: PythonPeers?
    if let python = options.python {
      do {
        peers = try await PythonPeers(python, workspace: workspace)
      } catch {
        throw UsageError("--python: \(python) cannot be run: \(error)")
      }
      remarks += (peers?.missing ?? []).map { "that Python interpreter has no \($0): left out" }
    } else if options.suites.contains(.coding) {
      remarks.append("Python's orjson, cbor2 and msgpack are left out: no --python was given")
    }
    if let path = options.tool, access(path, X_OK) != 0 {
      throw UsageError("--tool: \(path) cannot be run: \(SystemError(errno, in: "access"))")
    }
    if options.suites.contains(.registry), GLibContentTypes.shared == nil {
      remarks.append("GLib is not installed: left out")
    }
    if options.suites.contains(.file), SQLite.shared == nil {
      remarks.append("SQLite is not installed: left out")
    }
    let rounds = options.isQuick ? 1 : 3
    let local = LocalCase.all(workload).map { item in
      item.suite == .file
        ? item.benchmark(workload, rounds: rounds, peers: peers) {
          try await FileSuite.environment(workload.fileItemCount, workload.fileItemLength, workspace)
        }
        : item.benchmark(workload, rounds: rounds, peers: peers)
    }
    var all = local.filter { $0.suite != .file } + [FirstLookup.benchmark()]
    all += StreamSuite(workload: workload, workspace: workspace).benchmarks + local.filter { $0.suite == .file }
    all += SessionSuite(workload: workload, workspace: workspace, rounds: rounds).benchmarks
    if let tool = options.tool ?? ToolSuite.builtTool {
      let python = options.suites.contains(.tool) ? ToolSuite.installedPython : nil
      all += ToolSuite(workload: workload, workspace: workspace, tool: tool, python: python).benchmarks
    } else {
      remarks.append("the tool was not built beside this program: suite tool left out")
    }
    if !options.suites.isDisjoint(with: [.stream, .tool]) {
      let missing = ToolSuite.missing
      remarks += missing.map { "\($0) is not installed: left out" }
    }
    benchmarks = all.filter { options.includes($0.suite, $0.name) }
    self.remarks = remarks
  }

  /// The cases and their contenders, one case a line.
  var list: String {
    benchmarks.map { benchmark in
      let (first, others) = (benchmark.contenders[0].name, benchmark.contenders.dropFirst().map(\.name))
      return "\(benchmark.identifier): \(([first] + others).joined(separator: " · "))\n"
    }.joined()
  }
}
