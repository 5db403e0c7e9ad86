// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import Foundation
import ItemTransfer
import TestSupport
import Testing
import UniformTypes

@testable import DropTransport

/// Extraction of a representation to a file, and its failures.
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct DropFileExtractionTests {
  private static let content = pattern(3_000_000)
  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
  }

  private var names: Set<String> {
    get throws { Set(try FileManager.default.contentsOfDirectory(atPath: directory.url.path)) }
  }

  /// Writes a file of one item with two representations: one in a single frame, one in many frames.
  private func file() async throws -> DropFile {
    let path = directory.file("a.drop").path
    try await DropStream.withWriter(to: .file(path, replacing: true)) { writer in
      let item = ItemProvider(loading: .data) { _ in Data(Self.content) }
      item.registerChunks(.png, Data(Self.content), by: Self.content.count)
      try await writer.write(item)
    }
    return try await DropFile(path: path)
  }

  @Test(arguments: [0, 1])
  func cancelledTaskExtractsNothingAndLeavesNoFile(representation: Int) async throws {
    let file = try await file()
    let target = directory.file("out").path
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await file.extract(item: 0, representation: representation, to: target)
    }
    try await requireDropError(.cancelled) { try await task.value }
    #expect(try names == ["a.drop"])
  }

  @Test(arguments: [3_000_000, 70_000, 100])
  func corruptContentIsNotExtractedAndLeavesNoFile(length: Int) async throws {
    let path = directory.file("a.drop").path
    try await DropStream.withWriter(to: .file(path)) { try await $0.write(ItemProvider(pattern(length))) }
    var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    let start = Int(try await DropFile(path: path).contents(ofItem: 0)[0].offset) + FrameHeader.length
    bytes[start + length / 2] ^= 1
    let damaged = try await DropFile(path: try directory.write(bytes, to: "damaged.drop").path)
    try await requireDropError(.damaged) {
      try await damaged.extract(item: 0, representation: 0, to: directory.file("out").path)
    }
    #expect(try names == ["a.drop", "damaged.drop"])
  }
}

/// Files that get their name only when they are complete.
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct StagedOutputTests {
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
    #expect(try names == ["a.drop"] && Data(contentsOf: old) == Data("old".utf8))
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
    #expect(try Data(contentsOf: late) == Data("mine".utf8) && names == ["a.drop", "late.drop"])
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
