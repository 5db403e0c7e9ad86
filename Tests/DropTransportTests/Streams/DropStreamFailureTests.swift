// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import Foundation
import ItemTransfer
import TestSupport
import Testing
import UniformTypes

@testable import DropTransport

@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct DropStreamFailureTests {
  private static func failing(_ words: String = "no ink") -> ItemProvider {
    let provider = ItemProvider(named: "failing", loading: .text) { _ in throw TestFailure(words) }
    return provider
  }

  @Test(arguments: Carrier.allCases) func errorOfTheBodyReachesItsCallerAndTheReader(_ carrier: Carrier) async throws {
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

  @Test func cancellationErrorOfTheBodyCancelsTheStream() async throws {
    let (written, received) = try await Carrier.pipe.carry { _ in throw CancellationError() }
    #expect(throws: CancellationError.self) { try written.get() }
    #expect(try requireFailure(.senderCancelled, received).description == "the sender cancelled")
  }

  /// The writer receives the type of the error, and the reader its text.
  @Test func errorOfALoaderFailsTheStream() async throws {
    let (written, received) = try await Carrier.pipe.carry { writer in
      try await writer.write(ItemProvider([1]))
      let item = ItemProvider([2])
      item.register(.png) { _ in throw TestFailure("no ink") }
      try await writer.write(item)
    }
    let reason = "the representation public.png could not be created: no ink"
    let error = try await requireDropError(.representationFailed, reason: reason) { try written.get() }
    let cause = try #require(error.underlyingError as? ItemProviderError)
    #expect(cause.code == .representationFailed && cause.contentType == .png)
    #expect(cause.underlyingError as? TestFailure == TestFailure("no ink"))
    #expect(try requireFailure(.senderFailed, received).senderFailure?.reason == reason)
  }

  @Test func everyWriteAfterAFailureThrows() async throws {
    let (written, received) = try await Carrier.pipe.carry { writer in
      try? await writer.write(Self.failing("the first"))
      for _ in 0..<2 {
        try await requireDropError(
          .closed, reason: "the stream has failed: the representation public.text could not be created: the first"
        ) { try await writer.write(ItemProvider([1])) }
      }
      throw TestFailure("the second")
    }
    #expect(throws: TestFailure("the second")) { try written.get() }
    #expect(try requireFailure(.senderFailed, received).senderFailure?.reason.hasSuffix("the first") == true)
  }

  @Test(arguments: [false, true]) func writerIsClosedAfterItsScope(_ failing: Bool) async throws {
    let leaked = Collector<DropStreamWriter>()
    let (_, received) = try await Carrier.pipe.carry { writer in
      leaked.add(writer)
      if failing { throw TestFailure() }
    }
    #expect(received.code == (failing ? .senderFailed : nil))
    let writer = try #require(leaked.values.first)
    try await requireDropError(
      .closed, reason: (failing ? "the stream has failed: the sky fell" : "the stream has ended")
    ) { try await writer.write(ItemProvider([1])) }
  }

  @Test func itemWithoutVisibleRepresentationsIsRefused() async throws {
    let hidden = ItemProvider()
    hidden.register(.png, visibility: .ownProcess) { _ in Data() }
    for item in [hidden, ItemProvider(suggestedName: "nothing")] {
      let (written, received) = try await Carrier.pipe.carry { try await $0.write(item) }
      #expect(written.code == .representationFailed)
      try requireFailure(.senderFailed, received)
    }
    let (_, unnamed) = try await Carrier.pipe.carry { try await $0.write(ItemProvider([1], name: "")) }
    expectItems([ReceivedItem(nil, ["public.data": [1]])], unnamed)
  }

  @Test func contentOfAnotherLengthThanPromisedFailsTheStream() async throws {
    for promised in [0, 2, 4, 1000] as [Int64] {
      let (written, received) = try await Carrier.pipe.carry { writer in
        let provider = ItemProvider()
        provider.register(.png, size: .exact(promised)) { _ in Data([1, 2, 3]) }
        try await writer.write(provider)
      }
      #expect(written.code == .sourceChanged)
      let failure = try requireFailure(.senderFailed, received).senderFailure
      #expect(failure?.reason == "public.png has 3 bytes instead of the promised \(promised)")
    }
  }

  @Test func veryLongReasonArrivesTruncated() async throws {
    let (_, received) = try await Carrier.pipe.carry { _ in throw TestFailure(String(repeating: "é", count: 5000)) }
    let failure = try requireFailure(.senderFailed, received).senderFailure
    #expect(failure?.reason == String(repeating: "é", count: 512))
  }

  // MARK: A reader that leaves

  @Test(arguments: [false, true], [false, true])
  func writerWhoseReaderLeavesEarlyFails(_ isSocket: Bool, isNonBlocking: Bool) async throws {
    for isThrowing in [false, true] {
      let pair = isSocket ? try DescriptorPair.socketPair() : try .pipe()
      if isNonBlocking { _ = try pair.nonBlocking() }
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
      #expect(await written.code == .peerGone)
    }
  }

  @Test func missingReaderIsDetectedAtTheEndAtTheLatest() async throws {
    for pair in [try DescriptorPair.pipe(), try .socketPair()] {
      try SystemCalls.close(pair.read)
      #expect(await writing(to: pair.writer) { _ in }.code == .peerGone)
    }
  }

  @Test(arguments: [false, true]) func ignoredWriteErrorIsThrownAtTheEnd(_ isSocket: Bool) async throws {
    let pair = isSocket ? try DescriptorPair.socketPair() : try .pipe()
    try SystemCalls.close(pair.read)
    let codes = Collector<DropStreamError.Code?>()
    let written = await writing(to: pair.writer) { writer in
      for _ in 0..<2 {
        codes.add(await failureCode { try await writer.write(ItemProvider(pattern(300_000))) })
      }
    }
    #expect(codes.values == [.peerGone, .closed] && written.code == .peerGone)
  }

  @Test func fullDiskIsAnErrorAndTheStreamIsNotComplete() async throws {
    let full = try SystemCalls.open("/dev/full", O_WRONLY)
    let written = await writing(to: .descriptor(full)) { try await $0.write(ItemProvider([1])) }
    let reason = "cannot write: No space left on device"
    let error = try await requireDropError(.systemCall, reason: reason) { try written.get() }
    #expect(error.errorNumber == ENOSPC)
  }
}
