// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials

/// A printer of CBOR in the diagnostic notation of RFC 8949, section 8.
///
/// ```swift
/// let bytes = try CBOREncoder().encode(["Atalanta": 1])
/// print(try CBORDiagnosticNotation().text(of: bytes))  // {"Atalanta": 1}
/// ```
///
/// Numbers look as in Appendix A of the RFC. The input may come from an untrusted sender: the output is bounded, and
/// characters that could act on a terminal are written as `\uXXXX`. All of the input must be well-formed, and its text
/// must be valid UTF-8.
public struct CBORDiagnosticNotation: Sendable, Hashable {
  /// The layout of arrays and maps.
  public enum Layout: Sendable, Hashable {
    /// Each outermost item on one line, regardless of its length.
    case singleLine
    /// Each element and entry on its own line, indented by two spaces for each level.
    case indented
  }

  /// The layout of arrays and maps; on one line by default.
  public var layout = Layout.singleLine

  /// Whether all characters outside ASCII are written as `\uXXXX`, as in the RFC; `false` by default.
  public var escapesNonASCII = false

  /// Whether encoding indicators are added; `false` by default.
  ///
  /// `1.5_1` is a number of half precision. The indicators `_0` to `_3` stand for an argument of 1, 2, 4 or 8 bytes
  /// after the initial byte: `7_0` is the number 7 in two bytes. Indefinite lengths are always shown, as in `[_ 1, 2]`.
  public var showsEncodingIndicators = false

  /// The maximum length of the output in Unicode scalars; 1 048 576 by default.
  ///
  /// An additional character, `…`, stands for the rest of a longer output.
  public var maximumLength = 1 << 20

  /// The maximum depth of nested arrays, maps and tags; 512 by default.
  ///
  /// A level takes memory on the heap and none on the stack.
  public var maximumDepth = 512

  /// Creates a notation with default settings.
  public init() {}

  /// Returns the notation of `data`, which must be one data item.
  ///
  /// - Throws: `DecodingError.dataCorrupted` with the byte offset if `data` is malformed or does not end after the
  ///   item. The same error reports text that is not valid UTF-8, and an item that is nested deeper than
  ///   ``maximumDepth``.
  public func text(of data: Data) throws -> String {
    try text(of: data, start: 0)
  }

  /// Returns the notation of one data item.
  ///
  /// Offsets in errors are relative to the start of a larger input, which has `start` bytes before the item.
  package func text(of data: Data, start: Int) throws -> String {
    try text(data, start: start, isPrefix: false) { printer throws(CBORFault) in
      try printer.printItem()
      guard printer.isAtEnd else { throw CBORFault(at: printer.offset, "more bytes after the item") }
    }
  }

  /// Returns the notation of a CBOR sequence (RFC 8742): any number of data items one after another.
  ///
  /// Each item begins on a new line, and commas separate the items (section 4 of the RFC). The maximum length applies
  /// to the output for the sequence, not for each item.
  ///
  /// - Throws: The errors of ``text(of:)``, with offsets relative to the start of the sequence.
  public func text(ofSequence data: Data) throws -> String {
    try text(data, isPrefix: false) { printer throws(CBORFault) in try printer.printSequence() }
  }

  /// Returns the notation of the beginning of a CBOR sequence.
  ///
  /// `…` stands for the rest of a truncated item.
  ///
  /// - Throws: The errors of ``text(of:)``, except for truncation.
  package func text(ofSequencePrefix prefix: Data) throws -> String {
    try text(prefix, isPrefix: true) { printer throws(CBORFault) in try printer.printSequence() }
  }

  private func text(
    _ data: Data, start: Int = 0, isPrefix: Bool, _ body: (inout CBORDiagnosticPrinter) throws(CBORFault) -> Void
  ) throws -> String {
    // The closure of `Data` cannot throw a typed error.
    let result = data.withUnsafeBytes { bytes -> Result<String, CBORFault> in
      withUnsafePointer(to: 0 as UInt8) { placeholder in
        // Empty data may have no address.
        let base = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) ?? placeholder
        let input = CBORInput(base: base, count: bytes.count, acceptsLongArguments: true)
        var printer = CBORDiagnosticPrinter(input: input, isPrefix: isPrefix, notation: self)
        do throws(CBORFault) {
          try body(&printer)
        } catch {
          guard isPrefix, error.kind == .truncated else { return .failure(error) }
          printer.output.elide()
        }
        return .success(printer.output.text)
      }
    }
    do {
      return try result.get()
    } catch {
      throw error.corruption(start: start)
    }
  }
}

extension CBORFault {
  /// Returns the fault as an error without a coding path.
  ///
  /// The error states the sum of `start` and ``offset``.
  func corruption(start: Int = 0) -> DecodingError {
    DecodingError.dataCorrupted(
      DecodingError.Context(codingPath: [], debugDescription: "at byte \(start + offset): \(text)"))
  }
}
