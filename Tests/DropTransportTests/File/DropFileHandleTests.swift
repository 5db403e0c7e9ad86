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

/// Reads of a file that may wait for the disk, and reads that may not.
@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct DropFileHandleTests {
  private let directory: TemporaryDirectory
  private let path: String
  private let content = pattern(600_000)

  init() throws {
    directory = try TemporaryDirectory()
    path = try directory.write(Data(content), to: "a.drop").path
  }

  private static let longestAtOnce = 256 << 10

  @Test(arguments: [0, 1, 4095, 300_000, 600_000 - longestAtOnce])
  func readsWithoutWaitingReturnTheSameBytes(offset: Int) throws {
    let handle = try DropFileHandle(path)
    let wanted = try handle.bytes(at: UInt64(offset), count: Self.longestAtOnce)
    #expect(wanted == Array(content[offset..<offset + Self.longestAtOnce]))
    // Some file systems do not support reads that must not wait.
    if let found = try? handle.waiting(false).bytes(at: UInt64(offset), count: Self.longestAtOnce) {
      #expect(found == wanted)
    }
  }

  @Test func longReadsRunOnAThreadThatMayBlock() throws {
    let handle = try DropFileHandle(path)
    #expect(throws: DropStreamError.self) {
      try handle.waiting(false).bytes(at: 0, count: Self.longestAtOnce + 1)
    }
    #expect(try handle.bytes(at: 0, count: Self.longestAtOnce + 1).count == Self.longestAtOnce + 1)
  }

  @Test func statusWithoutWaitingEqualsTheStatusOfTheSystem() throws {
    let file = try OwnedDescriptor.open(path, O_RDONLY)
    let status = try SystemCalls.status(file.raw)
    #expect(status.size == 600_000)
    // Some file systems without a disk do not support this call.
    if let found = try? SystemCalls.statusAtOnce(file.raw) { #expect(found == status) }
    let device = try OwnedDescriptor.open("/dev/null", O_RDONLY)
    #expect(throws: SystemError.self) { try SystemCalls.statusAtOnce(device.raw) }
  }

  @Test func opensOnlyRegularFilesForReading() throws {
    let fifo = directory.file("fifo").path
    try makeFIFO(fifo)
    for (path, isOther) in [
      (fifo, true), ("/dev/null", true), (directory.file("missing").path, false), (directory.url.path, false),
    ] {
      for waits in [true, false] {
        let error = #expect(throws: DropStreamError.self, "\(path)") { try DropFileHandle(path, waits: waits) }
        guard isOther, waits else { continue }
        let reason = "cannot open \(path): it is not a regular file, and only such a file has random access"
        #expect(error?.code == .sourceUnavailable && error?.description == reason)
      }
    }
  }

  @Test func failedAttemptIsRepeatedAndOnlyTheSecondErrorIsReported() async throws {
    var handle = try DropFileHandle(path)
    handle.readsAtOnce = true
    let attempts = Atomic(0)
    let once = try await handle.read { _ throws(DropStreamError) in attempts.add(1, ordering: .relaxed).newValue }
    #expect(once == 1 && attempts.load(ordering: .relaxed) == 1)
    let twice = try await handle.read { _ throws(DropStreamError) in
      let number = attempts.add(1, ordering: .relaxed).newValue
      if number == 2 { throw DropStreamError(.damaged, "attempt 2") }
      return number
    }
    #expect(twice == 3)
    let error = await #expect(throws: DropStreamError.self) {
      try await handle.read { _ throws(DropStreamError) -> Int in
        throw DropStreamError(.damaged, "attempt \(attempts.add(1, ordering: .relaxed).newValue)")
      }
    }
    #expect(error?.description.contains("attempt 5") == true)
  }

  @Test func blockingThreadReadsTheSameItems() async throws {
    let path = directory.file("b.drop").path
    let item = ItemProvider(named: "saga", loading: .data) { [content] _ in Data(content.prefix(1000)) }
    try await DropStream.withWriter(to: .file(path)) { try await $0.write(item) }
    let file = try await DropFile.openByThread(path)
    #expect(!file.readsAtOnce)
    try await file.item(at: 0).expect(Data(content.prefix(1000)))
    let handle = try DropFileHandle(path)
    let isPossible = (try? handle.waiting(false).bytes(at: 0, count: 8)) != nil
    #expect(!handle.readsAtOnce && handle.readingAtOnceIfPossible().readsAtOnce == isPossible)
    let again = try await DropFile(path: path)
    #expect(again.readsAtOnce == isPossible)
    try await again.item(at: 0).expect(Data(content.prefix(1000)))
  }
}
