// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import BenchmarkKit
import FoundationEssentials
import Glibc

/// The program, which runs the command of its command line.
struct BenchmarkProgram {
  /// An error with its exit status.
  struct Failure: Error, CustomStringConvertible {
    let description: String
    var status: CInt = 1
  }

  let arguments: [String]

  func run() async throws {
    switch try BenchmarkCommand(arguments) {
    case .help: try Self.print(BenchmarkCommand.usage)
    case .list(let options): try await list(options)
    case .run(let options): try await measure(options)
    case .report(let options): try report(options)
    case .compare(let one, let other):
      let comparison = RunComparison(try Self.results(one), try Self.results(other))
      try Self.print(comparison.text)
      switch comparison.outcome {
      case .alike: break
      case .apart: throw Failure(description: "the two runs differ by more than chance")
      case .incomparable(let reason): throw Failure(description: "nothing to compare: \(reason)", status: 2)
      }
    case .check(let options): try await ThresholdProgram(options: options).run()
    }
  }

  private func list(_ options: RunOptions) async throws {
    let workspace = try Workspace()
    defer { workspace.remove() }
    let catalogue = try await Catalogue(options, workspace: workspace)
    let scaling = ScalingRun(options, workspace: workspace, say: { Self.say($0) })
    for remark in catalogue.remarks { Self.say(remark) }
    guard !catalogue.benchmarks.isEmpty || !scaling.cases.isEmpty else { throw Self.nothing(options) }
    try Self.print(catalogue.list + scaling.list)
  }

  private static func nothing(_ options: RunOptions) -> UsageError {
    options.suites == [.tool] && ToolSuite.builtTool == nil
      ? UsageError("suite tool needs the tool dragpipe, which was not built beside this program")
      : UsageError("no case has such a name; --list shows all")
  }

  // MARK: A run

  private func measure(_ options: RunOptions) async throws {
    let output = try options.jsonPath.map { try OutputFile($0) }
    let workspace = try Workspace()
    defer { workspace.remove() }
    let catalogue = try await Catalogue(options, workspace: workspace)
    let scaling = ScalingRun(options, workspace: workspace, say: { Self.say($0) })
    guard !catalogue.benchmarks.isEmpty || options.scales && !scaling.cases.isEmpty else {
      throw Self.nothing(options)
    }
    let circumstances = await Machine.circumstances(arguments, options, workspace.path)
    var run = RunResult(circumstances: circumstances, remarks: Self.remarks + catalogue.remarks)
    let begun = run
    let runner = BenchmarkRunner(catalogue.benchmarks, repetitions: options.repetitions, say: { Self.say($0) })
    // Saves the results after each pass, so that they survive a later interruption.
    run.cases = try await runner.run { cases, passes in
      guard let output, output.name != "-" else { return }
      var partial = begun
      partial.cases = cases
      partial.remarks.append("this run was stopped after \(passes) of \(options.repetitions) passes")
      Self.attempt { try output.write(partial.jsonData) }
    }
    if options.scales { run.curves = try await scaling.run() }
    try finish(run, options, output)
  }

  /// Writes all outputs that can be written, then throws the first error.
  private func finish(_ run: RunResult, _ options: RunOptions, _ output: OutputFile?) throws {
    var failure: (any Error)?
    do {
      if let output { try output.write(run.jsonData) }
    } catch {
      failure = error
    }
    if options.jsonPath != "-" { try Self.print(ResultText.tables(of: run)) }
    if let failure { throw failure }
    let count = run.failureCount
    if count > 0 { throw Failure(description: "\(count) could not be measured, or not all of it") }
  }

  private static func attempt(_ body: () throws -> Void) {
    do { try body() } catch { say("\(error)") }
  }

  private static var remarks: [String] {
    Machine.configuration == "release"
      ? [] : ["a \(Machine.configuration) build was measured: its figures say nothing about a release build"]
  }

  // MARK: Input and output

  private func report(_ options: ReportOptions) throws {
    let run = try Self.results(options.results)
    if let page = options.page { try OutputFile(page).write(HTMLReport(run).markup) }
    if let tables = options.tables { try OutputFile(tables).write(MarkdownReport(run).text) }
    guard let readme = options.readme else { return }
    let text = String(decoding: try OutputFile.read(readme), as: UTF8.self)
    do {
      let changed = try ReadmeTable(run).replacing(in: text)
      try OutputFile(readme).write(changed)
    } catch let error as ReadmeTable.MarkersMissing {
      throw Failure(description: "\(readme): \(error)")
    }
  }

  private static func results(_ path: String) throws -> RunResult {
    let data = try OutputFile.read(path)
    do {
      return try RunResult(jsonData: data)
    } catch {
      throw Failure(description: "\(path) has no results that --json has written")
    }
  }

  /// Prints text to standard output.
  ///
  /// An error of writing, such as a full disk, is thrown.
  static func print(_ text: String) throws {
    try OutputFile("-").write(text)
  }

  static func say(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    _ = Glibc.write(STDERR_FILENO, bytes, bytes.count)
  }
}
