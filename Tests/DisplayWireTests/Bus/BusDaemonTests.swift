// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import DisplayWire

/// Calls through the message bus of the reference implementation.
@Suite(.serialized, .limited, .timeLimit(minutes: 5), .peers("dbus-daemon")) struct BusDaemonTests {
  private let daemon: BusDaemon

  init() async throws {
    daemon = try await BusDaemon()
  }

  private func call(_ member: String, _ arguments: [BusCall.Argument] = []) -> BusCall {
    BusCall(member, of: "org.freedesktop.DBus", at: "/org/freedesktop/DBus", in: "org.freedesktop.DBus", arguments)
  }

  private func connection(_ address: String) throws -> BusConnection {
    let addresses = try BusAddress.session(["DBUS_SESSION_BUS_ADDRESS": address])
    return BusConnection(timeout: .seconds(60)) { (timeout) throws(DisplayError) in
      try BusAddress.connect(to: addresses, timeout: timeout)
    }
  }

  @Test func daemonReturnsStringsAndErrors() async throws {
    let connection = try connection(daemon.address)
    #expect(try await connection.call(call("GetId")).string().count == 32)
    #expect(try await connection.call(call("ListNames")).strings().contains("org.freedesktop.DBus"))
    let error = try await failure { try await connection.call(call("GetNameOwner", [.string("org.example.None")])) }
    #expect(error.code == .requestFailed && error.text.contains("org.freedesktop.DBus.Error.NameHasNoOwner"))
    #expect(try connection.takeSignals().map { try $0.string().first } == [":"])
  }

  @Test func daemonAcceptsDescriptors() async throws {
    let connection = try connection("unix:path=/none;\(daemon.address)")
    // The bus closes the descriptors and reports the wrong arguments.
    let files: [BusCall.Argument] = [.descriptors([CInt](repeating: 0, count: 16))]
    let error = try await failure { try await connection.call(call("GetNameOwner", files)) }
    #expect(error.code == .requestFailed && error.text.contains("InvalidArgs"), "\(error)")
    #expect(try await connection.call(call("GetId")).string().count == 32)
  }
}
