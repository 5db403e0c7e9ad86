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

/// The descriptors of endpoints.
///
/// Every ending of a scope must close them.
@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct DescriptorTests {
  @Test("both ends are closed when their scopes return or throw", arguments: [false, true])
  func scopesCloseBothEnds(_ isThrowing: Bool) async throws {
    for pair in [try DescriptorPair.pipe(), try .socketPair()] {
      let names = (try link(of: pair.read), try link(of: pair.write))
      _ = await writing(to: pair.writer) { writer in
        try await writer.write(ItemProvider([1]))
        if isThrowing { throw TestFailure() }
      }
      // Both ends of a pipe have the same link target.
      #expect(try openDescriptors(to: names.1) == (names.0 == names.1 ? 1 : 0))
      let received = try await outcome(from: pair.reader)
      #expect(received.code == (isThrowing ? .senderFailed : nil))
      #expect(try openDescriptors(to: names.0) == 0)
    }
  }

  @Test(
    "memory devices are written like files, and no other device",
    arguments: [("/dev/null", true), ("/dev/zero", true), ("/dev/full", true), ("/dev/ptmx", false)])
  func onlyMemoryDevicesAreWrittenLikeFiles(_ path: String, _ isReady: Bool) throws {
    let status = try SystemCalls.statusAt(DropEndpoint.currentDirectory, path)
    #expect(status.kind == .characterDevice)
    #expect(status.neverWaits == isReady)
    let descriptor = try StreamDescriptor(
      .open(path, O_RDWR | O_NOCTTY), access: O_RDWR, interrupt: Interrupt(), idleTimeout: nil)
    let isFile = descriptor.mode == .file
    #expect(isFile == isReady)
  }

  @Test(
    "a pipe is widened to several chunks, and a wider pipe keeps its size",
    arguments: [0, 1 << 20])
  func pipeIsWidenedAndAWiderPipeKeepsItsSize(_ before: CInt) throws {
    // Swift's module of the C library lacks these constants.
    let (setsPipeSize, getsPipeSize): (CInt, CInt) = (1031, 1032)
    for (end, access) in [(\DescriptorPair.read, O_RDONLY), (\.write, O_WRONLY)] {
      let pair = try DescriptorPair.pipe()
      if before > 0 { _ = try SystemCalls.control(pair.write, setsPipeSize, before) }
      let descriptor = try StreamDescriptor(
        OwnedDescriptor(try SystemCalls.duplicate(pair[keyPath: end])), access: access, interrupt: Interrupt(),
        idleTimeout: nil)
      let size = try SystemCalls.control(descriptor.raw, getsPipeSize)
      #expect(size == max(before, 256 << 10))
      try SystemCalls.close(pair.read)
      try SystemCalls.close(pair.write)
    }
  }

  @Test("a reader that is abandoned or escapes its scope keeps no descriptor open")
  func abandonedReaderKeepsNoDescriptorOpen() async throws {
    let pair = try DescriptorPair.pipe()
    let name = try link(of: pair.read)
    try SmallStream.bytes.withUnsafeBytes { try SystemCalls.writeAll(pair.write, $0) }
    let leaked = try await DropStream.withReader(from: pair.reader) { reader in
      for try await _ in reader { break }
      return reader
    }
    // Only the descriptor of the test itself is open.
    #expect(try openDescriptors(to: name) == 1)
    try SystemCalls.close(pair.write)
    try await requireDropError(.closed) {
      for try await _ in leaked {}
    }
  }

  @Test("an inspector that escapes its scope keeps no descriptor open, and repeats its end")
  func escapedInspectorKeepsNoDescriptorOpen() async throws {
    let stream = try pipe(holding: SmallStream.bytes)
    let name = try link(of: stream)
    let leaked = try await DropStream.withInspector(from: .descriptor(stream)) { inspector in
      for try await _ in inspector {}
      return inspector
    }
    #expect(try openDescriptors(to: name) == 0)
    for try await _ in leaked { Issue.record("an item behind the end") }
  }

  @Test("an endpoint that cannot be opened is reported by name")
  func endpointThatCannotBeOpenedIsReportedByName() async throws {
    let directory = try TemporaryDirectory()
    let missing = directory.file("missing").path
    let error = try await requireDropError(.sourceUnavailable) {
      try await DropStream.withReader(from: .file(missing)) { _ in Issue.record("the body ran") }
    }
    #expect(error.description == "cannot open \(missing): No such file or directory")
    #expect(error.errorNumber == ENOENT)
    let write = await writing(to: .file(missing + "/a.drop")) { _ in Issue.record("the body ran") }
    #expect(write.code == .destinationUnavailable)
    try requireFailure(.sourceUnavailable, try await outcome(from: .descriptor(-1)))
    #expect(await writing(to: .descriptor(-1)) { _ in }.code == .destinationUnavailable)
    try requireFailure(.sourceUnavailable, try await outcome(from: .file(directory.url.path)))
  }

  @Test("descriptions of endpoints are escaped")
  func descriptionsOfEndpointsAreEscaped() {
    #expect("\(DropEndpoint.standardInput)" == "standard input")
    #expect("\(DropEndpoint.standardOutput)" == "standard output")
    #expect("\(DropEndpoint.descriptor(7))" == "descriptor 7")
    #expect("\(DropEndpoint.file("a\u{1B}b"))" == #"a\u{1b}b"#)
  }

  @Test("a shared descriptor keeps its blocking mode", arguments: [false, true])
  func sharedDescriptorKeepsItsBlockingMode(_ isNonBlocking: Bool) async throws {
    for kind in [DescriptorPair.pipe, DescriptorPair.socketPair] {
      var pair = try kind()
      if isNonBlocking { pair = try pair.nonBlocking() }
      let shared = try SystemCalls.control(pair.write, F_DUPFD_CLOEXEC, 3)
      let before = try SystemCalls.control(shared, F_GETFL)
      let flags = Collector<CInt>()
      _ = await writing(to: pair.writer) { writer in
        try await writer.write(ItemProvider([1]))
        flags.add(try SystemCalls.control(shared, F_GETFL))
      }
      flags.add(try SystemCalls.control(shared, F_GETFL))
      #expect(flags.values == [before, before])
      try SystemCalls.close(shared)
      #expect(try await outcome(from: pair.reader).code == nil)
    }
  }
}
