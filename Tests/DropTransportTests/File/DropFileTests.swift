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

/// Files that are written by a stream's writer and read item by item.
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct DropFileTests {
  private let directory: TemporaryDirectory
  private let path: String

  init() throws {
    directory = try TemporaryDirectory()
    path = directory.file("a.drop").path
  }

  private static let sizes: [Int] = {
    let chunk = DropStreamOptions().chunkLength
    return [0, 1, 4095, 4096, chunk - 1, chunk, chunk + 1, 65_536, 1 << 20, (1 << 20) + 1, 3_000_001]
  }()

  /// Writes an item of each size, in every form.
  private func writeItems() async throws -> (file: DropFile, items: [ItemProvider]) {
    let items = try items()
    try await DropStream.withWriter(to: .file(path)) { for item in items { try await $0.write(item) } }
    return (try await DropFile(path: path), items)
  }

  private func items() throws -> [ItemProvider] {
    try Self.sizes.map { size in
      let file = try directory.write(Data(pattern(size)), to: "\(size)")
      let item = ItemProvider(named: "\(size)", loading: .png) { _ in Data(pattern(size)) }
      item.registerFile(.jpeg) { _ in SentTransferredFile(file) }
      item.registerFile(.pdf, size: .exact(Int64(size))) { _ in SentTransferredFile(file) }
      item.registerChunks(.data, Data(pattern(size)), by: 50_000)
      item.registerChunks(.json, Data(pattern(size)), by: 50_000, size: .exact(Int64(size)))
      item.registerAlias(.image, of: .png)
      return item
    }
  }

  @Test func iteratesOverTheItemsOfAFile() async throws {
    let (file, items) = try await writeItems()
    var names: [String?] = []
    for try await item in file { names.append(item.suggestedName) }
    #expect(names == items.map(\.suggestedName))
    // Unlike a stream, a file can be iterated again.
    let first = try await file.first { _ in true }
    #expect(first?.suggestedName == items.first?.suggestedName)
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      for try await _ in file {}
    }
    try await requireDropError(.cancelled) { try await task.value }
  }

  @Test func everyRepresentationIsReadAloneInAnyOrder() async throws {
    let (file, items) = try await writeItems()
    #expect(file.itemCount == items.count)
    for index in items.indices.reversed() {
      let item = try await file.item(at: index)
      #expect(item.suggestedName == items[index].suggestedName)
      #expect(item.contentTypes == [.png, .jpeg, .pdf, .data, .json, .image])
      for type in item.contentTypes.reversed() {
        #expect(try await item.data(for: type) == Data(pattern(Self.sizes[index])), "\(type) of \(Self.sizes[index])")
      }
    }
    #expect(try await DropFile.verify(path) == DropFile.Verification(itemCount: items.count, hasIndex: true))
    let read = try await outcome(from: .file(path)).get()
    #expect(read.map(\.name) == items.map(\.suggestedName))
  }

  @Test func limitsTheItemsOfAFile() async throws {
    try await DropStream.withWriter(to: .file(path)) { for _ in 0..<3 { try await $0.write(ItemProvider(Data())) } }
    #expect(try await DropFile(path: path, limits: .setting { $0.items = 3 }).itemCount == 3)
    try await requireDropError(.limitExceeded, reason: "the source has more than 2 items") {
      try await DropFile(path: path, limits: .setting { $0.items = 2 })
    }
  }

  /// Long representations of a known size are one frame each.
  @Test func longRepresentationsStartAtAPageOfMemory() async throws {
    let (file, _) = try await writeItems()
    for (index, size) in Self.sizes.enumerated() {
      let contents = try await file.contents(ofItem: index)
      #expect(contents.map(\.byteCount) == Array(repeating: UInt64(size), count: 6) && contents[5] == contents[0])
      guard size > DropStreamOptions().chunkLength else { continue }
      for content in contents[..<3] + [contents[4]] {
        let header = try file.handle.header(at: content.offset)
        #expect(header.flags == .whole && header.payloadLength == UInt64(size))
        #expect((content.offset + UInt64(FrameHeader.length)) % 4096 == 0)
      }
    }
  }

  @Test(arguments: isFullRun ? [0, 1, 4095, 4096, 4097, 9000] : [0, 1, 4097])
  func indexOfManyPagesLeadsToEveryItem(count: Int) async throws {
    try await DropStream.withWriter(to: .file(path)) { writer in
      for number in 0..<count { try await writer.write(ItemProvider(Array("\(number)".utf8), name: "\(number)")) }
    }
    let file = try await DropFile(path: path)
    #expect(file.itemCount == count)
    for index in stride(from: 0, to: count, by: max(1, count / 50)) + [count - 1] where index >= 0 {
      let item = try await file.item(at: index)
      #expect(item.suggestedName == "\(index)")
      try await item.expect(Data("\(index)".utf8))
    }
    #expect(try await DropFile.verify(path).hasIndex)
  }

  @Test func failedRepresentationDoesNotAffectOthersAndLeavesNoBytes() async throws {
    let shrunk = try directory.write(Data(pattern(200_000)), to: "shrunk")
    let failures = try await DropStream.withWriter(to: .file(path)) { writer in
      let item = ItemProvider(named: "x", loading: .png) { _ in throw TestFailure("no picture") }
      item.registerFile(.pdf, size: .exact(300_000)) { _ in SentTransferredFile(shrunk) }
      item.register(.utf8PlainText) { _ in Data("there".utf8) }
      item.registerAlias(.jpeg, of: .png)
      // These representations fail after they have begun: too short, too long, interrupted.
      for (type, promised) in [(UTType.mp3, 199_999), (.zip, 200_001), (.gif, 300_000)] as [(UTType, Int64)] {
        let error = promised == 300_000 ? TestFailure("torn") : nil
        item.registerChunks(type, Data(pattern(200_000)), by: 50_000, size: .exact(promised), throwing: error)
      }
      return try await writer.writeAvailable(item)
    }
    let changed = DropStreamError.Code.sourceChanged
    #expect(failures.map(\.code) == [.representationFailed, changed, changed, changed, .representationFailed])
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)).count < 4096)
    let item = try await DropFile(path: path).item(at: 0)
    try await item.expect(Data("there".utf8), for: .utf8PlainText)
    for (type, words) in [
      (UTType.png, "no picture"), (.pdf, "200000"), (.jpeg, "no picture"), (.mp3, "199999"), (.zip, "200001"),
      (.gif, "torn"),
    ] {
      let error = try await #require(throws: ItemProviderError.self) { try await item.data(for: type) }
      let cause = try #require(error.underlyingError as? DropStreamError)
      #expect(cause.senderFailure?.reason.contains(words) == true, "\(cause)")
    }
    try await DropFile.verify(path)
  }

  @Test func extractsOneRepresentationToAFile() async throws {
    let (file, _) = try await writeItems()
    for (index, size) in Self.sizes.enumerated() {
      for representation in 0..<6 {
        let target = directory.file("out")
        let count = try await file.extract(
          item: index, representation: representation, to: target.path, replacing: true)
        #expect(try count == UInt64(size) && Data(contentsOf: target) == Data(pattern(size)))
      }
    }
    try await requireDropError(.alreadyExists) {
      try await file.extract(item: 0, representation: 0, to: directory.file("out").path)
    }
  }

  @Test func redirectedStreamHasNoIndexAndIsReadInOrder() async throws {
    let file = try directory.write(Data(SmallStream.bytes), to: "a.drop")
    try await requireDropError(.noIndex) { try await DropFile(path: file.path) }
    #expect(try await DropFile.verify(file.path) == DropFile.Verification(itemCount: 2, hasIndex: false))
    #expect(try await outcome(from: .file(file.path)).get() == SmallStream.items)
  }

  @Test func opensOnlyRegularFilesForReading() throws {
    let fifo = directory.file("fifo").path
    try makeFIFO(fifo)
    for (path, isOther) in [
      (fifo, true), ("/dev/null", true), (directory.file("missing").path, false), (directory.url.path, false),
    ] {
      let error = #expect(throws: DropStreamError.self, "\(path)") { try DropFileHandle(path) }
      guard isOther else { continue }
      let reason = "cannot open \(path): it is not a regular file, and only such a file has random access"
      #expect(error?.code == .sourceUnavailable && error?.description == reason)
    }
  }
}
