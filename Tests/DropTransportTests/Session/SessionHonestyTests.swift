// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import Foundation
import Glibc
import ItemTransfer
import Synchronization
import TestSupport
import Testing
import UniformTypes

@testable import DropTransport

/// A session is all or nothing, and neither side believes what the other has not shown.
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct SessionHonestyTests {
  private var fixture: FolderFixture

  init() throws {
    fixture = try FolderFixture()
  }

  private static func offer(_ names: String..., size: UInt64? = nil) -> [OutgoingFrame] {
    let offers = names.map { name in
      let representation = DropOffer.Representation(typeIdentifier: "public.data", byteCount: size)
      return OutgoingFrame.offer(DropOffer(suggestedName: name, representations: [representation]), generation: 1)
    }
    let end = OutgoingFrame.endOfOffers(generation: 1, itemCount: UInt32(names.count), actions: [.copy, .move])
    return [RawPeer.hello] + offers + [end]
  }

  /// Receives the items of a peer into the folder, and finishes the drop.
  private func receive(
    observer: DropFolder.Observer? = nil, from play: (RawPeer) async throws -> Void
  ) async throws -> Result<DropFolder.Receipt, any Error> {
    let folder = fixture.folder
    return try await RawPeer.play { session in
      var drops = session.drops.makeAsyncIterator()
      let drop = try #require(try await drops.next())
      let receipt = try await folder.receive(drop, observer: observer)
      try await drop.finish(.copy, keeping: receipt.keptItems)
      return receipt
    } peer: {
      try await play($0)
    }
  }

  // MARK: The destination

  enum Ending: CaseIterable {
    case failed, cancelled, withdrawn, bye, endOfInput, corruption

    func end(_ peer: RawPeer) async throws {
      switch self {
      case .failed: try await peer.say(.finalFailure(SenderFailure(kind: .failed, reason: "out of ink")))
      case .cancelled: try await peer.say(.finalFailure(SenderFailure(kind: .cancelled, reason: "")))
      case .withdrawn: try await peer.say(.finalFailure(SenderFailure(kind: .withdrawn, reason: "")))
      case .bye: try await peer.say(.bye)
      case .endOfInput: break
      case .corruption:
        try await onThread { [descriptor = peer.descriptor] in try send([0xFF, 0, 0, 1], to: descriptor) }
      }
      shutdown(peer.descriptor, CInt(SHUT_WR))
    }
  }

  @Test(arguments: Ending.allCases) func endOfASessionBeforeTheLastItemKeepsNothing(_ ending: Ending) async throws {
    let result = try await receive { peer in
      try await peer.say(Self.offer("first", "second"))
      try await peer.waitForRequest()
      try await peer.say(RawPeer.data(1, [1, 2, 3]))
      try await peer.waitForRequest(2)
      try await ending.end(peer)
    }
    #expect(result.streamError != nil)
    #expect(try fixture.names == [])
  }

  @Test(arguments: [SenderFailure.Kind.failed, .cancelled, .withdrawn])
  func failureOfOneRepresentationLosesOnlyThatItem(_ kind: SenderFailure.Kind) async throws {
    let result = try await receive { peer in
      try await peer.say(Self.offer("first", "second", "third"))
      try await peer.waitForRequest()
      try await peer.say(RawPeer.data(1, [1]))
      try await peer.waitForRequest(2)
      try await peer.say(.failure(number: 2, SenderFailure(kind: kind, reason: "out of ink")))
      try await peer.waitForRequest(3)
      try await peer.say(RawPeer.data(3, [3]))
      try await peer.acknowledge()
    }
    let receipt = try result.get()
    #expect(receipt.keptItems == [0, 2])
    #expect(receipt.missing.map(\.failure.kind) == [kind])
    #expect(try fixture.names == ["first", "third"])
  }

  @Test func withdrawnOfferKeepsNothing() async throws {
    let result = try await receive { peer in
      try await peer.say(Self.offer("first", "second"))
      try await peer.waitForRequest()
      try await peer.say(RawPeer.data(1, [1]))
      try await peer.waitForRequest(2)
      let withdrawal = SenderFailure(kind: .withdrawn, reason: "")
      try await peer.say(
        .withdrawal(generation: 1, SenderFailure(kind: .cancelled, reason: "")), .failure(number: 2, withdrawal))
    }
    #expect(result.streamError?.code == .withdrawn)
    #expect(try fixture.names == [])
  }

  @Test func itemThatHasNotArrivedCompletelyCannotBeMoved() async throws {
    let items = [ItemProvider(pattern(10)), ItemProvider(pattern(10))]
    let outcome = try await holdSession { session in
      try await session.offer(items, allowing: [.copy, .move])
    } destination: { session in
      for try await drop in session.drops {
        _ = try await drop.items[1].data(for: .data)
        #expect(await failureCode { try await drop.finish(.move) } == .notAllowed)
        _ = try await drop.bytes(0..<10, of: .data, ofItem: 0)
        #expect(await failureCode { try await drop.finish(.move, keeping: [0]) } == .notAllowed)
        try await drop.finish(.move, keeping: [1])
      }
    }
    #expect(try values(of: outcome).source.keptItems == [1])
  }

  /// One frame of zeros states as many bytes as its sender likes.
  @Test func longRunOfZerosTakesOneStep() async throws {
    let steps = Atomic(0)
    let observer = DropFolder.Observer(
      begin: { _, _ in }, advance: { _ in steps.add(1, ordering: .relaxed) })
    let length: UInt64 = 1 << 40
    let result = try await receive(observer: observer) { peer in
      try await peer.say(Self.offer("hole", size: length))
      try await peer.waitForRequest()
      try await peer.say(.zeros(number: 1, length), .endOfRepresentation(number: 1, byteCount: length))
      try await peer.acknowledge()
    }
    #expect(try result.get().files.map(\.byteCount) == [length])
    #expect(try SystemCalls.statusAt(DropEndpoint.currentDirectory, fixture.file("hole").path).size == 1 << 40)
    #expect(steps.load(ordering: .relaxed) == 1)
  }

  /// A hole of a kept part is neither read nor hashed byte by byte, and the rest may be a hole too.
  @Test func keptHoleIsContinuedInOneStep() async throws {
    let length: UInt64 = 1 << 34
    let kept = length / 2
    let steps = Atomic(0)
    let observer = DropFolder.Observer(
      begin: { _, _ in }, advance: { _ in steps.add(1, ordering: .relaxed) })
    var resumable = self
    resumable.fixture.folder.isResumable = true
    let offer = [OutgoingFrame.hello(SessionHello(features: .starts))] + Self.offer("hole", size: length).dropFirst()
    let interrupted = try await resumable.receive { peer in
      try await peer.say(Array(offer))
      try await peer.waitForRequest()
      try await peer.say(.zeros(number: 1, kept - 1), RawPeer.data(1, [1], isWhole: false))
      shutdown(peer.descriptor, CInt(SHUT_WR))
    }
    #expect(interrupted.streamError?.code == .peerGone)
    #expect(try fixture.names.count == 1)
    let result = try await resumable.receive(observer: observer) { peer in
      try await peer.say(Array(offer))
      try await peer.waitForRequest()
      try await peer.say(.zeros(number: 1, length - kept), .endOfRepresentation(number: 1, byteCount: length - kept))
      try await peer.acknowledge()
    }
    #expect(try result.get().files.map(\.byteCount) == [length])
    // One step for what was kept, and one for the rest.
    #expect(steps.load(ordering: .relaxed) == 2)
  }

  @Test func zerosBeyondTheLargestFileAreRefusedAtOnce() async throws {
    let length = UInt64(Int64.max)
    // Some file systems have files of any size.
    let probe = try OwnedDescriptor.open(fixture.file("probe").path, O_RDWR | O_CREAT, 0o600)
    try FileManager.default.removeItem(at: fixture.file("probe"))
    guard (try? SystemCalls.seek(probe.raw, Int64.max, SEEK_SET)) == nil else { return }
    let result = try await receive { peer in
      try await peer.say(Self.offer("hole", size: length))
      try await peer.waitForRequest()
      try await peer.say(.zeros(number: 1, length))
    }
    #expect(result.streamError?.errorNumber == EFBIG, "\(result)")
    #expect(try fixture.names == [])
  }

  // MARK: The source

  enum Delivery: CaseIterable {
    case nothing, start, middle, completeRange, rest, whole

    /// The request of the destination; `nil` for none.
    func request(_ content: [UInt8]) -> SessionRequest? {
      var request = SessionRequest(generation: 1, item: 0, representation: 0, credit: 1000)
      switch self {
      case .nothing: return nil
      case .start: request.range = 0..<UInt64(content.count - 1)
      case .middle: request.range = 1..<1000
      case .completeRange: request.range = 0..<1000
      case .rest:
        request.range = 5..<1000
        request.startDigest = Array(content[..<5]).startDigest
      case .whole: break
      }
      return request
    }

    var isComplete: Bool { [.completeRange, .rest, .whole].contains(self) }
  }

  @Test(arguments: Delivery.allCases, [false, true])
  func itemIsMovedOnlyAfterItsCompleteDelivery(_ delivery: Delivery, isStream: Bool) async throws {
    let content = pattern(100)
    let item = ItemProvider(suggestedName: "hero")
    if isStream {
      item.registerChunks(.data, Data(content), size: .unknown)
    } else {
      item.register(.data) { _ in Data(content) }
    }
    let result = try await RawPeer.play { session in
      try await session.offer([item], allowing: [.copy, .move])
    } peer: { peer in
      try await peer.say(RawPeer.hello)
      try await peer.waitForOffer()
      if let request = delivery.request(content) {
        try await peer.say(.request(number: 1, request))
        try await peer.waitForAnswer()
      }
      try await peer.say(.finish(generation: 1, SessionFinish(action: .move, kept: [0])), .bye)
    }
    if delivery.isComplete {
      #expect(try result.get().action == .move)
    } else {
      #expect(result.streamError?.code == .damaged)
      #expect(result.streamError?.reason.contains("item 1") == true, "\(result)")
    }
  }
}

extension [UInt8] {
  /// The value of ``StartDigest``.
  var startDigest: [UInt8] {
    let digest = StartDigest()
    withUnsafeBytes { digest.update($0) }
    return digest.value
  }
}

extension RawPeer {
  /// Waits for the last frame of the only response, without reading the bytes.
  fileprivate func waitForAnswer() async throws {
    try await waitForMessage("the end of the response") { message in
      switch message {
      case .data(_, _, isWhole: true), .endOfRepresentation: true
      default: false
      }
    }
  }

  /// Waits for the finish of the drop, and accepts it.
  fileprivate func acknowledge() async throws {
    try await waitForMessage("the finish") { if case .finish = $0 { true } else { false } }
    try await say(.acknowledgement(generation: 1, isKnown: true), .bye)
  }
}
