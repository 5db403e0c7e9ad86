// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import Foundation
import Glibc
import ItemTransfer
import Synchronization
import TestSupport
import Testing

@testable import DropTransport

/// Objects that the states refer to, but never use.
private enum Stand {
  static let output: SessionOutput = {
    do {
      let nowhere = try OwnedDescriptor.open("/dev/null", O_WRONLY)
      let descriptor = try StreamDescriptor(nowhere, access: O_WRONLY, interrupt: Interrupt(), idleTimeout: nil)
      return SessionOutput(descriptor, idleTimeout: nil) { _ in }
    } catch {
      fatalError("\(error)")
    }
  }()
  static let representation = ItemProvider([1]).representations[0]

  static func serving(_ number: UInt32, _ request: SessionRequest) -> SessionServing {
    SessionServing(number: number, request, representation, output: output, chunkLength: 1 << 16)
  }
}

/// The tasks that were resumed since the last look, as text.
private final class Resumed: Sendable {
  private let names = Lock<[String]>([])

  func waiter<Answer>(_ name: String) -> @Sendable (Answer) -> Void {
    { [self] _ in names.withLock { $0.append(name) } }
  }

  func take() -> [String] {
    names.withLock { names in
      defer { names = [] }
      return names.sorted()
    }
  }
}

private func request(_ generation: UInt32, _ item: UInt32) -> SessionRequest {
  SessionRequest(generation: generation, item: item, representation: 0, credit: 10)
}

private let failure = DropStreamError(.peerGone, "gone")

// MARK: The source

/// The real state of a source, and the outcome that each event must have.
private struct ExploredSource: Explored {
  enum Event: CustomStringConvertible {
    case begin, announce(UInt32), wait(UInt32), withdraw(UInt32), request(UInt32, UInt32)
    case answer(UInt32, isComplete: Bool), loaderEnds(UInt32), cancel(UInt32), finish(UInt32, DropAction?, [UInt32])
    case stop

    var description: String {
      switch self {
      case .begin: "begin"
      case .announce(let generation): "announce \(generation)"
      case .wait(let generation): "wait \(generation)"
      case .withdraw(let generation): "withdraw \(generation)"
      case .request(let generation, let item): "request \(generation).\(item)"
      case .answer(let number, let isComplete): "answer \(number)\(isComplete ? "" : " in part")"
      case .loaderEnds(let number): "loader \(number) ends"
      case .cancel(let number): "cancel \(number)"
      case .finish(let generation, let action?, let kept): "finish \(generation) \(action) \(kept)"
      case .finish(let generation, nil, _): "refuse \(generation)"
      case .stop: "stop"
      }
    }
  }

  enum Life: UInt8 { case announcing, open, finished, withdrawn, failed }

  struct Generation {
    var life = Life.announcing
    var isAwaited = false
    var hasOutcome = false
    var delivered: Set<UInt32> = []
  }

  struct Request {
    let generation: UInt32
    let item: UInt32
    var isWanted = true
    var runs = true
  }

  private static let actions: DropActions = [.copy, .move]

  private var state = SessionState()
  private let resumed = Resumed()
  private var generations: [Generation] = []
  private var requests: [Request] = []
  private var isStopped = false

  var key: [UInt8] {
    var key: [UInt8] = [isStopped ? 1 : 0]
    for (index, model) in generations.enumerated() {
      let open = state.source.offers[UInt32(index + 1)]
      key += [model.life.rawValue, model.isAwaited ? 1 : 0, model.hasOutcome ? 1 : 0, open == nil ? 0 : 1]
      key += [open?.isAnnounced == true ? 1 : 0, open?.task == nil ? 0 : 1]
      switch open?.settled {
      case .success(let finish): key.append(finish.action?.rawValue ?? 0)
      case .failure: key.append(9)
      case nil: key.append(7)
      }
      for set in [model.delivered, open?.delivered ?? []] { key.append(set.reduce(0) { $0 | 1 << UInt8($1) }) }
    }
    key.append(0xFF)
    for (index, model) in requests.enumerated() {
      let number = UInt32(index + 1)
      key += [UInt8(model.generation), UInt8(model.item), model.isWanted ? 1 : 0, model.runs ? 1 : 0]
      key += [state.source.servings[number] == nil ? 0 : 1, state.source.running[number] == nil ? 0 : 1]
    }
    return key
  }

  var events: [Event] {
    var events: [Event] = isStopped || generations.count == 2 ? [] : [.begin]
    if !isStopped { events.append(.stop) }
    for (index, model) in generations.enumerated() {
      let generation = UInt32(index + 1)
      if model.life == .announcing { events.append(.announce(generation)) }
      if !model.isAwaited, model.life != .announcing { events.append(.wait(generation)) }
      events.append(.withdraw(generation))
    }
    guard !isStopped else { return events }
    // A peer can name generations and items that do not exist.
    for generation in UInt32(1)...2 {
      if requests.count < 2 { for item in UInt32(0)...2 { events.append(.request(generation, item)) } }
      for (action, kept) in [(.copy, [0, 1]), (.move, [0]), (.move, [0, 1]), (.link, [0]), (nil, [])]
        as [(DropAction?, [UInt32])]
      { events.append(.finish(generation, action, kept)) }
    }
    for (index, model) in requests.enumerated() {
      let number = UInt32(index + 1)
      events.append(.cancel(number))
      guard model.runs else { continue }
      events += [.answer(number, isComplete: true), .answer(number, isComplete: false), .loaderEnds(number)]
    }
    return events
  }

  mutating func take(_ event: Event) -> String? {
    if let broken = check(event) { return broken }
    for (number, serving) in state.source.servings {
      let generation = serving.request.generation
      guard state.source.offers[generation]?.settled == nil, state.source.offers[generation]?.isAnnounced == true else {
        return "response \(number) to a request of an ended offer is in service"
      }
    }
    return nil
  }

  /// Takes the wanted requests of a generation out of service.
  private mutating func endRequests(of generation: UInt32?) -> [UInt32] {
    var ended: [UInt32] = []
    for index in requests.indices where requests[index].isWanted {
      guard generation == nil || requests[index].generation == generation else { continue }
      requests[index].isWanted = false
      ended.append(UInt32(index + 1))
    }
    return ended
  }

  private mutating func check(_ event: Event) -> String? {
    switch event {
    case .begin:
      let offer = SessionSourceState.Offer(
        items: [[Stand.representation], [Stand.representation]], size: OfferSize(), actions: Self.actions)
      let generation = try? state.source.begin(offer, limits: DropStreamLimits())
      generations.append(Generation())
      if generation != UInt32(generations.count) { return "a wrong generation" }
    case .announce(let generation):
      state.source.announce(generation)
      if generations[Int(generation) - 1].life == .announcing { generations[Int(generation) - 1].life = .open }
    case .wait(let generation): return checkWait(generation)
    case .withdraw(let generation): return checkWithdrawal(generation)
    case .request(let generation, let item): return checkRequest(generation, item)
    case .answer(let number, let isComplete):
      let wanted = requests[Int(number) - 1].isWanted
      requests[Int(number) - 1].isWanted = false
      if wanted, isComplete {
        let (generation, item) = (requests[Int(number) - 1].generation, requests[Int(number) - 1].item)
        generations[Int(generation) - 1].delivered.insert(item)
      }
      if state.source.endServing(number, isComplete: isComplete) != wanted { return "a wrong number of last frames" }
    case .loaderEnds(let number):
      requests[Int(number) - 1].runs = false
      state.source.removeRunning(number)
    case .cancel(let number):
      let wanted = requests[Int(number) - 1].isWanted
      requests[Int(number) - 1].isWanted = false
      if (state.source.removeServing(number) != nil) != wanted { return "a wrong cancellation" }
    case .finish(let generation, let action, let kept): return checkFinish(generation, action, kept)
    case .stop: return checkStop()
    }
    return nil
  }

  private mutating func checkWait(_ generation: UInt32) -> String? {
    let index = Int(generation) - 1
    let early = state.source.wait(for: generation, as: resumed.waiter("\(generation)"))
    generations[index].isAwaited = true
    let isOpen = generations[index].life == .open
    if (early == nil) != isOpen { return "a task waits for an ended offer, or does not wait for an open one" }
    if early != nil { generations[index].hasOutcome = true }
    switch (early, generations[index].life) {
    case (.success?, .finished), (.failure?, .withdrawn), (.failure?, .failed), (nil, .open): return nil
    default: return "a wrong outcome"
    }
  }

  /// Checks that exactly the task of an offer was resumed, if one waits, and records its outcome.
  private mutating func checkOutcome(_ expected: [UInt32], _ tasks: [SessionSourceState.Waiter]) -> String? {
    for task in tasks { task(.failure(failure)) }
    let waiting = expected.filter { generations[Int($0) - 1].isAwaited && !generations[Int($0) - 1].hasOutcome }
    for generation in waiting { generations[Int(generation) - 1].hasOutcome = true }
    let names = resumed.take()
    return names == waiting.map { "\($0)" } ? nil : "the tasks \(names) were resumed instead of \(waiting)"
  }

  private mutating func checkWithdrawal(_ generation: UInt32) -> String? {
    let index = Int(generation) - 1
    let isOpen = generations[index].life == .open || generations[index].life == .announcing
    guard let withdrawn = state.source.withdraw(generation) else { return isOpen ? "an open offer stays" : nil }
    if !isOpen { return "an ended offer is withdrawn" }
    generations[index].life = .withdrawn
    if withdrawn.servings.map(\.number).sorted() != endRequests(of: generation) { return "responses stay" }
    return checkOutcome([generation], withdrawn.task.map { [$0] } ?? [])
  }

  private mutating func checkRequest(_ generation: UInt32, _ item: UInt32) -> String? {
    let number = UInt32(requests.count + 1)
    let model = generations.indices.contains(Int(generation) - 1) ? generations[Int(generation) - 1] : nil
    let answer = try? state.source.serve(number, request(generation, item)) { _, _ in
      Stand.serving(number, request(generation, item))
    }
    switch (answer, model?.life) {
    case (nil, nil), (nil, .announcing): return nil
    case (nil, .open): return item < 2 ? "a request is refused" : nil
    case (.failure(let failure), .finished), (.failure(let failure), .withdrawn):
      return failure.kind == .withdrawn ? nil : "a wrong failure"
    case (.serving, .open) where item < 2:
      requests.append(Request(generation: generation, item: item))
      return nil
    default: return "a wrong answer to a request: \(String(describing: answer))"
    }
  }

  private mutating func checkFinish(_ generation: UInt32, _ action: DropAction?, _ kept: [UInt32]) -> String? {
    let index = Int(generation) - 1
    let model = generations.indices.contains(index) ? generations[index] : nil
    let isDelivered = kept.allSatisfy { model?.delivered.contains($0) == true }
    let isAllowed = action.map(Self.actions.contains) ?? true && (action != .move || isDelivered)
    let ended: SessionSourceState.Ended?
    do throws(DropStreamError) {
      ended = try state.source.finish(generation, SessionFinish(action: action, kept: kept))
    } catch {
      let isExpected = model == nil || model?.life == .announcing || model?.life == .open && !isAllowed
      return isExpected ? nil : "a finish is refused"
    }
    guard let ended else {
      return model?.life == .finished || model?.life == .withdrawn ? nil : "a finish is too late"
    }
    guard model?.life == .open, isAllowed else { return "a finish is accepted" }
    generations[index].life = .finished
    if ended.servings.map(\.number).sorted() != endRequests(of: generation) { return "responses stay in service" }
    return checkOutcome([generation], ended.task.map { [$0] } ?? [])
  }

  private mutating func checkStop() -> String? {
    guard let remains = state.stop(failure) else { return "a session does not stop" }
    isStopped = true
    if state.stop(failure) != nil { return "a session stops twice" }
    if remains.source.servings.map(\.number).sorted() != endRequests(of: nil) { return "responses stay in service" }
    var failed: [UInt32] = []
    for index in generations.indices where generations[index].life.rawValue <= Life.open.rawValue {
      generations[index].life = .failed
      failed.append(UInt32(index + 1))
    }
    return checkOutcome(failed, remains.source.waitingTasks)
  }
}

// MARK: The destination

/// The real state of a destination, and the outcome that each event must have.
private struct ExploredDestination: Explored {
  enum Event: CustomStringConvertible {
    case offer, withdrawal(UInt32), request(UInt32), content(UInt32), last(UInt32), cancel(UInt32)
    case finish(UInt32), endIfOpen(UInt32), acknowledgement(UInt32), giveUp(UInt32), stop

    var description: String {
      switch self {
      case .offer: "offer"
      case .withdrawal(let generation): "withdrawal \(generation)"
      case .request(let generation): "request of \(generation)"
      case .content(let number): "content \(number)"
      case .last(let number): "last frame \(number)"
      case .cancel(let number): "cancel \(number)"
      case .finish(let generation): "finish \(generation)"
      case .endIfOpen(let generation): "let go \(generation)"
      case .acknowledgement(let generation): "acknowledgement \(generation)"
      case .giveUp(let generation): "give up waiting for \(generation)"
      case .stop: "stop"
      }
    }
  }

  enum Life: UInt8 { case open, withdrawn, finishing, ended }

  private var state = SessionState()
  private let resumed = Resumed()
  private var lives: [Life] = []
  /// Whether each request is in progress.
  private var requests: [Bool] = []
  private var isStopped = false
  /// The permits for further requests, of which there are two.
  private var permits = 2

  var key: [UInt8] {
    let destination = state.destination
    var key = [isStopped ? 1 : 0, UInt8(permits)] + lives.map(\.rawValue) + [0xFF] + requests.map { $0 ? 1 : 0 }
    for number in UInt32(1)...4 {
      key.append(destination.contents[number] == nil ? 0 : 1)
      key.append(destination.openDrops[number] == nil ? 0 : 1)
      key.append(destination.finishing[number] == nil ? 0 : 1)
    }
    return key
  }

  var events: [Event] {
    guard !isStopped else { return [] }
    var events: [Event] = lives.count < 2 ? [.offer, .stop] : [.stop]
    for generation in UInt32(1)...2 {
      events += [.withdrawal(generation), .acknowledgement(generation)]
      guard lives.count >= generation else { continue }
      events += [.finish(generation), .endIfOpen(generation), .giveUp(generation)]
      if requests.count < 3, permits > 0 { events.append(.request(generation)) }
    }
    // The peer can respond to requests that were never made.
    for number in UInt32(1)...3 { events += [.content(number), .last(number)] }
    for number in requests.indices { events.append(.cancel(UInt32(number + 1))) }
    return events
  }

  mutating func take(_ event: Event) -> String? {
    if let broken = check(event) { return broken }
    if permits + state.destination.contents.count != 2, !isStopped { return "permits and requests do not add up" }
    return nil
  }

  private mutating func check(_ event: Event) -> String? {
    switch event {
    case .offer:
      lives.append(.open)
      let isOpen = (try? state.destination.open(UInt32(lives.count), size: OfferSize(), limits: .init())) != nil
      return isOpen ? nil : "an offer is refused"
    case .withdrawal(let generation), .endIfOpen(let generation):
      let isOpen = lives.count >= generation && lives[Int(generation) - 1] == .open
      if isOpen { lives[Int(generation) - 1] = .withdrawn }
      return state.destination.close(generation) == isOpen ? nil : "an offer ends twice"
    case .request:
      let content = try? state.destination.request {
        SessionContent(number: $0, window: $1, progress: ItemProgress())
      }
      requests.append(true)
      permits -= 1
      return content?.number == UInt32(requests.count) ? nil : "a wrong number of a request"
    case .content(let number): return checkRecipient(number)
    case .last(let number), .cancel(let number):
      if case .last = event, let broken = checkRecipient(number) { return broken }
      guard requests.count >= number else { return nil }
      let wasInProgress = requests[Int(number) - 1]
      requests[Int(number) - 1] = false
      if wasInProgress { permits += 1 }
      return state.destination.endRequest(number) == wasInProgress ? nil : "a request ends twice, or does not end"
    case .finish(let generation):
      let isOpen = lives[Int(generation) - 1] == .open
      let waiter: SessionDestinationState.Waiter = resumed.waiter("\(generation)")
      let isSent = (try? state.destination.finish(generation, at: .now, as: waiter)) != nil
      if isOpen { lives[Int(generation) - 1] = .finishing }
      return isSent == isOpen ? nil : "an offer is finished after its end"
    case .acknowledgement(let generation), .giveUp(let generation):
      let isAwaited = lives.count >= generation && lives[Int(generation) - 1] == .finishing
      if isAwaited { lives[Int(generation) - 1] = .ended }
      state.destination.endFinishing(generation)?(.success(true))
      return resumed.take() == (isAwaited ? ["\(generation)"] : []) ? nil : "a wrong task resumes"
    case .stop: return checkStop()
    }
  }

  private mutating func checkRecipient(_ number: UInt32) -> String? {
    do throws(DropStreamError) {
      guard let found = try state.destination.recipient(of: number, byteCount: 1, limit: .max) else {
        return requests.count >= number && !requests[Int(number) - 1] ? nil : "content is ignored"
      }
      if found.isTooLarge { return "content is too large" }
      return found.content.number == number && requests.count >= number && requests[Int(number) - 1]
        ? nil : "content reaches a request that is not in progress"
    } catch {
      return requests.count < number ? nil : "content is taken for corruption"
    }
  }

  private mutating func checkStop() -> String? {
    guard let remains = state.stop(failure) else { return "a session does not stop" }
    isStopped = true
    if state.stop(failure) != nil { return "a session stops twice" }
    if remains.destination.contents.count != requests.count(where: { $0 }) { return "a content does not end" }
    for task in remains.destination.waitingTasks { task(.failure(failure)) }
    let expected = lives.indices.filter { lives[$0] == .finishing }.map { "\($0 + 1)" }
    return resumed.take() == expected ? nil : "a task does not resume"
  }
}

// MARK: Both sides

/// Both real states, joined by queues of frames as two sessions of this package join them.
private struct ExploredSession: Explored {
  enum Frame: Hashable {
    case offer(UInt32), withdrawal(UInt32), last(UInt32, isFailure: Bool), acknowledgement(UInt32, isKnown: Bool)
    case request(UInt32, UInt32, UInt32), cancellation(UInt32), finish(UInt32, DropAction?, [UInt32]), bye
  }

  enum Event: CustomStringConvertible {
    case offer, withdraw(UInt32), answer(UInt32, isComplete: Bool), sourceReads, sourceEnds
    case request(UInt32, UInt32), cancel(UInt32), finish(UInt32, DropAction?), destinationReads, destinationEnds
    case connectionBreaks

    var description: String {
      switch self {
      case .offer: "offer"
      case .withdraw(let generation): "withdraw \(generation)"
      case .answer(let number, let isComplete): isComplete ? "answer \(number)" : "fail \(number)"
      case .sourceReads: "the source reads"
      case .sourceEnds: "the source ends"
      case .request(let generation, let item): "request \(generation).\(item)"
      case .cancel(let number): "cancel \(number)"
      case .finish(let generation, let action?): "finish \(generation) \(action)"
      case .finish(let generation, nil): "refuse \(generation)"
      case .destinationReads: "the destination reads"
      case .destinationEnds: "the destination ends"
      case .connectionBreaks: "the connection breaks"
      }
    }
  }

  /// The results of one offer on both sides.
  struct Generation {
    /// The finish that the destination has sent, with the kept items.
    var sent: (action: DropAction?, kept: [UInt32])?
    /// The items that have arrived at the destination.
    var received: Set<UInt32> = []
    /// The source's result; the second value is `nil` for an error.
    var source: (isKnown: Bool, finish: SessionFinish?) = (false, nil)
    /// The destination's result of its finish; `nil` for an error.
    var destination: (isKnown: Bool, isAccepted: Bool?) = (false, nil)
  }

  private var source = SessionState()
  private var destination = SessionState()
  private var toDestination: [Frame] = []
  private var toSource: [Frame] = []
  private var generations: [Generation] = []
  private var requests: [(generation: UInt32, item: UInt32)] = []
  private var sourceHasEnded = false
  private var destinationHasEnded = false
  private let results = Results()

  /// The results of tasks that were resumed since the last look.
  final class Results: Sendable {
    let source = Lock<[(UInt32, SessionFinish?)]>([])
    let destination = Lock<[(UInt32, Bool?)]>([])
  }

  var key: [UInt8] {
    var key: [UInt8] = [sourceHasEnded ? 1 : 0, destinationHasEnded ? 1 : 0]
    for (index, model) in generations.enumerated() {
      let generation = UInt32(index + 1)
      key += [source.source.offers[generation] == nil ? 0 : 1, destination.destination.isOpen(generation) ? 1 : 0]
      key += [destination.destination.finishing[generation] == nil ? 0 : 1, model.source.isKnown ? 1 : 0]
      key += [model.source.finish.map { $0.action?.rawValue ?? 8 } ?? 9, model.destination.isKnown ? 1 : 0]
      key += [model.destination.isAccepted.map { $0 ? 1 : 0 } ?? 2, model.sent.map { $0.action?.rawValue ?? 8 } ?? 9]
      key += [
        model.received.reduce(0) { $0 | 1 << UInt8($1) },
        source.source.offers[generation]?.delivered.reduce(0) { $0 | 1 << UInt8($1) } ?? 0,
      ]
    }
    for (index, request) in requests.enumerated() {
      let number = UInt32(index + 1)
      key += [0xFE, UInt8(request.generation), UInt8(request.item), source.source.servings[number] == nil ? 0 : 1]
      key.append(destination.destination.contents[number] == nil ? 0 : 1)
    }
    for queue in [toDestination, toSource] {
      key.append(0xFF)
      for frame in queue { key += Array("\(frame)".utf8) }
    }
    return key
  }

  var events: [Event] {
    var events: [Event] = []
    if !sourceHasEnded {
      events.append(.sourceEnds)
      if source.failure == nil, generations.count < 2 { events.append(.offer) }
      for generation in source.source.offers.keys.sorted() { events.append(.withdraw(generation)) }
      for number in source.source.running.keys.sorted() {
        events += [.answer(number, isComplete: true), .answer(number, isComplete: false)]
      }
    }
    if !toSource.isEmpty { events.append(.sourceReads) }
    if !toDestination.isEmpty { events.append(.destinationReads) }
    if !destinationHasEnded {
      events.append(.destinationEnds)
      if destination.failure == nil {
        for generation in destination.destination.openDrops.keys.sorted() {
          if requests.count < 2 { events += [.request(generation, 0), .request(generation, 1)] }
          events += [.finish(generation, .move), .finish(generation, .copy), .finish(generation, nil)]
        }
        for number in destination.destination.contents.keys.sorted() { events.append(.cancel(number)) }
      }
    }
    if !sourceHasEnded || !destinationHasEnded { events.append(.connectionBreaks) }
    return events
  }

  mutating func take(_ event: Event) -> String? {
    if let broken = handle(event) { return broken }
    for (generation, finish) in results.source.withLock({ $0.takeAll() }) {
      let index = Int(generation) - 1
      if generations[index].source.isKnown { return "the task of offer \(generation) resumes twice" }
      generations[index].source = (true, finish)
      guard let finish else { continue }
      guard generations[index].sent?.action == finish.action else { return "a finish that was not sent" }
      if finish.action == .move, !generations[index].received.isSuperset(of: finish.kept.joined()) {
        return "the source deletes what has not arrived"
      }
    }
    for (generation, isAccepted) in results.destination.withLock({ $0.takeAll() }) {
      let index = Int(generation) - 1
      if generations[index].destination.isKnown { return "the finish of drop \(generation) resumes twice" }
      generations[index].destination = (true, isAccepted)
      if isAccepted == true, generations[index].source.finish == nil { return "a finish is accepted by one side only" }
      if isAccepted == false, generations[index].source.finish != nil { return "a finish is refused by one side only" }
    }
    for (index, model) in generations.enumerated() {
      if sourceHasEnded, !model.source.isKnown { return "the task of offer \(index + 1) does not resume" }
      if destinationHasEnded, model.sent != nil, !model.destination.isKnown {
        return "the finish of drop \(index + 1) does not resume"
      }
    }
    return nil
  }

  private mutating func handle(_ event: Event) -> String? {
    switch event {
    case .offer: return offer()
    case .withdraw(let generation):
      guard let withdrawn = source.source.withdraw(generation) else { return nil }
      toDestination.append(.withdrawal(generation))
      for serving in withdrawn.servings { toDestination.append(.last(serving.number, isFailure: true)) }
      withdrawn.task?(.failure(.cancelled))
    case .answer(let number, let isComplete):
      if source.source.endServing(number, isComplete: isComplete) {
        toDestination.append(.last(number, isFailure: !isComplete))
      }
      source.source.removeRunning(number)
    case .sourceReads: return sourceReads()
    case .sourceEnds:
      endSource()
      toDestination.append(.bye)
    case .request(let generation, let item):
      guard
        let content = try? destination.destination.request({ number, window in
          SessionContent(number: number, generation: generation, window: window, progress: ItemProgress())
        })
      else { return "a request is impossible" }
      requests.append((generation, item))
      toSource.append(.request(content.number, generation, item))
    case .cancel(let number): cancel(number)
    case .finish(let generation, let action): finish(generation, action)
    case .destinationReads: return destinationReads()
    case .destinationEnds:
      endDestination()
      toSource.append(.bye)
    case .connectionBreaks:
      (toSource, toDestination) = ([], [])
      endSource()
      endDestination()
    }
    return nil
  }

  private mutating func offer() -> String? {
    let offer = SessionSourceState.Offer(
      items: [[Stand.representation], [Stand.representation]], size: OfferSize(), actions: [.copy, .move])
    guard let generation = try? source.source.begin(offer, limits: DropStreamLimits()) else { return "no offer" }
    source.source.announce(generation)
    generations.append(Generation())
    let waiter: SessionSourceState.Waiter = { [results] outcome in
      results.source.withLock { $0.append((generation, try? outcome.get())) }
    }
    if source.source.wait(for: generation, as: waiter) != nil { return "a new offer has ended" }
    toDestination.append(.offer(generation))
    return nil
  }

  /// Reports the items that have arrived, as the program at the destination does.
  private mutating func finish(_ generation: UInt32, _ action: DropAction?) {
    let kept = action == nil ? [] : generations[Int(generation) - 1].received.sorted()
    let waiter: SessionDestinationState.Waiter = { [results] result in
      results.destination.withLock { $0.append((generation, try? result.get())) }
    }
    guard (try? destination.destination.finish(generation, at: .now, as: waiter)) != nil else { return }
    generations[Int(generation) - 1].sent = (action, kept)
    for content in destination.destination.requestedContents.sorted(by: { $0.number < $1.number })
    where content.generation == generation { cancel(content.number) }
    toSource.append(.finish(generation, action, kept))
  }

  private mutating func cancel(_ number: UInt32) {
    if destination.destination.endRequest(number) { toSource.append(.cancellation(number)) }
  }

  private mutating func sourceReads() -> String? {
    let frame = toSource.removeFirst()
    // A side that has ended reads no more.
    guard source.failure == nil else { return nil }
    switch frame {
    case .request(let number, let generation, let item):
      let answer = try? source.source.serve(number, request(generation, item)) { _, _ in
        Stand.serving(number, request(generation, item))
      }
      switch answer {
      case .serving: break
      case .failure: toDestination.append(.last(number, isFailure: true))
      case nil: return "an honest request is a protocol error"
      }
    case .cancellation(let number): _ = source.source.removeServing(number)
    case .finish(let generation, let action, let kept):
      do throws(DropStreamError) {
        let ended = try source.source.finish(generation, SessionFinish(action: action, kept: kept))
        toDestination.append(.acknowledgement(generation, isKnown: ended != nil))
        ended?.task?(.success(SessionFinish(action: action, kept: kept)))
      } catch {
        return "an honest finish is a protocol error"
      }
    case .bye: stopSource()
    case .offer, .withdrawal, .last, .acknowledgement: return "a frame of the wrong side"
    }
    return nil
  }

  private mutating func destinationReads() -> String? {
    let frame = toDestination.removeFirst()
    guard destination.failure == nil else { return nil }
    switch frame {
    case .offer(let generation):
      guard (try? destination.destination.open(generation, size: OfferSize(), limits: .init())) != nil else {
        return "an honest offer is refused"
      }
    case .withdrawal(let generation): _ = destination.destination.close(generation)
    case .last(let number, let isFailure):
      do throws(DropStreamError) {
        let found = try destination.destination.recipient(of: number, byteCount: 0, limit: .max)
        guard found != nil else { return nil }
        let request = requests[Int(number) - 1]
        if !isFailure { generations[Int(request.generation) - 1].received.insert(request.item) }
        if !destination.destination.endRequest(number) { return "a response has no request" }
      } catch {
        return "an honest response is a protocol error"
      }
    case .acknowledgement(let generation, let isKnown):
      destination.destination.endFinishing(generation)?(.success(isKnown))
    case .bye: stopDestination()
    case .request, .cancellation, .finish: return "a frame of the wrong side"
    }
    return nil
  }

  private mutating func stopSource() {
    for task in source.stop(failure)?.source.waitingTasks ?? [] { task(.failure(failure)) }
  }

  private mutating func stopDestination() {
    for task in destination.stop(failure)?.destination.waitingTasks ?? [] { task(.failure(failure)) }
  }

  private mutating func endSource() {
    stopSource()
    sourceHasEnded = true
  }

  private mutating func endDestination() {
    stopDestination()
    destinationHasEnded = true
  }
}

extension Array {
  fileprivate mutating func takeAll() -> Self {
    defer { self = [] }
    return self
  }
}

/// Every order of events, for two offers of two items and two or three requests.
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct SessionExplorationTests {
  @Test func sourceKeepsItsInvariantsInEveryOrder() {
    let (states, words) = explore(ExploredSource(), "source", length: isFullRun ? 10 : 8)
    #expect(states > 1000 && words > 1_000_000)
  }

  @Test func destinationKeepsItsInvariantsInEveryOrder() {
    let (states, words) = explore(ExploredDestination(), "destination", length: isFullRun ? 10 : 8)
    #expect(states > 300 && words > 1_000_000)
  }

  @Test func bothSidesEndEveryOfferAlike() {
    // A frame that crosses another takes several events.
    let (states, words) = explore(ExploredSession(), "session", length: isFullRun ? 12 : 8)
    #expect(states > 10_000 && words > 200_000)
  }
}
