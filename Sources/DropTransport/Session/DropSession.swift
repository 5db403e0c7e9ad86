// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
public import ItemTransfer
internal import Synchronization

/// Two processes that hand items to each other, each item only when and as far as the other asks for it.
///
/// Either side may offer, as often as it likes; an offer is a promise, and nothing is made before the destination asks.
/// What arrives is whole and checked, or an error says why not. The destination says in the end what it has kept and
/// what it did, and the source waits for that.
///
/// ```swift
/// // the source                                        // the destination
/// try await DropStream.withSession(over: endpoint) {   try await DropStream.withSession(over: endpoint) {
///   let receipt = try await $0.offer(                    for try await drop in $0.drops {
///     [ItemProvider(hero)], allowing: [.copy, .move])      let hero = try await drop.items[0].value(as: Hero.self)
///   if receipt.action == .move { heroes.remove(hero) }     try await drop.finish(.move)
/// }                                                    } }
/// ```
///
/// Of each side 32 loads are under way at once, and others wait for one of them to end. Loaders that load, on both sides,
/// from the same session in their turn can come to wait for each other when there are that many; with
/// ``DropStreamOptions/idleTimeout`` such loads fail.
///
/// ``DropStream/withSession(over:options:isolation:_:)`` makes one.
public final class DropSession: Sendable {
  /// How many offers of one side may be open at once.
  static let maximumOpenOffers = 64
  /// How many loaders may run at once, those that nobody waits for any more included.
  static let maximumRunning = 256
  /// How often a slow making is reported, and an idle timeout looked for.
  static let tick = Duration.milliseconds(100)
  /// How often a side shows that it is alive: one that works on an offer, and one that has nothing to do.
  static let (busyInterval, idleInterval) = (Duration.seconds(1), Duration.seconds(60))
  /// How often a side that has nothing to do looks at the clock.
  static let idleTick = Duration.seconds(30)
  /// What all requests of a lone asker share, and the least that one has.
  static let (windowsTogether, leastWindow): (UInt64, UInt64) = (4 << 20, 512 << 10)

  /// An offer of ours that the peer has not finished with.
  struct OwnOffer {
    var items: [[ItemRepresentation]]
    var size: OfferSize
    var actions: DropActions
    /// Told what could not be made of it.
    var failed: @Sendable (DropStreamError) -> Void = { _ in }
    var answer: CheckedContinuation<Result<SessionFinish, DropStreamError>, Never>?
    /// The answer that came before anybody waited for it.
    var early: Result<SessionFinish, DropStreamError>?
  }

  /// Who waits for the source to hear what was kept, and since when.
  struct Finishing {
    var answer: CheckedContinuation<Result<Bool, DropStreamError>, Never>
    var start = ContinuousClock.now
  }

  struct State {
    var peer: SessionHello?
    /// What we have asked for.
    var contents: [UInt32: SessionContent] = [:]
    var lastRequest: UInt32 = 0
    /// Of content, in all.
    var receivedBytes: UInt64 = 0
    /// What the peer has asked for.
    var servings: [UInt32: SessionServing] = [:]
    /// The same, with those that nobody waits for any more and whose loaders have not heeded that yet.
    var running: [UInt32: SessionServing] = [:]
    var offers: [UInt32: OwnOffer] = [:]
    var lastGeneration: UInt32 = 0
    /// The peer's offers that we have not finished with.
    var openDrops: [UInt32: OfferSize] = [:]
    /// Those that we have finished with, of which the peer has not heard.
    var finishing: [UInt32: Finishing] = [:]
    /// Whether the peer has requested something.
    var hasServed = false
    /// When this side has last shown that it is alive.
    var lastKeepAlive = ContinuousClock.now
    var wait = SessionWait()
    /// Why nothing more can be asked or offered.
    var failure: DropStreamError?
    /// The peer has said its last, as it should.
    var isEndedByPeer = false
  }

  let state = Lock(State())
  let output: SessionOutput
  let options: DropStreamOptions
  let handsDescriptors: Bool
  /// The longest wait for the peer's handshake.
  let handshakeTimeout: Duration
  /// The longest wait for a peer that shows no sign of life, where the program has set no idle timeout.
  let silenceTimeout: Duration?
  let start = ContinuousClock.now
  /// Opens when the peer has said what it knows, or the session has failed.
  let greeting = Latch()
  /// The requests that the peer allows at once; none before it has said so.
  let permits = AsyncSemaphore(permits: 0)
  /// The frames of an offer follow each other, and offers come in the order of their generations.
  private let offerTurns = AsyncSemaphore()
  /// Open offers of the peer's that nobody has looked at.
  let mailbox = Mailbox<SessionOffer>()

  /// Who is at the other end, where that is a socket of this machine and this user's process has made it.
  public let peer: PeerCredentials?
  /// The process that was started for the session, where one was.
  package let childProcessIdentifier: Int32?
  /// How near the other end is: what is not visible there is not offered.
  public let audience: ItemVisibility

  init(
    output: SessionOutput, options: DropStreamOptions, handsDescriptors: Bool, handshakeTimeout: Duration,
    silenceTimeout: Duration? = nil, peer: PeerCredentials?, audience: ItemVisibility,
    childProcessIdentifier: Int32? = nil
  ) {
    self.childProcessIdentifier = childProcessIdentifier
    self.output = output
    self.handshakeTimeout = handshakeTimeout
    self.silenceTimeout = silenceTimeout
    self.options = options
    self.handsDescriptors = handsDescriptors
    self.peer = peer
    self.audience = audience
  }

  /// What the other side offers, one drop for each of its offers.
  ///
  /// A single pass. It ends when the other side ends the session. What is taken back before anybody has looked at it
  /// does not come.
  public var drops: Drops { Drops(session: self) }

  /// Offers items, and waits until the destination has finished with them.
  ///
  /// Loaders run when the destination asks, in tasks of their own. Several offers may be open at once. Cancelling the
  /// task withdraws the offer: what is under way ends, and the destination is told.
  ///
  /// - Parameters:
  ///   - items: The items, of which those representations are offered that are visible to the other side.
  ///   - actions: What the destination may do with them.
  ///   - failed: Told what could not be made for the destination, on any thread. Of what the destination has heard
  ///     before it finished, it is told before this returns.
  /// - Returns: What it has kept, and what it did. Only what was moved, and kept, may be let go of here.
  /// - Throws: `refused` where the destination kept nothing, with its words; `peerGone`, `timedOut` and the like when the
  ///   session has failed: then nobody knows what was kept. `cancelled`; `limitExceeded` for more than may be open at
  ///   once (``DropStreamLimits/openOfferBytes``).
  public func offer(
    _ items: [ItemProvider], allowing actions: DropActions = .copy,
    failed: @escaping @Sendable (DropStreamError) -> Void = { _ in }
  ) async throws(DropStreamError) -> DropReceipt {
    let visible = items.map { $0.representations(visibleTo: audience) }
    var offers: [DropOffer] = []
    var size = OfferSize()
    for (item, representations) in zip(items, visible) {
      let offer = try DropOffer(
        suggestedName: item.suggestedName, attributes: item.fileAttributes, representations, limits: options.limits,
        forSession: true)
      size += OfferSize(of: offer, bytes: offer.maximumLength)
      offers.append(offer)
    }
    let generation = try await send(offers, of: OwnOffer(items: visible, size: size, actions: actions, failed: failed))
    let finish = try await answer(to: generation)
    guard let action = finish.action else {
      let refusal = finish.refusal ?? SenderFailure(kind: .cancelled, reason: "")
      throw DropStreamError(
        .refused, "the destination did not take it" + refusal.words, senderFailure: finish.refusal)
    }
    return DropReceipt(action: action, keptItems: finish.kept.flatMap { $0.map { Int($0) } })
  }

  private func send(_ offers: [DropOffer], of own: OwnOffer) async throws(DropStreamError) -> UInt32 {
    guard await offerTurns.wait() else { throw .cancelled }
    defer { offerTurns.signal() }
    let generation = try begin(own)
    var count: UInt32 = 0
    for offer in offers {
      let frame = OutgoingFrame.offer(offer, generation: generation)
      guard await output.room(for: frame.payloadLength) else {
        // Still in turn: the half of an offer is taken back before another one begins.
        if Task.isCancelled { withdraw(generation, SenderFailure(kind: .cancelled, reason: "")) }
        return generation
      }
      output.send(frame, hasRoom: true)
      count += 1
    }
    output.send(.endOfOffers(generation: generation, itemCount: count, actions: own.actions))
    return generation
  }

  private func begin(_ offer: OwnOffer) throws(DropStreamError) -> UInt32 {
    let generation: Result<UInt32, DropStreamError> = state.withLock { state in
      if let failure = state.failure { return .failure(failure) }
      guard state.offers.count < Self.maximumOpenOffers, state.lastGeneration < .max else {
        return .failure(DropStreamError(.limitExceeded, "more than \(Self.maximumOpenOffers) offers at once"))
      }
      // The peer counts no more what it has finished with.
      let open = state.offers.values.filter { $0.early == nil }.map(\.size) + [offer.size]
      if let excess = open.sum.excess(over: options.limits) {
        return .failure(DropStreamError(.limitExceeded, excess))
      }
      state.lastGeneration += 1
      state.offers[state.lastGeneration] = offer
      return .success(state.lastGeneration)
    }
    return try generation.get()
  }

  private func answer(to generation: UInt32) async throws(DropStreamError) -> SessionFinish {
    let answer = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let early: Result<SessionFinish, DropStreamError>? = state.withLock { state in
          guard let offer = state.offers[generation] else { return .failure(.cancelled) }
          if let early = offer.early {
            state.offers[generation] = nil
            return early
          }
          state.offers[generation]?.answer = continuation
          return nil
        }
        if let early { continuation.resume(returning: early) }
      }
    } onCancel: {
      withdraw(generation, SenderFailure(kind: .cancelled, reason: ""))
    }
    return try answer.get()
  }

  /// Takes an offer back, unless the destination has finished with it.
  private func withdraw(_ generation: UInt32, _ reason: SenderFailure) {
    let (offer, servings) = state.withLock { state -> (OwnOffer?, [SessionServing]) in
      guard let offer = state.offers[generation], offer.early == nil else { return (nil, []) }
      state.offers[generation] = nil
      // Within the lock: the offer that takes its place must come after it.
      output.enqueue(.withdrawal(generation: generation, reason))
      return (offer, state.takeServings(of: generation))
    }
    guard let offer else { return }
    output.writeEnqueued()
    for serving in servings {
      serving.cancel()
      output.send(.failure(number: serving.number, SenderFailure(kind: .withdrawn, reason: "")))
    }
    offer.answer?.resume(returning: .failure(.cancelled))
  }
}

extension DropSession.State {
  mutating func takeServings(of generation: UInt32) -> [SessionServing] {
    let found = servings.values.filter { $0.request.generation == generation }
    for serving in found { servings[serving.number] = nil }
    return found
  }
}
