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

  @Test("a stream truncated at any byte leaves no file")
  func truncatedStreamLeavesNoFiles() async throws {
    for length in sampled(0..<Self.stream.count, 60, "a stream cut on its way to a folder") {
      try await requireDropError(length == 0 ? .empty : .truncated) {
        try await fixture.receive(Array(Self.stream[..<length]))
      }
      #expect(try fixture.names == [], "cut at \(length)")
    }
    #expect(try await fixture.receive(Self.stream).count == 2)
  }

  @Test("a corrupt stream leaves no file")
  func corruptStreamLeavesNoFiles() async throws {
    for index in stride(from: 0, to: Self.stream.count, by: 3) {
      var damaged = Self.stream
      damaged[index] ^= 0x04
      await #expect(throws: DropStreamError.self, "byte \(index)") { try await fixture.receive(damaged) }
      #expect(try fixture.names == [], "byte \(index)")
    }
  }

  @Test("bytes after the end of the stream leave no file")
  func bytesAfterTheEndLeaveNoFiles() async throws {
    try await requireDropError(.trailingBytes) { try await fixture.receive(Self.stream + Self.stream) }
    #expect(try fixture.names == [])
  }

  @Test("a sender that fails leaves no files, and its reason arrives")
  func failedSenderLeavesNoFilesAndItsReasonArrives() async throws {
    var builder = StreamBuilder()
    builder.item(name: "a")
    builder.offer(name: "b")
    builder.failure(kind: 1, reason: Array("no more".utf8))
    let error = try await requireDropError(.senderFailed) { try await fixture.receive(builder.bytes) }
    #expect(error.senderFailure == SenderFailure(kind: .failed, reason: "no more"))
    #expect(try fixture.names == [])
  }

  @Test("cancelling leaves nothing")
  func cancelledReceiveLeavesNoFiles() async throws {
    let pair = try DescriptorPair.pipe()
    let part = Self.stream[..<(Self.stream.count - 1)]
    try part.withUnsafeBytes { try SystemCalls.writeAll(pair.write, $0) }
    let folder = fixture.folder
    let task = Task { try await folder.receive(from: pair.reader) }
    #expect(try await eventually { try !fixture.names.isEmpty })
    task.cancel()
    try await requireDropError(.cancelled) { try await task.value }
    #expect(try fixture.names == [])
    try SystemCalls.close(pair.write)
  }

  @Test("an exceeded limit leaves no files")
  func exceededLimitLeavesNoFiles() async throws {
    var options = DropStreamOptions()
    options.limits.bytes = 4
    try await requireDropError(.limitExceeded) { try await fixture.receive(Self.stream, options: options) }
    #expect(try fixture.names == [])
  }

  // MARK: Existing files

  @Test("a file of that name is never replaced")
  func existingFileIsNeverReplaced() async throws {
    try fixture.write("old", to: "b")
    let error = try await requireDropError(.alreadyExists) { try await fixture.receive(Self.stream) }
    #expect(error.reason == "\"b\" is in \(fixture.url.path) already")
    #expect(try fixture.names == ["b"])
    #expect(try fixture.content("b") == Array("old".utf8))
  }

  @Test(
    "a directory, a FIFO and a link of that name are left alone", arguments: ["directory", "fifo", "link", "dangling"])
  func existingDirectoryFIFOAndLinkAreKept(_ kind: String) async throws {
    let path = fixture.file("b").path
    let outside = fixture.url.deletingLastPathComponent().appendingPathComponent("canary").path
    switch kind {
    case "directory": try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    case "fifo": #expect(mkfifo(path, 0o600) == 0)
    case "link": try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: outside)
    default: try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: outside + "-2")
    }
    try await requireDropError(.alreadyExists) { try await fixture.receive(Self.stream) }
    #expect(try fixture.names == ["b"])
    #expect(try fixture.surroundingsAreUntouched)
  }

  @Test("a name that is taken between staging and the end rolls back all files")
  func nameTakenBeforeTheEndRollsBackAllFiles() async throws {
    let bytes = StreamBuilder.stream { stream in
      for name in ["a", "b", "c"] { stream.item(name: name) }
    }
    let pair = try DescriptorPair.pipe()
    try bytes[..<(bytes.count - 1)].withUnsafeBytes { try SystemCalls.writeAll(pair.write, $0) }
    let folder = fixture.folder
    let task = Task { try await folder.receive(from: pair.reader) }
    let isStaged = try await eventually {
      guard let name = try fixture.names.first else { return false }
      return try FileManager.default.contentsOfDirectory(atPath: fixture.file(name).path).count == 3
    }
    #expect(isStaged)
    try fixture.write("somebody's", to: "c")
    try bytes[(bytes.count - 1)...].withUnsafeBytes { try SystemCalls.writeAll(pair.write, $0) }
    try SystemCalls.close(pair.write)
    try await requireDropError(.alreadyExists) { try await task.value }
    #expect(try fixture.names == ["c"])
    #expect(try fixture.content("c") == Array("somebody's".utf8))
  }

  // MARK: The folder

  @Test("a folder that is missing, is a file, or has no path is refused", arguments: ["missing", "file", "", "file/x"])
  func unusableFolderIsRefused(_ name: String) async throws {
    try fixture.write("a file", to: "file")
    let folder = DropFolder(path: name.isEmpty ? "" : fixture.file(name).path)
    let error = try await requireDropError(.destinationUnavailable) {
      try await folder.receive(from: .descriptor(try pipe(holding: Self.stream)))
    }
    #expect(error.errorNumber != nil)
    #expect(try fixture.names == ["file"])
    #expect(try fixture.content("file") == Array("a file".utf8))
  }

  @Test("a missing folder is not created below another missing folder")
  func missingFolderIsNotCreatedBelowAMissingFolder() async throws {
    var folder = DropFolder(path: fixture.file("x/y").path)
    folder.isCreatedWhenMissing = true
    try await requireDropError(.destinationUnavailable) {
      try await folder.receive(from: .descriptor(try pipe(holding: Self.stream)))
    }
    #expect(try fixture.names == [])
  }

  @Test("a folder that cannot be written to is refused", .enabled(if: geteuid() != 0, "root may write anywhere"))
  func readOnlyFolderIsRefused() async throws {
    try FileManager.default.setAttributes([.posixPermissions: 0o500], ofItemAtPath: fixture.url.path)
    try await requireDropError(.destinationUnavailable) { try await fixture.receive(Self.stream) }
    try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: fixture.url.path)
    #expect(try fixture.names == [])
  }

  @Test("a folder on a file system without files is refused")
  func folderOnAFileSystemWithoutFilesIsRefused() async throws {
    try await requireDropError(.destinationUnavailable) {
      try await DropFolder(path: "/proc/self").receive(from: .descriptor(try pipe(holding: Self.stream)))
    }
  }

  @Test("a folder that is removed before the end leaves no files elsewhere")
  func folderRemovedBeforeTheEndLeavesNoFilesElsewhere() async throws {
    let pair = try DescriptorPair.pipe()
    try Self.stream[..<(Self.stream.count - 1)].withUnsafeBytes { try SystemCalls.writeAll(pair.write, $0) }
    let folder = fixture.folder
    let task = Task { try await folder.receive(from: pair.reader) }
    #expect(try await eventually { try !fixture.names.isEmpty })
    try FileManager.default.removeItem(at: fixture.url)
    try SystemCalls.close(pair.write)
    await #expect(throws: DropStreamError.self) { try await task.value }
    #expect(!FileManager.default.fileExists(atPath: fixture.url.path))
  }
}
