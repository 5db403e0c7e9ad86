// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import Foundation
import Synchronization
import TestSupport
import Testing
import UniformTypes

@testable import ItemTransfer

/// An object that shows when it is released.
private final class Token: Sendable {}

/// Races between loads, cancellations and releases.
@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct LoadRaceTests {
  @Test func concurrentResponseAndCancellationHaveOneResult() async throws {
    for round in 0..<1500 {
      let provider = ItemProvider()
      provider.register(.png) { _, response in
        DispatchQueue.global().async {
          switch round % 3 {
          case 0: response.succeed(Data("x".utf8))
          case 1: response.fail(Failure())
          default: break
          }
          if round.isMultiple(of: 2) { response.succeed(Data("y".utf8)) }
        }
      }
      let parent = ItemProgress(total: 1)
      let load = provider.startLoading(.png, progress: parent.child(units: 1))
      for _ in 0..<(round % 7) { await Task.yield() }
      switch round % 4 {
      case 0: load.cancel()
      case 1: parent.cancel()
      case 2: DispatchQueue.global().async { load.progress.cancel() }
      default: break
      }
      do throws(ItemProviderError) {
        #expect(try await load.value.count == 1)
        #expect(load.progress.snapshot.ending != nil)
      } catch {
        if error.code == .cancelled {
          #expect(load.progress.isCancelled)
        } else {
          #expect(error.code == .representationFailed)
          #expect(load.progress.snapshot.ending == .failed || load.progress.isCancelled)
        }
      }
    }
  }

  @Test(arguments: [false, true])
  func responseToACancelledProgressIsIgnored(succeeds: Bool) async throws {
    let began = Lock(0)
    let provider = ItemProvider()
    provider.register(.png) { progress, response in
      // Some of these handlers run before the handler of the load.
      for _ in 0..<24 {
        _ = progress.addCancellationHandler {
          if succeeds { response.succeed(Data("x".utf8)) } else { response.fail(Failure()) }
          Thread.sleep(forTimeInterval: 0.005)
        }
      }
      began.withLock { $0 += 1 }
    }
    for round in 1...8 {
      let load = provider.startLoading(.png)
      #expect(try await eventually { began.withLock { $0 } == round })
      load.progress.cancel()
      _ = try await requireProviderError(.cancelled, .png) { try await load.value }
    }
  }

  @Test func everyReaderSeesOneEnding() async {
    for round in 0..<300 {
      let progress = ItemProgress(total: 100)
      let ends = await withTaskGroup(of: Int.self) { group in
        for _ in 0..<4 {
          group.addTask {
            var last = 0.0
            var ends = 0
            for await now in progress.updates {
              #expect(now.fraction >= last && now.fraction <= 1)
              last = now.fraction
              if now.ending != nil { ends += 1 }
            }
            return ends
          }
        }
        for _ in 0..<2 {
          group.addTask {
            let child = progress.child(units: 40)
            child.setTotal(7)
            for _ in 0..<7 { child.advance(by: 1) }
            return 1
          }
        }
        group.addTask {
          for _ in 0..<(round % 9) { await Task.yield() }
          if round.isMultiple(of: 2) { progress.finish() } else { progress.cancel() }
          return 1
        }
        return await group.reduce(into: []) { $0.append($1) }
      }
      #expect(ends == Array(repeating: 1, count: 7))
    }
  }

  @Test(arguments: LoadKind.allCases)
  func endedLoadRetainsNothing(kind: LoadKind) async throws {
    let directory = try TemporaryDirectory()
    let parent = ItemProgress(total: 100)
    for isCancelled in [false, true] {
      weak var token: Token?
      weak var progress: ItemProgress?
      weak var given: ItemProgress?
      let seen = Lock<ItemProgress?>(nil)
      do {
        let kept = Token()
        token = kept
        let provider = ItemProvider(suggestedName: "a.png")
        provider.register(kind.contentType) { [kept] own in
          seen.withLock { $0 = own }
          if isCancelled { own.cancel() }
          return withExtendedLifetime(kept) { kind.content }
        }
        let child = parent.child(units: 1)
        progress = child
        _ = try? await kind.load(provider, into: directory.url, progress: child)
        given = seen.withLock { $0.take() }
      }
      for _ in 0..<200 where token != nil || progress != nil || given != nil {
        try await Task.sleep(for: .milliseconds(5))
      }
      #expect(token == nil && progress == nil && given == nil)
    }
    #expect(parent.snapshot.completed == 2 && parent.snapshot.ending == nil)
  }

  @Test func providerCanBeReleasedLoadedAndEditedDuringALoad() async throws {
    let began = Signal()
    let goOn = Signal()
    var provider: ItemProvider? = ItemProvider()
    provider?.register(.png) { [weak provider] progress in
      let text = try await provider?.data(for: .utf8PlainText, progress: progress.child(units: 1))
      provider?.register(.pdf) { _ in Data() }
      began.send()
      await goOn.wait()
      return text ?? Data()
    }
    provider?.register(.utf8PlainText) { _ in Data("Hail".utf8) }
    let load = try #require(provider?.startLoading(.png))
    await began.wait()
    #expect(provider?.contentTypes == [.png, .utf8PlainText, .pdf])
    provider = nil
    goOn.send()
    #expect(try await load.value == Data("Hail".utf8))
  }

  @Test(arguments: LoadKind.allCases)
  func sourceThatEndsOnCancellationIsCancelled(kind: LoadKind) async throws {
    let earlier = try filesUnderWay()
    let directory = try TemporaryDirectory()
    let began = Signal()
    let provider = ItemProvider()
    provider.registerStream(kind.contentType) { _ in
      let made = Counter()
      return AsyncStream<Data>(unfolding: {
        defer { made.increase() }
        if made.count == 1 {
          began.send()
          try? await Task.sleep(for: .seconds(600))
          return nil
        }
        return kind.content
      })
    }
    let task = Task { try await kind.load(provider, into: directory.url) }
    await began.wait()
    task.cancel()
    await #expect { try await task.value } throws: { isCancellation($0) }
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory.url.path).isEmpty)
    try await expectNothingStays(since: earlier)
  }

  @Test func nestedProxiesRoundTrip() async throws {
    let provider = ItemProvider(Outer(text: "Hail"))
    #expect(provider.contentTypes == String.exportedContentTypes() && provider.suggestedName == nil)
    let load = provider.startLoading(as: Outer.self)
    #expect(try await load.value == Outer(text: "Hail"))
    #expect(load.progress.snapshot.isFinished)
    let bad = ItemProvider("illegible")
    let error = try await requireProviderError(.undecodable, bad.contentTypes.first) {
      try await bad.value(as: Outer.self)
    }
    #expect(error.underlyingError as? Failure == Failure())
  }
}

private struct Inner: Transferable {
  var text: String

  static var transferRepresentation: some TransferRepresentation {
    ProxyRepresentation(exporting: \.text) {
      if $0 == "illegible" { throw Failure() }
      return Inner(text: $0)
    }
  }
}

private struct Outer: Transferable, Equatable {
  var text: String

  static var transferRepresentation: some TransferRepresentation {
    ProxyRepresentation {
      Inner(text: $0.text)
    } importing: {
      Outer(text: $0.text)
    }
  }
}
