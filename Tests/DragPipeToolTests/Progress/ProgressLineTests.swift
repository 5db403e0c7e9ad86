// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import Foundation
import ItemTransfer
import TestSupport
import Testing

@testable import DragPipeTool

@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct ProgressLineTests {
  private static let middle = TransferSnapshot(
    phase: .transferring, item: 2, name: "Gilgamesh.png", totalItems: 5, bytes: 12_345_678, totalBytes: 27_100_000)

  private func text(_ snapshot: TransferSnapshot, columns: Int = 80) -> String {
    ProgressLine(action: "sending", snapshot: snapshot, rate: TransferRate()).text(columns: columns)
  }

  private static func rate(_ bytesPerSecond: UInt64) -> TransferRate {
    var rate = TransferRate()
    rate.add(0, at: .zero)
    rate.add(bytesPerSecond, at: .seconds(1))
    return rate
  }

  @Test func narrowTerminalsShowImportantPieces() {
    let line = ProgressLine(action: "sending", snapshot: Self.middle, rate: Self.rate(4_200_000))
    for (columns, text) in [
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
      12: "45%", 4: "45%", 3: "", 1: "", 0: "",
    ] { #expect(line.text(columns: columns) == text, "\(columns) columns") }
  }

  @Test func barKeepsItsPosition() {
    for part in sampled(0..<2001, 200, "position of the bar").map(UInt64.init) {
      let snapshot = TransferSnapshot(
        phase: .transferring, item: 1, totalItems: 1, bytes: part << 20, totalBytes: 2000 << 20)
      let line = ProgressLine(action: "receiving", snapshot: snapshot, rate: Self.rate(part << 20))
      for columns in [30, 40, 48, 80] where line.text(columns: columns).dropFirst(17).first != "[" {
        Issue.record("\(columns) columns: \(line.text(columns: columns))")
      }
    }
  }

  @Test func lineShowsOnlyWhatIsKnownAndNecessary() {
    let hostile = "\u{1B}]0;x\u{7}\r\n\u{202E}gnp.木蘭\u{2028}"
    let item3 = TransferSnapshot(phase: .transferring, item: 3, name: "Kaguya", bytes: 999)
    var half = item3
    (half.itemBytes, half.totalItemBytes) = (500, 2000)
    var verifying = Self.middle
    (verifying.phase, verifying.bytes) = (.verifying, 27_100_000)
    for (snapshot, columns, text) in [
      (TransferSnapshot(totalItems: 5), 80, "preparing  5 items"), (TransferSnapshot(), 80, "preparing"),
      (verifying, 80, "verifying  100%  [################]  27.1 of 27.1 MB  2 of 5: Gilgamesh.png"),
      (item3, 80, "sending  999 B  item 3: Kaguya"), (item3, 12, "999 B"),
      (half, 80, "sending   25%  [####------------]  500 B of 2.00 kB  item 3: Kaguya"),
      // A single item needs no number, and the percentage never exceeds 100.
      (
        TransferSnapshot(phase: .transferring, item: 1, name: "Yennenga", totalItems: 1, totalBytes: 0), 80,
        "sending  100%  [################]  0 of 0 B  Yennenga"
      ),
      (
        TransferSnapshot(phase: .transferring, item: 1, totalItems: 1, bytes: 7, totalBytes: 0), 80,
        "sending  100%  [################]  7 of 7 B"
      ),
      (
        TransferSnapshot(phase: .transferring, item: 4, totalItems: 1, bytes: 7, totalBytes: 0), 80,
        "sending  100%  [################]  7 of 7 B  4 of 4"
      ),
      (
        TransferSnapshot(phase: .transferring, item: 1, name: hostile, bytes: 1), 200,
        #"sending  1 B  item 1: \u{1b}]0;x\u{7}\u{d}\u{a}\u{202e}gnp.木蘭\u{2028}"#
      ),
    ] { #expect(self.text(snapshot, columns: columns) == text) }
  }

  @Test func amountsAreShortAndNeverTooLarge() {
    let bytes: [(UInt64, String)] = [
      (0, "0 B"), (999, "999 B"), (1000, "1.0 kB"), (1999, "1.9 kB"), (99_999, "99.9 kB"), (100_000, "100 kB"),
      (999_999, "999 kB"), (1_000_000, "1.0 MB"), (.max, "18.4 EB"),
    ]
    #expect(bytes.map { ProgressAmounts.bytes($0.0) } == bytes.map(\.1))
    let parts = [(999_999, 1_000_000), (1_500_000_000, 1_579_000_000)].map { ProgressAmounts.bytes($0, of: $1) }
    #expect(parts == ["999 kB of 1.000 MB", "1.500 of 1.579 GB"])
    let shares: [(UInt64, UInt64, Int)] = [(999_999, 1_000_000, 99), (.max - 1, .max, 99), (.max, .max, 100)]
    #expect(shares.map { ProgressAmounts.percent($0.0, of: $0.1) } == shares.map(\.2))
    let times: [(UInt64, String)] = [
      (0, "0:00"), (59, "0:59"), (61, "1:01"), (3599, "59:59"), (3600, "1:00:00"), (359_999, "99:59:59"),
      (360_000, "4 days"), (.max, "9999 days"),
    ]
    #expect(times.map { ProgressAmounts.time($0.0) } == times.map(\.1))
  }

  /// Returns a number of any bit length.
  ///
  /// Equally likely numbers would almost never be small.
  private func anySize(_ random: inout SeededGenerator) -> UInt64 {
    let bits = UInt64.random(in: 0...63, using: &random)
    return UInt64.random(in: 0...(.max), using: &random) >> bits
  }

  @Test func amountsAgreeWithThePercentage() throws {
    let scales = ["B": 1, "kB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12, "PB": 1e15, "EB": 1e18]
    var random = SeededGenerator.announced("amounts")
    for _ in 0..<2000 {
      let total = max(1, anySize(&random))
      let done = UInt64.random(in: 0...total, using: &random)
      let text = ProgressAmounts.bytes(done, of: total)
      // Without its own unit, the first number has the unit of the total.
      let parts = text.components(separatedBy: " of ").map { $0.split(separator: " ").map(String.init) }
      let units = parts.compactMap { scales[$0.last ?? ""] }
      guard parts.count == 2, let scale = units.last, let some = Double(parts[0][0]), let all = Double(parts[1][0])
      else {
        Issue.record("\(text)")
        continue
      }
      let (shownDone, shownTotal) = (some * (units.count == 2 ? units[0] : scale), all * scale)
      let difference = shownDone / shownTotal * 100 - Double(ProgressAmounts.percent(done, of: total))
      if abs(difference) >= 1.01 || (shownDone == shownTotal) != (done == total) {
        Issue.record("\(done) of \(total): \(text)")
      }
    }
  }

  @Test func lineIsNeverTooWide() {
    var random = SeededGenerator.announced("progress lines")
    let alphabet = Array("aZ9 .木蘭かぐや👍🏽🇬🇷❤\u{FE0F}e\u{301}\u{1B}\u{202E}\u{200D}\n\\Ἀשُ".unicodeScalars)
    for _ in 0..<(isFullRun ? 200 : 20) {
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
      let line = ProgressLine(
        action: "receiving", snapshot: snapshot, rate: Self.rate(anySize(&random)),
        hasBar: Bool.random(using: &random))
      for columns in 1...200 {
        let text = line.text(columns: columns)
        // One column stays free, since a terminal may wrap a line that fills it.
        if text.columnCount > columns - 1
          || text.unicodeScalars.contains(where: { $0.value < 0x20 || $0 == "\u{202E}" })
        {
          Issue.record("\(columns) columns: \(text)")
        }
      }
    }
  }
}

@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct TransferRateTests {
  @Test func rateNeedsAnIntervalAndDistinctTimes() {
    /// Returns the rate after each sample.
    func rates(_ samples: [(UInt64, Duration)]) -> [UInt64?] {
      var rate = TransferRate()
      return samples.map { bytes, time in
        rate.add(bytes, at: time)
        return rate.bytesPerSecond
      }
    }
    #expect(TransferRate().bytesPerSecond == nil && TransferRate().secondsRemaining(for: 1) == nil)
    #expect(rates([(0, .zero), (1000, .milliseconds(100)), (5000, .milliseconds(500))]) == [nil, nil, 10_000])
    let still = Array(repeating: (UInt64(5), Duration.seconds(1)), count: 3)
    let later = rates(still + [(3605, .seconds(3601)), (.max, .seconds(3602))])
    #expect(later[..<4] == [nil, nil, nil, 1] && later[4] != nil)
  }

  @Test func rateIsAMeanOfRecentSamples() {
    var rate = TransferRate()
    // 1000 bytes arrive at the start of each second.
    for tenth in 0...100 { rate.add(UInt64(tenth / 10 * 1000), at: .milliseconds(tenth * 100)) }
    #expect(rate.bytesPerSecond == 1000)
    for tenth in 101...120 { rate.add(10_000, at: .milliseconds(tenth * 100)) }
    #expect(rate.bytesPerSecond == 500)
    for tenth in 121...160 { rate.add(10_000, at: .milliseconds(tenth * 100)) }
    #expect(rate.bytesPerSecond == 0)
    rate.add(18_000, at: .seconds(17))
    #expect(rate.bytesPerSecond == 2000)
  }

  @Test func remainingTimeIsRoundedUpAndUnknownWhileNothingMoves() {
    var rate = TransferRate()
    rate.add(0, at: .seconds(7))
    rate.add(300, at: .seconds(10))
    for (bytes, seconds) in [(0, 0), (1, 1), (100, 1), (101, 2), (.max, 184_467_440_737_095_517)] as [(UInt64, UInt64)]
    {
      #expect(rate.secondsRemaining(for: bytes) == seconds)
    }
    rate.add(300, at: .seconds(20))
    rate.add(300, at: .seconds(30))
    #expect(rate.bytesPerSecond == 0 && rate.secondsRemaining(for: 1) == nil && rate.secondsRemaining(for: 0) == 0)
  }
}

@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct TransferStateTests {
  @Test func bytesAreCountedWithoutOverflow() {
    var state = TransferState(keepsPhaseChanges: false)
    state.setTotal(bytes: 100, items: -1)
    #expect(state.now.totalItems == nil)
    _ = state.begin(item: "Anansi", byteCount: 40)
    state.advance(by: 40)
    _ = state.begin(item: nil, byteCount: nil)
    state.advance(by: 5)
    #expect(state.now == TransferSnapshot(item: 2, bytes: 45, totalBytes: 100, itemBytes: 5))
    state.advance(by: .max)
    #expect(state.now.bytes == .max && state.now.itemBytes == .max)
  }

  @Test func phaseChangesAreKeptOnceUpToALimit() {
    var state = TransferState(keepsPhaseChanges: true)
    for phase in [.preparing, .transferring, .transferring, .verifying] as [ItemProgress.Phase] {
      state.advance(by: 1)
      state.enter(phase)
    }
    #expect(state.takePhaseChanges().map(\.phase) == [.transferring, .verifying])
    #expect(state.takePhaseChanges().isEmpty)
    for _ in 0..<1000 {
      state.enter(.preparing)
      state.advance(by: 1)
      state.enter(.transferring)
    }
    let kept = state.takePhaseChanges()
    #expect(kept.count == TransferState.phaseChangeLimit && kept.last == state.now)
    state = TransferState(keepsPhaseChanges: false)
    state.enter(.verifying)
    #expect(state.takePhaseChanges().isEmpty)
  }

  @Test func bytesOfAFollowedProgressCountOnce() {
    var state = TransferState(keepsPhaseChanges: true)
    _ = state.begin(item: "Mulan", byteCount: nil)
    let progress = ItemProgress()
    state.follow(progress)
    let id = state.followed[0].id
    let older = progress.snapshot
    progress.setTotal(50)
    progress.advance(by: 20)
    progress.enter(.transferring)
    for snapshot in [progress.snapshot, progress.snapshot, older] { state.count(snapshot, ofFollowed: id) }
    #expect(state.now.bytes == 20 && state.now.itemBytes == 20 && state.now.totalItemBytes == 50)
    #expect(state.takePhaseChanges().map(\.phase) == [.transferring])
    progress.finish()
    for _ in 0..<2 {
      state.count(progress.snapshot, ofFollowed: id)
      #expect(state.now.bytes == 50 && state.followed.isEmpty)
    }
  }

  @Test func followedProgressChangesNeitherPhaseNorStatedSize() {
    var state = TransferState(keepsPhaseChanges: false)
    _ = state.begin(item: nil, byteCount: 10)
    state.enter(.transferring)
    let progress = ItemProgress(total: 99)
    state.follow(progress)
    state.count(progress.snapshot, ofFollowed: state.followed[0].id)
    #expect(state.now.phase == .transferring && state.now.totalItemBytes == 10)
    #expect(state.begin(item: nil, byteCount: nil).count == 1 && state.followed.isEmpty)
  }
}
