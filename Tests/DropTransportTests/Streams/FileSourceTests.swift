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
@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct FileSourceTests {
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

  private func expectChanged(_ provider: ItemProvider, _ words: String) async throws {
    let (written, received) = try await send(provider)
    #expect(written.code == .sourceChanged)
    let error = try requireFailure(.senderFailed, received)
    #expect(error.senderFailure?.reason.hasSuffix(words) == true, "\(error)")
  }

  @Test("a file that grows between offer and transfer fails, and is not truncated silently", arguments: [10, 400_000])
  func fileThatGrowsFailsAndIsNotTruncated(_ size: Int) async throws {
    let file = try directory.write(Data(pattern(size)), to: "file")
    let provider = ItemProvider(file: file, promising: Int64(size)) {
      try Data(pattern(size + 1)).write(to: file)
    }
    try await expectChanged(provider, "file changed while it was sent: it grew beyond its \(size) bytes")
  }

  @Test(
    "a file that shrinks fails, and is not padded silently",
    arguments: [(10, 9), (400_000, 399_999), (400_000, 131_072), (3, 0)])
  func fileThatShrinksFailsAndIsNotPadded(_ size: Int, _ left: Int) async throws {
    let file = try directory.write(Data(pattern(size)), to: "file")
    let provider = ItemProvider(file: file, promising: Int64(size)) { try Data(pattern(left)).write(to: file) }
    try await expectChanged(
      provider, "file changed while it was sent: it ended at byte \(left), short of its \(size) bytes")
  }

  @Test("a file that changes during the transfer is rejected")
  func fileThatChangesDuringTheTransferIsRejected() async throws {
    let file = try directory.writeOld(Data(pattern(4_000_000)), to: "file")
    let pair = try DescriptorPair.pipe()
    let progress = ItemProgress()
    async let written = Self.error {
      try await DropStream.withWriter(to: pair.writer) {
        try await $0.write(ItemProvider(contentsOf: file), progress: progress)
      }
    }
    // The pipe is full now, and most of the file has not been read.
    #expect(try await eventually { progress.snapshot.completed > 0 })
    try directory.overwriteEnd(of: file)
    let received = await Self.error {
      try await DropStream.withReader(from: pair.reader) { items in for try await _ in items {} }
    }
    #expect(await written?.code == .sourceChanged)
    let words = "file changed while it was sent: it was written to"
    #expect(received?.senderFailure?.reason.hasSuffix(words) == true, "\(String(describing: received))")
  }

  private static func error(_ body: @Sendable () async throws -> Void) async -> DropStreamError? {
    do { try await body() } catch { return error as? DropStreamError }
    return nil
  }

  @Test("a write before the open, or a concurrent read, does not invalidate a file")
  func concurrentReadDoesNotInvalidateAFile() async throws {
    let file = try directory.writeOld(Data(pattern(400_000)), to: "file")
    let provider = ItemProvider(file: file, promising: 400_000) {
      try directory.overwriteEnd(of: file)
      _ = try Data(contentsOf: file)
    }
    let (written, received) = try await send(provider)
    try written.get()
    #expect(try received.get().count == 2)
  }

  @Test("a file sent on an executor that may block arrives unchanged", arguments: [0, 1, 4096, 65_536, 400_000])
  func fileSentOnABlockingExecutorArrivesUnchanged(_ size: Int) async throws {
    let file = try directory.write(Data(pattern(size)), to: "file")
    let threads = Collector<Bool>()
    let (written, received) = try await Carrier.pipe.carry { writer in
      try await withTaskExecutorPreference(BlockingTaskExecutor(label: "test")) {
        let provider = ItemProvider()
        provider.registerFile(.data, size: .exact(Int64(size))) { _ in
          threads.add(BlockingTaskExecutor.isCurrent)
          return SentTransferredFile(file)
        }
        try await writer.write(provider)
        threads.add(BlockingTaskExecutor.isCurrent)
      }
    }
    try written.get()
    #expect(threads.values == [true, true])
    #expect(try received.get() == [ReceivedItem(nil, ["public.data": pattern(size)])])
  }

  @Test("a missing file is named in the error")
  func missingFileIsNamedInTheError() async throws {
    let file = try directory.write(Data([1]), to: "file")
    let provider = ItemProvider(file: file, promising: 1) { try FileManager.default.removeItem(at: file) }
    let (written, received) = try await send(provider)
    #expect(written.code == .sourceUnavailable)
    let error = try requireFailure(.senderFailed, received)
    #expect(error.senderFailure?.reason == "cannot open \(file.path): No such file or directory")
  }

  @Test("a file or a socket that cannot be read fails alone, and is named", arguments: [false, true])
  func unreadableFileFailsAloneAndIsNamed(isFile: Bool) async throws {
    let socket = try DescriptorPair.socketPair()
    defer { try? SystemCalls.close(socket.read) }
    try [UInt8](repeating: 1, count: 10).withUnsafeBytes { bytes in
      try SystemCalls.writeAll(socket.write, bytes)
      // A peer that closes with unread bytes resets the connection.
      try SystemCalls.writeAll(socket.read, bytes)
    }
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
    var found: [DropItemDescription] = []
    try await DropStream.withInspector(from: isFile ? .file(path) : pair.reader) {
      for try await item in $0 { found.append(item) }
    }
    #expect(found.map { $0.representations.map(\.byteCount) } == [[0, 0, 1], [1]])
    #expect(found.first?.representations.map(\.failure?.reason) == failures.map(\.reason) + [nil])
  }

  @Test("a directory is not sent as a file")
  func directoryIsNotSentAsAFile() async throws {
    let (written, received) = try await send(ItemProvider(contentsOf: directory.url, contentType: .data))
    #expect(written.code == .sourceUnavailable)
    let error = try requireFailure(.senderFailed, received)
    #expect(error.senderFailure?.reason.hasSuffix(": Is a directory") == true)
  }

  @Test("a folder arrives as a folder with everything in it")
  func folderArrivesWithEverythingInIt() async throws {
    let folder = directory.file("Tales")
    try FileManager.default.createDirectory(
      at: folder.appendingPathComponent("sea"), withIntermediateDirectories: true)
    try Data("Sing".utf8).write(to: folder.appendingPathComponent("sea/odyssey.txt"))
    let pair = try DescriptorPair.pipe()
    async let written: Void = DropStream.withWriter(to: pair.writer) {
      try await $0.write(ItemProvider(contentsOf: folder))
    }
    let text = try await DropStream.withReader(from: pair.reader) { items in
      var texts: [String] = []
      for try await item in items {
        #expect(item.contentTypes == [.folder] && item.suggestedName == "Tales")
        texts.append(
          try await item.withFile(for: .directory) {
            #expect($0.lastPathComponent == "Tales")
            return try String(contentsOf: $0.appendingPathComponent("sea/odyssey.txt"), encoding: .utf8)
          })
      }
      return texts
    }
    try await written
    #expect(text == ["Sing"])
  }

  @Test("a stream is sent chunk by chunk, and its promised size is verified")
  func streamIsSentInChunksAndItsPromisedSizeIsVerified() async throws {
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
      #expect(written.code == code)
      if code != nil { _ = try requireFailure(.senderFailed, received) }
    }
  }

  @Test("a link is followed, a file of unknown size is read to its end")
  func linkIsFollowedAndFileOfUnknownSizeIsReadToItsEnd() async throws {
    let file = try directory.write(Data(pattern(5000)), to: "file")
    let link = directory.file("link")
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: file)
    let (_, linked) = try await send(ItemProvider(contentsOf: link))
    let last = try linked.get().last
    #expect(last == ReceivedItem("link", ["public.data": pattern(5000)]))

    let version = Array(try Data(contentsOf: URL(fileURLWithPath: "/proc/version")))
    let (_, received) = try await send(ItemProvider(contentsOf: URL(fileURLWithPath: "/proc/version")))
    #expect(!version.isEmpty)
    let content = try received.get().last?.representations.first?.content
    #expect(content == version)
  }

  @Test("a FIFO is read until its writer closes it, even if the writer opens it late")
  func fifoIsReadUntilItsWriterClosesIt() async throws {
    let path = directory.file("fifo").path
    #expect(mkfifo(path, 0o600) == 0)
    async let sent = send(ItemProvider(contentsOf: directory.file("fifo")))
    try await Task.sleep(for: .milliseconds(50))
    try await onThread {
      let descriptor = try SystemCalls.open(path, O_WRONLY)
      for piece in 0..<5 {
        try pattern(1000).withUnsafeBytes { try SystemCalls.writeAll(descriptor, $0) }
        if piece == 2 { usleep(20_000) }
      }
      try SystemCalls.close(descriptor)
    }
    let received = try await sent.reader.get()
    #expect(received.last?.representations.first?.content == (0..<5).flatMap { _ in pattern(1000) })
  }

  @Test("reading a FIFO without a writer can be cancelled")
  func readOfAFIFOWithoutAWriterCanBeCancelled() async throws {
    #expect(mkfifo(directory.file("fifo").path, 0o600) == 0)
    let provider = ItemProvider(contentsOf: directory.file("fifo"))
    let task = Task { try await send(provider) }
    try await Task.sleep(for: .milliseconds(50))
    task.cancel()
    let (written, received) = try await task.value
    #expect(written.code == .cancelled)
    // The reader runs in the cancelled task too.
    #expect(received.code == .cancelled || received.code == .senderCancelled)
  }

  @Test("a name that could act on a terminal is escaped in the message")
  func hostileNameIsEscapedInTheMessage() async throws {
    let (written, _) = try await send(ItemProvider(contentsOf: directory.file("a\u{1B}b\nc")))
    let error = try #require(throws: DropStreamError.self) { try written.get() }
    #expect(error.description == #"cannot open \#(directory.url.path)/a\u{1b}b\u{a}c: No such file or directory"#)
  }
}
