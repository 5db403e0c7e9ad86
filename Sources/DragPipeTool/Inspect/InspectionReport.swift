// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import DropTransport
internal import UniformTypes

/// A form in which `inspect` tells what it sees, piece by piece: a stream may have more items than fit in memory.
protocol InspectionReport {
  func start() -> String
  mutating func add(_ item: DropItemDescription) throws -> String
  /// The last piece; `error` is what is wrong with the stream, nil when it is whole.
  mutating func end(_ error: DropStreamError?) throws -> String
}

/// How much has been seen of a stream.
struct InspectionTotals: Encodable {
  private(set) var items = 0
  private(set) var representations = 0
  /// Bytes that came: those of an alias did not.
  private(set) var bytes: UInt64 = 0
  /// Representations that their source could not make.
  private(set) var missing = 0

  mutating func add(_ item: DropItemDescription) {
    items += 1
    representations += item.representations.count
    for representation in item.representations where !representation.isAlias { bytes += representation.byteCount }
    missing += item.representations.count { $0.failure != nil }
  }

  /// The line that vouches for a whole stream.
  var verdict: String {
    let counts = [
      ToolHelp.count(items, "item"), ToolHelp.count(representations, "representation"), ToolHelp.count(bytes, "byte"),
    ]
    let rest = missing == 0 ? "" : "; the sender could not make \(ToolHelp.count(missing, "representation"))"
    return "\(counts.joined(separator: ", ")): whole and verified\(rest)\n"
  }
}

extension DropItemDescription {
  /// The name for people, in quotes.
  var shownName: String {
    let folder = folder.map { $0 + "/" } ?? ""
    return suggestedName.map { "\"\((folder + $0).escapedForDisplay(limit: .max))\"" } ?? "(no name)"
  }
}

extension DropItemDescription.Representation {
  /// Eight hexadecimal digits.
  var crc32cDigits: String {
    let digits = String(crc32c, radix: 16)
    return String(repeating: "0", count: 8 - digits.count) + digits
  }

  var shownType: String { contentType.identifier.escapedForDisplay(limit: .max) }

  /// What a person should know beside type and size.
  var remarks: String {
    if let failure { return "not there: \(failure.summary)" }
    var remarks: [String] = []
    if isAlias { remarks.append("alias, came once") }
    if let meaning = contentType.dynamicMeaning { remarks.append("stands for \(meaning.escapedForDisplay())") }
    if let sniffed = SniffedType.type(of: self) {
      remarks.append("looks like \(sniffed.identifier.escapedForDisplay())")
    }
    return remarks.joined(separator: "; ")
  }
}

extension SenderFailure {
  var summary: String {
    let kind = kind == .cancelled ? "cancelled" : "failed"
    return reason.isEmpty ? kind : "\(kind): \(reason.escapedForDisplay(limit: 200))"
  }
}
