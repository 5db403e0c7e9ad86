// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DisplayWire
internal import DropSystem
internal import FoundationEssentials
internal import Synchronization

/// A reader of a selection, whose owner sends each value on request: ICCCM, section 2.4.
struct SelectionReader: ForeignContent {
  let display: X11Display
  let selection: X11Atom
  /// The time of the event that caused the requests.
  let time: X11Time

  var options: DesktopOptions { display.options }

  /// Returns the names of the offered types in the owner's order, without the targets that the protocol defines.
  func typeNames() async throws -> [String] {
    guard let transfer = try await SelectionTransfer.begin(self, DesktopName.targets.rawValue) else {
      throw DesktopError(.nothingOffered, "no program offers anything")
    }
    let limit = 4 * 65_536
    var words: [UInt32] = []
    while let part = try await transfer.nextPart(limit: limit) {
      guard case .words32(let atoms) = part else {
        throw DesktopError(.malformed, "the offered types are not a list of atoms")
      }
      words += atoms
    }
    let known = Set(SelectionOwner.protocolTargets.map { display.atoms[$0] })
    var seen: Set<UInt32> = []
    let atoms = words.filter { seen.insert($0).inserted }.map { X11Atom($0) }.filter { !known.contains($0) }
    let names = try await display.connection.names(of: Array(atoms.prefix(display.options.maximumTypes)))
    let found = names.compactMap { $0 }.filter { TargetName.isPlausible($0) }
    guard !found.isEmpty else { throw DesktopError(.nothingOffered, "the other program offers no types") }
    return found
  }

  func transfer(of name: String) async throws -> (any ForeignTransfer)? {
    try await SelectionTransfer.begin(self, name)
  }
}

/// The transfer of one value.
///
/// Each transfer has its own window, so a late part of one value cannot become part of another.
final class SelectionTransfer: ForeignTransfer {
  private enum Signal: Sendable {
    case notified(X11Atom)
    case newValue
    case ownerClosed
  }

  private enum Step: Sendable {
    case requested
    /// The property has the complete value, of which `offset` bytes were read.
    case whole(offset: Int)
    /// The owner stores the next part each time that the property is deleted. The reader has read `offset` bytes of the
    /// present part.
    case incremental(offset: Int)
    case ended
  }

  private struct State: Sendable {
    var step = Step.requested
    /// The number of bytes that were read.
    var readCount = 0
    /// The number of bytes that the owner has announced at least.
    var announcedCount = 0
  }

  /// The maximum time in which the owner may send the rest of a value that is not read to its end.
  private static let discardingTime = Duration.seconds(5)

  private let display: X11Display
  private let name: String
  private let window: X11Identifier
  private let property: X11Atom
  private let signals: AsyncQueue<Signal>
  private let state = Lock(State())

  /// Requests a value.
  ///
  /// - Returns: The transfer; `nil` if the selection has no owner.
  static func begin(_ reader: SelectionReader, _ name: String) async throws -> SelectionTransfer? {
    let target = try await reader.display.connection.intern(name)
    let owner = try await reader.display.connection.response(to: .getSelectionOwner(reader.selection))
    return owner == .none ? nil : try SelectionTransfer(reader, name, target, owner: owner)
  }

  private init(_ reader: SelectionReader, _ name: String, _ target: X11Atom, owner: X11Identifier) throws {
    let display = reader.display
    let window = try display.connection.newIdentifier()
    let property = display.atoms[.value]
    self.display = display
    self.name = name
    self.window = window
    self.property = property
    signals = display.router.events { last, new in
      if case (.newValue, .newValue) = (last, new) { true } else { false }
    } _: { event in
      if event.closedWindow == owner { return .ownerClosed }
      switch event.kind {
      // The owner, and not the server, sends this event, so any program can forge it. The window and the target must
      // match.
      case .selectionNotify(let notice) where notice.requestor == window && notice.target == target:
        return .notified(notice.property)
      case .propertyNotify(let change)
      where change.window == window && change.property == property && !change.isDeleted && !event.isSentByClient:
        return .newValue
      default: return nil
      }
    }
    try display.watch(owner)
    try display.connection.send(
      .createWindow(
        window, parent: display.connection.screen.root, frame: X11Rectangle(x: -1, y: -1, width: 1, height: 1),
        attributes: X11WindowAttributes(overridesRedirect: true, events: X11Display.transferEvents)))
    try display.connection.send(
      .convertSelection(
        requestor: window, selection: reader.selection, target: target, property: property, time: reader.time))
  }

  deinit {
    let (display, window) = (display, window)
    guard case .incremental = state.withLock({ $0.step }), name != TargetName.drop else {
      try? display.connection.send(.destroyWindow(window))
      return
    }
    let (property, signals) = (property, signals)
    display.finishBeforeClosing {
      await Self.discardRest(display, window, property, signals)
      try? display.connection.send(.destroyWindow(window))
    }
  }

  /// Lets the owner send the rest of a value, without reading it.
  ///
  /// Some programs, such as xclip, serve no other request before that, so the content of the clipboard would be lost.
  private static func discardRest(
    _ display: X11Display, _ window: X11Identifier, _ property: X11Atom, _ signals: AsyncQueue<Signal>
  ) async {
    await withTaskGroup(of: Void.self) { group in
      group.addTask {
        while let value = try? await display.connection.response(to: .getProperty(window, property, limit: 0)) {
          try? display.connection.send(.deleteProperty(window, property))
          if value.exists, value.remainingBytes == 0 { return }
          guard case .newValue? = await signals.next() else { return }
        }
      }
      group.addTask { try? await Task.sleep(for: discardingTime) }
      await group.next()
      group.cancelAll()
    }
  }

  func nextBytes(limit: Int) async throws -> ArraySlice<UInt8>? {
    guard let part = try await nextPart(limit: limit) else { return nil }
    guard case .bytes(let bytes) = part else {
      throw DesktopError(.malformed, "the value of \(name.escapedForDisplay()) is not bytes")
    }
    return bytes
  }

  /// Returns the next part of the value.
  ///
  /// Only one task at a time may call this method.
  ///
  /// - Parameter limit: The maximum length of the value in bytes.
  /// - Returns: The part; `nil` after the last part, and after an error.
  /// - Throws: `sourceFailed`, `timedOut`, `limitExceeded`, `malformed`, `displayGone`.
  func nextPart(limit: Int) async throws -> X11Data? {
    do {
      while true {
        switch state.withLock({ $0.step }) {
        case .requested:
          let value = try await firstValue()
          guard value.type == display.atoms[.incremental] else { return try take(value, offset: 0, limit) }
          try beginParts(value, limit)
        case .whole(let offset): return try take(try await value(at: offset), offset: offset, limit)
        case .incremental(let offset):
          if offset == 0 { try await awaitValue() }
          if let part = try await nextIncrement(at: offset, limit) { return part }
        case .ended: return nil
        }
      }
    } catch {
      // After these errors, the owner can still send the rest.
      let isBrokenOff = [.cancelled, .limitExceeded].contains(DesktopError(caught: error).code)
      if !isBrokenOff { state.withLock { $0.step = .ended } }
      throw error
    }
  }

  private func nextSignal() async throws -> Signal {
    let signal = try await display.next(of: signals, while: "the owner sends a value")
    if case .ownerClosed = signal { throw DesktopError.sourceClosed }
    return signal
  }

  /// Waits until the owner has stored the value, or has announced that it follows in parts.
  private func firstValue() async throws -> X11Property {
    while true {
      guard case .notified(let found) = try await nextSignal() else { continue }
      guard found != .none else {
        throw DesktopError(.sourceFailed, "the other program does not send this type, or has failed to create it")
      }
      guard found == property else { throw DesktopError(.malformed, "the value is in another property") }
      return try await value()
    }
  }

  /// Requests the first part, unless the announced length exceeds the limit.
  private func beginParts(_ announcement: X11Property, _ limit: Int) throws {
    if case .words32(let words) = announcement.data, let count = words.first {
      // The owner has sent nothing yet, and needs no end.
      state.withLock { ($0.announcedCount, $0.step) = (Int(count), .ended) }
      try check(Int(count), limit)
    }
    state.withLock { $0.step = .incremental(offset: 0) }
    // The deletion requests the first part from the owner. Earlier signals of a new value belong to the announcement.
    try display.connection.send(.deleteProperty(window, property))
  }

  private func awaitValue() async throws {
    while true {
      if case .newValue = try await nextSignal() { return }
    }
  }

  /// Takes a piece of a value that the property holds completely.
  private func take(_ value: X11Property, offset: Int, _ limit: Int) throws -> X11Data? {
    guard value.exists else { throw Self.missingValue }
    let count = value.data.byteCount
    try check(offset + count + value.remainingBytes, limit)
    state.withLock { $0.step = value.remainingBytes > 0 ? .whole(offset: offset + count) : .ended }
    return count == 0 && offset > 0 ? nil : value.data
  }

  /// Reads a piece of a part; an empty part is the last.
  ///
  /// - Returns: `nil` for the last part, and after a signal of a part that was read already.
  private func nextIncrement(at offset: Int, _ limit: Int) async throws -> X11Data? {
    // Once the property is read to its end, the server deletes it. The deletion requests the next part.
    let value = try await value(at: offset, deletes: true)
    guard value.exists else {
      if offset > 0 { throw Self.missingValue }
      return nil
    }
    let count = value.data.byteCount
    let (readCount, announcedCount) = state.withLock { state in
      state.readCount += count
      state.step =
        if value.remainingBytes > 0 {
          .incremental(offset: offset + count)
        } else {
          count + offset == 0 ? .ended : .incremental(offset: 0)
        }
      return (state.readCount, state.announcedCount)
    }
    try check(readCount + value.remainingBytes, limit)
    if count > 0 { return value.data }
    guard readCount >= announcedCount || !announcesBytes else {
      throw DesktopError(
        .malformed, "the value is truncated: \(readCount) of at least \(announcedCount) announced bytes have arrived")
    }
    return nil
  }

  /// Whether the announced length is that of the sent bytes.
  ///
  /// Tk announces the length of UTF-8 for text that it sends in Latin-1. Lists of atoms may be announced in any unit.
  private var announcesBytes: Bool { name != "STRING" && name != DesktopName.targets.rawValue }

  private func check(_ count: Int, _ limit: Int) throws {
    guard count <= limit else {
      throw DesktopError(
        .limitExceeded, "the value of at least \(count) bytes exceeds the limit of \(limit) bytes",
        isByteLimit: limit == display.options.maximumBytes)
    }
  }

  private func value(at offset: Int = 0, deletes: Bool = false) async throws -> X11Property {
    try await display.connection.response(
      to: .getProperty(window, property, offset: offset, limit: display.options.chunkBytes, deletes: deletes))
  }

  private static var missingValue: DesktopError {
    DesktopError(.sourceFailed, "the other program has reported a value that it has not stored")
  }
}

extension X11Event {
  /// The window that has been destroyed, or that a request has named in vain; `nil` for other events.
  var closedWindow: X11Identifier? {
    switch kind {
    case .destroyNotify(let window) where !isSentByClient: window
    case .error(let error) where error.code == X11Error.badWindow: X11Identifier(error.value)
    default: nil
    }
  }
}

extension X11Data {
  /// The number of bytes on the wire.
  var byteCount: Int { count * Int(format) / 8 }
}
