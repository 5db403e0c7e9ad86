// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import Foundation
import ItemTransfer
import TestSupport
import Testing
import UniformTypes

@testable import DropTransport

/// A transport of a stream.
enum Carrier: String, CaseIterable, Sendable {
  case pipe
  case socketPair
  case nonBlockingPipe
  case nonBlockingSocketPair
  case fifo
  case file

  /// Runs a writer and a reader, and waits for the ends of both.
  func carry(
    options: DropStreamOptions = DropStreamOptions(), reading readerOptions: DropStreamOptions? = nil,
    _ write: @escaping @Sendable (DropStreamWriter) async throws -> Void
  ) async throws -> (writer: Result<Void, any Error>, reader: Outcome) {
    let readerOptions = readerOptions ?? options
    let pair: DescriptorPair
    switch self {
    case .pipe: pair = try .pipe()
    case .socketPair: pair = try .socketPair()
    case .nonBlockingPipe: pair = try .pipe().nonBlocking()
    case .nonBlockingSocketPair: pair = try .socketPair().nonBlocking()
    case .fifo:
      let directory = try TemporaryDirectory()
      defer { directory.remove() }
      let path = directory.file("fifo").path
      try makeFIFO(path)
      async let received = outcome(from: .file(path), options: readerOptions)
      // Opening the named pipe waits until the reader has opened it.
      let descriptor = try await onThread { try SystemCalls.open(path, O_WRONLY) }
      let written = await writing(to: .descriptor(descriptor), options, write)
      return (written, try await received)
    case .file:
      let directory = try TemporaryDirectory()
      defer { directory.remove() }
      let path = directory.file("items.drop").path
      let descriptor = try SystemCalls.open(path, O_WRONLY | O_CREAT | O_EXCL, 0o600)
      let written = await writing(to: .descriptor(descriptor), options, write)
      return (written, try await outcome(from: .file(path), options: readerOptions))
    }
    async let received = outcome(from: pair.reader, options: readerOptions)
    let written = await writing(to: pair.writer, options, write)
    return (written, try await received)
  }
}

/// Writes a stream and returns the outcome of its writer.
func writing(
  to endpoint: DropEndpoint, _ options: DropStreamOptions = DropStreamOptions(),
  _ write: (DropStreamWriter) async throws -> Void
) async -> Result<Void, any Error> {
  do {
    return .success(try await DropStream.withWriter(to: endpoint, options: options, write))
  } catch {
    return .failure(error)
  }
}

func writtenBytes(
  _ options: DropStreamOptions = DropStreamOptions(), _ write: (DropStreamWriter) async throws -> Void
) async throws -> [UInt8] {
  let pair = try DescriptorPair.pipe()
  async let bytes = readAll(pair.read)
  try await DropStream.withWriter(to: pair.writer, options: options, write)
  return try await bytes
}

extension Result where Success == Void, Failure == any Error {
  var code: DropStreamError.Code? {
    if case .failure(let error) = self { (error as? DropStreamError)?.code } else { nil }
  }
}

extension ItemProvider {
  convenience init(_ content: [UInt8], name: String? = nil, type: UTType = .data) {
    self.init(suggestedName: name)
    register(type) { _ in Data(content) }
  }

  convenience init(
    named name: String? = nil, loading type: UTType,
    _ load: @escaping @Sendable (ItemProgress) async throws -> Data
  ) {
    self.init(suggestedName: name)
    register(type, loader: load)
  }

  func expect(
    _ content: Data, for type: UTType = .data, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    #expect(try await data(for: type) == content, sourceLocation: sourceLocation)
  }

  /// Creates an item with a file, and with a size that is promised for it.
  convenience init(file: URL, promising byteCount: Int64?, preparing: @escaping @Sendable () throws -> Void = {}) {
    self.init(suggestedName: file.lastPathComponent)
    registerFile(.data, size: byteCount.map { .exact($0) } ?? .unknown) { _ in
      try preparing()
      return SentTransferredFile(file)
    }
  }
}

/// Returns bytes that vary.
///
/// Two calls with the same count return the same bytes.
func pattern(_ count: Int) -> [UInt8] {
  Array(longPattern[..<count])
}

private let longPattern: [UInt8] = {
  // The period is not a power of two, so exchanged chunks differ.
  let period = (0..<4093).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) }
  var bytes = period
  while bytes.count < 9 << 20 { bytes += bytes }
  return bytes
}()

/// Ignores SIGPIPE, so that a write to a pipe without a reader is an error instead of the end of the test process.
let ignoringBrokenPipes: Void = { _ = signal(SIGPIPE, SIG_IGN) }()

struct DescriptorPair {
  var read: CInt
  var write: CInt

  static func pipe() throws -> DescriptorPair {
    _ = ignoringBrokenPipes
    let ends = try SystemCalls.pipe()
    return DescriptorPair(read: ends.read, write: ends.write)
  }

  static func socketPair() throws -> DescriptorPair {
    _ = ignoringBrokenPipes
    var ends: [CInt] = [-1, -1]
    guard socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
      throw SystemError(errno, in: "socketpair")
    }
    return DescriptorPair(read: ends[0], write: ends[1])
  }

  /// Makes both ends non-blocking, also for other descriptors of the same pipe.
  func nonBlocking() throws -> DescriptorPair {
    for end in [read, write] {
      _ = try SystemCalls.control(end, F_SETFL, try SystemCalls.control(end, F_GETFL) | O_NONBLOCK)
    }
    return self
  }

  var reader: DropEndpoint { .descriptor(read) }
  var writer: DropEndpoint { .descriptor(write) }

  /// Writes bytes, which must fit into the buffer of the pair.
  func send(_ bytes: some Sequence<UInt8>) throws { try DropTransportTests.send(bytes, to: write) }

  /// Waits until the reader has taken all bytes that were sent.
  func waitUntilRead() async throws {
    // A socket reports the bytes that its peer has not read, a pipe those that it holds.
    var count: CInt = 0
    try await wait(for: "a read of all bytes") {
      (ioctl(write, UInt(TIOCOUTQ), &count) == 0 || ioctl(write, UInt(FIONREAD), &count) == 0) && count == 0
    }
  }
}

/// Writes bytes to a descriptor, which may block.
func send(_ bytes: some Sequence<UInt8>, to descriptor: CInt) throws {
  try Array(bytes).withUnsafeBytes { try SystemCalls.writeAll(descriptor, $0) }
}

/// Returns the read end of a pipe that receives these bytes and then ends.
func pipe(holding bytes: [UInt8]) throws -> CInt {
  let pair = try DescriptorPair.pipe()
  let sending: @Sendable () throws -> Void = {
    defer { try? SystemCalls.close(pair.write) }
    try pair.send(bytes)
  }
  if bytes.count <= 4096 { try sending() } else { BlockingExecutor.startThread { try? sending() } }
  return pair.read
}

func makeFIFO(_ path: String) throws {
  guard mkfifo(path, 0o600) == 0 else { throw SystemError(errno, in: "mkfifo") }
}

/// Returns a name of the descriptor's target, which is unique among pipes and sockets.
func link(of descriptor: CInt) throws -> String {
  try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(descriptor)")
}

/// Returns the number of descriptors of this process that lead to `link`.
///
/// Parallel tests do not affect it.
func openDescriptors(to link: String) throws -> Int {
  let names = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
  return names.filter { (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")) == link }
    .count
}

func expectOpenDescriptors(
  to link: String, _ count: Int, sourceLocation: SourceLocation = #_sourceLocation
) throws {
  #expect(try openDescriptors(to: link) == count, sourceLocation: sourceLocation)
}
