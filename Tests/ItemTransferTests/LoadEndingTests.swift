// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import Foundation
import Synchronization
import TestSupport
import Testing
import UniformTypes

@testable import ItemTransfer

extension UTType {
  fileprivate static let slow = UTType(exportedAs: "org.example.tests.slow", conformingTo: .data)
  fileprivate static let slowFile = UTType(exportedAs: "org.example.tests.slow-file", conformingTo: .data)
}

/// A value whose import waits after all bytes have arrived.
private struct Slow: Transferable {
  static let began = Lock(Signal())

  static var transferRepresentation: some TransferRepresentation {
    DataRepresentation<Slow>(importedContentType: .slow) { try await made(of: $0) }
    FileRepresentation<Slow>(importedContentType: .slowFile) { try await made(of: Data(contentsOf: $0.file)) }
  }

  private static func made(of data: Data) async throws -> Slow {
    if data.isEmpty { throw Failure() }
    began.withLock { $0 }.send()
    try await Task.sleep(for: .seconds(5))
    return Slow()
  }
}

/// The end of a load's progress, which must come at the end of the load and not before.
@Suite(.limited, .serialized, .timeLimit(.minutes(5))) struct LoadEndingTests {
  @Test(arguments: LoadKind.allCases)
  func missingRepresentationFailsTheProgress(kind: LoadKind) async throws {
    let directory = try TemporaryDirectory()
    let provider = ItemProvider()
    provider.register(.pdf) { _ in Data() }
    let progress = ItemProgress()
    await #expect(throws: ItemProviderError.self) {
      try await kind.load(provider, into: directory.url, progress: progress)
    }
    #expect(progress.snapshot.ending == .failed)
  }

  private func slowProvider(_ type: UTType, _ data: Data) -> ItemProvider {
    let provider = ItemProvider()
    provider.register(type) { _ in data }
    return provider
  }

  @Test(arguments: [UTType.slow, .slowFile])
  func importCanBeCancelled(type: UTType) async throws {
    for byProgress in [true, false] {
      let began = Signal()
      Slow.began.withLock { $0 = began }
      let load = slowProvider(type, Data("x".utf8)).startLoading(as: Slow.self)
      await began.wait()
      #expect(load.progress.snapshot.ending == nil)
      if byProgress { load.progress.cancel() } else { load.cancel() }
      _ = try await requireProviderError(.cancelled, type) { try await load.value }
      #expect(load.progress.snapshot.isCancelled)
    }
  }

  @Test(arguments: [UTType.slow, .slowFile])
  func undecodableBytesFailTheProgress(type: UTType) async throws {
    let progress = ItemProgress()
    _ = try await requireProviderError(.undecodable, type) {
      try await slowProvider(type, Data()).value(as: Slow.self, progress: progress)
    }
    #expect(progress.snapshot.ending == .failed)
  }

  @Test func handleCancelsItsLoadAfterTheProgressHasEnded() async throws {
    let began = Signal()
    let provider = ItemProvider()
    provider.register(.png) { progress in
      progress.finish()
      began.send()
      try await Task.sleep(for: .seconds(5))
      return Data()
    }
    let load = provider.startLoading(.png)
    await began.wait()
    load.cancel()
    _ = try await requireProviderError(.cancelled, .png) { try await load.value }
  }

  @Test func cancelledProgressRunsNoLoader() async throws {
    let runs = Counter()
    let provider = ItemProvider()
    provider.register(.png) { _ in
      runs.increase()
      return Data()
    }
    for _ in 0..<3000 {
      let progress = ItemProgress()
      progress.cancel()
      _ = try? await provider.data(for: .png, progress: progress)
    }
    #expect(runs.count == 0)
  }

  @Test func callbackLoaderSeesTheOutcomeInItsProgress() async throws {
    let began = Signal()
    let given = Lock<ItemProgress?>(nil)
    let provider = ItemProvider()
    let responses = ResponseKeeper()
    provider.register(.png) { progress, response in
      given.withLock { $0 = progress }
      responses.keep(response)
      began.send()
    }
    let task = Task { try await provider.data(for: .png) }
    await began.wait()
    task.cancel()
    _ = await task.result
    #expect(given.withLock { $0?.snapshot.ending } == .cancelled)
    #expect(try await provider.dataAnswered(by: responses) == Data("x".utf8))
    #expect(given.withLock { $0?.snapshot.ending } == .finished)
  }

  @Test func bodysCancellationErrorOfAnotherLoadPasses() async throws {
    let earlier = try filesUnderWay()
    let provider = ItemProvider()
    provider.register(.png) { _ in Data() }
    _ = try await requireProviderError(.cancelled, .pdf) {
      try await provider.withFile(for: .png) { _ in throw ItemProviderError(.cancelled, contentType: .pdf) }
    }
    try await expectNothingStays(since: earlier)
  }

  @Test func missingRepresentationOfANestedImportIsAnUnderlyingError() async throws {
    struct Nesting: Transferable {
      static var transferRepresentation: some TransferRepresentation {
        DataRepresentation<Nesting>(importedContentType: .slow) { _ in
          _ = try await ItemProvider().data(for: .jpeg)
          return Nesting()
        }
      }
    }
    let error = try await requireProviderError(.undecodable, .slow) {
      try await slowProvider(.slow, Data()).value(as: Nesting.self)
    }
    #expect((error.underlyingError as? ItemProviderError)?.code == .noRepresentation)
  }

  // MARK: Files

  @Test func copyHasThePermissionsOfTheLinksTarget() async throws {
    let directory = try TemporaryDirectory()
    let file = try directory.write(Data("x".utf8), to: "secret")
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
    let link = directory.url.appendingPathComponent("link")
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: file)
    let provider = ItemProvider(suggestedName: "copy")
    provider.registerFile(.data) { _ in SentTransferredFile(link) }
    let copy = try await provider.saveFile(for: .data, in: directory.url)
    let permissions = try FileManager.default.attributesOfItem(atPath: copy.path)[.posixPermissions] as? Int
    #expect(permissions == 0o600)
  }

  @Test func danglingLinkAndMissingDirectoryFailAndLeaveNothing() async throws {
    let earlier = try filesUnderWay()
    let directory = try TemporaryDirectory()
    try FileManager.default.createSymbolicLink(
      atPath: directory.url.appendingPathComponent("a.png").path, withDestinationPath: "nowhere")
    let provider = ItemProvider(suggestedName: "a.png")
    provider.register(.png) { _ in Data() }
    for target in [directory.url, directory.url.appendingPathComponent("gone")] {
      _ = try await requireProviderError(.fileUnavailable, .png) { try await provider.saveFile(for: .png, in: target) }
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory.url.path) == ["a.png"])
    try await expectNothingStays(since: earlier)
  }

  @Test func releasedStreamEndsItsProgressAndClosesItsFile() async throws {
    let directory = try TemporaryDirectory()
    let file = try directory.write(Data(count: 1 << 20), to: "big")
    let provider = ItemProvider()
    provider.registerFile(.data) { _ in SentTransferredFile(file) }
    for reads in 0..<3 {
      let progress = ItemProgress()
      do {
        let stream = try await provider.bytes(for: .data, progress: progress)
        if reads > 0 {
          var chunks = stream.makeAsyncIterator()
          for _ in 0..<reads { _ = try await chunks.next() }
        }
      }
      // The last reading thread may keep the file open for a moment longer.
      #expect(try await eventually { progress.snapshot.ending == .cancelled })
      let isClosed = try await eventually {
        try !FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
          .compactMap { try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)") }
          .contains(file.path)
      }
      #expect(isClosed)
    }
  }

  @Test func missingRepresentationOfANestedLoadIsAnUnderlyingError() async throws {
    let provider = ItemProvider()
    provider.register(.png) { _ in try await ItemProvider().data(for: .jpeg) }
    let error = try await requireProviderError(.representationFailed, .png) { try await provider.data(for: .png) }
    #expect((error.underlyingError as? ItemProviderError)?.code == .noRepresentation)
  }
}

extension ItemProvider {
  fileprivate func dataAnswered(by responses: ResponseKeeper) async throws -> Data {
    async let data = data(for: .png)
    let task = Task {
      while !Task.isCancelled {
        responses.succeed(Data("x".utf8))
        try? await Task.sleep(for: .milliseconds(1))
      }
    }
    defer { task.cancel() }
    return try await data
  }
}
