// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// Looks in text for what would act on a terminal.
struct TerminalScan {
  private(set) var foundControl = false
  /// The last two bytes that came: characters may be cut between two pieces.
  private var before: (UInt8, UInt8) = (0, 0)

  /// Whether text that ends here has something that acts on a terminal: a carriage return at its end, too.
  var hasControl: Bool { foundControl || before.1 == Self.carriageReturn }

  private static let carriageReturn = UInt8(ascii: "\r")

  /// Looks at the next bytes.
  mutating func add(_ bytes: some Sequence<UInt8>) {
    for byte in bytes {
      if isControl(byte) { foundControl = true }
      before = (before.1, byte)
    }
  }

  private func isControl(_ byte: UInt8) -> Bool {
    switch (before.0, before.1, byte) {
    case (_, Self.carriageReturn, 0x0A): false
    // Without a line feed, it lets the text that follows overwrite the line.
    case (_, Self.carriageReturn, _): true
    case (_, _, 0x09), (_, _, 0x0A), (_, _, Self.carriageReturn): false
    case (_, _, ..<0x20), (_, _, 0x7F): true
    // The other control characters, U+0080 to U+009F.
    case (_, 0xC2, 0x80...0x9F): true
    // Line and paragraph separators, and what turns the direction of the text around: U+2028 to U+202E, U+2066 to 2069.
    case (0xE2, 0x80, 0xA8...0xAE), (0xE2, 0x81, 0xA6...0xA9): true
    default: false
    }
  }
}
