// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// The offers that one side of a session has received, and its requests for their content.
///
/// The state is pure: the caller holds a lock, sends the frames and resumes the tasks.
struct SessionDestinationState {
  typealias Waiter = SessionWaiter<Result<Bool, DropStreamError>>

  /// The initial credit in bytes of a single request, and the minimum initial credit of a request.
  ///
  /// If other requests are in progress, the credit of a new request is the first value divided by their number plus
  /// one, but at least the minimum.
  static let (sharedCredit, minimumCredit): (UInt64, UInt64) = (4 << 20, 512 << 10)

  /// The content that a frame belongs to.
  enum Recipient {
    case content(SessionContent)
    /// The content exceeds the limit of bytes.
    case tooLarge(SessionContent)
    /// The request has ended or was cancelled before.
    case cancelled
    /// This side never made the request.
    case neverRequested
  }

  /// All content and tasks that end with the session.
  struct Remains {
    var contents: [SessionContent] = []
    var waitingTasks: [Waiter] = []
  }

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
    _ generation: UInt32, as task: Waiter, at now: ContinuousClock.Instant
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
  mutating func recipient(of number: UInt32, byteCount: UInt64, limit: UInt64) -> Recipient {
    guard number <= lastRequest else { return .neverRequested }
    guard let content = contents[number] else { return .cancelled }
    return exceeds(limit, with: byteCount) ? .tooLarge(content) : .content(content)
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
    return Remains(contents: requestedContents, waitingTasks: finishing.values.map(\.task))
  }
}
