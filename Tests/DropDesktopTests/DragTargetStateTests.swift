// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DisplayWire
import DropSystem
import DropTransport
import TestSupport
import Testing

@testable import DropDesktop

/// The state of a drag's target, and its messages, without a display.
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct DragTargetStateTests {
  private let window = X11Identifier(0x10)
  private let source = X11Identifier(0x400)
  private let other = X11Identifier(0x500)

  private func enter(_ source: X11Identifier, version: UInt32 = 5) -> DragMessage {
    .enter(source: source, version: version, hasTypeList: false, types: [X11Atom(100)])
  }

  private func position(_ source: X11Identifier, _ x: Int16, action: DropAction? = .copy) -> DragMessage {
    .position(source: source, x: x, y: 3, time: X11Time(7), action: action)
  }

  private func point(_ x: Int16, action: DropAction = .copy) -> DragPoint {
    DragPoint(x: x, y: 3, time: X11Time(7), action: action)
  }

  private func offer(_ actions: DropActions = .copy, version: UInt8 = 5) -> DragOffer {
    DragOffer(source: source, version: version, typeNames: ["text/plain"], actions: actions)
  }

  private func entered(_ actions: DropActions = []) -> DropTargetState {
    var state = DropTargetState(window: window)
    _ = state.receive(enter(source))
    _ = state.inspected(["text/plain"], actions, number: 1)
    return state
  }

  private func status(_ action: DropAction?) -> DropTargetState.Effect {
    .send(.status(target: window, DragStatus(isAccepted: action != nil, action: action)), source)
  }

  @Test func drag() {
    var state = DropTargetState(window: window)
    var dropped = offer()
    dropped.time = X11Time(8)
    // The first drop ends the drag, so its source cannot drop again.
    let effects = [
      state.receive(enter(source)), state.inspected(["text/plain"], [], number: 1), state.receive(position(source, 1)),
      state.answer(.accept(.copy), to: point(1)), state.receive(.drop(source: source, time: X11Time(8))),
      state.receive(.drop(source: source, time: X11Time(9))), state.receive(.leave(source: source)),
    ]
    #expect(
      effects == [
        [.inspect(source, hasTypeList: false, types: [X11Atom(100)], number: 1)], [.entered(offer())],
        [.ask(offer(), point(1))], [status(.copy)], [.dropped(dropped, point(1), .copy)], [], [],
      ])
  }

  @Test(arguments: [(0, nil), (1, nil), (2, nil), (3, 3), (5, 5), (255, 5)] as [(UInt32, UInt8?)])
  func oldVersionsAreRefusedAndTheLowerVersionIsUsed(version: UInt32, common: UInt8?) {
    var state = DropTargetState(window: window)
    let effects = state.receive(enter(source, version: version))
    if let common {
      #expect(state.inspected(["text/plain"], [], number: 1) == [.entered(offer(version: common))])
    } else {
      #expect(effects == [] && state.receive(position(source, 1)) == [])
    }
  }

  @Test func turnsOfTheWheelLeaveRoomForADrop() async {
    let queue = AsyncQueue<DesktopDrop.Event>()
    queue.add(.entered([]))
    for _ in 0..<500 { queue.add(.scrolled(1)) }
    var found: [Int] = []
    queue.add(.left)
    queue.add(.entered([]))
    for steps in [1, 1, -5] { queue.add(.scrolled(steps)) }
    queue.close()
    while let event = await queue.next() { if case .scrolled(let steps) = event { found.append(steps) } }
    #expect(found == [-3])
  }

  @Test func messagesOfOtherSourcesAreIgnored() {
    var state = entered()
    let scroll = state.receive(.scroll(source: source, steps: 1))
    #expect(scroll == [.scrolled(1)] && state.receive(.scroll(source: other, steps: 1)) == [])
    let early = state.receive(position(other, 1)) + state.receive(.leave(source: other))
    _ = state.receive(position(source, 1))
    _ = state.answer(.accept(.copy), to: point(1))
    let late = state.receive(.drop(source: other, time: X11Time(8))) + state.close(other)
    #expect(early + late == [] && state.receive(.leave(source: source)) == [.left])
  }

  @Test func newSourceReplacesTheOldOne() {
    var state = entered()
    let effects = [
      state.receive(enter(other)), state.inspected(["text/html"], [], number: 1), state.receive(position(source, 1)),
    ]
    #expect(effects == [[.left, .inspect(other, hasTypeList: false, types: [X11Atom(100)], number: 2)], [], []])
  }

  @Test func dropWithoutAnAcceptedLocationIsRefused() {
    for answer: DesktopDrop.Answer? in [nil, .refuse] {
      var state = entered()
      if let answer {
        _ = state.receive(position(source, 1))
        #expect(state.answer(answer, to: point(1)) == [status(nil)])
      }
      #expect(
        state.receive(.drop(source: source, time: X11Time(8))) == [
          .send(.finished(target: window, isAccepted: false, action: nil), source), .left,
        ])
    }
  }

  @Test func actionThatTheSourceDoesNotAllowBecomesACopy() {
    for (actions, proposed, action) in [([], .copy, .copy), ([.move], .copy, .move), ([], .move, .move)]
      as [(DropActions, DropAction, DropAction)]
    {
      var state = entered(actions)
      let asked = state.receive(position(source, 1, action: proposed))
      #expect(state.answer(.accept(.move), to: point(1, action: proposed)) == [status(action)])
      if proposed == .move { #expect(asked == [.ask(offer([.copy, .move]), point(1, action: .move))]) }
    }
  }

  @Test func vanishedSourceLeaves() {
    var (state, hovering) = (entered(), entered())
    let effects = [state.close(source), state.end(), hovering.end()]
    #expect(effects == [[.left], [], [.left]])
  }

  // MARK: Messages

  private let atoms = DragAtoms(
    Dictionary(uniqueKeysWithValues: zip(DragName.allCases, (200...).lazy.map { X11Atom($0) })))

  @Test func messagesSurviveARoundTrip() {
    let area = X11Rectangle(x: -5, y: 700, width: 65_535, height: 1)
    // The last messages are those without an action, which is a copy for the source.
    let messages: [DragMessage] = [
      .enter(source: source, version: 5, hasTypeList: true, types: [X11Atom(1), X11Atom(2), X11Atom(3)]),
      .position(source: source, x: -1, y: 32_767, time: X11Time(.max), action: .move),
      .position(source: source, x: 0, y: -32_768, time: X11Time(1), action: nil), .leave(source: source),
      .drop(source: source, time: X11Time(77)),
      .status(
        target: window, DragStatus(isAccepted: true, wantsAllPositions: false, quietArea: area, action: .link)),
      .status(target: window, DragStatus(isAccepted: false)),
      .finished(target: window, isAccepted: true, action: .copy),
      .status(target: window, DragStatus(isAccepted: true, action: nil)),
      .finished(target: window, isAccepted: true, action: nil),
    ]
    #expect(messages.map { DragMessage($0.encoded(for: window, atoms), atoms) } == messages)
  }

  @Test func messagesHaveTheBytesOfTheSpecification() {
    for (message, words) in [
      (.enter(source: source, version: 5, hasTypeList: true, types: [X11Atom(7)]), [0x400, 0x0500_0001, 7, 0, 0]),
      (
        .position(source: source, x: 0x12, y: -1, time: X11Time(9), action: .copy),
        [0x400, 0, 0x0012_FFFF, 9, atoms[.copy].rawValue]
      ),
      (.finished(target: window, isAccepted: true, action: .move), [0x10, 1, atoms[.move].rawValue, 0, 0]),
    ] as [(DragMessage, [UInt32])] {
      #expect(message.encoded(for: window, atoms).data == .words32(words))
    }
  }

  @Test func otherMessagesAreIgnored() {
    for (type, data) in [(atoms[.enter], .bytes([1, 2])), (X11Atom(1), .words32([1]))] as [(X11Atom, X11Data)] {
      #expect(DragMessage(X11ClientMessage(window: window, type: type, data: data), atoms) == nil)
    }
  }
}
