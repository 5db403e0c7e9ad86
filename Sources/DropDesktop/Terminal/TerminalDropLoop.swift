// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DisplayWire
internal import DropSystem
internal import DropTransport
internal import FoundationEssentials
internal import Synchronization

/// The loop of a terminal that is a target of drags.
final class TerminalDropLoop: DropReceiver {
  /// The maximum length of a list of types in bytes; further types are ignored.
  private static let maximumNames = 1 << 20

  private let target: DesktopDrop
  private let display: TerminalDisplay
  private let events: AsyncQueue<DesktopDrop.Event>
  private let messages: AsyncQueue<TerminalMessage>
  private let session = Lock(Current())

  private struct Current {
    weak var session: DesktopDrop.Session?
    var drop: TerminalDrop?
  }

  /// The drag over the terminal.
  private struct Hover {
    var names: [String] = []
    var actions: DropActions = []
    /// The list of types so far, of which more chunks follow.
    var pending: [UInt8] = []
    /// The last reported answer; `nil` before the first.
    var answer: Int?
    var isInside = false
  }

  /// Registers the target.
  init(
    _ target: DesktopDrop, _ display: TerminalDisplay, _ events: AsyncQueue<DesktopDrop.Event>
  ) async throws(DesktopError) {
    (self.target, self.display, self.events) = (target, display, events)
    messages = try display.openTarget()
    do throws(DesktopError) {
      try await display.startAccepting()
    } catch {
      await display.stopAccepting()
      display.closeTarget()
      throw error
    }
  }

  func stop() {
    messages.close(discarding: true)
  }

  func run() async {
    var hover = Hover()
    // The loop ends by ``stop()``, so that a cancelled task still withdraws the registration.
    let messages = messages
    while let message = await Task(operation: { await messages.next() }).value { await receive(message, &hover) }
    events.close(discarding: true)
    session.withLock { $0.session }?.end(accepting: nil)
    await display.stopAccepting()
    display.closeTarget()
  }

  private func receive(_ message: TerminalMessage, _ hover: inout Hover) async {
    if !message.isContinuation { hover.pending = [] }
    hover.pending += message.payload.prefix(Self.maximumNames - hover.pending.count)
    guard !message.hasMore else { return }
    let list = hover.pending.split(separator: UInt8(ascii: " ")).map { String(decoding: $0, as: UTF8.self) }
    hover.pending = []
    let isDrop = message.kind == .drop
    guard isDrop || message.x >= 0 && message.y >= 0 else {
      if hover.isInside { events.add(.left) }
      hover = Hover()
      return
    }
    let isChanged = !list.isEmpty && list != hover.names
    if isChanged { (hover.names, hover.answer) = (list, nil) }
    hover.actions = Self.actions(message.operation)
    let position = position(message, hover)
    if !hover.isInside || isChanged { events.add(.entered(position.typeNames)) }
    hover.isInside = true
    let action = action(for: position)
    guard isDrop else {
      events.add(.moved(position))
      return await answer(action, position, &hover)
    }
    let names = hover.names
    hover = Hover()
    await receiveDrop(names, position, action)
  }

  private func receiveDrop(_ names: [String], _ position: DesktopDrop.Position, _ action: DropAction?) async {
    // The terminal has ended the earlier drop.
    session.withLock { $0.drop.take() }?.close()??.abandon()
    let drop = TerminalDrop(display, offered: names)
    guard let action else {
      events.add(.left)
      return drop.end(accepting: nil)
    }
    let session = DesktopDrop.Session(target, drop, position, accepted: action)
    self.session.withLock { current in
      current.session = session
      current.drop = drop
    }
    events.add(.dropped(session))
  }

  /// Reports the answer to the terminal if it has changed.
  private func answer(_ action: DropAction?, _ position: DesktopDrop.Position, _ hover: inout Hover) async {
    let operation = action.map { $0 == .move ? 2 : 1 } ?? 0
    guard operation != hover.answer else { return }
    hover.answer = operation
    let names = operation == 0 ? [] : Self.usable(position.typeNames)
    try? await display.send(
      TerminalMessage(.move, operation: operation, payload: Array(names.joined(separator: " ").utf8)))
  }

  private func position(_ message: TerminalMessage, _ hover: Hover) -> DesktopDrop.Position {
    let names = hover.names.filter { TargetName.isPlausible($0) }.prefix(display.options.maximumTypes)
    return DesktopDrop.Position(
      x: message.x, y: message.y, typeNames: Array(names),
      proposedAction: hover.actions.contains(DropAction.copy) ? .copy : .move, actions: hover.actions)
  }

  /// Returns the action for a location; `nil` for a refusal.
  ///
  /// The program moves only if it has asked for a move.
  private func action(for position: DesktopDrop.Position) -> DropAction? {
    guard !Self.usable(position.typeNames).isEmpty, case .accept(let action) = target.responder(position) else {
      return nil
    }
    if position.actions.contains(action) { return action }
    return position.actions.contains(DropAction.copy) ? .copy : nil
  }

  private static func actions(_ operation: Int) -> DropActions {
    (operation & 1 != 0 ? .copy : DropActions()).union(operation & 2 != 0 ? .move : [])
  }

  /// Returns the names of the types that this package can receive, best name first.
  static func usable(_ names: [String]) -> [String] {
    let known = [TargetName.drop, DroppedItemSummary.target, TargetName.uriList].filter { names.contains($0) }
    let others = names.compactMap { name in TargetName.type(for: name).map { (name, TargetName.rank(of: $0.type)) } }
    return known + others.enumerated().sorted { ($0.element.1, $0.offset) < ($1.element.1, $1.offset) }.map(\.element.0)
  }
}
