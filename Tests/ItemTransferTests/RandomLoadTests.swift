// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import Foundation
import ItemTransfer
import Synchronization
import TestSupport
import Testing
import UniformTypes

/// Loads of random forms by random loaders, which are cancelled in random ways at random moments.
///
/// Each load must end once, and its progress as its result. `DRAGPIPE_LOADS=200000` sets their number.
@Suite(.serialized, .limited, .timeLimit(minutes: 10)) struct RandomLoadTests {
  private static let count =
    ProcessInfo.processInfo.environment["DRAGPIPE_LOADS"].flatMap { Int($0) } ?? (isFullRun ? 20_000 : 2000)

  /// The ways in which a loader behaves, and in which a load is cancelled.
  private enum Loader: CaseIterable {
    case bytes, late, failing, cancelling, finishing, failingProgress, cancelled, callback, silentCallback
    case stream, cancellingStream, file
  }

  private enum Cancelling: CaseIterable {
    case never, task, progress, parent, taskAndProgress, fromAnotherThread, finish, fail, timeout
  }

  private static func provider(_ loader: Loader, _ kind: LoadKind, file: URL) -> ItemProvider {
    let provider = ItemProvider(suggestedName: "a.png")
    let (type, content) = (kind.contentType, kind.content)
    switch loader {
    case .callback, .silentCallback:
      provider.registerCallback(type) { _, response in
        DispatchQueue.global().async { if loader == .callback { response.succeed(content) } }
      }
    case .stream, .cancellingStream:
      provider.registerStream(type) { progress in
        let rest = Lock(content)
        return AsyncStream<Data>(unfolding: {
          await Task.yield()
          let chunk = rest.withLock { rest in
            defer { rest = rest.dropFirst(2) }
            return rest.prefix(2)
          }
          if loader == .cancellingStream, chunk.count < 2 { progress.cancel() }
          return chunk.isEmpty ? nil : chunk
        })
      }
    case .file: provider.registerFile(type) { _ in SentTransferredFile(file) }
    default:
      provider.register(type) { progress in
        switch loader {
        case .late: try await Task.sleep(for: .microseconds(200))
        case .failing: throw Failure()
        case .cancelling: progress.cancel()
        case .finishing: progress.finish()
        case .failingProgress: progress.fail(Failure())
        case .cancelled: throw CancellationError()
        default: await Task.yield()
        }
        return content
      }
    }
    return provider
  }

  /// Runs one load.
  ///
  /// - Returns: The contradiction between its result and its progress, if there is one.
  private static func contradiction(
    _ kind: LoadKind, _ loader: Loader, _ cancelling: Cancelling, delay: Int, in directory: URL, file: URL
  ) async -> String? {
    let parent = ItemProgress(total: 1)
    let progress = parent.child(units: 1)
    let updates = progress.updates
    let ends = Task { await updates.reduce(0) { $0 + ($1.ending == nil ? 0 : 1) } }
    let provider = provider(loader, kind, file: file)
    let load = Task { () async throws -> Data in
      if cancelling == .timeout, kind == .data {
        return try await provider.data(for: .png, progress: progress, timeout: .microseconds(delay))
      }
      return try await kind.load(provider, into: directory, progress: progress)
    }
    for _ in 0..<delay % 7 { await Task.yield() }
    if delay % 3 == 0 { try? await Task.sleep(for: .microseconds(delay)) }
    switch cancelling {
    case .never, .timeout: break
    case .task: load.cancel()
    case .progress: progress.cancel()
    case .parent: parent.cancel()
    case .taskAndProgress:
      load.cancel()
      progress.cancel()
    case .fromAnotherThread: DispatchQueue.global().async { progress.cancel() }
    case .finish: progress.finish()
    case .fail: progress.fail(Failure())
    }
    let result = await load.result
    let ending = progress.snapshot.ending
    guard await ends.value == 1 else { return "not one end" }
    switch result {
    case .success(let data):
      return data == kind.content && ending == .finished ? nil : "\(data) and \(ending, default: "-")"
    case .failure(let error):
      // The caller may have ended the progress before the load began.
      switch (error as? ItemProviderError)?.code {
      case .cancelled: return ending == .cancelled ? nil : "cancelled and \(ending, default: "-")"
      case .timedOut:
        return ending == .cancelled && cancelling == .timeout ? nil : "timed out and \(ending, default: "-")"
      case .progressEnded:
        return cancelling == .finish && ending == .finished || cancelling == .fail && ending == .failed
          ? nil : "too late and \(ending, default: "-")"
      case nil: return "\(error)"
      default: return ending == .failed ? nil : "\(error) and \(ending, default: "-")"
      }
    }
  }

  @Test func everyLoadEndsOnceAndItsProgressWithIt() async throws {
    let directory = try TemporaryDirectory()
    let files = try TemporaryDirectory()
    var sources: [LoadKind: URL] = [:]
    for kind in LoadKind.allCases { sources[kind] = try files.write(kind.content, to: "\(kind)") }
    var generator = SeededGenerator.announced("RandomLoadTests")
    try await withThrowingTaskGroup(of: String?.self) { group in
      for number in 0..<Self.count {
        guard let kind = LoadKind.allCases.randomElement(using: &generator), let file = sources[kind],
          let loader = Loader.allCases.randomElement(using: &generator),
          let cancelling = Cancelling.allCases.randomElement(using: &generator)
        else { return }
        let delay = Int.random(in: 1..<500, using: &generator)
        if number >= 48, let found = try await group.next() ?? nil { Issue.record("\(found)") }
        // Each saved file has a directory of its own, since its name is the same.
        let own = directory.url.appendingPathComponent("\(number)")
        group.addTask {
          try FileManager.default.createDirectory(at: own, withIntermediateDirectories: false)
          let found = await Self.contradiction(kind, loader, cancelling, delay: delay, in: own, file: file)
          let left = try names(in: own)
          try FileManager.default.removeItem(at: own)
          let place = "load \(number): \(kind), \(loader), \(cancelling)"
          return found.map { "\(place): \($0)" } ?? (left.isEmpty ? nil : "\(place): \(left) are left")
        }
      }
      for try await found in group { if let found { Issue.record("\(found)") } }
    }
  }
}
