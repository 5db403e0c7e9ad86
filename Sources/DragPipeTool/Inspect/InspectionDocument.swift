// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropTransport
internal import UniformTypes

/// One JSON document, whatever names are in it and wherever the stream breaks.
struct InspectionDocument: InspectionReport {
  /// What the help says of the keys.
  static let keys = """
    JSON has the keys items, totals (items, representations, bytes, missing), verified, and error where that is false.
    An item has name, folder where the file was in one, and representations, of which each has type, bytes and crc32c,
    or failure where its source could not make it; alias where the bytes are those of an earlier one; standsFor of a dynamic type; sniffed where the bytes
    look like something more or else than type says; and with --content diagnostic or diagnosticError of CBOR, preview
    or previewError of JSON and property lists, previewIsCut where not all bytes were looked at.
    """

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
      var preview: String?
      var previewError: String?
      var previewIsCut: Bool?
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

  func end(_ error: DropStreamError?) throws -> String {
    let verdict =
      try error.map { #""verified": false, "error": \#(try json.text($0.description))"# } ?? #""verified": true"#
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
    guard showsContent, let preview = ContentPreview(representation) else { return described }
    if preview.form == .cbor {
      (described.diagnostic, described.diagnosticError) = (preview.text, preview.fault)
    } else {
      (described.preview, described.previewError) = (preview.text, preview.fault)
      if preview.byteCountOfWhole != nil { described.previewIsCut = true }
    }
    return described
  }
}
