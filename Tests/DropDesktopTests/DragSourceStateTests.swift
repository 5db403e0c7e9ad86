// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DisplayWire
import DropTransport
import TestSupport
import Testing

@testable import DropDesktop

/// The state of a drag's source, without a display.
@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct DragSourceStateTests {
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
    for x in Int16(2)...50 { #expect(state.move(over: target, point(x, 1)) == []) }
    #expect(state.receive(accepted(target)) == [position(50, 1, to: target)])
    #expect(state.receive(accepted(target)) == [])
    // A move to the same location sends no message.
    #expect(state.move(over: target, point(50, 1)) == [])
  }

  @Test func quietAreaIsHonouredOnlyInside() {
    var state = state()
    _ = state.move(over: target, point(10, 10))
    let area = X11Rectangle(x: 0, y: 0, width: 20, height: 20)
    _ = state.receive(
      accepted(target, DragStatus(isAccepted: true, wantsAllPositions: false, quietArea: area, action: .copy)))
    #expect(state.move(over: target, point(19, 0)) == [])
    #expect(state.move(over: target, point(20, 0)) == [position(20, 0, to: target)])
    _ = state.receive(
      accepted(target, DragStatus(isAccepted: true, wantsAllPositions: true, quietArea: area, action: .copy)))
    #expect(state.move(over: target, point(5, 5)) == [position(5, 5, to: target)])
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
    _ = state.move(over: target, point(1, 1))
    #expect(state.receive(accepted(other)) == [])
    #expect(!state.isAccepted)
    #expect(state.release(time: X11Time(9)) == [.released, .wait(.status, number: 1)])
    #expect(state.receive(accepted(other)) == [])
    #expect(state.receive(.finished(target: target.window, isAccepted: true, action: .copy)) == [])
    #expect(state.receive(accepted(target)).contains(.send(.drop(source: source, time: X11Time(9)), target)))
    #expect(state.receive(.finished(target: other.window, isAccepted: true, action: .copy)) == [])
    #expect(
      state.receive(.finished(target: target.window, isAccepted: true, action: .copy)).last
        == .end(.success(.dropped(.copy))))
  }

  @Test func leavingCancelsAndTheNextTargetIsEntered() {
    var state = overTarget()
    let effects = state.move(over: other, point(2, 2))
    #expect(effects.prefix(2) == [.send(.leave(source: source), target), .left])
    #expect(effects.count == 4)
    // This late response of the first target is ignored.
    #expect(state.receive(accepted(target)) == [])
    #expect(!state.isAccepted)
    #expect(state.move(over: nil, point(3, 3)) == [.send(.leave(source: source), other), .left])
    #expect(state.release(time: X11Time(9)) == [.released, .end(.success(.refused))])
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
      let end = state.receive(
        .finished(target: target.window, isAccepted: isAccepted, action: isAccepted ? .move : nil))
      #expect(end.last == .end(.success(outcome)))
      // A second report is ignored.
      #expect(state.receive(.finished(target: target.window, isAccepted: false, action: nil)) == [])
    }
  }

  @Test func silentTargetEndsTheDragAfterTheTimeout() {
    var state = state()
    _ = state.move(over: target, point(1, 1))
    #expect(state.timeOut(0) == [])
    _ = state.release(time: X11Time(9))
    #expect(state.timeOut(7) == [])
    #expect(
      state.timeOut(1) == [
        .send(.leave(source: source), target), .left, .released, .end(.failure(.silent)),
      ])
    var dropped = overTarget()
    _ = dropped.release(time: X11Time(9))
    #expect(dropped.noteActivity() == [.wait(.finished, number: 2)])
    #expect(dropped.timeOut(1) == [])
    #expect(dropped.timeOut(2).last == .end(.failure(.unfinished)))
  }

  @Test func vanishedTargetIsLeftWithoutAMessage() {
    var state = overTarget()
    #expect(state.close(other.window) == [])
    #expect(state.close(target.window) == [.left])
    #expect(state.move(over: nil, point(1, 1)) == [])
    var releasing = self.state()
    _ = releasing.move(over: target, point(1, 1))
    _ = releasing.release(time: X11Time(9))
    #expect(releasing.close(target.window).last == .end(.success(.refused)))
    var dropped = overTarget()
    _ = dropped.release(time: X11Time(9))
    #expect(dropped.close(target.window).last == .end(.failure(.closed)))
  }

  @Test func cancellingLeavesTheTargetAndIsTooLateAfterTheDrop() {
    var state = overTarget()
    #expect(
      state.cancel() == [
        .send(.leave(source: source), target), .left, .released, .end(.success(.cancelled)),
      ])
    #expect(state.cancel() == [])
    var dropped = overTarget()
    _ = dropped.release(time: X11Time(9))
    #expect(dropped.cancel() == [])
  }

  @Test func feedbackIsThatOfTheLastResponse() {
    var state = state(allowsMove: true)
    #expect(state.feedback == .refused)
    _ = state.move(over: target, point(1, 1))
    #expect(state.feedback == .refused)
    _ = state.receive(accepted(target))
    #expect(state.feedback == .copy)
    _ = state.move(over: target, point(2, 2))
    #expect(state.feedback == .copy)
    _ = state.receive(accepted(target, DragStatus(isAccepted: true, action: .move)))
    #expect(state.feedback == .move)
    _ = state.move(over: target, point(3, 3))
    _ = state.receive(accepted(target, DragStatus(isAccepted: false)))
    #expect(state.feedback == .refused)
    #expect(overTarget(action: .move).feedback == .copy)
    var leaving = overTarget()
    _ = leaving.move(over: nil, point(9, 9))
    #expect(leaving.feedback == .refused)
  }
}
