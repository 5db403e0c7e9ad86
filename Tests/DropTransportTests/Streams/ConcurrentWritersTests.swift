// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import ItemTransfer
import TestSupport
import Testing
import UniformTypes

@testable import DropTransport

@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct ConcurrentWritersTests {
  /// Returns an item whose bytes identify its writer, and whose loaders yield to other tasks.
  private static func item(
    _ writer: Int, _ number: Int, in directory: TemporaryDirectory, using generator: inout SeededGenerator
  ) throws -> (provider: ItemProvider, expected: ReceivedItem) {
    let name = "\(writer)/\(number)"
    let provider = ItemProvider(suggestedName: name)
    var expected = ReceivedItem(name, [:])
    for index in 0..<Int.random(in: 1...4, using: &generator) {
      let type = UTType(importedAs: "org.Example.Representation-\(index)")
      let content = Array(String(repeating: "<\(name)#\(index)>", count: .random(in: 0...9, using: &generator)).utf8)
      let yields = Int.random(in: 0...4, using: &generator)
      let size: ItemSize = Bool.random(using: &generator) ? .exact(Int64(content.count)) : .unknown
      if Bool.random(using: &generator) {
        let file = try directory.write(Data(content), to: "\(writer)-\(number)-\(index)")
        provider.registerFile(type, size: size) { _ in
          for _ in 0..<yields { await Task.yield() }
          return SentTransferredFile(file)
        }
      } else {
        provider.register(type, size: size) { _ in
          for _ in 0..<yields { await Task.yield() }
          return Data(content)
        }
      }
      expected.representations.append(.init(type: type.identifier, content: content))
    }
    return (provider, expected)
  }

  @Test(arguments: [1, 5, 64, 4096]) func concurrentWritersNeverMixItems(_ chunkLength: Int) async throws {
    var generator = SeededGenerator.announced("concurrent writers, chunks of \(chunkLength)")
    let directory = try TemporaryDirectory()
    let options = DropStreamOptions.setting { $0.chunkLength = chunkLength }
    let all = try (0..<8).map { writer in
      try (0..<12).map { try Self.item(writer, $0, in: directory, using: &generator) }
    }
    let providers = all.map { $0.map(\.provider) }
    let (written, received) = try await Carrier.pipe.carry(options: options) { writer in
      try await withThrowingTaskGroup(of: Void.self) { group in
        for items in providers {
          group.addTask {
            for item in items {
              try await writer.write(item)
              await Task.yield()
            }
          }
        }
        try await group.waitForAll()
      }
    }
    try written.get()
    let items = try received.get()
    #expect(items.count == 96)
    // The items of each writer keep their order.
    for (writer, expected) in all.enumerated() {
      #expect(items.filter { $0.name?.hasPrefix("\(writer)/") == true } == expected.map(\.expected))
    }
  }

  @Test func failureOfOneTaskClosesTheStreamForAll() async throws {
    let failed = Collector<DropStreamError.Code>()
    let (written, received) = try await Carrier.pipe.carry { writer in
      await withTaskGroup(of: Void.self) { group in
        for number in 0..<10 {
          group.addTask {
            let provider = ItemProvider(named: "\(number)", loading: .data) { _ in
              // Meanwhile the other tasks wait.
              try await Task.sleep(for: .milliseconds(5))
              if number == 4 { throw TestFailure() }
              return Data([1])
            }
            do throws(DropStreamError) { try await writer.write(provider) } catch { failed.add(error.code) }
          }
        }
      }
    }
    #expect(written.code == .representationFailed && failed.values.count { $0 == .representationFailed } == 1)
    #expect(failed.values.allSatisfy { $0 == .representationFailed || $0 == .closed })
    try requireFailure(.senderFailed, received)
  }

  @Test func queuedTaskWritesNothingAfterAFailedItem() async throws {
    let (began, gate) = (Gate(), Gate())
    let failing = ItemProvider(loading: .data) { _ in
      began.open()
      await gate.wait()
      throw TestFailure()
    }
    let (_, received) = try await Carrier.pipe.carry { writer in
      await withTaskGroup(of: Void.self) { group in
        group.addTask { try? await writer.write(failing) }
        await began.wait()
        group.addTask(executorPreference: InlineExecutor()) { try? await writer.write(ItemProvider([1])) }
        gate.open()
      }
    }
    try requireFailure(.senderFailed, received)
  }

  /// The item would be missing, so the stream fails.
  @Test func itemCancelledInTheQueueFailsTheStream() async throws {
    let (began, gate) = (Gate(), Gate())
    let slow = ItemProvider(named: "slow", loading: .data) { _ in
      began.open()
      await gate.wait()
      return Data([1])
    }
    let (written, received) = try await Carrier.pipe.carry { writer in
      let first = Task { try await writer.write(slow) }
      await began.wait()
      // The executor runs the task at once, up to its wait in the queue.
      let second = Task(executorPreference: InlineExecutor()) {
        try await writer.write(ItemProvider([2], name: "waiting"))
      }
      second.cancel()
      try await requireDropError(.cancelled) { try await second.value }
      gate.open()
      _ = await first.result
      try await requireDropError(.closed) { try await writer.write(ItemProvider([3])) }
    }
    #expect(written.code == .cancelled, "\(written)")
    try requireFailure(.senderCancelled, received)
  }
}

/// An executor that runs a task within the call that resumes it, before the caller continues.
private final class InlineExecutor: TaskExecutor {
  func enqueue(_ job: consuming ExecutorJob) {
    UnownedJob(job).runSynchronously(on: asUnownedTaskExecutor())
  }
}
