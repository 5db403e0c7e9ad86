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

extension Result where Success == Void, Failure == any Error {
  var code: DropStreamError.Code? {
    if case .failure(let error) = self { (error as? DropStreamError)?.code } else { nil }
  }
}

extension ItemProvider {
  /// Creates an item with bytes in memory.
  convenience init(_ content: [UInt8], name: String? = nil, type: UTType = .data) {
    self.init(suggestedName: name)
    register(type) { _ in Data(content) }
  }

  /// Creates an item with one representation.
  convenience init(
    named name: String? = nil, loading type: UTType,
    _ load: @escaping @Sendable (ItemProgress) async throws -> Data
  ) {
    self.init(suggestedName: name)
    register(type, loader: load)
  }

  /// Expects the bytes of a representation.
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
