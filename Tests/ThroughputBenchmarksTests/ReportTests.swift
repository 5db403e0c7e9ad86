// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import BenchmarkKit
internal import Foundation
internal import FoundationXML
import TestSupport
internal import Testing

@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct ReportTests {
  private func expect(
    _ text: String, has parts: [String], sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let missing = parts.filter { !text.contains($0) }
    #expect(missing == [], sourceLocation: sourceLocation)
  }

  // MARK: The page

  @Test func pageIsWellFormedAndRefersToNoOtherFile() throws {
    let page = HTMLReport(SampleRun.run).markup
    expect(
      page,
      has: [
        "&lt;script&gt;alert(1)&lt;/script&gt;", "&lt;b&gt;&quot;Quick&quot; &amp; &#39;small&#39;&lt;/b&gt;",
        "failed: no &lt;disk&gt;", "pv is not installed: left out", "prefers-color-scheme: dark", ".spread.series0",
      ])
    // Parses only the main part as XML, since HTML need not close the tags around it.
    let start = try #require(page.range(of: "<main>"))
    let end = try #require(page.range(of: "</main>"))
    let parser = Markup(
      text: String(page[start.lowerBound..<end.upperBound]).replacingOccurrences(of: " open>", with: ">"))
    #expect(parser.isWellFormed && parser.elements("svg").count == 6)
    let own = page.replacingOccurrences(of: "xmlns=\"http://www.w3.org/2000/svg\"", with: "")
    #expect(["http:", "https:", "src=", "href=", "@import", "url(", "<script"].filter { own.contains($0) } == [])
  }

  @Test(arguments: [340.0, 900, 1080])
  func drawingStaysInThePicture(width: Double) throws {
    let ratios = try #require(RatioChart(SampleRun.run.cases, title: "ratios"))
    let scaling = try #require(ScalingChart(SampleRun.run.curves[0]))
    for picture in [ratios.picture(width: width), scaling.picture(width: width)] {
      let markup = Markup(text: picture.markup())
      #expect(markup.isWellFormed)
      for (name, limit) in [("x", picture.width), ("x1", picture.width), ("x2", picture.width), ("y", picture.height)] {
        let places = markup.numbers(name)
        #expect(!places.isEmpty && places.allSatisfy { $0 >= 0 && $0 <= limit })
      }
      #expect(markup.textRuns.allSatisfy { $0.from >= -1 && $0.to <= width + 1 })
    }
  }

  @Test func barsStartAtOne() throws {
    let chart = try #require(RatioChart(SampleRun.run.cases, title: "ratios"))
    let lines = chart.picture(width: 900).markup().split(separator: "\n")
    func numbers(_ name: String, of kind: String) throws -> Double {
      let line = try #require(lines.first { $0.contains("class=\"\(kind)\"") })
      return try #require(Markup(text: String(line)).numbers(name).first)
    }
    let one = try numbers("x1", of: "axis")
    #expect(try numbers("x", of: "faster") == one)
    #expect(try abs(numbers("x", of: "slower") + numbers("width", of: "slower") - one) < 0.2)
  }

  @Test func pointShowsTheSpreadOfItsRepetitionsWithinTheAxis() throws {
    var curve = SampleRun.run.curves[0]
    #expect(curve.lines[0].points[1].extremes == nil)
    #expect(try !#require(ScalingChart(curve)).picture(width: 900).markup().contains("spread"))
    curve.lines[0].points[1].repetitions = [0.006, 0.003, 0.06]
    let extremes = try #require(curve.lines[0].points[1].extremes)
    #expect(abs(extremes.least - 16_667) < 1 && abs(extremes.greatest - 333_333) < 1)
    // The spread begins at the top of the plot, since no other point has a higher rate.
    expect(
      try #require(ScalingChart(curve)).picture(width: 900).markup(), has: ["class=\"spread series0\"", "y2=\"28\""])
  }

  // MARK: Tables

  @Test func tablesHaveALineForEachContenderAndForFailuresAndOmissions() {
    expect(
      MarkdownReport(SampleRun.run).text,
      has: [
        "**cards \\| &lt;script&gt;alert(1)&lt;/script&gt;, encode (1.00 k)**",
        "\n| dragpipe CBOR | 1.00 M/s | 1.00 ms ±25 % | 3 | 1 | 2.00 | 512 KiB heap |\n",
        "\n| Foundation JSON | 100 k/s | 10.0 ms ±5 % | 3 | 9.00 x \\[5.50, 10.0\\] | - | - |\n",
        "### Where others are faster\n\n- tool/one file: cat \\| cat takes 0.50 of our time (too few",
        "### Where code written by hand for nothing but the case is faster\n\n- coding/cards",
        "encode: by hand takes 0.50 of our time\n",
        "peak memory, times the output: 1.75 x, goal at most 1.50: MISSED",
        "### What failed\n\n- file/broken: no &lt;disk&gt;\n", "### Omitted\n\n- pv is not installed: left out\n",
        "### By size\n\n**stream: cards through a pipe**\n\n| size | dragpipe, verified |",
        "| 1.00 k | 167 k/s | 125 k/s |", "\n\n    swift run -c release ThroughputBenchmarks --quick\n",
      ])
    let text = ResultText.tables(of: SampleRun.run)
    expect(
      text,
      has: [
        "  Foundation JSON   100 k/s   10.0 ms ±5 %  3  9.00 x [5.50, 10.0]", "failed: no <disk>",
        "goal at most 1.50: MISSED",
      ])
    #expect(text.split(separator: "\n").allSatisfy { !$0.hasSuffix(" ") })
  }

  @Test func textOfAFileOfResultsNeitherBecomesMarkupNorLeavesItsLine() {
    let hostile = "a|b *c* _d_ `e` [f](g) <h> &amp; \\ ~i~ #j $k$\n# qq\r\n- zz\u{2028}n\u{0}\u{202E}"
    var run = SampleRun.run
    run.circumstances.date = hostile
    run.circumstances.command = hostile
    run.cases[0].contenders[1].contender.name = hostile
    run.remarks = [hostile]
    let text = MarkdownReport(run).text + ReadmeTable(run).text
    let shown = "a\\|b \\*c\\* \\_d\\_ \\`e\\` \\[f\\](g) &lt;h&gt; &amp;amp; \\\\ \\~i\\~ \\#j \\$k\\$ \\# qq "
    #expect(text.components(separatedBy: shown).count >= 4)
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      #expect(!line.hasPrefix("# qq") && !line.hasPrefix("- zz"), "\(text)")
    }
    #expect(text.contains("\n    a|b *c*") && !text.contains("\u{202E}") && !text.contains("\u{0}"))
  }

  @Test func unitsOfGoalsAndAxesAgreeWithTheTables() throws {
    var run = SampleRun.run
    run.cases[1].verdicts = [
      Verdict("peak memory", 65_536, 32_768, unit: "KiB", isMet: false),
      Verdict("bytes a second", 1_073_741_824, 536_870_912, unit: "B/s", isMet: true),
    ]
    expect(
      ResultText.tables(of: run),
      has: ["goal, peak memory: 32.0 MiB, is 64.0 MiB: MISSED", "goal, bytes a second: 512 MiB/s, is 1.00 GiB/s"])
    var curve = run.curves[0]
    curve.unit = .bytes
    curve.lines[0].points = [0, 8, 16, 24, 32].map { .init(amount: Double(1 << $0), seconds: 1e-3) }
    let markup = try #require(ScalingChart(curve)).picture(width: 900).markup()
    #expect(markup.contains(">1 MiB<") && markup.contains(">1 GiB<") && !markup.contains("MB<"))
  }

  @Test func ratesCountTheWorkInItemsAndBytes() {
    // A case may work on few of many items.
    let points = [Curve.Point(amount: 1000, seconds: 0.5), .init(amount: 1000, seconds: 0.5, work: 20)]
    #expect(points.map(\.rate) == [2000, 40])
    // If the length of an item is known, both rates are shown.
    var (items, bytes) = (SampleRun.run.cases[0], SampleRun.run.cases[0])
    items.bytesPerItem = 1024
    (bytes.bytesPerItem, bytes.unit, bytes.amount) = (1024, .bytes, 1_024_000)
    #expect([items, bytes].map { CaseRows($0).rows[0][1] } == ["1.00 M/s, 977 MiB/s", "977 MiB/s, 1.00 M/s"])
  }

  @Test func lossToAnyMemberOfAGroupIsShown() {
    var run = SampleRun.run
    run.cases[1].contenders[1].contender.group = "plain"
    run.cases[1].contenders[1].ratio = Estimate(median: 0.5, low: 0.4, high: 0.6)
    // The best of the group is level by chance.
    run.cases[1].contenders.append(
      ContenderResult(
        contender: Contender("dd | dd", .peer, group: "plain"), seconds: [0.03],
        ratio: Estimate(median: 0.4, low: 0.3, high: 1.1)))
    expect(
      MarkdownReport(run).text,
      has: ["| dd \\| dd |", "### Where others are faster\n\n- tool/one file: cat \\| cat takes 0.50 of our time\n"])
    run.cases[1].contenders[1].ratio = Estimate(median: 0.5, low: 0.3, high: 1.1)
    #expect(MarkdownReport(run).text.contains("### Where others are faster\n\nIn this run, nowhere.\n"))
  }

  // MARK: The table of a README

  private func result(_ suite: BenchmarkSuite, _ name: String, _ ratios: [(Contender, Double)]) -> CaseResult {
    CaseResult(
      suite: suite, name: name, unit: .items, amount: 1000,
      contenders: [ContenderResult(contender: Contender("ours", .ours), seconds: [1e-3])]
        + ratios.map { contender, ratio in
          ContenderResult(
            contender: contender, seconds: [ratio * 1e-3],
            ratio: Estimate(median: ratio, low: ratio * 0.9, high: ratio * 1.1))
        })
  }

  private func tableRows(_ cases: [CaseResult]) -> [Substring] {
    ReadmeTable(RunResult(circumstances: SampleRun.circumstances, cases: cases)).text.split(separator: "\n")
  }

  @Test func readmeShowsTheWorstAndBestPeerOfASuiteAndEveryLoss() {
    let (json, plist) = (Contender("JSON", .peer), Contender("plist", .peer))
    let cases = [
      result(.coding, "a", [(json, 9), (plist, 12)]), result(.coding, "b", [(json, 0.8), (plist, 3)]),
      result(.coding, "c", [(json, 5), (plist, 6)]), result(.coding, "d", [(json, 2), (plist, 0.5)]),
      result(.coding, "e", [(json, 0.95), (Contender("by hand", .limit), 0.1)]), result(.tool, "f", [(json, 1.2)]),
    ]
    // Case "c" has neither an extreme ratio nor a loss. The loss in case "e" may be chance, or is a loss to a limit.
    #expect(
      tableRows(cases).filter { $0.hasPrefix("| coding") || $0.hasPrefix("| tool") } == [
        "| coding: a | 1.00 M/s | plist **12.0** [10.8, 13.2] |",
        "| coding: b | 1.00 M/s | JSON **0.80** [0.72, 0.88] |",
        "| coding: d | 1.00 M/s | plist **0.50** [0.45, 0.55] |", "| tool: f | 1.00 M/s | JSON **1.20** [1.08, 1.32] |",
      ])
  }

  @Test func readmeStatesTheNumberOfOmittedRows() {
    let json = Contender("JSON", .peer)
    let rows = tableRows((0..<100).map { result(.coding, "case \($0)", [(json, 0.1 + Double($0) / 200)]) })
    #expect(rows.count { $0.hasPrefix("| coding") } == ReadmeTable.longest)
    let text = rows.joined(separator: "\n")
    expect(text, has: ["apart from 70 cases with lesser losses", "| coding: case 0 |", "| coding: case 99 |"])
    #expect(!text.contains("case 50 "))
  }

  @Test func onlyTheTextBetweenOnePairOfMarkersIsReplaced() throws {
    let place = "# Fast\n\n\(ReadmeTable.begin)\nold\n\(ReadmeTable.end)\nbelow\n"
    let table = ReadmeTable(SampleRun.run)
    let text = try table.replacing(in: place)
    #expect(text.hasPrefix("# Fast\n\n\(ReadmeTable.begin)\n\n| what |"))
    #expect(text.hasSuffix("\n\n\(ReadmeTable.end)\nbelow\n") && !text.contains("\nold\n"))
    #expect(try table.replacing(in: text) == text)
    let (begin, end) = (ReadmeTable.begin, ReadmeTable.end)
    for other in ["", "\(begin)\n", "\(end)\n\(begin)\n", place + place] {
      #expect(throws: ReadmeTable.MarkersMissing.self) { try table.replacing(in: other) }
    }
  }

  // MARK: Results that this program has not written

  private func show(_ run: RunResult) throws {
    let read = try RunResult(jsonData: run.jsonData)
    let texts = [
      HTMLReport(read).markup, MarkdownReport(read).text, ReadmeTable(read).text, RunComparison(read, read).text,
    ]
    #expect(!(texts + read.cases.map { ResultText.summary(of: $0) }).contains(""))
    #expect(ResultText.tables(of: read).isEmpty == (read.cases.isEmpty && read.curves.isEmpty))
  }

  private static let edges: [Double] = [
    0, -1, -0.5, .leastNonzeroMagnitude, 1e-300, 1e15, 1e19, 1e30, .greatestFiniteMagnitude, -.greatestFiniteMagnitude,
  ]

  @Test(arguments: edges)
  func anyNumberCanBeReported(one: Double) throws {
    for other in Self.edges {
      var run = SampleRun.run
      run.circumstances.memoryKibibytes = Int.min
      run.circumstances.load = one
      for index in run.cases.indices {
        run.cases[index].amount = one
        run.cases[index].bytesPerItem = other
        run.cases[index].figures = [Figure("a", one, unit: "x", goal: other)]
        run.cases[index].verdicts = ["", "s", "KiB", "B/s"].map { Verdict("a", one, other, unit: $0, isMet: false) }
        for item in run.cases[index].contenders.indices {
          run.cases[index].contenders[item].seconds = [one, other, one]
          run.cases[index].contenders[item].allocations = other
          run.cases[index].contenders[item].peakKibibytes = Int.max
          run.cases[index].contenders[item].ratio = Estimate(median: one, low: other, high: one)
        }
      }
      run.curves = [WorkUnit.items, .bytes].map { unit in
        Curve(
          suite: .stream, name: "\(unit)", unit: unit,
          lines: [.init(contender: Contender("a", .ours), points: [.init(amount: one, seconds: other)])])
      }
      try show(run)
    }
  }

  @Test func emptyAndDuplicateResultsCanBeReported() throws {
    var run = SampleRun.run
    run.curves = [Curve(suite: .stream, name: "", unit: .bytes, lines: [], failure: "")]
    run.cases[0].contenders = []
    run.cases[1].contenders[0].seconds = []
    try show(run)
    try show(RunResult(circumstances: SampleRun.circumstances))
    run = SampleRun.run
    run.cases += run.cases
    run.cases[0].contenders += run.cases[0].contenders
    try show(run)
  }
}

/// A text in XML, of which tests need few attributes.
private struct Markup {
  let text: String

  var isWellFormed: Bool { XMLParser(data: Data(text.utf8)).parse() }

  /// Returns the parts of the text that begin after the name of an element.
  func elements(_ name: String) -> [String] {
    Array(text.components(separatedBy: "<\(name) ").dropFirst())
  }

  /// Returns the values of an attribute that are numbers.
  func numbers(_ attribute: String) -> [Double] {
    Self.values(attribute, in: text).compactMap { Double($0) }
  }

  private static func values(_ attribute: String, in text: some StringProtocol) -> [Substring] {
    " \(text)".components(separatedBy: " \(attribute)=\"").dropFirst().map { $0.prefix { $0 != "\"" } }
  }

  /// The approximate start and end of each piece of text.
  var textRuns: [(from: Double, to: Double)] {
    elements("text").map { element in
      let tag = element.prefix { $0 != ">" }
      func number(_ attribute: String) -> Double {
        Self.values(attribute, in: tag).first.flatMap { Double($0) } ?? .infinity
      }
      // A character may be written as an entity.
      let content = element.dropFirst(tag.count + 1).prefix { $0 != "<" }.replacing(/&[^;]*;/, with: "x")
      let (x, length) = (number("x"), Double(content.count) * number("font-size") * 0.56)
      switch Self.values("text-anchor", in: tag).first {
      case "middle": return (x - length / 2, x + length / 2)
      case "end": return (x - length, x)
      default: return (x, x + length)
      }
    }
  }
}
