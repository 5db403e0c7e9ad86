// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import Foundation
import ItemTransfer
import TestSupport
import Testing
import UniformTypes

@testable import DropTransport

@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct DropFolderTests {
  private let fixture: FolderFixture

  init() throws {
    fixture = try FolderFixture()
  }

  @Test("files arrive byte for byte, and are reported in the order of the items")
  func filesArriveByteForByteInTheOrderOfTheItems() async throws {
    var generator = SeededGenerator.announced("folder files")
    let large = (0..<300_000).map { _ in UInt8.random(in: 0...255, using: &generator) }
    let bytes = StreamBuilder.stream {
      $0.item([], name: "empty")
      $0.add(ReceivedItem("large.bin", ["public.data": large]), chunkLength: 65_536)
      $0.add(ReceivedItem("note.txt", ["public.utf8-plain-text": Array("Hail".utf8)]), chunkLength: nil)
    }
    let files = try await fixture.receive(bytes)
    #expect(files.map(\.name) == ["empty", "large.bin", "note.txt"])
    #expect(files.map(\.byteCount) == [0, 300_000, 4])
    #expect(files.map(\.contentType) == [.data, .data, .utf8PlainText])
    #expect(try fixture.names == ["empty", "large.bin", "note.txt"])
    #expect(try fixture.content("empty") == [])
    #expect(try fixture.content("large.bin") == large)
    #expect(try fixture.content("note.txt") == Array("Hail".utf8))
  }

  @Test("the first representation of an item becomes its file")
  func firstRepresentationOfAnItemBecomesItsFile() async throws {
    let item = ReceivedItem("a", ["public.html": [1, 2], "public.data": [3, 4, 5], "public.png": []])
    let files = try await fixture.receive(StreamBuilder.stream { $0.add(item, chunkLength: 1) })
    #expect(files.map(\.contentType) == [.html])
    #expect(files.map(\.byteCount) == [2])
    #expect(try fixture.content("a") == [1, 2])
  }

  @Test("an item without a name gets its number and the extension of its type")
  func itemWithoutANameGetsItsNumberAndExtension() async throws {
    let bytes = StreamBuilder.stream {
      $0.add(ReceivedItem(nil, ["public.png": [1]]), chunkLength: nil)
      $0.add(ReceivedItem(nil, ["org.example.unknown": [2]]), chunkLength: nil)
    }
    let files = try await fixture.receive(bytes)
    #expect(files.map(\.name) == ["item-1.png", "item-2"])
    #expect(try fixture.names == ["item-1.png", "item-2"])
  }

  @Test("staged files are private, and get the permissions of new files at the end")
  func stagedFilesArePrivateUntilTheEnd() async throws {
    var builder = StreamBuilder()
    builder.item([1, 2, 3], name: "a")
    let pair = try DescriptorPair.pipe()
    try builder.bytes.withUnsafeBytes { try SystemCalls.writeAll(pair.write, $0) }
    let folder = fixture.folder
    let task = Task { try await folder.receive(from: pair.reader) }

    // The file is complete, but the stream is not.
    #expect(try await eventually { try staged()?.files == ["0"] })
    let waiting = try #require(try staged())
    #expect(try fixture.names == [waiting.name])
    #expect(try fixture.permissions(fixture.file(waiting.name).path) == 0o700)
    #expect(try fixture.permissions(fixture.file(waiting.name + "/0").path) == 0o600)

    let sent = builder.bytes.count
    builder.end()
    try builder.bytes[sent...].withUnsafeBytes { try SystemCalls.writeAll(pair.write, $0) }
    try SystemCalls.close(pair.write)
    #expect(try await task.value.files.map(\.name) == ["a"])
    #expect(try fixture.names == ["a"])

    // Compares the permissions with those of a newly created file.
    let comparison = fixture.file("comparison").path
    try SystemCalls.close(try SystemCalls.open(comparison, O_WRONLY | O_CREAT, 0o666))
    #expect(try fixture.permissions(fixture.file("a").path) == fixture.permissions(comparison))
  }

  private func staged() throws -> (name: String, files: [String])? {
    guard let name = try fixture.names.first(where: { $0.hasPrefix(".dragpipe-") }) else { return nil }
    return (name, try FileManager.default.contentsOfDirectory(atPath: fixture.file(name).path))
  }

  @Test("a stream without items does not change the folder")
  func streamWithoutItemsDoesNotChangeTheFolder() async throws {
    #expect(try await fixture.receive(StreamBuilder.stream { _ in }) == [])
    #expect(try fixture.names == [])
  }

  @Test("progress counts the bytes of the files and finishes")
  func progressCountsTheBytesAndFinishes() async throws {
    let progress = ItemProgress(total: 7)
    let bytes = StreamBuilder.stream {
      $0.item([1, 2, 3], name: "a")
      $0.item([1, 2, 3, 4], name: "b")
    }
    _ = try await fixture.folder.receive(from: .descriptor(try pipe(holding: bytes)), progress: progress)
    #expect(progress.snapshot.completed == 7)
    #expect(progress.snapshot.isFinished)
  }

  @Test("a missing folder is created on request, and an existing folder is used unchanged")
  func missingFolderIsCreatedOnRequest() async throws {
    var folder = DropFolder(path: fixture.file("deep").path)
    folder.isCreatedWhenMissing = true
    for name in ["a", "b"] {
      let bytes = StreamBuilder.stream { $0.item(name: name) }
      _ = try await folder.receive(from: .descriptor(try pipe(holding: bytes)))
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == ["a", "b"])
  }

  @Test("a link to a folder is used")
  func linkToAFolderIsUsed() async throws {
    let link = fixture.url.path + "-link"
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "in")
    let bytes = StreamBuilder.stream { $0.item(name: "a") }
    _ = try await DropFolder(path: link).receive(from: .descriptor(try pipe(holding: bytes)))
    #expect(try fixture.names == ["a"])
  }
}
