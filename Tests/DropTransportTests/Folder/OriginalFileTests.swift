// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import Foundation
import ItemTransfer
import TestSupport
import Testing
import UniformTypes

@testable import DropTransport

/// Moves within one file system that do not copy the content.
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct OriginalFileTests {
  private let source: TemporaryDirectory
  private let fixture: FolderFixture
  private let file: URL
  private let content = Data(pattern(300_000))

  init() throws {
    source = try TemporaryDirectory()
    fixture = try FolderFixture()
    file = try source.writeOld(content, to: "a")
    try SystemCalls.changeModeAt(AT_FDCWD, file.path, 0o640)
  }

  private func status(_ url: URL) throws -> FileStatus { try SystemCalls.statusAt(AT_FDCWD, url.path) }

  private func folder(_ path: String? = nil, _ collision: DropFolder.Collision = .refuse) -> DropFolder {
    var folder = DropFolder(path: path ?? fixture.url.path)
    folder.takesOriginalFiles = true
    folder.collision = collision
    return folder
  }

  private func item(allowingOriginal: Bool = true) throws -> ItemProvider {
    let (file, before) = (file, try status(file))
    let item = ItemProvider(suggestedName: "a")
    item.registerFile(.data, size: .exact(before.size)) { _ in
      SentTransferredFile(file, allowAccessingOriginalFile: allowingOriginal)
    }
    item.fileAttributes = ItemFileAttributes(
      permissions: UInt16(before.permissions), modificationTime: before.modificationTime)
    return item
  }

  /// Moves the file.
  ///
  /// The source calls `kept` when it may remove the file, and by default keeps it.
  private func move(
    _ item: ItemProvider? = nil, to folder: DropFolder? = nil, over carrier: SessionCarrierKind = .socketPair,
    action: DropAction = .move, received: @escaping @Sendable () throws -> Void = {},
    kept: @escaping @Sendable () throws -> Void = {}
  ) async throws -> (source: Result<Void, any Error>, receipt: Result<DropFolder.Receipt, any Error>) {
    let (item, destination) = (try item ?? self.item(), folder ?? self.folder())
    let outcome = try await holdSession(over: carrier) { session in
      let receipt = try await session.offer([item], allowing: [.copy, .move])
      if !receipt.keptItems.isEmpty { try kept() }
    } destination: { session -> DropFolder.Receipt in
      for try await drop in session.drops {
        let receipt = try await destination.receive(drop)
        try received()
        try await drop.finish(action, keeping: receipt.keptItems)
        return receipt
      }
      throw TestFailure("no drop")
    }
    return (outcome.source, outcome.destination)
  }

  private func remove() throws { try SystemCalls.unlinkAt(AT_FDCWD, file.path) }

  /// Checks that both names lead to complete files that are independent of each other.
  private func expectTwoFiles(in folder: URL? = nil, sourceLocation: SourceLocation = #_sourceLocation) throws {
    let received = (folder ?? fixture.url).appendingPathComponent("a")
    for url in [received, file] { #expect(try Data(contentsOf: url) == content, sourceLocation: sourceLocation) }
    #expect(try status(received).inode != status(file).inode, sourceLocation: sourceLocation)
    #expect(try status(received).linkCount == 1, sourceLocation: sourceLocation)
  }

  @Test(arguments: [("a", DropFolder.Collision.refuse), ("a", .replace), ("x/y/a", .refuse)])
  func aMovedFileIsTheSameFileWithItsPermissionsAndTime(_ path: String, _ collision: DropFolder.Collision) async throws
  {
    let (before, item) = (try status(file), try item())
    if collision == .replace { try fixture.write("former", to: path) }
    if path != "a" { item.fileAttributes.folder = "x/y" }
    let outcome = try await move(item, to: folder(nil, collision), kept: remove)
    try outcome.source.get()
    #expect(try outcome.receipt.get().files[0].isOriginal)
    let now = try status(fixture.file(path))
    #expect(now.isUnchanged(since: before) && now.permissions == 0o640 && now.linkCount == 1)
    #expect(try fixture.names.count == 1)
  }

  @Test func aFileThatTheSourceKeepsBecomesTwoFiles() async throws {
    let outcome = try await move()
    try outcome.source.get()
    _ = try outcome.receipt.get()
    try expectTwoFiles()
    #expect(try status(fixture.file("a")).permissions == 0o640)
    #expect(try status(fixture.file("a")).modificationTime == status(file).modificationTime)
    try fixture.expect(names: ["a"])
  }

  @Test func aSideThatFailsBeforeTheFileIsRemovedLeavesTwoFiles() async throws {
    await #expect(throws: TestFailure.self) { try await move(kept: { throw TestFailure() }).source.get() }
    try expectTwoFiles()
    try fixture.expect(names: ["a"])
    try FileManager.default.removeItem(at: fixture.file("a"))
    await #expect(throws: TestFailure.self) {
      try await move(received: { throw TestFailure() }, kept: remove).receipt.get()
    }
    try await wait(for: "two files") { try status(fixture.file("a")).inode != status(file).inode }
    try expectTwoFiles()
  }

  enum Reason: CaseIterable {
    case action, source, destination, carrier, secondName, otherTime, otherReceiver
  }

  @Test(arguments: Reason.allCases) func fileThatCannotBeTakenIsCopied(_ reason: Reason) async throws {
    let item = try item(allowingOriginal: reason != .source)
    var folder = folder()
    var links: UInt64 = 1
    let other = try OwnedDescriptor.open(file.path, O_RDONLY)
    switch reason {
    case .action, .source, .carrier: break
    case .destination: folder.takesOriginalFiles = false
    case .secondName:
      try FileManager.default.linkItem(at: file, to: source.file("b"))
      links = 2
    case .otherTime: item.fileAttributes.modificationTime = FileTime(seconds: 1, nanoseconds: 0)
    // Without the lock, both receivers could change the status of the file, which the source would then keep.
    case .otherReceiver: try SystemCalls.lock(other.raw, LOCK_EX | LOCK_NB)
    }
    let before = try status(file)
    let outcome = try await move(
      item, to: folder, over: reason == .carrier ? .pipes : .socketPair, action: reason == .action ? .copy : .move)
    // A file that is linked at first becomes a copy if the action is not a move.
    #expect(try outcome.receipt.get().files[0].isOriginal == (reason == .action))
    try expectTwoFiles()
    let now = try status(file)
    #expect(UInt64(now.linkCount) == links)
    if reason == .otherReceiver { #expect(now.changeTime == before.changeTime) }
    try other.close()
  }

  @Test func aFileWithAnotherSizeIsRefusedByItsSource() async throws {
    let item = try item()
    try Data("shorter".utf8).write(to: file)
    let receipt = try await move(item, kept: remove).receipt.get()
    #expect(try receipt.files.isEmpty && receipt.missing.count == 1 && Data(contentsOf: file) == Data("shorter".utf8))
  }

  /// Tests a case in which the source would otherwise remove the only remaining name.
  @Test func aFileThatReplacesItselfIsCopied() async throws {
    let before = try status(file)
    let receipt = try await move(to: folder(source.url.path, .replace)).receipt.get()
    #expect(try receipt.files[0].isOriginal == false && Data(contentsOf: file) == content)
    #expect(try status(file).inode != before.inode)
  }

  @Test func aFileOfAnotherFileSystemIsCopied() async throws {
    let memory = URL(fileURLWithPath: "/dev/shm/dragpipe-tests-\(UUID().uuidString)", isDirectory: true)
    guard (try? FileManager.default.createDirectory(at: memory, withIntermediateDirectories: false)) != nil else {
      return print("skipped: cannot create a directory in /dev/shm")
    }
    defer { try? FileManager.default.removeItem(at: memory) }
    guard try status(memory).device != status(file).device else { return print("skipped: /dev/shm is no other device") }
    #expect(try await move(to: folder(memory.path)).receipt.get().files[0].isOriginal == false)
    try expectTwoFiles(in: memory)
  }
}
