// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Glibc
import Synchronization

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What a program does that has no toolkit: `read` and `write` on standard input and output.
enum PlainPipe {
  struct Failure: Error, CustomStringConvertible {
    let call: String
    let code = errno

    var description: String { "\(call): \(String(cString: strerror(code)))" }
  }

  /// As long as the best of them is, which the benchmark finds out.
  private static let bufferLength = getenv("PLAIN_LENGTH").flatMap { Int(String(cString: $0)) } ?? 65_536
  private static let pending = Mutex(Data())

  static func write(_ data: Data) throws {
    try data.withUnsafeBytes { bytes in
      var written = 0
      while written < bytes.count {
        let count = Glibc.write(STDOUT_FILENO, bytes.baseAddress?.advanced(by: written), bytes.count - written)
        guard count > 0 else { throw Failure(call: "write") }
        written += count
      }
    }
  }

  static func bufferedWrite(_ data: Data) throws {
    let full: Data? = pending.withLock { pending in
      pending.append(data)
      guard pending.count >= bufferLength else { return nil }
      defer { pending.removeAll(keepingCapacity: true) }
      return pending
    }
    if let full { try write(full) }
  }

  static func flush() throws {
    try write(pending.withLock { $0 })
  }

  /// Calls `body` with each piece that comes, until the end.
  private static func forEachPiece(
    of descriptor: CInt, _ body: (UnsafeRawBufferPointer) throws -> Void
  ) throws {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: bufferLength, alignment: 16)
    defer { buffer.deallocate() }
    while true {
      let count = read(descriptor, buffer.baseAddress, buffer.count)
      guard count >= 0 else { throw Failure(call: "read") }
      if count == 0 { return }
      try body(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
    }
  }

  /// Writes the same bytes again and again.
  static func write(_ byteCount: Int) throws {
    let chunk = Data(count: bufferLength)
    var left = byteCount
    while left > 0 {
      try write(chunk.prefix(left))
      left -= min(left, chunk.count)
    }
  }

  static func copy(toFileAt path: String) throws -> Int {
    let file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    guard file >= 0 else { throw Failure(call: "open") }
    defer { close(file) }
    var total = 0
    try forEachPiece(of: STDIN_FILENO) { piece in
      total += piece.count
      var written = 0
      while written < piece.count {
        let count = Glibc.write(file, piece.baseAddress?.advanced(by: written), piece.count - written)
        guard count > 0 else { throw Failure(call: "write") }
        written += count
      }
    }
    return total
  }

  static func readToEnd() throws -> Data {
    var data = Data()
    try forEachPiece(of: STDIN_FILENO) { data.append(contentsOf: $0) }
    return data
  }

  static func countToEnd() throws -> Int {
    var total = 0
    try forEachPiece(of: STDIN_FILENO) { total += $0.count }
    return total
  }

  static func forEachLine(_ body: (Data) throws -> Void) throws {
    var partial = Data()
    try forEachPiece(of: STDIN_FILENO) { piece in
      var rest = piece[...]
      while let end = rest.firstIndex(of: 0x0A) {
        partial.append(contentsOf: rest[..<end])
        try body(partial)
        partial.removeAll(keepingCapacity: true)
        rest = rest[(end + 1)...]
      }
      partial.append(contentsOf: rest)
    }
  }

  static func copy(fileAt path: String) throws {
    let file = open(path, O_RDONLY)
    guard file >= 0 else { throw Failure(call: "open") }
    defer { close(file) }
    try forEachPiece(of: file) { piece in
      var written = 0
      while written < piece.count {
        let count = Glibc.write(STDOUT_FILENO, piece.baseAddress?.advanced(by: written), piece.count - written)
        guard count > 0 else { throw Failure(call: "write") }
        written += count
      }
    }
  }
}
