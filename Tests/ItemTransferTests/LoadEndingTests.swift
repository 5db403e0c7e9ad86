// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing
import UniformTypes

@testable import ItemTransfer

/// The one end that a load and its progress have together.
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct LoadEndingTests {
  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
  }

  /// Returns a provider of a stream that cancels its progress after the first chunk, and ends.
  private func provider(cancellingItself kind: LoadKind) -> ItemProvider {
    let provider = ItemProvider(suggestedName: "a.png")
    provider.registerStream(kind.contentType) { progress in
      let made = Counter()
      return AsyncStream<Data>(unfolding: {
        defer { made.increase() }
        if made.count == 0 { return Data("{}".utf8) }
        progress.cancel()
        return nil
      })
    }
    return provider
  }

  @Test(arguments: LoadKind.allCases)
  func streamThatEndsBecauseItsProgressWasCancelledIsNotComplete(kind: LoadKind) async throws {
    for progress in [nil, ItemProgress()] {
      let load = Task { try await kind.load(provider(cancellingItself: kind), into: directory.url, progress: progress) }
      kind.expectCancelled(await load.result)
      #expect(progress?.isCancelled ?? true)
    }
    #expect(try names(in: directory.url) == [])
  }

  @Test(arguments: [LoadKind.value, .valueOfFile, .handleOfValue])
  func importThatCancelsItsLoadHasNoValue(kind: LoadKind) async throws {
    let progress = ItemProgress()
    let provider = ItemProvider(of: .reckless) { _ in Data("x".utf8) }
    Reckless.progress.withLock { $0 = progress }
    try await requireProviderError(.cancelled, .reckless) {
      try await provider.value(as: Reckless.self, progress: progress)
    }
    #expect(progress.isCancelled)
  }

  @Test func savedFileOfACancelledLoadIsRemoved() async throws {
    let progress = ItemProgress()
    let representation = ItemRepresentation(contentType: .png) { _ in .data(Data("x".utf8)) }
    let saved = Lock<URL?>(nil)
    try await requireProviderError(.cancelled, .png) {
      try await representation.loading(progress, discard: { await TemporaryFile.discardSaved($0) }) {
        [directory = directory.url] (representation, progress) throws(ItemProviderError) in
        let content = try await representation.content(progress: progress)
        let file = try await representation.savedFile(
          of: content, suggestedName: "a", in: directory, progress: progress)
        saved.withLock { $0 = file }
        progress.cancel()
        return file
      }
    }
    #expect(saved.withLock { $0?.lastPathComponent } == "a.png")
    #expect(try names(in: directory.url) == [])
  }

  @Test(arguments: LoadKind.allCases)
  func loaderCannotEndTheProgressOfItsLoad(kind: LoadKind) async throws {
    for fails in [false, true] {
      let provider = ItemProvider(of: kind.contentType, suggestedName: "a.png") { progress in
        if fails {
          progress.finish()
          throw Failure()
        }
        progress.fail(Failure())
        return kind.content
      }
      let progress = ItemProgress()
      let data = try? await kind.load(provider, into: directory.url, progress: progress)
      #expect((data == nil) == fails)
      #expect(progress.snapshot.ending == (fails ? .failed : .finished))
    }
  }

  @Test(arguments: LoadKind.allCases)
  func eachLoadNeedsAProgressOfItsOwn(kind: LoadKind) async throws {
    let runs = Counter()
    let provider = ItemProvider(of: kind.contentType, suggestedName: "a.png") { _ in
      runs.increase()
      return kind.content
    }
    for (end, code) in [
      ({ $0.finish() }, .progressEnded), ({ $0.fail(Failure()) }, .progressEnded), ({ $0.cancel() }, .cancelled),
      ({ $0.fail(CancellationError()) }, .cancelled),
    ] as [((ItemProgress) -> Void, ItemProviderError.Code)] {
      let progress = ItemProgress()
      end(progress)
      let ended = progress.snapshot
      try await requireProviderError(code, kind.contentType) {
        try await kind.load(provider, into: directory.url, progress: progress)
      }
      #expect(progress.snapshot == ended)
    }
    #expect(runs.count == 0)
  }

  @Test func loadInsideALoadLeavesItsProgressToTheOuterLoad() async throws {
    let inner = ItemProvider(of: .pdf, "inner")
    let outer = ItemProvider(of: .png) { progress in
      _ = try await inner.data(for: .pdf, progress: progress)
      throw Failure()
    }
    let progress = ItemProgress()
    try await requireProviderError(.representationFailed, .png, from: Failure()) {
      try await outer.data(for: .png, progress: progress)
    }
    #expect(progress.snapshot.ending == .failed)
  }

  // MARK: Time

  @Test(arguments: [LoadKind.data, .value, .file, .inPlaceFile, .savedFile])
  func loadEndsAtItsTimeout(kind: LoadKind) async throws {
    let progress = ItemProgress()
    let slow = kind.waiting(Gate())
    let limit = Duration.milliseconds(5)
    try await requireProviderError(.timedOut, kind.contentType) {
      switch kind {
      case .value: _ = try await slow.value(as: Hero.self, progress: progress, timeout: limit)
      case .file: _ = try await slow.withFile(for: .png, progress: progress, timeout: limit) { $0 }
      case .inPlaceFile: _ = try await slow.withInPlaceFile(for: .png, progress: progress, timeout: limit) { $0.file }
      case .savedFile:
        _ = try await slow.saveFile(for: .png, in: directory.url, progress: progress, timeout: limit)
      default: _ = try await slow.data(for: .png, progress: progress, timeout: limit)
      }
    }
    #expect(progress.isCancelled)
    #expect(try names(in: directory.url) == [])
  }

  @Test func loadThatEndsBeforeItsTimeoutIsNotTimedOut() async throws {
    let provider = ItemProvider(of: .png, "x")
    #expect(try await provider.data(for: .png, timeout: .seconds(3600)) == Data("x".utf8))
    let failing = ItemProvider(of: .png) { _ in throw Failure() }
    try await requireProviderError(.representationFailed, .png, from: Failure()) {
      try await failing.data(for: .png, timeout: .seconds(3600))
    }
  }

  // MARK: Names of later values

  @Test(arguments: [LoadKind.file, .inPlaceFile, .savedFile, .handleOfFile])
  func cancelledProgressEndsTheWaitForALaterName(kind: LoadKind) async throws {
    let began = Gate()
    let provider = ItemProvider(of: .png, "x")
    provider.register(Banner.self) { _ in
      began.open()
      try await Task.sleep(for: waitingLimit)
      return Banner()
    }
    let progress = ItemProgress()
    let load = Task { try await kind.load(provider, into: directory.url, progress: progress) }
    await began.wait()
    progress.cancel()
    kind.expectCancelled(await load.result)
    #expect(progress.isCancelled)
  }

  /// Returns a provider that creates a banner, or fails, and counts how often.
  private func laterBanner(_ runs: Counter, failure: Failure? = nil) -> ItemProvider {
    let provider = ItemProvider()
    provider.register(Banner.self) { _ in
      runs.increase()
      if let failure { throw failure }
      return Banner()
    }
    return provider
  }

  @Test func laterValueIsCreatedOnceForALoadAndItsName() async throws {
    let runs = Counter()
    let provider = laterBanner(runs)
    try await provider.withFile(for: .banner) { #expect($0.lastPathComponent == "Banner") }
    _ = try await provider.withInPlaceFile(for: .banner) { #expect($0.file.lastPathComponent == "Banner") }
    let saved = try await provider.saveFile(for: .banner, in: directory.url)
    #expect(saved.lastPathComponent == "Banner" && runs.count == 3)
    // An offer of all content creates it once for all representations; another offer only for its name.
    for loadsContent in [true, false] {
      let offered = await provider.offered(to: .all, loadsContent: loadsContent)
      #expect(offered.suggestedName == "Banner")
      for representation in offered.representations {
        let data = try await representation.data(progress: ItemProgress())
        #expect(data == Data("hail".utf8))
      }
    }
    #expect(runs.count == 5)
  }

  @Test func laterValueThatCannotBeCreatedFailsOnceForAllContent() async throws {
    let runs = Counter()
    let provider = laterBanner(runs, failure: Failure())
    let offered = await provider.offered(to: .all, loadsContent: true)
    for representation in offered.representations {
      try await requireProviderError(.representationFailed, representation.contentType, from: Failure()) {
        try await representation.data(progress: ItemProgress())
      }
    }
    #expect(offered.representations.count == 2 && runs.count == 1)
  }

  // MARK: Many files

  @Test func thousandsOfCopiesStayWithinTheDescriptorsOfTheProcess() async {
    await #expect(processExitsWith: .success) { try await Self.copyManyFiles() }
  }

  private static func copyManyFiles() async throws {
    let directory = try TemporaryDirectory()
    setenv("TMPDIR", directory.url.path, 1)
    let source = try directory.write(Data(count: 100_000), to: "source")
    var limit = rlimit(rlim_cur: 256, rlim_max: 256)
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    let threads = Collector<Int>()
    try await withThrowingTaskGroup(of: Int?.self) { group in
      for number in 0..<2000 {
        let provider = number % 2 == 0 ? ItemProvider(ofFile: source) : ItemProvider(of: .data, "x")
        group.addTask {
          try await provider.withFile(for: .data) { file in
            threads.add(try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count)
            return try FileManager.default.attributesOfItem(atPath: file.path)[.size] as? Int
          }
        }
      }
      let sizes = try await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
      #expect(sizes == [100_000: 1000, 1: 1000])
    }
    #expect(try names(in: directory.url) == ["source"])
    // Without a bound there are 260: as many as the system's pool has.
    #expect(threads.values.max() ?? 0 < 150)
  }
}

extension UTType {
  fileprivate static let reckless = UTType(exportedAs: "org.example.tests.reckless", conformingTo: .data)
  fileprivate static let banner = UTType(exportedAs: "org.example.tests.banner", conformingTo: .data)
}

/// A value whose import cancels its load, and succeeds.
private struct Reckless: Transferable {
  static let progress = Lock<ItemProgress?>(nil)

  static var transferRepresentation: some TransferRepresentation {
    DataRepresentation<Reckless>(importedContentType: .reckless) { _ in
      progress.withLock { $0 }?.cancel()
      return Reckless()
    }
  }
}

/// A value with a name of its own and two representations.
private struct Banner: Transferable {
  var name = "Banner"

  static var transferRepresentation: some TransferRepresentation {
    DataRepresentation<Banner>(exportedContentType: .banner) { _ in Data("hail".utf8) }
      .suggestedFileName { $0.name }
    DataRepresentation<Banner>(exportedContentType: .utf8PlainText) { _ in Data("hail".utf8) }
  }
}
