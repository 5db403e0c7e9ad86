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

#if DEBUG
  /// Failures of the kernel to move or copy content, and content that changes meanwhile.
  extension FaultTests {
    /// A transfer of a file that uses `splice` or `copy_file_range`.
    enum Route: CaseIterable {
      case pipe, dropFile, extraction, receive

      var call: String { self == .pipe ? "splice" : "copy_file_range" }

      /// Carries a file into a folder as `long.bin`; calls `begin` before that, with the file that is read.
      func carry(_ file: URL, to folder: FolderFixture, begin: (URL) throws -> Void) async throws {
        let item = ItemProvider(contentsOf: file, contentType: .data)
        let drop = file.deletingLastPathComponent().appendingPathComponent("a.drop")
        if self == .extraction || self == .receive {
          try await DropStream.withWriter(to: .file(drop.path)) { try await $0.write(item) }
        }
        switch self {
        case .pipe:
          let pair = try DescriptorPair.pipe()
          try begin(file)
          async let written = writing(to: pair.writer) { try await $0.write(item) }
          let received = await Result.catching { try await folder.folder.receive(from: pair.reader) }
          try await written.get()
          _ = try received.get()
        case .dropFile:
          try begin(file)
          try await DropStream.withWriter(to: .file(drop.path)) { try await $0.write(item) }
          SystemCallFaults.answer(call, nil)
          _ = try await folder.folder.receive(from: .file(drop.path))
        case .extraction:
          let source = try await DropFile(path: drop.path)
          try begin(drop)
          let target = folder.url.appendingPathComponent("long.bin").path
          _ = try await source.extract(item: 0, representation: 0, to: target)
        case .receive:
          try begin(drop)
          _ = try await folder.folder.receive(from: .file(drop.path))
        }
      }
    }

    /// Makes a file, carries it while `answer` replaces the call of the route, and returns how often it was asked.
    private static func carry(
      _ content: [UInt8], by route: Route, to folder: FolderFixture,
      answer: @escaping @Sendable (_ file: URL, _ call: Int, _ count: Int) throws(SystemError) -> Int
    ) async throws -> (calls: Int, outcome: Result<Void, any Error>) {
      let source = try TemporaryDirectory()
      defer { source.remove() }
      let file = try source.writeOld(Data(content), to: "long.bin")
      let calls = Atomic(0)
      defer { SystemCallFaults.answer(route.call, nil) }
      let outcome = await Result.catching {
        try await route.carry(file, to: folder) { file in
          SystemCallFaults.answer(route.call) { (count) throws(SystemError) in
            try answer(file, calls.add(1, ordering: .relaxed).oldValue, count)
          }
        }
      }
      return (calls.load(ordering: .relaxed), outcome)
    }

    private static let content = pattern(5 << 20 | 77)

    @Test(arguments: Route.allCases, [0, EINVAL, ENOSYS, EOPNOTSUPP, EXDEV, EPERM, EBADF, EIO, ENOSPC])
    func bytesAreReadAndWrittenIfTheKernelCannot(_ route: Route, code: CInt) async throws {
      for first in [0, 2] {
        let folder = try FolderFixture()
        let (calls, outcome) = try await Self.carry(Self.content, by: route, to: folder) {
          (_, call, count) throws(SystemError) in
          if call < first { return count }
          if code != 0 { throw SystemError(code, in: route.call) }
          return 0
        }
        try outcome.get()
        #expect(calls > first)
        #expect(try folder.content("long.bin") == Self.content)
      }
    }

    @Test(arguments: Route.allCases, [1, 4095, 65_537])
    func shortMovesAndCopiesContinue(_ route: Route, length: Int) async throws {
      let folder = try FolderFixture()
      let (calls, outcome) = try await Self.carry(Self.content, by: route, to: folder) {
        (_, call, count) throws(SystemError) in call % 100 == 7 ? 0 : call < 300 ? length : count
      }
      try outcome.get()
      #expect(calls > 10)
      #expect(try folder.content("long.bin") == Self.content)
    }

    @Test(arguments: Route.allCases, [false, true])
    func contentThatChangesMeanwhileIsAnErrorThatNamesTheChange(_ route: Route, isShortened: Bool) async throws {
      let folder = try FolderFixture()
      let (_, outcome) = try await Self.carry(Self.content, by: route, to: folder) {
        (file, call, count) throws(SystemError) in
        guard call == 2 else { return count }
        let bytes = UInt64((try? FileManager.default.attributesOfItem(atPath: file.path)[.size] as? Int) ?? 0)
        guard let handle = try? FileHandle(forUpdating: file) else { return count }
        if isShortened {
          try? handle.truncate(atOffset: bytes / 3)
        } else {
          for offset in stride(from: 1 << 20, to: bytes - 4096, by: 4096) {
            try? handle.seek(toOffset: offset)
            try? handle.write(contentsOf: Data("changed".utf8))
          }
        }
        try? handle.close()
        return count
      }
      let error = try #require(throws: DropStreamError.self) { try outcome.get() }
      switch route {
      case .pipe, .dropFile:
        #expect(error.code == .sourceChanged && error.reason.contains("changed while it was sent"), "\(error)")
      case .extraction, .receive: #expect(error.code == (isShortened ? .truncated : .damaged), "\(error)")
      }
      try folder.expect(names: [])
    }

    /// The receiver of a corrupt chunk waits for the reason.
    @Test func receiverLearnsThatTheFileHasChanged() async throws {
      let source = try TemporaryDirectory()
      defer { source.remove() }
      let file = try source.writeOld(Data(Self.content), to: "long.bin")
      let pair = try DescriptorPair.pipe()
      let calls = Atomic(0)
      defer { SystemCallFaults.answer("splice", nil) }
      SystemCallFaults.answer("splice") { count in
        if calls.add(1, ordering: .relaxed).oldValue == 0, let handle = try? FileHandle(forUpdating: file) {
          try? handle.write(contentsOf: Data("changed".utf8))
          try? handle.close()
        }
        return count
      }
      async let written = writing(to: pair.writer) { try await $0.write(ItemProvider(contentsOf: file)) }
      let failure = try requireFailure(.senderFailed, try await outcome(from: pair.reader)).senderFailure
      #expect(await written.code == .sourceChanged)
      #expect(failure?.reason.hasSuffix("long.bin changed while it was sent: it was written to") == true)
    }

    @Test(arguments: Route.allCases)
    func moveOrCopyEndsWithItsTask(_ route: Route) async throws {
      let folder = try FolderFixture()
      let tasks = Collector<Task<Void, Never>>()
      let calls = Collector<Int>()
      let isKnown = Latch()
      let task = Task {
        await isKnown.wait()
        let carried = try? await Self.carry(Self.content, by: route, to: folder) {
          (_, call, count) throws(SystemError) in
          calls.add(call)
          if call == 2 { tasks.values[0].cancel() }
          // Leaves time to the thread that notices the cancellation.
          if call > 2 { usleep(20_000) }
          return min(count, 4096)
        }
        #expect(throws: (any Error).self) { try carried?.outcome.get() }
      }
      tasks.add(task)
      isKnown.open()
      await task.value
      #expect(calls.values.count < 1000)
      try folder.expect(names: [])
    }
  }

  extension Result where Failure == any Error {
    static func catching(_ body: () async throws -> Success) async -> Result {
      do { return .success(try await body()) } catch { return .failure(error) }
    }
  }
#endif
