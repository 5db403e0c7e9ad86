// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import Foundation
import ItemTransfer
import TestSupport
import Testing
import UniformTypes

@testable import DropTransport

/// Tests of state that the complete process shares.
///
/// Each test runs in its own process.
@Suite(.serialized, .limited, .timeLimit(minutes: 10)) struct ProcessTests {
  @Test func everyEndingClosesAllDescriptors() async {
    await #expect(processExitsWith: .success) {
      // Opens the descriptors that a process opens only once, for example for random numbers.
      try await runEveryEnding()
      let before = try openDescriptorCount()
      for _ in 0..<5 { try await runEveryEnding() }
      // A descriptor of the first round may have closed after it was counted.
      try await wait(for: "the end of all descriptors") { try openDescriptorCount() <= before }
    }
  }

  @Test func nothingPrintedLaterFollowsTheStreamOnStandardOutput() async {
    await #expect(processExitsWith: .success) {
      let pair = try DescriptorPair.pipe()
      try SystemCalls.duplicate(pair.write, onto: STDOUT_FILENO)
      try SystemCalls.close(pair.write)
      try SystemCalls.duplicate(pair.read, onto: STDIN_FILENO)
      try SystemCalls.close(pair.read)
      try await DropStream.withWriter(to: .standardOutput) { try await $0.write(ItemProvider([1, 2])) }
      print("printed later")
      fflush(nil)
      try await expectItems([ReceivedItem(nil, ["public.data": [1, 2]])], outcome(from: .standardInput))
      // Standard input must still be open, at its end.
      #expect(try readSome(STDIN_FILENO) == [])
    }
  }

  @Test(arguments: [0, 0o022, 0o077, 0o027] as [mode_t])
  func filesGetPermissionsAccordingToTheUmask(_ mask: mode_t) async {
    await #expect(processExitsWith: .success) { [mask = mask as mode_t] in
      let fixture = try FolderFixture()
      umask(mask)
      _ = try await fixture.receive(StreamBuilder.stream { $0.item(name: "a") })
      #expect(try fixture.permissions(fixture.file("a").path) == 0o666 & ~mask)
    }
  }

  @Test func receiverWithTooFewDescriptorsReportsAnError() async {
    await #expect(processExitsWith: .success) {
      let fixture = try FolderFixture()
      let bytes = StreamBuilder.stream { $0.item(name: "a") }
      _ = try await FolderFixture().receive(bytes)
      var failures = 0
      for extra in 0..<40 as Range<CInt> {
        let stream = try pipe(holding: bytes)
        let firstFree = try SystemCalls.control(STDERR_FILENO, F_DUPFD_CLOEXEC, 3)
        try SystemCalls.close(firstFree)
        let received: DropFolder.Receipt?
        do {
          try limitDescriptors(to: rlim_t(firstFree + extra))
          defer { try? limitDescriptors(to: 1024) }
          received = try await fixture.folder.receive(from: .descriptor(stream))
        } catch let error as DropStreamError {
          #expect(error.errorNumber == EMFILE, "\(error)")
          received = nil
        }
        if received != nil { break }
        failures += 1
        try fixture.expect(names: [], "after \(extra) more")
      }
      #expect(failures > 2, "\(failures)")
      try fixture.expect(names: ["a"])
    }
  }

  @Test func fileWithoutAFreeDescriptorFailsAlone() async {
    await #expect(processExitsWith: .success) {
      let pair = try DescriptorPair.socketPair()
      let peer = RawPeer(pair.write)
      let file = SharedDescriptor(OwnedDescriptor(try SystemCalls.memoryFile("test")))
      try pattern(100).withUnsafeBytes { try SystemCalls.writeAll(file.raw, $0) }
      let session = Task {
        try await DropStream.withSession(over: .descriptor(pair.read)) { session in
          var drops = session.drops.makeAsyncIterator()
          let drop = try #require(try await drops.next())
          let error = await #expect(throws: ItemProviderError.self) {
            try await drop.items[0].withInPlaceFile(for: .plainText) { _ in }
          }
          let cause = error?.underlyingError as? DropStreamError
          #expect(cause?.code == .systemCall && cause?.errorNumber == EMFILE, "\(error?.description ?? "no error")")
          try limitDescriptors(to: 1024)
          try await drop.items[0].expect(Data(pattern(50)), for: .plainText)
        }
      }
      let offer = DropOffer(
        suggestedName: nil, representations: [DropOffer.Representation(typeIdentifier: "public.plain-text")])
      try await peer.say(
        .hello(SessionHello(features: .descriptors)), .offer(offer, generation: 1),
        .endOfOffers(generation: 1, itemCount: 1, actions: .copy))
      try await peer.waitForRequest()
      let description = SessionDescriptor(kind: .originalFile, byteCount: 100, check: nil)
      let bytes = peer.bytes([.descriptor(number: 1, description, file)])
      let firstFree = try SystemCalls.control(STDERR_FILENO, F_DUPFD_CLOEXEC, 3)
      try SystemCalls.close(firstFree)
      try limitDescriptors(to: rlim_t(firstFree))
      #expect(try bytes.withUnsafeBytes { try SystemCalls.send(pair.write, $0, with: file.raw) } == bytes.count)
      try await peer.waitForRequest(2)
      try await peer.say(pattern(50).withUnsafeBytes { .data(number: 2, $0, isWhole: true) })
      try await session.value
      try SystemCalls.close(pair.write)
    }
  }

  @Test func fileSizeLimitIsReportedAndNoFileStays() async {
    await #expect(processExitsWith: .success) {
      signal(SIGXFSZ, SIG_IGN)
      var limit = rlimit(rlim_cur: 10_000, rlim_max: 10_000)
      setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
      let fixture = try FolderFixture()
      let bytes = StreamBuilder.stream {
        $0.item(name: "a")
        $0.item(pattern(20_000), name: "b")
      }
      try await requireDropError(.systemCall, reason: "cannot write b: File too large") {
        try await fixture.receive(bytes)
      }
      try fixture.expect(names: [])

      let options = DropStreamOptions.setting { $0.limits.bytesInMemory = 100 }
      try requireFailure(.systemCall, try await pipeOutcome(of: bytes, options: options))
    }
  }
}

private func limitDescriptors(to count: rlim_t) throws {
  var limit = rlimit(rlim_cur: count, rlim_max: 4096)
  guard setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else {
    throw SystemError(errno, in: "setrlimit")
  }
}

/// Runs transfers of every kind and with every ending one after another.
private func runEveryEnding() async throws {
  var options = DropStreamOptions()
  options.limits.bytesInMemory = 1000
  options.idleTimeout = .milliseconds(20)
  for carrier in Carrier.allCases {
    let unlimited = DropStreamOptions()
    let (written, received) = try await carrier.carry(options: unlimited) { writer in
      try await writer.write(ItemProvider(pattern(300_000)))
    }
    #expect(written.code == nil && received.code == nil)
    _ = try await carrier.carry(options: unlimited) { _ in throw TestFailure() }
  }
  for count in [0, 1, 20, 200, SmallStream.bytes.count] {
    _ = try await pipeOutcome(of: Array(SmallStream.bytes[..<count]), options: options)
    let fixture = try FolderFixture()
    _ = try? await fixture.receive(Array(SmallStream.bytes[..<count]), options: options)
    let stalled = try DescriptorPair.pipe()
    try SmallStream.bytes[..<count].withUnsafeBytes { try SystemCalls.writeAll(stalled.write, $0) }
    _ = try await outcome(from: stalled.reader, options: options)
    try SystemCalls.close(stalled.write)
  }
  let blocked = try DescriptorPair.pipe()
  _ = await writing(to: blocked.writer, options) { try await $0.write(ItemProvider(pattern(4 << 20))) }
  _ = try await outcome(from: blocked.reader, options: options)
  let cancelled = try DescriptorPair.pipe()
  let task = Task { try await outcome(from: cancelled.reader) }
  try await Task.sleep(for: .milliseconds(10))
  task.cancel()
  _ = try await task.value
  try SystemCalls.close(cancelled.write)
  _ = try? await outcome(from: .file("/nowhere/at/all"))
  _ = await writing(to: .file("/nowhere/at/all")) { _ in }
  _ = try? await DropFolder(path: "/nowhere").receive(from: .descriptor(try pipe(holding: SmallStream.bytes)))
}
