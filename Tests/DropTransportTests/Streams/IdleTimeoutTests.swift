// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import Foundation
import ItemTransfer
import TestSupport
import Testing
import UniformTypes

@testable import DropTransport

@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct IdleTimeoutTests {
  private func options(_ timeout: Duration) -> DropStreamOptions {
    var options = DropStreamOptions()
    options.idleTimeout = timeout
    return options
  }

  @Test("a sender that stalls before the first byte or within a frame times out", arguments: [0, 1, 16, 100])
  func stalledSenderTimesOut(_ count: Int) async throws {
    for pair in [try DescriptorPair.pipe(), try .socketPair()] {
      try SmallStream.bytes[..<count].withUnsafeBytes { try SystemCalls.writeAll(pair.write, $0) }
      let start = ContinuousClock.now
      let error = try requireFailure(
        .timedOut, try await outcome(from: pair.reader, options: options(.milliseconds(200))))
      #expect(error.reason == "no byte was transferred within 0.2 seconds")
      #expect(ContinuousClock.now - start >= .milliseconds(200))
      try SystemCalls.close(pair.write)
    }
  }

  @Test("a sender that keeps the connection open after the end times out too")
  func senderThatStaysConnectedAfterTheEndTimesOut() async throws {
    let pair = try DescriptorPair.pipe()
    try SmallStream.bytes.withUnsafeBytes { try SystemCalls.writeAll(pair.write, $0) }
    try requireFailure(.timedOut, try await outcome(from: pair.reader, options: options(.milliseconds(100))))
    try SystemCalls.close(pair.write)
  }

  @Test("a FIFO without a writer times out, and is not an empty stream")
  func fifoWithoutAWriterTimesOut() async throws {
    let directory = try TemporaryDirectory()
    let path = directory.file("fifo").path
    #expect(mkfifo(path, 0o600) == 0)
    try requireFailure(.timedOut, try await outcome(from: .file(path), options: options(.milliseconds(100))))
  }

  @Test("a slow sender that never stalls is read to the end")
  func slowSenderIsReadToTheEnd() async throws {
    let pair = try DescriptorPair.pipe()
    async let received = outcome(from: pair.reader, options: options(.seconds(5)))
    try await onThread {
      let bytes = SmallStream.bytes
      for start in stride(from: 0, to: bytes.count, by: 20) {
        usleep(300_000)
        let piece = bytes[start..<min(start + 20, bytes.count)]
        try piece.withUnsafeBytes { try SystemCalls.writeAll(pair.write, $0) }
      }
      try SystemCalls.close(pair.write)
    }
    #expect(try await received == SmallStream.items)
  }

  @Test("a receiver that stalls or never starts times out")
  func stalledReceiverTimesOut() async throws {
    for pair in [try DescriptorPair.pipe(), try .socketPair()] {
      let written = await writing(to: pair.writer, options(.milliseconds(200))) {
        try await $0.write(ItemProvider(pattern(8 << 20)))
      }
      #expect(written.code == .timedOut)
      try requireFailure(.truncated, outcome(of: try await readAll(pair.read)))
    }
  }

  @Test("a source file that stalls times out, and is named in the error")
  func stalledSourceFileTimesOutAndIsNamed() async throws {
    let directory = try TemporaryDirectory()
    let path = directory.file("fifo").path
    #expect(mkfifo(path, 0o600) == 0)
    let writer = try SystemCalls.open(path, O_RDWR)
    let pair = try DescriptorPair.pipe()
    let written = await writing(to: pair.writer, options(.milliseconds(100))) { writer in
      let provider = ItemProvider()
      provider.registerFile(.data) { _ in SentTransferredFile(URL(fileURLWithPath: path)) }
      try await writer.write(provider)
    }
    let error = try #require(throws: DropStreamError.self) { try written.get() }
    #expect(error.code == .representationFailed)
    #expect((error.underlyingError as? DropStreamError)?.code == .timedOut)
    #expect(error.reason == "\(path): no byte was transferred within 0.1 seconds")
    try SystemCalls.close(writer)
    try SystemCalls.close(pair.read)
  }

  @Test("the time of a loader is not idle time of the stream")
  func timeOfALoaderIsNotIdleTime() async throws {
    let impatient = options(.milliseconds(100))
    let (written, received) = try await Carrier.pipe.carry(options: impatient, reading: .init()) { writer in
      let provider = ItemProvider()
      provider.register(.data) { _ in
        try await Task.sleep(for: .milliseconds(400))
        return Data([1])
      }
      try await writer.write(provider)
    }
    try written.get()
    #expect(received == [ReceivedItem(nil, ["public.data": [1]])])
  }
}
