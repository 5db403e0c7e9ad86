// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// A command of the program, with its options.
package enum BenchmarkCommand: Sendable, Equatable {
  case help
  case list(RunOptions)
  case run(RunOptions)
  case report(ReportOptions)
  case compare(String, String)
  case check(CheckOptions)

  /// Parses a command line without the program's name.
  ///
  /// - Throws: `UsageError` for an invalid command line.
  package init(_ arguments: [String]) throws(UsageError) {
    var reader = ArgumentReader(Array(arguments.dropFirst()))
    switch arguments.first {
    case "report": self = try Self.report(&reader)
    case "compare": self = try Self.compare(&reader)
    case "check": self = try Self.check(&reader)
    case "help": self = .help
    case "run": self = try Self.run(&reader)
    default:
      reader = ArgumentReader(arguments)
      self = try Self.run(&reader)
    }
  }

  private static func run(_ arguments: inout ArgumentReader) throws(UsageError) -> BenchmarkCommand {
    var options = RunOptions()
    var lists = false
    while let argument = try arguments.next() {
      switch argument {
      case .option("--help"), .option("-h"): return .help
      case .option("--list"): lists = true
      case .option(let name):
        guard try options.take(name, from: &arguments) else { throw UsageError("unknown option \(name)") }
      case .operand(let text): throw UsageError("unknown command \"\(text)\"")
      }
    }
    return lists ? .list(options) : .run(options)
  }

  private static func report(_ arguments: inout ArgumentReader) throws(UsageError) -> BenchmarkCommand {
    var options = ReportOptions(results: "")
    var results: [String] = []
    while let argument = try arguments.next() {
      switch argument {
      case .option("--help"), .option("-h"): return .help
      case .option("-o"), .option("--output"): options.page = try arguments.value(of: "--output")
      case .option("--markdown"): options.tables = try arguments.value(of: "--markdown")
      case .option("--readme"): options.readme = try arguments.value(of: "--readme")
      case .option(let name): throw UsageError("unknown option \(name)")
      case .operand(let path): results.append(path)
      }
    }
    guard results.count == 1 else { throw UsageError("report wants one file of results") }
    options.results = results[0]
    guard options.page != nil || options.tables != nil || options.readme != nil else {
      throw UsageError("report wants -o FILE, --markdown FILE or --readme FILE")
    }
    return .report(options)
  }

  private static func compare(_ arguments: inout ArgumentReader) throws(UsageError) -> BenchmarkCommand {
    var paths: [String] = []
    while let argument = try arguments.next() {
      switch argument {
      case .option("--help"), .option("-h"): return .help
      case .option(let name): throw UsageError("unknown option \(name)")
      case .operand(let path): paths.append(path)
      }
    }
    guard paths.count == 2 else { throw UsageError("compare wants two files of results") }
    return .compare(paths[0], paths[1])
  }

  private static func check(_ arguments: inout ArgumentReader) throws(UsageError) -> BenchmarkCommand {
    var options = CheckOptions()
    while let argument = try arguments.next() {
      switch argument {
      case .option("--help"), .option("-h"): return .help
      case .option(let name):
        guard try options.take(name, from: &arguments) else { throw UsageError("unknown option \(name)") }
      case .operand(let text): throw UsageError("check takes no operand such as \"\(text)\"")
      }
    }
    guard !options.isSlowed || !options.records else { throw UsageError("counts with --slowed cannot be recorded") }
    return .check(options)
  }

  /// The output of `--help`.
  package static let usage = """
    Usage: ThroughputBenchmarks [run] [OPTION]...
           ThroughputBenchmarks report RESULTS [-o PAGE] [--markdown FILE] [--readme FILE]
           ThroughputBenchmarks compare RESULTS RESULTS
           ThroughputBenchmarks check [OPTION]...

    Measures the speed of this package and of its alternatives in one run. For each case it prints
    the rate, the median time and its spread, the allocations and the peak memory. The ratio of an
    alternative is its time divided by the time of this package, with a 95 % confidence interval.
    Above 1.0, this package is faster. Progress lines go to standard error.

    Examples:
      ThroughputBenchmarks --quick
      ThroughputBenchmarks --suite coding,file --json results.json
      ThroughputBenchmarks report results.json -o results.html

    run                  measure all selected cases; this is the default command
      --quick            use small amounts; a run of all cases takes less than two minutes
      --suite NAME,...   measure only these suites:
                         \(BenchmarkSuite.allCases.map(\.rawValue).joined(separator: ", "))
      --filter TEXT      measure only cases whose SUITE/NAME contains TEXT, in upper or lower case;
                         with several filters, the name must contain every TEXT
      --list             print the selected cases and their alternatives, without a measurement
      --repetitions N    measure each case N times, once in each pass over all cases
                         (default: 12; 6 with --quick); an interval needs at least 6
      --items N          use N heroes (default: 20000; 500 with --quick);
                         cases with shorter items use more of them
      --megabytes N      transfer N megabytes of 1000000 bytes in cases that measure bytes
                         (default: 512; 64 with --quick)
      --scaling          also measure how the time grows, from 1 to 1000000 items and from 1 B to
                         4 GiB (with --quick: to 100000 items and to 64 MiB)
      --python PROGRAM   also measure orjson, cbor2 and msgpack, if this Python interpreter has them
      --tool TOOL        in suite tool, measure TOOL, such as an installed dragpipe, in place of the
                         tool built beside this program; of that, measure only the start
      --json FILE        also write the results to FILE, after each pass; with -, write them to
                         standard output at the end, instead of the tables

    report               convert RESULTS, a file that --json has written; at least one output is
                         required, and - as an output is standard output
      -o, --output PAGE  write one HTML page with charts, which needs no other file
      --markdown FILE    write all results as Markdown tables
      --readme FILE      replace the text between two lines of FILE,
                         \(ReadmeTable.begin) and \(ReadmeTable.end),
                         with a table of the lowest and the highest ratio of each suite, and of
                         the cases in which an alternative is faster beyond chance

    compare              print how many intervals of the ratios overlap in two runs with the same
                         amounts, and each pair of intervals that do not overlap

    check                count allocations, system calls, copied bytes and instructions of each item,
                         and compare the counts with the recorded thresholds; print a line for each
                         count that exceeds its threshold
      --thresholds FILE  read the thresholds from FILE (default: Benchmarks/thresholds.json)
      --record           write the counts to that file as new thresholds; needs a release build
      --filter TEXT      check only probes whose names contain TEXT
      --no-instructions  do not count instructions, which needs valgrind

    Exit status:
       0  success
       1  an error; a case that failed; a count above its threshold; or, with compare, fewer than
          nine of ten intervals overlap
       2  with compare: the two runs have nothing in common that can be compared
      64  the command line is invalid, or no case has the requested name

    """
}

/// The options of `report`: the file of results, and the outputs.
///
/// `-` is standard output.
package struct ReportOptions: Sendable, Equatable {
  package var results: String
  /// The path of the HTML page with charts.
  package var page: String?
  /// The path of the Markdown file with all tables.
  package var tables: String?
  /// The path of a file with markers, between which a short table is inserted.
  package var readme: String?

  package init(results: String, page: String? = nil, tables: String? = nil, readme: String? = nil) {
    self.results = results
    self.page = page
    self.tables = tables
    self.readme = readme
  }
}

/// The options of `check`.
package struct CheckOptions: Sendable, Equatable {
  package var path = "Benchmarks/thresholds.json"
  package var records = false
  package var filters: [String] = []
  package var countsInstructions = true
  /// Whether the probes make needless allocations, to test that the check reports them.
  ///
  /// The help does not mention it.
  package var isSlowed = false
  /// Whether a debug build may record thresholds, for the tests of this program.
  ///
  /// The help does not mention it.
  package var allowsDebug = false

  package init() {}

  /// Reads an option of `check`.
  ///
  /// - Returns: Whether the option is one of `check`.
  mutating func take(_ option: String, from arguments: inout ArgumentReader) throws(UsageError) -> Bool {
    switch option {
    case "--thresholds": path = try arguments.value(of: option)
    case "--record": records = true
    case "--filter": filters.append(try arguments.value(of: option))
    case "--no-instructions": countsInstructions = false
    case "--slowed": isSlowed = true
    case "--allow-debug": allowsDebug = true
    default: return false
    }
    return true
  }

  package func includes(_ name: String) -> Bool {
    filters.allSatisfy { name.lowercased().contains($0.lowercased()) }
  }
}

/// The command line that repeats a run, without paths of this machine.
package struct RepeatingCommand: Sendable {
  /// The options whose values are paths.
  ///
  /// The placeholder replaces the path; with `nil`, the option is left out.
  private static let places: [String: String?] = ["--json": nil, "--python": "PYTHON", "--tool": "TOOL"]

  package let text: String

  package init(_ arguments: [String]) {
    var words: [String] = []
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      let name = argument.prefix { $0 != "=" }
      guard let place = Self.places[String(name)] else {
        words.append(Self.quoted(argument))
        continue
      }
      if name.count == argument.count { rest = rest.dropFirst() }
      if let place { words += [String(name), place] }
    }
    text = (["swift run -c release ThroughputBenchmarks"] + words).joined(separator: " ")
  }

  /// Returns a word quoted for a shell, if necessary.
  private static func quoted(_ word: String) -> String {
    let isPlain = word.unicodeScalars.allSatisfy { scalar in
      scalar.isASCII && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil)
        || "-_./=,:+@%".unicodeScalars.contains(scalar)
    }
    return isPlain && !word.isEmpty
      ? word
      : "'"
        + word.split(separator: "'", omittingEmptySubsequences: false)
        .joined(separator: "'\\''") + "'"
  }
}
