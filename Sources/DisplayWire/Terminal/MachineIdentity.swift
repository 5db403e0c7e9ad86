// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem

/// The identity of this machine, by which a terminal knows whether a program runs on another machine.
package enum MachineIdentity {
  private static let key = Array("tty-dnd-protocol-machine-id".utf8)
  private static let maximumLength = 256
  /// The identity of a machine without an identifier, of a version that no terminal knows.
  ///
  /// The terminal must then treat it as another machine. A terminal takes no identity for that of its own machine.
  package static let unknown = "0:" + String(repeating: "0", count: 64)

  /// Returns the identity in the form of the protocol: a version, and a code that does not disclose the identifier.
  ///
  /// - Parameter identifier: The identifier of the machine, without white space at the end.
  /// - Returns: The version and the code in hexadecimal digits.
  package static func text(of identifier: [UInt8]) -> String {
    let code = SHA256.authenticationCode(of: identifier, key: key)
    return "1:" + code.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  /// Reads the identifier of this machine; blocks.
  ///
  /// - Returns: The identity; ``unknown`` if the machine has no identifier.
  package static func load(path: String = "/etc/machine-id") -> String {
    guard let file = try? ReadableFile(path: path), file.status.kind == .regular,
      let bytes = try? file.read(upTo: maximumLength)
    else { return unknown }
    let identifier = bytes.prefix { $0 > 0x20 && $0 < 0x7F }
    return identifier.isEmpty ? unknown : text(of: Array(identifier))
  }
}
