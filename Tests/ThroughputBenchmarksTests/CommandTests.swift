// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import BenchmarkKit
import TestSupport
internal import Testing

@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct CommandTests {
  private func options(_ arguments: String...) throws -> RunOptions {
    guard case .run(let options) = try BenchmarkCommand(arguments) else { throw UsageError("no run") }
    return options
  }

  @Test func runsEverythingByDefault() throws {
    let options = try options()
    #expect(
      (options.suites, options.repetitions, options.itemCount, options.megabytes)
        == (Set(BenchmarkSuite.allCases), 12, 20_000, 512))
    #expect(options.includes(.tool, "one file"))
  }

  @Test func quickRunKeepsIntervals() throws {
    let options = try options("--quick")
    #expect(options.repetitions == 6 && options.itemCount < 1000)
    #expect(try self.options("--quick", "--repetitions", "9").repetitions == 9)
  }

  @Test func acceptsValuesAfterAnEqualsSign() throws {
    let options = try options("run", "--json=-", "--suite=coding,file", "--filter", "Cards", "--filter=encode")
    #expect((options.jsonPath, options.suites) == ("-", [.coding, .file]))
    let cases: [(BenchmarkSuite, String)] = [
      (.coding, "cards in one array, encode"), (.coding, "cards in one array, decode"), (.stream, "cards, encode"),
    ]
    #expect(cases.map { options.includes($0, $1) } == [true, false, false])
  }

  @Test(
    arguments: [
      (["--bogus"], "unknown option --bogus"), (["bogus"], "unknown command \"bogus\""),
      (["--repetitions"], "option --repetitions wants a value"),
      (["--repetitions", "0"], "--repetitions: 0 is not a positive number"),
      (["--quick=yes"], "option --quick takes no value"), (["report"], "report wants one file of results"),
      (["report", "a"], "report wants -o FILE, --markdown FILE or --readme FILE"),
      (["--items", "999999999999999999"], "--items: at most 10000000, not 999999999999999999"),
      (["--items", "99999999999999999999999"], "--items: at most 10000000, not 99999999999999999999999"),
      (["--megabytes", "99999999999999"], "--megabytes: at most 1000000, not 99999999999999"),
      (["--repetitions", "10001"], "--repetitions: at most 10000, not 10001"),
      (["--repetitions", "-1"], "--repetitions: -1 is not a positive number"),
      (["check", "--slowed", "--record"], "counts with --slowed cannot be recorded"),
      (["compare", "a"], "compare wants two files of results"),
      (["check", "more"], "check takes no operand such as \"more\""),
      (
        ["--suite", "pipes"],
        "no suite \"pipes\"; there are coding, providers, registry, stream, file, session, tool"
      ),
    ])
  func rejectsInvalidArguments(arguments: [String], message: String) {
    #expect(throws: UsageError(message)) { try BenchmarkCommand(arguments) }
  }

  @Test func commandsHaveTheirOwnOptions() throws {
    for (arguments, command) in [
      (["--help"], .help), (["check", "-h"], .help), (["compare", "a", "--", "-b"], .compare("a", "-b")),
      (
        ["report", "-o", "page", "-", "--markdown=table", "--readme", "README.md"],
        .report(ReportOptions(results: "-", page: "page", tables: "table", readme: "README.md"))
      ),
    ] as [([String], BenchmarkCommand)] {
      #expect(try BenchmarkCommand(arguments) == command)
    }
    guard case .check(let options) = try BenchmarkCommand(["check", "--record", "--filter", "stream"]) else {
      Issue.record("no check")
      return
    }
    #expect(options.records && options.countsInstructions && !options.isSlowed)
    #expect(options.includes("stream/card read") && !options.includes("coding/card"))
  }

  @Test func repeatingCommandIsValidAndAnonymous() {
    let arguments = [
      "--quick", "--json=/home/me/run.json", "--filter", "one file", "--python", "/home/me/python", "--json", "x y",
      "--tool", "/home/me/dragpipe", "--python=/home/me/python", "--filter=it's $HOME\n# no", "--items", "20",
      "",
    ]
    #expect(
      RepeatingCommand(arguments).text == "swift run -c release ThroughputBenchmarks --quick --filter 'one file' "
        + "--python PYTHON --tool TOOL --python PYTHON '--filter=it'\\''s $HOME\n# no' --items 20 ''")
  }
}
