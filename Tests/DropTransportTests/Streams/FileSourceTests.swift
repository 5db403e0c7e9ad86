// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import Foundation
import ItemTransfer
import TestSupport
import Testing
import UniformTypes

@testable import DropTransport

/// Files as the source of an item.
///
/// The file must have the promised size.
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct FileSourceTests {
  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
  }

  private func send(_ provider: ItemProvider) async throws -> (writer: Result<Void, any Error>, reader: Outcome) {
    try await Carrier.pipe.carry { writer in
      try await writer.write(ItemProvider([1], name: "before"))
      try await writer.write(provider)
    }
  }

  /// Sends an item, which must fail for both sides.
  private func failure(of provider: ItemProvider, _ code: DropStreamError.Code) async throws -> String? {
    let (written, received) = try await send(provider)
    #expect(written.code == code)
    return try requireFailure(.senderFailed, received).senderFailure?.reason
  }

  @Test(arguments: [(10, 11), (400_000, 400_001), (10, 9), (400_000, 399_999), (400_000, 131_072), (3, 0)])
  func fileThatGrowsOrShrinksAfterItsOfferFails(_ size: Int, _ later: Int) async throws {
    let file = try directory.write(Data(pattern(size)), to: "file")
    let provider = ItemProvider(file: file, promising: Int64(size)) { try Data(pattern(later)).write(to: file) }
    let change =
      later > size ? "it grew beyond its \(size) bytes" : "it ended at byte \(later), short of its \(size) bytes"
    let reason = try await failure(of: provider, .sourceChanged)
    #expect(reason?.hasSuffix("file changed while it was sent: \(change)") == true, "\(reason ?? "")")
  }

  @Test func fileThatChangesDuringTheTransferIsRejected() async throws {
    let file = try directory.writeOld(Data(pattern(4_000_000)), to: "file")
    let pair = try DescriptorPair.pipe()
    let progress = ItemProgress()
    async let written = writing(to: pair.writer) {
      try await $0.write(ItemProvider(contentsOf: file), progress: progress)
    }
    // The pipe is full then, and most of the file has not been read.
    try await wait(for: "the first bytes") { progress.snapshot.completed > 0 }
    try directory.overwriteEnd(of: file)
    let failure = try requireFailure(.senderFailed, try await outcome(from: pair.reader)).senderFailure
    #expect(await written.code == .sourceChanged)
    #expect(failure?.reason.hasSuffix("file changed while it was sent: it was written to") == true)
  }

  /// The kernel moves the bytes of a file into a pipe, where they change with the file.
  @Test func fileMayChangeOnceItsStreamIsComplete() async throws {
    let content = pattern(3 << 20)
    let file = try directory.writeOld(Data(content), to: "file")
    let pair = try DescriptorPair.pipe()
    defer { try? SystemCalls.close(pair.read) }
    async let written = writing(to: pair.writer) { try await $0.write(ItemProvider(contentsOf: file)) }
    let reader = FileHandle(fileDescriptor: pair.read)
    // The rest has room in the pipe, so that the writer can finish.
    var bytes = try await runBlocking { () throws in
      [UInt8](try reader.read(upToCount: content.count - (1 << 19)) ?? Data())
    }
    try await written.get()
    try Data(count: content.count).withUnsafeBytes { zeros in
      let target = try OwnedDescriptor.open(file.path, O_WRONLY)
      try SystemCalls.writeAll(target.raw, zeros)
    }
    bytes += try await runBlocking { () throws in [UInt8](try reader.read(upToCount: 1 << 20) ?? Data()) }
    let items = try outcome(of: bytes).get()
    #expect(items.map { $0.representations.map { $0.content == content } } == [[true]])
  }

  @Test func writeBeforeTheOpenOrConcurrentReadDoesNotInvalidateAFile() async throws {
    let file = try directory.writeOld(Data(pattern(400_000)), to: "file")
    let provider = ItemProvider(file: file, promising: 400_000) {
      try directory.overwriteEnd(of: file)
      _ = try Data(contentsOf: file)
    }
    let (written, received) = try await send(provider)
    try written.get()
    #expect(try received.get().count == 2)
  }

  @Test(arguments: [0, 1, 4096, 65_536, 400_000])
  func fileSentOnABlockingExecutorArrivesUnchanged(_ size: Int) async throws {
    let file = try directory.write(Data(pattern(size)), to: "file")
    let threads = Collector<Bool>()
    let (written, received) = try await Carrier.pipe.carry { writer in
      try await withTaskExecutorPreference(BlockingExecutor.shared) {
        let provider = ItemProvider()
        provider.registerFile(.data, size: .exact(Int64(size))) { _ in
          threads.add(BlockingExecutor.isCurrent)
          return SentTransferredFile(file)
        }
        try await writer.write(provider)
        threads.add(BlockingExecutor.isCurrent)
      }
    }
    try written.get()
    #expect(threads.values == [true, true])
    #expect(try received.get() == [ReceivedItem(nil, ["public.data": pattern(size)])])
  }

  @Test func missingFileAndDirectoryAreNamedInTheError() async throws {
    let file = try directory.write(Data([1]), to: "file")
    let missing = ItemProvider(file: file, promising: 1) { try FileManager.default.removeItem(at: file) }
    #expect(
      try await failure(of: missing, .sourceUnavailable) == "cannot open \(file.path): No such file or directory")
    let folder = ItemProvider(contentsOf: directory.url, contentType: .data)
    #expect(try await failure(of: folder, .sourceUnavailable)?.hasSuffix(": Is a directory") == true)
    // The name could act on a terminal.
    let (written, _) = try await send(ItemProvider(contentsOf: directory.file("a\u{1B}b\nc")))
    let error = try #require(throws: DropStreamError.self) { try written.get() }
    #expect(error.description == #"cannot open \#(directory.url.path)/a\u{1b}b\u{a}c: No such file or directory"#)
  }

  @Test(arguments: [false, true]) func unreadableFileOrSocketFailsAloneAndIsNamed(isFile: Bool) async throws {
    let socket = try DescriptorPair.socketPair()
    defer { try? SystemCalls.close(socket.read) }
    try socket.send(Array(repeating: 1, count: 10))
    // A peer that closes with unread bytes resets the connection.
    try DropTransportTests.send(Array(repeating: 1, count: 10), to: socket.read)
    try SystemCalls.close(socket.write)
    let sources = ["/proc/self/fd/\(socket.read)", "/proc/self/mem"]

    let pair = try DescriptorPair.pipe()
    defer { if isFile { for end in [pair.read, pair.write] { try? SystemCalls.close(end) } } }
    let path = directory.file("a.drop").path
    let failures = try await DropStream.withWriter(to: isFile ? .file(path) : pair.writer) { writer in
      let item = ItemProvider()
      item.registerFile(.png) { _ in SentTransferredFile(URL(fileURLWithPath: sources[0])) }
      item.registerFile(.pdf) { _ in SentTransferredFile(URL(fileURLWithPath: sources[1])) }
      item.register(.data) { _ in Data([1]) }
      let failures = try await writer.writeAvailable(item)
      try await writer.write(ItemProvider([2]))
      return failures
    }
    #expect(failures.map(\.code) == [.sourceUnavailable, .sourceUnavailable])
    #expect(
      failures.map(\.reason) == [
        "cannot read \(sources[0]): Connection reset by peer", "cannot read \(sources[1]): Input/output error",
      ])
    let found = try await DropStream.withInspector(from: isFile ? .file(path) : pair.reader) {
      try await $0.reduce(into: []) { $0.append($1) }
    }
    #expect(found.map { $0.representations.map(\.byteCount) } == [[0, 0, 1], [1]])
    #expect(found.first?.representations.map(\.failure?.reason) == failures.map(\.reason) + [nil])
  }

  @Test func folderArrivesWithEverythingInIt() async throws {
    let folder = directory.file("Tales")
    try FileManager.default.createDirectory(
      at: folder.appendingPathComponent("sea"), withIntermediateDirectories: true)
    try Data("Sing".utf8).write(to: folder.appendingPathComponent("sea/odyssey.txt"))
    let pair = try DescriptorPair.pipe()
    async let written: Void = DropStream.withWriter(to: pair.writer) {
      try await $0.write(ItemProvider(contentsOf: folder))
    }
    let items = try await DropStream.withReader(from: pair.reader) { try await $0.collect() }
    try await written
    #expect(items.map(\.contentTypes) == [[.folder]] && items.map(\.suggestedName) == ["Tales"])
    let text = try await items[0].withFile(for: .directory) {
      #expect($0.lastPathComponent == "Tales")
      return try String(contentsOf: $0.appendingPathComponent("sea/odyssey.txt"), encoding: .utf8)
    }
    #expect(text == "Sing")
  }

  @Test func streamIsSentInChunksAndItsPromisedSizeIsVerified() async throws {
    for (promised, code) in [
      (ItemSize.unknown, nil), (.exact(300_000), nil), (.estimated(1), nil),
      (.exact(299_999), DropStreamError.Code.sourceChanged), (.exact(300_001), .sourceChanged),
    ] {
      let provider = ItemProvider()
      provider.registerStream(.data, size: promised) { _ in
        AsyncStream<Data> { chunks in
          for index in 0..<3 { chunks.yield(Data(repeating: UInt8(index), count: 100_000)) }
          chunks.finish()
        }
      }
      let (written, received) = try await send(provider)
      #expect(written.code == code && received.code == code.map { _ in .senderFailed })
    }
  }

  @Test func linkIsFollowedAndFileOfUnknownSizeIsReadToItsEnd() async throws {
    let file = try directory.write(Data(pattern(5000)), to: "file")
    let link = directory.file("link")
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: file)
    let (_, linked) = try await send(ItemProvider(contentsOf: link))
    #expect(try linked.get().last == ReceivedItem("link", ["public.data": pattern(5000)]))

    let unsized = URL(fileURLWithPath: "/proc/version")
    let version = Array(try Data(contentsOf: unsized))
    #expect(!version.isEmpty)
    let (_, received) = try await send(ItemProvider(contentsOf: unsized))
    #expect(try received.get().last?.representations.first?.content == version)
  }

  @Test func fifoIsReadUntilItsWriterClosesItEvenIfTheWriterOpensItLate() async throws {
    let fifo = directory.file("fifo")
    try makeFIFO(fifo.path)
    async let sent = send(ItemProvider(contentsOf: fifo))
    try await wait(for: "a reader of the FIFO") { try openDescriptors(to: fifo.path) > 0 }
    // The reader waits for the first byte.
    try await Task.sleep(for: .milliseconds(20))
    try await onThread {
      let writer = try OwnedDescriptor.open(fifo.path, O_WRONLY)
      for piece in 0..<5 {
        try DropTransportTests.send(pattern(1000), to: writer.raw)
        if piece == 2 { usleep(20_000) }
      }
    }
    let received = try await sent.reader.get()
    #expect(received.last?.representations.first?.content == (0..<5).flatMap { _ in pattern(1000) })
  }

  @Test func readOfAFIFOWithoutAWriterCanBeCancelled() async throws {
    let fifo = directory.file("fifo")
    try makeFIFO(fifo.path)
    let task = Task { try await send(ItemProvider(contentsOf: fifo)) }
    try await wait(for: "a reader of the FIFO") { try openDescriptors(to: fifo.path) > 0 }
    task.cancel()
    let (written, received) = try await task.value
    #expect(written.code == .cancelled)
    // The reader runs in the cancelled task too.
    #expect(received.code == .cancelled || received.code == .senderCancelled)
  }
}
