// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import DisplayWire

@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct DisplayAddressTests {
  @Test(arguments: [
    (":0", 0, 0), (":17", 17, 0), (":1.2", 1, 2), ("unix:3", 3, 0), ("unix:3.1", 3, 1), ("unix/host:4", 4, 0),
    (":59535", 59_535, 0), (":0.255", 0, 255),
  ])
  func parsesLocalDisplays(text: String, display: Int, screen: Int) throws {
    let address = try DisplayAddress(parsing: text)
    #expect(address == DisplayAddress(display: display, screen: screen))
    #expect(address.socketPath == "/tmp/.X11-unix/X\(display)")
    #expect(address.description == ":\(display)" + (screen == 0 ? "" : ".\(screen)"))
  }

  @Test(arguments: [
    ("localhost:10.0", "localhost", 10), ("tcp/example.org:1", "example.org", 1), ("192.0.2.1:0", "192.0.2.1", 0),
    ("[::1]:0", "::1", 0),
  ])
  func parsesNetworkDisplaysIfTheyAreAllowed(text: String, host: String, display: Int) throws {
    let address = try DisplayAddress(parsing: text, allowsNetwork: true)
    #expect(address.transport == .network(host: host))
    #expect(address.display == display)
    let error = #expect(throws: DisplayError.self) { try DisplayAddress(parsing: text) }
    #expect(error?.code == .notAllowed)
    #expect(
      error?.description == "display \"\(text)\" is on the network; only local displays such as \":0\" are allowed")
    #expect(try DisplayAddress(parsing: address.description, allowsNetwork: true) == address)
  }

  @Test(arguments: [
    ":", "0", ":a", ":-1", ":+1", ": 1", ":1.", ":1.2.3", ":1.256", ":59536", ":99999", ":100000",
    ":18446744073709551616", ":\u{661}", "host", "host::0", "h\u{F6}st:0", "a b:0", "[]:0", "inet/host:0", "tcp/:0",
    "a/b/c:0", "tcp/a/b:0", "host:0\u{0}", ":0\n", String(repeating: "a", count: 400) + ":0",
  ])
  func rejectsMalformedDisplays(text: String) {
    let error = #expect(throws: DisplayError.self) { try DisplayAddress(parsing: text, allowsNetwork: true) }
    #expect(error?.code == .badAddress)
  }

  @Test(arguments: [nil, ""]) func reportsAMissingDisplay(text: String?) {
    let error = #expect(throws: DisplayError.self) { try DisplayAddress(parsing: text) }
    #expect(error?.code == .badAddress)
    #expect(error?.description == "no display: DISPLAY is not set")
  }

  @Test func escapesTheTextInMessages() {
    let error = #expect(throws: DisplayError.self) { try DisplayAddress(parsing: "\u{1B}[2J:x") }
    #expect(error?.description.contains("\u{1B}") == false)
  }

  @Test func reportsAnUnreachableDisplay() async {
    let error = await #expect(throws: DisplayError.self) {
      try await X11Connection.open(DisplayAddress(display: 59_535))
    }
    #expect(error?.code == .unreachable)
    #expect(error?.description.hasPrefix("no display at :59535: ") == true)
  }

  @Test func reportsAnUnreachableNetworkDisplay() async throws {
    // Connects to port 65535 of this machine, which no test uses for a display.
    let address = try DisplayAddress(parsing: "127.0.0.1:59535", allowsNetwork: true)
    let error = await #expect(throws: DisplayError.self) { try await X11Connection.open(address) }
    #expect(error?.code == .unreachable)
  }
}
