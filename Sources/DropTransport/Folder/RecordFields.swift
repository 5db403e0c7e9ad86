// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// A writer of the fields of a record, in the byte order of this machine.
///
/// Only this process reads the record.
struct RecordWriter {
  private(set) var bytes: [UInt8] = []

  init() {
    // Room for most records, so that the array is seldom copied.
    bytes.reserveCapacity(256)
  }

  mutating func add(_ value: some FixedWidthInteger) {
    withUnsafeBytes(of: Int64(truncatingIfNeeded: value)) { bytes.append(contentsOf: $0) }
  }

  mutating func add(_ value: Bool) { bytes.append(value ? 1 : 0) }

  mutating func add(_ value: [UInt8]) {
    add(value.count)
    bytes.append(contentsOf: value)
  }

  mutating func add(_ value: String) {
    add(value.utf8.count)
    bytes.append(contentsOf: value.utf8)
  }

  mutating func add<Value>(_ value: Value?, _ write: (inout RecordWriter, Value) -> Void) {
    add(value != nil)
    if let value { write(&self, value) }
  }
}

/// A reader of the fields of a record, in the order in which they were written.
struct RecordReader {
  private let bytes: [UInt8]
  private var offset = 0

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  mutating func integer<Value: FixedWidthInteger>() -> Value {
    defer { offset += MemoryLayout<Int64>.size }
    return Value(truncatingIfNeeded: bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: Int64.self) })
  }

  mutating func bool() -> Bool {
    defer { offset += 1 }
    return bytes[offset] == 1
  }

  mutating func data() -> [UInt8] {
    let count: Int = integer()
    defer { offset += count }
    return Array(bytes[offset..<offset + count])
  }

  mutating func string() -> String { String(decoding: data(), as: UTF8.self) }

  mutating func optional<Value>(_ read: (inout RecordReader) -> Value) -> Value? { bool() ? read(&self) : nil }
}
