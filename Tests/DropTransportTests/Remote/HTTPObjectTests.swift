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

/// Drop files of a web server.
@Suite(.serialized, .limited, .timeLimit(.minutes(10)), .enabled(if: RangeServer.isInstalled)) struct HTTPObjectTests {
  private static func drop(itemCount: Int = 200) async throws -> Data {
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    let path = directory.file("a.drop").path
    try await DropStream.withWriter(to: .file(path)) { writer in
      for number in 0..<itemCount { try await writer.write(ItemProvider(pattern(1000 + number), name: "\(number)")) }
    }
    return try Data(contentsOf: URL(fileURLWithPath: path))
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
      #expect(server.requests.first == "good bytes=-65536 None")
      #expect(server.requests.last?.hasSuffix("\"1\"") == true)
      #expect(try await Self.item(of: server.address("redirected") + "?token=secret") == Data(pattern(1010)))
    }
  }

  @Test(
    arguments: [
      ("whole", .unsupported), ("changed", .sourceChanged), ("grown", .sourceChanged), ("shifted", .unsupported),
      ("other", .damaged), ("cut", .truncated), ("short", .truncated), ("loop", .sourceUnavailable),
      ("secret", .sourceUnavailable), ("missing", .sourceUnavailable),
    ] as [(String, DropStreamError.Code)])
  func faultsOfTheServerAreErrors(_ fault: String, _ expected: DropStreamError.Code) async throws {
    try await RangeServer.serving(Self.drop()) { server async throws in
      #expect(await Self.code(server.address(fault)) == expected)
    }
  }

  @Test func bytesBeyondTheRangeAreIgnoredOrRejected() async throws {
    try await RangeServer.serving(Self.drop()) { server async throws in
      let code = await Self.code(server.address("long"))
      #expect(code == nil || code == .unsupported || code == .sourceUnavailable)
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
      #expect(try await eventually { server.requests.count == 2 })
      reading.cancel()
      #expect(await ends { _ = await reading.result })
      let result = await reading.result
      #expect(throws: (any Error).self) { try result.get() }
    }
  }

  @Test func anUnreachableServerIsAnError() async throws {
    let error = try await requireDropError(.sourceUnavailable) {
      try await Self.item(of: "http://127.0.0.1:1/a.drop")
    }
    #expect(error.reason.hasPrefix("cannot read http://127.0.0.1:1/a.drop: "), "\(error)")
  }

  @Test func anEmptyObjectIsAnError() async throws {
    // A suffix of an empty object cannot be satisfied.
    try await RangeServer.serving(Data()) { server async throws in
      let code = await Self.code(server.address("good"))
      #expect(code == .unsupported || code == .empty)
    }
  }

  @Test func aProgramThatEndsAtOnceIsAnError() async {
    await #expect(processExitsWith: .success) {
      signal(SIGPIPE, SIG_DFL)
      let directory = try TemporaryDirectory()
      defer { directory.remove() }
      let program = directory.file("curl")
      try Data("#!/bin/sh\nexit 7\n".utf8).write(to: program)
      chmod(program.path, 0o700)
      setenv("PATH", directory.url.path, 1)
      // The address is longer than a pipe holds, so the program ends before all of it is written.
      let address = "http://127.0.0.1/" + String(repeating: "a", count: 200_000)
      let error = try await requireDropError(.sourceUnavailable) { _ = try await Self.item(of: address) }
      #expect(error.reason.hasSuffix(": curl failed with 7"), "\(error)")
    }
  }

  @Test func aMissingProgramIsAnError() async {
    await #expect(processExitsWith: .success) {
      setenv("PATH", "/nowhere", 1)
      let error = try await requireDropError(.sourceUnavailable) {
        _ = try await Self.item(of: "http://127.0.0.1/a.drop")
      }
      #expect(error.reason == "cannot read http://127.0.0.1/a.drop: curl is not installed")
    }
  }
}
