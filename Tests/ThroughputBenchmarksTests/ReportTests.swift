// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import BenchmarkKit
internal import Foundation
import TestSupport
internal import Testing

@Suite("Reports of the benchmarks", .serialized, .limited, .timeLimit(.minutes(5)))
struct ReportTests {
  @Test("the page is well-formed, with all text escaped")
  func pageIsWellFormed() throws {
    let page = HTMLReport(SampleRun.run).markup
    #expect(!page.contains("<script"))
    #expect(page.contains("&lt;script&gt;alert(1)&lt;/script&gt;"))
    #expect(page.contains("&lt;b&gt;&quot;Quick&quot; &amp; &#39;small&#39;&lt;/b&gt;"))
    #expect(page.contains("failed: no &lt;disk&gt;"))
    #expect(page.contains("pv is not installed: left out"))
    // Parses only the main part as XML, since HTML need not close the tags around it.
    let start = try #require(page.range(of: "<main>"))
    let end = try #require(page.range(of: "</main>"))
    let parser = XMLCheck(String(page[start.lowerBound..<end.upperBound]).replacingOccurrences(of: " open>", with: ">"))
    #expect(parser.error == nil)
    #expect(parser.count(of: "svg") == 6)
  }

  @Test("the page refers to no other file")
  func pageIsSelfContained() {
    let page = HTMLReport(SampleRun.run).markup.replacingOccurrences(
      of: "xmlns=\"http://www.w3.org/2000/svg\"", with: "")
    for text in ["http:", "https:", "src=", "href=", "@import", "url("] { #expect(!page.contains(text)) }
    #expect(page.contains("prefers-color-scheme: dark"))
  }

  @Test("all drawn elements are within the picture", arguments: [340.0, 900, 1080])
  func drawingStaysInThePicture(width: Double) throws {
    let ratios = try #require(RatioChart(SampleRun.run.cases, title: "ratios"))
    let scaling = try #require(ScalingChart(SampleRun.run.curves[0]))
    for picture in [ratios.picture(width: width), scaling.picture(width: width)] {
      let check = XMLCheck(picture.markup())
      #expect(check.error == nil)
      for (name, limit) in [("x", picture.width), ("x1", picture.width), ("x2", picture.width), ("y", picture.height)] {
        let places = check.numbers(name)
        #expect(!places.isEmpty)
        #expect(places.allSatisfy { $0 >= 0 && $0 <= limit })
      }
      #expect(check.textRuns(width: width).allSatisfy { $0.from >= -1 && $0.to <= width + 1 })
    }
  }

  @Test("bars start at 1.0: faster to the right, slower to the left")
  func barsStartAtOne() throws {
    let chart = try #require(RatioChart(SampleRun.run.cases, title: "ratios"))
    let markup = chart.picture(width: 900).markup()
    let faster = try #require(markup.split(separator: "\n").first { $0.contains("class=\"faster\"") })
    let slower = try #require(markup.split(separator: "\n").first { $0.contains("class=\"slower\"") })
    let axis = try #require(markup.split(separator: "\n").first { $0.contains("class=\"axis\"") })
    let one = try #require(XMLCheck(String(axis)).numbers("x1").first)
    #expect(XMLCheck(String(faster)).numbers("x").first == one)
    let (x, length) = (XMLCheck(String(slower)).numbers("x")[0], XMLCheck(String(slower)).numbers("width")[0])
    #expect(abs(x + length - one) < 0.2)
  }

  @Test("tables have a line for each contender, including failed and omitted ones")
  func tablesShowFailuresAndOmissions() {
    let text = MarkdownReport(SampleRun.run).text
    #expect(text.contains("**cards \\| &lt;script&gt;alert(1)&lt;/script&gt;, encode (1.00 k)**"))
    #expect(text.contains("\n| dragpipe CBOR | 1.00 M/s | 1.00 ms ±25 % | 3 | 1 | 2.00 | 512 KiB heap |\n"))
    #expect(text.contains("\n| Foundation JSON | 100 k/s | 10.0 ms ±5 % | 3 | 9.00 x \\[5.50, 10.0\\] | - | - |\n"))
    #expect(
      text.contains("### Where others are faster\n\n- tool/one file: cat \\| cat takes 0.50 of our time (too few"))
    #expect(text.contains("peak memory, times the output: 1.75 x, goal at most 1.50: MISSED"))
    #expect(text.contains("### What failed\n\n- file/broken: no &lt;disk&gt;\n"))
    #expect(text.contains("### Omitted\n\n- pv is not installed: left out\n"))
    #expect(text.contains("### By size\n\n**stream: cards through a pipe**\n\n| size | dragpipe, verified |"))
    #expect(text.contains("| 1.00 k | 167 k/s | 125 k/s |"))
    #expect(text.contains("\n\n    swift run -c release ThroughputBenchmarks --quick\n"))
  }

  @Test("no text from a file of results becomes markup or leaves its line")
  func markdownIsEscaped() {
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

  @Test("goals for memory and rates, and axes of bytes, use the units of the tables")
  func unitsAgreeWithTheTables() throws {
    let memory = Verdict("peak memory", 65_536, 32_768, unit: "KiB", isMet: false)
    let rate = Verdict("bytes a second", 1_073_741_824, 536_870_912, unit: "B/s", isMet: true)
    var run = SampleRun.run
    run.cases[1].verdicts = [memory, rate]
    let text = ResultText.tables(of: run)
    #expect(text.contains("goal, peak memory: 32.0 MiB, is 64.0 MiB: MISSED"))
    #expect(text.contains("goal, bytes a second: 512 MiB/s, is 1.00 GiB/s"))
    var curve = run.curves[0]
    curve.unit = .bytes
    curve.lines[0].points = [0, 8, 16, 24, 32].map { .init(amount: Double(1 << $0), seconds: 1e-3) }
    let markup = try #require(ScalingChart(curve)).picture(width: 900).markup()
    #expect(markup.contains(">1 MiB<") && markup.contains(">1 GiB<") && !markup.contains("MB<"))
  }

  @Test("a point of a curve shows the spread of its repetitions, within the axis")
  func pointShowsItsSpread() throws {
    var curve = SampleRun.run.curves[0]
    #expect(curve.lines[0].points[1].extremes == nil)
    #expect(try !#require(ScalingChart(curve)).picture(width: 900).markup().contains("spread"))
    curve.lines[0].points[1].repetitions = [0.006, 0.003, 0.06]
    let extremes = try #require(curve.lines[0].points[1].extremes)
    #expect(abs(extremes.least - 16_667) < 1 && abs(extremes.greatest - 333_333) < 1)
    let markup = try #require(ScalingChart(curve)).picture(width: 900).markup()
    // The spread begins at the top of the plot, since no other point has a higher rate.
    #expect(markup.contains("class=\"spread series0\"") && markup.contains("y2=\"28\""))
    #expect(HTMLReport(SampleRun.run).markup.contains(".spread.series0"))
  }

  @Test("if a case works on few of many items, the rate counts those")
  func workOfPoints() {
    #expect(Curve.Point(amount: 1000, seconds: 0.5).rate == 2000)
    #expect(Curve.Point(amount: 1000, seconds: 0.5, work: 20).rate == 40)
  }

  @Test("if the length of an item is known, both rates are shown")
  func bothRatesAreShown() {
    var result = SampleRun.run.cases[0]
    result.bytesPerItem = 1024
    #expect(CaseRows(result).rows[0][1] == "1.00 M/s, 977 MiB/s")
    result.unit = .bytes
    result.amount = 1_024_000
    #expect(CaseRows(result).rows[0][1] == "977 MiB/s, 1.00 M/s")
  }

  @Test("a loss to any member of a group is shown, even if the best of the group is level by chance")
  func lossToAGroupMemberIsShown() {
    var run = SampleRun.run
    run.cases[1].contenders[1].contender.group = "plain"
    run.cases[1].contenders[1].ratio = Estimate(median: 0.5, low: 0.4, high: 0.6)
    run.cases[1].contenders.append(
      ContenderResult(
        contender: Contender("dd | dd", .peer, group: "plain"), seconds: [0.03],
        ratio: Estimate(median: 0.4, low: 0.3, high: 1.1)))
    let text = MarkdownReport(run).text
    #expect(text.contains("| dd \\| dd |"))
    #expect(text.contains("### Where others are faster\n\n- tool/one file: cat \\| cat takes 0.50 of our time\n"))
    run.cases[1].contenders[1].ratio = Estimate(median: 0.5, low: 0.3, high: 1.1)
    #expect(MarkdownReport(run).text.contains("### Where others are faster\n\nIn this run, nowhere.\n"))
  }

  @Test("faster limits are shown apart from the alternatives")
  func limitsAreShownApart() {
    let text = MarkdownReport(SampleRun.run).text
    #expect(text.contains("### Where code written by hand for nothing but the case is faster\n\n- coding/cards"))
    #expect(text.contains("encode: by hand takes 0.50 of our time\n"))
  }

  @Test("the terminal's tables have a line for each contender")
  func terminalTableHasEveryContender() {
    let text = ResultText.tables(of: SampleRun.run)
    #expect(text.contains("  Foundation JSON   100 k/s   10.0 ms ±5 %  3  9.00 x [5.50, 10.0]"))
    #expect(text.contains("failed: no <disk>"))
    #expect(text.contains("goal at most 1.50: MISSED"))
    #expect(text.split(separator: "\n").allSatisfy { !$0.hasSuffix(" ") })
  }

  @Test("two runs are alike if nine of ten intervals overlap")
  func runsAreAlikeIfIntervalsOverlap() {
    var other = SampleRun.run
    #expect(RunComparison(SampleRun.run, other).outcome == .alike)
    other.cases[0].contenders[1].ratio = Estimate(median: 12, low: 11, high: 13)
    let comparison = RunComparison(SampleRun.run, other)
    #expect(comparison.outcome == .apart)
    #expect(comparison.overlapping == 1 && comparison.apart.count == 1)
    // A single repetition has no interval.
    #expect(
      comparison.left == [
        "tool/one file, cat | cat: too few repetitions for an interval", "file/broken: failed in the first run",
      ])
    #expect(comparison.text.contains("9.00 x [5.50, 10.0] and 12.0 x [11.0, 13.0]"))
    #expect(comparison.text.hasSuffix("1 of 2 intervals overlap (50.0 %)\n"))
  }

  @Test("unrelated runs are neither alike nor different")
  func unrelatedRunsAreNotCompared() throws {
    let few = "no ratio has an interval in both runs, which takes six repetitions"
    var one = SampleRun.run
    one.cases = [one.cases[1]]
    #expect(RunComparison(one, one).outcome == .incomparable(few))
    #expect(RunComparison(one, one).text.hasSuffix("nothing to compare: \(few)\n"))
    var (large, small) = (SampleRun.run, SampleRun.run)
    large.circumstances.workload = Circumstances.Workload(items: 20_000, megabytes: 512, repetitions: 12)
    small.circumstances.workload = Circumstances.Workload(items: 500, megabytes: 512, repetitions: 12)
    guard case .incomparable = RunComparison(large, small).outcome else {
      Issue.record("other workloads were compared")
      return
    }
    small.circumstances.workload = Circumstances.Workload(items: 20_000, megabytes: 512, repetitions: 6)
    #expect(RunComparison(large, small).outcome == .alike)
    small.cases[0].amount = 1
    #expect(RunComparison(large, small).left.contains("\(small.cases[0].identifier): other amounts"))
  }
}
