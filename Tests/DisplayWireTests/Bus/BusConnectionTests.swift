// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import Foundation
import Glibc
import TestSupport
import Testing

@testable import DisplayWire

/// Calls over a socket pair, to a bus that may violate the protocol.
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct BusConnectionTests {
  private let call = BusCall("Find", of: "org.example", at: "/a", in: "org.example", [.string("Ariadne")])

  /// Returns the error of a call to a bus with a reaction, and checks that the client closes the connection.
  private func ending(
    timeout: Duration = .seconds(60), authentication: String? = nil,
    _ reaction: @escaping FakeBus.Handler = { _, _ in }
  ) async throws -> (code: DisplayError.Code, text: String) {
    let bus = authentication.map { FakeBus(authentication: $0, handler: reaction) } ?? FakeBus(handler: reaction)
    let connection = bus.connection(timeout: timeout)
    let error = try await failure { try await connection.call(call) }
    try await wait(for: "the end of the connection") { bus.closedCount == 1 }
    return error
  }

  // MARK: Calls

  @Test func callHasItsArgumentsAndItsResponse() async throws {
    let bus = FakeBus { $1.respond(to: $0, strings: ["/a", "/b"]) }
    let connection = bus.connection()
    #expect(try await connection.call(call).strings() == ["/a", "/b"])
    #expect(try await connection.call(call).strings() == ["/a", "/b"])
    #expect(bus.calls.map(\.member) == ["Find", "Find"] && bus.calls.map(\.serial) == [2, 3])
    #expect(bus.calls.map { $0.string() } == ["Ariadne", "Ariadne"] && bus.connectionCount == 1)
  }

  @Test func simultaneousCallsAreSentOneAfterTheOther() async throws {
    let bus = FakeBus { $1.respond(to: $0, string: "\($0.serial)") }
    let connection = bus.connection()
    let found = try await withThrowingTaskGroup(of: String.self) { group in
      for _ in 0..<20 { group.addTask { [call] in try await connection.call(call).string() } }
      return try await group.reduce(into: Set()) { $0.insert($1) }
    }
    #expect(found == Set((2...21).map { "\($0)" }) && bus.connectionCount == 1)
  }

  @Test func descriptorsArePassed() async throws {
    let bus = FakeBus { $1.respond(to: $0) }
    let connection = bus.connection()
    let directory = try TemporaryDirectory()
    let path = try directory.write(Data("x".utf8), to: "thread").path
    for count in [1, 16] {
      let files = try (0..<count).map { _ in try SystemCalls.open(path, O_RDONLY) }
      defer { for file in files { try? SystemCalls.close(file) } }
      _ = try await connection.call(BusCall("Add", of: "a.b", at: "/", in: "a.b", [.descriptors(files)]))
      #expect(bus.calls.last?.paths == [String](repeating: path, count: count))
    }
  }

  @Test func errorOfTheServiceLeavesTheConnectionOpen() async throws {
    let bus = FakeBus { $0.serial == 2 ? $1.reject($0) : $1.respond(to: $0, string: "x") }
    let connection = bus.connection()
    let error = try await failure { try await connection.call(call) }
    #expect(error.code == .requestFailed && error.text.hasSuffix("AccessDenied: Invalid transfer"))
    #expect(try await connection.call(call).string() == "x")
    #expect(bus.connectionCount == 1)
  }

  @Test func signalsAreKeptUntilTheyAreTaken() async throws {
    let bus = FakeBus { call, bus in
      for number in 0..<70 { bus.send(FakeBusMessage(signal: "TransferClosed", of: "a.b", "\(number)").encoded) }
      bus.respond(to: call)
    }
    let connection = bus.connection()
    _ = try await connection.call(call)
    #expect(try connection.takeSignals().map { try $0.string() } == (6..<70).map { "\($0)" })
    #expect(connection.takeSignals().isEmpty)
  }

  @Test func otherMessagesAreIgnored() async throws {
    let bus = FakeBus { call, bus in
      var unknown = FakeBusMessage(responseTo: call.serial, signature: "s")
      unknown.kind = 77
      var foreign = FakeBusMessage(signal: "Ping", of: "org.freedesktop.DBus.Peer", "x")
      foreign.kind = 1
      let others = [unknown, foreign, FakeBusMessage(responseTo: 1), FakeBusMessage(responseTo: 1, error: "a.b")]
      // The bytes arrive in pieces that do not end where messages end.
      let bytes = others.flatMap(\.encoded)
      for start in stride(from: 0, to: bytes.count, by: 50) { bus.send(Array(bytes[start...].prefix(50))) }
      bus.respond(to: call, string: "x")
    }
    #expect(try await bus.connection().call(call).string() == "x")
  }

  // MARK: Descriptors

  @Test(arguments: [0, 1, 3]) func descriptorsOfMessagesAreCountedAndClosed(count: Int) async throws {
    let file = OwnedDescriptor(try SystemCalls.memoryFile("labyrinth"))
    let raw = file.raw
    let bus = FakeBus { call, bus in
      var signal = FakeBusMessage(signal: "Passed", of: "a.b", "x")
      signal.numbers.append((9, UInt32(count)))
      bus.send(signal.encoded, descriptors: [CInt](repeating: raw, count: count))
      bus.respond(to: call, string: "x")
    }
    #expect(try await bus.connection().call(call).string() == "x")
    #expect(openCount(of: raw) == 1)
    withExtendedLifetime(file) {}
  }

  @Test(arguments: [(0, 1), (1, 0), (2, 1), (1, 2), (UInt32.max, 1)])
  func wrongNumberOfDescriptorsEndsTheConnection(declared: UInt32, passed: Int) async throws {
    let file = OwnedDescriptor(try SystemCalls.memoryFile("labyrinth"))
    let raw = file.raw
    let error = try await ending { call, bus in
      var response = FakeBusMessage(responseTo: call.serial)
      response.numbers.append((9, declared))
      bus.send(response.encoded, descriptors: [CInt](repeating: raw, count: passed))
    }
    #expect(error.code == .protocolViolation && error.text.hasSuffix("\(passed) descriptors instead of \(declared)"))
    #expect(openCount(of: raw) == 1)
    withExtendedLifetime(file) {}
  }

  @Test func tooManyDescriptorsEndTheConnection() async throws {
    let file = OwnedDescriptor(try SystemCalls.memoryFile("labyrinth"))
    let raw = file.raw
    let error = try await ending { _, bus in
      for _ in 0..<4 { bus.send([UInt8(ascii: "l")], descriptors: [CInt](repeating: raw, count: 8)) }
    }
    #expect(error.code == .limitExceeded)
    #expect(openCount(of: raw) == 1)
    withExtendedLifetime(file) {}
  }

  /// Returns the number of descriptors of this process that refer to a file.
  private func openCount(of descriptor: CInt) -> Int {
    let numbers = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
    return numbers.compactMap { CInt($0) }.count { (try? SystemCalls.isSameFile($0, descriptor)) == true }
  }

  // MARK: Faults

  @Test(arguments: ["REJECTED EXTERNAL\r\nERROR\r\n", "OK 01\r\nERROR no\r\n", "DATA\r\nAGREE_UNIX_FD\r\n"])
  func refusedAuthenticationIsShown(response: String) async throws {
    let error = try await ending(authentication: response)
    #expect(error.code == .refused && error.text.contains(response.prefix(2)))
  }

  @Test(arguments: ["OK 01\nAGREE_UNIX_FD\n", String(repeating: "x", count: 2000)])
  func malformedAuthenticationIsRejected(response: String) async throws {
    #expect(try await ending(authentication: response).code == .protocolViolation)
  }

  @Test func silentBusTimesOut() async throws {
    #expect(try await ending(timeout: .milliseconds(50), authentication: "").code == .timedOut)
    #expect(try await ending(timeout: .milliseconds(50)).code == .timedOut)
  }

  @Test func busThatStallsWithinAMessageTimesOut() async throws {
    let error = try await ending(timeout: .milliseconds(50)) {
      $1.send(Array(FakeBusMessage(responseTo: $0.serial).encoded.dropLast()))
    }
    #expect(error.code == .timedOut)
  }

  @Test func endlessSignalsTimeOut() async throws {
    let error = try await ending(timeout: .milliseconds(100)) { _, bus in
      let signal = FakeBusMessage(signal: "Again", of: "a.b", "x").encoded
      while bus.send(signal) {}
    }
    #expect(error.code == .timedOut)
  }

  @Test(arguments: [0, 10]) func busThatClosesTheConnectionIsGone(count: Int) async throws {
    let error = try await ending {
      $1.send(Array(FakeBusMessage(responseTo: $0.serial).encoded.prefix(count)))
      $1.close()
    }
    #expect(error.code == .serverGone)
  }

  @Test func responseToAFutureCallEndsTheConnection() async throws {
    let error = try await ending { $1.send(FakeBusMessage(responseTo: $0.serial + 1).encoded) }
    #expect(error.code == .protocolViolation && error.text.hasSuffix("to call 3; the last is 2"))
  }

  @Test func callAfterAnErrorOpensANewConnection() async throws {
    let bus = FakeBus { call, bus in
      if bus.connectionCount == 1 { bus.close() } else { bus.respond(to: call, string: "again") }
    }
    let connection = bus.connection()
    #expect(try await failure { try await connection.call(call) }.code == .serverGone)
    #expect(try await connection.call(call).string() == "again")
  }

  // MARK: Cancellation

  @Test func cancelledCallLeavesTheConnectionOpen() async throws {
    let bus = FakeBus { call, bus in
      // The late response to the first call precedes the response to the second call.
      guard call.serial > 2 else { return }
      bus.send(FakeBusMessage(responseTo: 2).encoded)
      bus.respond(to: call, string: "second")
    }
    let connection = bus.connection()
    let task = Task { [call] in try await connection.call(call) }
    try await wait(for: "the call") { bus.calls.count == 1 }
    task.cancel()
    #expect(try await failure { try await finishing("the call") { try await task.value } }.code == .cancelled)
    #expect(try await connection.call(call).string() == "second")
    #expect(bus.connectionCount == 1)
  }

  @Test func callWaitingForAnotherCallCanBeCancelled() async throws {
    let bus = FakeBus { _, _ in }
    let connection = bus.connection()
    let first = Task { [call] in try await connection.call(call) }
    try await wait(for: "the first call") { bus.calls.count == 1 }
    let second = Task { [call] in try await connection.call(call) }
    second.cancel()
    #expect(try await failure { try await finishing("the call") { try await second.value } }.code == .cancelled)
    first.cancel()
    #expect(try await failure { try await finishing("the call") { try await first.value } }.code == .cancelled)
    #expect(bus.calls.count == 1)
  }
}
