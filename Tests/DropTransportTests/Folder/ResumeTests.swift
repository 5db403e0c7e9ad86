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

/// Interrupted receives, and those that continue them.
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct ResumeTests {
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
    _ items: [ItemProvider], into folder: DropFolder, cancelledAfter count: Int = .max, limit: UInt64 = .max,
    observer: DropFolder.Observer? = nil
  ) async throws -> (DropStreamError.Code?, sent: Int) {
    let relay = try SessionRelay()
    let limited = DropStreamOptions.setting { $0.limits.bytes = limit }
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
            let receipt = try await folder.receive(drop, observer: observer ?? cancelling(after: count))
            try await drop.finish(.copy, keeping: receipt.keptItems)
            break
          }
        }
      }
    }.value
    _ = await source
    return (code, try await recording.near.count)
  }

  private var fixture: FolderFixture

  init() throws {
    fixture = try FolderFixture()
    fixture.folder.isResumable = true
  }

  /// Receives items until a number of bytes has arrived.
  ///
  /// - Returns: The number of bytes that were kept of the first item.
  @discardableResult private func interrupt(
    _ items: ItemProvider..., after count: Int = 2_000_000, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> Int {
    let code = try await Self.receive(items, into: fixture.folder, cancelledAfter: count).0
    #expect(code == .cancelled, sourceLocation: sourceLocation)
    guard let kept = try fixture.names.first(where: { StagingName.isResumable($0.utf8) }) else { return 0 }
    // The archive of a folder has another name.
    return (try? Data(contentsOf: fixture.file("\(kept)/0")))?.count ?? 0
  }

  /// Receives items to their end.
  ///
  /// - Returns: The number of bytes that the source has sent.
  private func resume(
    _ items: ItemProvider..., into folder: DropFolder? = nil, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> Int {
    let (code, sent) = try await Self.receive(items, into: folder ?? fixture.folder)
    #expect(code == nil, sourceLocation: sourceLocation)
    return sent
  }

  private func expectOnly(_ name: String, _ content: Data, sourceLocation: SourceLocation = #_sourceLocation) throws {
    #expect(try fixture.names == [name], sourceLocation: sourceLocation)
    #expect(try Data(contentsOf: fixture.file(name)) == content, sourceLocation: sourceLocation)
  }

  /// Returns an item whose content is produced in chunks, so that no open file replaces it.
  private static func item(_ content: Data, name: String = "big", isSizeKnown: Bool = true) -> ItemProvider {
    let item = ItemProvider(suggestedName: name)
    item.registerChunks(.data, content, size: isSizeKnown ? .exact(Int64(content.count)) : .unknown)
    return item
  }

  private static let length = 3_000_000
  private static let content = Data(pattern(length))
  private static let long = Data(pattern(9_000_000))

  @Test(arguments: [true, false]) func resumedSessionSendsOnlyTheRest(isSizeKnown: Bool) async throws {
    let item = Self.item(Self.content, isSizeKnown: isSizeKnown)
    let size = try await interrupt(item)
    #expect(try fixture.names.count == 1 && size >= 2_000_000 && size < Self.length)
    let sent = try await resume(item)
    #expect(sent < Self.length - size + 10_000, "\(sent) bytes crossed after \(size)")
    try expectOnly("big", Self.content)
  }

  @Test(arguments: [0, 1_000_000, 1_999_999]) func contentThatDiffersIsSentFromItsStart(at offset: Int) async throws {
    var content = Self.content
    try await interrupt(Self.item(content))
    content[offset] ^= 1
    #expect(try await resume(Self.item(content)) > Self.length)
    try expectOnly("big", content)
  }

  @Test func contentThatIsShorterThanTheKeptBytesIsSentFromItsStart() async throws {
    try await interrupt(Self.item(Self.content, isSizeKnown: false))
    let short = Self.content.prefix(1_000_000)
    #expect(try await resume(Self.item(short, isSizeKnown: false)) > short.count)
    try expectOnly("big", short)
  }

  @Test func keptBytesCountTowardsTheLimitOfBytes() async throws {
    let item = Self.item(Self.content)
    for limit in [Self.length - 1, Self.length] {
      try await interrupt(item)
      let (code, sent) = try await Self.receive([item], into: fixture.folder, limit: UInt64(limit))
      #expect(code == (limit < Self.length ? .limitExceeded : nil) && sent < 1_100_000)
      #expect(try fixture.names.contains("big") == (limit == Self.length))
    }
  }

  @Test func aFolderIsContinuedAsItsArchive() async throws {
    let directory = try TemporaryDirectory()
    let tree = directory.url.appendingPathComponent("tree", isDirectory: true)
    try FileManager.default.createDirectory(at: tree.appendingPathComponent("empty"), withIntermediateDirectories: true)
    let text = String(repeating: "hero ", count: 200_000)
    for name in ["a", "b", "c"] { try directory.write(Data(text.utf8), to: "tree/\(name)") }
    try await interrupt(ItemProvider(contentsOf: tree))
    #expect(try await resume(ItemProvider(contentsOf: tree)) < 1_200_000)
    try fixture.expect(tree: ["tree": "-", "tree/a": text, "tree/b": text, "tree/c": text, "tree/empty": "-"])
  }

  @Test func receiveKeepsThePartsOfOtherDrops() async throws {
    let (one, other) = (Self.content, Data(Self.content.reversed()))
    try await interrupt(Self.item(one, name: "one"))
    try await interrupt(Self.item(other, name: "other"))
    #expect(try fixture.names.count == 2)
    #expect(try await resume(Self.item(one, name: "one")) < 1_100_000)
    #expect(try fixture.names.count == 2)
    // A receive that does not continue leaves them too.
    let plain = fixture.folder { $0.isResumable = false }
    _ = try await resume(Self.item(Data([1]), name: "small"), into: plain)
    #expect(try fixture.names.count == 3)
    #expect(try await resume(Self.item(other, name: "other")) < 1_100_000)
    try fixture.expect(names: ["one", "other", "small"])
    #expect(try fixture.content("one") == Array(one) && fixture.content("other") == Array(other))
  }

  @Test mutating func onlyPartsOfLargeItemsAreKeptAndOnlyOnRequest() async throws {
    let small = Self.item(Data(pattern(Int(ResumableParts.leastByteCount) - 1)), name: "small")
    try await interrupt(small, Self.item(Self.content), after: 1)
    try fixture.expect(names: [])
    try await interrupt(Self.item(Self.content))
    #expect(try await fixture.folder.removeLeftovers().removedCount == 1)
    try fixture.expect(names: [])
    fixture.folder.isResumable = false
    try await interrupt(small, Self.item(Self.content), after: 1_000_000)
    try fixture.expect(names: [])
  }

  enum Forgery: CaseIterable {
    case hardLink, symbolicLink, listedAsReplaced
  }

  @Test(arguments: Forgery.allCases) func filesThatMayBelongToTheUserAreNotContinued(_ forgery: Forgery) async throws {
    try await interrupt(Self.item(Self.content), after: 1_000_000)
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
      try ReplacedFileList.append(
        [.init(inode: 0, staged: "0", name: "outside")], in: staging.raw, named: kept.lastPathComponent, fixture.seal)
    }
    #expect(try await resume(Self.item(Self.content)) > Self.length)
    #expect(try Data(contentsOf: fixture.file("big")) == Self.content && Data(contentsOf: outside) == precious)
    if forgery == .listedAsReplaced { #expect(try Data(contentsOf: part) == precious) }
  }

  /// In a directory that others may write to, a name may lead to a directory of another user in the end.
  @Test func directoryThatTookTheNameOfAnEarlierReceiveIsNotRemoved() async throws {
    try await interrupt(Self.item(Self.content), after: 1_000_000)
    let kept = fixture.file(try #require(try fixture.names.first))
    let precious = kept.appendingPathComponent("precious")
    let observer = DropFolder.Observer(
      begin: { [fixture] _, _ in
        try? FileManager.default.moveItem(at: kept, to: fixture.file("moved"))
        try? FileManager.default.createDirectory(
          at: kept, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        try? Data("precious".utf8).write(to: precious)
      }, advance: { _ in })
    let (code, _) = try await Self.receive([Self.item(Self.content)], into: fixture.folder, observer: observer)
    #expect(code == nil)
    #expect(try Data(contentsOf: precious) == Data("precious".utf8))
    #expect(try fixture.content("big") == Array(Self.content))
  }

  /// Returns the content with four other bytes at its end, which give it the checksum of `target`.
  private static func forged(_ content: Data, like target: Data) -> Data {
    let start = Array(content.dropLast(4))
    func check(_ last: UInt32) -> UInt32 { withUnsafeBytes(of: last.littleEndian) { (start + Array($0)).crc32c } }
    // The checksum is linear in the last 32 bits, except for a constant.
    let constant = check(0)
    var rows = (0..<32).map { bit in (column: check(1 << bit) ^ constant, bits: UInt32(1) << bit) }
    var (wanted, last) = (Array(target).crc32c ^ constant, UInt32(0))
    for bit in (0..<32).reversed() {
      guard let pivot = rows.firstIndex(where: { $0.column >> bit == 1 }) else { continue }
      let row = rows.remove(at: pivot)
      for index in rows.indices where rows[index].column >> bit == 1 {
        rows[index] = (rows[index].column ^ row.column, rows[index].bits ^ row.bits)
      }
      if wanted >> bit == 1 { (wanted, last) = (wanted ^ row.column, last ^ row.bits) }
    }
    return withUnsafeBytes(of: last.littleEndian) { Data(start + Array($0)) }
  }

  /// Another sender may have sent the start, and can give it any checksum.
  @Test func keptStartWithTheRightChecksumIsNotContinued() async throws {
    try await interrupt(Self.item(Self.content), after: 1_000_000)
    let part = fixture.file("\(try #require(try fixture.names.first))/0")
    let kept = try Data(contentsOf: part)
    let forged = Self.forged(Data(kept.reversed()), like: kept)
    #expect(Array(forged).crc32c == Array(kept).crc32c && forged != kept)
    try forged.write(to: part, options: [])
    #expect(try await resume(Self.item(Self.content)) > Self.length)
    try expectOnly("big", Self.content)
  }

  /// A sender can put such a directory into a folder that is the destination of a later receive.
  @Test func listWithoutTheProofOfThisUserIsNotUsed() async throws {
    try await interrupt(Self.item(Self.content), after: 1_000_000)
    let planted = try #require(try fixture.names.first)
    var other = try FolderFixture()
    other.folder.isResumable = true
    try FileManager.default.copyItem(at: fixture.file(planted), to: other.file(planted))
    #expect(try await resume(Self.item(Self.content), into: other.folder) > Self.length)
    #expect(try other.content("big") == Array(Self.content))
    // Also with the key: the directory has another inode number.
    other.folder.stateDirectory = fixture.folder.stateDirectory
    other.folder.collision = .replace
    #expect(try await resume(Self.item(Self.content), into: other.folder) > Self.length)
  }

  @Test func nothingIsKeptWithoutAPlaceForTheKey() async throws {
    var folder = fixture.folder
    folder.stateDirectory = "/proc/nowhere"
    let (code, _) = try await Self.receive([Self.item(Self.content)], into: folder, cancelledAfter: 1_000_000)
    #expect(code == .cancelled)
    #expect(try fixture.names == [])
  }

  @Test func theLongerOfTwoKeptPartsIsContinued() async throws {
    try await interrupt(Self.item(Self.content), after: 1_000_000)
    // A second directory with a longer start of the same part, as that of a receiver that ran at the same time.
    let first = try #require(try fixture.names.first)
    let second = StagingName.random(isLocked: true, isResumable: true)
    try FileManager.default.copyItem(at: fixture.file(first), to: fixture.file(second))
    let list = fixture.file("\(second)/\(ResumableParts.listName)")
    let directory = try OwnedDescriptor.open(fixture.file(second).path, O_RDONLY | O_DIRECTORY)
    let proof = Data(try fixture.seal.code(of: directory.raw, named: second))
    try (proof + Data(contentsOf: list).dropFirst(StagingSeal.length)).write(to: list)
    try Self.content.prefix(2_500_000).write(to: fixture.file("\(second)/0"), options: [])
    // An unrelated receive removes at most the directory that has nothing else to continue.
    _ = try await resume(Self.item(Data(Self.content.reversed()), name: "other"))
    let sent = try await resume(Self.item(Self.content))
    #expect(sent < 600_000, "\(sent)")
    #expect(try fixture.content("big") == Array(Self.content))
    try fixture.expect(names: ["big", "other"])
  }

  /// A process that another thread has just forked has copies of all descriptors until it runs its program.
  @Test func copyOfADescriptorDoesNotKeepTheLock() async throws {
    let copies = Mutex<[CInt]>([])
    let base = fixture.file(StagingName.prefix).resolvingSymlinksInPath().path
    let cancelling = Self.cancelling(after: 2_000_000)
    let observer = DropFolder.Observer(
      begin: { _, _ in
        for number in (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? [] {
          guard let file = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(number)"),
            file.hasPrefix(base), let descriptor = CInt(number)
          else { continue }
          copies.withLock { $0.append(dup(descriptor)) }
        }
      }, advance: cancelling.advance)
    defer { for copy in copies.withLock(\.self) { close(copy) } }
    _ = try await Self.receive([Self.item(Self.content)], into: fixture.folder, observer: observer)
    #expect(copies.withLock(\.count) > 0)
    #expect(try await resume(Self.item(Self.content)) < 1_100_000)
    try expectOnly("big", Self.content)
  }

  @Test func laterRepresentationsAreContinued() async throws {
    let folder = fixture.folder { $0.acceptedTypes = [.png] }
    func item() -> ItemProvider {
      let item = Self.item(Data(Self.content.reversed()))
      item.registerAlias(.jpeg, of: .data)
      item.registerChunks(.png, Self.content, size: .exact(Int64(Self.length)))
      return item
    }
    _ = try await Self.receive([item()], into: folder, cancelledAfter: 2_000_000)
    #expect(try await resume(item(), into: folder) < 1_100_000)
    try expectOnly(try #require(try fixture.names.first), Self.content)
  }

  @Test func corruptListsAreIgnored() async throws {
    for list in [Data(), Data(pattern(15)), Data(pattern(39)), Data(repeating: 0xFF, count: 81)] {
      try await interrupt(Self.item(Self.content), after: 1_000_000)
      let kept = try #require(try fixture.names.first { StagingName.isResumable($0.utf8) })
      let file = fixture.file("\(kept)/\(ResumableParts.listName)")
      try (Data(contentsOf: file).prefix(StagingSeal.length) + list).write(to: file, options: [])
      #expect(try await resume(Self.item(Self.content)) > Self.length)
      #expect(try Data(contentsOf: fixture.file("big")) == Self.content)
      _ = try await fixture.folder.removeLeftovers()
      try FileManager.default.removeItem(at: fixture.file("big"))
    }
  }

  // MARK: Drop files

  private static func dropFile(_ content: Data) async throws -> Data {
    let directory = try TemporaryDirectory()
    let path = directory.file("a.drop").path
    try await DropStream.withWriter(to: .file(path)) { try await $0.write(item(content)) }
    return try Data(contentsOf: URL(fileURLWithPath: path))
  }

  private func receive(
    _ source: MemorySource, into folder: DropFolder? = nil, limits: DropStreamLimits = DropStreamLimits()
  ) async -> DropStreamError.Code? {
    await failureCode {
      let file = try await DropFile(source: source, name: "memory", limits: limits)
      return try await (folder ?? fixture.folder).receive(file)
    }
  }

  @Test(arguments: [false, true]) func interruptedDropFileIsContinued(isChanged: Bool) async throws {
    let drop = try await Self.dropFile(Self.long)
    let left = Atomic(7_000_000)
    let failing = MemorySource(drop) { pieces in
      let count = pieces.map(\.count).reduce(0, +)
      if left.subtract(count, ordering: .relaxed).newValue < 0 { throw URLError(.networkConnectionLost) }
      return pieces
    }
    #expect(await receive(failing) == .sourceUnavailable)
    let part = fixture.file("\(try #require(try fixture.names.first))/0")
    var bytes = try Data(contentsOf: part)
    let size = bytes.count
    #expect(size > 2_000_000)
    // The checksum of the file also covers the kept bytes.
    if isChanged {
      bytes[size / 2] ^= 0x10
      try bytes.write(to: part, options: [])
    }
    let source = MemorySource(drop)
    // Kept bytes that are received again count once.
    #expect(await receive(source, limits: .setting { $0.bytes = UInt64(Self.long.count) }) == nil)
    let read = source.reads.joined().map(\.count).reduce(0, +)
    if !isChanged { #expect(read < 9_000_000 - size + 300_000, "\(read) bytes were read after \(size)") }
    try expectOnly("big", Self.long)
  }

  @Test func aDropFileIsReceivedWithinTheLimitOfBytes() async throws {
    let drop = try await Self.dropFile(Data(pattern(1000)))
    let plain = try FolderFixture()
    for limit in [999, 1000] as [UInt64] {
      let code = await receive(MemorySource(drop), into: plain.folder, limits: .setting { $0.bytes = limit })
      #expect(code == (limit == 999 ? .limitExceeded : nil))
    }
    #expect(try plain.content("big") == pattern(1000))
  }
}
