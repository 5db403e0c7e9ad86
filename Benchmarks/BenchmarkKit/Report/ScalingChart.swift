// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// A curve as a chart of rates by amount, on two logarithmic axes.
package struct ScalingChart: Sendable {
  private let curve: Curve

  private static let plotHeight = 240.0
  private static let styleCount = 6

  /// Creates a chart, or returns `nil` if no rate is positive.
  package init?(_ curve: Curve) {
    guard curve.lines.contains(where: { $0.points.contains { $0.rate > 0 } }) else { return nil }
    self.curve = curve
  }

  package func picture(width: Double) -> SVGPicture {
    let (left, right, top) = (72.0, width - 16, 28.0)
    let bottom = top + Self.plotHeight
    let points = curve.lines.flatMap(\.points).filter { $0.rate > 0 }
    let x = LogScale(holding: points.map(\.amount), from: left, to: right)
    let extremes = points.compactMap(\.extremes).flatMap { [$0.least, $0.greatest] }
    let y = LogScale(holding: points.map(\.rate) + extremes, from: bottom, to: top)
    let legend = legendPlaces(width: width)
    var picture = SVGPicture(
      width: width, height: bottom + 50 + (legend.last?.y ?? 0) + 12, title: "\(curve.name), by size")
    drawAxes(x, y, &picture, (left, right, top, bottom))
    for (index, line) in curve.lines.enumerated() {
      let style = "series\(index % Self.styleCount)"
      let places = line.points.filter { $0.rate > 0 }.map { (x.position(of: $0.amount), y.position(of: $0.rate)) }
      picture.polyline(places, style: "line \(style)")
      for point in line.points where point.rate > 0 {
        guard let (least, greatest) = point.extremes else { continue }
        let place = x.position(of: point.amount)
        picture.line(place, y.position(of: least), place, y.position(of: greatest), style: "spread \(style)")
      }
      for place in places { picture.circle(place.0, place.1, radius: 3, style: "dot \(style)") }
      let (column, row) = (legend[index].x, bottom + 50 + legend[index].y)
      picture.line(column, row, column + 24, row, style: "line \(style)")
      picture.circle(column + 12, row, radius: 3, style: "dot \(style)")
      picture.text(line.contender.label, column + 32, row + 4, size: 13, room: width - column - 36)
    }
    return picture
  }

  private func drawAxes(
    _ x: LogScale, _ y: LogScale, _ picture: inout SVGPicture,
    _ frame: (left: Double, right: Double, top: Double, bottom: Double)
  ) {
    picture.text(
      "\(curve.unit.rawValue) a second", 4, 14, size: 12, style: "text faint", room: frame.right)
    for tick in ticks(of: y, atMost: 7) {
      let place = y.position(of: tick)
      picture.line(frame.left, place, frame.right, place, style: "grid")
      picture.text(
        Figures.axis(tick, curve.unit), frame.left - 8, place + 4, size: 12, anchor: .end, style: "text faint")
    }
    for tick in ticks(of: x, atMost: max(3, Int((frame.right - frame.left) / 76))) {
      let place = x.position(of: tick)
      picture.line(place, frame.top, place, frame.bottom, style: "grid")
      picture.text(
        Figures.axis(tick, curve.unit), place, frame.bottom + 18, size: 12, anchor: .middle, style: "text faint")
    }
    picture.line(frame.left, frame.bottom, frame.right, frame.bottom, style: "axis")
    picture.line(frame.left, frame.top, frame.left, frame.bottom, style: "axis")
  }

  /// Returns ticks for an axis: powers of two for bytes, which tables show in units of powers of 1024.
  private func ticks(of scale: LogScale, atMost most: Int) -> [Double] {
    curve.unit == .bytes ? scale.binaryTicks(atMost: most) : scale.ticks(atMost: most)
  }

  /// Returns the positions of the names in the legend; each line has as many names as fit.
  private func legendPlaces(width: Double) -> [(x: Double, y: Double)] {
    var places: [(x: Double, y: Double)] = []
    var (x, y) = (8.0, 0.0)
    for line in curve.lines {
      let length = 52 + SVGPicture.width(of: line.contender.label, size: 13)
      if x > 8, x + length > width {
        (x, y) = (8, y + 20)
      }
      places.append((x, y))
      x += length
    }
    return places
  }
}
