// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import ItemTransfer
import TestSupport
import Testing

@testable import DragPipeTool

@Suite("The line of progress", .serialized, .limited, .timeLimit(.minutes(5)))
struct ProgressLineTests {
  private static let middle = TransferSnapshot(
    phase: .transferring, item: 2, name: "Gilgamesh.png", totalItems: 5, bytes: 12_345_678, totalBytes: 27_100_000)

  @Test("a wide terminal shows all pieces, and a narrow terminal the important pieces")
  func narrowTerminalsShowImportantPieces() {
    let line = ProgressLine(action: "sending", snapshot: Self.middle, rate: Self.rate(4_200_000))
    let expected = [
      120: "sending   45%  [##########--------------]  12.3 of 27.1 MB  4.2 MB/s  0:04 left  2 of 5: Gilgamesh.png",
      100: "sending   45%  [##########--------------]  12.3 of 27.1 MB  4.2 MB/s  0:04 left  2 of 5: Gilgamesh…",
      80: "sending   45%  [#######---------]  12.3 of 27.1 MB  4.2 MB/s  0:04 left  2 of 5",
      72: "sending   45%  [#######---------]  12.3 of 27.1 MB  4.2 MB/s  0:04 left",
      71: "sending   45%  [####------]  12.3 of 27.1 MB  4.2 MB/s  0:04 left",
      60: "sending   45%  [####------]  12.3 of 27.1 MB  4.2 MB/s",
      45: "sending   45%  [####------]  12.3 of 27.1 MB",
      44: "sending   45%  [####------]  4.2 MB/s",
      40: "sending   45%  [####------]  4.2 MB/s",
      30: "sending   45%  [####------]",
      28: "sending   45%  [####------]",
      27: "sending   45%  4.2 MB/s",
      20: "sending   45%",
      19: "45% 4.2 MB/s",
      12: "45%",
      4: "45%",
      3: "",
      1: "",
      0: "",
    ]
    for (columns, text) in expected { #expect(line.text(columns: columns) == text, "\(columns) columns") }
  }

  @Test("on a narrow terminal the bar keeps its position from the first byte to the last", arguments: [30, 40, 48, 80])
  func barKeepsItsPosition(_ columns: Int) {
    for part in UInt64(0)...2000 {
      let snapshot = TransferSnapshot(
        phase: .transferring, item: 1, totalItems: 1, bytes: part << 20, totalBytes: 2000 << 20)
      let line = ProgressLine(action: "receiving", snapshot: snapshot, rate: Self.rate(part << 20))
      #expect(line.text(columns: columns).dropFirst(17).first == "[", "\(line.text(columns: columns))")
    }
  }

  @Test("the phases before and after the transfer are named")
  func phasesHaveNames() {
    var snapshot = TransferSnapshot(totalItems: 5)
    #expect(text(snapshot) == "preparing  5 items")
    snapshot.totalItems = nil
    #expect(text(snapshot) == "preparing")
    snapshot = Self.middle
    snapshot.phase = .verifying
    snapshot.bytes = 27_100_000
    #expect(text(snapshot) == "verifying  100%  [################]  27.1 of 27.1 MB  2 of 5: Gilgamesh.png")
  }

  @Test("without a total, the line shows the bytes, and the share of the current item if its size is known")
  func unknownTotalShowsBytesAndItemShare() {
    var snapshot = TransferSnapshot(phase: .transferring, item: 3, name: "Kaguya", bytes: 999)
    #expect(text(snapshot) == "sending  999 B  item 3: Kaguya")
    snapshot.itemBytes = 500
    snapshot.totalItemBytes = 2000
    #expect(text(snapshot) == "sending   25%  [####------------]  500 B of 2.00 kB  item 3: Kaguya")
    snapshot.totalItemBytes = nil
    #expect(text(snapshot, columns: 12) == "999 B")
  }

  @Test("one item needs no number, a nameless item no name, and the share never exceeds 100 %")
  func oneItemNeedsNoNumber() {
    var snapshot = TransferSnapshot(phase: .transferring, item: 1, name: "Yennenga", totalItems: 1, totalBytes: 0)
    #expect(text(snapshot) == "sending  100%  [################]  0 of 0 B  Yennenga")
    snapshot.name = nil
    snapshot.bytes = 7
    #expect(text(snapshot) == "sending  100%  [################]  7 of 7 B")
    snapshot.item = 4
    #expect(text(snapshot) == "sending  100%  [################]  7 of 7 B  4 of 4")
  }

  @Test("a hostile name has no control characters in the line")
  func escapesHostileNames() {
    let snapshot = TransferSnapshot(
      phase: .transferring, item: 1, name: "\u{1B}]0;x\u{7}\r\n\u{202E}gnp.木蘭\u{2028}", bytes: 1)
    #expect(
      text(snapshot, columns: 200)
        == #"sending  1 B  item 1: \u{1b}]0;x\u{7}\u{d}\u{a}\u{202e}gnp.木蘭\u{2028}"#)
  }

  @Test("amounts are short, and never exceed the real amounts")
  func amountsAreShortAndNeverTooLarge() {
    let bytes: [(UInt64, String)] = [
      (0, "0 B"), (999, "999 B"), (1000, "1.0 kB"), (1999, "1.9 kB"), (99_999, "99.9 kB"), (100_000, "100 kB"),
      (999_999, "999 kB"), (1_000_000, "1.0 MB"), (.max, "18.4 EB"),
    ]
    for (count, text) in bytes { #expect(ProgressAmounts.bytes(count) == text) }
    #expect(ProgressAmounts.bytes(999_999, of: 1_000_000) == "999 kB of 1.000 MB")
    #expect(ProgressAmounts.percent(999_999, of: 1_000_000) == 99)
    #expect(ProgressAmounts.percent(.max - 1, of: .max) == 99)
    #expect(ProgressAmounts.percent(.max, of: .max) == 100)
    let times: [(UInt64, String)] = [
      (0, "0:00"), (59, "0:59"), (61, "1:01"), (3599, "59:59"), (3600, "1:00:00"), (359_999, "99:59:59"),
      (360_000, "4 days"), (.max, "9999 days"),
    ]
    for (seconds, text) in times { #expect(ProgressAmounts.time(seconds) == text) }
  }

  @Test func amountsAgreeWithThePercentage() throws {
    #expect(ProgressAmounts.bytes(1_500_000_000, of: 1_579_000_000) == "1.500 of 1.579 GB")
    var random = SeededGenerator.announced("amounts")
    for _ in 0..<2000 {
      let total = max(1, anySize(&random))
      let done = UInt64.random(in: 0...total, using: &random)
      let text = ProgressAmounts.bytes(done, of: total)
      let words = text.split(separator: " ").map { String($0) }
      let ofIndex = try #require(words.firstIndex(of: "of"))
      let scales = ["B": 1, "kB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12, "PB": 1e15, "EB": 1e18]
      let totalScale = try #require(scales[words[words.count - 1]])
      let doneScale = ofIndex == 2 ? try #require(scales[words[1]]) : totalScale
      let shownDone = try #require(Double(words[0])) * doneScale
      let shownTotal = try #require(Double(words[ofIndex + 1])) * totalScale
      let shown = shownDone / shownTotal * 100
      #expect(abs(shown - Double(ProgressAmounts.percent(done, of: total))) < 1.01, "\(done) of \(total): \(text)")
      #expect((shownDone == shownTotal) == (done == total), "\(done) of \(total): \(text)")
    }
  }

  @Test("no line is wider than its terminal less one column")
  func neverTooWide() {
    var random = SeededGenerator.announced("progress lines")
    let alphabet = Array("aZ9 .木蘭かぐや👍🏽🇬🇷❤\u{FE0F}e\u{301}\u{1B}\u{202E}\u{200D}\n\\Ἀשُ".unicodeScalars)
    for _ in 0..<60 {
      var name = String.UnicodeScalarView()
      for _ in 0..<Int.random(in: 0...90, using: &random) { name.append(alphabet.randomElement(using: &random) ?? "a") }
      var snapshot = TransferSnapshot()
      snapshot.phase = ItemProgress.Phase.allCases.randomElement(using: &random) ?? .preparing
      snapshot.item = Int(anySize(&random) >> 1)
      snapshot.bytes = anySize(&random)
      if Bool.random(using: &random) { snapshot.name = String(name) }
      if Bool.random(using: &random) { snapshot.totalItems = Int(anySize(&random) >> 1) }
      if Bool.random(using: &random) { snapshot.totalBytes = anySize(&random) }
      if Bool.random(using: &random) { snapshot.totalItemBytes = anySize(&random) }
      let rate = Self.rate(anySize(&random))
      let line = ProgressLine(
        action: "receiving", snapshot: snapshot, rate: rate, hasBar: Bool.random(using: &random))
      for columns in 1...200 {
        let text = line.text(columns: columns)
        #expect(text.columnCount <= columns - 1, "\(columns) columns: \(text)")
        #expect(!text.unicodeScalars.contains { $0.value < 0x20 || $0 == "\u{202E}" || $0 == "\u{200D}" })
      }
    }
  }

  /// Returns a number of any bit length.
  ///
  /// Equally likely numbers would almost never be small.
  private func anySize(_ random: inout SeededGenerator) -> UInt64 {
    let bits = UInt64.random(in: 0...63, using: &random)
    return UInt64.random(in: 0...(.max), using: &random) >> bits
  }

  private func text(_ snapshot: TransferSnapshot, columns: Int = 80) -> String {
    ProgressLine(action: "sending", snapshot: snapshot, rate: TransferRate()).text(columns: columns)
  }

  private static func rate(_ bytesPerSecond: UInt64) -> TransferRate {
    var rate = TransferRate()
    rate.add(0, at: .zero)
    rate.add(bytesPerSecond, at: .seconds(1))
    return rate
  }
}
