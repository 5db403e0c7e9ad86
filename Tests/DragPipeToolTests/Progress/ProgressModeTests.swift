// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import DragPipeTool

@Suite("Modes of progress", .serialized, .limited)
struct ProgressModeTests {
  @Test("the option names a mode, nothing means auto, and quiet means never")
  func options() throws {
    #expect(try ProgressMode(option: nil, isQuiet: false) == .auto)
    #expect(try ProgressMode(option: nil, isQuiet: true) == .never)
    for mode in ProgressMode.allCases {
      #expect(try ProgressMode(option: mode.rawValue, isQuiet: false) == mode)
      #expect(try ProgressMode(option: mode.rawValue, isQuiet: true) == .never)
    }
  }

  @Test("what is no mode is a usage error that repeats it safely", arguments: [false, true])
  func badOptions(isQuiet: Bool) throws {
    for option in ["", "Auto", "yes", "\u{1B}[2J"] {
      let failure = #expect(throws: ToolFailure.self) { try ProgressMode(option: option, isQuiet: isQuiet) }
      #expect(failure?.exitCode == .usage)
      #expect(failure?.message.contains("\u{1B}") == false)
    }
  }

  @Test("auto draws on an unshared terminal that can erase, and nowhere else")
  func auto() {
    #expect(style(.auto) == .line)
    #expect(style(.auto, ["NO_COLOR": "", "TERM": "xterm"]) == .line)
    #expect(style(.auto, isTerminal: false) == .hidden)
    #expect(style(.auto, isShared: true) == .hidden)
    #expect(style(.auto, ["NO_COLOR": "1"]) == .hidden)
    #expect(style(.auto, ["TERM": "dumb"]) == .hidden)
  }

  @Test("what is asked for is shown anywhere, without escape sequences where they are not wanted")
  func asked() {
    for isShared in [false, true] {
      #expect(style(.always, isShared: isShared) == .line)
      #expect(style(.always, isTerminal: false, isShared: isShared) == .plainLines)
      #expect(style(.always, ["NO_COLOR": "0"], isShared: isShared) == .plainLines)
      #expect(style(.always, ["TERM": "dumb"], isShared: isShared) == .plainLines)
      for isTerminal in [false, true] {
        #expect(style(.json, ["TERM": "dumb"], isTerminal: isTerminal, isShared: isShared) == .records)
        #expect(style(.never, isTerminal: isTerminal, isShared: isShared) == .hidden)
      }
    }
  }

  private func style(
    _ mode: ProgressMode, _ variables: [String: String] = [:], isTerminal: Bool = true, isShared: Bool = false
  ) -> ProgressStyle {
    ProgressStyle(mode, isTerminal: isTerminal, isShared: isShared) { variables[$0] }
  }
}
