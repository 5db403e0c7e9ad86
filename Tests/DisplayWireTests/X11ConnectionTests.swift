// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import DisplayWire

/// Connections to a server that follows the protocol.
@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct X11ConnectionTests {
  @Test func sendsTheCookieFirst() async throws {
    let display = try FakeDisplay()
    let connection = try await X11Connection.open(socket: display.client, cookie: [1, 2, 3, 4])
    #expect(display.setupRequest == X11SetupRequest(cookie: [1, 2, 3, 4]).encoded)
    #expect(connection.screen.root == FakeDisplay.root)
    #expect(connection.setup.vendor == "fake")
    #expect(connection.maximumRequestBytes == 16 << 20)
  }

  @Test func worksWithoutLongRequests() async throws {
    let display = try FakeDisplay { request, display in
      if request.opcode == 98 { display.respond(to: request) }
      return request.opcode == 98
    }
    let connection = try await display.connect()
    #expect(connection.maximumRequestBytes == 262_140)
    let long = X11Request.changeProperty(
      FakeDisplay.root, .wmName, type: .string, .bytes([UInt8](repeating: 0, count: 262_117)))
    let error = #expect(throws: DisplayError.self) { try connection.send(long) }
    #expect(error?.code == .limitExceeded)
    #expect(error?.description == "ChangeProperty of 262148 bytes exceeds the display's limit of 262140")
    try await connection.synchronize()
  }

  @Test func deliversEachResponseToItsRequest() async throws {
    let display = try FakeDisplay()
    let connection = try await display.connect()
    let names = (0..<300).map { "NAME \($0)" }
    let atoms = try await withThrowingTaskGroup(of: (String, X11Atom).self) { group in
      for name in names { group.addTask { (name, try await connection.response(to: .internAtom(name))) } }
      return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
    }
    #expect(Set(atoms.values).count == 300)
    for (name, atom) in atoms {
      #expect(try await connection.response(to: .getAtomName(atom)) == name)
    }
  }

  @Test func cachesAtomsInBothDirections() async throws {
    let display = try FakeDisplay()
    let connection = try await display.connect()
    let atoms = try await connection.intern(["B", "A", "B"])
    #expect(atoms == [atoms[0], atoms[1], atoms[0]])
    #expect(atoms[0] != atoms[1])
    let count = display.requests.count
    #expect(try await connection.intern("A") == atoms[1])
    #expect(try await connection.names(of: [atoms[1], atoms[0], .none]) == ["A", "B", nil])
    #expect(display.requests.count == count)
    #expect(try await connection.names(of: [X11Atom(9999), atoms[0]]) == [nil, "B"])
    let error = await #expect(throws: DisplayError.self) {
      try await connection.intern(String(repeating: "a", count: 65_536))
    }
    #expect(error?.code == .limitExceeded)
  }

  @Test func throwsTheErrorOfARequest() async throws {
    let display = try FakeDisplay()
    let connection = try await display.connect()
    let error = await #expect(throws: DisplayError.self) {
      try await connection.response(to: .getAtomName(X11Atom(9999)))
    }
    #expect(error?.code == .requestFailed)
    #expect(error?.description == "the display rejected GetAtomName: BadAtom for 0x270f")
    #expect(error?.serverError?.code == 5)
    #expect(error?.serverError?.value == 9999)
    try await connection.synchronize()
  }

  @Test func reportsErrorsOfRequestsWithoutResponseAsEvents() async throws {
    let display = try FakeDisplay { request, display in
      if request.opcode == 8 { display.reject(request, code: 3, value: request.word32(0)) }
      return request.opcode == 8
    }
    let connection = try await display.connect()
    try connection.send(.unmapWindow(X11Identifier(5)))
    try connection.send(.mapWindow(X11Identifier(6)))
    try connection.send(.unmapWindow(X11Identifier(7)))
    let expected = X11Error(code: 3, value: 6, majorOpcode: 8, minorOpcode: 0, requestName: "MapWindow")
    #expect(try await connection.nextEvent() == X11Event(.error(expected)))
    try await connection.synchronize()
  }

  @Test func sendsRequestsInTheOrderOfTheCalls() async throws {
    let display = try FakeDisplay()
    let connection = try await display.connect()
    let first = display.requests.count
    for number in 1...1000 { try connection.send(.mapWindow(X11Identifier(UInt32(number)))) }
    try await connection.synchronize()
    #expect(display.requests.dropFirst(first).dropLast().map { $0.word32(0) } == Array(1...1000))
  }

  /// Sends more than 65,536 requests, since a sequence number on the wire has only 16 bits.
  @Test func countsRequestsAcrossTheWrapAround() async throws {
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
    for window in [70_000, 139_999] {
      guard case .error(let error) = try await connection.nextEvent()?.kind else {
        Issue.record("no error")
        return
      }
      #expect(error.requestName == "MapWindow")
      #expect(error.value == UInt32(window))
    }
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
    let task = Task { try await connection.response(to: .getSelectionOwner(.primary)) }
    #expect(try await eventually { held.values.count == 1 })
    task.cancel()
    let error = await #expect(throws: DisplayError.self) { try await task.value }
    #expect(error?.code == .cancelled)
    // The late response is dropped, and so is the late error of another request.
    display.respond(to: held.values[0], [9, 0, 0, 0])
    let second = Task { try await connection.response(to: .getSelectionOwner(.primary)) }
    #expect(try await eventually { held.values.count == 2 })
    second.cancel()
    await #expect(throws: DisplayError.self) { try await second.value }
    display.reject(held.values[1], code: 5)
    try await connection.synchronize()
    display.send(event: [34] + [UInt8](repeating: 0, count: 31))
    #expect(try await connection.nextEvent() == X11Event(.mappingNotify))
  }

  @Test func cancellationLosesNoEvent() async throws {
    let display = try FakeDisplay()
    let connection = try await display.connect()
    for _ in 0..<50 {
      let task = Task { try await connection.nextEvent() }
      await Task.yield()
      display.send(event: [0x80 | 34] + [UInt8](repeating: 0, count: 31))
      task.cancel()
      let expected = X11Event(.mappingNotify, isSentByClient: true)
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
    #expect(try await eventually { display.requests.contains { $0.opcode == 23 } })
    connection.close()
    let error = await #expect(throws: DisplayError.self) { try await response.value }
    #expect(error?.code == .closed)
    #expect(try await event.value == nil)
    #expect(try await connection.nextEvent() == nil)
    #expect(throws: DisplayError.self) { try connection.send(.mapWindow(.none)) }
    #expect(try await eventually { display.isClosed })
  }

  @Test func theLastReferenceClosesTheConnection() async throws {
    let display = try FakeDisplay()
    do {
      let connection = try await display.connect()
      try connection.send(.mapWindow(X11Identifier(77)))
    }
    #expect(try await eventually { display.isClosed })
    // The queue was written before the connection was closed.
    #expect(display.requests.last?.word32(0) == 77)
  }

  @Test func limitsTheQueue() async throws {
    let isBlocked = Lock(true)
    let display = try FakeDisplay { request, _ in
      while request.opcode == 18, isBlocked.withLock({ $0 }) { usleep(1000) }
      return false
    }
    let connection = try await display.connect(limits: X11Limits(queuedBytes: 4 << 20))
    let request = X11Request.changeProperty(
      FakeDisplay.root, .wmName, type: .string, .bytes([UInt8](repeating: 1, count: 1 << 20)))
    let error = #expect(throws: DisplayError.self) {
      for _ in 0..<20 { try connection.send(request) }
    }
    #expect(error?.code == .limitExceeded)
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
    for _ in 0..<2 {
      let error = #expect(throws: DisplayError.self) { try connection.newIdentifier() }
      #expect(error?.code == .limitExceeded)
    }
  }

  @Test func readsAndWritesLongProperties() async throws {
    let display = try FakeDisplay()
    let connection = try await display.connect()
    let bytes = (0..<3_000_001).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
    try connection.send(.changeProperty(FakeDisplay.root, .wmName, type: .string, .bytes(bytes)))
    let property = try await connection.response(to: .getProperty(FakeDisplay.root, .wmName, limit: 4 << 20))
    #expect(property.data == .bytes(bytes))
    #expect(property.remainingBytes == 0)
    guard case .propertyNotify(let change) = try await connection.nextEvent()?.kind else {
      Issue.record("no event")
      return
    }
    #expect(change.property == .wmName)
  }

  @Test func learnsExtensionsOnce() async throws {
    let display = try FakeDisplay()
    let connection = try await display.connect()
    #expect(try await connection.serverExtension("RENDER") == nil)
    #expect(try await connection.serverExtension("RENDER") == nil)
    #expect(display.requests.count { $0.opcode == 98 } == 2)
    #expect(try await connection.xfixes() == FakeDisplay.xfixes)
    var event = [UInt8](repeating: 0, count: 32)
    event[0] = FakeDisplay.xfixes.firstEvent
    display.send(event: event)
    guard case .selectionOwnerNotify = try await connection.nextEvent()?.kind else {
      Issue.record("no event")
      return
    }
  }
}
