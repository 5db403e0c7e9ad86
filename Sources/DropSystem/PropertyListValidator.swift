// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials

/// A validator of untrusted property lists for Foundation's decoder, which trusts its input.
package struct PropertyListValidator {
  /// The maximum depth of nested containers.
  ///
  /// Decoding recurses once for each level. Unoptimised code takes about 3 KB of stack for each level, and some threads
  /// have a stack of only 512 KB.
  package static let maximumDepth = 128
  /// The maximum number of bytes by which the decoded strings and data of a binary list may exceed its length.
  ///
  /// Several references can share one string or data object.
  static let maximumSharing = 256 << 20

  /// Creates a validator.
  package init() {}

  /// Validates a complete property list in XML or binary form.
  ///
  /// - Throws: `DecodingError.dataCorrupted` with the byte offset of the fault.
  package func validate(_ data: Data) throws {
    try data.withUnsafeBytes { bytes in
      if bytes.starts(with: Array("bplist0".utf8)) {
        var walker = try BinaryPropertyListWalker(bytes)
        try walker.walk()
      } else {
        try XMLDepthScanner(bytes).scan()
      }
    }
  }
}

func corruptPropertyList(_ reason: String, at offset: Int, line: Int? = nil) -> DecodingError {
  let position = "byte \(offset)\(line.map { " on line \($0)" } ?? "")"
  return .dataCorrupted(.init(codingPath: [], debugDescription: "property list: \(reason) at \(position)"))
}

/// A scanner that follows the tags of an XML property list as Foundation does, and limits the depth of containers.
///
/// It rejects a list in which Foundation could see other tags. It also rejects input that does not start as XML, which
/// Foundation reads as its oldest format, and malformed UTF-8, on which Foundation traps in a number.
private struct XMLDepthScanner {
  private let bytes: UnsafeRawBufferPointer

  init(_ bytes: UnsafeRawBufferPointer) {
    self.bytes = bytes
  }

  func scan() throws {
    try requireUTF8()
    var offset = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    while offset < bytes.count, isSpace(bytes[offset]) { offset += 1 }
    guard offset < bytes.count, bytes[offset] == UInt8(ascii: "<") else {
      throw fault("neither a binary property list nor XML in UTF-8", at: offset)
    }
    var depth = 0
    while let open = firstIndex(of: UInt8(ascii: "<"), from: offset) {
      if starts(with: "<!--", at: open) {
        offset = try skip(past: "-->", from: open + 4)
      } else if starts(with: "<![CDATA[", at: open) {
        offset = try skip(past: "]]>", from: open + 9)
      } else if starts(with: "<!", at: open) {
        offset = try skip(past: ">", from: open + 2)
      } else if starts(with: "<?", at: open) {
        // One part of Foundation reads `<?>` as a complete instruction, and another as the start of an instruction.
        guard !starts(with: "<?>", at: open) else { throw fault("an empty instruction", at: open) }
        offset = try skip(past: "?>", from: open + 2)
      } else if starts(with: "</", at: open) {
        if isContainer(at: open + 2) { depth -= 1 }
        offset = try skip(past: ">", from: open + 2)
      } else {
        offset = try skip(past: ">", from: open + 1)
        guard isContainer(at: open + 1) else { continue }
        // The outermost `plist` element adds a level without a container.
        guard depth < PropertyListValidator.maximumDepth + 1 else {
          throw fault("nested deeper than the limit of \(PropertyListValidator.maximumDepth) levels", at: open)
        }
        if bytes[offset - 2] != UInt8(ascii: "/") { depth += 1 }
      }
    }
  }

  private func requireUTF8() throws {
    try bytes.withMemoryRebound(to: UInt8.self) { bytes in
      do throws(UTF8.ValidationError) {
        _ = try UTF8Span(validating: bytes.span)
      } catch {
        throw fault("malformed UTF-8", at: error.byteOffsets.lowerBound)
      }
    }
  }

  private func fault(_ reason: String, at offset: Int) -> DecodingError {
    let before = bytes[..<min(offset, bytes.count)]
    let feeds = before.count { $0 == UInt8(ascii: "\n") }
    return corruptPropertyList(reason, at: offset, line: feeds + 1)
  }

  private func isContainer(at offset: Int) -> Bool {
    starts(with: "array", at: offset) || starts(with: "dict", at: offset) || starts(with: "plist", at: offset)
  }

  /// Whether Foundation accepts `byte` as space.
  ///
  /// A form feed before the first tag selects Foundation's oldest format.
  private func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
  }

  private func firstIndex(of byte: UInt8, from start: Int) -> Int? {
    var index = start
    while index < bytes.count {
      if bytes[index] == byte { return index }
      index += 1
    }
    return nil
  }

  private func starts(with text: StaticString, at offset: Int) -> Bool {
    text.withUTF8Buffer { text in
      text.count <= bytes.count - offset
        && bytes[offset..<offset + text.count].elementsEqual(text)
    }
  }

  /// Returns the offset after the next occurrence of `text`.
  private func skip(past text: StaticString, from start: Int) throws -> Int {
    let first = text.withUTF8Buffer { $0[0] }
    var offset = start
    while let candidate = firstIndex(of: first, from: offset) {
      if starts(with: text, at: candidate) { return candidate + text.utf8CodeUnitCount }
      offset = candidate + 1
    }
    throw fault("markup without an end", at: start)
  }
}
