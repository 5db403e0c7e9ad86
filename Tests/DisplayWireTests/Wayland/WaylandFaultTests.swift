// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import Foundation
import Glibc
import TestSupport
import Testing

@testable import DisplayWire

/// Compositors that violate the protocol or overwhelm the client.
@Suite(.serialized, .limited, .timeLimit(minutes: 1)) struct WaylandFaultTests {
  /// A connection with a keyboard (3), a data device manager (5), a data source (6) and a data device (7).
  private struct Desk {
    let compositor: FakeCompositor
    let connection: WaylandConnection
    let manager: WaylandObject
    let device: WaylandObject
    let source: WaylandObject

    init(limits: WaylandLimits = .init(), handler: @escaping FakeCompositor.Handler = { _, _ in false }) async throws {
      compositor = try FakeCompositor(handler: handler)
      connection = try await compositor.connect(limits: limits)
      let seat = try #require(try connection.bind(.seat))
      manager = try #require(try connection.bind(.dataDeviceManager))
      device = try connection.create(manager, "get_data_device", .object(seat))
      source = try connection.create(manager, "create_data_source")
      try await connection.synchronize()
    }

    /// Reads events until the connection ends.
    func ending() async throws -> (code: DisplayError.Code, text: String) {
      try await failure { try await finishing("the end") { while try await connection.nextEvent() != nil {} } }
    }
  }

  /// Words in the byte order of this machine.
  private static func words(_ values: UInt32...) -> [UInt8] {
    var writer = X11Writer()
    for value in values { writer.writeHost32(value) }
    return writer.bytes
  }

  /// The end of a pipe to pass, and the other end, which reads the end of the input when no process has the first.
  private func pipe() throws -> (passed: WaylandDescriptor, reader: CInt) {
    let (reader, writer) = try SystemCalls.pipe()
    return (WaylandDescriptor(OwnedDescriptor(writer)), reader)
  }

  // MARK: Messages

  /// A message to the data device (its number replaces `device`), and the end of the error that it causes.
  struct Fault: Sendable, CustomTestStringConvertible {
    var opcode = 0
    var object: UInt32?
    var body: [UInt8] = []
    var size: UInt32?
    var end: String

    var testDescription: String { end }
  }

  @Test(arguments: [
    Fault(size: 4, end: "message of 4 bytes; the length must be a multiple of 4 and at least 8"),
    Fault(body: [0, 0], size: 10, end: "message of 10 bytes; the length must be a multiple of 4 and at least 8"),
    Fault(object: 99, end: "event 0 of the unknown object 99"),
    Fault(object: 0, end: "event 0 of the unknown object 0"),
    Fault(object: 0xFF00_0000, end: "event 0 of the unknown object 4278190080"),
    Fault(opcode: 6, end: "event 6 of wl_data_device 5, which has 6"),
    Fault(opcode: 2, body: words(0), end: "leave of wl_data_device 5: 4 surplus bytes"),
    Fault(opcode: 3, body: words(0, 0), end: "motion of wl_data_device 5: 4 bytes are declared and 0 remain"),
    Fault(opcode: 5, body: words(77), end: "selection of wl_data_device 5: unknown object 77"),
    Fault(opcode: 1, body: words(1, 0, 0, 0, 0), end: "enter of wl_data_device 5: an object is missing"),
    Fault(opcode: 0, body: words(5), end: "new wl_data_offer with the number 5, which is not one of the compositor"),
    Fault(opcode: 0, body: words(0), end: "new wl_data_offer with the number 0, which is not one of the compositor"),
    // Strings.
    Fault(opcode: 1, object: 3, body: words(0), end: "name of wl_seat 3: a string is missing"),
    Fault(
      opcode: 1, object: 3, body: words(8, 0),
      end: "name of wl_seat 3: 8 bytes are declared and 4 remain"),
    Fault(
      opcode: 1, object: 3, body: words(.max, 0),
      end: "name of wl_seat 3: 4294967295 bytes are declared and 4 remain"),
    Fault(
      opcode: 1, object: 3, body: words(4) + Array("Hera".utf8),
      end: "name of wl_seat 3: string without a zero byte at its end, or with one inside"),
    Fault(
      opcode: 1, object: 3, body: words(4) + Array("A\0B\0".utf8),
      end: "name of wl_seat 3: string without a zero byte at its end, or with one inside"),
    // The display.
    Fault(opcode: 1, object: 1, body: words(1), end: "end of the object 1, which this program has not created"),
    Fault(opcode: 1, object: 1, body: words(90), end: "end of the object 90, which this program has not created"),
    Fault(
      opcode: 1, object: 1, body: words(0xFF00_0000),
      end: "end of the object 4278190080, which this program has not created"),
    Fault(opcode: 2, object: 1, end: "event 2 of wl_display 1, which has 2"),
    // A descriptor that has not arrived.
    Fault(
      opcode: 1, object: 6, body: words(2) + [65, 0, 0, 0], end: "send of wl_data_source 6: a descriptor is missing"),
  ])
  func rejectsInvalidMessages(fault: Fault) async throws {
    let desk = try await Desk()
    #expect((desk.device.id, desk.source.id) == (5, 6))
    let size = fault.size ?? UInt32(8 + fault.body.count)
    desk.compositor.send(
      Self.words(fault.object ?? desk.device.id, size << 16 | UInt32(fault.opcode)) + fault.body)
    let error = try await desk.ending()
    #expect(error.code == .protocolViolation && error.text.hasSuffix(fault.end), "\(error)")
    // All later requests and waits fail with the same error.
    #expect(try await failure { try desk.connection.send(desk.source, "offer", .string("A")) } == error)
    #expect(try await failure { try await desk.connection.synchronize() } == error)
    try await wait(for: "the end of the connection") { desk.compositor.isClosed }
  }

  @Test func rejectsANewObjectWithTheNumberOfAnother() async throws {
    let desk = try await Desk()
    let id = desk.compositor.newObject(.dataOffer)
    for _ in 0..<2 { desk.compositor.send(desk.device.id, .dataDevice, "data_offer", .uint(id)) }
    let error = try await desk.ending()
    #expect(error.text.hasSuffix("new wl_data_offer with the number of wl_data_offer \(id), which exists"), "\(error)")
  }

  @Test func acceptsMessagesInSingleBytes() async throws {
    let desk = try await Desk()
    for byte in FakeCompositor.message(desk.device.id, 3, Self.words(7, 256, 512)) { desk.compositor.send([byte]) }
    let event = try #require(try await desk.connection.nextEvent())
    #expect((event.uint(0), event.fixed(1), event.fixed(2)) == (7, 1, 2))
  }

  @Test func repairsStringsThatAreNotUTF8() async throws {
    let desk = try await Desk()
    desk.compositor.send(FakeCompositor.message(3, 1, Self.words(2) + [0xFF, 0, 0, 0]))
    #expect(try await desk.connection.nextEvent()?.string(0) == "\u{FFFD}")
  }

  @Test func reportsTheErrorOfTheCompositor() async throws {
    let desk = try await Desk()
    desk.compositor.send(
      1, .display, "error", .uint(desk.source.id), .uint(3), .string("no\u{1B}[31m such type"))
    let error = try await desk.ending()
    #expect(
      error == (
        .requestFailed, "the compositor rejected a request: error 3 of wl_data_source 6: no\\u{1b}[31m such type"
      ))
  }

  // MARK: Descriptors

  @Test func closesDescriptorsThatNoMessageUses() async throws {
    let desk = try await Desk()
    let (passed, reader) = try pipe()
    desk.compositor.send(FakeCompositor.message(desk.device.id, 2), [passed])
    _ = passed.take()
    #expect(try await desk.connection.nextEvent()?.name == "leave")
    desk.connection.close()
    #expect(try await readAll(reader).isEmpty)
  }

  @Test func limitsTheDescriptorsThatWait() async throws {
    let desk = try await Desk(limits: WaylandLimits(descriptors: 10))
    let (passed, reader) = try pipe()
    desk.compositor.send(
      FakeCompositor.message(desk.device.id, 2),
      try (0..<11).map { _ in
        WaylandDescriptor(OwnedDescriptor(try SystemCalls.duplicate(try #require(passed.raw))))
      })
    _ = passed.take()
    #expect(
      try await desk.ending()
        == (.limitExceeded, "11 descriptors of the compositor wait to be read; the limit is 10"))
    #expect(try await readAll(reader).isEmpty)
  }

  @Test func limitsTheDescriptorsOfUnreadEvents() async throws {
    let desk = try await Desk(limits: WaylandLimits(descriptors: 10))
    let (passed, reader) = try pipe()
    for _ in 0..<11 {
      desk.compositor.send(desk.source.id, .dataSource, "send", .string("A"), .descriptor(passed))
    }
    _ = passed.take()
    try await wait(for: "the end of the connection") { desk.compositor.isClosed }
    #expect(try await desk.ending().code == .limitExceeded)
    #expect(try await readAll(reader).isEmpty)
  }

  @Test func endsIfTheKernelDiscardsDescriptors() async throws {
    let (server, client) = try SystemCalls.socketPair()
    defer { try? SystemCalls.close(server) }
    let (passed, reader) = try pipe()
    try Self.send(try #require(passed.raw), count: SystemCalls.descriptorsPerCall + 1, through: server)
    _ = passed.take()
    #expect(
      try await failure { try await WaylandConnection.open(socket: OwnedDescriptor(client)) }
        == (.limitExceeded, "the compositor sent more descriptors than this process can accept"))
    #expect(try await readAll(reader).isEmpty)
  }

  /// Sends a descriptor several times with one byte, also more often than `SystemCalls` does.
  private static func send(_ descriptor: CInt, count: Int, through socket: CInt) throws {
    let size = MemoryLayout<cmsghdr>.size + count * MemoryLayout<CInt>.size
    let control = UnsafeMutableRawBufferPointer.allocate(byteCount: (size + 7) & ~7, alignment: 8)
    defer { control.deallocate() }
    var header = cmsghdr()
    header.cmsg_len = size
    header.cmsg_level = SOL_SOCKET
    header.cmsg_type = CInt(SCM_RIGHTS)
    control.storeBytes(of: header, as: cmsghdr.self)
    for index in 0..<count {
      control.storeBytes(of: descriptor, toByteOffset: MemoryLayout<cmsghdr>.size + 4 * index, as: CInt.self)
    }
    var byte: UInt8 = 0
    let sent = withUnsafeMutablePointer(to: &byte) { byte in
      var part = iovec(iov_base: byte, iov_len: 1)
      return withUnsafeMutablePointer(to: &part) { part in
        var message = msghdr()
        message.msg_iov = part
        message.msg_iovlen = 1
        message.msg_control = control.baseAddress
        message.msg_controllen = control.count
        return sendmsg(socket, &message, 0)
      }
    }
    try #require(sent == 1)
  }

  @Test func closesTheDescriptorsOfRequestsThatFail() async throws {
    let desk = try await Desk()
    let (passed, reader) = try pipe()
    // A data source has no such request.
    #expect(throws: DisplayError.self) {
      try desk.connection.send(desk.source, "receive", .string("A"), .descriptor(passed))
    }
    _ = passed.take()
    #expect(try await readAll(reader).isEmpty)
  }

  @Test func closesTheDescriptorsOfRequestsThatAreNotSent() async throws {
    let gate = DispatchSemaphore(value: 0)
    let desk = try await Desk { request, _ in
      // Reads nothing after the first request.
      if request.name == "offer" { _ = gate.wait(timeout: .now() + 60) }
      return false
    }
    defer { for _ in 0..<10_000 { gate.signal() } }
    let id = desk.compositor.newObject(.dataOffer)
    desk.compositor.send(desk.device.id, .dataDevice, "data_offer", .uint(id))
    let offer = try #require(try await desk.connection.nextEvent()?.object(0))
    let type = String(repeating: "a", count: 4000)
    for _ in 0..<1000 { try desk.connection.send(desk.source, "offer", .string(type)) }
    let (passed, reader) = try pipe()
    try desk.connection.send(offer, "receive", .string("A"), .descriptor(passed))
    desk.connection.close()
    #expect(try await readAll(reader).isEmpty)
  }

  // MARK: Limits

  @Test func limitsUnreadEvents() async throws {
    let desk = try await Desk(limits: WaylandLimits(events: 100))
    for _ in 0..<101 { desk.compositor.send(desk.device.id, .dataDevice, "leave") }
    try await wait(for: "the end of the connection") { desk.compositor.isClosed }
    #expect(
      try await desk.ending() == (.limitExceeded, "more than 100 events of the compositor wait to be read"))
  }

  @Test func limitsObjects() async throws {
    // The display, the registry, the callback of the opening, and the objects of the desk.
    let desk = try await Desk(limits: WaylandLimits(objects: 20)) { request, _ in request.name == "destroy" }
    let error = try await failure {
      while true {
        // The compositor does not confirm the ends.
        try desk.connection.send(try desk.connection.create(desk.manager, "create_data_source"), "destroy")
      }
    }
    #expect(error == (.limitExceeded, "wl_data_source exceeds the limit of 20 objects"))
    desk.compositor.send(desk.device.id, .dataDevice, "data_offer", .uint(0xFF00_0000))
    #expect(try await desk.ending().text.hasSuffix("new wl_data_offer exceeds the limit of 20 objects"))
  }

  @Test func limitsTheBytesThatTheCompositorDoesNotRead() async throws {
    let gate = DispatchSemaphore(value: 0)
    let desk = try await Desk(limits: WaylandLimits(queuedBytes: 1 << 20)) { request, _ in
      if request.name == "offer" { _ = gate.wait(timeout: .now() + 60) }
      return false
    }
    let type = String(repeating: "a", count: 4000)
    let error = try await failure {
      while true { try desk.connection.send(desk.source, "offer", .string(type)) }
    }
    #expect(error.code == .limitExceeded && error.text.hasPrefix("the compositor has not read 10"), "\(error)")
    // The connection continues when the compositor reads again.
    for _ in 0..<10_000 { gate.signal() }
    try await wait(for: "room") { (try? await desk.connection.synchronize()) != nil }
  }

  // MARK: Opening

  @Test func reportsASilentCompositor() async throws {
    let (server, client) = try SystemCalls.socketPair()
    defer { try? SystemCalls.close(server) }
    let error = try await failure {
      try await WaylandConnection.open(socket: OwnedDescriptor(client), timeout: .milliseconds(50))
    }
    #expect(error == (.timedOut, "the compositor did not respond in time"))
    #expect(try await onThread { try Self.bytesToEnd(server) }.count == 24)
  }

  /// Reads the bytes up to the end of the connection.
  private static func bytesToEnd(_ socket: CInt) throws -> [UInt8] {
    var all: [UInt8] = []
    while case let bytes = try readSome(socket), !bytes.isEmpty { all += bytes }
    return all
  }

  @Test func sendsTheFirstRequestsOfTheProtocol() async throws {
    let (server, client) = try SystemCalls.socketPair()
    let task = Task { try await WaylandConnection.open(socket: OwnedDescriptor(client)) }
    let bytes = try await onThread {
      var bytes: [UInt8] = []
      while bytes.count < 24 { bytes += try readSome(server) }
      return bytes
    }
    #expect(bytes == Self.words(1, 12 << 16 | 1, 2, 1, 12 << 16, 3))
    try SystemCalls.close(server)
    #expect(try await failure { try await task.value } == (.serverGone, "the compositor has closed the connection"))
  }

  @Test func cancellationEndsTheOpening() async throws {
    let (server, client) = try SystemCalls.socketPair()
    defer { try? SystemCalls.close(server) }
    let task = Task { try await WaylandConnection.open(socket: OwnedDescriptor(client)) }
    _ = try await onThread { try readSome(server) }
    task.cancel()
    #expect(try await failure { try await task.value }.code == .cancelled)
    // The connection is closed after its first requests.
    #expect(try await onThread { try Self.bytesToEnd(server) }.count <= 24)
  }

  // MARK: Requests

  @Test func rejectsRequestsThatTheInterfaceLacks() async throws {
    let desk = try await Desk()
    let (connection, source) = (desk.connection, desk.source)
    for (arguments, text) in [
      (("fly", []), "wl_data_source has no request fly"),
      (("offer", []), "offer of wl_data_source has other parameters"),
      (("offer", [.uint(1)]), "offer of wl_data_source has other parameters"),
      (("offer", [.string(nil)]), "offer of wl_data_source has other parameters"),
      (("offer", [.string("A"), .uint(1)]), "offer of wl_data_source has fewer parameters"),
      (("offer", [.string("A\0B")]), "string of offer contains a zero byte"),
    ] as [((String, [WaylandArgument]), String)] {
      let error = try await failure {
        switch arguments.1.count {
        case 0: try connection.send(source, arguments.0)
        case 1: try connection.send(source, arguments.0, arguments.1[0])
        default: try connection.send(source, arguments.0, arguments.1[0], arguments.1[1])
        }
      }
      #expect(error == (.requestFailed, text))
    }
    #expect(
      try await failure { try connection.send(source, "offer", .string(String(repeating: "a", count: 5000))) }
        == (.limitExceeded, "offer of 5016 bytes exceeds the limit of 4096"))
    try await connection.synchronize()
  }

  @Test func rejectsDestroyedArguments() async throws {
    let desk = try await Desk()
    try desk.connection.send(desk.source, "destroy")
    #expect(
      try await failure { try desk.connection.send(desk.device, "set_selection", .object(desk.source), .uint(1)) }
        == (
          .requestFailed, "wl_data_source 6 is destroyed, which set_selection of wl_data_device 5 names"
        ))
    #expect(
      try await failure { try desk.connection.send(desk.source, "destroy") }
        == (.requestFailed, "wl_data_source 6 is destroyed and cannot destroy"))
  }

  @Test func aRejectedRequestUsesNoNumber() async throws {
    let desk = try await Desk()
    for _ in 0..<10 {
      #expect(throws: DisplayError.self) { try desk.connection.create(desk.manager, "get_data_device") }
    }
    let next = try desk.connection.create(desk.manager, "create_data_source")
    #expect(next.id <= 8)
    try await desk.connection.synchronize()
  }
}

@Suite(.serialized, .limited, .timeLimit(minutes: 1)) struct WaylandAddressTests {
  @Test func readsTheEnvironment() throws {
    for (environment, address) in [
      (["XDG_RUNTIME_DIR": "/run/user/1"], .path("/run/user/1/wayland-0")),
      (["XDG_RUNTIME_DIR": "/run/user/1", "WAYLAND_DISPLAY": "wayland-5"], .path("/run/user/1/wayland-5")),
      (["WAYLAND_DISPLAY": "/tmp/ithaca"], .path("/tmp/ithaca")),
      (["WAYLAND_SOCKET": "17", "WAYLAND_DISPLAY": "/tmp/ithaca"], .inherited(descriptor: 17)),
    ] as [([String: String], WaylandAddress)] {
      #expect(try WaylandAddress.from(environment: environment) == address)
    }
  }

  @Test(arguments: [
    [:], ["WAYLAND_DISPLAY": "wayland-0"], ["XDG_RUNTIME_DIR": "run"], ["WAYLAND_SOCKET": "-1"],
    ["WAYLAND_SOCKET": "99999999999"], ["WAYLAND_SOCKET": "x"],
    ["WAYLAND_DISPLAY": "/" + String(repeating: "a", count: 107)], ["WAYLAND_DISPLAY": "/a\0b"],
  ])
  func rejectsMalformedVariables(environment: [String: String]) async throws {
    #expect(try await failure { try WaylandAddress.from(environment: environment) }.code == .badAddress)
  }

  @Test func usesAnInheritedSocketOnce() async throws {
    let compositor = try FakeCompositor()
    let socket = try #require(compositor.takeClient())
    let address = WaylandAddress.inherited(descriptor: socket)
    let connection = try await WaylandConnection.open(address, timeout: .seconds(60))
    #expect(try SystemCalls.closesOnExec(socket))
    #expect(
      try await failure { try await WaylandConnection.open(address) }
        == (.badAddress, "WAYLAND_SOCKET \(socket) is not a local socket, or was used before"))
    try await connection.synchronize()
  }

  @Test func reportsAMissingCompositor() async throws {
    let error = try await failure { try await WaylandConnection.open(.path("/nonexistent/wayland-0")) }
    #expect(error == (.unreachable, "no compositor at /nonexistent/wayland-0: No such file or directory"))
  }
}
