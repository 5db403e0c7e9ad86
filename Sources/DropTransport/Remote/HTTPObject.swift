// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
public import FoundationEssentials
internal import Synchronization

/// An object of a web server or an object store, read by ranges (RFC 9110, section 14).
///
/// ```swift
/// let object = try HTTPObject("https://store.example/heroes.drop")
/// let drop = try await DropFile(source: object, name: object.name)
/// let last = try await drop.item(at: drop.itemCount - 1).value(as: Hero.self)
/// ```
///
/// The program `curl` makes the requests, each process for several ranges. Its configuration file `~/.curlrc` applies,
/// and so do `~/.netrc` and the variables for proxies: for example, `aws-sigv4` and `user` in the file sign the
/// requests to a store.
///
/// If this process is killed, `curl` ends when the next bytes arrive, or after the idle timeout.
///
/// If the server states a strong entity tag or a time of modification, each later request requires the same value.
/// Reading an object that was replaced then throws an error instead of returning a mixture.
public final class HTTPObject: RandomAccessSource {
  /// The address without user, password, query and fragment, which may be secrets.
  public let name: String
  private let request: HTTPRequest
  /// The response with the last bytes, which ``byteCount()`` sets.
  ///
  /// Later responses must be of the same version of the object.
  private let end = Lock<HTTPRangeResponse?>(nil)

  /// Creates an object without a request.
  ///
  /// - Parameters:
  ///   - address: An `https:` or `http:` address.
  ///   - idleTimeout: The longest wait for the connection and for further bytes, rounded up to seconds; 30 seconds if it
  ///     is `nil`.
  /// - Throws: `sourceUnavailable` if it is not such an address.
  public init(_ address: String, idleTimeout: Duration? = nil) throws(DropStreamError) {
    request = try HTTPRequest(address, idleTimeout: idleTimeout ?? .seconds(30))
    name = request.name
  }

  /// Returns whether a string is the address of such an object.
  public static func isAddress(_ text: String) -> Bool {
    let scheme = text.prefix { $0 != ":" }.lowercased()
    return (scheme == "https" || scheme == "http") && text.dropFirst(scheme.count).hasPrefix("://")
  }

  /// Reads the object in order, as one stream, with a single request.
  ///
  /// - Parameter body: Reads the stream.
  /// - Returns: The result of `body`.
  /// - Throws: The errors of `body`; if the stream ended early because the request failed, the error of the request.
  public func withStream<Result>(_ body: (DropEndpoint) async throws -> Result) async throws -> Result {
    try await request.withContent { output in
      try await body(.descriptor(try SystemCalls.duplicate(output.raw)))
    }
  }

  /// Requests the last bytes, and returns the length of the object.
  ///
  /// - Throws: `unsupported` if the server does not support ranges; `sourceUnavailable` for an error status or without
  ///   a connection; `timedOut`, `truncated` or `limitExceeded` if the response is incomplete or too long; `cancelled`.
  public func byteCount() async throws -> UInt64 {
    let response: HTTPRangeResponse
    do {
      response = try await request.send([.last(SourceReader.tailLength)], condition: nil)[0]
    } catch let error as DropStreamError where error.code == .empty {
      return 0
    }
    guard response.range.upperBound == response.byteCount, response.body.count <= SourceReader.tailLength else {
      throw DropStreamError(.unsupported, "\(name) did not return the requested last bytes")
    }
    end.withLock { $0 = response }
    return response.byteCount
  }

  /// Requests the bytes of ranges, except ranges within the last bytes, which ``byteCount()`` has received.
  ///
  /// - Throws: `sourceUnavailable` before a call of ``byteCount()``; `sourceChanged` if the object was replaced since
  ///   that call; `truncated` if a response is too short; the errors of ``byteCount()``.
  public func bytes(in ranges: [Range<UInt64>]) async throws -> [Data] {
    guard let end = end.withLock({ $0 }) else { throw DropStreamError(.sourceUnavailable, "\(name) is not open") }
    var wanted = ranges.filter { $0.lowerBound < end.range.lowerBound }[...]
    var fetched: [Range<UInt64>: Data] = [:]
    while !wanted.isEmpty {
      let part = Array(wanted.prefix(HTTPRequest.maximumCount))
      wanted = wanted.dropFirst(part.count)
      let responses = try await request.send(part.map { .bytes($0) }, condition: end.condition)
      for (range, response) in zip(part, responses) {
        guard response.byteCount == end.byteCount, response.condition == end.condition else {
          throw HTTPRequest.changed(name)
        }
        guard response.range == range else {
          throw DropStreamError(.unsupported, "\(name) did not return the requested range")
        }
        fetched[range] = response.body
      }
    }
    return ranges.map { range in
      fetched[range] ?? end.body.dropFirst(Int(range.lowerBound - end.range.lowerBound)).prefix(range.count)
    }
  }
}
