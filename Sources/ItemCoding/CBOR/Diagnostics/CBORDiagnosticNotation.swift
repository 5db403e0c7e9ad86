// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials

/// Shows CBOR to people, in the diagnostic notation of RFC 8949, section 8.
///
/// ```swift
/// let bytes = try CBOREncoder().encode(["Atalanta": 1])
/// print(try CBORDiagnosticNotation().text(of: bytes))  // {"Atalanta": 1}
/// ```
///
/// Numbers look as in Appendix A of the RFC. What could act on a terminal is written as `\uXXXX` in text strings, and
/// the output is bounded, so bytes from a stranger can be shown as they are. All of them are checked even so: they must
/// be well-formed, and text strings valid UTF-8.
public struct CBORDiagnosticNotation: Sendable, Hashable {
  /// How arrays and maps are laid out.
  public enum Layout: Sendable, Hashable {
    /// Each item on one line, however long.
    case singleLine
    /// Each element and entry on a line of its own, two more spaces in at each level.
    case indented
  }

  /// How arrays and maps are laid out; on one line unless it is said otherwise.
  public var layout = Layout.singleLine

  /// Whether everything outside of ASCII is written as `\uXXXX`, as the RFC does; `false` unless it is said otherwise.
  public var escapesNonASCII = false

  /// Whether encoding indicators are added: `1.5_1` for a number of half precision, `7_0` for an argument in one more
  /// byte, up to `_3` for eight; `false` unless it is said otherwise.
  ///
  /// Indefinite lengths are shown in any case, as in `[_ 1, 2]`.
  public var showsEncodingIndicators = false

  /// How many characters (Unicode scalars) are written at most, 1 048 576 unless it is said otherwise.
  ///
  /// Where there are more, one further character `…` stands for them.
  public var maximumLength = 1 << 20

  /// How many arrays, maps and tags may be within one another, 512 unless it is said otherwise.
  ///
  /// Each takes some memory, but none of the stack.
  public var maximumDepth = 512

  /// Makes a notation with the default settings.
  public init() {}

  /// The notation of the one data item that `data` is.
  ///
  /// - Throws: `DecodingError.dataCorrupted` with the offset in bytes, where `data` is not well-formed, goes on behind
  ///   the item, has text that is not valid UTF-8, or is nested more deeply than ``maximumDepth``.
  public func text(of data: Data) throws -> String {
    try text(of: data, start: 0)
  }

  /// The notation of one data item before which there are `start` bytes, which count in the offsets of errors.
  package func text(of data: Data, start: Int) throws -> String {
    try text(data, start: start, isPrefix: false) { printer throws(CBORFault) in
      try printer.printItem()
      guard printer.isAtEnd else { throw CBORFault(at: printer.offset, "more bytes behind the item") }
    }
  }

  /// The notation of any number of data items one after another, a CBOR sequence (RFC 8742).
  ///
  /// Each item begins on a new line; commas are between them, as section 4 of the RFC has it. The limits are those of
  /// the whole.
  ///
  /// - Throws: What ``text(of:)`` throws, with offsets from the start of the sequence.
  public func text(ofSequence data: Data) throws -> String {
    try text(data, isPrefix: false) { printer throws(CBORFault) in try printer.printSequence() }
  }

  /// The notation of as much of a CBOR sequence as there is at hand: where `prefix` is cut, `…` stands for the rest.
  ///
  /// - Throws: What ``text(of:)`` throws, but for a cut.
  package func text(ofSequencePrefix prefix: Data) throws -> String {
    try text(prefix, isPrefix: true) { printer throws(CBORFault) in try printer.printSequence() }
  }

  private func text(
    _ data: Data, start: Int = 0, isPrefix: Bool, _ body: (inout CBORDiagnosticPrinter) throws(CBORFault) -> Void
  ) throws -> String {
    // `Data` does not pass on which error its closure throws.
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
  /// The fault as users see it where no value was being decoded; `start` bytes were before the first that ``offset``
  /// counts.
  func corruption(start: Int = 0) -> DecodingError {
    DecodingError.dataCorrupted(
      DecodingError.Context(codingPath: [], debugDescription: "at byte \(start + offset): \(text)"))
  }
}
