// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem

/// A parser that lays out a JSON document, or the beginning of a document, with one value on each line.
///
/// Numbers, escape sequences and the order of keys are unchanged. The parser is not recursive, so deep nesting cannot
/// overflow the stack.
struct JSONPreview {
  /// An error in the document.
  struct Fault: Error {
    let offset: Int
    let reason: String
    /// Whether the document is valid up to this point, but ends too early.
    var isEnd = false
  }

  private enum Container {
    case array
    case object
  }

  private static let space = Set(" \t\r\n".utf8)
  private static let scalarBytes = Set("+-.0123456789abcdefghijklmnopqrstuvwxyzE".utf8)

  private let bytes: ArraySlice<UInt8>
  private var offset: Int
  private var output = PreviewText()
  private var open: [Container] = []

  private init(_ bytes: [UInt8]) {
    self.bytes = bytes[...]
    offset = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
  }

  /// Lays out a document.
  ///
  /// - Parameters:
  ///   - bytes: A document, or the beginning of a document.
  ///   - isPrefix: Whether `bytes` is only the beginning.
  /// - Returns: The text, which may be truncated.
  /// - Throws: The first error, unless the text is truncated before it.
  static func text(of bytes: [UInt8], isPrefix: Bool) throws(Fault) -> PreviewText {
    var preview = JSONPreview(bytes)
    do throws(Fault) {
      try preview.printDocument()
    } catch {
      guard isPrefix, error.isEnd else { throw error }
      preview.output.truncate()
    }
    return preview.output
  }

  private mutating func printDocument() throws(Fault) {
    var isValueNext = true
    while !output.isTruncated {
      if isValueNext {
        isValueNext = try printValue()
        continue
      }
      guard let container = open.last else {
        skipSpace()
        guard offset == bytes.endIndex else { throw fault("unexpected bytes after the value") }
        return
      }
      switch (try next(), container) {
      case (UInt8(ascii: ","), _):
        offset += 1
        output.write(",")
        output.beginLine(level: open.count)
        if container == .object { try printKey() }
        isValueNext = true
      case (UInt8(ascii: "]"), .array): close("]")
      case (UInt8(ascii: "}"), .object): close("}")
      default: throw fault("expected a comma or the end of the \(container == .array ? "array" : "object")")
      }
    }
  }

  /// - Returns: Whether the value opened a container, so that the first value in it must follow.
  private mutating func printValue() throws(Fault) -> Bool {
    switch try next() {
    case UInt8(ascii: "["): return try open(.array, "[", end: "]")
    case UInt8(ascii: "{"): return try open(.object, "{", end: "}")
    case UInt8(ascii: "\""): try printString()
    case let byte where Self.scalarBytes.contains(byte): printScalar()
    default: throw fault("expected a value")
    }
    return false
  }

  private mutating func open(_ container: Container, _ start: String, end: Unicode.Scalar) throws(Fault) -> Bool {
    offset += 1
    output.write(start)
    if try next() == UInt8(ascii: end) {
      offset += 1
      output.write(String(end))
      return false
    }
    open.append(container)
    output.beginLine(level: open.count)
    if container == .object { try printKey() }
    return true
  }

  private mutating func close(_ end: String) {
    offset += 1
    open.removeLast()
    output.beginLine(level: open.count)
    output.write(end)
  }

  private mutating func printKey() throws(Fault) {
    guard try next() == UInt8(ascii: "\"") else { throw fault("expected a key") }
    try printString()
    guard try next() == UInt8(ascii: ":") else { throw fault("expected a colon") }
    offset += 1
    output.write(": ")
  }

  /// Prints a string; only invisible characters are changed: they are escaped.
  private mutating func printString() throws(Fault) {
    let start = offset
    offset += 1
    while offset < bytes.endIndex, bytes[offset] != UInt8(ascii: "\"") {
      guard bytes[offset] >= 0x20 else { throw fault("control character in a string") }
      offset += bytes[offset] == UInt8(ascii: "\\") ? 2 : 1
    }
    let end = min(offset + 1, bytes.endIndex)
    output.write(String(decoding: bytes[start..<end], as: UTF8.self).escapedInJSON)
    guard offset < bytes.endIndex else { throw ended }
    offset += 1
  }

  private mutating func printScalar() {
    let rest = bytes[offset...].prefix { Self.scalarBytes.contains($0) }
    output.write(String(decoding: rest, as: UTF8.self))
    offset = rest.endIndex
  }

  private mutating func skipSpace() {
    while offset < bytes.endIndex, Self.space.contains(bytes[offset]) { offset += 1 }
  }

  /// Skips white space and returns the next byte without consuming it.
  private mutating func next() throws(Fault) -> UInt8 {
    skipSpace()
    guard offset < bytes.endIndex else { throw ended }
    return bytes[offset]
  }

  private func fault(_ reason: String) -> Fault { Fault(offset: offset, reason: reason) }

  private var ended: Fault { Fault(offset: bytes.endIndex, reason: "unexpected end of the text", isEnd: true) }
}
