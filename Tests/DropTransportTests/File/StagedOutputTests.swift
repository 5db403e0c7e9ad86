// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import Foundation
import ItemTransfer
import TestSupport
import Testing

@testable import DropTransport

/// Files that get their name only when they are complete.
@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct StagedOutputTests {
  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
  }

  private var names: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: directory.url.path).sorted() }
  }

  @Test func fileGetsItsNameAtTheEndAndNoTemporaryFileStays() async throws {
    let path = directory.file("a.drop").path
    try await DropStream.withWriter(to: .file(path)) { writer in
      try await writer.write(ItemProvider(pattern(1 << 20)))
      #expect(!FileManager.default.fileExists(atPath: path))
      #expect(try names.allSatisfy { $0.hasPrefix(".dragpipe-") })
    }
    #expect(try names == ["a.drop"])
    let other = try OwnedDescriptor.open(directory.file("other").path, O_WRONLY | O_CREAT, 0o666)
    let usual = try SystemCalls.status(other.raw).permissions
    #expect(try SystemCalls.statusAt(DropEndpoint.currentDirectory, path).permissions == usual)
  }

  @Test(arguments: [false, true])
  func failedOrCancelledWriterKeepsTheOldFile(isCancelled: Bool) async throws {
    let old = try directory.write(Data("old".utf8), to: "a.drop")
    let isWritten = Gate()
    let task = Task {
      try await DropStream.withWriter(to: .file(old.path, replacing: true)) { writer in
        try await writer.write(ItemProvider(pattern(1 << 20)))
        isWritten.open()
        if isCancelled { try await Task.sleep(for: .seconds(3600)) }
        throw TestFailure()
      }
    }
    await isWritten.wait()
    if isCancelled { task.cancel() }
    await #expect(throws: (any Error).self) { try await task.value }
    #expect(try names == ["a.drop"])
    #expect(try Data(contentsOf: old) == Data("old".utf8))
  }

  @Test func existingFileIsReplacedOnlyOnRequest() async throws {
    let old = try directory.write(Data("old".utf8), to: "a.drop")
    try await requireDropError(.alreadyExists) { try await DropStream.withWriter(to: .file(old.path)) { _ in } }
    #expect(try Data(contentsOf: old) == Data("old".utf8))
    try await DropStream.withWriter(to: .file(old.path, replacing: true)) { _ in }
    #expect(try await DropFile(path: old.path).itemCount == 0)
    // Simulates another process that creates the file first.
    let late = directory.file("late.drop")
    try await requireDropError(.alreadyExists) {
      try await DropStream.withWriter(to: .file(late.path)) { _ in try Data("mine".utf8).write(to: late) }
    }
    #expect(try Data(contentsOf: late) == Data("mine".utf8))
    #expect(try names == ["a.drop", "late.drop"])
  }

  @Test(arguments: [FileStatus.Kind.pipe, .socket, .symbolicLink, .directory])
  func onlyARegularFileIsReplaced(kind: FileStatus.Kind) async throws {
    let place = directory.file("a.drop")
    func put() throws {
      switch kind {
      case .pipe: try makeFIFO(place.path)
      case .socket: #expect(mknod(place.path, S_IFSOCK | 0o600, 0) == 0)
      case .symbolicLink:
        let target = try directory.write(Data("old".utf8), to: "target")
        try FileManager.default.createSymbolicLink(at: place, withDestinationURL: target)
      default: try FileManager.default.createDirectory(at: place, withIntermediateDirectories: false)
      }
    }
    // The file is created during the write.
    try await requireDropError(.alreadyExists) {
      try await DropStream.withWriter(to: .file(place.path, replacing: true)) { _ in try put() }
    }
    // The file exists before.
    try await requireDropError(.alreadyExists) {
      try await DropStream.withWriter(to: .file(place.path, replacing: true)) { _ in Issue.record("it was opened") }
    }
    #expect(try SystemCalls.statusAt(DropEndpoint.currentDirectory, place.path, AT_SYMLINK_NOFOLLOW).kind == kind)
    #expect(try names == (kind == .symbolicLink ? ["a.drop", "target"] : ["a.drop"]))
  }

  @Test(arguments: ["", "missing/a", "x/", "."])
  func invalidPathIsAnErrorBeforeTheFirstWrite(name: String) async throws {
    let path = name.isEmpty ? "" : directory.url.path + "/" + name
    try await requireDropError(.destinationUnavailable) {
      try await DropStream.withWriter(to: .file(path)) { _ in Issue.record("it was opened") }
    }
    #expect(try names == [])
  }
}
