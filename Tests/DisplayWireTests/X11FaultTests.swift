// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import Foundation
import TestSupport
import Testing

@testable import DisplayWire

/// Servers that violate the protocol or overwhelm the client.
@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct X11FaultTests {
  private static func packet(_ hex: String) -> [UInt8] {
    let start = [UInt8](Data(hex: hex))
    return start + [UInt8](repeating: 0, count: 32 - start.count)
  }

  /// Connects to a server that reacts to `GetSelectionOwner`, and returns the error of that request.
  ///
  /// All later events must fail with the same error.
  private func failure(
    limits: X11Limits = .init(), timeout: Duration = .seconds(60),
    _ reaction: @escaping @Sendable (FakeRequest, FakeDisplay) -> Void
  ) async throws -> DisplayError? {
    let display = try FakeDisplay { request, display in
      if request.opcode == 23 { reaction(request, display) }
      return request.opcode == 23
    }
    let connection = try await display.connect(limits: limits)
    let error = await #expect(throws: DisplayError.self) {
      try await connection.response(to: .getSelectionOwner(.primary))
    }
    let last = await #expect(throws: DisplayError.self) { while try await connection.nextEvent() != nil {} }
    #expect(last?.description == error?.description)
    let later = #expect(throws: DisplayError.self) { try connection.send(.mapWindow(.none)) }
    #expect(later?.description == error?.description)
    #expect(try await eventually { display.isClosed })
    return error
  }

  // MARK: Responses

  @Test func reportsAServerThatEndsWithinAResponse() async throws {
    let error = try await failure { _, display in
      display.send([1, 0, 3, 0])
      display.close()
    }
    #expect(error?.code == .serverGone)
  }

  @Test func rejectsAResponseWithoutRequest() async throws {
    let error = try await failure { _, display in display.send(Self.packet("01 00 0400 00000000")) }
    #expect(error?.code == .protocolViolation)
    #expect(error?.description.contains("sequence number 4 of a request that was not sent; the last is 3") == true)
  }

  @Test func rejectsASecondResponse() async throws {
    let error = try await failure { _, display in display.send(Self.packet("01 00 0200 00000000")) }
    #expect(error?.code == .protocolViolation)
    // A number below that of the last packet is read as a number after the next wrap-around.
    #expect(error?.description.contains("sequence number") == true)
  }

  @Test func rejectsAResponseToARequestThatHasNone() async throws {
    let display = try FakeDisplay { request, display in
      if request.opcode == 8 { display.respond(to: request) }
      return request.opcode == 8
    }
    let connection = try await display.connect()
    try connection.send(.mapWindow(.none))
    let error = await #expect(throws: DisplayError.self) { try await connection.nextEvent() }
    #expect(error?.code == .protocolViolation)
    #expect(error?.description.hasSuffix("response to MapWindow, request 3, which expects none") == true)
  }

  @Test func rejectsAMissingResponse() async throws {
    let display = try FakeDisplay { request, _ in request.opcode == 23 }
    let connection = try await display.connect()
    let missing = try connection.begin(.getSelectionOwner(.primary))
    let error = await #expect(throws: DisplayError.self) { try await connection.synchronize() }
    #expect(error?.code == .protocolViolation)
    #expect(error?.description.hasSuffix("the response to GetSelectionOwner, request 3, is missing") == true)
    await #expect(throws: DisplayError.self) { try await missing.value() }
  }

  @Test func rejectsAnErrorAfterAResponse() async throws {
    let display = try FakeDisplay()
    let connection = try await display.connect()
    _ = try await connection.intern("A")
    let request = try #require(display.requests.last)
    display.reject(request, code: 1)
    let error = await #expect(throws: DisplayError.self) { try await connection.nextEvent() }
    #expect(error?.code == .protocolViolation)
    #expect(error?.description.hasSuffix("sequence number 3 of a request that has a response already") == true)
  }

  @Test(arguments: ["ffffffff", "ffffff3f", "01000000"])
  func rejectsALongResponse(length: String) async throws {
    let error = try await failure { _, display in display.send(Self.packet("01 00 0300 \(length)")) }
    #expect(error?.code == .protocolViolation)
    #expect(error?.description.hasSuffix("exceeds the limit of 32") == true)
  }

  @Test func limitsTheResponsesOfProperties() async throws {
    let display = try FakeDisplay { request, display in
      if request.opcode == 20 {
        var bytes: [UInt8] = [1, 8, 0, 0, 0, 4, 0, 0]
        bytes[2] = UInt8(truncatingIfNeeded: request.sequence)
        display.send(bytes + [UInt8](repeating: 0, count: 24))
      }
      return request.opcode == 20
    }
    let connection = try await display.connect(limits: X11Limits(responseBytes: 4096))
    let error = await #expect(throws: DisplayError.self) {
      try await connection.response(to: .getProperty(FakeDisplay.root, .wmName, limit: 1 << 30))
    }
    #expect(error?.code == .protocolViolation)
    #expect(error?.description.hasSuffix("response of 4128 bytes exceeds the limit of 4096") == true)
  }

  @Test func rejectsMalformedResponses() async throws {
    let display = try FakeDisplay { request, display in
      if request.opcode == 20 {
        display.respond(to: request, detail: 8, [31, 0, 0, 0, 0, 0, 0, 0, 255, 255, 255, 255])
      }
      return request.opcode == 20
    }
    let connection = try await display.connect()
    let error = await #expect(throws: DisplayError.self) {
      try await connection.response(to: .getProperty(FakeDisplay.root, .wmName, limit: 100))
    }
    #expect(
      error?.description == """
        protocol violation at byte 32 of the response to GetProperty: 4294967295 bytes are declared and 0 remain
        """)
    let last = await #expect(throws: DisplayError.self) { try await connection.nextEvent() }
    #expect(last?.description == error?.description)
  }

  // MARK: Events

  @Test func endsAllWaitsTogether() async throws {
    let display = try FakeDisplay { request, _ in request.opcode == 23 }
    let connection = try await display.connect()
    let tasks =
      (0..<20).map { _ in
        Task { _ = try await connection.response(to: .getSelectionOwner(.primary)) }
      } + [Task { _ = try await connection.nextEvent() }]
    #expect(try await eventually { display.requests.count { $0.opcode == 23 } == 20 })
    display.close()
    for task in tasks {
      let error = await #expect(throws: DisplayError.self) { try await task.value }
      #expect(error?.code == .serverGone)
    }
  }

  @Test func deliversTheEventsBeforeTheEnd() async throws {
    let display = try FakeDisplay()
    let connection = try await display.connect()
    for _ in 0..<10 { display.send(event: Self.packet("22")) }
    display.close()
    for _ in 0..<10 { #expect(try await connection.nextEvent() == X11Event(.mappingNotify)) }
    let error = await #expect(throws: DisplayError.self) { try await connection.nextEvent() }
    #expect(error?.code == .serverGone)
  }

  @Test func endsWithEndlessEvents() async throws {
    let display = try FakeDisplay()
    let connection = try await display.connect()
    let event = Self.packet("22 00 0200")
    for _ in 0..<70 { display.send(Array(repeatElement(event, count: 1000).joined())) }
    let error = await #expect(throws: DisplayError.self) { while true { try await connection.synchronize() } }
    #expect(error?.code == .limitExceeded)
    #expect(error?.description == "more than 65536 events of the display wait to be read")
    let last = await #expect(throws: DisplayError.self) { try await connection.nextEvent() }
    #expect(last?.description == error?.description)
  }

  @Test func skipsGenericEventsByTheirLength() async throws {
    let display = try FakeDisplay()
    let connection = try await display.connect()
    for code in ["23", "a3"] {
      display.send(Self.packet("\(code) 05 0200 00800000") + [UInt8](repeating: 0xFF, count: 4 * 0x8000))
      display.send(Self.packet("22 00 0200"))
      #expect(
        try await connection.nextEvent() == X11Event(.other(code: 35), isSentByClient: code == "a3"))
      #expect(try await connection.nextEvent() == X11Event(.mappingNotify))
    }
    try await connection.synchronize()
    display.send(Self.packet("23 05 0300 01000400"))
    let error = await #expect(throws: DisplayError.self) { try await connection.nextEvent() }
    #expect(error?.code == .protocolViolation)
    #expect(error?.description.hasSuffix("event of 1048612 bytes exceeds the limit of 1048608") == true)
  }

  @Test func ignoresTheSequenceNumberOfKeymaps() async throws {
    let display = try FakeDisplay()
    let connection = try await display.connect()
    display.send(Self.packet("0b ff ffff"))
    #expect(try await connection.nextEvent() == X11Event(.other(code: 11)))
    try await connection.synchronize()
  }

  @Test func rejectsEventsOfTheFuture() async throws {
    let error = try await failure { _, display in display.send(Self.packet("22 00 0400")) }
    #expect(error?.code == .protocolViolation)
  }

  @Test func acceptsEventsWithinAResponse() async throws {
    let display = try FakeDisplay { request, display in
      guard request.opcode == 23 else { return false }
      // The server sends an event while it processes the request.
      display.send(Self.packet("22 00 0300"))
      display.respond(to: request, [7, 0, 0, 0])
      display.send(Self.packet("22 00 0300"))
      return true
    }
    let connection = try await display.connect()
    #expect(try await connection.response(to: .getSelectionOwner(.primary)) == X11Identifier(7))
    #expect(try await connection.nextEvent() == X11Event(.mappingNotify))
    #expect(try await connection.nextEvent() == X11Event(.mappingNotify))
  }
}
