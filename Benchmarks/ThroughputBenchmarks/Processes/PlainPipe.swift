// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import DropTransport
import FoundationEssentials
import Glibc

/// Transfers without a library: `read` and `write` calls, which are repeated after signals.
enum PlainPipe {
  static let usualLength = 65_536

  static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: CInt = STDOUT_FILENO) throws {
    try SystemCalls.writeAll(descriptor, bytes)
  }

  static func write(_ data: Data) throws {
    try data.withUnsafeBytes { try write($0) }
  }

  /// Calls `body` with each piece of the input until its end.
  static func forEachPiece(
    of descriptor: CInt, length: Int = usualLength, _ body: (UnsafeRawBufferPointer) throws -> Void
  ) throws {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: length, alignment: 16)
    defer { buffer.deallocate() }
    while true {
      let count = try SystemCalls.read(descriptor, buffer)
      if count == 0 { return }
      try body(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
    }
  }

  static func readToEnd(of descriptor: CInt = STDIN_FILENO) throws -> Data {
    var data = Data()
    try forEachPiece(of: descriptor) { data.append(contentsOf: $0) }
    return data
  }

  // MARK: Long content

  /// Writes the same memory repeatedly, `byteCount` bytes in total.
  static func writeMemory(_ byteCount: Int, length: Int) throws {
    let chunk = Data(count: length)
    try chunk.withUnsafeBytes { chunk in
      var left = byteCount
      while left > 0 {
        try write(UnsafeRawBufferPointer(rebasing: chunk.prefix(left)))
        left -= min(left, chunk.count)
      }
    }
  }

  static func countToEnd(length: Int) throws -> Int {
    var total = 0
    try forEachPiece(of: STDIN_FILENO, length: length) { total += $0.count }
    return total
  }

  static func copy(fileAt path: String, length: Int) throws {
    let file = try OwnedDescriptor.open(path, O_RDONLY)
    try forEachPiece(of: file.raw, length: length) { try write($0) }
  }

  static func copy(toFileAt path: String, length: Int) throws -> Int {
    let file = try OwnedDescriptor.open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    let descriptor = file.raw
    var total = 0
    try forEachPiece(of: STDIN_FILENO, length: length) { piece in
      total += piece.count
      try write(piece, to: descriptor)
    }
    try file.close()
    return total
  }

  // MARK: Messages

  /// Calls `body` with each line, without its newline.
  ///
  /// - Returns: The number of lines.
  static func forEachLine(_ body: (Data) throws -> Void) throws -> Int {
    var count = 0
    var partial = Data()
    try forEachPiece(of: STDIN_FILENO) { piece in
      var rest = piece[...]
      while let length = lengthOfLine(in: rest) {
        partial.append(contentsOf: rest.prefix(length))
        try body(partial)
        count += 1
        partial.removeAll(keepingCapacity: true)
        rest = rest.dropFirst(length + 1)
      }
      partial.append(contentsOf: rest)
    }
    return count
  }

  private static func lengthOfLine(in bytes: Slice<UnsafeRawBufferPointer>) -> Int? {
    let bytes = UnsafeRawBufferPointer(rebasing: bytes)
    guard let base = bytes.baseAddress, let end = memchr(base, 0x0A, bytes.count) else { return nil }
    return base.distance(to: UnsafeRawPointer(end))
  }

  /// Writes messages, each after its length.
  ///
  /// Several messages are written with one call.
  static func writeMessages(_ count: Int, _ message: (Int, inout HandWriter) -> Void) throws {
    var writer = HandWriter(reserving: usualLength * 2)
    for number in 0..<count {
      let start = writer.bytes.count
      writer.write(0)
      message(number, &writer)
      writer.patch(writer.bytes.count - start - 8, at: start)
      guard writer.bytes.count >= usualLength || number == count - 1 else { continue }
      try writer.bytes.withUnsafeBytes { try write($0) }
      writer.removeAll()
    }
  }

  /// Reads messages in the format of `writeMessages` from standard input, and calls `body` with each.
  ///
  /// - Returns: The number of messages.
  static func forEachMessage(_ body: (inout HandReader) -> Void) throws -> Int {
    var count = 0
    var pending: [UInt8] = []
    try forEachPiece(of: STDIN_FILENO) { piece in
      pending.append(contentsOf: piece)
      var start = 0
      pending.withUnsafeBytes { bytes in
        while bytes.count - start >= 8 {
          let length = bytes.loadUnaligned(fromByteOffset: start, as: Int.self)
          guard bytes.count - start - 8 >= length else { return }
          var reader = HandReader(UnsafeRawBufferPointer(rebasing: bytes[(start + 8)..<(start + 8 + length)]))
          body(&reader)
          count += 1
          start += 8 + length
        }
      }
      pending.removeFirst(start)
    }
    return count
  }
}

/// Both ends of a pipe, or two connected sockets.
///
/// Each end is closed when it is released.
struct OwnedPipe: ~Copyable {
  let read: OwnedDescriptor
  let write: OwnedDescriptor

  init() throws(SystemError) {
    let ends = try SystemCalls.pipe()
    read = OwnedDescriptor(ends.read)
    write = OwnedDescriptor(ends.write)
  }

  /// Creates two connected local sockets.
  ///
  /// Both can be read and written.
  init(ofSockets: Void) throws(SystemError) {
    let ends = try SystemCalls.socketPair()
    read = OwnedDescriptor(ends.0)
    write = OwnedDescriptor(ends.1)
  }
}

extension OwnedDescriptor {
  /// Waits for one byte.
  ///
  /// - Returns: Whether a byte arrived before the end of the input.
  borrowing func readByte() throws -> Bool {
    var byte: UInt8 = 0
    let raw = raw
    return try withUnsafeMutableBytes(of: &byte) { try SystemCalls.read(raw, $0) } == 1
  }

  /// Writes a newline, for which a shell may be waiting.
  borrowing func writeByte() throws {
    let raw = raw
    try withUnsafeBytes(of: UInt8(0x0A)) { try SystemCalls.writeAll(raw, $0) }
  }
}
