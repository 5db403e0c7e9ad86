// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import DisplayWire

/// Servers that fail while a connection is opened.
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct X11OpeningTests {
  @Test func sendsTheCookieFirst() async throws {
    let display = try FakeDisplay()
    let connection = try await X11Connection.open(socket: display.client, cookie: [1, 2, 3, 4])
    #expect(display.setupRequest == X11SetupRequest(cookie: [1, 2, 3, 4]).encoded)
    #expect(
      (connection.screen.root, connection.setup.vendor, connection.maximumRequestBytes)
        == (FakeDisplay.root, "fake", 16 << 20))
  }

  @Test func reportsRefusalsAndInvalidSetups() async throws {
    let words = Array("Invalid MIT-MAGIC-COOKIE-1 key\u{1B}".utf8)
    for (setup, code, text) in [
      (
        [0, UInt8(words.count), 11, 0, 0, 0, 8, 0] + words + [0], .refused,
        "the display refused the connection: Invalid MIT-MAGIC-COOKIE-1 key\\u{1b} (check XAUTHORITY)"
      ),
      ([UInt8](Data(hex: "02 00 0000 0000 0100 4d6f7265")), .refused, "More"),
      (
        [9] + FakeDisplay.setup().dropFirst(), .protocolViolation,
        "protocol violation at byte 0 of the setup: the status is 9 instead of 0, 1 or 2"
      ),
    ] as [([UInt8], DisplayError.Code, String)] {
      let display = try FakeDisplay(setup: setup)
      let error = try await failure { try await display.connect() }
      #expect(error.code == code && (text == "More" ? error.text.contains(text) : error.text == text), "\(error)")
      try await wait(for: "the end of the connection") { display.isClosed }
    }
  }

  @Test func rejectsAScreenThatDoesNotExist() async throws {
    let display = try FakeDisplay()
    #expect(
      try await failure { try await X11Connection.open(socket: display.client, screen: 1) }
        == (.badAddress, "screen 1 does not exist; the display has 1"))
    try await wait(for: "the end of the connection") { display.isClosed }
  }

  @Test(arguments: [0, 1, 8, 40]) func reportsAServerThatCloses(count: Int) async throws {
    let display = try FakeDisplay(setup: Array(FakeDisplay.setup().prefix(count)))
    let task = Task { try await display.connect() }
    try await wait(for: "the setup request") { !display.setupRequest.isEmpty }
    display.close()
    #expect(try await failure { try await task.value } == (.serverGone, "the display has closed the connection"))
  }

  /// Without a count, the server is silent after the setup.
  @Test(arguments: [0, 8, 40, nil]) func reportsASilentServer(count: Int?) async throws {
    let setup = FakeDisplay.setup()
    let display = try FakeDisplay(setup: Array(setup.prefix(count ?? setup.count))) { _, _ in true }
    #expect(try await failure { try await display.connect(timeout: .milliseconds(50)) }.code == .timedOut)
    try await wait(for: "the end of the connection") { display.isClosed }
  }

  @Test func theTimeoutEndsWithTheOpening() async throws {
    var timeout = Duration.milliseconds(50)
    while true {
      // A busy machine may take longer than the timeout to connect.
      guard let connection = try? await FakeDisplay().connect(timeout: timeout) else {
        timeout *= 2
        continue
      }
      try await Task.sleep(for: timeout * 2)
      return try await connection.synchronize()
    }
  }

  @Test func cancellationEndsTheOpening() async throws {
    let display = try FakeDisplay(setup: [])
    let task = Task { try await display.connect() }
    try await wait(for: "the setup request") { !display.setupRequest.isEmpty }
    task.cancel()
    #expect(try await failure { try await task.value }.code == .cancelled)
    try await wait(for: "the end of the connection") { display.isClosed }
  }
}

/// Connections to a server that follows the protocol.
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct X11ConnectionTests {
  @Test func worksWithoutLongRequests() async throws {
    let display = try FakeDisplay { request, display in
      if request.opcode == 98 { display.respond(to: request) }
      return request.opcode == 98
    }
    let connection = try await display.connect()
    #expect(connection.maximumRequestBytes == 262_140)
    let long = X11Request.changeProperty(
      FakeDisplay.root, .wmName, type: .string, .bytes(ArraySlice(repeating: 0, count: 262_117)))
    #expect(
      try await failure { try connection.send(long) }
        == (.limitExceeded, "ChangeProperty of 262148 bytes exceeds the display's limit of 262140"))
    try await connection.synchronize()
  }

  @Test func deliversEachResponseToItsRequest() async throws {
    let connection = try await FakeDisplay().connect()
    let names = (0..<300).map { "NAME \($0)" }
    let atoms = try await withThrowingTaskGroup(of: (String, X11Atom).self) { group in
      for name in names { group.addTask { (name, try await connection.response(to: .internAtom(name))) } }
      return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
    }
    #expect(Set(atoms.values).count == 300)
    // At once, since each response waits for the other tests of a busy machine.
    let found = try await withThrowingTaskGroup(of: (String, String).self) { group in
      for (name, atom) in atoms { group.addTask { (name, try await connection.response(to: .getAtomName(atom))) } }
      return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
    }
    #expect(found.count == 300 && found.allSatisfy { $0 == $1 })
  }

  @Test func cachesAtomsInBothDirections() async throws {
    let display = try FakeDisplay()
    let connection = try await display.connect()
    let atoms = try await connection.intern(["B", "A", "B"])
    #expect(atoms == [atoms[0], atoms[1], atoms[0]] && atoms[0] != atoms[1])
    let count = display.requests.count
    #expect(try await connection.intern("A") == atoms[1])
    #expect(try await connection.names(of: [atoms[1], atoms[0], .none]) == ["A", "B", nil])
    #expect(display.requests.count == count)
    #expect(try await connection.names(of: [X11Atom(9999), atoms[0]]) == [nil, "B"])
    let name = String(repeating: "a", count: 65_536)
    #expect(try await failure { try await connection.intern(name) }.code == .limitExceeded)
  }

  /// `String` takes a Greek question mark for a semicolon.
  @Test func namesOfAtomsAreComparedByTheirBytes() async throws {
    let display = try FakeDisplay()
    let connection = try await display.connect()
    let count = display.requests.count
    _ = try await connection.intern([";", "\u{37E}"])
    #expect(display.requests.count == count + 2)
  }

  @Test func throwsTheErrorOfARequest() async throws {
    let connection = try await FakeDisplay().connect()
    let error = await #expect(throws: DisplayError.self) {
      try await connection.response(to: .getAtomName(X11Atom(9999)))
    }
    #expect(error?.code == .requestFailed && error?.serverError?.code == 5 && error?.serverError?.value == 9999)
    #expect(error?.description == "the display rejected GetAtomName: BadAtom for 0x270f")
    try await connection.synchronize()
  }

  @Test func reportsErrorsOfRequestsWithoutResponseAsEvents() async throws {
    let display = try FakeDisplay { request, display in
      if request.opcode == 8 { display.reject(request, code: 3, value: request.word32(0)) }
      return request.opcode == 8
    }
    let connection = try await display.connect()
    try connection.send(.destroyWindow(X11Identifier(5)))
    try connection.send(.mapWindow(X11Identifier(6)))
    try connection.send(.destroyWindow(X11Identifier(7)))
    let expected = X11Error(code: 3, value: 6, majorOpcode: 8, minorOpcode: 0, requestName: "MapWindow")
    #expect(try await connection.nextEvent() == X11Event(.error(expected)))
    try await connection.synchronize()
  }

  /// Sends more than 65,536 requests, since a sequence number on the wire has only 16 bits.
  @Test func sendsRequestsInOrderAndCountsThemAcrossTheWrapAround() async throws {
    let display = try FakeDisplay { request, display in
      // Each error comes after a wrap-around of the sequence number.
      let isRejected = request.opcode == 8 && [70_000, 139_999].contains(request.word32(0))
      if isRejected { display.reject(request, code: 3, value: request.word32(0)) }
      return isRejected
    }
    let connection = try await display.connect()
    for number in 1...140_000 { try connection.send(.mapWindow(X11Identifier(UInt32(number)))) }
    let atom = try await connection.intern("AFTER")
    #expect(try await connection.names(of: [atom]) == ["AFTER"])
    for window: UInt32 in [70_000, 139_999] {
      let expected = X11Error(code: 3, value: window, majorOpcode: 8, minorOpcode: 0, requestName: "MapWindow")
      #expect(try await connection.nextEvent() == X11Event(.error(expected)))
    }
    let isInOrder = display.requests.filter { $0.opcode == 8 }.map { $0.word32(0) } == Array(1...140_000)
    #expect(isInOrder)
    // The connection sends additional requests with a response, which make the numbers unambiguous.
    #expect(display.requests.count { $0.opcode == 43 } == 4)
  }

  @Test func cancellationOfAResponseReturnsAtOnce() async throws {
    let held = Collector<FakeRequest>()
    let display = try FakeDisplay { request, _ in
      if request.opcode == 23 { held.add(request) }
      return request.opcode == 23
    }
    let connection = try await display.connect()
    for count in 1...2 {
      let task = Task { try await connection.response(to: .getSelectionOwner(.primary)) }
      try await wait(for: "the request") { held.values.count == count }
      task.cancel()
      #expect(try await failure { try await task.value }.code == .cancelled)
    }
    // The late response of the first request is dropped, and so is the late error of the second.
    display.respond(to: held.values[0], [9, 0, 0, 0])
    display.reject(held.values[1], code: 5)
    try await connection.synchronize()
    display.send(event: [34] + [UInt8](repeating: 0, count: 31))
    #expect(try await connection.nextEvent() == X11Event(.mappingNotify))
  }

  @Test func cancellationLosesNoEvent() async throws {
    let display = try FakeDisplay()
    let connection = try await display.connect()
    let expected = X11Event(.mappingNotify, isSentByClient: true)
    for _ in 0..<50 {
      let task = Task { try await connection.nextEvent() }
      await Task.yield()
      display.send(event: [0x80 | 34] + [UInt8](repeating: 0, count: 31))
      task.cancel()
      do {
        #expect(try await task.value == expected)
      } catch let error as DisplayError {
        #expect(error.code == .cancelled)
        #expect(try await connection.nextEvent() == expected)
      }
    }
  }

  @Test func closeEndsAllWaits() async throws {
    let display = try FakeDisplay { request, _ in request.opcode == 23 }
    let connection = try await display.connect()
    let response = Task { try await connection.response(to: .getSelectionOwner(.primary)) }
    let event = Task { try await connection.nextEvent() }
    try await wait(for: "the request") { display.requests.contains { $0.opcode == 23 } }
    connection.close()
    #expect(try await failure { try await response.value }.code == .closed)
    #expect(try await [event.value, connection.nextEvent()] == [nil, nil])
    #expect(throws: DisplayError.self) { try connection.send(.mapWindow(.none)) }
    try await wait(for: "the end of the connection") { display.isClosed }
  }

  @Test func theLastReferenceClosesTheConnection() async throws {
    let display = try FakeDisplay()
    do {
      let connection = try await display.connect()
      try connection.send(.mapWindow(X11Identifier(77)))
    }
    try await wait(for: "the end of the connection") { display.isClosed }
    // The queue was written before the connection was closed.
    #expect(display.requests.last?.word32(0) == 77)
  }

  @Test func limitsTheQueue() async throws {
    let isBlocked = Lock(true)
    let display = try FakeDisplay { request, display in
      while request.opcode == 18, isBlocked.withLock({ $0 }) { usleep(1000) }
      return false
    }
    defer { isBlocked.withLock { $0 = false } }
    let connection = try await display.connect(limits: X11Limits(queuedBytes: 4 << 20))
    let request = X11Request.changeProperty(
      FakeDisplay.root, .wmName, type: .string, .bytes(ArraySlice(repeating: 1, count: 1 << 20)))
    #expect(try await failure { for _ in 0..<20 { try connection.send(request) } }.code == .limitExceeded)
    isBlocked.withLock { $0 = false }
    try await connection.synchronize()
    try connection.send(request)
    try await connection.synchronize()
  }

  @Test func createsIdentifiersUntilTheyAreUsed() async throws {
    let display = try FakeDisplay(setup: FakeDisplay.setup(base: 0x40_0000, mask: 0x0C))
    let connection = try await display.connect()
    let identifiers = try (0..<3).map { _ in try connection.newIdentifier().rawValue }
    #expect(identifiers == [0x40_0004, 0x40_0008, 0x40_000C])
    for _ in 0..<2 { #expect(try await failure { try connection.newIdentifier() }.code == .limitExceeded) }
  }

  @Test func readsAndWritesLongProperties() async throws {
    let connection = try await FakeDisplay().connect()
    let bytes = (0..<3_000_001).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
    try connection.send(.changeProperty(FakeDisplay.root, .wmName, type: .string, .bytes(bytes[...])))
    let property = try await connection.response(to: .getProperty(FakeDisplay.root, .wmName, limit: 4 << 20))
    let isEqual = property.data == .bytes(bytes[...])
    #expect(isEqual && property.remainingBytes == 0)
    guard case .propertyNotify(let change) = try await connection.nextEvent()?.kind else {
      throw Unexpected("no event")
    }
    #expect(change.property == .wmName)
  }

  @Test func learnsExtensionsOnce() async throws {
    let display = try FakeDisplay()
    let connection = try await display.connect()
    for _ in 0..<2 { #expect(try await connection.serverExtension("RENDER") == nil) }
    #expect(display.requests.count { $0.opcode == 98 } == 2)
    #expect(try await connection.xfixes() == FakeDisplay.xfixes)
    display.send(event: [FakeDisplay.xfixes.firstEvent] + [UInt8](repeating: 0, count: 31))
    guard case .selectionOwnerNotify = try await connection.nextEvent()?.kind else { throw Unexpected("no event") }
  }
}
