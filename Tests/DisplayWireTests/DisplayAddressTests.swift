// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import DisplayWire

@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct DisplayAddressTests {
  private func parse(_ text: String?, allowsNetwork: Bool = false) throws -> DisplayAddress {
    try DisplayAddress(parsing: text, allowsNetwork: allowsNetwork)
  }

  @Test func parsesLocalDisplays() throws {
    for (text, display, screen) in [
      (":0", 0, 0), (":17", 17, 0), (":1.2", 1, 2), ("unix:3", 3, 0), ("unix:3.1", 3, 1), ("unix/host:4", 4, 0),
      (":59535", 59_535, 0), (":0.255", 0, 255),
    ] {
      let address = try parse(text)
      #expect(address == DisplayAddress(display: display, screen: screen), "\(text)")
      let description = ":\(display)" + (screen == 0 ? "" : ".\(screen)")
      #expect([address.socketPath, address.description] == ["/tmp/.X11-unix/X\(display)", description])
    }
  }

  @Test func parsesNetworkDisplaysIfTheyAreAllowed() async throws {
    for (text, host, display) in [
      ("localhost:10.0", "localhost", 10), ("tcp/example.org:1", "example.org", 1), ("192.0.2.1:0", "192.0.2.1", 0),
      ("[::1]:0", "::1", 0),
    ] {
      let address = try parse(text, allowsNetwork: true)
      let again = try parse(address.description, allowsNetwork: true)
      #expect((address.transport, address.display, again) == (.network(host: host), display, address))
      #expect(
        try await failure { try parse(text) }
          == (.notAllowed, "display \"\(text)\" is on the network; only local displays such as \":0\" are allowed"))
    }
  }

  @Test func rejectsMalformedDisplays() async throws {
    for text in [
      ":", "0", ":a", ":-1", ":+1", ": 1", ":1.", ":1.2.3", ":1.256", ":59536", ":99999", ":100000",
      ":18446744073709551616", ":\u{661}", "host", "host::0", "h\u{F6}st:0", "a b:0", "[]:0", "inet/host:0", "tcp/:0",
      "a/b/c:0", "tcp/a/b:0", "host:0\u{0}", ":0\n", String(repeating: "a", count: 400) + ":0",
    ] {
      #expect(try await failure { try parse(text, allowsNetwork: true) }.code == .badAddress, "\(text)")
    }
    for text in [nil, ""] {
      #expect(try await failure { try parse(text) } == (.badAddress, "no display: DISPLAY is not set"))
    }
    #expect(try await !failure { try parse("\u{1B}[2J:x") }.text.contains("\u{1B}"))
  }

  @Test func reportsAnUnreachableDisplay() async throws {
    let error = try await failure { try await X11Connection.open(DisplayAddress(display: 59_535)) }
    #expect(error.code == .unreachable && error.text.hasPrefix("no display at :59535: "))
    // Connects to port 65535 of this machine, which no test uses for a display.
    let address = try parse("127.0.0.1:59535", allowsNetwork: true)
    #expect(try await failure { try await X11Connection.open(address) }.code == .unreachable)
  }
}
