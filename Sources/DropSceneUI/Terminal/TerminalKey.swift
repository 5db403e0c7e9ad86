// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// A key of a terminal.
enum TerminalKey: Hashable, Sendable {
  case text(Unicode.Scalar)
  case enter, tab, backTab, escape
  case left, right, up, down, home, end, pageUp, pageDown, shiftUp, shiftDown
  case backspace, delete
  case controlC, controlD, controlL, controlU
}

/// A parser of the bytes that a terminal sends for its keys.
///
/// The bytes of a key may arrive in several reads. Unknown keys are ignored.
struct TerminalKeyParser {
  private var bytes: ArraySlice<UInt8> = []

  /// Whether the bytes so far are either the Escape key or the start of another key.
  var hasLoneEscape: Bool { bytes.elementsEqual([0x1B]) }

  /// Returns the keys that are complete after further bytes.
  mutating func keys(_ new: some Sequence<UInt8>) -> [TerminalKey] {
    bytes += new
    var keys: [TerminalKey] = []
    while let (length, key) = first() {
      bytes = bytes.dropFirst(length)
      if let key { keys.append(key) }
    }
    return keys
  }

  /// Discards an incomplete key, after a pause in the input.
  ///
  /// - Returns: The Escape key, if the bytes are the byte of this key alone.
  mutating func flush() -> TerminalKey? {
    defer { bytes = [] }
    return hasLoneEscape ? .escape : nil
  }

  /// Returns the number of bytes of the first key, and the key if it is known; `nil` if the key is incomplete.
  private func first() -> (Int, TerminalKey?)? {
    guard let byte = bytes.first else { return nil }
    switch byte {
    case 0x1B: return sequence()
    case ..<0x20, 0x7F: return (1, Self.controls[byte])
    case ..<0x80: return (1, .text(Unicode.Scalar(byte)))
    default: return scalar()
    }
  }

  private static let controls: [UInt8: TerminalKey] = [
    0x01: .home, 0x03: .controlC, 0x04: .controlD, 0x05: .end, 0x08: .backspace, 0x09: .tab, 0x0A: .enter,
    0x0C: .controlL, 0x0D: .enter, 0x15: .controlU, 0x7F: .backspace,
  ]

  /// Returns the scalar at the start; invalid bytes are skipped.
  private func scalar() -> (Int, TerminalKey?)? {
    let lengths: [ClosedRange<UInt8>: Int] = [0xC2...0xDF: 2, 0xE0...0xEF: 3, 0xF0...0xF4: 4]
    let length = lengths.first { $0.key.contains(bytes[bytes.startIndex]) }?.value ?? 1
    guard bytes.count >= length else { return nil }
    guard let text = String(validating: bytes.prefix(length), as: UTF8.self), let scalar = text.unicodeScalars.first,
      scalar.properties.generalCategory != .control
    else { return (1, nil) }
    return (length, .text(scalar))
  }

  /// Returns the key of an escape sequence; `nil` if the sequence is incomplete.
  private func sequence() -> (Int, TerminalKey?)? {
    guard let second = bytes.dropFirst().first else { return nil }
    // The letter O begins the sequences of a terminal in application mode.
    guard second == UInt8(ascii: "[") || second == UInt8(ascii: "O") else { return (second == 0x1B ? 1 : 2, nil) }
    let rest = bytes.dropFirst(2)
    guard let end = rest.firstIndex(where: { !(0x20...0x3F).contains($0) }) else { return nil }
    let name = String(decoding: rest[...end], as: UTF8.self)
    return (end - bytes.startIndex + 1, Self.sequences[name])
  }

  private static let sequences: [String: TerminalKey] = [
    "A": .up, "B": .down, "C": .right, "D": .left, "H": .home, "F": .end, "Z": .backTab, "1~": .home, "3~": .delete,
    "4~": .end, "5~": .pageUp, "6~": .pageDown, "7~": .home, "8~": .end, "1;2A": .shiftUp, "1;2B": .shiftDown,
  ]
}
