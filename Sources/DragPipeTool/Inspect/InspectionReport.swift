// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropTransport
internal import ItemCoding
internal import ItemTransfer
internal import UniformTypes

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// A form in which `inspect` tells what it sees, piece by piece: a stream may have more items than fit in memory.
protocol InspectionReport {
  func start() -> String
  mutating func add(_ item: DropItemDescription) throws -> String
  /// The last piece; `error` is what is wrong with the stream, nil when it is whole.
  func end(_ error: DropStreamError?) throws -> String
}

/// A list for people.
struct InspectionListing: InspectionReport {
  private var items = 0
  private var representations = 0
  private var bytes: UInt64 = 0

  func start() -> String { "" }

  mutating func add(_ item: DropItemDescription) -> String {
    items += 1
    representations += item.representations.count
    let name = item.suggestedName.map { "\"\($0.escapedForDisplay())\"" } ?? "(no name)"
    var text = "\(items)  \(name)\n"
    for representation in item.representations {
      if !representation.isAlias { bytes += representation.byteCount }
      let type = representation.contentType.identifier.escapedForDisplay()
      let size = ToolHelp.count(representation.byteCount, "byte")
      if let failure = representation.failure {
        text += "     \(type)  not there: \(failure.words)\n"
        continue
      }
      let alias = representation.isAlias ? "  came once" : ""
      text += "     \(type)  \(size)  crc32c \(representation.crc32cDigits)\(alias)\n"
      for line in DiagnosticPreview(representation)?.lines ?? [] { text += "       \(line)\n" }
    }
    return text
  }

  /// An error is told elsewhere; the list then ends without the line that vouches for it.
  func end(_ error: DropStreamError?) -> String {
    guard error == nil else { return "" }
    let counts = [
      ToolHelp.count(items, "item"), ToolHelp.count(representations, "representation"), ToolHelp.count(bytes, "byte"),
    ]
    return "whole and verified: \(counts.joined(separator: ", "))\n"
  }
}

/// One JSON document.
///
/// `items`, each with `name` and `representations` (`type`, `bytes`, `crc32c`; `alias` for the bytes of an earlier one;
/// `failure` in place of bytes that the source could not make; `diagnostic` or `diagnosticError`, where asked for),
/// then `verified` and, when that is false, `error`.
struct InspectionDocument: InspectionReport {
  private struct Item: Encodable {
    struct Representation: Encodable {
      let type: String
      let bytes: UInt64?
      let crc32c: String?
      let alias: Bool?
      let failure: String?
      let diagnostic: String?
      let diagnosticError: String?
    }

    let name: String?
    let representations: [Representation]
  }

  private let encoder: JSONEncoder = {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return encoder
  }()
  private var hasItems = false

  func start() -> String { #"{"items": ["# }

  mutating func add(_ item: DropItemDescription) throws -> String {
    let representations = item.representations.map { representation in
      let preview = DiagnosticPreview(representation)
      return Item.Representation(
        type: representation.contentType.identifier,
        bytes: representation.failure == nil ? representation.byteCount : nil,
        crc32c: representation.failure == nil ? representation.crc32cDigits : nil,
        alias: representation.isAlias ? true : nil, failure: representation.failure?.words,
        diagnostic: preview?.text, diagnosticError: preview?.fault)
    }
    let json = try encoder.encode(Item(name: item.suggestedName, representations: representations))
    defer { hasItems = true }
    return (hasItems ? ",\n" : "\n") + String(decoding: json, as: UTF8.self).escapedInJSON
  }

  func end(_ error: DropStreamError?) throws -> String {
    let verdict =
      if let error {
        #""verified": false, "error": "#
          + String(decoding: try encoder.encode(error.description), as: UTF8.self).escapedInJSON
      } else {
        #""verified": true"#
      }
    return "\n], \(verdict)}\n"
  }
}

extension SenderFailure {
  fileprivate var words: String {
    let kind = kind == .cancelled ? "cancelled" : "failed"
    return reason.isEmpty ? kind : "\(kind): \(reason.escapedForDisplay(limit: 200))"
  }
}

extension DropItemDescription.Representation {
  /// Eight hexadecimal digits.
  fileprivate var crc32cDigits: String {
    let digits = String(crc32c, radix: 16)
    return String(repeating: "0", count: 8 - digits.count) + digits
  }
}
