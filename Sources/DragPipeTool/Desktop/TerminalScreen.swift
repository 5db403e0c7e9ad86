// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropDesktop
internal import DropSystem
internal import DropWindows
internal import Glibc
internal import Synchronization

/// A terminal that shows the model of a window as lines.
final class TerminalScreen: Sendable {
  private static let escape: UInt8 = 0x1B
  private static let controlC: UInt8 = 0x03
  private static let controlD: UInt8 = 0x04

  let terminal: DesktopTerminal
  private let state: Lock<WindowModel>

  init(_ model: WindowModel, on terminal: DesktopTerminal) {
    self.terminal = terminal
    state = Lock(model)
  }

  /// The present content.
  var model: WindowModel { state.withLock { $0 } }

  /// Changes the content, and draws it.
  ///
  /// - Throws: `displayGone`, `timedOut`.
  func update(_ change: (inout WindowModel) -> Void) async throws {
    let size = terminal.size
    let text = state.withLock { model in
      change(&model)
      return TerminalLines(model, columns: size.columns, rows: size.rows).drawing
    }
    try await terminal.write(text)
  }

  /// The lines at the present size of the terminal.
  var lines: TerminalLines {
    let size = terminal.size
    return TerminalLines(model, columns: size.columns, rows: size.rows)
  }

  /// Waits until the user ends the command with the Escape key, Control-C, Control-D or the letter q.
  ///
  /// - Throws: `peerGone` if the terminal is closed; `CancellationError`.
  func awaitEnd() async throws {
    async let drawing: Void = { while await terminal.awaitRedraw() { try await update { _ in } } }()
    while let keys = await terminal.nextKeys() {
      // A sequence of a key may contain the letter.
      if keys == [Self.escape] || keys.first == UInt8(ascii: "q") { return }
      if keys.contains(Self.controlC) || keys.contains(Self.controlD) { return }
    }
    try await drawing
    try Task.checkCancellation()
    throw ToolFailure(.peerGone, "the terminal is closed")
  }
}

/// The model of a window as the lines of a terminal.
struct TerminalLines: Sendable {
  /// The meaning of a line.
  enum Meaning: Sendable, Hashable {
    case text
    case zone(Int)
    case row(Int)
  }

  /// The lines, which have no control characters and fit the terminal.
  private(set) var lines: [(text: String, meaning: Meaning)] = []
  private let columns: Int

  init(_ model: WindowModel, columns: Int, rows: Int) {
    self.columns = columns
    add(model.hint)
    add("Press Escape to end.")
    add("")
    for (index, zone) in model.zones.enumerated() {
      let parts = [zone.isTargeted ? ">" : "-", zone.name, zone.detail, Self.text(of: zone.state)]
      add(parts.filter { !$0.isEmpty }.joined(separator: "  "), .zone(index))
    }
    if !model.zones.isEmpty { add("") }
    // The last line is for the status.
    let room = max(1, rows - lines.count - 1)
    let shown = model.rows.count > room ? room - 1 : model.rows.count
    for (index, row) in model.rows.prefix(max(0, shown)).enumerated() {
      let parts = [row.name, row.type, row.size, Self.text(of: row.state)]
      add(parts.filter { !$0.isEmpty }.joined(separator: "  "), .row(index))
    }
    if shown < model.rows.count { add("… and \(model.rows.count - max(0, shown)) more") }
    add(model.status)
    lines = Array(lines.prefix(rows))
  }

  private mutating func add(_ text: String, _ meaning: Meaning = .text) {
    lines.append((text.escapedForDisplay(limit: .max, mayBeEscaped: true).shortened(toColumns: columns), meaning))
  }

  private static func text(of state: ItemState) -> String {
    switch state {
    case .idle: ""
    case .waiting(let text): text
    case .loading(let fraction): fraction.map { "\(Int(max(0, min(1, $0)) * 100))%" } ?? "receiving"
    case .done: "done"
    case .failed(let reason): "failed: \(reason)"
    }
  }

  /// Returns the meaning of a line of the screen.
  func meaning(ofLine line: Int) -> Meaning { lines.indices.contains(line) ? lines[line].meaning : .text }

  /// The sequences that draw the lines from the upper left corner.
  var drawing: String {
    "\u{1B}[H" + lines.map { "\($0.text)\u{1B}[K" }.joined(separator: "\r\n") + "\u{1B}[J"
  }
}

extension ToolEnvironment {
  /// The maximum length of held messages in bytes.
  private static let maximumHeldBytes = 1 << 20

  /// Holds messages for the terminal until the body returns, since the body draws on the terminal.
  func holdingMessages(_ body: (ToolEnvironment) async throws -> Void) async throws {
    guard SystemCalls.isTerminal(errors) else { return try await body(self) }
    let file = OwnedDescriptor(try SystemCalls.memoryFile("messages"))
    var held = self
    held.errors = file.raw
    let result: Result<Void, any Error>
    do { result = .success(try await body(held)) } catch { result = .failure(error) }
    var rest = Self.maximumHeldBytes
    _ = try? SystemCalls.seek(file.raw, 0, SEEK_SET)
    while rest > 0, let bytes = try? Self.read(file.raw, min(rest, 1 << 16)), !bytes.isEmpty {
      try? SystemCalls.writeAll(errors, bytes)
      rest -= bytes.count
    }
    try result.get()
  }

  private static func read(_ file: CInt, _ limit: Int) throws -> [UInt8] {
    try [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
      count = try SystemCalls.read(file, UnsafeMutableRawBufferPointer(buffer))
    }
  }
}
