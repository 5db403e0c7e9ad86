// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import Foundation
import ItemTransfer
import Synchronization
import TestSupport
import Testing
import UniformTypes

@testable import DropTransport

/// Cancellation before, during and after a transfer.
///
/// The transfer must end soon, with one result and no open descriptor.
@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct CancellationTests {
  @Test("a reader that waits for bytes ends when it is cancelled", arguments: [0, 1, 16, 50, 200])
  func waitingReaderEndsWhenItIsCancelled(_ count: Int) async throws {
    for pair in [try DescriptorPair.pipe(), try .socketPair()] {
      let name = try link(of: pair.read)
      let other = try link(of: pair.write)
      try SmallStream.bytes[..<count].withUnsafeBytes { try SystemCalls.writeAll(pair.write, $0) }
      let task = Task { try await outcome(from: pair.reader).get() }
      try await Task.sleep(for: .milliseconds(30))
      task.cancel()
      try await requireDropError(.cancelled) { try await task.value }
      #expect(try openDescriptors(to: name) == (name == other ? 1 : 0))
      try SystemCalls.close(pair.write)
      #expect(try openDescriptors(to: other) == 0)
    }
  }

  @Test("a writer whose reader does not read ends when it is cancelled", arguments: [false, true], [false, true])
  func blockedWriterEndsWhenItIsCancelled(_ isFile: Bool, _ mayBlock: Bool) async throws {
    let directory = try TemporaryDirectory()
    let file = try directory.write(Data(pattern(8 << 20)), to: "file")
    // The system may limit the size of a user's pipes, so the chunks must be small.
    var options = DropStreamOptions()
    options.chunkLength = 1000
    for pair in [try DescriptorPair.pipe(), try .socketPair()] {
      let name = try link(of: pair.write)
      let other = try link(of: pair.read)
      let progress = ItemProgress()
      let executor = mayBlock ? BlockingTaskExecutor(label: "test") : nil
      let task = Task(executorPreference: executor) { [options] in
        try await DropStream.withWriter(to: pair.writer, options: options) { writer in
          let item = isFile ? ItemProvider(contentsOf: file) : ItemProvider(pattern(8 << 20))
          try await writer.write(item, progress: progress)
        }
      }
      #expect(try await eventually { progress.snapshot.completed > 0 })
      try await Task.sleep(for: .milliseconds(50))
      task.cancel()
      try await requireDropError(.cancelled) { try await task.value }
      #expect(try openDescriptors(to: name) == (name == other ? 1 : 0))
      let bytes = try await readAll(pair.read)
      // If the pipe is full, the final frame cannot be written.
      let code = outcome(of: bytes).code
      #expect(code == .truncated || code == .senderCancelled)
    }
  }

  @Test("a source with a callback sees in its progress that the writer is cancelled")
  func progressReportsTheCancellationToACallback() async throws {
    let pair = try DescriptorPair.pipe()
    let given = Lock<(progress: ItemProgress, reply: ItemResponse<Data>)?>(nil)
    let provider = ItemProvider()
    provider.register(.data) { progress, reply in given.withLock { $0 = (progress, reply) } }
    let task = Task { try await DropStream.withWriter(to: pair.writer) { try await $0.write(provider) } }
    #expect(try await eventually { given.withLock { $0 != nil } })
    task.cancel()
    try await requireDropError(.cancelled) { try await task.value }
    #expect(given.withLock { $0?.progress.isCancelled } == true)
    #expect(outcome(of: try await readAll(pair.read)).code == .senderCancelled)
  }

  @Test("a cancelled task does not read, and a cancelled writer reports its failure")
  func cancelledTaskDoesNotReadOrWrite() async throws {
    let pair = try DescriptorPair.pipe()
    let gate = Gate()
    let writer = Task {
      await gate.wait()
      try await DropStream.withWriter(to: pair.writer) { try await $0.write(ItemProvider([1])) }
    }
    writer.cancel()
    try await requireDropError(.cancelled) { try await writer.value }
    try requireFailure(.senderCancelled, outcome(of: try await readAll(pair.read)))

    let stream = try pipe(holding: SmallStream.bytes)
    let name = try link(of: stream)
    let reader = Task {
      await gate.wait()
      return try await outcome(from: .descriptor(stream)).get()
    }
    reader.cancel()
    try await requireDropError(.cancelled) { try await reader.value }
    #expect(try openDescriptors(to: name) == 0)
  }

  @Test("a body that returns after a cancellation does not complete the stream")
  func bodyThatIgnoresACancellationDoesNotCompleteTheStream() async throws {
    let pair = try DescriptorPair.pipe()
    let gate = Gate()
    let task = Task {
      try await DropStream.withWriter(to: pair.writer) { writer in
        try await writer.write(ItemProvider([1]))
        await gate.wait()
      }
    }
    try await Task.sleep(for: .milliseconds(30))
    task.cancel()
    try await requireDropError(.cancelled) { try await task.value }
    try requireFailure(.senderCancelled, outcome(of: try await readAll(pair.read)))
  }

  @Test("cancelling after the end changes nothing")
  func cancellingAfterTheEndChangesNothing() async throws {
    let pair = try DescriptorPair.pipe()
    let writer = Task { try await DropStream.withWriter(to: pair.writer) { try await $0.write(ItemProvider([1])) } }
    try await writer.value
    writer.cancel()
    try await writer.value
    let reader = Task { try await outcome(from: pair.reader).get() }
    let items = try await reader.value
    reader.cancel()
    #expect(try await reader.value == items)
    #expect(items.count == 1)
  }

  @Test("a waiting loader is cancelled with its stream, and the reader receives the reason")
  func waitingLoaderIsCancelledWithItsStream() async throws {
    let pair = try DescriptorPair.pipe()
    let began = Gate()
    let cancelled = Collector<Bool>()
    let provider = ItemProvider()
    provider.register(.data) { _ in
      began.open()
      try? await Task.sleep(for: .seconds(600))
      cancelled.add(Task.isCancelled)
      return Data([1])
    }
    let task = Task { try await DropStream.withWriter(to: pair.writer) { try await $0.write(provider) } }
    await began.wait()
    task.cancel()
    try await requireDropError(.cancelled) { try await task.value }
    #expect(cancelled.values == [true])
    try requireFailure(.senderCancelled, outcome(of: try await readAll(pair.read)))
  }

  @Test("a frame that was interrupted by cancellation is completed, or the stream is truncated: never corrupt")
  func interruptedFrameIsCompletedOrTheStreamIsTruncated() async throws {
    let directory = try TemporaryDirectory()
    let file = try directory.write(Data(pattern(5 << 20)), to: "file")
    var options = DropStreamOptions()
    options.chunkLength = 2 << 20
    for gathered in [0, 1_500_000] {
      for isFile in [false, true] {
        var codes: [DropStreamError.Code?] = []
        // The sender waits half a second for its reader. A busy machine may need several attempts.
        for _ in 0..<5 where codes.last != .senderCancelled {
          let pair = try DescriptorPair.pipe()
          let task = Task { [options] in
            try await DropStream.withWriter(to: pair.writer, options: options) { writer in
              // The item exceeds the pipe's capacity, but the writer buffers it until the next item.
              if gathered > 0 { try await writer.write(ItemProvider(pattern(gathered))) }
              try await writer.write(isFile ? ItemProvider(contentsOf: file) : ItemProvider(pattern(5 << 20)))
            }
          }
          try await Task.sleep(for: .milliseconds(50))
          task.cancel()
          let code = try await outcome(from: pair.reader).code
          #expect(code == .senderCancelled || code == .truncated, "\(gathered), \(isFile)")
          codes.append(code)
          try await requireDropError(.cancelled) { try await task.value }
        }
        #expect(codes.last == .senderCancelled, "\(gathered), \(isFile)")
      }
    }
  }

  @Test("both ends end soon and incomplete when they are cancelled together at any time")
  func bothEndsCancelledAtAnyTimeEndIncomplete() async throws {
    var generator = SeededGenerator.announced("cancelling at any moment")
    for _ in 0..<40 {
      let pair = try DescriptorPair.pipe()
      let name = try link(of: pair.read)
      let finished = Collector<Bool>()
      let writer = Task {
        let result = await writing(to: pair.writer) { writer in
          for _ in 0..<200 { try await writer.write(ItemProvider(pattern(50_000))) }
        }
        finished.add(true)
        return result
      }
      let reader = Task { try await outcome(from: pair.reader) }
      try await Task.sleep(for: .microseconds(Int.random(in: 0...20_000, using: &generator)))
      let whom = Int.random(in: 0..<3, using: &generator)
      if whom != 0 { writer.cancel() }
      if whom != 1 { reader.cancel() }
      let (written, received) = (await writer.value, try await reader.value)
      switch (written.code, received.code) {
      case (.cancelled, .senderCancelled), (.cancelled, .truncated), (.cancelled, .cancelled), (.cancelled, .empty),
        (.peerGone, .cancelled), (nil, nil):
        break
      case (.cancelled, .trailingBytes):
        // A part of the end frame had been written. Its rest preceded the final frame.
        break
      case (nil, .cancelled):
        // The writer had finished, but its bytes were still in the pipe.
        break
      case (let here, let there):
        Issue.record("\(String(describing: here)) here, \(String(describing: there)) there")
      }
      if case .failure = written { #expect(received.code != nil) }
      #expect(finished.values == [true])
      #expect(try openDescriptors(to: name) == 0)
    }
  }
}
