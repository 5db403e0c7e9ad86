// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import DragPipeTool

@Suite("The rate of a transfer", .serialized, .limited, .timeLimit(.minutes(5)))
struct TransferRateTests {
  @Test("there is no rate before the least period")
  func noRateAtTheStart() {
    var rate = TransferRate()
    #expect(rate.bytesPerSecond == nil)
    #expect(rate.secondsRemaining(for: 1) == nil)
    rate.add(0, at: .zero)
    rate.add(1000, at: .milliseconds(100))
    #expect(rate.bytesPerSecond == nil)
    rate.add(5000, at: .milliseconds(500))
    #expect(rate.bytesPerSecond == 10_000)
  }

  @Test("bursts and pauses are averaged, and old samples expire")
  func rateIsAMeanOfRecentSamples() {
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

  @Test("the remaining time is rounded up, and unknown while nothing moves")
  func remainingTimeIsRoundedUp() {
    var rate = TransferRate()
    rate.add(0, at: .seconds(7))
    rate.add(300, at: .seconds(10))
    #expect(rate.secondsRemaining(for: 0) == 0)
    #expect(rate.secondsRemaining(for: 1) == 1)
    #expect(rate.secondsRemaining(for: 100) == 1)
    #expect(rate.secondsRemaining(for: 101) == 2)
    #expect(rate.secondsRemaining(for: .max) == 184_467_440_737_095_517)
    rate.add(300, at: .seconds(20))
    rate.add(300, at: .seconds(30))
    #expect(rate.bytesPerSecond == 0)
    #expect(rate.secondsRemaining(for: 1) == nil)
    #expect(rate.secondsRemaining(for: 0) == 0)
  }

  @Test("rare and simultaneous samples are harmless")
  func irregularSamplesAreHarmless() {
    var rate = TransferRate()
    for _ in 0..<3 { rate.add(5, at: .seconds(1)) }
    #expect(rate.bytesPerSecond == nil)
    rate.add(3605, at: .seconds(3601))
    #expect(rate.bytesPerSecond == 1)
    rate.add(.max, at: .seconds(3602))
    #expect(rate.bytesPerSecond != nil)
  }
}
