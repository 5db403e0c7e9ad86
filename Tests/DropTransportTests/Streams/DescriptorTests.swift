// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import Foundation
import ItemTransfer
import TestSupport
import Testing
import UniformTypes

@testable import DropTransport

@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct DescriptorTests {
  @Test(arguments: [false, true]) func scopesCloseBothEnds(_ isThrowing: Bool) async throws {
    for pair in [try DescriptorPair.pipe(), try .socketPair()] {
      let names = (try link(of: pair.read), try link(of: pair.write))
      _ = await writing(to: pair.writer) { writer in
        try await writer.write(ItemProvider([1]))
        if isThrowing { throw TestFailure() }
      }
      // Both ends of a pipe have the same link target.
      try expectOpenDescriptors(to: names.1, (names.0 == names.1 ? 1 : 0))
      try await expectCode(isThrowing ? .senderFailed : nil, outcome(from: pair.reader))
      try expectOpenDescriptors(to: names.0, 0)
    }
  }

  @Test(arguments: [("/dev/null", true), ("/dev/zero", true), ("/dev/full", true), ("/dev/ptmx", false)])
  func onlyMemoryDevicesAreWrittenLikeFiles(_ path: String, _ isReady: Bool) throws {
    let status = try SystemCalls.statusAt(DropEndpoint.currentDirectory, path)
    #expect(status.kind == .characterDevice && status.neverWaits == isReady)
    let descriptor = try StreamDescriptor(
      .open(path, O_RDWR | O_NOCTTY), access: O_RDWR, interrupt: Interrupt(), idleTimeout: nil)
    let isFile = descriptor.mode == .file
    #expect(isFile == isReady)
  }

  @Test(arguments: [0, 2 << 20]) func pipeIsWidenedAndAWiderPipeKeepsItsSize(_ before: CInt) throws {
    // Swift's module of the C library lacks these constants.
    let (setsPipeSize, getsPipeSize): (CInt, CInt) = (1031, 1032)
    for (end, access) in [(\DescriptorPair.read, O_RDONLY), (\.write, O_WRONLY)] {
      let pair = try DescriptorPair.pipe()
      // Not every user may exceed 1 MiB.
      if before > 0 { _ = try? SystemCalls.control(pair.write, setsPipeSize, before) }
      let former = try SystemCalls.control(pair.write, getsPipeSize)
      let descriptor = try StreamDescriptor(
        OwnedDescriptor(try SystemCalls.duplicate(pair[keyPath: end])), access: access, interrupt: Interrupt(),
        idleTimeout: nil)
      let size = try SystemCalls.control(descriptor.raw, getsPipeSize)
      #expect(size == max(former, 1 << 20))
      try SystemCalls.close(pair.read)
      try SystemCalls.close(pair.write)
    }
  }

  @Test func abandonedReaderKeepsNoDescriptorOpen() async throws {
    let pair = try DescriptorPair.pipe()
    let name = try link(of: pair.read)
    try pair.send(SmallStream.bytes)
    let leaked = try await DropStream.withReader(from: pair.reader) { reader in
      for try await _ in reader { break }
      return reader
    }
    // Only the descriptor of the test itself is open.
    try expectOpenDescriptors(to: name, 1)
    try SystemCalls.close(pair.write)
    try await requireDropError(.closed) { for try await _ in leaked {} }
  }

  @Test func escapedInspectorKeepsNoDescriptorOpenAndRepeatsItsEnd() async throws {
    let stream = try pipe(holding: SmallStream.bytes)
    let name = try link(of: stream)
    let leaked = try await DropStream.withInspector(from: .descriptor(stream)) { inspector in
      for try await _ in inspector {}
      return inspector
    }
    try expectOpenDescriptors(to: name, 0)
    for try await _ in leaked { Issue.record("an item behind the end") }
  }

  @Test func endpointThatCannotBeOpenedIsReportedByName() async throws {
    let directory = try TemporaryDirectory()
    let missing = directory.file("missing").path
    let error = try await requireDropError(.sourceUnavailable) {
      try await DropStream.withReader(from: .file(missing)) { _ in Issue.record("the body ran") }
    }
    #expect(error.description == "cannot open \(missing): No such file or directory" && error.errorNumber == ENOENT)
    for endpoint in [DropEndpoint.file(missing + "/a.drop"), .descriptor(-1)] {
      #expect(await writing(to: endpoint) { _ in Issue.record("the body ran") }.code == .destinationUnavailable)
    }
    for endpoint in [DropEndpoint.descriptor(-1), .file(directory.url.path)] {
      try requireFailure(.sourceUnavailable, try await outcome(from: endpoint))
    }
  }

  @Test func descriptionsOfEndpointsAreEscaped() {
    let endpoints = [DropEndpoint.standardInput, .standardOutput, .descriptor(7), .file("a\u{1B}b")]
    #expect(endpoints.map { "\($0)" } == ["standard input", "standard output", "descriptor 7", #"a\u{1b}b"#])
  }

  @Test(arguments: [false, true]) func sharedDescriptorKeepsItsBlockingMode(_ isNonBlocking: Bool) async throws {
    for var pair in [try DescriptorPair.pipe(), try .socketPair()] {
      if isNonBlocking { pair = try pair.nonBlocking() }
      let shared = try SystemCalls.control(pair.write, F_DUPFD_CLOEXEC, 3)
      let before = try SystemCalls.control(shared, F_GETFL)
      let flags = Collector<CInt>()
      _ = await writing(to: pair.writer) { writer in
        try await writer.write(ItemProvider([1]))
        flags.add(try SystemCalls.control(shared, F_GETFL))
      }
      flags.add(try SystemCalls.control(shared, F_GETFL))
      #expect(flags.values == [before, before])
      try SystemCalls.close(shared)
      try await expectCode(nil, outcome(from: pair.reader))
    }
  }
}

@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct IdleTimeoutTests {
  private func options(_ timeout: Duration) -> DropStreamOptions { .setting { $0.idleTimeout = timeout } }

  /// The sender stalls before the first byte, within a frame, or after the end without closing its descriptor.
  @Test(arguments: [0, 1, 16, 100, SmallStream.bytes.count]) func stalledSenderTimesOut(_ count: Int) async throws {
    for pair in [try DescriptorPair.pipe(), try .socketPair()] {
      try pair.send(SmallStream.bytes[..<count])
      let start = ContinuousClock.now
      let error = try requireFailure(
        .timedOut, try await outcome(from: pair.reader, options: options(.milliseconds(50))))
      #expect(error.reason == "no byte was transferred within 0.05 seconds")
      #expect(ContinuousClock.now - start >= .milliseconds(50))
      try SystemCalls.close(pair.write)
    }
  }

  /// It is not an empty stream.
  @Test func fifoWithoutAWriterTimesOut() async throws {
    let directory = try TemporaryDirectory()
    let path = directory.file("fifo").path
    try makeFIFO(path)
    try requireFailure(.timedOut, try await outcome(from: .file(path), options: options(.milliseconds(50))))
  }

  @Test func eachByteRestartsTheTimeout() async throws {
    let limit = Duration.milliseconds(300)
    // On a busy machine the sender may stall for longer than the limit. Then the stream rightly times out.
    try await wait(for: "a sender that never stalls") {
      let pair = try DescriptorPair.pipe()
      let start = ContinuousClock.now
      async let received = outcome(from: pair.reader, options: options(limit))
      let longest = try await onThread {
        var (longest, last) = (Duration.zero, start)
        for offset in stride(from: 0, to: SmallStream.bytes.count, by: 20) {
          usleep(25_000)
          // The reader waits no longer than from before a write until after the next.
          let before = ContinuousClock.now
          try? pair.send(SmallStream.bytes[offset...].prefix(20))
          longest = max(longest, .now - last)
          last = before
        }
        try SystemCalls.close(pair.write)
        return max(longest, .now - last)
      }
      #expect(ContinuousClock.now - start > limit)
      let isComplete = try await received == SmallStream.items
      #expect(isComplete || longest > limit)
      return isComplete
    }
  }

  @Test func stalledReceiverTimesOut() async throws {
    for pair in [try DescriptorPair.pipe(), try .socketPair()] {
      let written = await writing(to: pair.writer, options(.milliseconds(50))) {
        try await $0.write(ItemProvider(pattern(2 << 20)))
      }
      #expect(written.code == .timedOut)
      try requireFailure(.truncated, outcome(of: try await readAll(pair.read)))
    }
  }

  @Test func stalledSourceFileTimesOutAndIsNamed() async throws {
    let directory = try TemporaryDirectory()
    let file = directory.file("fifo")
    try makeFIFO(file.path)
    let writer = try OwnedDescriptor.open(file.path, O_RDWR)
    let pair = try DescriptorPair.pipe()
    let written = await writing(to: pair.writer, options(.milliseconds(50))) {
      try await $0.write(ItemProvider(file: file, promising: nil))
    }
    withExtendedLifetime(writer) {}
    let reason = "\(file.path): no byte was transferred within 0.05 seconds"
    let error = try await requireDropError(.representationFailed, reason: reason) { try written.get() }
    #expect((error.underlyingError as? DropStreamError)?.code == .timedOut)
    try SystemCalls.close(pair.read)
  }

  @Test func timeOfALoaderIsNotIdleTime() async throws {
    let (written, received) = try await Carrier.pipe.carry(options: options(.milliseconds(20)), reading: .init()) {
      let provider = ItemProvider(loading: .data) { _ in
        try await Task.sleep(for: .milliseconds(80))
        return Data([1])
      }
      try await $0.write(provider)
    }
    try written.get()
    expectItems([ReceivedItem(nil, ["public.data": [1]])], received)
  }
}

@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct ChunkSourceTests {
  @Test func fileAndPipeAreReadInChunksToTheirEnd() async throws {
    let directory = try TemporaryDirectory()
    for count in [0, 1, 131_072, 500_000] {
      let file = try directory.write(Data(pattern(count)), to: "\(count)")
      for endpoint in [DropEndpoint.file(file.path), .descriptor(try pipe(holding: pattern(count)))] {
        let source = try ChunkSource(endpoint)
        var all = Data()
        while let chunk = try await source.next() {
          #expect(!chunk.isEmpty)
          all += chunk
        }
        #expect(all == Data(pattern(count)))
        #expect(try await source.next() == nil)
      }
    }
  }

  @Test func peekedBytesStayUnread() async throws {
    let directory = try TemporaryDirectory()
    let file = try directory.write(Data(pattern(9)), to: "file")
    let (pipe, sockets) = (try DescriptorPair.pipe(), try DescriptorPair.socketPair().nonBlocking())
    for pair in [pipe, sockets] {
      try pair.send(pattern(9))
      try SystemCalls.close(pair.write)
    }
    for endpoint in [DropEndpoint.file(file.path), pipe.reader, sockets.reader] {
      let source = try ChunkSource(endpoint)
      for count in [4, 9, 64 << 10] {
        #expect(try await source.peek(atMost: count) == Array(pattern(9).prefix(count)), "\(endpoint)")
      }
      #expect(try await source.next() == Data(pattern(9)))
      #expect(try await source.peek(atMost: 9) == [])
    }
    #expect(try await ChunkSource(.file("/dev/zero")).peek(atMost: 9) == [])
  }

  @Test func waitingPeekTimesOutAndIsCancelledWithItsTask() async throws {
    let pairs = [try DescriptorPair.pipe(), try DescriptorPair.pipe()]
    let impatient = try ChunkSource(pairs[0].reader, idleTimeout: .milliseconds(50))
    try await requireDropError(.timedOut) { try await impatient.peek(atMost: 9) }
    let source = try ChunkSource(pairs[1].reader)
    let task = Task { try await source.peek(atMost: 9) }
    task.cancel()
    try await requireDropError(.cancelled) { try await task.value }
    for pair in pairs { try SystemCalls.close(pair.write) }
  }

  @Test(arguments: ["/nowhere/at/all", "/"])
  func missingSourceAndDirectoryCannotBeOpened(_ path: String) async throws {
    let error = try await requireDropError(.sourceUnavailable) { _ = try ChunkSource(.file(path)) }
    #expect(error.errorNumber == (path == "/" ? EISDIR : ENOENT))
  }

  @Test func idleReadTimesOutAndTheNextReadContinues() async throws {
    let pair = try DescriptorPair.pipe()
    let source = try ChunkSource(pair.reader, idleTimeout: .milliseconds(100))
    try await requireDropError(.timedOut) { try await source.next() }
    try [UInt8](pattern(3)).withUnsafeBytes { try SystemCalls.writeAll(pair.write, $0) }
    #expect(try await source.next() == Data(pattern(3)))
    try SystemCalls.close(pair.write)
    #expect(try await source.next() == nil)
  }

  @Test func waitingReadIsCancelledWithItsTask() async throws {
    let pair = try DescriptorPair.pipe()
    let source = try ChunkSource(pair.reader)
    let task = Task { try await source.next() }
    try await Task.sleep(for: .milliseconds(30))
    task.cancel()
    try await requireDropError(.cancelled) { try await task.value }
    try SystemCalls.close(pair.write)
  }
}
