// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import Foundation
import TestSupport
import Testing

@testable import DisplayWire

/// Servers that fail while a connection is opened.
@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct X11OpeningTests {
  @Test func reportsARefusedCookie() async throws {
    let words = Array("Invalid MIT-MAGIC-COOKIE-1 key\u{1B}".utf8)
    let setup: [UInt8] = [0, UInt8(words.count), 11, 0, 0, 0, 8, 0] + words + [0]
    let display = try FakeDisplay(setup: setup)
    let error = await #expect(throws: DisplayError.self) { try await display.connect() }
    #expect(error?.code == .refused)
    #expect(
      error?.description
        == "the display refused the connection: Invalid MIT-MAGIC-COOKIE-1 key\\u{1b} (check XAUTHORITY)")
    #expect(try await eventually { display.isClosed })
  }

  @Test func reportsAServerThatRequiresMore() async throws {
    let display = try FakeDisplay(setup: [UInt8](Data(hex: "02 00 0000 0000 0100 4d6f7265")))
    let error = await #expect(throws: DisplayError.self) { try await display.connect() }
    #expect(error?.code == .refused)
    #expect(error?.description.contains("More") == true)
  }

  @Test(arguments: [0, 1, 8, 40]) func reportsAServerThatCloses(count: Int) async throws {
    let display = try FakeDisplay(setup: Array(FakeDisplay.setup().prefix(count)))
    let task = Task { try await display.connect() }
    #expect(try await eventually { !display.setupRequest.isEmpty })
    display.close()
    let error = await #expect(throws: DisplayError.self) { try await task.value }
    #expect(error?.code == .serverGone)
    #expect(error?.description == "the display has closed the connection")
  }

  @Test(arguments: [0, 8, 40]) func reportsASilentServer(count: Int) async throws {
    let display = try FakeDisplay(setup: Array(FakeDisplay.setup().prefix(count)))
    let error = await #expect(throws: DisplayError.self) { try await display.connect(timeout: .milliseconds(50)) }
    #expect(error?.code == .timedOut)
    #expect(try await eventually { display.isClosed })
  }

  @Test func reportsAServerThatIsSilentAfterTheSetup() async throws {
    let display = try FakeDisplay { _, _ in true }
    let error = await #expect(throws: DisplayError.self) { try await display.connect(timeout: .milliseconds(50)) }
    #expect(error?.code == .timedOut)
    #expect(try await eventually { display.isClosed })
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
      try await connection.synchronize()
      return
    }
  }

  @Test func cancellationEndsTheOpening() async throws {
    let display = try FakeDisplay(setup: [])
    let task = Task { try await display.connect() }
    #expect(try await eventually { !display.setupRequest.isEmpty })
    task.cancel()
    let error = await #expect(throws: DisplayError.self) { try await task.value }
    #expect(error?.code == .cancelled)
    #expect(try await eventually { display.isClosed })
  }

  @Test func rejectsAMalformedSetup() async throws {
    var setup = FakeDisplay.setup()
    setup[0] = 9
    let display = try FakeDisplay(setup: setup)
    let error = await #expect(throws: DisplayError.self) { try await display.connect() }
    #expect(error?.code == .protocolViolation)
    #expect(
      error?.description == "protocol violation at byte 0 of the setup: the status is 9 instead of 0, 1 or 2")
  }

  @Test func rejectsAScreenThatDoesNotExist() async throws {
    let display = try FakeDisplay()
    let error = await #expect(throws: DisplayError.self) {
      try await X11Connection.open(socket: display.client, screen: 1)
    }
    #expect(error?.code == .badAddress)
    #expect(error?.description == "screen 1 does not exist; the display has 1")
    #expect(try await eventually { display.isClosed })
  }
}
