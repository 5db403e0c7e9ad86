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

    Measures this package and its alternatives in turn in one run. For each case it prints the rate, the median and
    its spread, allocations and peak memory. The ratio of each alternative has an interval of 95 %: above 1.0 this
    package is faster. Progress goes to standard error.

    run
      --quick            everything once over in less than two minutes
      --suite NAME       only this suite: \(BenchmarkSuite.allCases.map(\.rawValue).joined(separator: ", "))
      --filter TEXT      only cases with TEXT in SUITE/NAME; given again, with both
      --list             print the cases and who is compared, and measure nothing
      --repetitions N    measurements of each case (12; --quick 6, which is the least that gives an interval),
                         once in each of as many passes over all cases
      --items N          number of heroes (20000; --quick 500); cases of shorter items use more
      --megabytes N      megabytes to transfer in cases of bytes (512; --quick 64)
      --scaling          also from 1 to 1000000 items and from 1 B to 4 GiB (--quick 100000, 64 MiB)
      --python PROGRAM   also this interpreter's orjson, cbor2 and msgpack, where it has them
      --json FILE        also write the results to FILE, anew after each pass; - is standard output at the end, and
                         the tables are left out

    report               make a page of charts, or tables, of what --json has written
      -o, --output PAGE  one HTML file that needs no other; - is standard output
      --markdown FILE    everything as tables; - is standard output
      --readme FILE      replace the lines of a file between \(ReadmeTable.begin) and
                         \(ReadmeTable.end): for each suite the worst and the best ratio
                         to an alternative, and every loss to it beyond chance

    compare              say which intervals of the ratios overlap in two runs; exit 1 below nine of ten, and 2 where
                         the two runs have nothing that can be compared

    check                compare what is the same on every machine, such as allocations, with recorded thresholds;
                         exit 1 with a line for each breach
      --thresholds FILE  what is recorded (Benchmarks/thresholds.json)
      --record           write what is counted now to the file; only a release build does
      --filter TEXT      only probes with TEXT in their names
      --no-instructions  leave out what needs valgrind

    Exit status: 0, 1 for a failure or a breach, 2 for runs that cannot be compared, 64 for a wrong command line.

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
  private static let places: [String: String?] = ["--json": nil, "--python": "PYTHON"]

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
