// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem

/// The address of a display, in the form of the environment variable `DISPLAY`.
package struct DisplayAddress: Sendable, Hashable {
  /// The transport to the server.
  package enum Transport: Sendable, Hashable {
    /// A local socket in `/tmp/.X11-unix`, or the abstract socket of the same name.
    case local
    /// TCP to a host, such as `localhost` for the forwarding of `ssh -X`.
    case network(host: String)
  }

  /// The transport to the server.
  package let transport: Transport
  /// The number of the display.
  package let display: Int
  /// The number of the screen.
  package let screen: Int

  /// The highest number of a display.
  ///
  /// Display 0 uses TCP port 6000, and TCP ports end at 65,535.
  package static let maximumDisplay = 65_535 - 6000

  /// Creates the address of a local display.
  package init(display: Int, screen: Int = 0) {
    transport = .local
    self.display = display
    self.screen = screen
  }

  /// Parses an address.
  ///
  /// The forms are `:N`, `unix:N`, `unix/NAME:N`, `HOST:N`, `tcp/HOST:N` and `[ADDRESS]:N`. Each may end with the number
  /// of a screen, as in `:N.S`.
  ///
  /// - Parameters:
  ///   - text: The value of `DISPLAY`; `nil` if it is not set.
  ///   - allowsNetwork: Whether to accept an address that is reached by TCP, which is not encrypted.
  /// - Throws: `badAddress` for a missing or malformed address; `notAllowed` for a network address.
  package init(parsing text: String?, allowsNetwork: Bool = false) throws(DisplayError) {
    guard let text, !text.isEmpty else { throw DisplayError(.badAddress, "no display: DISPLAY is not set") }
    let shown = text.escapedForDisplay()
    let malformed = DisplayError(
      .badAddress, "malformed display \"\(shown)\": write :NUMBER, :NUMBER.SCREEN or HOST:NUMBER")
    guard text.utf8.count <= 300, let colon = text.lastIndex(of: ":") else { throw malformed }
    let numbers = text[text.index(after: colon)...].split(separator: ".", omittingEmptySubsequences: false)
    guard numbers.count <= 2, let display = Self.number(numbers[0], upTo: Self.maximumDisplay),
      let screen = numbers.count == 1 ? 0 : Self.number(numbers[1], upTo: 255)
    else { throw malformed }
    self.display = display
    self.screen = screen

    let parts = text[..<colon].split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    switch (parts.count == 2 ? parts[0] : nil, parts.last ?? "") {
    case (nil, ""), (nil, "unix"), ("unix", _):
      transport = .local
    case (nil, let name), ("tcp", let name):
      var host = name
      if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
      // Two colons before the number would be an address of DECnet.
      guard !host.isEmpty, !name.hasSuffix(":"), host.utf8.allSatisfy({ (0x21..<0x7F).contains($0) && $0 != 0x2F })
      else { throw malformed }
      guard allowsNetwork else {
        throw DisplayError(
          .notAllowed, "display \"\(shown)\" is on the network; only local displays such as \":0\" are allowed")
      }
      transport = .network(host: host)
    default: throw malformed
    }
  }

  /// Returns the value of one to five decimal digits, or `nil` for any other string or a value above `limit`.
  private static func number(_ text: Substring, upTo limit: Int) -> Int? {
    guard (1...5).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let value = Int(text)
    else { return nil }
    return value <= limit ? value : nil
  }

  /// The path of the local socket.
  var socketPath: String { "/tmp/.X11-unix/X\(display)" }
}

extension DisplayAddress: CustomStringConvertible {
  /// The address in the form of `DISPLAY`.
  package var description: String {
    let host =
      switch transport {
      case .local: ""
      case .network(let host): host.contains(":") ? "[\(host)]" : host
      }
    return "\(host):\(display)\(screen == 0 ? "" : ".\(screen)")"
  }
}
