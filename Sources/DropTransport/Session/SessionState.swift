// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// The state of a session: its handshake, its end, and the work of both roles.
///
/// Each side is the source of its own offers and the destination of its peer's offers:
///
/// ```
///   source                                            destination
///   offers     ---- offer, withdrawal ------------->  open drops
///   servings  <---- request, credit, cancellation --  contents
///              ---- content, failure -------------->
///             <---- finish -------------------------  finishing
///              ---- acknowledgement --------------->
/// ```
///
/// The state is pure: the caller holds a lock, sends the frames and resumes the tasks.
struct SessionState {
  /// The intervals of keep-alive frames: for a side that works on an offer, and for an idle side.
  static let (busyInterval, idleInterval) = (Duration.seconds(1), Duration.seconds(60))

  /// All work that ends with the session.
  struct Remains {
    var source: SessionSourceState.Remains
    var destination: SessionDestinationState.Remains
    /// Whether the session ends before the peer's handshake.
    var isBeforeHandshake: Bool
  }

  /// The peer's handshake; `nil` until it arrives.
  private(set) var peer: SessionHello?
  /// The reason why the session accepts no more requests and offers; `nil` while it does.
  private(set) var failure: DropStreamError?
  /// Whether the peer has sent its close frame.
  private(set) var isEndedByPeer = false
  var source = SessionSourceState()
  var destination = SessionDestinationState()
  /// The time when this side last sent a keep-alive frame.
  private var lastKeepAlive = ContinuousClock.now
  private var wait = SessionWait()

  /// The failure that the program sees; `nil` while the session is open, and after a regular end by the peer.
  var visibleFailure: DropStreamError? { isEndedByPeer ? nil : failure }

  /// Checks that the session accepts work.
  ///
  /// - Throws: The failure of the session.
  func checkIsOpen() throws(DropStreamError) {
    if let failure { throw failure }
  }

  mutating func takeHandshake(_ hello: SessionHello) { peer = hello }

  mutating func endByPeer() { isEndedByPeer = true }

  /// Ends all work in progress and accepts no more.
  ///
  /// - Returns: The ended work; `nil` if the session has ended before.
  mutating func stop(_ error: DropStreamError) -> Remains? {
    if failure != nil { return nil }
    failure = error
    return Remains(source: source.end(error), destination: destination.end(), isBeforeHandshake: peer == nil)
  }

  // MARK: Time

  /// Whether the program has taken an offer of the peer that it has not finished.
  private func isBusy(_ waitingDrops: Int) -> Bool { destination.openDropCount > waitingDrops }

  /// Returns the keep-alive frame that is due.
  ///
  /// - Parameters:
  ///   - now: The current time.
  ///   - waitingDrops: The number of the peer's offers that the program has not taken.
  /// - Returns: The frame; `nil` if none is due.
  mutating func keepAlive(at now: ContinuousClock.Instant, waitingDrops: Int) -> OutgoingFrame? {
    let isBusy = isBusy(waitingDrops)
    guard now - lastKeepAlive >= (isBusy ? Self.busyInterval : Self.idleInterval) else { return nil }
    lastKeepAlive = now
    return .keepAlive(isBusy: isBusy)
  }

  /// Returns the action of the peer for which this side has waited longer than `limit`; `nil` if there is none.
  ///
  /// - Parameters:
  ///   - now: The current time.
  ///   - sign: The time when the peer last sent something.
  ///   - limit: The longest silence.
  ///   - waitingDrops: The number of the peer's offers that the program has not taken.
  ///   - isOfferAwaited: Whether a task waits for the next offer.
  /// - Returns: The end of a sentence that begins with "waiting for".
  mutating func overdueAction(
    at now: ContinuousClock.Instant, since sign: ContinuousClock.Instant, limit: Duration, waitingDrops: Int,
    isOfferAwaited: Bool
  ) -> String? {
    var action: String?
    if !isBusy(waitingDrops), source.allServingsAwaitCredit {
      action = source.awaitedAction ?? (isOfferAwaited ? "an offer" : nil)
    }
    let isTooLong = wait.isTooLong(at: now, isWaiting: action != nil, since: sign, limit: limit)
    return isTooLong ? action : nil
  }
}
