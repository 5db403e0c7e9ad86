// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

extension CBORValue: Hashable {
  /// Whether both values stand for the same data item.
  public static func == (one: CBORValue, other: CBORValue) -> Bool {
    switch (one, other) {
    case (.unsigned(let one), .unsigned(let other)): one == other
    case (.negative(let one), .negative(let other)): one == other
    case (.bytes(let one), .bytes(let other)): one == other
    // Strings that differ in their normalization are equal in Swift, and different in CBOR.
    case (.text(let one), .text(let other)): one.utf8.elementsEqual(other.utf8)
    case (.array(let one), .array(let other)): one == other
    case (.map(let one), .map(let other)): one == other
    case (.tagged(let one, let item), .tagged(let other, let otherItem)): one == other && item == otherItem
    case (.bool(let one), .bool(let other)): one == other
    case (.null, .null), (.undefined, .undefined): true
    case (.simple(let one), .simple(let other)): one == other
    case (.float(let one), .float(let other)): one.bitPattern == other.bitPattern
    default: false
    }
  }

  /// Hashes what ``==(_:_:)`` compares.
  public func hash(into hasher: inout Hasher) {
    switch self {
    case .unsigned(let argument): hash(0, argument, into: &hasher)
    case .negative(let argument): hash(1, argument, into: &hasher)
    case .bytes(let bytes): hash(2, bytes, into: &hasher)
    case .text(var text):
      hasher.combine(3)
      text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    case .array(let elements): hash(4, elements, into: &hasher)
    case .map(let entries): hash(5, entries, into: &hasher)
    case .tagged(let tag, let item):
      hash(6, tag, into: &hasher)
      hasher.combine(item)
    case .bool(let value): hash(7, value, into: &hasher)
    case .null: hasher.combine(8)
    case .undefined: hasher.combine(9)
    case .simple(let number): hash(10, number, into: &hasher)
    case .float(let number): hash(11, number.bitPattern, into: &hasher)
    }
  }

  private func hash(_ kind: Int, _ content: some Hashable, into hasher: inout Hasher) {
    hasher.combine(kind)
    hasher.combine(content)
  }
}
