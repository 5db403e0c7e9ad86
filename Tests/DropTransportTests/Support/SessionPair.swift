// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import ItemTransfer
import TestSupport
import UniformTypes

@testable import DropTransport

/// A transport of a session.
enum SessionCarrierKind: String, CaseIterable, Sendable {
  case socketPair, pipes, nonBlockingPipes

  /// Returns the endpoints of both sides.
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

/// Holds both sides of a session in this process, and waits for the ends of both.
func holdSession<Source: Sendable, Destination: Sendable>(
  over carrier: SessionCarrierKind = .socketPair, options: DropStreamOptions = DropStreamOptions(),
  destinationOptions: DropStreamOptions? = nil,
  source: @escaping @Sendable (DropSession) async throws -> Source,
  destination: @escaping @Sendable (DropSession) async throws -> Destination
) async throws -> (source: Result<Source, any Error>, destination: Result<Destination, any Error>) {
  let (near, far) = try carrier.endpoints()
  async let first = outcome(of: near, options, source)
  async let second = outcome(of: far, destinationOptions ?? options, destination)
  return (await first, await second)
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
