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
@Suite(.serialized, .limited, .peers("python3", "curl"), .timeLimit(.minutes(10))) struct HTTPObjectTests {
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
