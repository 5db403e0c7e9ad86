// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import Foundation
import Glibc
import TestSupport
import Testing

@testable import DisplayWire

/// Connections to a compositor that follows the protocol.
@Suite(.serialized, .limited, .timeLimit(minutes: 1)) struct WaylandConnectionTests {
  /// Waits for the next event of an object.
  private func next(_ connection: WaylandConnection) async throws -> WaylandEvent {
    try #require(await finishing("an event") { try await connection.nextEvent() })
  }

  /// The number of an event of `wl_callback` may be that of a global object.
  @Test func callbacksRemoveNoGlobalObject() async throws {
    let connection = try await FakeCompositor(globals: [.compositor, .seat, .shm, .output]).connect()
    let globals = connection.globals
    for _ in 0..<4 {
      _ = try connection.create(WaylandConnection.display, "sync")
      #expect(try await connection.nextEvent()?.object.interface == .callback)
    }
    #expect(connection.globals == globals)
  }

  @Test func knowsTheGlobalsAfterOpening() async throws {
    let connection = try await FakeCompositor(globals: [.compositor, .seat, .seat]).connect()
    #expect(connection.globals.map(\.interface) == ["wl_compositor", "wl_seat", "wl_seat"])
    #expect(connection.globals.map(\.name) == [1, 2, 3])
  }

  @Test func bindsTheHighestCommonVersion() async throws {
    let compositor = try FakeCompositor(globals: [(.compositor, 4), (.seat, 90), (.output, 1)])
    let connection = try await compositor.connect()
    let bound = try #require(try connection.bind(.compositor))
    let seat = try #require(try connection.bind(.seat, atLeast: 5))
    #expect((connection.version(of: bound), connection.version(of: seat)) == (4, 8))
    #expect(try connection.bind(.output, atLeast: 2) == nil && connection.bind(.shm) == nil)
    let request = try await compositor.request(.registry, "bind", count: 2)
    #expect((request.uint(0), request.string(1), request.uint(2), request.uint(3)) == (2, "wl_seat", 8, seat.id))
  }

  @Test func newObjectsInheritTheVersion() async throws {
    let connection = try await FakeCompositor(globals: [(.compositor, 4)]).connect()
    let compositor = try #require(try connection.bind(.compositor))
    let surface = try connection.create(compositor, "create_surface")
    #expect(connection.version(of: surface) == 4)
    try connection.send(surface, "damage_buffer", .int(0), .int(0), .int(1), .int(1))
    #expect(
      try await failure { try connection.send(surface, "offset", .int(0), .int(0)) }
        == (.requestFailed, "offset needs version 5 of wl_surface instead of 4"))
  }

  @Test func sendsAllTypesOfArguments() async throws {
    let compositor = try FakeCompositor()
    let connection = try await compositor.connect()
    let seat = try #require(try connection.bind(.seat))
    let manager = try #require(try connection.bind(.dataDeviceManager))
    let source = try connection.create(manager, "create_data_source")
    let device = try connection.create(manager, "get_data_device", .object(seat))
    try connection.send(source, "offer", .string("text/plain"))
    try connection.send(device, "set_selection", .object(source), .uint(7))
    try connection.send(device, "set_selection", .object(nil), .uint(8))
    let offer = try await compositor.request(.dataSource, "offer")
    #expect((offer.object, offer.string(0)) == (source.id, "text/plain"))
    let first = try await compositor.request(.dataDevice, "set_selection")
    #expect((first.object, first.uint(0), first.uint(1)) == (device.id, source.id, 7))
    let second = try await compositor.request(.dataDevice, "set_selection", count: 2)
    #expect((second.uint(0), second.uint(1)) == (0, 8))
  }

  @Test func deliversEventsInTheOrderOfTheWire() async throws {
    let compositor = try FakeCompositor()
    let connection = try await compositor.connect()
    let seat = try #require(try connection.bind(.seat))
    let pointer = try connection.create(seat, "get_pointer")
    let base = try #require(try connection.bind(.compositor))
    let surface = try connection.create(base, "create_surface")
    try await connection.synchronize()
    compositor.send(pointer.id, .pointer, "enter", .uint(3), .uint(surface.id), .fixed(1.5), .fixed(-2.25))
    compositor.send(pointer.id, .pointer, "frame")
    let enter = try await next(connection)
    #expect((enter.object, enter.name) == (pointer, "enter"))
    #expect((enter.uint(0), enter.object(1), enter.fixed(2), enter.fixed(3)) == (3, surface, 1.5, -2.25))
    #expect(try await next(connection).name == "frame")
  }

  @Test func receivesObjectsOfTheCompositor() async throws {
    let compositor = try FakeCompositor()
    let connection = try await compositor.connect()
    let seat = try #require(try connection.bind(.seat))
    let manager = try #require(try connection.bind(.dataDeviceManager))
    let device = try connection.create(manager, "get_data_device", .object(seat))
    try await connection.synchronize()
    let id = compositor.newObject(.dataOffer)
    compositor.send(device.id, .dataDevice, "data_offer", .uint(id))
    compositor.send(id, .dataOffer, "offer", .string("text/html"))
    compositor.send(device.id, .dataDevice, "selection", .uint(id))
    let offer = try #require(try await next(connection).object(0))
    #expect((offer.id, offer.interface, connection.version(of: offer)) == (id, .dataOffer, 3))
    let type = try await next(connection)
    #expect((type.object, type.string(0)) == (offer, "text/html"))
    #expect(try await next(connection).object(0) == offer)
  }

  @Test func reportsLaterGlobalsAsEvents() async throws {
    let compositor = try FakeCompositor(globals: [.seat])
    let connection = try await compositor.connect()
    compositor.send(connection.registry.id, .registry, "global", .uint(9), .string("wl_output"), .uint(2))
    compositor.send(connection.registry.id, .registry, "global_remove", .uint(1))
    let added = try await next(connection)
    #expect((added.object, added.name, added.uint(0)) == (connection.registry, "global", 9))
    #expect(try await next(connection).name == "global_remove")
    #expect(connection.globals == [WaylandGlobal(name: 9, interface: "wl_output", version: 2)])
    #expect(try connection.bind(connection.globals[0], as: .output) != nil)
    #expect(try connection.bind(connection.globals[0], as: .seat) == nil)
  }

  // MARK: Descriptors

  @Test func passesDescriptorsBothWays() async throws {
    let compositor = try FakeCompositor()
    let connection = try await compositor.connect()
    let seat = try #require(try connection.bind(.seat))
    let manager = try #require(try connection.bind(.dataDeviceManager))
    let device = try connection.create(manager, "get_data_device", .object(seat))
    let source = try connection.create(manager, "create_data_source")
    try await connection.synchronize()
    let id = compositor.newObject(.dataOffer)
    compositor.send(device.id, .dataDevice, "data_offer", .uint(id))
    let offer = try #require(try await next(connection).object(0))
    let (reader, writer) = try SystemCalls.pipe()
    let passed = WaylandDescriptor(OwnedDescriptor(writer))
    try connection.send(offer, "receive", .string("text/plain"), .descriptor(passed))
    #expect(passed.raw == nil)
    let request = try await compositor.request(.dataOffer, "receive")
    let received = try taken(request.descriptor(1))
    try SystemCalls.writeAll(received.raw, Array("Odysseus".utf8))
    try received.close()
    #expect(try await readAll(reader) == Array("Odysseus".utf8))

    let (sent, target) = try SystemCalls.pipe()
    compositor.send(
      source.id, .dataSource, "send", .string("text/plain"), .descriptor(WaylandDescriptor(OwnedDescriptor(target))))
    let event = try await next(connection)
    let own = try taken(event.descriptor(1))
    #expect(try SystemCalls.closesOnExec(own.raw))
    try SystemCalls.writeAll(own.raw, Array("Penelope".utf8))
    try own.close()
    #expect(try await readAll(sent) == Array("Penelope".utf8))
  }

  @Test func passesMoreDescriptorsThanOneCallCarries() async throws {
    let compositor = try FakeCompositor()
    let connection = try await compositor.connect()
    let shm = try #require(try connection.bind(.shm))
    for size in 1...100 {
      let memory = try WaylandMemory(byteCount: size)
      _ = try connection.create(shm, "create_pool", .descriptor(memory.descriptor()), .int(Int32(size)))
    }
    _ = try await compositor.request(.shm, "create_pool", count: 100)
    for (index, request) in compositor.requests.filter({ $0.name == "create_pool" }).enumerated() {
      let descriptor = try #require(request.descriptor(1)?.raw)
      #expect(try SystemCalls.seek(descriptor, 0, SEEK_END) == Int64(index + 1))
    }
  }

  @Test func closesDescriptorsThatNothingTakes() async throws {
    let compositor = try FakeCompositor()
    let connection = try await compositor.connect()
    let manager = try #require(try connection.bind(.dataDeviceManager))
    let source = try connection.create(manager, "create_data_source")
    try await connection.synchronize()
    let (reader, writer) = try SystemCalls.pipe()
    compositor.send(
      source.id, .dataSource, "send", .string("text/plain"), .descriptor(WaylandDescriptor(OwnedDescriptor(writer))))
    #expect(try await next(connection).string(0) == "text/plain")
    #expect(try await readAll(reader).isEmpty)
  }

  // MARK: Ends of objects

  @Test func usesANumberAgainOnlyAfterItsEndIsConfirmed() async throws {
    let compositor = try FakeCompositor { request, _ in request.interface == .region }
    let connection = try await compositor.connect()
    let base = try #require(try connection.bind(.compositor))
    let region = try connection.create(base, "create_region")
    try connection.send(region, "destroy")
    let other = try connection.create(base, "create_region")
    #expect(other.id != region.id)
    _ = try await compositor.request(.region, "destroy")
    compositor.delete(region.id)
    // The number of this callback is used again first.
    try await connection.synchronize()
    let ids = [try connection.create(base, "create_region").id, try connection.create(base, "create_region").id]
    #expect(ids.contains(region.id))
    #expect(
      try await failure { try connection.send(region, "add", .int(0), .int(0), .int(1), .int(1)) }
        == (.requestFailed, "\(region) is destroyed and cannot add"))
  }

  @Test func dropsTheEventsOfDestroyedObjects() async throws {
    let compositor = try FakeCompositor { request, _ in ["destroy", "release"].contains(request.name) }
    let connection = try await compositor.connect()
    let seat = try #require(try connection.bind(.seat))
    let manager = try #require(try connection.bind(.dataDeviceManager))
    let device = try connection.create(manager, "get_data_device", .object(seat))
    let source = try connection.create(manager, "create_data_source")
    try connection.send(device, "release")
    try connection.send(source, "destroy")
    _ = try await compositor.request(.dataSource, "destroy")
    let (reader, writer) = try SystemCalls.pipe()
    compositor.send(
      source.id, .dataSource, "send", .string("text/plain"), .descriptor(WaylandDescriptor(OwnedDescriptor(writer))))
    // The object that a destroyed object creates is destroyed too.
    let id = compositor.newObject(.dataOffer)
    compositor.send(device.id, .dataDevice, "data_offer", .uint(id))
    compositor.send(id, .dataOffer, "offer", .string("text/plain"))
    compositor.send(device.id, .dataDevice, "selection", .uint(id))
    compositor.send(seat.id, .seat, "name", .string("Ithaca"))
    #expect(try await next(connection).string(0) == "Ithaca")
    #expect(try await readAll(reader).isEmpty)
    // The compositor may use the number again.
    let pointers = try connection.create(manager, "get_data_device", .object(seat))
    try await connection.synchronize()
    compositor.send(pointers.id, .dataDevice, "data_offer", .uint(id))
    #expect(try await next(connection).object(0)?.id == id)
  }

  @Test func acceptsTheEndOfAnObjectThatTheCompositorEnds() async throws {
    let compositor = try FakeCompositor()
    let connection = try await compositor.connect()
    let surface = try connection.create(try #require(try connection.bind(.compositor)), "create_surface")
    let frame = try connection.create(surface, "frame")
    try await connection.synchronize()
    compositor.delete(frame.id)
    try await connection.synchronize()
    #expect(connection.version(of: frame) == 0 && connection.version(of: surface) == 6)
    let again = try connection.create(surface, "frame")
    try await connection.synchronize()
    compositor.finish(again.id, 42)
    let done = try await next(connection)
    #expect((done.object, done.name, done.uint(0)) == (again, "done", 42))
  }

  // MARK: End

  @Test func synchronizesWhileATaskReads() async throws {
    let connection = try await FakeCompositor().connect()
    let reader = Task { try await connection.nextEvent() }
    for _ in 0..<100 { try await connection.synchronize() }
    connection.close()
    #expect(try await reader.value == nil)
    #expect(try await failure { try await connection.synchronize() }.code == .closed)
  }

  @Test func cancellationLosesNoEvent() async throws {
    let compositor = try FakeCompositor()
    let connection = try await compositor.connect()
    let seat = try #require(try connection.bind(.seat))
    let reader = Task { try await connection.nextEvent() }
    reader.cancel()
    #expect(try await failure { try await reader.value }.code == .cancelled)
    try await connection.synchronize()
    compositor.send(seat.id, .seat, "name", .string("Troy"))
    #expect(try await next(connection).string(0) == "Troy")
  }

  @Test func closesTheSocketWithTheLastReference() async throws {
    let compositor = try FakeCompositor()
    do {
      let connection = try await compositor.connect()
      try await connection.synchronize()
    }
    try await wait(for: "the end of the connection") { compositor.isClosed }
  }

  @Test func connectsThroughTheRuntimeDirectory() async throws {
    let directory = try TemporaryDirectory()
    let compositor = try FakeCompositor(listeningAt: directory.file("wayland-7").path)
    let address = try WaylandAddress.from(environment: [
      "XDG_RUNTIME_DIR": directory.url.path, "WAYLAND_DISPLAY": "wayland-7",
    ])
    let connection = try await WaylandConnection.open(address, timeout: .seconds(60))
    #expect(connection.globals.count == FakeCompositor.desktop.count)
    connection.close()
    try await wait(for: "the end of the connection") { compositor.isClosed }
  }
}

@Suite(.limited, .timeLimit(minutes: 1)) struct WaylandMemoryTests {
  @Test func sharesPixelsAndCannotShrink() throws {
    let memory = try WaylandMemory(byteCount: 16)
    memory.withPixels { pixels in
      #expect(pixels.count == 4)
      pixels[3] = 0xFF01_0203
    }
    let descriptor = try taken(memory.descriptor())
    let shared = try SystemCalls.mapShared(descriptor.raw, 16)
    defer { SystemCalls.unmap(shared) }
    #expect(shared.load(fromByteOffset: 12, as: UInt32.self) == 0xFF01_0203)
    #expect(throws: SystemError.self) { try SystemCalls.truncate(descriptor.raw, 8) }
  }

  @Test(arguments: [0, -1, 1 << 31]) func rejectsInvalidSizes(size: Int) async throws {
    #expect(try await failure { try WaylandMemory(byteCount: size) }.code == .limitExceeded)
  }
}
