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
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct CancellationTests {
  @Test(arguments: [0, 1, 16, 50, 200], [false, true])
  func waitingReaderEndsWhenItIsCancelled(_ count: Int, collects: Bool) async throws {
    for pair in [try DescriptorPair.pipe(), try .socketPair()] {
      let (name, other) = (try link(of: pair.read), try link(of: pair.write))
      try pair.send(SmallStream.bytes[..<count])
      let task = Task {
        if collects { return try await DropStream.withReader(from: pair.reader) { try await $0.collect().count } }
        return try await outcome(from: pair.reader).get().count
      }
      try await pair.waitUntilRead()
      task.cancel()
      try await requireDropError(.cancelled) { try await task.value }
      try expectOpenDescriptors(to: name, (name == other ? 1 : 0))
      try SystemCalls.close(pair.write)
      try expectOpenDescriptors(to: other, 0)
    }
  }

  @Test func blockedWriterEndsWhenItIsCancelled() async throws {
    let directory = try TemporaryDirectory()
    let file = try directory.write(Data(pattern(2 << 20)), to: "file")
    // A cancelled writer gives its reader half a second for the final frame, so all writers are cancelled at once.
    try await withThrowingTaskGroup(of: Void.self) { group in
      for item in [ItemProvider(contentsOf: file), ItemProvider(pattern(2 << 20))] {
        for executor in [nil, BlockingExecutor.shared] {
          for pair in [try DescriptorPair.pipe(), try .socketPair()] {
            group.addTask { try await Self.cancelBlockedWriter(of: item, to: pair, on: executor) }
          }
        }
      }
      try await group.waitForAll()
    }
  }

  private static func cancelBlockedWriter(
    of item: ItemProvider, to pair: DescriptorPair, on executor: BlockingExecutor?
  ) async throws {
    // The system may limit the size of a user's pipes, so the chunks must be small.
    let options = DropStreamOptions.setting { $0.chunkLength = 1000 }
    let (name, other) = (try link(of: pair.write), try link(of: pair.read))
    let progress = ItemProgress()
    let task = Task(executorPreference: executor) {
      try await DropStream.withWriter(to: pair.writer, options: options) {
        try await $0.write(item, progress: progress)
      }
    }
    try await wait(for: "the first bytes") { progress.snapshot.completed > 0 }
    // Meanwhile the buffer of the pair fills, and the writer waits. A slow writer is cancelled earlier.
    try await Task.sleep(for: .milliseconds(20))
    task.cancel()
    try await requireDropError(.cancelled) { try await task.value }
    try expectOpenDescriptors(to: name, (name == other ? 1 : 0))
    // If the pipe is full, the final frame cannot be written.
    let code = outcome(of: try await readAll(pair.read)).code
    #expect(code == .truncated || code == .senderCancelled)
  }

  /// Cancels a writer once it has begun, and expects that its reader receives the reason.
  private func cancelWriter(
    _ write: @escaping @Sendable (DropStreamWriter) async throws -> Void, once hasBegun: () async throws -> Void
  ) async throws {
    let pair = try DescriptorPair.pipe()
    let task = Task { try await DropStream.withWriter(to: pair.writer, write) }
    try await hasBegun()
    task.cancel()
    try await requireDropError(.cancelled) { try await task.value }
    try requireFailure(.senderCancelled, outcome(of: try await readAll(pair.read)))
  }

  @Test func waitingLoadersAreCancelledWithTheirStream() async throws {
    let given = Lock<(progress: ItemProgress, reply: ItemResponse<Data>)?>(nil)
    try await cancelWriter {
      let provider = ItemProvider()
      provider.registerCallback(.data) { progress, reply in given.withLock { $0 = (progress, reply) } }
      try await $0.write(provider)
    } once: {
      try await wait(for: "the callback") { given.withLock { $0 != nil } }
    }
    #expect(given.withLock { $0?.progress.isCancelled } == true)

    let began = Gate()
    let cancelled = Collector<Bool>()
    try await cancelWriter {
      let provider = ItemProvider(loading: .data) { _ in
        began.open()
        try? await Task.sleep(for: .seconds(600))
        cancelled.add(Task.isCancelled)
        return Data([1])
      }
      try await $0.write(provider)
    } once: {
      await began.wait()
    }
    #expect(cancelled.values == [true])
  }

  /// Returns an item whose stream cancels its progress after the first chunk, and ends.
  private static var itemThatCancelsItself: ItemProvider {
    let item = ItemProvider(suggestedName: "item")
    item.registerStream(.data) { progress in
      let hasBegun = Lock(false)
      return AsyncStream<Data>(unfolding: {
        let isSecond = hasBegun.withLock { hasBegun in
          defer { hasBegun = true }
          return hasBegun
        }
        guard isSecond else { return Data(pattern(1000)) }
        progress.cancel()
        return nil
      })
    }
    return item
  }

  @Test func contentThatEndsBecauseItsProgressWasCancelledIsNeverComplete() async throws {
    let pair = try DescriptorPair.pipe()
    let reading = Task { outcome(of: try await readAll(pair.read)) }
    try await requireDropError(.cancelled) {
      try await DropStream.withWriter(to: pair.writer) { try await $0.write(Self.itemThatCancelsItself) }
    }
    try requireFailure(.senderCancelled, try await reading.value)

    let directory = try TemporaryDirectory()
    let file = directory.file("a.drop")
    try await requireDropError(.cancelled) {
      try await DropStream.withWriter(to: .file(file.path)) { try await $0.write(Self.itemThatCancelsItself) }
    }
    #expect(!FileManager.default.fileExists(atPath: file.path))

    try await exchange([Self.itemThatCancelsItself]) { drop async throws in
      await #expect(throws: ItemProviderError.self) { try await drop.items[0].data(for: .data) }
    }
  }

  @Test func importThatCancelsTheLoadOfAReceivedItemHasNoValue() async throws {
    @Sendable func expectCancelled(_ item: ItemProvider) async throws {
      let progress = ItemProgress()
      let error = await #expect(throws: ItemProviderError.self) {
        try await WithdrawnFlag.$progress.withValue(progress) {
          try await item.value(as: WithdrawnFlag.self, progress: progress)
        }
      }
      #expect(error?.code == .cancelled)
      #expect(progress.snapshot.ending == .cancelled)
      // Only this load was cancelled.
      let data = try await item.data(for: .data)
      #expect(data == Data([1]))
    }
    let directory = try TemporaryDirectory()
    let file = DropEndpoint.file(directory.file("a.drop").path)
    let pair = try DescriptorPair.pipe()
    for (writer, reader) in [(pair.writer, pair.reader), (file, file)] {
      try await DropStream.withWriter(to: writer) { try await $0.write(ItemProvider([1])) }
      let items = try await DropStream.withReader(from: reader) { try await $0.collect() }
      try await expectCancelled(items[0])
    }
    try await exchange([ItemProvider([1])]) { try await expectCancelled($0.items[0]) }
  }

  @Test func progressOfAWriteEndsWithTheWrite() async throws {
    // The reader is not needed: these items fit into the buffer of the pipe.
    for (item, code, ending) in [
      (ItemProvider([1]), nil, .finished),
      (ItemProvider(loading: .data) { _ in throw TestFailure() }, .representationFailed, .failed),
      (itemThatCancels(), .cancelled, .cancelled),
    ] as [(ItemProvider, DropStreamError.Code?, ItemProgress.Ending)] {
      let pair = try DescriptorPair.pipe()
      defer { try? SystemCalls.close(pair.read) }
      let progress = ItemProgress()
      do {
        try await DropStream.withWriter(to: pair.writer) { try await $0.write(item, progress: progress) }
        #expect(code == nil)
      } catch {
        #expect((error as? DropStreamError)?.code == code)
      }
      #expect(progress.snapshot.ending == ending)
    }
  }

  private func itemThatCancels() -> ItemProvider {
    ItemProvider(loading: .data) { progress in
      progress.cancel()
      return Data([1])
    }
  }

  @Test(arguments: [nil, BlockingExecutor.shared])
  func cancellingTheProgressCancelsTheWrite(executor: BlockingExecutor?) async throws {
    let pair = try DescriptorPair.pipe()
    let (began, progress) = (Gate(), ItemProgress())
    let cancelled = Collector<Bool>()
    let item = ItemProvider(loading: .data) { own in
      began.open()
      try? await Task.sleep(for: waitingLimit)
      cancelled.add(Task.isCancelled && own.isCancelled)
      return Data([1])
    }
    let task = Task(executorPreference: executor) {
      try await DropStream.withWriter(to: pair.writer) { try await $0.write(item, progress: progress) }
    }
    await began.wait()
    progress.cancel()
    try await requireDropError(.cancelled) { try await task.value }
    try requireFailure(.senderCancelled, outcome(of: try await readAll(pair.read)))
    #expect(cancelled.values == [true] && progress.isCancelled)
  }

  @Test(arguments: [false, true])
  func cancellingTheProgressEndsTheWaitForALaterValue(toFile: Bool) async throws {
    let directory = try TemporaryDirectory()
    let pair = try DescriptorPair.pipe()
    let file = directory.file("a.drop")
    let (began, progress) = (Gate(), ItemProgress())
    let item = ItemProvider()
    item.register(LateFlag.self) { own in
      began.open()
      // A loader may look at its progress only.
      try await wait(for: "the cancellation") { own.isCancelled }
      return LateFlag()
    }
    let task = Task {
      try await DropStream.withWriter(to: toFile ? .file(file.path) : pair.writer) {
        try await $0.write(item, progress: progress)
      }
    }
    await began.wait()
    progress.cancel()
    try await requireDropError(.cancelled) { try await task.value }
    #expect(!FileManager.default.fileExists(atPath: file.path))
    if toFile { try SystemCalls.close(pair.write) }
    #expect(outcome(of: try await readAll(pair.read)).code == (toFile ? .empty : .senderCancelled))
  }

  @Test func writeWithAnEndedProgressEndsTheStreamWithoutItsItem() async throws {
    let progress = ItemProgress()
    progress.finish()
    let pair = try DescriptorPair.pipe()
    try await requireDropError(.representationFailed) {
      try await DropStream.withWriter(to: pair.writer) { try await $0.write(ItemProvider([1]), progress: progress) }
    }
    #expect(outcome(of: try await readAll(pair.read)).code == .senderFailed)
  }

  @Test func laterValueIsCreatedOnceForAStreamAndOnceForASession() async throws {
    let runs = Collector<Void>()
    let item = ItemProvider()
    item.register(LateFlag.self) { _ in
      runs.add(())
      return LateFlag()
    }
    let pair = try DescriptorPair.pipe()
    let reading = Task { outcome(of: try await readAll(pair.read)) }
    try await DropStream.withWriter(to: pair.writer) { try await $0.write(item) }
    #expect(try await reading.value.get().count == 1 && runs.values.count == 1)
    try await exchange([item]) { drop async throws in
      #expect(drop.items[0].suggestedName == "flag")
      for type in [UTType.data, .utf8PlainText] { #expect(try await drop.items[0].data(for: type) == Data([1])) }
    }
    #expect(runs.values.count == 2)
  }

  @Test func bodyThatIgnoresACancellationDoesNotCompleteTheStream() async throws {
    let (wrote, never) = (Gate(), Gate())
    try await cancelWriter {
      try await $0.write(ItemProvider([1]))
      wrote.open()
      await never.wait()
    } once: {
      await wrote.wait()
    }
  }

  @Test func cancelledTaskDoesNotReadOrWrite() async throws {
    // The gate stays closed, so both tasks pass it only when they are cancelled.
    let never = Gate()
    let pair = try DescriptorPair.pipe()
    let writer = Task {
      await never.wait()
      try await DropStream.withWriter(to: pair.writer) { try await $0.write(ItemProvider([1])) }
    }
    writer.cancel()
    try await requireDropError(.cancelled) { try await writer.value }
    try requireFailure(.senderCancelled, outcome(of: try await readAll(pair.read)))

    let stream = try pipe(holding: SmallStream.bytes)
    let name = try link(of: stream)
    let reader = Task {
      await never.wait()
      return try await outcome(from: .descriptor(stream)).get()
    }
    reader.cancel()
    try await requireDropError(.cancelled) { try await reader.value }
    try expectOpenDescriptors(to: name, 0)
  }

  /// An interrupted frame is completed, or the stream is truncated: it is never corrupt.
  @Test(arguments: [0, 1_500_000], [false, true])
  func interruptedFrameIsCompletedOrTheStreamIsTruncated(_ gathered: Int, isFile: Bool) async throws {
    let directory = try TemporaryDirectory()
    let file = try directory.write(Data(pattern(5 << 20)), to: "file")
    let options = DropStreamOptions.setting { $0.chunkLength = 2 << 20 }
    var codes: [DropStreamError.Code?] = []
    // The sender waits half a second for its reader. A busy machine may need several attempts.
    for _ in 0..<5 where codes.last != .senderCancelled {
      let pair = try DescriptorPair.pipe()
      let task = Task {
        try await DropStream.withWriter(to: pair.writer, options: options) { writer in
          // The item exceeds the pipe's capacity, but the writer buffers it until the next item.
          if gathered > 0 { try await writer.write(ItemProvider(pattern(gathered))) }
          try await writer.write(isFile ? ItemProvider(contentsOf: file) : ItemProvider(pattern(5 << 20)))
        }
      }
      // Neither frame fits into the pipe.
      var count: CInt = 0
      try await wait(for: "a part of the frame") { ioctl(pair.read, UInt(FIONREAD), &count) == 0 && count > 1000 }
      task.cancel()
      let code = try await outcome(from: pair.reader).code
      #expect(code == .senderCancelled || code == .truncated)
      codes.append(code)
      try await requireDropError(.cancelled) { try await task.value }
    }
    #expect(codes.last == .senderCancelled)
  }

  @Test func bothEndsCancelledAtAnyTimeEndIncomplete() async throws {
    var generator = SeededGenerator.announced("cancelling at any moment")
    for _ in 0..<40 {
      let pair = try DescriptorPair.pipe()
      let name = try link(of: pair.read)
      let writer = Task {
        await writing(to: pair.writer) { writer in
          for _ in 0..<200 { try await writer.write(ItemProvider(pattern(50_000))) }
        }
      }
      let reader = Task { try await outcome(from: pair.reader) }
      try await Task.sleep(for: .microseconds(Int.random(in: 0...20_000, using: &generator)))
      let whom = Int.random(in: 0..<3, using: &generator)
      if whom != 0 { writer.cancel() }
      if whom != 1 { reader.cancel() }
      let (written, received) = (await writer.value, try await reader.value)
      switch (written.code, received.code) {
      case (.cancelled, .senderCancelled), (.cancelled, .truncated), (.cancelled, .cancelled), (.cancelled, .empty),
        (.peerGone, .cancelled), (nil, nil),
        // A part of the end frame had been written. Its rest preceded the final frame.
        (.cancelled, .trailingBytes),
        // The writer had finished, but its bytes were still in the pipe.
        (nil, .cancelled):
        break
      case (let here, let there):
        Issue.record("\(String(describing: here)) here, \(String(describing: there)) there")
      }
      if case .failure = written { #expect(received.code != nil) }
      try expectOpenDescriptors(to: name, 0)
    }
  }
}

/// A value with a name of its own and two representations.
private struct LateFlag: Transferable {
  var name = "flag"

  static var transferRepresentation: some TransferRepresentation {
    DataRepresentation<LateFlag>(exportedContentType: .data) { _ in Data([1]) }.suggestedFileName { $0.name }
    DataRepresentation<LateFlag>(exportedContentType: .utf8PlainText) { _ in Data([1]) }
  }
}

/// A value whose import cancels its own load.
private struct WithdrawnFlag: Transferable {
  @TaskLocal static var progress: ItemProgress?

  static var transferRepresentation: some TransferRepresentation {
    DataRepresentation<WithdrawnFlag>(importedContentType: .data) { _ in
      progress?.cancel()
      return WithdrawnFlag()
    }
  }
}
