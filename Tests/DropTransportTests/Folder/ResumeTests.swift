// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import Foundation
import Glibc
import ItemTransfer
import Synchronization
import TestSupport
import Testing
import UniformTypes

@testable import DropTransport

/// Interrupted receives, and those that continue them.
@Suite(.serialized, .limited, .timeLimit(.minutes(10))) struct ResumeTests {
  /// Cancels the receiving task once a number of bytes has arrived.
  private static func cancelling(after count: Int) -> DropFolder.Observer {
    let left = Atomic(count)
    return DropFolder.Observer(
      begin: { _, _ in },
      advance: { bytes in
        if left.subtract(bytes, ordering: .relaxed).newValue <= 0 { withUnsafeCurrentTask { $0?.cancel() } }
      })
  }

  /// Receives items over a session, whose bytes are counted.
  ///
  /// - Returns: The error, and the number of bytes that the source has sent.
  @discardableResult private static func receive(
    _ items: [ItemProvider], into folder: DropFolder, cancelledAfter count: Int = .max, limit: UInt64 = .max
  ) async throws -> (DropStreamError.Code?, sent: Int) {
    let relay = try SessionRelay()
    var limited = DropStreamOptions()
    limited.limits.bytes = limit
    let options = limited
    async let recording = relay.record()
    async let source = failureCode {
      try await DropStream.withSession(over: relay.near) { _ = try await $0.offer(items) }
    }
    // A task of its own, so that only the receive is cancelled.
    let code = await Task {
      await failureCode {
        try await DropStream.withSession(over: relay.far, options: options) { session in
          for try await drop in session.drops {
            let receipt = try await folder.receive(drop, observer: cancelling(after: count))
            try await drop.finish(.copy, keeping: receipt.keptItems)
            break
          }
        }
      }
    }.value
    _ = await source
    return (code, try await recording.near.count)
  }

  private static func fixture() throws -> FolderFixture {
    var fixture = try FolderFixture()
    fixture.folder.isResumable = true
    return fixture
  }

  /// Returns an item whose content is produced in chunks, so that no open file replaces it.
  private static func item(_ content: Data, name: String = "big", isSizeKnown: Bool = true) -> ItemProvider {
    let item = ItemProvider()
    item.suggestedName = name
    item.registerStream(.data, size: isSizeKnown ? .exact(Int64(content.count)) : .unknown) { _ in
      AsyncStream { continuation in
        for start in stride(from: 0, to: content.count, by: 100_000) {
          continuation.yield(content[start..<min(start + 100_000, content.count)])
        }
        continuation.finish()
      }
    }
    return item
  }

  private static let length = 3_000_000
  private static let long = Data(repeatElement(pattern(2_000_000), count: 5).joined())

  @Test(arguments: [true, false]) func resumedSessionSendsOnlyTheRest(isSizeKnown: Bool) async throws {
    let fixture = try Self.fixture()
    let content = Data(pattern(Self.length))
    let item = Self.item(content, isSizeKnown: isSizeKnown)
    #expect(try await Self.receive([item], into: fixture.folder, cancelledAfter: 2_000_000).0 == .cancelled)
    let kept = try #require(try fixture.names.first)
    #expect(try fixture.names.count == 1 && StagingName.isResumable(kept))
    let size = try Data(contentsOf: fixture.file("\(kept)/0")).count
    #expect(size >= 2_000_000 && size < Self.length)
    let (code, sent) = try await Self.receive([item], into: fixture.folder)
    #expect(code == nil)
    #expect(sent < Self.length - size + 10_000, "\(sent) bytes crossed after \(size)")
    #expect(try Data(contentsOf: fixture.file("big")) == content)
    #expect(try fixture.names == ["big"])
  }

  @Test(arguments: [0, 1_000_000, 1_999_999]) func contentThatDiffersIsSentFromItsStart(at offset: Int) async throws {
    let fixture = try Self.fixture()
    var content = Data(pattern(Self.length))
    try await Self.receive([Self.item(content)], into: fixture.folder, cancelledAfter: 2_000_000)
    content[offset] ^= 1
    let (code, sent) = try await Self.receive([Self.item(content)], into: fixture.folder)
    #expect(code == nil && sent > Self.length)
    #expect(try Data(contentsOf: fixture.file("big")) == content)
    #expect(try fixture.names == ["big"])
  }

  @Test func contentThatIsShorterThanTheKeptBytesIsSentFromItsStart() async throws {
    let fixture = try Self.fixture()
    let content = Data(pattern(Self.length))
    let item = Self.item(content, isSizeKnown: false)
    try await Self.receive([item], into: fixture.folder, cancelledAfter: 2_000_000)
    let short = content.prefix(1_000_000)
    #expect(try await Self.receive([Self.item(short, isSizeKnown: false)], into: fixture.folder).0 == nil)
    #expect(try Data(contentsOf: fixture.file("big")) == short)
    #expect(try fixture.names == ["big"])
  }

  @Test func keptBytesCountTowardsTheLimitOfBytes() async throws {
    let fixture = try Self.fixture()
    let item = Self.item(Data(pattern(Self.length)))
    for limit in [Self.length - 1, Self.length] {
      try await Self.receive([item], into: fixture.folder, cancelledAfter: 2_000_000)
      let (code, sent) = try await Self.receive([item], into: fixture.folder, limit: UInt64(limit))
      #expect(code == (limit < Self.length ? .limitExceeded : nil))
      #expect(sent < 1_100_000)
      #expect(try fixture.names.contains("big") == (limit == Self.length))
    }
  }

  @Test func aFolderIsContinuedAsItsArchive() async throws {
    let fixture = try Self.fixture()
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    try FileManager.default.createDirectory(
      at: directory.url.appendingPathComponent("tree/empty"), withIntermediateDirectories: true)
    for name in ["a", "b", "c"] { try directory.write(Data(pattern(1_000_000)), to: "tree/\(name)") }
    func item() -> ItemProvider {
      ItemProvider(contentsOf: directory.url.appendingPathComponent("tree", isDirectory: true))
    }
    #expect(try await Self.receive([item()], into: fixture.folder, cancelledAfter: 2_000_000).0 == .cancelled)
    let (code, sent) = try await Self.receive([item()], into: fixture.folder)
    #expect(code == nil && sent < 1_200_000)
    #expect(try fixture.names == ["tree"])
    for name in ["a", "b", "c"] { #expect(try fixture.content("tree/\(name)") == pattern(1_000_000)) }
    #expect(FileManager.default.fileExists(atPath: fixture.file("tree/empty").path))
  }

  @Test func receiveKeepsThePartsOfOtherDrops() async throws {
    let fixture = try Self.fixture()
    let (one, other) = (Data(pattern(Self.length)), Data(pattern(Self.length).reversed()))
    try await Self.receive([Self.item(one, name: "one")], into: fixture.folder, cancelledAfter: 2_000_000)
    try await Self.receive([Self.item(other, name: "other")], into: fixture.folder, cancelledAfter: 2_000_000)
    #expect(try fixture.names.count == 2)
    #expect(try await Self.receive([Self.item(one, name: "one")], into: fixture.folder).sent < 1_100_000)
    #expect(try fixture.names.count == 2)
    // A receive that does not continue leaves them too.
    var plain = fixture.folder
    plain.isResumable = false
    #expect(try await Self.receive([Self.item(Data([1]), name: "small")], into: plain).0 == nil)
    #expect(try fixture.names.count == 3)
    #expect(try await Self.receive([Self.item(other, name: "other")], into: fixture.folder).sent < 1_100_000)
    #expect(try fixture.names == ["one", "other", "small"])
    #expect(try fixture.content("one") == Array(one) && fixture.content("other") == Array(other))
  }

  @Test func keptPartsAreRemovedOnRequest() async throws {
    let fixture = try Self.fixture()
    try await Self.receive([Self.item(Data(pattern(Self.length)))], into: fixture.folder, cancelledAfter: 1_000_000)
    #expect(try await fixture.folder.removeLeftovers().removedCount == 1)
    #expect(try fixture.names == [])
  }

  @Test func onlyPartsOfLargeItemsAreKeptAndOnlyOnRequest() async throws {
    var fixture = try Self.fixture()
    let small = Int(ResumableParts.leastByteCount) - 1
    let items = [Self.item(Data(pattern(small)), name: "small"), Self.item(Data(pattern(Self.length)))]
    try await Self.receive(items, into: fixture.folder, cancelledAfter: 1)
    #expect(try fixture.names == [])
    fixture.folder.isResumable = false
    try await Self.receive(items, into: fixture.folder, cancelledAfter: 1_000_000)
    #expect(try fixture.names == [])
  }

  enum Forgery: CaseIterable {
    case hardLink, symbolicLink, listedAsReplaced
  }

  @Test(arguments: Forgery.allCases) func filesThatMayBelongToTheUserAreNotContinued(_ forgery: Forgery) async throws {
    let fixture = try Self.fixture()
    let content = Data(pattern(Self.length))
    try await Self.receive([Self.item(content)], into: fixture.folder, cancelledAfter: 1_000_000)
    let kept = fixture.file(try #require(try fixture.names.first))
    let part = kept.appendingPathComponent("0")
    let precious = Data("precious".utf8)
    let outside = fixture.file("outside")
    try precious.write(to: outside)
    try FileManager.default.removeItem(at: part)
    switch forgery {
    case .hardLink: try FileManager.default.linkItem(at: outside, to: part)
    case .symbolicLink: try FileManager.default.createSymbolicLink(at: part, withDestinationURL: outside)
    case .listedAsReplaced:
      try precious.write(to: part)
      let staging = try OwnedDescriptor.open(kept.path, O_RDONLY | O_DIRECTORY)
      try ReplacedFileList.append([.init(inode: 0, staged: "0", name: "outside")], in: staging.raw)
    }
    let (code, sent) = try await Self.receive([Self.item(content)], into: fixture.folder)
    #expect(code == nil && sent > Self.length)
    #expect(try Data(contentsOf: fixture.file("big")) == content)
    #expect(try Data(contentsOf: outside) == precious)
    if forgery == .listedAsReplaced { #expect(try Data(contentsOf: part) == precious) }
  }

  @Test func theLongerOfTwoKeptPartsIsContinued() async throws {
    let fixture = try Self.fixture()
    let (content, other) = (Data(pattern(Self.length)), Data(pattern(Self.length).reversed()))
    try await Self.receive([Self.item(content)], into: fixture.folder, cancelledAfter: 1_000_000)
    // A second directory with a longer start of the same part, as that of a receiver that ran at the same time.
    let first = try #require(try fixture.names.first)
    let second = StagingName.random(isLocked: true, isResumable: true)
    try FileManager.default.copyItem(at: fixture.file(first), to: fixture.file(second))
    try content.prefix(2_500_000).write(to: fixture.file("\(second)/0"), options: [])
    // An unrelated receive removes at most the directory that has nothing else to continue.
    try await Self.receive([Self.item(other, name: "other")], into: fixture.folder)
    let (code, sent) = try await Self.receive([Self.item(content)], into: fixture.folder)
    #expect(code == nil && sent < 600_000, "\(sent)")
    #expect(try fixture.content("big") == Array(content))
    #expect(try fixture.names == ["big", "other"])
  }

  @Test func laterRepresentationsAreContinued() async throws {
    let fixture = try Self.fixture()
    let content = Data(pattern(Self.length))
    var folder = fixture.folder
    folder.acceptedTypes = [.png]
    func item() -> ItemProvider {
      let item = Self.item(Data(pattern(Self.length).reversed()))
      item.registerAlias(.jpeg, of: .data)
      item.registerStream(.png, size: .exact(Int64(content.count))) { _ in
        AsyncStream { continuation in
          for start in stride(from: 0, to: content.count, by: 100_000) {
            continuation.yield(content[start..<min(start + 100_000, content.count)])
          }
          continuation.finish()
        }
      }
      return item
    }
    try await Self.receive([item()], into: folder, cancelledAfter: 2_000_000)
    #expect(try await Self.receive([item()], into: folder).sent < 1_100_000)
    #expect(try fixture.content(try #require(try fixture.names.first)) == Array(content))
  }

  @Test func corruptListsAreIgnored() async throws {
    let fixture = try Self.fixture()
    let content = Data(pattern(Self.length))
    for list in [Data(), Data(pattern(15)), Data(pattern(33)), Data(repeating: 0xFF, count: 64)] {
      try await Self.receive([Self.item(content)], into: fixture.folder, cancelledAfter: 1_000_000)
      let kept = try #require(try fixture.names.first { StagingName.isResumable($0) })
      try list.write(to: fixture.file("\(kept)/\(ResumableParts.listName)"))
      let (code, sent) = try await Self.receive([Self.item(content)], into: fixture.folder)
      #expect(code == nil && sent > Self.length)
      #expect(try Data(contentsOf: fixture.file("big")) == content)
      _ = try await fixture.folder.removeLeftovers()
      try FileManager.default.removeItem(at: fixture.file("big"))
    }
  }

  // MARK: Drop files

  /// A drop file in memory whose reads fail after a number of bytes.
  private final class Store: RandomAccessSource {
    let content: Data
    private let state: Lock<(left: Int, read: Int)>

    init(_ content: Data, failingAfter count: Int = .max) {
      self.content = content
      state = Lock((count, 0))
    }

    var readCount: Int { state.withLock { $0.read } }

    func byteCount() async throws -> UInt64 { UInt64(content.count) }

    func bytes(in ranges: [Range<UInt64>]) async throws -> [Data] {
      let count = ranges.map(\.count).reduce(0, +)
      let fails = state.withLock { state in
        state.left -= count
        state.read += count
        return state.left < 0
      }
      if fails { throw URLError(.networkConnectionLost) }
      return ranges.map { content[Int($0.lowerBound)..<Int($0.upperBound)] }
    }
  }

  private static func dropFile(_ content: Data) async throws -> Data {
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    let path = directory.file("a.drop").path
    try await DropStream.withWriter(to: .file(path)) { try await $0.write(item(content)) }
    return try Data(contentsOf: URL(fileURLWithPath: path))
  }

  private static func receive(_ store: Store, into folder: DropFolder) async throws -> DropStreamError.Code? {
    await failureCode {
      let file = try await DropFile(source: store, name: "memory")
      return try await folder.receive(file)
    }
  }

  @Test func interruptedDropFileIsReadFromTheKeptOffset() async throws {
    let fixture = try Self.fixture()
    let content = Self.long
    let drop = try await Self.dropFile(content)
    #expect(try await Self.receive(Store(drop, failingAfter: 7_000_000), into: fixture.folder) == .sourceUnavailable)
    let kept = try #require(try fixture.names.first)
    let size = try Data(contentsOf: fixture.file("\(kept)/0")).count
    #expect(size > 2_000_000)
    let store = Store(drop)
    #expect(try await Self.receive(store, into: fixture.folder) == nil)
    #expect(store.readCount < 10_000_000 - size + 300_000, "\(store.readCount) bytes were read after \(size)")
    #expect(try Data(contentsOf: fixture.file("big")) == content)
    #expect(try fixture.names == ["big"])
  }

  @Test func theChecksumOfADropFileCoversTheKeptBytes() async throws {
    let fixture = try Self.fixture()
    let content = Self.long
    let drop = try await Self.dropFile(content)
    _ = try await Self.receive(Store(drop, failingAfter: 7_000_000), into: fixture.folder)
    let part = fixture.file("\(try #require(try fixture.names.first))/0")
    var bytes = try Data(contentsOf: part)
    bytes[bytes.count / 2] ^= 0x10
    try bytes.write(to: part, options: [])
    #expect(try await Self.receive(Store(drop), into: fixture.folder) == nil)
    #expect(try Data(contentsOf: fixture.file("big")) == content)
    #expect(try fixture.names == ["big"])
  }

  @Test func aDropFileIsReceivedWithinTheLimitOfBytes() async throws {
    let fixture = try FolderFixture()
    let drop = try await Self.dropFile(Data(pattern(1000)))
    for limit in [999, 1000] as [UInt64] {
      var limits = DropStreamLimits()
      limits.bytes = limit
      let file = try await DropFile(source: Store(drop), name: "memory", limits: limits)
      let code = await failureCode { try await fixture.folder.receive(file) }
      #expect(code == (limit == 999 ? .limitExceeded : nil))
    }
    #expect(try fixture.content("big") == pattern(1000))
  }
}
