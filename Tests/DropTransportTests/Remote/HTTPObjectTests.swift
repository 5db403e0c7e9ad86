// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import Foundation
import ItemTransfer
import TestSupport
import Testing
import UniformTypes

@testable import DropTransport

/// Drop files of a web server.
@Suite(.serialized, .limited, .peers("python3", "curl"), .timeLimit(minutes: 10)) struct HTTPObjectTests {
  private static func drop(itemCount: Int = 200) async throws -> Data {
    try await dropFile((1000..<1000 + itemCount).map { $0 })
  }

  /// Reads an item at the start of the object, far from its end.
  private static func item(of address: String) async throws -> Data {
    let object = try HTTPObject(address)
    return try await DropFile(source: object, name: object.name).item(at: 10).data(for: .data)
  }

  private static func code(_ address: String) async -> DropStreamError.Code? {
    await failureCode {
      do { _ = try await item(of: address) } catch let error as ItemProviderError {
        throw error.underlyingError ?? error
      }
    }
  }

  @Test func anItemIsReadWithTwoRequests() async throws {
    try await RangeServer.serving(Self.drop()) { server async throws in
      #expect(try await Self.item(of: server.address("good")) == Data(pattern(1010)))
      #expect(server.requests.count == 2, "\(server.requests)")
      #expect(server.requests.first == "good bytes=-65536 None" && server.requests.last?.hasSuffix("\"1\"") == true)
      #expect(try await Self.item(of: server.address("redirected") + "?token=secret") == Data(pattern(1010)))
    }
  }

  @Test func faultsOfTheServerAreErrors() async throws {
    try await RangeServer.serving(Self.drop()) { server async throws in
      for (fault, expected) in [
        ("whole", [.unsupported]), ("changed", [.sourceChanged]), ("grown", [.sourceChanged]),
        ("shifted", [.unsupported]), ("other", [.damaged]), ("cut", [.truncated]), ("short", [.truncated]),
        ("loop", [.sourceUnavailable]), ("secret", [.sourceUnavailable]), ("missing", [.sourceUnavailable]),
        // Bytes beyond the range are ignored or rejected.
        ("long", [nil, .unsupported, .sourceUnavailable]),
      ] as [(String, [DropStreamError.Code?])] {
        let code = await Self.code(server.address(fault))
        #expect(expected.contains(code), "\(fault): \(code.map { "\($0)" } ?? "no error")")
      }
    }
    // A suffix of an empty object cannot be satisfied.
    try await RangeServer.serving(Data()) { server async throws in
      let code = await Self.code(server.address("good"))
      #expect(code == .unsupported || code == .empty)
    }
  }

  @Test func curlReadsThePasswordFromTheUsersFile() async throws {
    let home = try TemporaryDirectory()
    defer { home.remove() }
    try Data("user = \"hero:secret\"\n".utf8).write(to: home.file(".curlrc"))
    setenv("CURL_HOME", home.url.path, 1)
    defer { unsetenv("CURL_HOME") }
    try await RangeServer.serving(Self.drop()) { server async throws in
      #expect(try await Self.item(of: server.address("secret")) == Data(pattern(1010)))
    }
  }

  @Test func aStreamIsReadInOrder() async throws {
    try await RangeServer.serving(Self.drop(itemCount: 20)) { server async throws in
      for fault in ["good", "whole", "redirected"] {
        let count = try await HTTPObject(server.address(fault)).withStream { endpoint in
          try await DropStream.withReader(from: endpoint) { items in
            var count = 0
            for try await _ in items { count += 1 }
            return count
          }
        }
        #expect(count == 20)
      }
      for (fault, expected) in [("missing", .sourceUnavailable), ("cut", .truncated)]
        as [(String, DropStreamError.Code)]
      {
        let code = await failureCode {
          try await HTTPObject(server.address(fault)).withStream { endpoint in
            try await DropStream.withReader(from: endpoint) { items in for try await _ in items {} }
          }
        }
        #expect(code == expected)
      }
    }
  }

  @Test func bytesOfASlowServerArriveAtOnce() async throws {
    try await RangeServer.serving(dropFile([6000])) { server async throws in
      let options = DropStreamOptions.setting { $0.idleTimeout = .seconds(2) }
      let start = ContinuousClock.now
      try await HTTPObject(server.address("slow")).withStream { endpoint in
        try await DropStream.withReader(from: endpoint, options: options) { for try await _ in $0 {} }
      }
      #expect(.now - start > .seconds(3))
    }
  }

  @Test func aSilentServerIsATimeout() async throws {
    try await RangeServer.serving(Self.drop()) { server async throws in
      let object = try HTTPObject(server.address("stalled"), idleTimeout: .milliseconds(500))
      let drop = try await DropFile(source: object, name: object.name)
      #expect(await failureCode { try await drop.item(at: 10) } == .timedOut)
    }
  }

  @Test func cancellationEndsAStalledRequest() async throws {
    try await RangeServer.serving(Self.drop()) { server async throws in
      let address = server.address("stalled")
      let reading = Task { try await Self.item(of: address) }
      try await wait(for: "the second request") { server.requests.count == 2 }
      reading.cancel()
      let result = try await finishing("the end of a cancelled request") { await reading.result }
      #expect(throws: (any Error).self) { try result.get() }
    }
  }

  @Test func anUnreachableServerIsAnError() async throws {
    let error = try await requireDropError(.sourceUnavailable) {
      try await Self.item(of: "http://127.0.0.1:1/a.drop")
    }
    #expect(error.reason.hasPrefix("cannot read http://127.0.0.1:1/a.drop: "), "\(error)")
  }
}

/// Addresses, responses as `curl --include` writes them, and the program itself.
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct HTTPResponseReaderTests {
  /// Reads responses from a pipe that holds a text.
  private static func read(_ text: String, count: Int = 1) throws -> [HTTPRangeResponse] {
    let input = OwnedDescriptor(try pipe(holding: Array(text.replacing("\n", with: "\r\n").utf8)))
    var reader = HTTPResponseReader(input.raw, name: "https://store.example/a.drop")
    return try (0..<count).map { _ in try reader.next() }
  }

  private static func code(_ text: String) async -> DropStreamError.Code? { await failureCode { try read(text) } }

  @Test func consecutiveResponsesAreRead() throws {
    let responses = try Self.read(
      "HTTP/1.1 206 Partial Content\nContent-Range: bytes 2-4/10\nETag: \"a\"\n\nabc"
        + "HTTP/2 206\ncontent-range: bytes 9-9/10\nlast-modified: Mon, 23 Nov 2026 10:00:00 GMT\n\nd", count: 2)
    #expect(responses.map(\.range) == [2..<5, 9..<10] && responses.map(\.byteCount) == [10, 10])
    #expect(responses.map { String(decoding: $0.body, as: UTF8.self) } == ["abc", "d"])
    #expect(
      responses.map(\.condition) == ["If-Match: \"a\"", "If-Unmodified-Since: Mon, 23 Nov 2026 10:00:00 GMT"])
  }

  @Test func headersOfRedirectsAndPasswordRequestsAreSkipped() throws {
    let responses = try Self.read(
      "HTTP/1.1 302 Found\nLocation: /b\n\nHTTP/1.1 401 Unauthorized\nWWW-Authenticate: Digest\n\n"
        + "HTTP/1.1 206 Partial Content\nContent-Range: bytes 0-0/1\nETag: W/\"weak\"\n\nx")
    #expect(responses[0].body == Data("x".utf8) && responses[0].condition == nil)
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
  func invalidResponsesAreErrors(_ text: String, _ expected: DropStreamError.Code) async {
    #expect(await Self.code(text) == expected)
  }

  @Test func tooLongHeadersAreErrors() async {
    let lines = (0..<7000).map { "A\($0): 123456\n" }.joined()
    for (text, expected) in [
      (String(repeating: "HTTP/1.1 302 Found\n\n", count: 40), .unsupported),
      ("HTTP/1.1 206 OK\nA: " + String(repeating: "a", count: 65_000) + "\n\n", .unsupported),
      ("HTTP/1.1 206 OK\nA: " + String(repeating: "a", count: 65_600) + "\n\n", .limitExceeded),
      ("HTTP/1.1 206 OK\n" + lines + "\n", .limitExceeded),
    ] as [(String, DropStreamError.Code)] {
      #expect(await Self.code(text) == expected)
    }
  }

  @Test func namesOmitSecrets() throws {
    for (address, name) in [
      ("https://store.example/a.drop", "https://store.example/a.drop"),
      ("https://user:secret@store.example/a.drop?token=secret#part", "https://store.example/a.drop"),
      ("HTTP://store.example", "HTTP://store.example"),
    ] {
      #expect(try HTTPObject.isAddress(address) && HTTPObject(address).name == name)
    }
  }

  @Test(arguments: [
    "https://store.example/a b", "https://store.example/a\nurl = x", "https:/store", "file:///etc/passwd", "a.drop",
  ])
  func invalidAddressesAreRefused(_ address: String) async {
    await expectFailure(.sourceUnavailable) { _ = try HTTPObject(address) }
  }

  // MARK: The program

  /// Puts a program in place of `curl`, and reads an item of an object.
  private static func read(_ address: String, with program: String?) async throws -> Data {
    let directory = try TemporaryDirectory()
    if let program { chmod(try directory.write(Data(program.utf8), to: "curl").path, 0o700) }
    setenv("PATH", directory.url.path + (program == nil ? "" : ":/usr/bin:/bin"), 1)
    let object = try HTTPObject(address)
    return try await DropFile(source: object, name: object.name).item(at: 10).data(for: .data)
  }

  @Test func anItemIsReadWithRanges() async throws {
    let directory = try TemporaryDirectory()
    let object = try directory.write(try await dropFile((1000..<1200).map { $0 }), to: "object").path
    await #expect(processExitsWith: .success) { [object = object as String] in
      setenv("OBJECT", object, 1)
      let data = try await Self.read(
        "http://127.0.0.1/a.drop",
        with: """
          #!/bin/bash
          size=$(stat -c %s "$OBJECT")
          while read -r name _ value; do
            [ "$name" = range ] || continue
            value=${value//\\"/}; first=${value%-*}; last=${value#*-}
            [ -n "$first" ] || { first=$((size > last ? size - last : 0)); last=$((size - 1)); }
            printf 'HTTP/1.1 206 Partial Content\\r\\nContent-Range: bytes %s-%s/%s\\r\\n\\r\\n' $first $last $size
            tail -c +$((first + 1)) "$OBJECT" | head -c $((last - first + 1))
          done
          """)
      #expect(data == Data(pattern(1010)))
    }
  }

  @Test func failedOrMissingProgramIsAnError() async {
    await #expect(processExitsWith: .success) {
      signal(SIGPIPE, SIG_DFL)
      // The address is longer than a pipe holds, so the program ends before all of it is written.
      let address = "http://127.0.0.1/" + String(repeating: "a", count: 200_000)
      let failed = try await requireDropError(.sourceUnavailable) {
        try await Self.read(address, with: "#!/bin/sh\nexit 7\n")
      }
      #expect(failed.reason.hasSuffix(": curl failed with 7"), "\(failed)")
      let missing = try await requireDropError(.sourceUnavailable) {
        try await Self.read("http://127.0.0.1/a.drop", with: nil)
      }
      #expect(missing.reason == "cannot read http://127.0.0.1/a.drop: curl is not installed")
    }
  }
}
