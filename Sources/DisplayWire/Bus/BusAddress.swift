// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

package import DropSystem
internal import Glibc

/// The address of a local socket of a D-Bus message bus.
package enum BusAddress: Sendable, Hashable {
  /// A socket at a path.
  case path(String)
  /// An abstract socket, whose name has no file.
  case abstract(String)

  /// Returns the addresses of the session bus in the order of the environment.
  ///
  /// Addresses of other transports than local sockets are skipped.
  ///
  /// - Parameter environment: `DBUS_SESSION_BUS_ADDRESS`, and `XDG_RUNTIME_DIR` with the standard socket.
  /// - Returns: The addresses, at least one.
  /// - Throws: `badAddress` for a malformed address, or without any local socket.
  package static func session(_ environment: [String: String]) throws(DisplayError) -> [BusAddress] {
    let directory = environment["XDG_RUNTIME_DIR"] ?? ""
    let standard = directory.hasPrefix("/") ? BusAddress.path("\(directory)/bus") : nil
    let text = environment["DBUS_SESSION_BUS_ADDRESS"] ?? ""
    var addresses = text.isEmpty ? [standard].compactMap(\.self) : []
    for part in text.split(separator: ";") {
      guard text.utf8.count <= 4096, let colon = part.firstIndex(of: ":") else { throw malformed(text) }
      guard part[..<colon] == "unix" else { continue }
      guard let address = socket(part[part.index(after: colon)...], standard) else { throw malformed(text) }
      addresses.append(address)
    }
    guard !addresses.isEmpty else {
      throw DisplayError(.badAddress, "no session bus: set DBUS_SESSION_BUS_ADDRESS or XDG_RUNTIME_DIR")
    }
    return addresses
  }

  private static func malformed(_ text: String) -> DisplayError {
    DisplayError(.badAddress, "malformed DBUS_SESSION_BUS_ADDRESS \"\(text.escapedForDisplay(limit: 200))\"")
  }

  /// Returns the socket of the pairs of keys and values after the transport, or `nil` if they are malformed.
  ///
  /// The key `runtime` means the standard socket.
  private static func socket(_ text: Substring, _ standard: BusAddress?) -> BusAddress? {
    var values: [Substring: String] = [:]
    for pair in text.split(separator: ",", omittingEmptySubsequences: false) {
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2, let value = unescaped(parts[1]),
        values.updateValue(value, forKey: parts[0]) == nil
      else { return nil }
    }
    switch (values["path"], values["abstract"], values["runtime"]) {
    case (let path?, nil, nil): return path.hasPrefix("/") ? .path(path) : nil
    case (nil, let name?, nil): return name.isEmpty ? nil : .abstract(name)
    case (nil, nil, "yes"): return standard
    default: return nil
    }
  }

  /// Decodes percent escapes.
  ///
  /// - Returns: `nil` for a malformed escape, or a value that has a NUL or is not UTF-8.
  private static func unescaped(_ text: Substring) -> String? {
    var (bytes, rest): ([UInt8], Substring) = ([], text)
    while let character = rest.popFirst() {
      guard character == "%" else {
        bytes += Array(character.utf8)
        continue
      }
      guard let high = rest.popFirst()?.hexDigitValue, let low = rest.popFirst()?.hexDigitValue, high | low != 0 else {
        return nil
      }
      bytes.append(UInt8(high << 4 | low))
    }
    return String(validating: bytes, as: UTF8.self)
  }

  /// Connects to the first address that accepts connections; blocks.
  ///
  /// - Throws: `unreachable` with the error of the last address.
  package static func connect(to addresses: [BusAddress], timeout: Duration) throws(DisplayError) -> OwnedDescriptor {
    var failure = DisplayError(.unreachable, "no session bus")
    for address in addresses {
      do throws(SystemError) {
        let socket = OwnedDescriptor(try SystemCalls.socket())
        try SystemCalls.setSendTimeout(socket.raw, timeout)
        switch address {
        case .path(let path): try SystemCalls.connect(socket.raw, path)
        case .abstract(let name):
          try SystemCalls.connectAbstract(socket.raw, name)
          // Any user can listen at an abstract name, and would get the descriptors.
          let user = try SystemCalls.peer(of: socket.raw).user
          guard user == 0 || user == geteuid() else { throw SystemError(EPERM, in: "connect") }
        }
        return socket
      } catch {
        failure = DisplayError(.unreachable, "cannot connect to the session bus", error)
      }
    }
    throw failure
  }
}
