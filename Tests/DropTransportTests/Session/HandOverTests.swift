// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import Foundation
import ItemTransfer
import TestSupport
import Testing
import UniformTypes

@testable import DropTransport

/// Open files that the source passes instead of bytes.
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct HandOverTests {
  private let directory: TemporaryDirectory
  private let file: URL

  init() throws {
    directory = try TemporaryDirectory()
    file = try directory.write(Data("Sing, goddess".utf8), to: "saga.txt")
  }

  private static let unchecked = DropStreamOptions.setting { $0.acceptsUncheckedFiles = true }

  /// It is not verified.
  @Test func fileOpenedInPlaceIsTheSourcesFile() async throws {
    let file = file
    try await exchange([ItemProvider(contentsOf: file, contentType: .plainText, openInPlace: true)]) { drop in
      #expect(drop.items[0].contentTypesForOpeningInPlace == [.plainText])
      try await drop.items[0].withInPlaceFile(for: .plainText) { received in
        #expect(received.isOriginalFile && received.file.path == file.path)
        try Data("Sing, Muse".utf8).write(to: received.file)
      }
      #expect(drop.uncheckedTypes(ofItem: 0) == [.plainText])
      // A request for bytes gets bytes, which are verified.
      try await drop.items[0].expect(Data("Sing, Muse".utf8), for: .plainText)
      #expect(drop.uncheckedTypes(ofItem: 0).isEmpty)
      try await drop.items[0].withInPlaceFile(for: .plainText) { received in
        #expect(try received.isOriginalFile && Data(contentsOf: received.file) == Data("Sing, Muse".utf8))
        // The source need not keep the file at its path.
        try FileManager.default.removeItem(at: file)
      }
    }
  }

  /// Pipes cannot pass descriptors.
  @Test(arguments: [(false, SessionCarrierKind.socketPair), (true, .pipes)])
  func fileNotOfferedInPlaceArrivesAsAVerifiedCopy(_ inPlace: Bool, _ carrier: SessionCarrierKind) async throws {
    let item = ItemProvider(contentsOf: file, contentType: .plainText, openInPlace: inPlace)
    try await exchange([item], over: carrier) { drop in
      try await drop.items[0].withInPlaceFile(for: .plainText) { received in
        #expect(!received.isOriginalFile)
        let data = try Data(contentsOf: received.file)
        #expect(data == Data("Sing, goddess".utf8))
      }
      #expect(drop.uncheckedTypes(ofItem: 0).isEmpty)
    }
  }

  @Test(arguments: [false, true]) func fileThatChangesWhileItIsReadIsRejected(asDescriptor: Bool) async throws {
    // The file is longer than the initial credit of a request.
    let file = try directory.writeOld(Data(pattern(16_000_000)), to: "long.txt")
    let directory = directory
    let options = asDescriptor ? Self.unchecked : DropStreamOptions()
    try await exchange([ItemProvider(contentsOf: file, contentType: .plainText)], options: options) { drop in
      var chunks = try await drop.items[0].bytes(for: .plainText).makeAsyncIterator()
      #expect(try await chunks.next() != nil)
      try directory.overwriteEnd(of: file)
      let error = await #expect(throws: (any Error).self) { while try await chunks.next() != nil {} }
      #expect("\(String(describing: error))".contains("changed while it was read"))
    }
  }

  @Test func destinationThatAllowsItReceivesUnverifiedDescriptors() async throws {
    let file = try directory.write(Data(pattern(1_000_000)), to: "saga.txt")
    let item = ItemProvider(contentsOf: file, contentType: .plainText)
    try await exchange([item], options: Self.unchecked) { drop async throws in
      try await drop.items[0].expect(Data(pattern(1_000_000)), for: .plainText)
      #expect(drop.uncheckedTypes(ofItem: 0) == [.plainText])
    }
  }

  @Test(arguments: [SessionServing.minimumMemoryLength - 1, SessionServing.minimumMemoryLength, 5_000_000])
  func largeDataIsPassedAsSealedMemoryAndVerified(_ count: Int) async throws {
    try await exchange([ItemProvider(pattern(count))]) { drop async throws in
      try await drop.items[0].expect(Data(pattern(count)))
      #expect(drop.uncheckedTypes(ofItem: 0).isEmpty)
    }
  }

  @Test func largeDataArrivesAsBytesThroughANetworkSocket() async throws {
    let (near, far) = try Self.networkPair()
    async let taken: Void = DropStream.withSession(over: .descriptor(far)) { session in
      for try await drop in session.drops {
        try await drop.items[0].expect(Data(pattern(2 << 20)))
        try await drop.finish(.copy)
      }
    }
    try await DropStream.withSession(over: .descriptor(near)) { session in
      _ = try await session.offer([ItemProvider(pattern(2 << 20))])
    }
    try await taken
  }

  private static func networkPair() throws -> (CInt, CInt) {
    var listener = try LoopbackListener()
    return (try listener.connect(), try SystemCalls.accept(listener.socket.raw))
  }

  // MARK: Descriptors that are refused

  /// Expects the error of a received descriptor.
  private func expect(
    _ expected: DropStreamError.Code?, _ kind: SessionDescriptor.Kind, _ count: UInt64, check: UInt32? = nil,
    promised: UInt64? = nil, _ file: SharedDescriptor, _ comment: Comment? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async {
    let description = SessionDescriptor(kind: kind, byteCount: count, check: check)
    let code = await failureCode {
      let content = try await ReceivedDescriptor(description, file).content(expecting: promised)
      for try await _ in content.chunks {}
    }
    #expect(code == expected, comment, sourceLocation: sourceLocation)
  }

  @Test func descriptorThatDiffersFromItsDescriptionIsRejected() async throws {
    let memory = SharedDescriptor(OwnedDescriptor(try SystemCalls.memoryFile("test")))
    let content = pattern(1000)
    try send(content, to: memory.raw)
    let check = content.crc32c
    await expect(.damaged, .sealedMemory, 1000, check: check, memory, "not sealed")
    await expect(.damaged, .fileToCopy, 1001, memory, "another size")
    await expect(.damaged, .fileToCopy, 1000, promised: 999, memory, "another size was offered")
    await expect(nil, .fileToCopy, 1000, promised: 1000, memory)
    try SystemCalls.seal(memory.raw)
    await expect(nil, .sealedMemory, 1000, check: check, memory)
    await expect(.damaged, .sealedMemory, 1000, check: check ^ 1, memory, "another content")
    await expect(.damaged, .fileToCopy, 0, SharedDescriptor(OwnedDescriptor(try pipe(holding: []))), "not a file")
  }

  @Test func descriptorThatWasNotOpenedForReadingIsRejected() async throws {
    let file = try directory.write(Data(pattern(100)), to: "saga.txt")
    // The last value is `O_PATH`, which Swift's module of the C library lacks.
    for (flags, expected) in [
      (O_RDONLY, nil), (O_RDWR, nil), (O_WRONLY, .damaged), (0o10_000_000, .damaged),
    ] as [(CInt, DropStreamError.Code?)] {
      for kind in [SessionDescriptor.Kind.fileToCopy, .originalFile] {
        let opened = SharedDescriptor(try .open(file.path, flags))
        await expect(expected, kind, 100, promised: 100, opened, "\(flags), \(kind)")
      }
    }
  }

  @Test func unrequestedFileIsRefused() async throws {
    let offer = DropOffer(
      suggestedName: nil, representations: [DropOffer.Representation(typeIdentifier: "public.plain-text")])
    let result = try await RawPeer.play { session in
      for try await drop in session.drops { _ = try await drop.items[0].data(for: .plainText) }
    } peer: { peer in
      try await peer.say(RawPeer.offer(offer))
      try await peer.waitForRequest()
      let file = SharedDescriptor(OwnedDescriptor(try SystemCalls.memoryFile("test")))
      try send(pattern(100), to: file.raw)
      let description = SessionDescriptor(kind: .fileToCopy, byteCount: 100, check: nil)
      let bytes = peer.bytes([.descriptor(number: 1, description, file)])
      #expect(try bytes.withUnsafeBytes { try SystemCalls.send(peer.descriptor, $0, with: file.raw) } == bytes.count)
    }
    #expect(result.streamError?.code == .damaged)
  }

  @Test(arguments: [1, 16, 40]) func unrequestedDescriptorsAreClosed(_ count: Int) async throws {
    let pair = try DescriptorPair.socketPair()
    let extra = try DescriptorPair.pipe()
    let link = try link(of: extra.read)
    let session = Task {
      try await DropStream.withSession(over: pair.reader) { session in for try await _ in session.drops {} }
    }
    // Sends a descriptor with each byte.
    for (index, byte) in SessionScript([RawPeer.hello]).bytes.enumerated() {
      let sent = try [byte].withUnsafeBytes { byte in
        index < count
          ? try SystemCalls.send(pair.write, byte, with: extra.read) : try SystemCalls.write(pair.write, byte)
      }
      #expect(sent == 1)
    }
    try SystemCalls.close(extra.read)
    try await wait(for: "the end of all passed descriptors") { try openDescriptors(to: link) <= 1 }
    try SystemCalls.close(pair.write)
    await expectFailure(.peerGone) { try await session.value }
    try SystemCalls.close(extra.write)
    try expectOpenDescriptors(to: link, 0)
  }
}
