// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import Foundation
import TestSupport
import Testing

@testable import DisplayWire

@Suite(.limited, .timeLimit(minutes: 5)) struct BusAddressTests {
  private func addresses(_ text: String?, directory: String? = "/run/user/7") throws -> [BusAddress] {
    var environment: [String: String] = [:]
    environment["DBUS_SESSION_BUS_ADDRESS"] = text
    environment["XDG_RUNTIME_DIR"] = directory
    return try BusAddress.session(environment)
  }

  @Test(arguments: [
    ("unix:path=/tmp/atlas", [BusAddress.path("/tmp/atlas")]),
    ("unix:path=/tmp/a%2cb%3B%20c,guid=0123", [.path("/tmp/a,b; c")]),
    ("unix:abstract=/tmp/dbus-x", [.abstract("/tmp/dbus-x")]),
    ("unix:runtime=yes", [.path("/run/user/7/bus")]),
    ("tcp:host=localhost,port=4;unix:path=/a;unix:abstract=b;", [.path("/a"), .abstract("b")]),
  ])
  func parsesAddresses(text: String, expected: [BusAddress]) throws {
    #expect(try addresses(text) == expected)
  }

  @Test(arguments: [nil, ""]) func usesTheStandardSocketWithoutAnAddress(text: String?) throws {
    #expect(try addresses(text) == [.path("/run/user/7/bus")])
  }

  @Test(arguments: [
    "unix", "unix:", "unix:path", "unix:path=", "unix:path=relative", "unix:path=/a,path=/b",
    "unix:path=/a,abstract=b", "unix:abstract=", "unix:runtime=no", "unix:dir=/tmp", "unix:path=/a%0",
    "unix:path=/a%00b",
    "unix:path=/a%+1", "unix:path=/a%ff", "unix:path=/a;x",
    "unix:path=/" + String(repeating: "a", count: 5000),
  ])
  func rejectsMalformedAddresses(text: String) async throws {
    let error = try await failure { try addresses(text) }
    #expect(error.code == .badAddress && error.text.hasPrefix("malformed"))
  }

  @Test(arguments: [("tcp:host=localhost,port=4", "/run/user/7"), ("unix:runtime=yes", "run"), ("", "")])
  func rejectsAnEnvironmentWithoutALocalSocket(text: String, directory: String) async throws {
    #expect(try await failure { try addresses(text, directory: directory) }.code == .badAddress)
  }

  @Test func connectsToTheFirstSocketThatListens() async throws {
    let directory = try TemporaryDirectory()
    let path = directory.file("bus").path
    let listener = OwnedDescriptor(try SystemCalls.socket())
    try SystemCalls.bind(listener.raw, path)
    try SystemCalls.listen(listener.raw, 1)
    let all: [BusAddress] = [.path("\(path)-none"), .abstract("\(path)-none"), .path(path)]
    let client = try await onThread { try BusAddress.connect(to: all, timeout: .seconds(60)).release() }
    try SystemCalls.close(client)
    let error = try await failure {
      try await onThread { try BusAddress.connect(to: Array(all.prefix(2)), timeout: .seconds(60)).release() }
    }
    #expect(error.code == .unreachable)
  }
}
