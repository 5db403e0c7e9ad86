// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import DropTransport
internal import ItemTransfer
internal import UniformTypes

/// An output form of `inspect`.
///
/// It is written piece by piece, since all items may not fit in memory.
protocol InspectionReport {
  func start() -> String
  mutating func add(_ item: DropItemDescription) throws -> String
  /// Returns the last piece of the output.
  ///
  /// - Parameters:
  ///   - error: The error of the drop; `nil` if it is valid.
  ///   - coverage: The part that was read, if there was no error.
  /// - Returns: The last piece.
  /// - Throws: Errors of encoding.
  mutating func end(_ error: DropStreamError?, _ coverage: InspectionCoverage) throws -> String
}

/// The part of a drop that was read.
enum InspectionCoverage: String {
  case all = "complete and verified"
  case offers = "index and offers verified, content not read"
}

/// The numbers of items, representations and bytes in a listing.
struct InspectionTotals: Encodable {
  private(set) var items = 0
  private(set) var representations = 0
  /// The number of content bytes in the stream.
  ///
  /// Aliases add none.
  private(set) var bytes: UInt64 = 0
  /// The number of representations that the source failed to load.
  private(set) var missing = 0

  mutating func add(_ item: DropItemDescription) {
    items += 1
    representations += item.representations.count
    for representation in item.representations where !representation.isAlias { bytes += representation.byteCount }
    missing += item.representations.count { $0.failure != nil }
  }

  /// Returns the line that confirms a complete stream, or the index and the offers of a stream whose content was not
  /// read.
  func verdict(_ coverage: InspectionCoverage) -> String {
    let counts = [
      ToolHelp.count(items, "item"), ToolHelp.count(representations, "representation"), ToolHelp.count(bytes, "byte"),
    ]
    let rest = missing == 0 ? "" : "; the sender failed to load \(ToolHelp.count(missing, "representation"))"
    return "\(counts.joined(separator: ", ")): \(coverage.rawValue)\(rest)\n"
  }
}

extension DropItemDescription {
  /// The name in quotes, with its folder, escaped for display; `(no name)` if the item has no name.
  var shownName: String {
    let folder = folder.map { $0 + "/" } ?? ""
    return suggestedName.map { "\"\((folder + $0).escapedForDisplay(limit: .max))\"" } ?? "(no name)"
  }
}

extension DropItemDescription.Representation {
  /// A line for each entry of a folder: its path, and the size of a file or the target of a link.
  var entryLines: [String] {
    guard let entries else { return [] }
    let lines = entries.all.map { entry in
      let path = entry.path.escapedForDisplay(limit: .max)
      return switch entry.kind {
      case .file: "\(path)  \(ToolHelp.count(entry.byteCount, "byte"))"
      case .folder: path + "/"
      case .symbolicLink: "\(path) -> \(entry.target.escapedForDisplay(limit: .max))"
      case .hardLink: "\(path) = \(entry.target.escapedForDisplay(limit: .max))"
      }
    }
    return lines + (entries.fault.map { ["malformed: \($0)"] } ?? [])
  }

  /// Eight hexadecimal digits; `nil` if the bytes were not read.
  var crc32cDigits: String? {
    guard let crc32c else { return nil }
    let digits = String(crc32c, radix: 16)
    return String(repeating: "0", count: 8 - digits.count) + digits
  }

  var shownType: String { contentType.identifier.escapedForDisplay(limit: .max) }

  /// Remarks about the representation: a failure, an alias, the meaning of a dynamic type, the type of its first bytes.
  var remarks: String {
    if let failure { return "missing: \(failure.summary)" }
    var remarks: [String] = []
    if isAlias { remarks.append("alias of an earlier representation") }
    if let meaning = contentType.dynamicMeaning { remarks.append("means \(meaning.escapedForDisplay())") }
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

/// The report as one JSON document.
///
/// The document is valid JSON for all names, and also after an error of the stream.
struct InspectionDocument: InspectionReport {
  /// The paragraph about the JSON keys, for the help.
  static let keys = """
    JSON has the keys items, totals (items, representations, bytes, missing) and verified, and error if the stream is
    invalid. For a URL of which only the index was read, verified is false, and crc32c is missing. An item has name,
    representations, and folder if the file was in one. A representation has type, bytes and crc32c, or failure if the
    source failed to load it. It has alias if it shares the bytes of an earlier representation. It has standsFor if its
    type is dynamic, and sniffed if the bytes look like another or a more specific type. With --content, CBOR has
    diagnostic or diagnosticError. With --entries, a folder has entries, each with path, kind (file, folder, symbolicLink
    or hardLink) and bytes or target, and entriesError if the archive is malformed.
    """

  private struct Entry: Encodable {
    let path: String
    let kind: FolderEntries.Kind
    var bytes: UInt64?
    var target: String?
  }

  private struct Item: Encodable {
    struct Representation: Encodable {
      let type: String
      var bytes: UInt64?
      var crc32c: String?
      var alias: Bool?
      var failure: String?
      var standsFor: String?
      var sniffed: String?
      var diagnostic: String?
      var diagnosticError: String?
      var entries: [Entry]?
      var entriesError: String?
    }

    let name: String?
    let folder: String?
    let representations: [Representation]
  }

  private let json = JSONOutput()
  private let showsContent: Bool
  private var totals = InspectionTotals()

  init(showsContent: Bool) {
    self.showsContent = showsContent
  }

  func start() -> String { #"{"items": ["# }

  mutating func add(_ item: DropItemDescription) throws -> String {
    defer { totals.add(item) }
    let text = try json.text(
      Item(name: item.suggestedName, folder: item.folder, representations: item.representations.map(described)))
    return (totals.items > 0 ? ",\n" : "\n") + text
  }

  func end(_ error: DropStreamError?, _ coverage: InspectionCoverage) throws -> String {
    let verdict =
      try error.map { #""verified": false, "error": \#(try json.text($0.description))"# }
      ?? #""verified": \#(coverage == .all)"#
    return "\n], \"totals\": \(try json.text(totals)), \(verdict)}\n"
  }

  private func described(_ representation: DropItemDescription.Representation) -> Item.Representation {
    var described = Item.Representation(type: representation.contentType.identifier)
    described.standsFor = representation.contentType.dynamicMeaning
    if representation.isAlias { described.alias = true }
    if let failure = representation.failure {
      described.failure = failure.summary
      return described
    }
    described.bytes = representation.byteCount
    described.crc32c = representation.crc32cDigits
    described.sniffed = SniffedType.type(of: representation)?.identifier
    described.entries = representation.entries?.all.map { entry in
      Entry(
        path: entry.path, kind: entry.kind, bytes: entry.kind == .file ? entry.byteCount : nil,
        target: entry.target.isEmpty ? nil : entry.target)
    }
    described.entriesError = representation.entries?.fault
    guard showsContent, let preview = ContentPreview(representation) else { return described }
    (described.diagnostic, described.diagnosticError) = (preview.text, preview.fault)
    return described
  }
}
