// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import DropTransport
import Foundation
import Glibc
import ItemProviderCompat
import ItemTransfer
import Synchronization
import TestSupport
import Testing
import UniformTypes

typealias DataCompletion = @Sendable (Data?, (any Error)?) -> Void

/// Returns a provider of one data representation.
func provider(
  _ type: String, suggestedName: String? = nil, load: @escaping @Sendable (@escaping DataCompletion) -> Progress?
) -> NSItemProvider {
  let provider = NSItemProvider()
  provider.suggestedName = suggestedName
  provider.registerDataRepresentation(forTypeIdentifier: type, visibility: .all, loadHandler: load)
  return provider
}

/// Returns a provider of bytes.
func provider(_ type: String, suggestedName: String? = nil, _ data: Data) -> NSItemProvider {
  provider(type, suggestedName: suggestedName) { completion in
    completion(data, nil)
    return nil
  }
}

/// Returns a provider of a text.
func provider(_ type: String, suggestedName: String? = nil, _ text: String) -> NSItemProvider {
  provider(type, suggestedName: suggestedName, Data(text.utf8))
}

/// Returns a provider of a file.
func provider(
  _ type: UTType, openInPlace: Bool = false, file: @escaping @Sendable (_ send: (URL) -> Void) -> Void
) -> NSItemProvider {
  let provider = NSItemProvider()
  provider.registerFileRepresentation(for: type, openInPlace: openInPlace) { completion in
    file { completion($0, false, nil) }
    return nil
  }
  return provider
}

extension NSItemProvider {
  /// Loads a representation as text.
  func text(_ type: String) async throws -> String {
    String(decoding: try await loadDataRepresentation(forTypeIdentifier: type), as: UTF8.self)
  }

  /// Loads a value.
  func transferable<Value: Transferable>(_ type: Value.Type) async throws -> Value {
    let result: Result<Value, any Error> = await withCheckedContinuation { continuation in
      _ = loadTransferable(type: type) { continuation.resume(returning: $0) }
    }
    return try result.get()
  }
}

/// Runs `body`, which must fail with an error of `NSItemProvider`.
@discardableResult
func requireItemError<Value>(
  _ code: NSItemProvider.ErrorCode = .itemUnavailableError, sourceLocation: SourceLocation = #_sourceLocation,
  isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Value
) async throws -> NSError {
  do {
    let value = try await body()
    Issue.record("no error but \(value)", sourceLocation: sourceLocation)
    throw CocoaError(.featureUnsupported)
  } catch let error as NSError {
    let isExpected = error.domain == NSItemProvider.errorDomain && error.code == code.rawValue
    #expect(isExpected, "\(error)", sourceLocation: sourceLocation)
    return error
  }
}

/// Receives the items that another process writes into a pipe.
///
/// The closure `write` runs an exit test, whose process writes the items into the file at a path.
func received(
  isolation: isolated (any Actor)? = #isolation, from write: (_ path: String) async throws -> Void
) async throws -> [NSItemProvider] {
  let directory = try TemporaryDirectory()
  defer { directory.remove() }
  let path = directory.file("pipe").path
  #expect(mkfifo(path, 0o600) == 0)
  async let items = DropStream.withReader(from: .file(path)) { items in
    var providers: [NSItemProvider] = []
    for try await item in items { providers.append(NSItemProvider(item)) }
    return providers
  }
  try await write(path)
  return try await items
}

/// Writes items into the pipe of another process.
func send(_ providers: [NSItemProvider], to path: String) async throws {
  try await DropStream.withWriter(to: .descriptor(open(path, O_WRONLY))) { writer in
    for provider in providers { try await writer.write(provider.itemProvider) }
  }
}

/// Offers items in a session, and calls `body` with the items as the other side has them.
func inSession(_ providers: [NSItemProvider], _ body: ([NSItemProvider]) async throws -> Void) async throws {
  var pair: [CInt] = [0, 0]
  #expect(socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0, &pair) == 0)
  let (near, far) = (pair[0], pair[1])
  let items = providers.map(\.itemProvider)
  async let source = DropStream.withSession(over: .descriptor(near)) { session in try await session.offer(items) }
  try await DropStream.withSession(over: .descriptor(far)) { session in
    for try await drop in session.drops {
      try await body(drop.items.map { NSItemProvider($0) })
      try await drop.finish(.copy)
    }
  }
  _ = try await source
}

/// A counter that all threads can use.
final class Counter: Sendable {
  private let count = Lock(0)

  var value: Int { count.withLock { $0 } }

  func next() -> Int {
    count.withLock { count in
      count += 1
      return count
    }
  }
}
