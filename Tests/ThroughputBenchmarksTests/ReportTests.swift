// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import BenchmarkKit
internal import Foundation
internal import Testing

@Suite("Reports of the benchmarks")
struct ReportTests {
  @Test("the page is well-formed, and nothing in it is taken for markup that should not be")
  func page() throws {
    let page = HTMLReport(SampleRun.run).markup
    #expect(!page.contains("<script"))
    #expect(page.contains("&lt;script&gt;alert(1)&lt;/script&gt;"))
    #expect(page.contains("&lt;b&gt;&quot;Quick&quot; &amp; &#39;small&#39;&lt;/b&gt;"))
    #expect(page.contains("failed: no &lt;disk&gt;"))
    #expect(page.contains("pv is not installed: left out"))
    // A parser of XML reads what is between the tags that HTML need not close.
    let start = try #require(page.range(of: "<main>"))
    let end = try #require(page.range(of: "</main>"))
    let parser = XMLCheck(String(page[start.lowerBound..<end.upperBound]).replacingOccurrences(of: " open>", with: ">"))
    #expect(parser.error == nil)
    #expect(parser.count(of: "svg") == 6)
  }

  @Test("the page needs nothing from elsewhere")
  func selfContained() {
    let page = HTMLReport(SampleRun.run).markup.replacingOccurrences(
      of: "xmlns=\"http://www.w3.org/2000/svg\"", with: "")
    for text in ["http:", "https:", "src=", "href=", "@import", "url("] { #expect(!page.contains(text)) }
    #expect(page.contains("prefers-color-scheme: dark"))
  }

  @Test("everything drawn lies within the picture", arguments: [340.0, 900])
  func bounds(width: Double) throws {
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

  @Test("bars begin at 1.0: to the right what is faster, to the left what is slower")
  func bars() throws {
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

  @Test("tables say what is faster than this package, and what goal was missed")
  func markdown() {
    let text = MarkdownReport(SampleRun.run).text
    #expect(text.contains("| cards \\| &lt;script>alert(1)&lt;/script>, encode | 1.00 M/s |"))
    #expect(text.contains("Foundation JSON **9.00** [5.50, 10.0]; by hand **0.50** [0.25, 0.50]"))
    #expect(text.contains("### Where others are faster\n\n- tool/one file: cat \\| cat takes 0.50 of our time (too few"))
    #expect(text.contains("peak memory, times the output 1.75 x, goal 1.50"))
    #expect(!text.contains("broken"))
    #expect(text.contains("\n\n    swift run -c release ThroughputBenchmarks --quick\n"))
  }

  @Test("a loss to any member of a group is said, though the best of the group may be level by chance")
  func chance() {
    var run = SampleRun.run
    run.cases[1].contenders[1].contender.group = "plain"
    run.cases[1].contenders[1].ratio = Estimate(median: 0.5, low: 0.4, high: 0.6)
    run.cases[1].contenders.append(
      ContenderResult(
        contender: Contender("dd | dd", .peer, group: "plain"), seconds: [0.03],
        ratio: Estimate(median: 0.4, low: 0.3, high: 1.1)))
    let text = MarkdownReport(run).text
    #expect(text.contains("dd \\| dd **0.40** [0.30, 1.10]"))
    #expect(text.contains("### Where others are faster\n\n- tool/one file: cat \\| cat takes 0.50 of our time\n"))
    run.cases[1].contenders[1].ratio = Estimate(median: 0.5, low: 0.3, high: 1.1)
    #expect(MarkdownReport(run).text.contains("### Where others are faster\n\nIn this run, nowhere.\n"))
  }

  @Test("limits that are faster are said, but apart from what can be picked instead")
  func limits() {
    let text = MarkdownReport(SampleRun.run).text
    #expect(text.contains("### Where code written by hand for nothing but the case is faster\n\n- coding/cards"))
    #expect(text.contains("encode: by hand takes 0.50 of our time\n"))
  }

  @Test("the terminal's tables have a line for each contender")
  func terminal() {
    let text = ResultText.tables(of: SampleRun.run)
    #expect(text.contains("  Foundation JSON   100 k/s   10.0 ms ±5 %  9.00 x [5.50, 10.0]"))
    #expect(text.contains("FAILED: no <disk>"))
    #expect(text.contains("goal at most 1.50: MISSED"))
    #expect(text.split(separator: "\n").allSatisfy { !$0.hasSuffix(" ") })
  }

  @Test("two runs are alike when nine of ten intervals overlap")
  func comparison() {
    var other = SampleRun.run
    #expect(RunComparison(SampleRun.run, other).isAlike)
    other.cases[0].contenders[1].ratio = Estimate(median: 12, low: 11, high: 13)
    let comparison = RunComparison(SampleRun.run, other)
    #expect(!comparison.isAlike)
    #expect(comparison.overlapping == 1 && comparison.apart.count == 1)
    // Of a single repetition there is no interval.
    #expect(comparison.left == ["tool/one file, cat | cat"])
    #expect(comparison.text.contains("9.00 x [5.50, 10.0] and 12.0 x [11.0, 13.0]"))
    #expect(comparison.text.hasSuffix("1 of 2 intervals overlap (50.0 %)\n"))
  }
}
