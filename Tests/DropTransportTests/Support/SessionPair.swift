// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import Foundation
import ItemTransfer
import TestSupport
import Testing
import UniformTypes

@testable import DropTransport

/// A transport of a session.
enum SessionCarrierKind: String, CaseIterable, Sendable {
  case socketPair, pipes, nonBlockingPipes

  func endpoints() throws -> (DropEndpoint, DropEndpoint) {
    switch self {
    case .socketPair:
      let pair = try DescriptorPair.socketPair()
      return (.descriptor(pair.read), .descriptor(pair.write))
    case .pipes, .nonBlockingPipes:
      var (there, back) = (try DescriptorPair.pipe(), try DescriptorPair.pipe())
      if self == .nonBlockingPipes { (there, back) = (try there.nonBlocking(), try back.nonBlocking()) }
      return (.descriptors(input: back.read, output: there.write), .descriptors(input: there.read, output: back.write))
    }
  }
}

/// The results of both sides of a session.
typealias SessionOutcome<Source, Destination> = (
  source: Result<Source, any Error>, destination: Result<Destination, any Error>
)

/// Returns the values of both sides of a session, or throws the error of a side that failed.
@discardableResult
func values<Source, Destination>(
  of outcome: SessionOutcome<Source, Destination>
) throws -> (source: Source, destination: Destination) {
  let destination = try outcome.destination.get()
  return (try outcome.source.get(), destination)
}

/// Holds both sides of a session in this process, and waits for the ends of both.
func holdSession<Source: Sendable, Destination: Sendable>(
  over carrier: SessionCarrierKind = .socketPair, options: DropStreamOptions = DropStreamOptions(),
  destinationOptions: DropStreamOptions? = nil,
  source: @escaping @Sendable (DropSession) async throws -> Source,
  destination: @escaping @Sendable (DropSession) async throws -> Destination
) async throws -> SessionOutcome<Source, Destination> {
  let (near, far) = try carrier.endpoints()
  async let first = outcome(of: near, options, source)
  async let second = outcome(of: far, destinationOptions ?? options, destination)
  return (await first, await second)
}

/// Offers items in a session of their own, whose destination copies each drop after `body` has used it.
///
/// Both sides must succeed.
@discardableResult
func exchange(
  _ items: [ItemProvider], over carrier: SessionCarrierKind = .socketPair,
  options: DropStreamOptions = DropStreamOptions(), destinationOptions: DropStreamOptions? = nil,
  _ body: @escaping @Sendable (IncomingDrop) async throws -> Void
) async throws -> DropReceipt {
  let outcome = try await holdSession(over: carrier, options: options, destinationOptions: destinationOptions) {
    session in
    try await session.offer(items)
  } destination: { session in
    for try await drop in session.drops {
      try await body(drop)
      try await drop.finish(.copy)
    }
  }
  return try values(of: outcome).source
}

private func outcome<Value: Sendable>(
  of endpoint: DropEndpoint, _ options: DropStreamOptions,
  _ body: @escaping @Sendable (DropSession) async throws -> Value
) async -> Result<Value, any Error> {
  do {
    return .success(try await DropStream.withSession(over: endpoint, options: options, body))
  } catch {
    return .failure(error)
  }
}

extension Result where Failure == any Error {
  /// The error of a failure, if it is a `DropStreamError`.
  var streamError: DropStreamError? {
    guard case .failure(let error) = self else { return nil }
    return error as? DropStreamError ?? (error as? ItemProviderError)?.underlyingError as? DropStreamError
  }
}

/// Returns the error code with which `body` fails, or `nil` if it succeeds.
func failureCode<Value>(
  isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Value
) async -> DropStreamError.Code? {
  do {
    _ = try await body()
    return nil
  } catch let error as DropStreamError {
    return error.code
  } catch let error as ItemProviderError {
    return (error.underlyingError as? DropStreamError)?.code
  } catch {
    return nil
  }
}

func expectFailure<Value>(
  _ code: DropStreamError.Code, sourceLocation: SourceLocation = #_sourceLocation,
  isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Value
) async {
  #expect(await failureCode(body) == code, sourceLocation: sourceLocation)
}

/// A relay between the two sides of a session, which forwards and records their bytes.
///
/// It also forwards passed descriptors.
struct SessionRelay {
  /// The number of bytes to forward at once.
  ///
  /// It is small enough that a descriptor stays with its bytes.
  private static let chunkLength = 32 << 10

  let near: DropEndpoint
  let far: DropEndpoint
  private let inner: (near: CInt, far: CInt)

  init() throws {
    let pairs = (try DescriptorPair.socketPair(), try DescriptorPair.socketPair())
    near = .descriptor(pairs.0.read)
    far = .descriptor(pairs.1.read)
    inner = (pairs.0.write, pairs.1.write)
  }

  /// Forwards all bytes until both sides have closed.
  ///
  /// - Returns: The bytes of each side.
  func record() async throws -> (near: [UInt8], far: [UInt8]) {
    let (near, far) = inner
    async let there = onThread { Self.copy(from: near, to: far) }
    async let back = onThread { Self.copy(from: far, to: near) }
    let recordings = (near: try await there, far: try await back)
    for end in [near, far] { try SystemCalls.close(end) }
    return recordings
  }

  private static func copy(from source: CInt, to destination: CInt) -> [UInt8] {
    var all: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: chunkLength)
    var isReading = true
    while true {
      var descriptors: [CInt] = []
      defer { for descriptor in descriptors { try? SystemCalls.close(descriptor) } }
      // If a side closes before it has read everything, the connection is reset. That is also the end of the input.
      let count = try? buffer.withUnsafeMutableBytes {
        try SystemCalls.receive(source, $0, descriptors: &descriptors, 0)
      }
      guard let count, count > 0 else { break }
      all += buffer[..<count]
      // A side that has sent a close does not read any more, but its peer continues to send until it receives the
      // close.
      if isReading { isReading = (try? send(Array(buffer[..<count]), with: descriptors.first, to: destination)) != nil }
    }
    shutdown(destination, CInt(SHUT_WR))
    return all
  }

  private static func send(_ bytes: [UInt8], with descriptor: CInt?, to socket: CInt) throws {
    guard let descriptor else { return try bytes.withUnsafeBytes { try SystemCalls.writeAll(socket, $0) } }
    while true {
      do {
        let count = try bytes.withUnsafeBytes { try SystemCalls.send(socket, $0, with: descriptor) }
        return try bytes[count...].withUnsafeBytes { try SystemCalls.writeAll(socket, $0) }
      } catch let error as SystemError where error.errorNumber == EAGAIN {
        var ends = [pollfd(fd: socket, events: Int16(POLLOUT), revents: 0)]
        _ = poll(&ends, 1, 1000)
      }
    }
  }
}
