// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import HeroCards
internal import TestSupport
internal import Testing

@Suite(.serialized, .limited, .timeLimit(.minutes(5)))
struct HeroTimestampTests {
  private func seconds(_ text: String) -> Double? {
    Hero(id: 1, name: "", modified: text).modifiedDate?.timeIntervalSince1970
  }

  @Test(arguments: [
    ("2014-04-29T14:18:17-0400", 1_398_795_497.0), ("2014-04-29T18:18:17Z", 1_398_795_497),
    ("2014-04-29T23:48:17+05:30", 1_398_795_497), ("2014-04-29T23:48:17+0530", 1_398_795_497),
    ("1969-12-31T19:00:00-0500", 0), ("1970-01-01T00:00:00+0000", 0), ("1969-12-31T23:59:59Z", -1),
    ("2000-02-29T12:00:00Z", 951_825_600), ("9999-12-31T23:59:59Z", 253_402_300_799),
    ("0001-01-01T00:00:00Z", -62_135_596_800), ("0000-01-01T00:00:00Z", -62_167_219_200),
  ])
  func parsesDatesWithOffset(text: String, expected: Double) {
    #expect(seconds(text) == expected)
  }

  @Test(arguments: [
    "-0001-11-30T00:00:00-0500", "", "Z", "2014", "2014-04-29", "2014-04-29T14:18:17", "2014-04-29 14:18:17Z",
    "2014-04-29T14:18:17Z ", " 2014-04-29T14:18:17Z", "2014-04-29t14:18:17z", "2014-4-29T14:18:17Z",
    "2014-13-01T00:00:00Z", "2014-00-01T00:00:00Z", "2014-02-29T00:00:00Z", "1900-02-29T00:00:00Z",
    "2014-04-31T00:00:00Z", "2014-04-00T00:00:00Z", "2014-04-29T24:00:00Z", "2014-04-29T14:60:00Z",
    "2014-04-29T14:18:60Z", "2014-04-29T14:18:17-04", "2014-04-29T14:18:17-04000", "2014-04-29T14:18:17-0460",
    "2014-04-29T14:18:17+24:00", "2014-04-29T14:18:17+", "20140429T141817Z", "+2014-04-29T14:18:17Z",
    "２０１４-04-29T14:18:17Z", "2014-04-29T14:18:1é", "0x14-04-29T14:18:17Z", "2014-04-29T-1:18:17Z", "🐌🐌🐌🐌🐌🐌",
  ])
  func rejectsAllOtherTexts(text: String) {
    #expect(seconds(text) == nil)
  }

  @Test func parsesEveryDayOfFourCenturies() throws {
    var expected = try #require(seconds("1800-01-01T00:00:00Z"))
    for year in 1800..<2200 {
      for month in 1...12 {
        for day in 1...31 {
          let text = "\(year)-\(month < 10 ? "0" : "")\(month)-\(day < 10 ? "0" : "")\(day)T00:00:00Z"
          guard let found = seconds(text) else { continue }
          guard found == expected else {
            Issue.record("\(text) is \(found), not \(expected)")
            return
          }
          expected += 86_400
        }
      }
    }
    #expect(seconds("2200-01-01T00:00:00Z") == expected)
  }

  @Test func mutatedTimestampsDoNotTrap() {
    var generator = SeededGenerator.fresh("mutilated timestamps")
    let text = Array("2014-04-29T14:18:17-0400".unicodeScalars)
    for _ in 0..<2000 {
      var scalars = text
      for _ in 0..<Int.random(in: 1...3, using: &generator) {
        scalars[Int.random(in: scalars.indices, using: &generator)] =
          Unicode.Scalar(UInt32.random(in: 0...0x2FF, using: &generator)) ?? "x"
      }
      var mutilated = ""
      mutilated.unicodeScalars.append(contentsOf: scalars.prefix(Int.random(in: 0...24, using: &generator)))
      _ = seconds(mutilated)
    }
  }
}
