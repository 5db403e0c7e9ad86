// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import CAllocationCounter
import FoundationEssentials

/// A writer of lengths and bytes without keys and types, for a program that knows its data exactly.
///
/// It shows the limit that coders can approach. It is not an alternative for users, since it checks no data.
struct HandWriter {
  private(set) var bytes: [UInt8] = []

  init(reserving count: Int = 256) {
    bytes.reserveCapacity(count)
  }

  mutating func write(_ number: Int) {
    withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
  }

  mutating func write(_ text: String) {
    var text = text
    text.withUTF8 {
      write($0.count)
      bytes.append(contentsOf: $0)
    }
  }

  mutating func write(_ text: String?) {
    bytes.append(text == nil ? 0 : 1)
    if let text { write(text) }
  }

  mutating func write<Value: HandCodable>(_ values: [Value]) {
    write(values.count)
    for value in values { value.write(to: &self) }
  }

  /// Overwrites the number at an offset.
  mutating func patch(_ number: Int, at offset: Int) {
    bytes.withUnsafeMutableBytes { $0.storeBytes(of: number.littleEndian, toByteOffset: offset, as: Int.self) }
  }

  mutating func removeAll() {
    bytes.removeAll(keepingCapacity: true)
  }

  /// Writes an array of numbers as a copy of its memory.
  mutating func write<Number: BitwiseCopyable>(memoryOf numbers: [Number]) {
    write(numbers.count)
    numbers.withUnsafeBytes { bytes.append(contentsOf: $0) }
  }
}

/// A reader of the output of `HandWriter`.
struct HandReader {
  private var bytes: UnsafeRawBufferPointer

  init(_ bytes: UnsafeRawBufferPointer) {
    self.bytes = bytes
  }

  mutating func number() -> Int {
    let number = bytes.loadUnaligned(as: Int.self)
    bytes = UnsafeRawBufferPointer(rebasing: bytes.dropFirst(8))
    return Int(littleEndian: number)
  }

  mutating func text() -> String {
    let count = number()
    defer { bytes = UnsafeRawBufferPointer(rebasing: bytes.dropFirst(count)) }
    return String(decoding: bytes.prefix(count), as: UTF8.self)
  }

  mutating func optionalText() -> String? {
    let flag = bytes[0]
    bytes = UnsafeRawBufferPointer(rebasing: bytes.dropFirst())
    return flag == 0 ? nil : text()
  }

  mutating func values<Value: HandCodable>() -> [Value] {
    (0..<number()).map { _ in Value(from: &self) }
  }

  mutating func memory<Number: BitwiseCopyable>(of type: Number.Type) -> [Number] {
    let count = number()
    return [Number](unsafeUninitializedCapacity: count) { buffer, initialized in
      UnsafeMutableRawBufferPointer(buffer).copyMemory(
        from: UnsafeRawBufferPointer(rebasing: bytes.prefix(count * MemoryLayout<Number>.stride)))
      initialized = count
    }
  }
}

/// A value that `HandWriter` can write and `HandReader` can read.
protocol HandCodable {
  init(from reader: inout HandReader)
  func write(to writer: inout HandWriter)
}

/// Reusable memory to copy bytes to.
///
/// Without it, allocating memory would take longer than the copy.
struct HandMemory {
  private let room: UnsafeMutableRawBufferPointer

  /// Allocates memory for the bytes of `data`, and writes to it once so that the kernel provides it.
  init(for data: Data) {
    room = .allocate(byteCount: data.count, alignment: 16)
    room.initializeMemory(as: UInt8.self, repeating: 1)
  }

  func copy(_ data: Data) {
    data.withUnsafeBytes { room.copyMemory(from: $0) }
    if let base = room.baseAddress { keep_memory(base) }
  }
}
