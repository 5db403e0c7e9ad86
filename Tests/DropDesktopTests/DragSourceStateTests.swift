// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DisplayWire
import DropTransport
import TestSupport
import Testing

@testable import DropDesktop

/// The state of a drag's source, without a display.
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct DragSourceStateTests {
  private let source = X11Identifier(0x400)
  private let target = DragTarget(window: X11Identifier(0x10), recipient: X11Identifier(0x10), version: 5)
  private let other = DragTarget(window: X11Identifier(0x20), recipient: X11Identifier(0x21), version: 3)

  private func state(typeCount: UInt32 = 2, allowsMove: Bool = false) -> DragSourceState {
    DragSourceState(source: source, types: (0..<typeCount).map { X11Atom(100 + $0) }, allowsMove: allowsMove)
  }

  private func point(_ x: Int16, _ y: Int16, action: DropAction = .copy) -> DragPoint {
    DragPoint(x: x, y: y, time: X11Time(7), action: action)
  }

  private func position(
    _ x: Int16, _ y: Int16, to target: DragTarget, action: DropAction = .copy
  ) -> DragSourceState.Effect {
    .send(.position(source: source, x: x, y: y, time: X11Time(7), action: action), target)
  }

  private func accepted(_ target: DragTarget, _ status: DragStatus = DragStatus(isAccepted: true, action: .copy))
    -> DragMessage
  { .status(target: target.window, status) }

  /// Returns a state whose pointer is over the target, after the target has accepted the location.
  private func overTarget(allowsMove: Bool = false, action: DropAction? = .copy) -> DragSourceState {
    var state = state(allowsMove: allowsMove)
    _ = state.move(over: target, point(1, 1))
    _ = state.receive(accepted(target, DragStatus(isAccepted: true, action: action)))
    return state
  }

  @Test func targetReceivesAtMostThreeTypesInItsFirstMessage() {
    for (count, target, version) in [(3, target, 5), (300, other, 3)] as [(UInt32, DragTarget, UInt32)] {
      var state = state(typeCount: count)
      let enter = DragMessage.enter(
        source: source, version: version, hasTypeList: count > 3, types: [X11Atom(100), X11Atom(101), X11Atom(102)])
      #expect(state.move(over: target, point(1, 2)) == [.send(enter, target), position(1, 2, to: target)])
    }
  }

  @Test func onePositionWaitsAndOnlyTheLatestFollows() {
    var state = state()
    _ = state.move(over: target, point(1, 1))
    let waiting = (2...50).flatMap { state.move(over: target, point($0, 1)) }
    #expect(waiting == [])
    let responses = [state.receive(accepted(target)), state.receive(accepted(target))]
    #expect(responses == [[position(50, 1, to: target)], []])
    // A move to the same location sends no message.
    #expect(state.move(over: target, point(50, 1)) == [])
  }

  @Test func wheelScrollsTheTargetWhileTheButtonIsPressed() {
    var state = state()
    #expect(state.scroll(by: 1) == [])
    _ = state.move(over: target, point(1, 1))
    #expect(state.scroll(by: -1) == [.send(.scroll(source: source, steps: -1), target)])
    _ = state.release(time: X11Time(9))
    #expect(state.scroll(by: 1) == [])
  }

  @Test func quietAreaIsHonouredOnlyInside() {
    var state = state()
    _ = state.move(over: target, point(10, 10))
    let area = X11Rectangle(x: 0, y: 0, width: 20, height: 20)
    func quiet(_ wantsAll: Bool) -> DragMessage {
      accepted(target, DragStatus(isAccepted: true, wantsAllPositions: wantsAll, quietArea: area, action: .copy))
    }
    _ = state.receive(quiet(false))
    var moves = [state.move(over: target, point(19, 0)), state.move(over: target, point(20, 0))]
    _ = state.receive(quiet(true))
    moves.append(state.move(over: target, point(5, 5)))
    #expect(moves == [[], [position(20, 0, to: target)], [position(5, 5, to: target)]])
  }

  @Test func anotherActionIsSentInsideTheQuietAreaAndAMoveOnlyIfAllowed() {
    for (allowsMove, action) in [(true, DropAction.move), (false, .copy)] {
      var state = state(allowsMove: allowsMove)
      _ = state.move(over: target, point(10, 10))
      let area = X11Rectangle(x: 0, y: 0, width: 20, height: 20)
      _ = state.receive(accepted(target, DragStatus(isAccepted: true, wantsAllPositions: false, quietArea: area)))
      #expect(state.move(over: target, point(11, 10, action: .move)) == [position(11, 10, to: target, action: action)])
      #expect(state.move(over: other, point(1, 1, action: .move)).last == position(1, 1, to: other, action: action))
    }
  }

  @Test func messagesOfOtherWindowsAreIgnored() {
    var state = state()
    func finished(_ target: DragTarget) -> DragMessage {
      .finished(target: target.window, isAccepted: true, action: .copy)
    }
    _ = state.move(over: target, point(1, 1))
    #expect(state.receive(accepted(other)) == [] && !state.isAccepted)
    let released = [
      state.release(time: X11Time(9)), state.receive(accepted(other)), state.receive(finished(target)),
    ]
    #expect(released == [[.released, .wait(.status, number: 1)], [], []])
    #expect(state.receive(accepted(target)).contains(.send(.drop(source: source, time: X11Time(9)), target)))
    let ends = [state.receive(finished(other)).last, state.receive(finished(target)).last]
    #expect(ends == [nil, .end(.success(.dropped(.copy)))])
  }

  @Test func leavingCancelsAndTheNextTargetIsEntered() {
    var state = overTarget()
    let effects = state.move(over: other, point(2, 2))
    #expect(effects.prefix(2) == [.send(.leave(source: source), target), .left] && effects.count == 4)
    // This late response of the first target is ignored.
    #expect(state.receive(accepted(target)) == [] && !state.isAccepted)
    let end = [state.move(over: nil, point(3, 3)), state.release(time: X11Time(9))]
    #expect(end == [[.send(.leave(source: source), other), .left], [.released, .end(.success(.refused))]])
  }

  @Test func proxyReceivesTheMessagesAndMayRespond() {
    var state = state()
    _ = state.move(over: other, point(1, 1))
    _ = state.receive(.status(target: other.recipient, DragStatus(isAccepted: true, action: .copy)))
    #expect(state.isAccepted)
    // Version 3 of the protocol does not report a result.
    _ = state.release(time: X11Time(9))
    let end = state.receive(.finished(target: other.window, isAccepted: false, action: nil))
    #expect(end.last == .end(.success(.dropped(.copy))))
  }

  @Test func releaseOverARefusingTargetLeavesIt() {
    var state = state()
    _ = state.move(over: target, point(1, 1))
    _ = state.receive(.status(target: target.window, DragStatus(isAccepted: false)))
    #expect(
      state.release(time: X11Time(9)) == [
        .send(.leave(source: source), target), .left, .released, .end(.success(.refused)),
      ])
  }

  @Test func lastLocationIsAnsweredBeforeTheDrop() {
    var state = state()
    _ = state.move(over: target, point(1, 1))
    _ = state.move(over: target, point(5, 5))
    _ = state.release(time: X11Time(9))
    #expect(state.receive(accepted(target)) == [position(5, 5, to: target), .wait(.status, number: 2)])
    #expect(
      state.receive(.status(target: target.window, DragStatus(isAccepted: false))).last == .end(.success(.refused)))
  }

  @Test(arguments: [nil, DropAction.link, .copy, .move])
  func acceptedActionThatIsNotAllowedIsACopy(action: DropAction?) {
    var state = overTarget(action: action)
    #expect(state.release(time: X11Time(9)).contains(.dropped(target)))
    let end = state.receive(.finished(target: target.window, isAccepted: true, action: action))
    #expect(end == [.released, .end(.success(.dropped(.copy)))])
  }

  @Test func allowedMoveOrRefusalIsReportedAfterTheEnd() {
    for (isAccepted, outcome) in [(true, DesktopDrag.Outcome.dropped(.move)), (false, .refused)] {
      var state = overTarget(allowsMove: true, action: .move)
      _ = state.release(time: X11Time(9))
      // A second report is ignored.
      let reports = [(isAccepted, isAccepted ? DropAction.move : nil), (false, nil)].map {
        state.receive(.finished(target: target.window, isAccepted: $0, action: $1)).last
      }
      #expect(reports == [.end(.success(outcome)), nil])
    }
  }

  @Test func silentTargetEndsTheDragAfterTheTimeout() {
    var state = state()
    _ = state.move(over: target, point(1, 1))
    var effects = [state.timeOut(0)]
    _ = state.release(time: X11Time(9))
    effects += [state.timeOut(7), state.timeOut(1)]
    #expect(effects == [[], [], [.send(.leave(source: source), target), .left, .released, .end(.failure(.silent))]])
    var dropped = overTarget()
    _ = dropped.release(time: X11Time(9))
    let waits = [dropped.noteActivity(), dropped.timeOut(1)]
    #expect(waits == [[.wait(.finished, number: 2)], []])
    #expect(dropped.timeOut(2).last == .end(.failure(.unfinished)))
  }

  @Test func vanishedTargetIsLeftWithoutAMessage() {
    var state = overTarget()
    let effects = [state.close(other.window), state.close(target.window), state.move(over: nil, point(1, 1))]
    #expect(effects == [[], [.left], []])
    var releasing = self.state()
    _ = releasing.move(over: target, point(1, 1))
    var dropped = overTarget()
    _ = (releasing.release(time: X11Time(9)), dropped.release(time: X11Time(9)))
    let ends = [releasing.close(target.window).last, dropped.close(target.window).last]
    #expect(ends == [.end(.success(.refused)), .end(.failure(.closed))])
  }

  @Test func cancellingLeavesTheTargetAndIsTooLateAfterTheDrop() {
    var (state, dropped) = (overTarget(), overTarget())
    _ = dropped.release(time: X11Time(9))
    let effects = [state.cancel(), state.cancel(), dropped.cancel()]
    #expect(
      effects == [[.send(.leave(source: source), target), .left, .released, .end(.success(.cancelled))], [], []])
  }

  @Test func feedbackIsThatOfTheLastResponse() {
    var state = state(allowsMove: true)
    var feedback = [state.feedback]
    for (x, status) in [
      (1, DragStatus(isAccepted: true, action: .copy)), (2, DragStatus(isAccepted: true, action: .move)),
      (3, DragStatus(isAccepted: false)),
    ] as [(Int16, DragStatus)] {
      _ = state.move(over: target, point(x, x))
      feedback.append(state.feedback)
      _ = state.receive(accepted(target, status))
      feedback.append(state.feedback)
    }
    #expect(feedback == [.refused, .refused, .copy, .copy, .move, .move, .refused])
    var leaving = overTarget()
    _ = leaving.move(over: nil, point(9, 9))
    #expect([overTarget(action: .move).feedback, leaving.feedback] == [.copy, .refused])
  }
}
