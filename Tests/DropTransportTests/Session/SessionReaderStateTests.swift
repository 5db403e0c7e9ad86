// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import DropTransport

@Suite(.serialized, .limited) struct SessionReaderStateTests {
  private var state = SessionReaderState()

  @Test("the first entry starts the watchdog, and later ones find it running")
  mutating func firstEntryStartsWatchdog() {
    let result1 = state.enterProgramCode()
    #expect(result1 == .allowed(startsWatchdog: true))
    let result2 = state.leaveProgramCode(thread: 0)
    #expect(result2)
    let result3 = state.enterProgramCode()
    #expect(result3 == .allowed(startsWatchdog: false))
  }

  @Test("a thread that two ticks find in the same run is replaced")
  mutating func longRunIsReplaced() {
    _ = state.enterProgramCode()
    let result4 = state.tick()
    #expect(result4 == .tickAgain)
    let result5 = state.tick()
    #expect(result5 == .replace(byThread: 1))
    let result6 = state.leaveProgramCode(thread: 0)
    #expect(!result6)
    let result7 = state.endThread()
    #expect(!result7)
    let result8 = state.endThread()
    #expect(result8)
  }

  @Test("short runs between two ticks replace no thread")
  mutating func shortRunsReplaceNothing() {
    for _ in 0..<100 {
      _ = state.enterProgramCode()
      let result9 = state.tick()
      #expect(result9 == .tickAgain)
      let result10 = state.leaveProgramCode(thread: 0)
      #expect(result10)
    }
  }

  @Test("no thread enters program code while a replaced thread is in it")
  mutating func replacedThreadDeniesEntry() {
    _ = state.enterProgramCode()
    _ = state.tick()
    _ = state.tick()
    let result11 = state.enterProgramCode()
    #expect(result11 == .denied)
    // A denied thread is not in program code, so no tick replaces it.
    let result12 = state.tick()
    #expect(result12 == .tickAgain)
    let result13 = state.tick()
    #expect(result13 == .tickAgain)
    let result14 = state.leaveProgramCode(thread: 0)
    #expect(!result14)
    let result15 = state.enterProgramCode()
    #expect(result15 == .allowed(startsWatchdog: false))
    let result16 = state.leaveProgramCode(thread: 1)
    #expect(result16)
  }

  @Test("the watchdog stops after fifty ticks without a run, and the next entry starts it again")
  mutating func watchdogStopsWhenIdle() {
    _ = state.enterProgramCode()
    let result17 = state.leaveProgramCode(thread: 0)
    #expect(result17)
    let result18 = state.tick()
    #expect(result18 == .tickAgain)
    for _ in 0..<50 {
      let result19 = state.tick()
      #expect(result19 == .tickAgain)
    }
    let result20 = state.tick()
    #expect(result20 == .stop)
    let result21 = state.enterProgramCode()
    #expect(result21 == .allowed(startsWatchdog: true))
  }

  @Test("after the end of reading no thread is replaced")
  mutating func endReplacesNothing() {
    _ = state.enterProgramCode()
    state.endReading()
    let result22 = state.tick()
    #expect(result22 == .stop)
    let result23 = state.endThread()
    #expect(result23)
  }
}
