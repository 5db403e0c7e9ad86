// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// A buffer into which requests are encoded.
///
/// Numbers are in little-endian order.
package struct X11Writer: Sendable {
  /// The encoded bytes.
  package private(set) var bytes: [UInt8] = []

  /// Creates an empty buffer.
  package init() {}

  /// Appends a number of 8 bits.
  package mutating func write8(_ value: UInt8) {
    bytes.append(value)
  }

  /// Appends a Boolean value of 8 bits.
  package mutating func write(_ value: Bool) {
    bytes.append(value ? 1 : 0)
  }

  /// Appends a number of 16 bits.
  package mutating func write16(_ value: UInt16) {
    bytes.append(UInt8(truncatingIfNeeded: value))
    bytes.append(UInt8(truncatingIfNeeded: value >> 8))
  }

  /// Appends a signed number of 16 bits.
  package mutating func writeSigned16(_ value: Int16) {
    write16(UInt16(bitPattern: value))
  }

  /// Appends a number of 32 bits.
  package mutating func write32(_ value: UInt32) {
    write16(UInt16(truncatingIfNeeded: value))
    write16(UInt16(truncatingIfNeeded: value >> 16))
  }

  /// Appends the identifier of a resource.
  package mutating func write(_ identifier: X11Identifier) {
    write32(identifier.rawValue)
  }

  /// Appends an atom.
  package mutating func write(_ atom: X11Atom) {
    write32(atom.rawValue)
  }

  /// Appends a time.
  package mutating func write(_ time: X11Time) {
    write32(time.rawValue)
  }

  /// Appends bytes.
  package mutating func write(_ bytes: some Collection<UInt8>) {
    self.bytes.append(contentsOf: bytes)
  }

  /// Appends the values of a property or message, without padding.
  package mutating func write(_ data: X11Data) {
    switch data {
    case .bytes(let values):
      bytes.append(contentsOf: values)
    case .words16(let values):
      bytes.reserveCapacity(bytes.count + 2 * values.count)
      for value in values { write16(value) }
    case .words32(let values):
      bytes.reserveCapacity(bytes.count + 4 * values.count)
      for value in values { write32(value) }
    }
  }

  /// Appends `count` zero bytes.
  package mutating func skip(_ count: Int) {
    bytes.append(contentsOf: repeatElement(0, count: count))
  }

  /// Appends zeros up to a multiple of four bytes.
  package mutating func pad() {
    skip(-bytes.count & 3)
  }
}
