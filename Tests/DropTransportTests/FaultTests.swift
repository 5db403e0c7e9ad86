// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import Foundation
import ItemTransfer
import TestSupport
import Testing
import UniformTypes

@testable import DropTransport

#if DEBUG
  /// Fault injection.
  ///
  /// In the first transfer the first system call fails, in the second transfer the second call, and so on until a
  /// transfer succeeds.
  ///
  /// After each transfer, either all files exist and are complete, or no file exists.
  ///
  /// These tests count all system calls of the process, so they run without other tests: `DRAGPIPE_FAULT_TESTS=1 swift
  /// test --filter FaultTests`.
  @Suite(
    .limited, .serialized, .timeLimit(minutes: 10),
    .enabled(if: ProcessInfo.processInfo.environment["DRAGPIPE_FAULT_TESTS"] != nil))
  struct FaultTests {
    private static let contents = ["long.bin": pattern(1_200_000), "short.txt": pattern(1000)]

    private static func items(in directory: TemporaryDirectory) throws -> [ItemProvider] {
      try contents.sorted { $0.key < $1.key }.map { name, content in
        ItemProvider(contentsOf: try directory.write(Data(content), to: name), contentType: .data)
      }
    }

    /// The fault that is injected into a transfer.
    private struct Faults {
      let count: Int
      let isLasting: Bool

      func begin() {
        if count >= 0 { SystemCallFaults.arm(after: count, isLasting: isLasting) }
      }

      /// Ends the injection, and returns the calls that failed.
      func end() -> [String] { SystemCallFaults.disarm() }
    }

    /// Repeats a transfer, in which a different system call fails each time.
    ///
    /// - Parameters:
    ///   - isLasting: Whether all later calls fail as well.
    ///   - transfer: A closure that returns whether the transfer succeeded, and the calls that failed.
    /// - Throws: Unexpected errors of the transfer.
    private static func failEveryCall(
      isLasting: Bool, _ transfer: (Faults) async throws -> (isDone: Bool, failed: [String])
    ) async throws {
      // Opens the descriptors that the process opens once, for example for a timer.
      try await Task.sleep(for: .milliseconds(1))
      _ = try await transfer(Faults(count: -1, isLasting: false))
      var before = try openDescriptors()
      var count = 0
      while true {
        let (isDone, failed) = try await transfer(Faults(count: count, isLasting: isLasting))
        let comment = "call \(count), \(failed.first ?? "none")"
        if try await !eventually({ try openDescriptors().subtracting(before).isEmpty }) {
          let left = try openDescriptors().subtracting(before)
          Issue.record("descriptors are left open: \(left), \(comment)")
          before.formUnion(left)
        }
        if failed.isEmpty {
          #expect(isDone, "nothing failed")
          break
        }
        count += 1
      }
      #expect(count > 20)
      print("\(count) calls were made to fail\(isLasting ? ", each with all after it" : "")")
    }

    /// Returns the open descriptors with their targets.
    private static func openDescriptors() throws -> Set<String> {
      let numbers = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
      return Set(numbers.compactMap { number in (try? link(of: CInt(number) ?? -1)).map { "\(number) \($0)" } })
    }

    /// Checks that all names belong to complete files.
    ///
    /// A temporary file may remain only if the call that removes it failed.
    private static func check(
      _ names: Set<String>, _ failed: [String], _ isLasting: Bool, content: (String) throws -> [UInt8]
    ) throws {
      for name in names {
        if name.hasPrefix(".dragpipe-") {
          #expect(isLasting || failed.contains("unlinkat"), "\(name) is left, after \(failed)")
        } else {
          #expect(try content(name) == contents[name], "\(name) is not whole, after \(failed)")
        }
      }
    }

    @Test(arguments: [false, true])
    func folderReceivesAllFilesOrNoneAfterAFailedCall(_ isLasting: Bool) async throws {
      let source = try TemporaryDirectory()
      defer { source.remove() }
      let items = try Self.items(in: source)
      try await Self.failEveryCall(isLasting: isLasting) { faults in
        let fixture = try FolderFixture()
        let folder = fixture.folder { $0.isDurable = true }
        let pair = try DescriptorPair.pipe()
        faults.begin()
        async let written = writing(to: pair.writer) { writer in
          for item in items { try await writer.write(item) }
        }
        let received = await Result.catching { try await folder.receive(from: pair.reader) }
        _ = await written
        let failed = faults.end()
        let names = try fixture.names
        try Self.check(names, failed, isLasting) { try fixture.content($0) }
        #expect(try fixture.surroundingsAreUntouched)
        let isDone = (try? received.get())?.files.count == Self.contents.count
        #expect(!isDone || names.isSuperset(of: Self.contents.keys), "\(failed)")
        #expect(isDone || isLasting || failed.contains("renameat") || !names.contains("short.txt"), "\(failed)")
        return (isDone, failed)
      }
    }

    @Test(arguments: [false, true])
    func dropFileIsCompleteOrAbsentAfterAFailedCall(_ isLasting: Bool) async throws {
      let source = try TemporaryDirectory()
      defer { source.remove() }
      let items = try Self.items(in: source)
      try await Self.failEveryCall(isLasting: isLasting) { faults in
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        let path = directory.file("items.drop").path
        faults.begin()
        let written = await Result.catching {
          try await DropStream.withWriter(to: .file(path, durable: true)) { writer in
            for item in items { try await writer.write(item) }
          }
        }
        let failed = faults.end()
        let isDone = (try? written.get()) != nil
        for name in try FileManager.default.contentsOfDirectory(atPath: directory.url.path) where name != "items.drop" {
          #expect(isLasting || failed.contains("unlinkat"), "\(name) is left, after \(failed)")
        }
        let isThere = FileManager.default.fileExists(atPath: path)
        #expect(isDone == isThere || !failed.isEmpty, "\(failed)")
        if isThere { #expect(try await DropFile.verify(path).itemCount == Self.contents.count) }
        return (isDone, failed)
      }
    }

    @Test func sessionWaitsForItsProgramAfterAFailedCall() async throws {
      _ = ignoringBrokenPipes
      let options = DropStreamOptions.setting { $0.idleTimeout = .seconds(2) }
      try await Self.failEveryCall(isLasting: false) { faults in
        faults.begin()
        // The program echoes its input: a handshake, and then a close.
        let held = await Result.catching {
          try await DropStream.withSession(over: .process(["cat"]), options: options) { _ in }
        }
        let failed = faults.end()
        let isAlone = try await eventually { try Self.hasNoChildren() }
        #expect(isAlone, "\(failed)")
        return ((try? held.get()) != nil, failed)
      }
    }

    @Test(arguments: [false, true])
    func movedFileIsCompleteAfterAFailedCall(_ isSourceKept: Bool) async throws {
      let options = DropStreamOptions.setting { $0.idleTimeout = .seconds(2) }
      try await Self.failEveryCall(isLasting: false) { faults in
        let (source, fixture) = (try TemporaryDirectory(), try FolderFixture())
        let content = Self.contents["long.bin"] ?? []
        let file = try source.write(Data(content), to: "long.bin")
        let item = ItemProvider(suggestedName: "long.bin")
        item.registerFile(.data) { _ in SentTransferredFile(file) }
        let folder = fixture.folder
        let pair = try DescriptorPair.socketPair()
        faults.begin()
        async let offered = Result.catching {
          try await DropStream.withSession(over: .descriptor(pair.read), options: options) { session in
            let receipt = try await session.offer([item], allowing: .move)
            if !isSourceKept, receipt.keptItems == [0] { try FileManager.default.removeItem(at: file) }
          }
        }
        let taken = await Result.catching {
          try await DropStream.withSession(over: .descriptor(pair.write), options: options) { session in
            for try await drop in session.drops {
              let receipt = try await folder.receive(drop)
              try await drop.finish(.move, keeping: receipt.keptItems)
              // A file that the source could not read is reported as missing.
              return receipt.keptItems == [0]
            }
            return false
          }
        }
        let isOffered = (try? await offered.get()) != nil
        let failed = faults.end()
        let places = [file, fixture.file("long.bin")].filter { FileManager.default.fileExists(atPath: $0.path) }
        #expect(!places.isEmpty, "\(failed)")
        for place in places { #expect(try Array(Data(contentsOf: place)) == content, "\(failed)") }
        try Self.check(fixture.names, failed, false) { try fixture.content($0) }
        let isDone = isOffered && (try? taken.get()) == true
        #expect(!isDone || places.count == (isSourceKept ? 2 : 1), "\(failed)")
        return (isDone, failed)
      }
    }

    private static func hasNoChildren() throws -> Bool {
      try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").allSatisfy { thread in
        let children = try? String(contentsOfFile: "/proc/self/task/\(thread)/children", encoding: .utf8)
        return children?.isEmpty ?? true
      }
    }

    @Test(arguments: SessionCarrierKind.allCases)
    func sessionDeliversEverythingOrReportsAnError(_ carrier: SessionCarrierKind) async throws {
      let source = try TemporaryDirectory()
      defer { source.remove() }
      let items = try Self.items(in: source)
      var options = DropStreamOptions()
      options.acceptsUncheckedFiles = true
      // If the final frame of one side is lost, the other side waits at most this long.
      options.idleTimeout = .seconds(2)
      try await Self.failEveryCall(isLasting: false) { [options] faults in
        let (near, far) = try carrier.endpoints()
        faults.begin()
        async let offered = Result.catching {
          try await DropStream.withSession(over: near, options: options) { try await $0.offer(items) }
        }
        let taken = await Result.catching {
          try await DropStream.withSession(over: far, options: options) { session in
            var found: [String: [UInt8]] = [:]
            for try await drop in session.drops {
              for item in drop.items { found[item.suggestedName ?? ""] = Array(try await item.data(for: .data)) }
              try await drop.finish(.copy)
            }
            return found
          }
        }
        let receipt = try? await offered.get()
        let failed = faults.end()
        if let found = try? taken.get(), !found.isEmpty { #expect(found == Self.contents, "\(failed)") }
        if let receipt { #expect(receipt.keptItems == [0, 1], "\(failed)") }
        return (receipt != nil && (try? taken.get()) == Self.contents, failed)
      }
    }

    @Test(arguments: [SessionDescriptor.Kind.sealedMemory, .fileToCopy, .originalFile])
    func passedFileIsNotCorruptAfterAFailedCall(kind: SessionDescriptor.Kind) async throws {
      let content = pattern(1000)
      let check = kind == .sealedMemory ? content.withUnsafeBytes { CRC32C.check($0) } : nil
      let memory = SharedDescriptor(OwnedDescriptor(try SystemCalls.memoryFile("saga")))
      try content.withUnsafeBytes { try SystemCalls.writeAll(memory.raw, $0) }
      try SystemCalls.seal(memory.raw)
      let file = ReceivedDescriptor(SessionDescriptor(kind: kind, byteCount: 1000, check: check), memory)
      var failedCalls: [String] = []
      while true {
        SystemCallFaults.arm(after: failedCalls.count, isLasting: false)
        let code = await failureCode { try await file.content(expecting: 1000) }
        let failed = SystemCallFaults.disarm()
        #expect(code == nil || code == .systemCall, "\(failed)")
        guard let call = failed.first else { break }
        failedCalls.append(call)
      }
      #expect(failedCalls.contains("fcntl"))
    }
  }
#endif
