// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import Foundation
import Glibc
import ItemTransfer
import TestSupport
import Testing
import UniformTypes

@testable import DropTransport

/// Moves within one file system that do not copy the content.
@Suite(.serialized, .limited, .timeLimit(.minutes(10))) struct OriginalFileTests {
  private let source: TemporaryDirectory
  private let fixture: FolderFixture
  private let file: URL
  private let content = Data(pattern(300_000))

  init() throws {
    source = try TemporaryDirectory()
    fixture = try FolderFixture()
    file = try source.writeOld(Data(pattern(300_000)), to: "a")
    try SystemCalls.changeModeAt(AT_FDCWD, file.path, 0o640)
  }

  private func status(_ url: URL) throws -> FileStatus { try SystemCalls.statusAt(AT_FDCWD, url.path) }

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

  private func remove() throws { try SystemCalls.unlinkAt(AT_FDCWD, file.path) }

  /// Moves the file, and calls `kept` when the source may remove the file.
  private func move(
    _ item: ItemProvider? = nil, to folder: DropFolder? = nil, over carrier: SessionCarrierKind = .socketPair,
    action: DropAction = .move, received: @escaping @Sendable () throws -> Void = {},
    kept: @escaping @Sendable () throws -> Void
  ) async throws -> (source: Result<Void, any Error>, receipt: Result<DropFolder.Receipt?, any Error>) {
    var taking = folder ?? fixture.folder
    if folder == nil { taking.takesOriginalFiles = true }
    let (item, destination) = (try item ?? self.item(), taking)
    let outcome = try await holdSession(over: carrier) { session in
      let receipt = try await session.offer([item], allowing: [.copy, .move])
      if !receipt.keptItems.isEmpty { try kept() }
    } destination: { session -> DropFolder.Receipt? in
      for try await drop in session.drops {
        let receipt = try await destination.receive(drop)
        try received()
        try await drop.finish(action, keeping: receipt.keptItems)
        return receipt
      }
      return nil
    }
    return (outcome.source, outcome.destination)
  }

  /// Checks that both names lead to complete files that are independent of each other.
  private func expectTwoFiles(in folder: URL? = nil) throws {
    let received = (folder ?? fixture.url).appendingPathComponent("a")
    #expect(try Data(contentsOf: received) == content)
    #expect(try Data(contentsOf: file) == content)
    #expect(try status(received).inode != status(file).inode)
    #expect(try status(received).linkCount == 1)
  }

  private func expectNoLeftovers() throws { #expect(try fixture.names == ["a"]) }

  @Test(arguments: [DropFolder.Collision.refuse, .replace])
  func aMovedFileIsTheSameFileWithItsPermissionsAndTime(_ collision: DropFolder.Collision) async throws {
    let before = try status(file)
    if collision == .replace { try fixture.write("former", to: "a") }
    var folder = fixture.folder
    folder.takesOriginalFiles = true
    folder.collision = collision
    let outcome = try await move(to: folder, kept: remove)
    _ = try outcome.source.get()
    #expect(try #require(try outcome.receipt.get()).files[0].isOriginal)
    let now = try status(fixture.file("a"))
    #expect(now.isUnchanged(since: before))
    #expect(now.permissions == 0o640)
    #expect(now.linkCount == 1)
    try expectNoLeftovers()
  }

  @Test func aMovedFileIsTheSameFileInASubfolder() async throws {
    let before = try status(file)
    let item = try item()
    item.fileAttributes.folder = "x/y"
    let outcome = try await move(item, kept: remove)
    _ = try outcome.source.get()
    _ = try outcome.receipt.get()
    #expect(try status(fixture.file("x/y/a")).isUnchanged(since: before))
  }

  @Test func aFileThatTheSourceKeepsBecomesTwoFiles() async throws {
    let outcome = try await move {}
    _ = try outcome.source.get()
    _ = try outcome.receipt.get()
    try expectTwoFiles()
    #expect(try status(fixture.file("a")).permissions == 0o640)
    #expect(try status(fixture.file("a")).modificationTime == status(file).modificationTime)
    try expectNoLeftovers()
  }

  @Test func aSourceThatDiesBeforeItRemovesTheFileLeavesTwoFiles() async throws {
    struct Death: Error {}
    let outcome = try await move { throw Death() }
    #expect(throws: Death.self) { try outcome.source.get() }
    try expectTwoFiles()
    try expectNoLeftovers()
  }

  @Test func aReceiverThatFailsBeforeItFinishesLeavesTwoFiles() async throws {
    struct Failure: Error {}
    let outcome = try await move(received: { throw Failure() }, kept: remove)
    #expect(throws: Failure.self) { try outcome.receipt.get() }
    #expect(try await eventually { try status(fixture.file("a")).inode != status(file).inode })
    try expectTwoFiles()
  }

  @Test func aCopyIsNeverTheSameFile() async throws {
    let outcome = try await move(action: .copy) {}
    _ = try outcome.receipt.get()
    try expectTwoFiles()
  }

  @Test(arguments: ["folder", "item", "pipes"])
  func originalFileIsMovedOnlyIfBothSidesAllowIt(_ missing: String) async throws {
    let outcome = try await move(
      missing == "item" ? try item(allowingOriginal: false) : nil, to: missing == "folder" ? fixture.folder : nil,
      over: missing == "pipes" ? .pipes : .socketPair
    ) {}
    #expect(try #require(try outcome.receipt.get()).files[0].isOriginal == false)
    try expectTwoFiles()
  }

  @Test func aFileWithTwoNamesIsCopied() async throws {
    try FileManager.default.linkItem(at: file, to: source.file("b"))
    let outcome = try await move {}
    #expect(try #require(try outcome.receipt.get()).files[0].isOriginal == false)
    try expectTwoFiles()
    #expect(try status(file).linkCount == 2)
  }

  /// Without the lock, both receivers could change the status of the file, which the source would then keep.
  @Test func aFileThatAnotherReceiverLinksIsCopied() async throws {
    let before = try status(file)
    let other = try OwnedDescriptor.open(file.path, O_RDONLY)
    try SystemCalls.lock(other.raw, LOCK_EX | LOCK_NB)
    let outcome = try await move {}
    #expect(try #require(try outcome.receipt.get()).files[0].isOriginal == false)
    try expectTwoFiles()
    #expect(try status(file).changeTime == before.changeTime)
    try other.close()
  }

  @Test func aFileWithAnotherTimeIsCopied() async throws {
    let item = try item()
    item.fileAttributes.modificationTime = FileTime(seconds: 1, nanoseconds: 0)
    let outcome = try await move(item) {}
    #expect(try #require(try outcome.receipt.get()).files[0].isOriginal == false)
    try expectTwoFiles()
  }

  @Test func aFileWithAnotherSizeIsRefusedByItsSource() async throws {
    let item = try item()
    try Data("shorter".utf8).write(to: file)
    let outcome = try await move(item, kept: remove)
    let receipt = try #require(try outcome.receipt.get())
    #expect(receipt.files.isEmpty)
    #expect(receipt.missing.count == 1)
    #expect(try Data(contentsOf: file) == Data("shorter".utf8))
  }

  /// Tests a case in which the source would otherwise remove the only remaining name.
  @Test func aFileThatReplacesItselfIsCopied() async throws {
    let before = try status(file)
    var folder = DropFolder(path: source.url.path)
    folder.takesOriginalFiles = true
    folder.collision = .replace
    let outcome = try await move(to: folder) {}
    #expect(try #require(try outcome.receipt.get()).files[0].isOriginal == false)
    #expect(try Data(contentsOf: file) == content)
    #expect(try status(file).inode != before.inode)
  }

  @Test func aFileOfAnotherFileSystemIsCopied() async throws {
    let memory = URL(fileURLWithPath: "/dev/shm/dragpipe-tests-\(UUID().uuidString)", isDirectory: true)
    guard (try? FileManager.default.createDirectory(at: memory, withIntermediateDirectories: false)) != nil else {
      return print("skipped: cannot create a directory in /dev/shm")
    }
    defer { try? FileManager.default.removeItem(at: memory) }
    guard try status(memory).device != status(file).device else { return print("skipped: /dev/shm is no other device") }
    var folder = DropFolder(path: memory.path)
    folder.takesOriginalFiles = true
    let outcome = try await move(to: folder) {}
    #expect(try #require(try outcome.receipt.get()).files[0].isOriginal == false)
    try expectTwoFiles(in: memory)
  }
}
