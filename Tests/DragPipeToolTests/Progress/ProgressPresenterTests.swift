// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import ItemTransfer
import TestSupport
import Testing

@testable import DragPipeTool

@Suite("When progress is shown", .serialized, .limited, .timeLimit(.minutes(5)))
struct ProgressPresenterTests {
  @Test("a line is not drawn before half a second, and then each time")
  func lineAppearsAfterTheDelay() {
    var presenter = ProgressPresenter(style: .line, action: "sending")
    for tenth in 0..<5 { #expect(present(&presenter, tenth) == nil) }
    for tenth in 5...30 { #expect(present(&presenter, tenth)?.hasPrefix("sending  ") == true) }
    #expect(presenter.presentEnd(Self.snapshot(30), .finished, at: .seconds(3)) == nil)
  }

  @Test("plain lines appear once per second, without a bar, and only after changes")
  func plainLinesAppearOnceASecond() {
    var presenter = ProgressPresenter(style: .line, action: "sending", delay: .zero)
    #expect(presenter.present(TransferSnapshot(), at: .zero, columns: 80) == "preparing")
    presenter = ProgressPresenter(style: .plainLines, action: "sending")
    let shown = (0...39).map { (tenth: $0, text: present(&presenter, $0)) }.filter { $0.text != nil }
    #expect(shown.map(\.tenth) == [5, 15, 25, 35])
    #expect(shown.map(\.text).first == "sending    5%  5.0 of 100.0 kB  10.0 kB/s  0:10 left\n")
    presenter = ProgressPresenter(style: .plainLines, action: "sending")
    let still = TransferSnapshot(phase: .transferring)
    let standing = (0...100).compactMap {
      presenter.present(still, at: .milliseconds($0 * 100), columns: 80)
    }
    #expect(standing == ["sending\n"])
    #expect(presenter.presentEnd(still, .failed, at: .seconds(11)) == nil)
  }

  @Test("records appear from the start, ten a second, with one for each phase change and one at the end")
  func recordsAppearTenTimesASecond() {
    var presenter = ProgressPresenter(style: .records, action: "sending")
    var lines = 0
    for hundredth in 0..<100 {
      let text = presenter.present(Self.snapshot(hundredth), at: .milliseconds(hundredth * 10), columns: 80)
      lines += text?.split(separator: "\n").count ?? 0
    }
    #expect(lines == 10)
    let changes = ItemProgress.Phase.allCases.map { TransferSnapshot(phase: $0, item: 1, bytes: 100_000) }
    let changed = presenter.present(changes[2], after: changes, at: .milliseconds(991), columns: 80)
    #expect(changed?.split(separator: "\n").count == 3)
    let end = presenter.presentEnd(changes[2], .finished, after: [changes[0]], at: .seconds(1)) ?? ""
    #expect(end.split(separator: "\n").count == 2)
    #expect(end.contains("\"ending\":\"finished\"") && end.hasSuffix("}\n"))
  }

  @Test("a stalled transfer has one record per second")
  func idleTransferHasARecordASecond() {
    var presenter = ProgressPresenter(style: .records, action: "sending")
    let shown = (0...30).filter { present(&presenter, $0, bytes: 7) != nil }
    #expect(shown == [0, 10, 20, 30])
  }

  private func present(_ presenter: inout ProgressPresenter, _ tenth: Int, bytes: Int? = nil) -> String? {
    presenter.present(Self.snapshot(bytes ?? tenth), at: .milliseconds(tenth * 100), columns: 80)
  }

  /// Returns a state with 1000 bytes for each step.
  private static func snapshot(_ step: Int) -> TransferSnapshot {
    TransferSnapshot(phase: .transferring, bytes: UInt64(step) * 1000, totalBytes: 100_000)
  }
}
