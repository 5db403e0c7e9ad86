// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import Foundation
import TestSupport
import Testing

@testable import DisplayWire

/// Connections to sway.
@Suite(.serialized, .limited, .timeLimit(minutes: 1), .peers("sway", "wl-copy", "wl-paste"))
struct SwayTests {
  /// Returns the next event of an object with a name.
  private func next(
    _ connection: WaylandConnection, _ object: WaylandObject, _ name: String
  ) async throws -> WaylandEvent {
    try await finishing("\(object).\(name)") {
      while let event = try await connection.nextEvent() {
        if event.object == object, event.name == name { return event }
      }
      throw Unexpected("the end of the connection")
    }
  }

  @Test func reportsItsOutput() async throws {
    let desktop = try await SwayDesktop(size: (800, 600), scale: 2)
    let connection = try await desktop.connect()
    let output = try #require(try connection.bind(.output, atLeast: 2))
    let mode = try await next(connection, output, "mode")
    #expect((mode.int(1), mode.int(2)) == (800, 600))
    #expect(try await next(connection, output, "scale").int(0) == 2)
    await desktop.stop()
    #expect(try await failure { while try await connection.nextEvent() != nil {} }.code == .serverGone)
  }

  @Test func runsXwayland() async throws {
    let desktop = try await SwayDesktop(xwayland: true)
    let display = try #require(desktop.display)
    let connection = try await X11Connection.open(display, timeout: .seconds(60))
    try await connection.synchronize()
  }

  /// Maps a window, and receives the events of a virtual pointer over it.
  @Test func showsAWindowUnderAVirtualPointer() async throws {
    let desktop = try await SwayDesktop()
    let connection = try await desktop.connect()
    let seat = try #require(try connection.bind(.seat))
    let pointers = try #require(try connection.bind(.virtualPointerManager))
    let device = try connection.create(pointers, "create_virtual_pointer", .object(seat))
    let base = try #require(try connection.bind(.windowBase))
    let surface = try connection.create(try #require(try connection.bind(.compositor)), "create_surface")
    let role = try connection.create(base, "get_xdg_surface", .object(surface))
    _ = try connection.create(role, "get_toplevel")
    try connection.send(surface, "commit")
    let memory = try WaylandMemory(byteCount: 4 * 1280 * 720)
    memory.withPixels { $0.update(repeating: 0xFF20_4060) }
    let pool = try connection.create(
      try #require(try connection.bind(.shm)), "create_pool", .descriptor(memory.descriptor()),
      .int(Int32(memory.byteCount)))
    let buffer = try connection.create(
      pool, "create_buffer", .int(0), .int(1280), .int(720), .int(4 * 1280), .uint(1))
    let pointer = try connection.create(seat, "get_pointer")
    try connection.send(device, "motion_absolute", .uint(1), .uint(320), .uint(180), .uint(1280), .uint(720))
    try connection.send(device, "frame")
    let enter = try await finishing("the pointer over the window") {
      while let event = try await connection.nextEvent() {
        switch (event.object, event.name) {
        case (base, "ping"): try connection.send(base, "pong", .uint(event.uint(0)))
        case (role, "configure"):
          // sway waits for the response to each of its configurations.
          try connection.send(role, "ack_configure", .uint(event.uint(0)))
          try connection.send(surface, "attach", .object(buffer), .int(0), .int(0))
          try connection.send(surface, "damage_buffer", .int(0), .int(0), .int(1280), .int(720))
          try connection.send(surface, "commit")
        case (pointer, "enter"): return event
        default: break
        }
      }
      throw Unexpected("the end of the connection")
    }
    #expect((enter.object(1), enter.fixed(2), enter.fixed(3)) == (surface, 320, 180))
    try connection.send(device, "button", .uint(2), .uint(0x110), .uint(1))
    try connection.send(device, "frame")
    let button = try await next(connection, pointer, "button")
    #expect((button.uint(2), button.uint(3)) == (0x110, 1))
  }

  @Test func readsTheClipboardOfAnotherProgram() async throws {
    let desktop = try await SwayDesktop()
    let copy = try await ProgramRun("wl-copy", ["Achilles"], environment: desktop.environment)
    #expect(copy.exitCode == 0, "\(copy.errors)")
    let connection = try await desktop.connect()
    let seat = try #require(try connection.bind(.seat))
    let manager = try #require(try connection.bind(.wlrDataControlManager))
    let device = try connection.create(manager, "get_data_device", .object(seat))
    let offer = try #require(try await next(connection, device, "selection").object(0))
    let (reader, writer) = try SystemCalls.pipe()
    try connection.send(
      offer, "receive", .string("text/plain"), .descriptor(WaylandDescriptor(OwnedDescriptor(writer))))
    #expect(try await readAll(reader) == Array("Achilles".utf8))
  }

  @Test func reportsARejectedRequest() async throws {
    let desktop = try await SwayDesktop()
    let connection = try await desktop.connect()
    let surface = try connection.create(try #require(try connection.bind(.compositor)), "create_surface")
    let base = try #require(try connection.bind(.windowBase))
    let role = try connection.create(base, "get_xdg_surface", .object(surface))
    try connection.send(role, "ack_configure", .uint(1))
    let error = try await failure { while try await connection.nextEvent() != nil {} }
    #expect(error.code == .requestFailed && error.text.contains("of xdg_surface \(role.id): "), "\(error)")
  }
}
