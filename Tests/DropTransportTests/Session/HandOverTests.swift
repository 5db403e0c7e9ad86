// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import Foundation
import Glibc
import ItemTransfer
import TestSupport
import Testing
import UniformTypes

@testable import DropTransport

/// Open files that the source passes instead of bytes.
@Suite(.serialized, .limited, .timeLimit(.minutes(10))) struct HandOverTests {
  private static func offer(
    _ file: URL, openInPlace: Bool, _ carrier: SessionCarrierKind = .socketPair,
    options: DropStreamOptions = DropStreamOptions(),
    _ body: @escaping @Sendable (IncomingDrop) async throws -> Void
  ) async throws {
    let outcome = try await holdSession(over: carrier, options: options) { session in
      try await session.offer([ItemProvider(contentsOf: file, contentType: .plainText, openInPlace: openInPlace)])
    } destination: { session in
      for try await drop in session.drops {
        try await body(drop)
        try await drop.finish(.copy)
      }
    }
    _ = try outcome.destination.get()
    _ = try outcome.source.get()
  }

  @Test("a file that is opened in place is the source's own file, and is not verified")
  func fileOpenedInPlaceIsTheSourcesFileAndIsNotVerified() async throws {
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    let file = directory.file("saga.txt")
    try Data("Sing, goddess".utf8).write(to: file)
    try await Self.offer(file, openInPlace: true) { drop in
      #expect(drop.items[0].contentTypesForOpeningInPlace == [.plainText])
      try await drop.items[0].withInPlaceFile(for: .plainText) { received in
        #expect(received.isOriginalFile)
        #expect(received.file.path == file.path)
        try Data("Sing, Muse".utf8).write(to: received.file)
      }
      #expect(drop.uncheckedTypes(ofItem: 0) == [.plainText])
      // A request for bytes gets bytes, which are verified.
      #expect(try await drop.items[0].data(for: .plainText) == Data("Sing, Muse".utf8))
      #expect(drop.uncheckedTypes(ofItem: 0).isEmpty)
    }
  }

  @Test("a removed file can still be opened in place")
  func removedFileCanStillBeOpenedInPlace() async throws {
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    let file = directory.file("saga.txt")
    try Data("Sing, goddess".utf8).write(to: file)
    let outcome = try await holdSession { session in
      let item = ItemProvider(suggestedName: "saga.txt")
      item.registerFile(.plainText, openInPlace: true) { _ in SentTransferredFile(file) }
      return try await session.offer([item])
    } destination: { session in
      for try await drop in session.drops {
        try await drop.items[0].withInPlaceFile(for: .plainText) { received in
          #expect(received.isOriginalFile)
          #expect(try Data(contentsOf: received.file) == Data("Sing, goddess".utf8))
          // The received path leads to the passed file, even if another file now has its name.
          try FileManager.default.removeItem(at: file)
        }
        try await drop.finish(.copy)
      }
    }
    _ = try outcome.destination.get()
    _ = try outcome.source.get()
  }

  @Test("a file that is not offered in place arrives as a verified copy", arguments: [false, true])
  func fileNotOfferedInPlaceArrivesAsAVerifiedCopy(_ inPlace: Bool) async throws {
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    let file = directory.file("saga.txt")
    try Data("Sing, goddess".utf8).write(to: file)
    // Pipes cannot pass descriptors.
    try await Self.offer(file, openInPlace: inPlace, inPlace ? .pipes : .socketPair) { drop in
      try await drop.items[0].withInPlaceFile(for: .plainText) { received in
        #expect(!received.isOriginalFile)
        let data = try Data(contentsOf: received.file)
        #expect(data == Data("Sing, goddess".utf8))
      }
      #expect(drop.uncheckedTypes(ofItem: 0).isEmpty)
    }
  }

  @Test("a file that changes while it is read is rejected, with bytes and with descriptors", arguments: [false, true])
  func fileThatChangesWhileItIsReadIsRejected(asDescriptor: Bool) async throws {
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    // The file is longer than the initial credit of a request.
    let file = try directory.writeOld(Data(pattern(16_000_000)), to: "saga.txt")
    var options = DropStreamOptions()
    options.acceptsUncheckedFiles = asDescriptor
    try await Self.offer(file, openInPlace: false, options: options) { drop in
      var chunks = try await drop.items[0].bytes(for: .plainText).makeAsyncIterator()
      #expect(try await chunks.next() != nil)
      try directory.overwriteEnd(of: file)
      var text = ""
      do { while try await chunks.next() != nil {} } catch { text = "\(error)" }
      #expect(text.contains("changed while it was read"), "\(text)")
    }
  }

  @Test("a destination that allows it gets files as descriptors, and learns that they were not verified")
  func destinationThatAllowsItReceivesUnverifiedDescriptors() async throws {
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    let file = directory.file("saga.txt")
    try Data(pattern(1_000_000)).write(to: file)
    var options = DropStreamOptions()
    options.acceptsUncheckedFiles = true
    try await Self.offer(file, openInPlace: false, options: options) { drop in
      let data = try await drop.items[0].data(for: .plainText)
      #expect(data == Data(pattern(1_000_000)))
      #expect(drop.uncheckedTypes(ofItem: 0) == [.plainText])
    }
  }

  @Test(
    "large data is passed as sealed memory, and is verified",
    arguments: [SessionHandOver.leastLength - 1, SessionHandOver.leastLength, 5_000_000])
  func largeDataIsPassedAsSealedMemoryAndVerified(_ count: Int) async throws {
    let outcome = try await holdSession { session in
      try await session.offer([ItemProvider(pattern(count))])
    } destination: { session in
      for try await drop in session.drops {
        #expect(try await drop.items[0].data(for: .data) == Data(pattern(count)))
        #expect(drop.uncheckedTypes(ofItem: 0).isEmpty)
        try await drop.finish(.copy)
      }
    }
    _ = try outcome.destination.get()
    _ = try outcome.source.get()
  }

  @Test("a descriptor that differs from its description is rejected")
  func descriptorThatDiffersFromItsDescriptionIsRejected() async throws {
    let memory = SharedDescriptor(OwnedDescriptor(try SystemCalls.memoryFile("test")))
    let content = pattern(1000)
    try content.withUnsafeBytes { try SystemCalls.writeAll(memory.raw, $0) }
    let check = content.withUnsafeBytes { CRC32C.check($0) }
    func code(_ kind: SessionDescriptor.Kind, _ count: UInt64, _ check: UInt32?, _ promised: UInt64?) async
      -> DropStreamError.Code?
    {
      let description = SessionDescriptor(kind: kind, byteCount: count, check: check)
      return await failureCode {
        let content = try await ReceivedDescriptor(description, memory).content(expecting: promised)
        for try await _ in content.chunks {}
      }
    }
    #expect(await code(.sealedMemory, 1000, check, nil) == .damaged, "not sealed")
    #expect(await code(.fileToCopy, 1001, nil, nil) == .damaged, "another size")
    #expect(await code(.fileToCopy, 1000, nil, 999) == .damaged, "another size was offered")
    #expect(await code(.fileToCopy, 1000, nil, 1000) == nil)
    try SystemCalls.seal(memory.raw)
    #expect(await code(.sealedMemory, 1000, check, nil) == nil)
    #expect(await code(.sealedMemory, 1000, check ^ 1, nil) == .damaged, "another content")
    let pipe = try SystemCalls.pipe()
    try SystemCalls.close(pipe.write)
    let notAFile = SharedDescriptor(OwnedDescriptor(pipe.read))
    let description = SessionDescriptor(kind: .fileToCopy, byteCount: 0, check: nil)
    #expect(
      await failureCode { try await ReceivedDescriptor(description, notAFile).content(expecting: nil) } == .damaged)
  }

  @Test("unrequested descriptors are closed", arguments: [1, 16, 40])
  func unrequestedDescriptorsAreClosed(_ count: Int) async throws {
    let pair = try DescriptorPair.socketPair()
    let extra = try DescriptorPair.pipe()
    let link = try link(of: extra.read)
    let session = Task {
      try await DropStream.withSession(over: .descriptor(pair.read)) { session in
        for try await _ in session.drops {}
      }
    }
    var digest = StreamDigest(preambleCheck: Preamble.check)
    var hello = OutgoingFrame.hello(SessionHello())
    hello.seal(sequence: 0, digest: &digest)
    let bytes = Preamble.bytes + hello.bytes
    // Sends a descriptor with each byte.
    for index in bytes.indices {
      let sent = try bytes[index...index].withUnsafeBytes { byte in
        index < count
          ? try SystemCalls.send(pair.write, byte, with: extra.read) : try SystemCalls.write(pair.write, byte)
      }
      #expect(sent == 1)
    }
    try SystemCalls.close(extra.read)
    #expect(try await eventually { try openDescriptors(to: link) <= 1 })
    try SystemCalls.close(pair.write)
    #expect(await failureCode { try await session.value } == .peerGone)
    try SystemCalls.close(extra.write)
    #expect(try openDescriptors(to: link) == 0)
  }
}
