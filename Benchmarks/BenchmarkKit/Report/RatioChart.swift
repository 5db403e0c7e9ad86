// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// The ratios of one suite as bars that begin at 1.0.
///
/// A bar to the right means that this package is faster.
package struct RatioChart: Sendable {
  private struct Row {
    let name: String
    let kind: Contender.Kind
    let ratio: Estimate
  }

  private let title: String
  private let groups: [(name: String, rows: [Row])]

  private static let size = 13.0
  private static let rowHeight = 20.0
  private static let valueWidth = 64.0

  /// Creates a chart of the cases that have a ratio, or returns `nil` if there are none.
  package init?(_ results: [CaseResult], title: String) {
    self.title = title
    groups = results.compactMap { result in
      let rows = result.contenders.compactMap { item in
        item.ratio.map { Row(name: item.contender.label, kind: item.contender.kind, ratio: $0) }
      }
      return rows.isEmpty ? nil : (result.name, rows)
    }
    if groups.isEmpty { return nil }
  }

  /// Draws the chart for a page of `width`.
  ///
  /// On a narrow page, each name is above its bar.
  package func picture(width: Double) -> SVGPicture {
    let isNarrow = width < 600
    let nameWidth = isNarrow ? 0 : 320.0
    let (left, right) = (nameWidth + 8, width - Self.valueWidth - 8)
    let values = groups.flatMap {
      $0.rows.flatMap { [$0.ratio.low ?? $0.ratio.median, $0.ratio.high ?? $0.ratio.median] }
    }
    let scale = LogScale(holding: values + [0.5, 2], from: left, to: right)
    let step = isNarrow ? Self.rowHeight * 1.8 : Self.rowHeight
    let top = 30.0
    let heights = groups.map { 30 + Double($0.rows.count) * step }
    var picture = SVGPicture(width: width, height: top + heights.reduce(0, +) + 26, title: title)
    let ticks = scale.ticks(atMost: max(3, Int((right - left) / 46)))
    drawAxis(ticks, &picture, scale, [top - 8, picture.height - 10])
    var y = top
    for group in groups {
      y += 22
      picture.text(group.name, 4, y, size: Self.size, style: "text strong", room: width - 8)
      y += 8
      for row in group.rows {
        // Grid lines are drawn only behind bars, so that no line crosses a name.
        let bar = isNarrow ? y + 15 : y
        drawGrid(ticks, &picture, scale, from: bar, to: bar + Self.rowHeight)
        drawName(row, &picture, y: y, nameWidth: nameWidth, isNarrow: isNarrow)
        drawBar(row, &picture, scale, y: bar)
        y += step
      }
    }
    return picture
  }

  private func drawAxis(_ ticks: [Double], _ picture: inout SVGPicture, _ scale: LogScale, _ baselines: [Double]) {
    for y in baselines {
      for tick in ticks where abs(tick - 1) > 0.01 {
        picture.text(Figures.tick(tick), scale.position(of: tick), y, size: 12, anchor: .middle, style: "text faint")
      }
      picture.text("1.0", scale.position(of: 1), y, size: 12, anchor: .middle, style: "text strong")
    }
  }

  private func drawGrid(
    _ ticks: [Double], _ picture: inout SVGPicture, _ scale: LogScale, from top: Double, to bottom: Double
  ) {
    for tick in ticks where abs(tick - 1) > 0.01 {
      picture.line(scale.position(of: tick), top, scale.position(of: tick), bottom, style: "grid")
    }
    picture.line(scale.position(of: 1), top, scale.position(of: 1), bottom, style: "axis")
  }

  private func drawName(_ row: Row, _ picture: inout SVGPicture, y: Double, nameWidth: Double, isNarrow: Bool) {
    if isNarrow {
      picture.text(row.name, 16, y + 12, size: Self.size, room: picture.width - 24)
    } else {
      picture.text(row.name, nameWidth, y + 14, size: Self.size, anchor: .end, room: nameWidth - 12)
    }
  }

  private func drawBar(_ row: Row, _ picture: inout SVGPicture, _ scale: LogScale, y: Double) {
    let (one, x) = (scale.position(of: 1), scale.position(of: row.ratio.median))
    let style = row.kind == .limit ? "limit" : row.ratio.median >= 1 ? "faster" : "slower"
    picture.rectangle(x: min(one, x), y: y + 4, width: abs(x - one), height: 12, style: style)
    if let low = row.ratio.low, let high = row.ratio.high {
      let (from, to) = (scale.position(of: low), scale.position(of: high))
      picture.line(from, y + 10, to, y + 10, style: "whisker")
      for end in [from, to] { picture.line(end, y + 6, end, y + 14, style: "whisker") }
    }
    picture.text(
      "\(Figures.number(row.ratio.median)) x", picture.width - 4, y + 14, size: Self.size, anchor: .end,
      style: "text strong")
  }
}
