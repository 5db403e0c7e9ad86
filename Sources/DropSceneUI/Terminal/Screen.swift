// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import Dispatch
internal import DropScenes
internal import Foundation
internal import Synchronization

/// The terminal as a full screen, with the windows, an input line and a message line.
final class Screen: Sendable {
  /// The entered lines.
  let lines: AsyncStream<InputLine>
  /// The windows that the user makes key by keys.
  let selections: AsyncStream<SceneSession.ID>
  /// An element for each interrupt by a key or a signal.
  let interrupts: AsyncStream<Void>
  /// An element for each change of the terminal's size.
  let resizes: AsyncStream<Void>

  private let entered: AsyncStream<InputLine>.Continuation
  private let selected: AsyncStream<SceneSession.ID>.Continuation
  private let interrupted: AsyncStream<Void>.Continuation
  private let resized: AsyncStream<Void>.Continuation
  private let state = Mutex(State())

  private struct State {
    var model = ScreenModel()
    var isOpen = true
    var widths: [SceneSession.ID: Int] = [:]
    var drawn = ""
    var signals: [any DispatchSourceSignal] = []
  }

  /// Takes the terminal, and starts to read its keys.
  init() async {
    (lines, entered) = AsyncStream.makeStream()
    (selections, selected) = AsyncStream.makeStream()
    (interrupts, interrupted) = AsyncStream.makeStream()
    (resizes, resized) = AsyncStream.makeStream()
    // Signals end the input in place of the process, so that the app ends its windows. From here on, the terminal may be
    // changed.
    await watch([SIGINT, SIGTERM, SIGHUP, SIGQUIT]) { $0.end(isInterrupt: true) }
    await watch([SIGWINCH, SIGCONT]) { screen in
      screen.update { state in
        // A shell may have changed the modes while the process was stopped.
        if state.isOpen { RawTerminal.enter() }
        state.drawn = ""
      }
      screen.resized.yield()
    }
    RawTerminal.enter()
    Thread { [self] in readKeys() }.start()
    update { _ in }
  }

  /// Handles signals from the return of this method on.
  ///
  /// Dispatch installs the handler of a signal later than the source. A signal that arrives earlier must end the process,
  /// which has not changed the terminal yet.
  private func watch(_ numbers: [Int32], _ handler: @escaping @Sendable (Screen) -> Void) async {
    for number in numbers {
      await withCheckedContinuation { continuation in
        state.withLock { state in
          let source = DispatchSource.makeSignalSource(signal: number)
          source.setEventHandler { [weak self] in self.map(handler) }
          source.setRegistrationHandler { continuation.resume() }
          source.activate()
          state.signals.append(source)
        }
      }
    }
  }

  /// Restores the former content of the terminal.
  func leave() {
    state.withLock { state in
      state.isOpen = false
      for source in state.signals { source.cancel() }
      RawTerminal.leave()
    }
  }

  // MARK: Input

  private func readKeys() {
    var parser = TerminalKeyParser()
    // A lone Escape byte is the Escape key if no further byte of a sequence follows.
    while let bytes = RawTerminal.read(timeout: parser.hasLoneEscape ? 50 : -1) {
      let keys = bytes.isEmpty ? [parser.flush()].compactMap(\.self) : parser.keys(bytes)
      for key in keys { perform(key) }
    }
    end(isInterrupt: true)
  }

  private func perform(_ key: TerminalKey) {
    var action = ScreenModel.Action.none
    update { state in
      if key == .controlL { state.drawn = "" }
      action = state.model.handle(key)
    }
    switch action {
    case .none: break
    case .perform(let line): entered.yield(line)
    case .makeKey(let window): selected.yield(window)
    case .end(let isInterrupt): end(isInterrupt: isInterrupt)
    }
  }

  private func end(isInterrupt: Bool) {
    entered.finish()
    if isInterrupt { interrupted.yield() }
  }

  // MARK: Output

  /// Shows the windows.
  ///
  /// - Returns: The windows whose width has changed, and the width.
  func show(_ scenes: [HostedScene]) -> [(SceneSession.ID, columns: Int)] {
    var changed: [(SceneSession.ID, columns: Int)] = []
    update { state in
      state.model.show(scenes.map(Pane.init))
      // Each window is as wide as the pane in which it is drawn.
      let width = max(1, state.model.contentWidth)
      for scene in scenes where scene.processIdentifier != nil && state.widths[scene.id] != width {
        state.widths[scene.id] = width
        changed.append((scene.id, width))
      }
    }
    return changed
  }

  /// Shows a text in place of the windows.
  func show(_ lines: [String], title: String) {
    update { $0.model.show(lines, title: title) }
  }

  /// Shows a message below the input line, until the next input.
  func tell(_ text: String, isError: Bool = false) {
    update { $0.model.message = Span(text: text, style: isError ? .error : .plain) }
  }

  /// Updates the screen after a line has been performed.
  func finish(_ line: InputLine, _ scenes: [HostedScene]) {
    update { state in
      state.model.show(scenes.map(Pane.init))
      state.model.finish(line)
    }
  }

  /// Changes the state, and draws the screen if it looks different afterwards.
  private func update(_ change: (inout State) -> Void) {
    state.withLock { state in
      state.model.size = RawTerminal.size
      change(&state)
      guard state.isOpen else { return }
      let frame = state.model.frame()
      let drawn = frame.rendered(hasColours: RawTerminal.hasColours)
      if drawn != state.drawn { try? RawTerminal.write(drawn) }
      state.drawn = drawn
    }
  }
}

extension ScreenModel.Frame {
  /// Returns the escape sequences that draw the frame.
  fileprivate func rendered(hasColours: Bool) -> String {
    let text = lines.enumerated().map { row, spans in
      "\u{1B}[\(row + 1);1H\u{1B}[2K" + spans.map { $0.rendered(hasColours: hasColours) }.joined()
    }
    return "\u{1B}[?25l" + text.joined() + "\u{1B}[\(cursor.row + 1);\(cursor.column + 1)H\u{1B}[?25h"
  }
}
