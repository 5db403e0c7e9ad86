// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import Foundation
import ItemTransfer
import TestSupport
import Testing
import UniformTypes

@testable import DropTransport

/// Failures of one side, which the other side must report with their reason.
@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct DropStreamFailureTests {
  private static func failing(_ words: String = "no ink") -> ItemProvider {
    let provider = ItemProvider(suggestedName: "failing")
    provider.register(.text) { _ in throw TestFailure(words) }
    return provider
  }

  @Test("an error of the body reaches its caller unchanged and the reader as text", arguments: Carrier.allCases)
  func errorOfTheBodyReachesItsCallerAndTheReader(_ carrier: Carrier) async throws {
    for itemCount in 0..<3 {
      let (written, received) = try await carrier.carry { writer in
        for _ in 0..<itemCount { try await writer.write(ItemProvider(pattern(200_000))) }
        throw TestFailure("the well is dry\n")
      }
      #expect(throws: TestFailure("the well is dry\n")) { try written.get() }
      let error = try requireFailure(.senderFailed, received)
      #expect(error.senderFailure == SenderFailure(kind: .failed, reason: "the well is dry\n"))
      #expect(error.description == #"the sender failed: the well is dry\u{a}"#)
    }
  }

  @Test("a body that throws CancellationError cancels the stream")
  func cancellationErrorOfTheBodyCancelsTheStream() async throws {
    let (written, received) = try await Carrier.pipe.carry { _ in throw CancellationError() }
    #expect(throws: CancellationError.self) { try written.get() }
    let error = try requireFailure(.senderCancelled, received)
    #expect(error.description == "the sender cancelled")
  }

  @Test("a loader's error fails the stream: the writer gets its type, the reader its text")
  func errorOfALoaderFailsTheStream() async throws {
    let (written, received) = try await Carrier.pipe.carry { writer in
      try await writer.write(ItemProvider([1]))
      let item = ItemProvider([2])
      item.register(.png) { _ in throw TestFailure("no ink") }
      try await writer.write(item)
    }
    #expect(written.code == .representationFailed)
    let error = try #require(throws: DropStreamError.self) { try written.get() }
    let cause = try #require(error.underlyingError as? ItemProviderError)
    #expect(cause.code == .representationFailed)
    #expect(cause.contentType == .png)
    #expect(cause.underlyingError as? TestFailure == TestFailure("no ink"))
    #expect(error.reason == "the representation public.png could not be created: no ink")
    let seen = try requireFailure(.senderFailed, received)
    #expect(seen.senderFailure?.reason == error.reason)
  }

  @Test("a stream whose body ignored a failure is not complete", arguments: Carrier.allCases)
  func streamWhoseBodyIgnoredAFailureIsNotComplete(_ carrier: Carrier) async throws {
    let (written, received) = try await carrier.carry { writer in
      try await writer.write(ItemProvider([1]))
      try? await writer.write(Self.failing())
    }
    #expect(written.code == .representationFailed)
    try requireFailure(.senderFailed, received)
  }

  @Test("after a failure every write throws, and the reader receives the first cause")
  func everyWriteAfterAFailureThrows() async throws {
    let (written, received) = try await Carrier.pipe.carry { writer in
      try? await writer.write(Self.failing("the first"))
      for _ in 0..<2 {
        let error = try await requireDropError(.closed) { try await writer.write(ItemProvider([1])) }
        #expect(error.reason == "the stream has failed: the representation public.text could not be created: the first")
      }
      throw TestFailure("the second")
    }
    #expect(throws: TestFailure("the second")) { try written.get() }
    let error = try requireFailure(.senderFailed, received)
    #expect(error.senderFailure?.reason.hasSuffix("the first") == true)
  }

  @Test("a writer is closed after its scope has returned or thrown", arguments: [false, true])
  func writerIsClosedAfterItsScope(_ failing: Bool) async throws {
    let leaked = Collector<DropStreamWriter>()
    let (_, received) = try await Carrier.pipe.carry { writer in
      leaked.add(writer)
      if failing { throw TestFailure() }
    }
    #expect(received.code == (failing ? .senderFailed : nil))
    let writer = try #require(leaked.values.first)
    let error = try await requireDropError(.closed) { try await writer.write(ItemProvider([1])) }
    #expect(error.reason == (failing ? "the stream has failed: the sky fell" : "the stream has ended"))
  }

  @Test("an item without representations is refused; an item without a name is accepted")
  func itemWithoutRepresentationsIsRefused() async throws {
    let (written, received) = try await Carrier.pipe.carry { writer in
      try await writer.write(ItemProvider([1], name: ""))
      try await writer.write(ItemProvider(suggestedName: "nothing"))
    }
    #expect(written.code == .representationFailed)
    try requireFailure(.senderFailed, received)
    let (_, unnamed) = try await Carrier.pipe.carry { try await $0.write(ItemProvider([1], name: "")) }
    #expect(unnamed == [ReceivedItem(nil, ["public.data": [1]])])
  }

  @Test("content of another length than promised fails the stream", arguments: [0, 2, 4, 1000] as [Int64])
  func contentOfAnotherLengthThanPromisedFailsTheStream(_ promised: Int64) async throws {
    let (written, received) = try await Carrier.pipe.carry { writer in
      let provider = ItemProvider()
      provider.register(.png, size: .exact(promised)) { _ in Data([1, 2, 3]) }
      try await writer.write(provider)
    }
    #expect(written.code == .sourceChanged)
    let error = try requireFailure(.senderFailed, received)
    #expect(error.senderFailure?.reason == "public.png has 3 bytes instead of the promised \(promised)")
  }

  @Test("a very long reason arrives truncated")
  func veryLongReasonArrivesTruncated() async throws {
    let (_, received) = try await Carrier.pipe.carry { _ in throw TestFailure(String(repeating: "é", count: 5000)) }
    let error = try requireFailure(.senderFailed, received)
    #expect(error.senderFailure?.reason == String(repeating: "é", count: 512))
  }

  // MARK: A reader that leaves

  @Test(
    "a writer whose reader leaves early fails",
    arguments: [Carrier.pipe, .socketPair, .nonBlockingPipe, .nonBlockingSocketPair])
  func writerWhoseReaderLeavesEarlyFails(_ carrier: Carrier) async throws {
    for isThrowing in [false, true] {
      let pair = carrier == .pipe || carrier == .nonBlockingPipe ? try DescriptorPair.pipe() : try .socketPair()
      if carrier.rawValue.hasPrefix("nonBlocking") { _ = try pair.nonBlocking() }
      async let written = writing(to: pair.writer) { writer in
        for _ in 0..<1000 { try await writer.write(ItemProvider(pattern(100_000))) }
      }
      do {
        try await DropStream.withReader(from: pair.reader) { reader in
          for try await _ in reader {
            if isThrowing { throw TestFailure() }
            break
          }
        }
        #expect(!isThrowing)
      } catch {
        #expect(isThrowing && error as? TestFailure == TestFailure())
      }
      let code = await written.code
      #expect(code == .peerGone)
    }
  }

  @Test("a missing reader is detected at the end at the latest")
  func missingReaderIsDetectedAtTheEnd() async throws {
    let pair = try DescriptorPair.pipe()
    try SystemCalls.close(pair.read)
    #expect(await writing(to: pair.writer) { _ in }.code == .peerGone)
    let sockets = try DescriptorPair.socketPair()
    try SystemCalls.close(sockets.read)
    #expect(await writing(to: sockets.writer) { try await $0.write(ItemProvider([1])) }.code == .peerGone)
  }

  @Test("a write error that the body ignored is thrown at the end", arguments: [false, true])
  func ignoredWriteErrorIsThrownAtTheEnd(_ isSocket: Bool) async throws {
    let pair = isSocket ? try DescriptorPair.socketPair() : try .pipe()
    try SystemCalls.close(pair.read)
    let codes = Collector<DropStreamError.Code?>()
    let written = await writing(to: pair.writer) { writer in
      for _ in 0..<2 {
        do throws(DropStreamError) {
          try await writer.write(ItemProvider(pattern(300_000)))
          codes.add(nil)
        } catch {
          codes.add(error.code)
        }
      }
    }
    #expect(codes.values == [.peerGone, .closed])
    #expect(written.code == .peerGone)
  }

  @Test("a full disk is an error, and the stream is not complete")
  func fullDiskIsAnErrorAndTheStreamIsNotComplete() async throws {
    let written = await writing(to: .descriptor(try SystemCalls.open("/dev/full", O_WRONLY))) {
      try await $0.write(ItemProvider([1]))
    }
    #expect(written.code == .systemCall)
    let error = try #require(throws: DropStreamError.self) { try written.get() }
    #expect(error.errorNumber == ENOSPC)
    #expect(error.reason == "cannot write: No space left on device")
  }
}
