// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DisplayWire
import TestSupport
import Testing

@testable import DropDesktop

/// The choice of the drag that responds to a request.
@Suite(.limited, .timeLimit(minutes: 1)) struct RunningDragsTests {
  private let drags = RunningDrags()
  private let owner = X11Identifier(9)
  private let windows = [X11Identifier(1), X11Identifier(2)]

  /// Starts two drags, at 100 and 200, over windows of the programs 10 and 20.
  init() throws {
    for (index, window) in windows.enumerated() {
      let number = UInt32(index + 1)
      _ = try drags.begin(window, at: X11Time(100 * number)) { owner }
      drags.enter([10 * number], by: window)
    }
  }

  private func responses(to client: UInt32, at time: UInt32) -> [RunningDrags.Response?] {
    windows.map { drags.response(of: $0, to: client, at: X11Time(time)) }
  }

  @Test func aTargetReceivesItsOwnDragAtAnyTime() {
    for time: UInt32 in [0, 150, 250] { #expect(responses(to: 10, at: time) == [.content, nil]) }
    for time: UInt32 in [0, 200, 250] { #expect(responses(to: 20, at: time) == [nil, .content]) }
  }

  @Test func theTimeTellsTheDragsOfAnUnknownProgramApart() {
    #expect(responses(to: 30, at: 150) == [.content, nil])
    #expect(responses(to: 30, at: 200) == [nil, .content])
    for time: UInt32 in [0, 50] { #expect(responses(to: 30, at: time) == [.refusal, nil]) }
  }

  @Test func lateRequestsForAnEndedDragAreRefused() {
    #expect(drags.end(windows[1]) == nil)
    for time: UInt32 in [0, 200] { #expect(responses(to: 20, at: time) == [.refusal, nil]) }
    #expect(responses(to: 10, at: 250) == [.content, nil])
    #expect(drags.end(windows[0]) == owner)
    #expect(drags.end(windows[0]) == nil)
  }

  @Test func theTargetOfAnEarlierEndedDragReceivesNothing() {
    #expect(drags.end(windows[0]) == nil)
    for time: UInt32 in [0, 100, 250] { #expect(responses(to: 10, at: time) == [nil, .refusal]) }
    #expect(responses(to: 20, at: 0) == [nil, .content])
  }
}
