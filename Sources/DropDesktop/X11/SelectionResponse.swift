// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DisplayWire
internal import DropSystem
internal import FoundationEssentials
internal import Synchronization

/// The right of a response to write to the property that its request names.
///
/// A program may give up a request without notice, and name the same property in its next one, as Qt does after 5 s.
/// If both responses wrote, the program would receive a mixture of two values.
final class PropertyLease: Sendable {
  /// A window of another program, and its property.
  struct Key: Hashable, Sendable {
    let window: X11Identifier
    let property: X11Atom
  }

  /// The reason why nothing was written: a later request has the property.
  struct Ended: Error {}

  private let isEnded = Lock(false)

  /// Ends the lease, so that nothing more is sent.
  func end() {
    isEnded.withLock { $0 = true }
  }

  /// Sends a request that concerns the property.
  ///
  /// - Throws: ``Ended`` after the end of the lease; `displayGone`.
  func send(_ request: X11Request, to display: X11Display) throws {
    try isEnded.withLock { isEnded in
      guard !isEnded else { throw Ended() }
      try display.connection.send(request)
    }
  }
}

/// The response to one request for a selection.
struct SelectionResponse: Sendable {
  /// The result of an attempt to store a value in a property of the requestor.
  private enum Placement {
    case refused
    /// The complete value is stored. `isContent` is false for information about the content, such as the list of
    /// targets.
    case stored(isContent: Bool)
    /// The value follows in parts.
    case parts(SelectionParts)
  }

  let owner: SelectionOwner
  let request: X11SelectionRequestEvent
  let lease = PropertyLease()

  /// The property for the value.
  ///
  /// Obsolete programs name no property. The target is then also the name of the property.
  var property: X11Atom { request.property == .none ? request.target : request.property }

  private var display: X11Display { owner.display }

  /// Reports that there is no value.
  func refuse() {
    notify(.none)
  }

  /// Sends the values, until the requestor is closed.
  ///
  /// - Returns: The number of values of the content that were sent completely.
  func send() async -> Int {
    let requestor = request.requestor
    let closures = display.router.events(limit: 1) { $0.closedWindow == requestor ? true : nil }
    try? display.watch(requestor)
    return await withTaskGroup(of: Int.self) { group in
      group.addTask { await sendValues() }
      group.addTask {
        _ = await closures.next()
        return 0
      }
      defer { group.cancelAll() }
      return await group.next() ?? 0
    }
  }

  private func sendValues() async -> Int {
    guard request.time == .current || !owner.time.isLater(than: request.time) else {
      refuse()
      return 0
    }
    do {
      if request.target == display.atoms[.multiple] { return try await sendSeveral() }
      switch try await place(request.target, in: property) {
      case .refused:
        refuse()
        return 0
      case .stored(let isContent):
        notify(property)
        return isContent ? 1 : 0
      case .parts(let parts):
        notify(property)
        return await parts.send() ? 1 : 0
      }
    } catch {
      // The display is gone, which ends the ownership as well, or a later request has the property.
      return 0
    }
  }

  /// Responds to the target `MULTIPLE`: the property lists pairs of a target and the property for its value.
  private func sendSeveral() async throws -> Int {
    let limit = 8 * display.options.maximumTypes
    let list = try await display.connection.response(
      to: .getProperty(request.requestor, property, type: display.atoms[.pair], limit: limit))
    guard case .words32(var words) = list.data, list.remainingBytes == 0, words.count.isMultiple(of: 2) else {
      refuse()
      return 0
    }
    var storedCount = 0
    var following: [SelectionParts] = []
    for index in stride(from: 0, to: words.count, by: 2) {
      let target = X11Atom(words[index])
      let destination = X11Atom(words[index + 1])
      let isNested = target == display.atoms[.multiple] || destination == .none
      switch isNested ? .refused : try await place(target, in: destination) {
      case .refused: words[index + 1] = 0
      case .stored(let isContent): storedCount += isContent ? 1 : 0
      case .parts(let parts): following.append(parts)
      }
    }
    try lease.send(
      .changeProperty(request.requestor, property, type: display.atoms[.pair], .words32(words)), to: display)
    notify(property)
    return await withTaskGroup(of: Bool.self) { group in
      for parts in following { group.addTask { await parts.send() } }
      return await group.reduce(storedCount) { $0 + ($1 ? 1 : 0) }
    }
  }

  /// Stores a value in a property of the requestor, or announces its parts.
  private func place(_ target: X11Atom, in property: X11Atom) async throws -> Placement {
    func store(_ type: X11Atom, _ data: X11Data, isContent: Bool = false) throws -> Placement {
      try lease.send(.changeProperty(request.requestor, property, type: type, data), to: display)
      return .stored(isContent: isContent)
    }
    let atoms = display.atoms
    switch target {
    case atoms[.targets]:
      let own = SelectionOwner.protocolTargets.map { atoms[$0] }
      let offered = try await display.connection.intern(owner.content.targets)
      return try store(.atom, .atoms(own + offered))
    case atoms[.timestamp]: return try store(.integer, .words32([owner.time.rawValue]))
    case atoms[.saveTargets]: return try store(atoms[.null], .words32([]))
    default: break
    }
    guard let name = owner.targets[target], let value = try? await owner.content.value(for: name) else {
      return .refused
    }
    let type = try await display.connection.intern(value.type)
    let partBytes = min(display.options.chunkBytes, display.connection.maximumRequestBytes - 64)
    var parts = SelectionParts(display, lease, request.requestor, property, type, value, partBytes: partBytes)
    guard (try? await parts.readFirst()) != nil else { return .refused }
    if parts.isComplete { return try store(type, .bytes(parts.first[...]), isContent: true) }
    try parts.announce()
    return .parts(parts)
  }

  private func notify(_ property: X11Atom) {
    let notice = X11SelectionNotifyEvent(
      time: request.time, requestor: request.requestor, selection: request.selection, target: request.target,
      property: property)
    try? lease.send(.sendEvent(notice, to: request.requestor), to: display)
  }
}

/// A value that crosses in parts: ICCCM, section 2.7.2.
struct SelectionParts: Sendable {
  private let display: X11Display
  private let lease: PropertyLease
  private let requestor: X11Identifier
  private let property: X11Atom
  private let type: X11Atom
  private let value: OfferedValue
  private let partBytes: Int
  private var deletions: AsyncQueue<Bool>?
  /// The bytes that ``readFirst()`` has read.
  private(set) var first: [UInt8] = []
  /// Whether ``first`` is the complete value.
  private(set) var isComplete = false

  init(
    _ display: X11Display, _ lease: PropertyLease, _ requestor: X11Identifier, _ property: X11Atom,
    _ type: X11Atom, _ value: OfferedValue, partBytes: Int
  ) {
    self.display = display
    self.lease = lease
    self.requestor = requestor
    self.property = property
    self.type = type
    self.value = value
    self.partBytes = partBytes
  }

  /// Reads more bytes than fit in one part, or the complete value if it fits.
  mutating func readFirst() async throws {
    while first.count <= partBytes {
      guard let part = try await value.next() else {
        isComplete = true
        return
      }
      first += part
    }
  }

  /// Announces to the requestor that the value follows in parts.
  mutating func announce() throws {
    let (requestor, property) = (requestor, property)
    deletions = display.router.events { event in
      guard case .propertyNotify(let change) = event.kind, !event.isSentByClient, change.window == requestor,
        change.property == property, change.isDeleted
      else { return nil }
      return true
    }
    let count = UInt32(clamping: max(value.byteCount ?? 0, first.count))
    try lease.send(
      .changeProperty(requestor, property, type: display.atoms[.incremental], .words32([count])), to: display)
  }

  /// Sends the parts, each after the requestor has deleted the part before it.
  ///
  /// - Returns: Whether all parts were sent. If the content fails, the empty last part is not sent, so the requestor
  ///   does not treat the value as complete.
  func send() async -> Bool {
    guard let deletions else { return false }
    do {
      var pending = first[...]
      while true {
        // The part is ready when the requestor has read the part before it.
        let part = try await nextPart(&pending)
        _ = try await display.next(of: deletions, while: "the other program reads a part")
        try lease.send(.changeProperty(requestor, property, type: type, .bytes(part[...])), to: display)
        if part.isEmpty { return true }
      }
    } catch {
      return false
    }
  }

  /// Reads the next part.
  ///
  /// - Parameter pending: The bytes that were read before, and then those after the part.
  /// - Returns: The part, at most ``partBytes`` long; empty at the end.
  /// - Throws: The error of the content.
  private func nextPart(_ pending: inout ArraySlice<UInt8>) async throws -> [UInt8] {
    var part = Array(pending.prefix(partBytes))
    pending = pending.dropFirst(part.count)
    part.reserveCapacity(partBytes)
    while part.count < partBytes, let next = try await value.next() {
      let count = min(next.count, partBytes - part.count)
      part += next.prefix(count)
      pending = Array(next.dropFirst(count))[...]
    }
    return part
  }
}
