// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import DropTransport

@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct SessionReaderStateTests {
  private var state = SessionReaderState()

  @Test("the first entry starts the watchdog, and later ones find it running")
  mutating func firstEntryStartsWatchdog() {
    expect(state.enterProgramCode(), .allowed(startsWatchdog: true))
    expect(state.leaveProgramCode(thread: 0), true)
    expect(state.enterProgramCode(), .allowed(startsWatchdog: false))
  }

  @Test("a thread that two ticks find in the same run is replaced")
  mutating func threadOfALongRunIsReplaced() {
    _ = state.enterProgramCode()
    expect(state.tick(), .tickAgain)
    expect(state.tick(), .replace(byThread: 1))
    expect(state.leaveProgramCode(thread: 0), false)
    expect(state.endThread(), false)
    expect(state.endThread(), true)
  }

  @Test("short runs between two ticks replace no thread")
  mutating func shortRunsReplaceNoThread() {
    for _ in 0..<100 {
      _ = state.enterProgramCode()
      expect(state.tick(), .tickAgain)
      expect(state.leaveProgramCode(thread: 0), true)
    }
  }

  @Test("no thread enters program code while a replaced thread is in it")
  mutating func replacedThreadDeniesEntry() {
    _ = state.enterProgramCode()
    _ = state.tick()
    _ = state.tick()
    expect(state.enterProgramCode(), .denied)
    // A thread that was denied does not run program code, so no tick replaces it.
    expect(state.tick(), .tickAgain)
    expect(state.tick(), .tickAgain)
    expect(state.leaveProgramCode(thread: 0), false)
    expect(state.enterProgramCode(), .allowed(startsWatchdog: false))
    expect(state.leaveProgramCode(thread: 1), true)
  }

  @Test("the watchdog stops after fifty ticks without a run, and the next entry starts it again")
  mutating func watchdogStopsWhenIdle() {
    _ = state.enterProgramCode()
    expect(state.leaveProgramCode(thread: 0), true)
    expect(state.tick(), .tickAgain)
    for _ in 0..<50 { expect(state.tick(), .tickAgain) }
    expect(state.tick(), .stop)
    expect(state.enterProgramCode(), .allowed(startsWatchdog: true))
  }

  @Test("after the end of reading no thread is replaced")
  mutating func noThreadIsReplacedAfterTheEndOfReading() {
    _ = state.enterProgramCode()
    state.endReading()
    expect(state.tick(), .stop)
    expect(state.endThread(), true)
  }
}

/// Compares the result of a mutating call, which `#expect` does not accept.
private func expect<Value: Equatable>(_ value: Value, _ expected: Value, at location: SourceLocation = #_sourceLocation)
{
  #expect(value == expected, sourceLocation: location)
}
