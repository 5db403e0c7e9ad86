// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DisplayWire
internal import DropSystem
internal import Synchronization

/// The owner of a selection, which responds to the requests of other programs: ICCCM, sections 2.2 and 2.6.
final class SelectionOwner: Sendable {
  /// The targets that the protocol defines; none of them is content.
  static let protocolTargets: [DesktopName] = [.targets, .multiple, .timestamp, .saveTargets]

  /// The reason why ``SelectionOwner/serve(limit:)`` has returned.
  enum End: Sendable {
    /// Another program owns the selection now.
    case lost
    /// The limit of sent values is reached. The selection is still owned.
    case served
  }

  private enum Signal: Sendable {
    case request(X11SelectionRequestEvent)
    case refusal(X11SelectionRequestEvent)
    case lost
    case served
  }

  let display: X11Display
  let selection: X11Atom
  let time: X11Time
  let content: any OfferedContent
  /// The targets of the content by their atoms.
  let targets: [X11Atom: String]
  private let window: X11Identifier
  private let signals: AsyncQueue<Signal>
  /// The number of values that were sent completely.
  private let sentCount = Lock(0)
  /// The latest lease of each property to which a response may write.
  private let leases = Lock<[PropertyLease.Key: PropertyLease]>([:])

  /// Takes the ownership of a selection.
  ///
  /// With a drag, the owner responds only to the requests that mean this drag, and its loop handles the loss of the
  /// selection.
  ///
  /// - Throws: `notOwned` if another program has taken it at the same time, and the errors of the display.
  init(
    _ display: X11Display, _ selection: X11Atom, window: X11Identifier, _ content: any OfferedContent,
    time: X11Time, drag: X11Identifier? = nil
  ) async throws {
    self.display = display
    self.selection = selection
    self.window = window
    self.content = content
    self.time = time
    let atoms = try await display.connection.intern(content.targets)
    targets = Dictionary(zip(atoms, content.targets)) { first, _ in first }
    signals = display.router.events(limit: 1024) { event in
      guard !event.isSentByClient else { return nil }
      switch event.kind {
      case .selectionRequest(let request)
      where request.owner == window && request.selection == selection:
        guard let drag else { return .request(request) }
        let client = display.client(of: request.requestor)
        return display.drags.response(of: drag, to: client, at: request.time).map { response in
          response == .content ? .request(request) : .refusal(request)
        }
      // The server may report the end of an older ownership of this program after the new ownership has begun.
      case .selectionClear(let clear)
      where drag == nil && clear.owner == window && clear.selection == selection && !time.isLater(than: clear.time):
        return .lost
      default: return nil
      }
    }
    try display.connection.send(.setSelectionOwner(window, selection: selection, time: time))
    guard try await display.connection.response(to: .getSelectionOwner(selection)) == window else {
      throw DesktopError(.notOwned, "another program has taken the selection at the same time")
    }
  }

  /// Responds to requests until the selection has another owner, or until `limit` values were sent.
  ///
  /// Running transfers finish before the call returns.
  ///
  /// - Parameter limit: The number of sent values after which to stop; `nil` for no limit.
  /// - Returns: The reason of the end.
  /// - Throws: `displayGone`; `CancellationError`, after which the selection is still owned.
  func serve(limit: Int? = nil) async throws -> End {
    let permits = AsyncSemaphore(permits: display.options.maximumTransfers)
    return try await withThrowingDiscardingTaskGroup { group in
      while let signal = await signals.next() {
        switch signal {
        case .lost: return .lost
        case .served: return .served
        case .refusal(let request): SelectionResponse(owner: self, request: request).refuse()
        case .request(let request):
          let response = SelectionResponse(owner: self, request: request)
          guard permits.tryWait() else {
            response.refuse()
            continue
          }
          let key = PropertyLease.Key(window: request.requestor, property: response.property)
          leases.withLock { $0.updateValue(response.lease, forKey: key) }?.end()
          group.addTask {
            defer {
              self.leases.withLock { if $0[key] === response.lease { $0[key] = nil } }
              permits.signal()
            }
            let valueCount = await response.send()
            let count = self.sentCount.withLock { count in
              count += valueCount
              return count
            }
            if let limit, count >= limit { self.signals.put(.served) }
          }
        }
      }
      try Task.checkCancellation()
      throw display.router.failure
    }
  }

  /// Releases the selection.
  ///
  /// Do not call this after the selection was lost: if the new owner has taken it in the millisecond of ``time``, the
  /// server would end the new ownership.
  func release() {
    try? display.connection.send(.setSelectionOwner(.none, selection: selection, time: time))
  }

  /// Asks the clipboard manager to store the content, and serves its requests.
  ///
  /// - Returns: Whether a clipboard manager has stored the content; `false` if none runs.
  func store() async throws -> Bool {
    let manager = display.atoms[.clipboardManager]
    guard try await display.connection.response(to: .getSelectionOwner(manager)) != .none else { return false }
    return try await withThrowingTaskGroup(of: Bool?.self) { group in
      group.addTask {
        _ = try await self.serve()
        return nil
      }
      group.addTask { try await self.requestStoring(by: manager) }
      defer { group.cancelAll() }
      while let result = try await group.next() {
        if let result { return result }
      }
      return false
    }
  }

  /// Requests the target `SAVE_TARGETS` of the manager, and waits for its response.
  private func requestStoring(by manager: X11Atom) async throws -> Bool {
    let (window, property, target) = (window, display.atoms[.value], display.atoms[.saveTargets])
    let notices = display.router.events { event -> Bool? in
      guard case .selectionNotify(let notice) = event.kind, notice.requestor == window, notice.selection == manager
      else { return nil }
      return notice.property != .none
    }
    // The key is invalid after this program has ended.
    let targets = content.targets.filter { $0 != TargetName.portalFiles }
    let atoms = try await display.connection.intern(targets)
    try display.connection.send(.changeProperty(window, property, type: .atom, .atoms(atoms)))
    try display.connection.send(
      .convertSelection(requestor: window, selection: manager, target: target, property: property, time: time))
    return try await display.next(of: notices, while: "the clipboard manager stores the content")
  }
}
