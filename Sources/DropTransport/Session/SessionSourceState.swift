// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import ItemTransfer

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
  typealias Waiter = SessionWaiter<Outcome>

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

  /// The response to a request, or the reason why there is none.
  enum RequestAnswer {
    case serving(SessionServing)
    case failure(SenderFailure)
    /// The peer has more concurrent requests than this side allows.
    case tooMany
    /// The request names an offer, an item or a representation that does not exist.
    case neverOffered
  }

  /// The result of the peer's finish.
  enum FinishResult {
    /// The offer has ended. The values are the offer, its task if one waits, and its responses in progress.
    case finished(Offer, Waiter?, [SessionServing])
    /// The offer was withdrawn or finished before.
    case tooLate
    /// The offer does not exist or does not allow this finish.
    case contradictsOffer
    /// The peer moved an item of which no representation was completely delivered.
    case movesUndelivered(item: Int)
  }

  /// All tasks and responses that end with the session.
  struct Remains {
    var offers: [Offer] = []
    var waitingTasks: [Waiter] = []
    var servings: [SessionServing] = []
  }

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
      throw DropStreamError(.limitExceeded, "more than \(Self.maximumOpenOffers) offers at once")
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
  mutating func wait(for generation: UInt32, as task: Waiter) -> Outcome? {
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
  mutating func withdraw(
    _ generation: UInt32
  ) -> (offer: Offer, task: Waiter?, servings: [SessionServing])? {
    guard let offer = offers[generation], offer.settled == nil else { return nil }
    offers[generation] = nil
    return (offer.offer, offer.task, takeServings(of: generation))
  }

  /// Ends an offer that the peer has finished.
  mutating func finish(_ generation: UInt32, _ finish: SessionFinish) -> FinishResult {
    guard let open = offers[generation], open.settled == nil else {
      return generation <= lastGeneration ? .tooLate : .contradictsOffer
    }
    let isAllowed =
      open.isAnnounced && (finish.action.map { open.offer.actions.contains($0) } ?? finish.kept.isEmpty)
      && Int(finish.kept.last?.upperBound ?? 0) <= open.offer.items.count
    guard isAllowed else { return .contradictsOffer }
    // The source deletes what was moved, so a peer cannot move what it never received.
    if finish.action == .move, let item = finish.kept.lazy.joined().first(where: { !open.delivered.contains($0) }) {
      return .movesUndelivered(item: Int(item))
    }
    if open.task == nil {
      offers[generation]?.settled = .success(finish)
    } else {
      offers[generation] = nil
    }
    return .finished(open.offer, open.task, takeServings(of: generation))
  }

  // MARK: Responses

  /// Registers the response to a request, so that it can be cancelled.
  ///
  /// - Parameters:
  ///   - number: The number of the request.
  ///   - request: The request.
  ///   - makeServing: Creates the response for a representation; the second parameter receives its failures.
  /// - Returns: The response, or the reason why there is none.
  mutating func serve(
    _ number: UInt32, _ request: SessionRequest,
    _ makeServing: (ItemRepresentation, @escaping @Sendable (DropStreamError) -> Void) -> SessionServing
  ) -> RequestAnswer {
    guard let open = offers[request.generation], open.settled == nil else {
      let wasOffered = request.generation > 0 && request.generation <= lastGeneration
      return wasOffered ? .failure(SenderFailure(kind: .withdrawn, reason: "")) : .neverOffered
    }
    let items = open.offer.items
    guard open.isAnnounced else { return .neverOffered }
    guard Int(request.item) < items.count, Int(request.representation) < items[Int(request.item)].count else {
      return .neverOffered
    }
    guard servings.count < Int(SessionHello().requests) else { return .tooMany }
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
    let remains = Remains(
      offers: offers.values.map(\.offer), waitingTasks: offers.values.compactMap(\.task), servings: wantedServings)
    servings = [:]
    offers = offers.filter { $0.value.task == nil }
    for generation in offers.keys where offers[generation]?.settled == nil {
      offers[generation]?.settled = .failure(error)
    }
    return remains
  }
}
