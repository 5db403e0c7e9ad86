// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import FoundationEssentials
internal import ItemCoding

/// JSON as the tool writes it: keys sorted, slashes as they are, and nothing in it that could act on a terminal.
struct JSONOutput: Sendable {
  private let encoder: JSONEncoder

  /// - Parameter isPretty: Whether it is set in lines, for people.
  init(isPretty: Bool = false) {
    encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    if isPretty { encoder.outputFormatting.insert(.prettyPrinted) }
  }

  /// The value's text, without a line's end behind it.
  ///
  /// - Throws: What the value throws, and `EncodingError` for numbers that JSON does not have.
  func text(_ value: some Encodable) throws -> String {
    String(decoding: try encoder.encode(value), as: UTF8.self).escapedInJSON
  }
}
