// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import Foundation
import TestSupport
import Testing

@testable import DropTransport

/// Responses as `curl --include` writes them.
@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct HTTPResponseReaderTests {
  /// Reads responses from a pipe that holds a text.
  private static func read(_ text: String, count: Int = 1) throws -> [HTTPRangeResponse] {
    let input = OwnedDescriptor(try pipe(holding: Array(text.replacing("\n", with: "\r\n").utf8)))
    var reader = HTTPResponseReader(input.raw, name: "https://store.example/a.drop")
    return try (0..<count).map { _ in try reader.next() }
  }

  private static func code(_ text: String) -> DropStreamError.Code? {
    do {
      _ = try read(text)
      return nil
    } catch {
      return (error as? DropStreamError)?.code
    }
  }

  @Test func consecutiveResponsesAreRead() throws {
    let responses = try Self.read(
      "HTTP/1.1 206 Partial Content\nContent-Range: bytes 2-4/10\nETag: \"a\"\n\nabc"
        + "HTTP/2 206\ncontent-range: bytes 9-9/10\nlast-modified: Mon, 23 Nov 2026 10:00:00 GMT\n\nd", count: 2)
    #expect(responses.map(\.range) == [2..<5, 9..<10])
    #expect(responses.map(\.byteCount) == [10, 10])
    #expect(responses.map { String(decoding: $0.body, as: UTF8.self) } == ["abc", "d"])
    #expect(
      responses.map(\.condition) == ["If-Match: \"a\"", "If-Unmodified-Since: Mon, 23 Nov 2026 10:00:00 GMT"])
  }

  @Test func headersOfRedirectsAndPasswordRequestsAreSkipped() throws {
    let responses = try Self.read(
      "HTTP/1.1 302 Found\nLocation: /b\n\nHTTP/1.1 401 Unauthorized\nWWW-Authenticate: Digest\n\n"
        + "HTTP/1.1 206 Partial Content\nContent-Range: bytes 0-0/1\nETag: W/\"weak\"\n\nx")
    #expect(responses[0].body == Data("x".utf8))
    #expect(responses[0].condition == nil)
  }

  @Test(
    arguments: [
      ("", .truncated), ("HTTP/1.1 206 Partial\nContent-Range: bytes 0-2/3\n\nab", .truncated),
      ("HTTP/1.1 206 Partial\nContent-Ra", .truncated), ("HTTP/1.1 200 OK\n\nabc", .unsupported),
      ("HTTP/1.1 206 Partial\n\nabc", .unsupported),
      ("HTTP/1.1 206 Partial\nContent-Range: bytes 2-1/3\n\nab", .unsupported),
      ("HTTP/1.1 206 Partial\nContent-Range: bytes 0-3/3\n\nab", .unsupported),
      ("HTTP/1.1 206 Partial\nContent-Range: bytes 0-18446744073709551615/3\n\nab", .unsupported),
      ("HTTP/1.1 206 Partial\nContent-Range: bytes */3\n\nab", .unsupported),
      ("HTTP/1.1 206 Partial\nContent-Range: bytes 0-1/2\nContent-Encoding: gzip\n\nab", .unsupported),
      ("HTTP/1.1 412 Precondition Failed\n\n", .sourceChanged), ("HTTP/1.1 404 Not Found\n\n", .sourceUnavailable),
      ("HTTP/1.1 416 No\nContent-Range: bytes */0\n\n", .empty), ("HTTP/1.1 416 No\n\n", .sourceUnavailable),
      ("HTTP/1.1 401 Unauthorized\n\n", .sourceUnavailable), ("FTP/1.0 206 OK\n\n", .unsupported),
      ("HTTP/1.1 6 OK\n\n", .unsupported),
    ] as [(String, DropStreamError.Code)])
  func invalidResponsesAreErrors(_ text: String, _ expected: DropStreamError.Code) {
    #expect(Self.code(text) == expected)
  }

  @Test func tooLongHeadersAreErrors() {
    #expect(Self.code(String(repeating: "HTTP/1.1 302 Found\n\n", count: 40)) == .unsupported)
    #expect(Self.code("HTTP/1.1 206 OK\nA: " + String(repeating: "a", count: 65_000) + "\n\n") == .unsupported)
    #expect(Self.code("HTTP/1.1 206 OK\nA: " + String(repeating: "a", count: 65_600) + "\n\n") == .limitExceeded)
    let lines = (0..<7000).map { "A\($0): 123456\n" }.joined()
    #expect(Self.code("HTTP/1.1 206 OK\n" + lines + "\n") == .limitExceeded)
  }

  @Test(arguments: [
    ("https://store.example/a.drop", "https://store.example/a.drop"),
    ("https://user:secret@store.example/a.drop?token=secret#part", "https://store.example/a.drop"),
    ("HTTP://store.example", "HTTP://store.example"),
  ]) func namesOmitSecrets(_ address: String, _ name: String) throws {
    #expect(HTTPObject.isAddress(address))
    #expect(try HTTPObject(address).name == name)
  }

  @Test(arguments: [
    "https://store.example/a b", "https://store.example/a\nurl = x", "https:/store", "file:///etc/passwd", "a.drop",
  ])
  func invalidAddressesAreRefused(_ address: String) async {
    #expect(await failureCode { _ = try HTTPObject(address) } == .sourceUnavailable)
  }
}
