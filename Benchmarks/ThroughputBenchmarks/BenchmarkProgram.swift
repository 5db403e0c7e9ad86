// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import BenchmarkKit
import Glibc

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Does what the command line asks for.
struct BenchmarkProgram {
  /// What is not to be called a success.
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  let arguments: [String]

  func run() async throws {
    switch try BenchmarkCommand(arguments) {
    case .help: print(BenchmarkCommand.usage, terminator: "")
    case .list(let options):
      let workspace = try Workspace()
      defer { workspace.remove() }
      let catalogue = try await Catalogue(options, workspace: workspace)
      print(catalogue.list, terminator: "")
      for remark in catalogue.remarks { Self.say(remark) }
    case .run(let options): try await measure(options)
    case .report(let results, let page, let tables):
      let run = try Self.read(results)
      if let page { try Self.write(HTMLReport(run).markup, to: page) }
      if let tables { try Self.write(MarkdownReport(run).text, to: tables) }
    case .compare(let one, let other):
      let comparison = RunComparison(try Self.read(one), try Self.read(other))
      print(comparison.text, terminator: "")
      if !comparison.isAlike { throw Failure(description: "the two runs differ by more than chance") }
    case .check(let options): try await ThresholdProgram(options: options).run()
    }
  }

  private func measure(_ options: RunOptions) async throws {
    let workspace = try Workspace()
    defer { workspace.remove() }
    let catalogue = try await Catalogue(options, workspace: workspace)
    guard !catalogue.benchmarks.isEmpty || options.scales else {
      throw UsageError("no case has such a name; --list shows all")
    }
    let runner = BenchmarkRunner(
      catalogue.benchmarks, repetitions: options.repetitions, passes: options.passes, say: { Self.say($0) })
    var run = RunResult(circumstances: Machine.circumstances(arguments), remarks: catalogue.remarks)
    run.cases = try await runner.run()
    if options.scales { run.curves = try await ScalingRun(options: options, say: { Self.say($0) }).run() }
    if let path = options.jsonPath { try Self.write(String(decoding: run.jsonData, as: UTF8.self), to: path) }
    if options.jsonPath != "-" { print(ResultText.tables(of: run), terminator: "") }
    let failed = run.cases.filter { $0.failure != nil }
    if !failed.isEmpty { throw Failure(description: "\(failed.count) cases could not be measured") }
  }

  // MARK: In and out

  private static func read(_ path: String) throws -> RunResult {
    let data: Data
    do {
      data = path == "-" ? try PlainPipe.readToEnd() : try Data(contentsOf: URL(fileURLWithPath: path))
    } catch {
      throw Failure(description: "\(path) cannot be read")
    }
    do {
      return try RunResult(jsonData: data)
    } catch {
      throw Failure(description: "\(path) has no results that --json has written")
    }
  }

  private static func write(_ text: String, to path: String) throws {
    if path == "-" {
      print(text, terminator: "")
    } else {
      do {
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
      } catch {
        throw Failure(description: "\(path) cannot be written")
      }
    }
  }

  static func say(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    _ = Glibc.write(STDERR_FILENO, bytes, bytes.count)
  }
}
