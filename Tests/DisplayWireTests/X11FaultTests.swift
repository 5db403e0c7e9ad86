// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import DisplayWire

/// Servers that violate the protocol or overwhelm the client.
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct X11FaultTests {
  private static func packet(_ hex: String) -> [UInt8] {
    let start = [UInt8](Data(hex: hex))
    return start + [UInt8](repeating: 0, count: 32 - start.count)
  }

  /// Connects to a server that reacts to the requests with a number in its own way.
  private func connect(
    _ opcode: UInt8, limits: X11Limits = .init(),
    _ reaction: @escaping @Sendable (FakeRequest, FakeDisplay) -> Void
  ) async throws -> (FakeDisplay, X11Connection) {
    let display = try FakeDisplay { request, display in
      if request.opcode == opcode { reaction(request, display) }
      return request.opcode == opcode
    }
    return (display, try await display.connect(limits: limits))
  }

  /// Checks that `body` fails with a violation of the protocol, whose description has an end.
  private func expectViolation<Value>(
    _ end: String, sourceLocation: SourceLocation = #_sourceLocation, _ body: () async throws -> Value
  ) async throws {
    let error = try await failure(sourceLocation: sourceLocation, body)
    let isExpected = error.code == .protocolViolation && error.text.hasSuffix(end)
    #expect(isExpected, "\(error)", sourceLocation: sourceLocation)
  }

  // MARK: Responses

  /// A reaction to the third request, and the code and the end of the error that it causes.
  struct Fault: Sendable, CustomTestStringConvertible {
    var bytes: [UInt8]
    var closes = false
    var code = DisplayError.Code.protocolViolation
    var end = ""
    var words = ""

    var testDescription: String { Data(bytes.prefix(8)).hex }
  }

  @Test(arguments: [
    Fault(bytes: [1, 0, 3, 0], closes: true, code: .serverGone, end: "the display has closed the connection"),
    Fault(
      bytes: packet("01 00 0400 00000000"),
      end: "sequence number 4 of a request that was not sent; the last is 3"),
    // A number below that of the last packet is read as a number after the next wrap-around.
    Fault(bytes: packet("01 00 0200 00000000"), words: "sequence number"),
    Fault(bytes: packet("01 00 0300 ffffffff"), end: "exceeds the limit of 32"),
    Fault(bytes: packet("01 00 0300 ffffff3f"), end: "exceeds the limit of 32"),
    Fault(bytes: packet("01 00 0300 01000000"), end: "exceeds the limit of 32"),
    // An event of the future.
    Fault(bytes: packet("22 00 0400"), end: "the last is 3"),
  ])
  func rejectsInvalidPackets(fault: Fault) async throws {
    let (display, connection) = try await connect(23) { _, display in
      display.send(fault.bytes)
      if fault.closes { display.close() }
    }
    let error = try await failure { try await connection.response(to: .getSelectionOwner(.primary)) }
    #expect(error.code == fault.code && error.text.hasSuffix(fault.end), "\(error)")
    #expect(fault.words.isEmpty || error.text.contains(fault.words), "\(error)")
    // All later events and requests fail with the same error.
    #expect(try await failure { while try await connection.nextEvent() != nil {} } == error)
    #expect(try await failure { try connection.send(.mapWindow(.none)) } == error)
    try await wait(for: "the end of the connection") { display.isClosed }
  }

  @Test func rejectsAResponseToARequestThatHasNone() async throws {
    let (_, connection) = try await connect(8) { $1.respond(to: $0) }
    try connection.send(.mapWindow(.none))
    try await expectViolation("response to MapWindow, request 3, which expects none") {
      try await connection.nextEvent()
    }
  }

  @Test func rejectsAMissingResponse() async throws {
    let (_, connection) = try await connect(23) { _, _ in }
    let missing = try connection.begin(.getSelectionOwner(.primary))
    try await expectViolation("the response to GetSelectionOwner, request 3, is missing") {
      try await connection.synchronize()
    }
    await #expect(throws: DisplayError.self) { try await missing.value() }
  }

  @Test func rejectsAnErrorAfterAResponse() async throws {
    let display = try FakeDisplay()
    let connection = try await display.connect()
    _ = try await connection.intern("A")
    display.reject(try #require(display.requests.last), code: 1)
    try await expectViolation("sequence number 3 of a request that has a response already") {
      try await connection.nextEvent()
    }
  }

  @Test func limitsTheResponsesOfProperties() async throws {
    let (_, connection) = try await connect(20, limits: X11Limits(responseBytes: 4096)) { request, display in
      display.send([1, 8, UInt8(request.sequence), 0, 0, 4, 0, 0] + [UInt8](repeating: 0, count: 24))
    }
    try await expectViolation("response of 4128 bytes exceeds the limit of 4096") {
      try await connection.response(to: .getProperty(FakeDisplay.root, .wmName, limit: 1 << 30))
    }
  }

  @Test func rejectsMalformedResponses() async throws {
    let (_, connection) = try await connect(20) {
      $1.respond(to: $0, detail: 8, [31, 0, 0, 0, 0, 0, 0, 0, 255, 255, 255, 255])
    }
    let error = try await failure {
      try await connection.response(to: .getProperty(FakeDisplay.root, .wmName, limit: 100))
    }
    #expect(
      error.text == """
        protocol violation at byte 32 of the response to GetProperty: 4294967295 bytes are declared and 0 remain
        """)
    #expect(try await failure { try await connection.nextEvent() } == error)
  }

  // MARK: Events

  @Test func endsAllWaitsTogether() async throws {
    let (display, connection) = try await connect(23) { _, _ in }
    let tasks =
      (0..<20).map { _ in Task { _ = try await connection.response(to: .getSelectionOwner(.primary)) } }
      + [Task { _ = try await connection.nextEvent() }]
    try await wait(for: "all requests") { display.requests.count { $0.opcode == 23 } == 20 }
    display.close()
    for task in tasks { #expect(try await failure { try await task.value }.code == .serverGone) }
  }

  @Test func deliversTheEventsBeforeTheEnd() async throws {
    let display = try FakeDisplay()
    let connection = try await display.connect()
    for _ in 0..<10 { display.send(event: Self.packet("22")) }
    display.close()
    for _ in 0..<10 { #expect(try await connection.nextEvent() == X11Event(.mappingNotify)) }
    #expect(try await failure { try await connection.nextEvent() }.code == .serverGone)
  }

  @Test func endsWithEndlessEvents() async throws {
    let display = try FakeDisplay()
    let connection = try await display.connect()
    let event = Self.packet("22 00 0200")
    for _ in 0..<70 { display.send(Array(repeatElement(event, count: 1000).joined())) }
    let error = try await failure { while true { try await connection.synchronize() } }
    #expect(error == (.limitExceeded, "more than 65536 events of the display wait to be read"))
    #expect(try await failure { try await connection.nextEvent() } == error)
  }

  @Test func skipsGenericEventsByTheirLength() async throws {
    let display = try FakeDisplay()
    let connection = try await display.connect()
    for code in ["23", "a3"] {
      display.send(Self.packet("\(code) 05 0200 00800000") + [UInt8](repeating: 0xFF, count: 4 * 0x8000))
      display.send(Self.packet("22 00 0200"))
      #expect(try await connection.nextEvent() == X11Event(.other(code: 35), isSentByClient: code == "a3"))
      #expect(try await connection.nextEvent() == X11Event(.mappingNotify))
    }
    try await connection.synchronize()
    display.send(Self.packet("23 05 0300 01000400"))
    try await expectViolation("event of 1048612 bytes exceeds the limit of 1048608") {
      try await connection.nextEvent()
    }
  }

  @Test func ignoresTheSequenceNumberOfKeymaps() async throws {
    let display = try FakeDisplay()
    let connection = try await display.connect()
    display.send(Self.packet("0b ff ffff"))
    #expect(try await connection.nextEvent() == X11Event(.other(code: 11)))
    try await connection.synchronize()
  }

  @Test func acceptsEventsWithinAResponse() async throws {
    let (_, connection) = try await connect(23) { request, display in
      // The server sends an event while it processes the request.
      display.send(Self.packet("22 00 0300"))
      display.respond(to: request, [7, 0, 0, 0])
      display.send(Self.packet("22 00 0300"))
    }
    #expect(try await connection.response(to: .getSelectionOwner(.primary)) == X11Identifier(7))
    for _ in 0..<2 { #expect(try await connection.nextEvent() == X11Event(.mappingNotify)) }
  }
}
