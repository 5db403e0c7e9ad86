// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// Runs bash scripts with the real tool in a temporary directory.
struct Shell: Sendable {
  let directory: URL
  /// The variables of a display.
  var display: [String: String] = [:]

  /// The path of the tool that was built with these tests.
  static let tool = builtProduct("dragpipe")

  static let samples: String = {
    let here = URL(fileURLWithPath: #filePath)
    let root = (0..<4).reduce(here) { url, _ in url.deletingLastPathComponent() }
    return root.appendingPathComponent("Samples/Data").path
  }()

  /// The longest time of a script: many short processes on a busy machine.
  static let limit = waitingLimit * 3

  /// Runs a bash script in the directory.
  ///
  /// `dragpipe` is the tool, and `$SAMPLES` the sample data. `$TOOL` is the path of the tool, for background processes
  /// that get signals, since `dragpipe` is a shell function. `$SENDER FILE…` and `$RECEIVER DIR` are endpoints.
  func run(_ script: String, within limit: Duration = limit) async throws -> ProgramRun {
    // Other tests may hold descriptors that programs inherit, since Foundation opens some files that way.
    let preamble = #"""
      for descriptor in /proc/self/fd/*; do
        descriptor=${descriptor##*/}; [ $descriptor -lt 3 ] || eval "exec $descriptor>&-"
      done
      cd '\#(directory.path)' || exit 99
      SAMPLES='\#(Self.samples)'
      export TOOL='\#(Self.tool)' SENDER='exec:"$TOOL" send --to stdio:' RECEIVER='exec:"$TOOL" receive --from stdio:'
      dragpipe() { "$TOOL" "$@"; }
      # Its own session, in which signals have their default actions.
      alone() { exec setsid env --default-signal=INT,QUIT "$@"; }
      await() { until eval "$*"; do sleep 0.01; done > /dev/null 2>&1; }
      mkdir -p .temporary; export TMPDIR=$PWD/.temporary XDG_STATE_HOME=$PWD/.state TERM=xterm LC_ALL=C.UTF-8; unset NO_COLOR COLUMNS
      """# + "\nunset WAYLAND_DISPLAY WAYLAND_SOCKET" + display.map { "\nexport \($0)='\($1)'" }.joined()
    return try await ProgramRun("bash", ["-c", preamble + "\n" + script], within: limit)
  }

  func data(of file: String) throws -> Data {
    try Data(contentsOf: directory.appendingPathComponent(file))
  }

  func write(_ data: Data, to file: String) throws {
    try data.write(to: directory.appendingPathComponent(file))
  }
}

/// Passes a shell in a new directory to a test, and removes the directory afterwards.
func withShell(display: String? = nil, _ body: (Shell) async throws -> Void) async throws {
  let variables = display.map { ["DISPLAY": $0] } ?? [:]
  try await withTemporaryDirectory { try await body(Shell(directory: $0, display: variables)) }
}

/// Runs the commands of a transcript in a new directory, and expects the output that the transcript shows.
///
/// A command begins with `$ `, and its further lines with `> `. Its output follows, with the error messages, and then
/// its exit code in brackets, unless it is 0. Lines with `# ` are comments.
func transcript(
  within limit: Duration = Shell.limit, display: String? = nil, _ expected: String,
  sourceLocation: SourceLocation = #_sourceLocation
) async throws {
  try await withShell(display: display) { try await $0.expect(expected, within: limit, sourceLocation) }
}

extension Shell {
  /// Runs the commands of a transcript in the directory.
  func expect(
    _ expected: String, within limit: Duration = limit, _ sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let lines = expected.split(separator: "\n", omittingEmptySubsequences: false)
    var script = "exec 2>&1\n"
    for (index, line) in lines.enumerated() where line.hasPrefix("$ ") || line.hasPrefix("# ") {
      let command = [line] + lines[(index + 1)...].prefix { $0.hasPrefix("> ") }
      script += "printf '%s\\n'" + command.map { " '\($0.replacing("'", with: "'\\''"))'" }.joined() + "\n"
      guard line.hasPrefix("$") else { continue }
      script += command.map { $0.dropFirst(2) + "\n" }.joined()
      script += "code=$?; [ $code = 0 ] || echo \"[$code]\"\n"
    }
    let found = try await run(script, within: limit).output.split(separator: "\n", omittingEmptySubsequences: false)
    let wanted = lines + [""]
    guard found != wanted else { return }
    let index = zip(found, wanted).enumerated().first { $1.0 != $1.1 }?.offset ?? min(found.count, wanted.count)
    let command = wanted.prefix(index).last { $0.hasPrefix("$ ") } ?? ""
    Issue.record(
      """
      line \(index + 1), after \(command)
      expected \(wanted.dropFirst(index).first ?? "the end")
      found    \(found.dropFirst(index).prefix(20).joined(separator: "\n"))
      """, sourceLocation: sourceLocation)
  }
}
