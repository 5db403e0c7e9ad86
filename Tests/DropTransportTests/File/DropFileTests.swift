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
}

/// Reads of a file that may wait for the disk, and reads that may not.
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct DropFileHandleTests {
  private let directory: TemporaryDirectory
  private let path: String
  private let content = pattern(600_000)

  init() throws {
    directory = try TemporaryDirectory()
    path = try directory.write(Data(content), to: "a.drop").path
  }

  private static let longestAtOnce = 256 << 10

  @Test(arguments: [0, 1, 4095, 300_000, 600_000 - longestAtOnce])
  func readsWithoutWaitingReturnTheSameBytes(offset: Int) throws {
    let handle = try DropFileHandle(path)
    let wanted = try handle.bytes(at: UInt64(offset), count: Self.longestAtOnce)
    #expect(wanted == Array(content[offset..<offset + Self.longestAtOnce]))
    // Some file systems do not support reads that must not wait.
    if let found = try? handle.waiting(false).bytes(at: UInt64(offset), count: Self.longestAtOnce) {
      #expect(found == wanted)
    }
  }

  @Test func longReadsRunOnAThreadThatMayBlock() throws {
    let handle = try DropFileHandle(path)
    #expect(throws: DropStreamError.self) {
      try handle.waiting(false).bytes(at: 0, count: Self.longestAtOnce + 1)
    }
    #expect(try handle.bytes(at: 0, count: Self.longestAtOnce + 1).count == Self.longestAtOnce + 1)
  }

  @Test func statusWithoutWaitingEqualsTheStatusOfTheSystem() throws {
    let file = try OwnedDescriptor.open(path, O_RDONLY)
    let status = try SystemCalls.status(file.raw)
    #expect(status.size == 600_000)
    // Some file systems without a disk do not support this call.
    if let found = try? SystemCalls.statusAtOnce(file.raw) { #expect(found == status) }
    let device = try OwnedDescriptor.open("/dev/null", O_RDONLY)
    #expect(throws: SystemError.self) { try SystemCalls.statusAtOnce(device.raw) }
  }

  @Test func opensOnlyRegularFilesForReading() throws {
    let fifo = directory.file("fifo").path
    try makeFIFO(fifo)
    for (path, isOther) in [
      (fifo, true), ("/dev/null", true), (directory.file("missing").path, false), (directory.url.path, false),
    ] {
      for waits in [true, false] {
        let error = #expect(throws: DropStreamError.self, "\(path)") { try DropFileHandle(path, waits: waits) }
        guard isOther, waits else { continue }
        let reason = "cannot open \(path): it is not a regular file, and only such a file has random access"
        #expect(error?.code == .sourceUnavailable && error?.description == reason)
      }
    }
  }

  @Test func failedAttemptIsRepeatedAndOnlyTheSecondErrorIsReported() async throws {
    var handle = try DropFileHandle(path)
    handle.readsAtOnce = true
    let attempts = Atomic(0)
    let once = try await handle.read { _ throws(DropStreamError) in attempts.add(1, ordering: .relaxed).newValue }
    #expect(once == 1 && attempts.load(ordering: .relaxed) == 1)
    let twice = try await handle.read { _ throws(DropStreamError) in
      let number = attempts.add(1, ordering: .relaxed).newValue
      if number == 2 { throw DropStreamError(.damaged, "attempt 2") }
      return number
    }
    #expect(twice == 3)
    let error = await #expect(throws: DropStreamError.self) {
      try await handle.read { _ throws(DropStreamError) -> Int in
        throw DropStreamError(.damaged, "attempt \(attempts.add(1, ordering: .relaxed).newValue)")
      }
    }
    #expect(error?.description.contains("attempt 5") == true)
  }

  @Test func blockingThreadReadsTheSameItems() async throws {
    let path = directory.file("b.drop").path
    let item = ItemProvider(named: "saga", loading: .data) { [content] _ in Data(content.prefix(1000)) }
    try await DropStream.withWriter(to: .file(path)) { try await $0.write(item) }
    let file = try await DropFile.openByThread(path)
    #expect(!file.readsAtOnce)
    try await file.item(at: 0).expect(Data(content.prefix(1000)))
    let handle = try DropFileHandle(path)
    let isPossible = (try? handle.waiting(false).bytes(at: 0, count: 8)) != nil
    #expect(!handle.readsAtOnce && handle.readingAtOnceIfPossible().readsAtOnce == isPossible)
    let again = try await DropFile(path: path)
    #expect(again.readsAtOnce == isPossible)
    try await again.item(at: 0).expect(Data(content.prefix(1000)))
  }
}
