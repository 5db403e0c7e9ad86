// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DisplayWire
internal import DropSystem
internal import FoundationEssentials
internal import Synchronization

/// A reader of a selection, whose owner sends each value on request: ICCCM, section 2.4.
struct SelectionReader: Sendable {
  let display: DesktopDisplay
  let selection: X11Atom
  /// The time of the event that caused the requests.
  let time: X11Time

  /// Returns the names of the offered types in the owner's order, without the targets that the protocol defines.
  ///
  /// - Throws: `nothingOffered` without an owner or types; `sourceFailed`, `timedOut`, `limitExceeded`, `malformed`,
  ///   `displayGone`.
  func typeNames() async throws -> [String] {
    guard try await display.connection.response(to: .getSelectionOwner(selection)) != .none else {
      throw DesktopError(.nothingOffered, "no program offers anything")
    }
    let transfer = try SelectionTransfer(display, selection, display.atoms[.targets], time)
    let limit = 4 * 65_536
    var words: [UInt32] = []
    while let part = try await transfer.nextPart(upTo: limit) {
      guard case .words32(let atoms) = part else {
        throw DesktopError(.malformed, "the offered types are not a list of atoms")
      }
      words += atoms
      guard words.count <= limit / 4 else {
        throw DesktopError(.limitExceeded, "the list of offered types exceeds the limit of \(limit) bytes")
      }
    }
    let known = Set(SelectionOwner.protocolTargets.map { display.atoms[$0] })
    var seen: Set<UInt32> = []
    let atoms = words.filter { seen.insert($0).inserted }.map { X11Atom($0) }.filter { !known.contains($0) }
    let names = try await display.connection.names(of: Array(atoms.prefix(display.options.maximumTypes)))
    let found = names.compactMap { $0 }.filter { TargetName.isPlausible($0) }
    guard !found.isEmpty else { throw DesktopError(.nothingOffered, "the other program offers no types") }
    return found
  }

  /// Returns a value.
  ///
  /// - Parameters:
  ///   - name: The name of the type.
  ///   - limit: The maximum length in bytes.
  /// - Returns: The bytes.
  /// - Throws: `limitExceeded` and the errors of the sequence ``chunks(of:limit:)``.
  func data(of name: String, limit: Int) async throws -> Data {
    var data = Data()
    for try await chunk in chunks(of: name, limit: limit) { data += chunk }
    return data
  }

  /// Returns a value as a sequence of parts.
  ///
  /// Each part is read when the caller requests it.
  ///
  /// - Parameters:
  ///   - name: The name of the type.
  ///   - limit: The maximum length in bytes.
  /// - Returns: The sequence, which throws `sourceFailed`, `timedOut`, `limitExceeded`, `malformed`, `displayGone`, and
  ///   `CancellationError`.
  func chunks(of name: String, limit: Int) -> SelectionChunks {
    SelectionChunks(reader: self, name: name, limit: limit)
  }
}

/// The bytes of a value in the parts in which its owner sends them.
struct SelectionChunks: AsyncSequence, Sendable {
  typealias Element = Data

  let reader: SelectionReader
  let name: String
  let limit: Int

  func makeAsyncIterator() -> Iterator { Iterator(chunks: self) }

  struct Iterator: AsyncIteratorProtocol {
    fileprivate let chunks: SelectionChunks
    private var transfer: SelectionTransfer?
    private var count = 0

    fileprivate init(chunks: SelectionChunks) {
      self.chunks = chunks
    }

    mutating func next() async throws -> Data? {
      let reader = chunks.reader
      if transfer == nil {
        let target = try await reader.display.connection.intern(chunks.name)
        transfer = try SelectionTransfer(reader.display, reader.selection, target, reader.time)
      }
      guard let part = try await transfer?.nextPart(upTo: chunks.limit - count) else { return nil }
      guard case .bytes(let bytes) = part else {
        throw DesktopError(.malformed, "the value of \(chunks.name.escapedForDisplay()) is not bytes")
      }
      count += bytes.count
      return Data(bytes)
    }
  }
}

/// The transfer of one value.
///
/// Each transfer has its own window, so a late part of one value cannot become part of another.
final class SelectionTransfer: Sendable {
  private enum Signal: Sendable {
    case notified(X11Atom)
    case newValue
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

  private let display: DesktopDisplay
  private let window: X11Identifier
  private let property: X11Atom
  private let signals: AsyncQueue<Signal>
  private let name: String
  private let step = Lock(Step.requested)

  /// Requests a value.
  init(_ display: DesktopDisplay, _ selection: X11Atom, _ target: X11Atom, _ time: X11Time) throws {
    self.display = display
    let window = try display.connection.newIdentifier()
    let property = display.atoms[.value]
    self.window = window
    self.property = property
    name = "the owner sends a value"
    signals = display.router.events { event in
      switch event.kind {
      // The owner, and not the server, sends this event, so any program can forge it. The window and the target must
      // match.
      case .selectionNotify(let notice) where notice.requestor == window && notice.target == target:
        .notified(notice.property)
      case .propertyNotify(let change)
      where change.window == window && change.property == property && !change.isDeleted && !event.isSentByClient:
        .newValue
      default: nil
      }
    }
    try display.connection.send(
      .createWindow(
        window, parent: display.connection.screen.root, frame: X11Rectangle(x: -1, y: -1, width: 1, height: 1),
        attributes: X11WindowAttributes(overridesRedirect: true, events: DesktopDisplay.transferEvents)))
    try display.connection.send(
      .convertSelection(requestor: window, selection: selection, target: target, property: property, time: time))
  }

  deinit {
    try? display.connection.send(.destroyWindow(window))
  }

  /// Returns the next part of the value.
  ///
  /// Only one task at a time may call this method.
  ///
  /// - Parameter limit: The maximum number of bytes that the rest of the value may have.
  /// - Returns: The part; `nil` after the last part.
  /// - Throws: `sourceFailed`, `timedOut`, `limitExceeded`, `malformed`, `displayGone`.
  func nextPart(upTo limit: Int) async throws -> X11Data? {
    while true {
      switch step.withLock({ $0 }) {
      case .requested: try await awaitNotice()
      case .whole(let offset): return try await nextPiece(at: offset, limit)
      case .incremental(let offset):
        if offset == 0 { try await awaitValue() }
        if let part = try await nextIncrement(at: offset, limit) { return part }
      case .ended: return nil
      }
    }
  }

  /// Waits until the owner has stored the value, or has announced that it follows in parts.
  private func awaitNotice() async throws {
    while true {
      guard case .notified(let found) = try await display.next(of: signals, while: name) else { continue }
      guard found != .none else {
        throw DesktopError(.sourceFailed, "the other program does not send this type, or has failed to create it")
      }
      guard found == property else { throw DesktopError(.malformed, "the value is in another property") }
      break
    }
    let start = try await value(limit: 0)
    guard start.type == display.atoms[.incremental] else {
      step.withLock { $0 = .whole(offset: 0) }
      return
    }
    step.withLock { $0 = .incremental(offset: 0) }
    // The deletion requests the first part from the owner. Earlier signals of a new value belong to the announcement.
    try display.connection.send(.deleteProperty(window, property))
  }

  private func awaitValue() async throws {
    while true {
      if case .newValue = try await display.next(of: signals, while: name) { return }
    }
  }

  /// Reads a piece of a value that the property holds completely.
  private func nextPiece(at offset: Int, _ limit: Int) async throws -> X11Data? {
    let value = try await value(at: offset, limit: display.options.chunkBytes)
    let count = value.data.byteCount
    try check(count + value.remainingBytes, limit)
    guard value.remainingBytes > 0 else {
      step.withLock { $0 = .ended }
      return count == 0 && offset > 0 ? nil : value.data
    }
    step.withLock { $0 = .whole(offset: offset + count) }
    return value.data
  }

  /// Reads a piece of a part; an empty part is the last.
  ///
  /// - Returns: `nil` for the last part, and after a signal of a part that was read already.
  private func nextIncrement(at offset: Int, _ limit: Int) async throws -> X11Data? {
    // Once the property is read to its end, the server deletes it. The deletion requests the next part.
    let value = try await value(at: offset, limit: display.options.chunkBytes, deletes: true)
    guard value.exists else { return nil }
    let count = value.data.byteCount
    try check(count + value.remainingBytes, limit)
    if value.remainingBytes > 0 {
      step.withLock { $0 = .incremental(offset: offset + count) }
    } else {
      step.withLock { $0 = count + offset == 0 ? .ended : .incremental(offset: 0) }
    }
    return count == 0 ? nil : value.data
  }

  private func check(_ count: Int, _ limit: Int) throws {
    guard count <= limit else {
      throw DesktopError(.limitExceeded, "the value of \(count) bytes exceeds the limit of \(limit)")
    }
  }

  private func value(at offset: Int = 0, limit: Int, deletes: Bool = false) async throws -> X11Property {
    try await display.connection.response(
      to: .getProperty(window, property, offset: offset, limit: limit, deletes: deletes))
  }
}

extension X11Data {
  /// The number of bytes on the wire.
  var byteCount: Int { count * Int(format) / 8 }
}
