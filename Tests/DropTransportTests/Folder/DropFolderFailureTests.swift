// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import Foundation
import TestSupport
import Testing

@testable import DropTransport

/// Failures of a receive.
///
/// After any failure, the folder must have no new file.
@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct DropFolderFailureTests {
  private let fixture: FolderFixture

  init() throws {
    fixture = try FolderFixture()
  }

  private static let stream = StreamBuilder.stream {
    $0.item([1, 2, 3], name: "a")
    $0.item([4, 5], name: "b")
  }

  /// Checks that a receive fails and does not change the folder.
  @discardableResult private func expectFailure(
    _ code: DropStreamError.Code?, of bytes: [UInt8] = Self.stream, into folder: DropFolder? = nil,
    options: DropStreamOptions = DropStreamOptions(), sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> DropStreamError? {
    let before = try fixture.tree
    let error = await #expect(throws: DropStreamError.self, sourceLocation: sourceLocation) {
      try await (folder ?? fixture.folder).receive(from: .descriptor(try pipe(holding: bytes)), options: options)
    }
    let found = "\(bytes.count) bytes: \(error?.description ?? "no error")"
    #expect(code == nil || error?.code == code, "\(found)", sourceLocation: sourceLocation)
    #expect(try fixture.tree == before, "\(found)", sourceLocation: sourceLocation)
    #expect(try fixture.surroundingsAreUntouched, sourceLocation: sourceLocation)
    return error
  }

  @Test func truncatedCorruptOrTooLongStreamLeavesNoFiles() async throws {
    for length in sampled(0..<Self.stream.count, 60, "a stream cut on its way to a folder") {
      try await expectFailure(length == 0 ? .empty : .truncated, of: Array(Self.stream[..<length]))
    }
    for index in stride(from: 0, to: Self.stream.count, by: 3) {
      var damaged = Self.stream
      damaged[index] ^= 0x04
      try await expectFailure(nil, of: damaged)
    }
    try await expectFailure(.trailingBytes, of: Self.stream + Self.stream)
    let options = DropStreamOptions.setting { $0.limits.bytes = 4 }
    try await expectFailure(.limitExceeded, options: options)
    #expect(try await fixture.receive(Self.stream).count == 2)
  }

  @Test func failedSenderLeavesNoFilesAndItsReasonArrives() async throws {
    var builder = StreamBuilder()
    builder.item(name: "a")
    builder.offer(name: "b")
    builder.failure(kind: 1, reason: Array("no more".utf8))
    let error = try await expectFailure(.senderFailed, of: builder.bytes)
    #expect(error?.senderFailure == SenderFailure(kind: .failed, reason: "no more"))
  }

  @Test func cancelledReceiveLeavesNoFiles() async throws {
    let receive = try await StalledReceive(Self.stream, into: fixture, staging: 2)
    receive.task.cancel()
    try await requireDropError(.cancelled) { try await receive.task.value }
    try fixture.expect(names: [])
    _ = try? await receive.truncate()
  }

  @Test(arguments: ["file", "directory", "fifo", "link", "dangling"])
  func existingFileOfThatNameIsKept(_ kind: String) async throws {
    let path = fixture.file("b").path
    let outside = fixture.url.deletingLastPathComponent().appendingPathComponent("canary").path
    switch kind {
    case "file": try fixture.write("old", to: "b")
    case "directory": try fixture.makeDirectory("b")
    case "fifo": try makeFIFO(path)
    case "link": try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: outside)
    default: try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: outside + "-2")
    }
    let error = try await expectFailure(.alreadyExists)
    #expect(error?.reason == "\"b\" is in \(fixture.url.path) already")
    try fixture.expect(names: ["b"])
  }

  @Test func nameTakenBeforeTheEndRollsBackAllFiles() async throws {
    let bytes = StreamBuilder.stream { stream in
      for name in ["a", "b", "c"] { stream.item(name: name) }
    }
    let receive = try await StalledReceive(bytes, into: fixture, staging: 3)
    try fixture.write("late", to: "c")
    try await requireDropError(.alreadyExists) { try await receive.finish() }
    try fixture.expect(tree: ["c": "late"])
  }

  // MARK: The folder

  @Test func unusableFolderIsRefused() async throws {
    try fixture.write("a file", to: "file")
    for path in ["missing", "file", "file/x"].map({ fixture.file($0).path }) + ["", "/proc/self"] {
      let error = try await expectFailure(.destinationUnavailable, into: DropFolder(path: path))
      #expect(error?.errorNumber != nil, "\(path)")
    }
    var folder = DropFolder(path: fixture.file("x/y").path)
    folder.isCreatedWhenMissing = true
    try await expectFailure(.destinationUnavailable, into: folder)
  }

  @Test(.enabled(if: geteuid() != 0, "root may write anywhere")) func readOnlyFolderIsRefused() async throws {
    try FileManager.default.setAttributes([.posixPermissions: 0o500], ofItemAtPath: fixture.url.path)
    try await expectFailure(.destinationUnavailable)
    try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: fixture.url.path)
  }

  @Test func folderRemovedBeforeTheEndLeavesNoFilesElsewhere() async throws {
    let receive = try await StalledReceive(Self.stream, into: fixture, staging: 2)
    try FileManager.default.removeItem(at: fixture.url)
    await #expect(throws: DropStreamError.self) { try await receive.finish() }
    #expect(!FileManager.default.fileExists(atPath: fixture.url.path))
  }
}
