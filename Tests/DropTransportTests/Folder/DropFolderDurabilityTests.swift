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
  /// Flushing to the disk: the system calls and their order.
  @Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct DropFolderDurabilityTests {
    private let fixture: FolderFixture
    private let root: String

    init() throws {
      fixture = try FolderFixture()
      root = try #require(realpath(fixture.url.path, nil).map { String(cString: $0) })
    }

    /// Records the calls on the folder and on its parent directory, with paths relative to the folder.
    ///
    /// A placeholder replaces the random part of a staging directory's name.
    private func recorded(_ body: () async throws -> Void) async rethrows -> [String] {
      SystemCallRecord.start()
      defer { _ = SystemCallRecord.stop() }
      try await body()
      return SystemCallRecord.stop().compactMap { call in
        let parts = call.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, ["fsync", "rename", "exchange"].contains(parts[0]) else { return nil }
        if parts[1] == root { return "\(parts[0]) ." }
        if root.hasPrefix(parts[1] + "/") { return "\(parts[0]) .." }
        guard parts[1].hasPrefix(root + "/") else { return nil }
        return "\(parts[0]) " + parts[1].dropFirst(root.count + 1).replacing(/\.dragpipe-[a-z0-9]{12}/, with: "STAGING")
      }
    }

    private func items(_ folder: String? = nil) -> [ItemProvider] {
      ["a", "b"].map { name in
        let item = ItemProvider(Data(name.utf8))
        item.suggestedName = name
        item.fileAttributes.folder = folder
        return item
      }
    }

    private func receive(_ items: [ItemProvider], into folder: DropFolder) async throws {
      _ = try await FolderWay.pipe.receive(items, into: folder)
    }

    private func durable(_ folder: DropFolder? = nil, _ change: (inout DropFolder) -> Void = { _ in }) -> DropFolder {
      var folder = folder ?? fixture.folder
      folder.isDurable = true
      change(&folder)
      return folder
    }

    @Test func flushesEveryFileBeforeTheFirstNameAndTheNamesAfterTheLast() async throws {
      for collision in DropFolder.Collision.allCases {
        let calls = try await recorded { try await receive(items(), into: durable { $0.collision = collision }) }
        #expect(calls == ["fsync STAGING/0", "fsync STAGING/1", "rename a", "rename b", "fsync ."], "\(collision)")
        for name in ["a", "b"] { try FileManager.default.removeItem(at: fixture.file(name)) }
      }
      // Without a request, nothing is flushed.
      #expect(try await recorded { try await receive(items(), into: fixture.folder) } == ["rename a", "rename b"])
    }

    @Test func flushesEveryCreatedFolderAndItsParent() async throws {
      let folder = durable(DropFolder(path: fixture.url.path + "/new/")) { $0.isCreatedWhenMissing = true }
      let calls = try await recorded { try await receive(items("x/y"), into: folder) }
      #expect(
        Array(calls.prefix(4)) == [0, 1].map { "fsync new/STAGING/\($0)" } + ["a", "b"].map { "rename new/x/y/\($0)" })
      #expect(calls.dropFirst(4).sorted() == ["fsync .", "fsync new", "fsync new/x", "fsync new/x/y"])
    }

    @Test func flushesEverythingInAFolderBeforeItsName() async throws {
      let source = try FolderFixture()
      try source.makeDirectory("tree/sub")
      try source.write("y", to: "tree/sub/f")
      let item = ItemProvider(contentsOf: source.file("tree"))
      let calls = try await recorded { try await receive([item], into: durable()) }
      #expect(
        calls == ["fsync STAGING/0/sub/f", "fsync STAGING/0/sub", "fsync STAGING/0", "rename tree", "fsync ."])
    }

    @Test func flushesAFileBeforeItReplacesAnother() async throws {
      try fixture.write("old", to: "a")
      let calls = try await recorded { try await receive(items(), into: durable { $0.collision = .replace }) }
      #expect(
        calls.filter { !$0.hasSuffix("/replaced") && $0 != "fsync STAGING" }
          == ["fsync STAGING/0", "fsync STAGING/1", "exchange a", "rename b", "fsync ."])
      try fixture.expect(tree: ["a": "a", "b": "b"])
    }

    @Test func flushesWithPermissionsThatDenyReading() async throws {
      let items = items()
      for item in items { item.fileAttributes = ItemFileAttributes(permissions: 0o200) }
      let folder = durable {
        $0.collision = .replace
        $0.preservesAttributes = true
      }
      try await receive(items, into: folder)
      #expect(try fixture.permissions(fixture.file("a").path) == 0o200)
    }

    @Test func flushesADropFileAndItsNameOnRequest() async throws {
      for isDurable in [false, true] {
        let endpoint = DropEndpoint.file(fixture.file("\(isDurable).drop").path, durable: isDurable)
        let calls = try await recorded {
          try await DropStream.withWriter(to: endpoint) { try await $0.write(ItemProvider(Data("a".utf8))) }
        }
        #expect(calls == (isDurable ? ["fsync STAGING.part", "rename true.drop", "fsync ."] : ["rename false.drop"]))
      }
    }

    /// Replays the calls that reached the disk up to each call.
    ///
    /// The item must be complete at the source or the destination.
    @Test(arguments: SessionCarrierKind.allCases)
    func moveIsOnTheDiskBeforeTheSourceRemovesItsFile(_ carrier: SessionCarrierKind) async throws {
      let source = try TemporaryDirectory()
      let file = try source.write(Data("moved".utf8), to: "a")
      let item = ItemProvider(suggestedName: "a")
      item.registerFile(.data) { _ in SentTransferredFile(file) }
      let (near, far) = try carrier.endpoints()
      let folder = fixture.folder
      let answers = try Self.output(of: far)
      SystemCallRecord.start()
      async let offered = DropStream.withSession(over: near) { session in
        let receipt = try await session.offer([item], allowing: [.copy, .move])
        if receipt.action == .move { try SystemCalls.unlinkAt(DropEndpoint.currentDirectory, file.path) }
      }
      try await DropStream.withSession(over: far) { session in
        for try await drop in session.drops {
          let receipt = try await folder.receive(drop)
          try await drop.finish(.move, keeping: receipt.keptItems)
        }
      }
      try await offered
      let calls = SystemCallRecord.stop()
      #expect(try fixture.content("a") == Array("moved".utf8))

      var (isFlushed, isNamed, isOnDisk, isAcknowledged, isRemoved) = (false, false, false, false, false)
      for call in calls {
        switch call {
        case "unlinkat \(file.path)": isRemoved = true
        case "rename \(root)/a": isNamed = isFlushed
        case "fsync \(root)": isOnDisk = isNamed
        case _ where call.hasPrefix("fsync \(root)/.dragpipe-") && call.hasSuffix("/0"): isFlushed = true
        case _ where answers.contains(call): isAcknowledged = isOnDisk
        default: break
        }
        #expect(!isRemoved || (isOnDisk && isAcknowledged), "\(calls)")
      }
      #expect(isRemoved)
    }

    /// Returns the names that the recording uses for a message from this side of a session.
    private static func output(of endpoint: DropEndpoint) throws -> Set<String> {
      let descriptor: CInt
      switch endpoint.kind {
      case .descriptor(let socket): descriptor = socket
      case .pair(_, let output): descriptor = output
      default: return []
      }
      let target = try link(of: descriptor)
      return ["send \(target)", "write \(target)"]
    }
  }
#endif
