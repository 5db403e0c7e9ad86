// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import ItemTransfer

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
  var peer: SessionHello?
  /// The reason why the session accepts no more requests and offers; `nil` while it does.
  private(set) var failure: DropStreamError?
  /// Whether the peer has sent its close frame.
  var isEndedByPeer = false
  var source = SessionSourceState()
  var destination = SessionDestinationState()
  /// The time when this side last sent a keep-alive frame.
  private var lastKeepAlive = ContinuousClock.now
  /// The start of the present wait for a silent peer, and the time of the latest check of the clock.
  private var waitStart, lastCheck: ContinuousClock.Instant?

  /// The failure that the program sees; `nil` while the session is open, and after a regular end by the peer.
  var visibleFailure: DropStreamError? { isEndedByPeer ? nil : failure }

  /// Checks that the session accepts work.
  ///
  /// - Throws: The failure of the session.
  func checkIsOpen() throws(DropStreamError) {
    if let failure { throw failure }
  }

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
  /// The wait starts with the first check that finds such an action.
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
    // A longer interval between two checks means that this process was stopped.
    let wasStopped = lastCheck.map { now - $0 > max(limit, .seconds(1)) } ?? false
    lastCheck = now
    waitStart = action == nil ? nil : wasStopped ? now : waitStart ?? now
    return waitStart.map { now - max($0, sign) > limit } == true ? action : nil
  }
}

/// The offers that one side of a session has made, and its responses to the requests of the peer.
///
/// ```
///              begin, announce           wait                      finish
///   (nothing) -------> open, unawaited -------> open, awaited -------------> (removed; the task resumes)
///                            |
///                            | finish
///                            v
///                         settled, which wait takes
/// ```
///
/// A withdrawal removes an open offer. The state is pure: the caller holds a lock, sends the frames and resumes the
/// tasks. Removed offers are returned, so that the caller releases them outside the lock: that can run the program's
/// code.
struct SessionSourceState {
  typealias Outcome = Result<SessionFinish, DropStreamError>
  /// Resumes a task that waits for the outcome of an offer.
  typealias Waiter = @Sendable (Outcome) -> Void

  /// The maximum number of open offers of each side.
  static let maximumOpenOffers = 64
  /// The maximum number of running loaders, including loaders of cancelled requests.
  static let maximumRunning = 256

  /// An offer that the program makes.
  struct Offer {
    var items: [[ItemRepresentation]]
    var size: OfferSize
    var actions: DropActions
    /// Called with each failure to create content of the offer.
    var onFailure: @Sendable (DropStreamError) -> Void = { _ in }
  }

  /// The response to a request, or the failure that is sent instead.
  enum RequestAnswer {
    case serving(SessionServing)
    case failure(SenderFailure)
  }

  /// An offer that has ended, its task if one waits, and its responses in progress.
  typealias Ended = (offer: Offer, task: Waiter?, servings: [SessionServing])

  /// All tasks and responses that end with the session.
  typealias Remains = (offers: [Offer], waitingTasks: [Waiter], servings: [SessionServing])

  struct OpenOffer {
    var offer: Offer
    /// The task that waits for the finish.
    var task: Waiter?
    /// The outcome that arrived before a task waited for it.
    var settled: Outcome?
    /// Whether the end of the offer is sent, or is about to be; the peer knows no incomplete offer.
    var isAnnounced = false
    /// The items of which at least one representation was completely delivered.
    var delivered: Set<UInt32> = []
  }

  private(set) var offers: [UInt32: OpenOffer] = [:]
  private(set) var lastGeneration: UInt32 = 0
  /// The responses that the peer still wants.
  private(set) var servings: [UInt32: SessionServing] = [:]
  /// The running responses, including cancelled responses whose loaders still run.
  private(set) var running: [UInt32: SessionServing] = [:]
  /// Whether the peer has made a request.
  private var hasServed = false

  // MARK: Offers

  /// Opens an offer.
  ///
  /// - Returns: The generation of the offer.
  /// - Throws: `limitExceeded` above the number or the size of open offers.
  mutating func begin(_ offer: Offer, limits: DropStreamLimits) throws(DropStreamError) -> UInt32 {
    guard offers.count < Self.maximumOpenOffers, lastGeneration < .max else {
      throw DropStreamError(.limitExceeded, "the program makes more than \(Self.maximumOpenOffers) offers at once")
    }
    // The peer no longer counts offers that it has finished.
    let open = offers.values.filter { $0.settled == nil }.map(\.offer.size) + [offer.size]
    if let excess = open.sum.excess(over: limits) { throw DropStreamError(.limitExceeded, "the open offers \(excess)") }
    lastGeneration += 1
    offers[lastGeneration] = OpenOffer(offer: offer)
    return lastGeneration
  }

  /// Permits requests for an offer, and its finish, because its end is sent next.
  mutating func announce(_ generation: UInt32) { offers[generation]?.isAnnounced = true }

  /// Records the task that waits for the finish of an offer.
  ///
  /// - Returns: The outcome if it is known already, as for a withdrawn offer.
  mutating func wait(for generation: UInt32, as task: @escaping Waiter) -> Outcome? {
    guard let offer = offers[generation] else { return .failure(.cancelled) }
    if let settled = offer.settled {
      offers[generation] = nil
      return settled
    }
    offers[generation]?.task = task
    return nil
  }

  /// Removes an offer that the peer has not finished.
  ///
  /// - Returns: The offer, its task, if one waits, and its responses in progress; `nil` if the offer is not open.
  mutating func withdraw(_ generation: UInt32) -> Ended? {
    guard let offer = offers[generation], offer.settled == nil else { return nil }
    offers[generation] = nil
    return (offer.offer, offer.task, takeServings(of: generation))
  }

  /// Ends an offer that the peer has finished.
  ///
  /// - Returns: The ended offer; `nil` if the offer was withdrawn or finished before.
  /// - Throws: `damaged` if the offer does not exist or does not allow this finish, or if the peer moved an item that was
  ///   not completely delivered.
  mutating func finish(_ generation: UInt32, _ finish: SessionFinish) throws(DropStreamError) -> Ended? {
    let mismatch = DropStreamError(
      .damaged, "corrupt: the finish does not match its offer, or the offer does not exist")
    guard let open = offers[generation], open.settled == nil else {
      if generation <= lastGeneration { return nil }
      throw mismatch
    }
    let isAllowed =
      open.isAnnounced && (finish.action.map { open.offer.actions.contains($0) } ?? finish.kept.isEmpty)
      && Int(finish.kept.last?.upperBound ?? 0) <= open.offer.items.count
    guard isAllowed else { throw mismatch }
    // The source deletes what was moved, so a peer cannot move what it never received.
    if finish.action == .move, let item = finish.kept.lazy.joined().first(where: { !open.delivered.contains($0) }) {
      throw DropStreamError(
        .damaged, "corrupt: the peer reports item \(item + 1) as moved, but has not received its content")
    }
    if open.task == nil {
      offers[generation]?.settled = .success(finish)
    } else {
      offers[generation] = nil
    }
    return (open.offer, open.task, takeServings(of: generation))
  }

  // MARK: Responses

  /// Registers the response to a request, so that it can be cancelled.
  ///
  /// - Parameters:
  ///   - number: The number of the request.
  ///   - request: The request.
  ///   - makeServing: Creates the response for a representation; the second parameter receives its failures.
  /// - Returns: The response, or the failure that is sent instead.
  /// - Throws: `limitExceeded` above the number of concurrent requests; `damaged` for a representation that was never
  ///   offered.
  mutating func serve(
    _ number: UInt32, _ request: SessionRequest,
    _ makeServing: (ItemRepresentation, @escaping @Sendable (DropStreamError) -> Void) -> SessionServing
  ) throws(DropStreamError) -> RequestAnswer {
    let neverOffered = DropStreamError(.damaged, "corrupt: a request for a representation that was never offered")
    guard let open = offers[request.generation], open.settled == nil else {
      let wasOffered = request.generation > 0 && request.generation <= lastGeneration
      guard wasOffered else { throw neverOffered }
      return .failure(SenderFailure(kind: .withdrawn, reason: ""))
    }
    let items = open.offer.items
    guard open.isAnnounced, Int(request.item) < items.count,
      Int(request.representation) < items[Int(request.item)].count
    else { throw neverOffered }
    guard servings.count < Int(SessionHello().requests) else {
      throw DropStreamError(.limitExceeded, "the peer makes more than \(SessionHello().requests) concurrent requests")
    }
    guard running.count < Self.maximumRunning else {
      let reason = "\(Self.maximumRunning) loads are running, some of them cancelled; try later"
      return .failure(SenderFailure(kind: .failed, reason: reason))
    }
    let serving = makeServing(items[Int(request.item)][Int(request.representation)], open.offer.onFailure)
    servings[number] = serving
    running[number] = serving
    hasServed = true
    return .serving(serving)
  }

  /// Returns the response with a number; `nil` if it has ended or the peer no longer wants it.
  func serving(_ number: UInt32) -> SessionServing? { servings[number] }

  /// All responses that the peer still wants.
  var wantedServings: [SessionServing] { Array(servings.values) }

  /// Any response whose loader still runs.
  var anyRunning: SessionServing? { running.values.first }

  /// Removes a response that the peer no longer wants.
  ///
  /// - Returns: The response; `nil` if it was removed before.
  mutating func removeServing(_ number: UInt32) -> SessionServing? { servings.removeValue(forKey: number) }

  /// Removes a response whose last frame is sent next.
  ///
  /// - Parameters:
  ///   - number: The number of the request.
  ///   - isComplete: Whether the destination then has all bytes of the representation.
  /// - Returns: Whether the peer still wants the response.
  mutating func endServing(_ number: UInt32, isComplete: Bool) -> Bool {
    guard let request = removeServing(number)?.request else { return false }
    // An insertion allocates memory, so it happens only once for each item.
    if isComplete, offers[request.generation]?.delivered.contains(request.item) == false {
      offers[request.generation]?.delivered.insert(request.item)
    }
    return true
  }

  /// Removes a response of which no part runs any more.
  mutating func removeRunning(_ number: UInt32) { running[number] = nil }

  private mutating func takeServings(of generation: UInt32) -> [SessionServing] {
    let found = servings.values.filter { $0.request.generation == generation }
    for serving in found { servings[serving.number] = nil }
    return found
  }

  // MARK: Time and end

  /// Whether the peer waits for a response.
  var isServing: Bool { !servings.isEmpty }

  /// Whether all responses in progress wait for credit of the peer.
  var allServingsAwaitCredit: Bool { servings.values.allSatisfy(\.awaitsCredit) }

  /// The action of the peer that an open offer waits for; `nil` without an open offer.
  ///
  /// It is the end of a sentence that begins with "waiting for".
  var awaitedAction: String? {
    guard offers.values.contains(where: { $0.settled == nil }) else { return nil }
    if isServing { return "the receiver to accept more content" }
    return hasServed ? "the receiver to finish the offer" : "a request"
  }

  /// Ends all offers and responses with `error`.
  ///
  /// An offer without a waiting task keeps the error until a task waits for it.
  mutating func end(_ error: DropStreamError) -> Remains {
    let remains = (offers.values.map(\.offer), offers.values.compactMap(\.task), wantedServings)
    servings = [:]
    offers = offers.filter { $0.value.task == nil }
    for generation in offers.keys where offers[generation]?.settled == nil {
      offers[generation]?.settled = .failure(error)
    }
    return remains
  }
}

/// The offers that one side of a session has received, and its requests for their content.
///
/// The state is pure: the caller holds a lock, sends the frames and resumes the tasks.
struct SessionDestinationState {
  /// Resumes a task that waits for an acknowledgement.
  typealias Waiter = @Sendable (Result<Bool, DropStreamError>) -> Void

  /// The initial credit in bytes of a single request, and the minimum initial credit of a request.
  ///
  /// If other requests are in progress, the credit of a new request is the first value divided by their number plus
  /// one, but at least the minimum.
  static let (sharedCredit, minimumCredit): (UInt64, UInt64) = (4 << 20, 512 << 10)

  /// All content and tasks that end with the session.
  typealias Remains = (contents: [SessionContent], waitingTasks: [Waiter])

  /// A task that waits for the source's acknowledgement, and the start of the wait.
  struct Finishing {
    var task: Waiter
    var start: ContinuousClock.Instant
  }

  /// The content of this side's requests.
  private(set) var contents: [UInt32: SessionContent] = [:]
  private(set) var lastRequest: UInt32 = 0
  /// The total number of content bytes received.
  private var receivedBytes: UInt64 = 0
  /// The peer's offers that this side has not finished and the peer has not withdrawn.
  private(set) var openDrops: [UInt32: OfferSize] = [:]
  /// Finished offers of the peer without an acknowledgement yet.
  private(set) var finishing: [UInt32: Finishing] = [:]

  // MARK: Offers of the peer

  var openDropCount: Int { openDrops.count }

  /// Records an offer.
  ///
  /// - Throws: `limitExceeded` above the number or the size of open offers.
  mutating func open(_ generation: UInt32, size: OfferSize, limits: DropStreamLimits) throws(DropStreamError) {
    openDrops[generation] = size
    guard openDrops.count <= SessionSourceState.maximumOpenOffers else {
      throw DropStreamError(
        .limitExceeded, "the peer has more than \(SessionSourceState.maximumOpenOffers) open offers")
    }
    if let excess = openDrops.values.sum.excess(over: limits) {
      throw DropStreamError(.limitExceeded, "the open offers of the peer \(excess)")
    }
  }

  /// Whether this side has not finished an offer, and the peer has not withdrawn it.
  func isOpen(_ generation: UInt32) -> Bool { openDrops[generation] != nil }

  /// Removes an open offer, and returns whether the offer was open.
  mutating func close(_ generation: UInt32) -> Bool { openDrops.removeValue(forKey: generation) != nil }

  /// Closes an offer, and records the task that waits for the acknowledgement of its finish.
  ///
  /// - Throws: `withdrawn` if the offer is no longer open.
  mutating func finish(
    _ generation: UInt32, at now: ContinuousClock.Instant, as task: @escaping Waiter
  ) throws(DropStreamError) {
    guard close(generation) else { throw DropStreamError.withdrawnOffer }
    finishing[generation] = Finishing(task: task, start: now)
  }

  /// Removes and returns the task that waits for the acknowledgement of a finish; `nil` if none waits.
  mutating func endFinishing(_ generation: UInt32) -> Waiter? {
    finishing.removeValue(forKey: generation)?.task
  }

  /// Returns the generations of the finished offers that have waited longer than `limit` for an acknowledgement.
  func lateFinishes(at now: ContinuousClock.Instant, limit: Duration) -> [UInt32] {
    finishing.filter { now - $0.value.start > limit }.map(\.key)
  }

  // MARK: Requests

  /// Registers a request.
  ///
  /// - Parameter makeContent: Creates the content for a request number and a credit.
  /// - Returns: The created content.
  /// - Throws: `limitExceeded` when the request numbers are exhausted.
  mutating func request(
    _ makeContent: (_ number: UInt32, _ credit: UInt64) -> SessionContent
  ) throws(DropStreamError) -> SessionContent {
    guard lastRequest < .max else {
      throw DropStreamError(.limitExceeded, "request numbers of the session are exhausted")
    }
    lastRequest += 1
    let content = makeContent(lastRequest, max(Self.minimumCredit, Self.sharedCredit / UInt64(contents.count + 1)))
    contents[lastRequest] = content
    return content
  }

  /// Returns the content that a frame belongs to.
  ///
  /// If the request is in progress, `byteCount` is added to the number of received content bytes.
  ///
  /// - Returns: The content, and whether it exceeds the limit of bytes; `nil` if the request has ended before.
  /// - Throws: `damaged` if this side never made the request.
  mutating func recipient(
    of number: UInt32, byteCount: UInt64, limit: UInt64
  ) throws(DropStreamError) -> (content: SessionContent, isTooLarge: Bool)? {
    guard number <= lastRequest else {
      throw DropStreamError(.damaged, "corrupt: response to request \(number), which was never sent")
    }
    guard let content = contents[number] else { return nil }
    return (content, exceeds(limit, with: byteCount))
  }

  /// Adds bytes to the number of received content bytes, and returns whether they exceed the limit.
  mutating func exceeds(_ limit: UInt64, with byteCount: UInt64) -> Bool {
    let (sum, overflow) = receivedBytes.addingReportingOverflow(byteCount)
    receivedBytes = overflow ? .max : sum
    return byteCount > 0 && receivedBytes > limit
  }

  /// Removes a request, and returns whether it was in progress.
  mutating func endRequest(_ number: UInt32) -> Bool { contents.removeValue(forKey: number) != nil }

  /// All requests in progress.
  var requestedContents: [SessionContent] { Array(contents.values) }

  /// Ends all requests, and all waits for an acknowledgement.
  mutating func end() -> Remains {
    defer { (contents, finishing) = ([:], [:]) }
    return (requestedContents, finishing.values.map(\.task))
  }
}
