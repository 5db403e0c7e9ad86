// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import DropTransport
internal import FoundationEssentials
internal import ItemCoding
internal import UniformTypes

/// The beginning of a representation as text: of CBOR, JSON and property lists.
///
/// What it is taken for is what the sender says; all of it may be a lie, and is bounded and escaped.
struct ContentPreview {
  /// What can be shown.
  enum Form: Sendable {
    case cbor
    case json
    case propertyList

    /// By the name of the type, by that of its files, or by what it conforms to.
    init?(_ type: UTType) {
      let identifier = type.identifier.lowercased()
      let filenameExtension = type.preferredFilenameExtension?.lowercased()
      if identifier.hasSuffix(".cbor") || filenameExtension == "cbor" {
        self = .cbor
      } else if type.conforms(to: .json) || identifier.hasSuffix(".json") || filenameExtension == "json" {
        self = .json
      } else if type.conforms(to: .propertyList) || identifier.hasSuffix(".plist") || filenameExtension == "plist" {
        self = .propertyList
      } else {
        return nil
      }
    }

    var noun: String {
      switch self {
      case .cbor: "CBOR"
      case .json: "JSON"
      case .propertyList: "property list"
      }
    }

    /// How many bytes are kept of a representation: a character takes four at most.
    fileprivate var prefixLength: Int {
      switch self {
      case .cbor, .json: 4 * PreviewText.maximumLength
      case .propertyList: PropertyListPreview.maximumByteCount
      }
    }
  }

  /// How many bytes are kept of a representation of a type.
  static func prefixLength(of type: UTType) -> Int { Form(type)?.prefixLength ?? 0 }

  let form: Form
  /// The text; `nil` where there is a fault.
  private(set) var text: String?
  /// What is wrong with the bytes, and where.
  private(set) var fault: String?
  /// How many bytes there are in all, where the text is of the first of them only.
  private(set) var byteCountOfWhole: UInt64?

  /// - Returns: `nil` where no bytes were kept to be shown.
  init?(_ representation: DropItemDescription.Representation) {
    guard !representation.prefix.isEmpty, let form = Form(representation.contentType) else { return nil }
    self.form = form
    let isWhole = UInt64(representation.prefix.count) == representation.byteCount
    do {
      switch form {
      case .cbor: text = try Self.notation(of: representation.prefix, isWhole: isWhole)
      case .json:
        text = try JSONPreview.text(of: representation.prefix, isPrefix: !isWhole).text
        if !isWhole { byteCountOfWhole = representation.byteCount }
      case .propertyList where isWhole: text = try PropertyListPreview.text(of: Data(representation.prefix)).text
      // An alias has what was kept of its original, which may be of a type that is not shown.
      case .propertyList: fault = "too much of it was not kept"
      }
    } catch let error as JSONPreview.Fault {
      fault = "at byte \(error.offset): \(error.reason)"
    } catch {
      fault = ((error as? DecodingError)?.sentence ?? "\(error)").escapedForDisplay()
    }
  }

  private static func notation(of prefix: [UInt8], isWhole: Bool) throws -> String {
    var notation = CBORDiagnosticNotation()
    notation.maximumLength = PreviewText.maximumLength
    let bytes = Data(prefix)
    return isWhole ? try notation.text(ofSequence: bytes) : try notation.text(ofSequencePrefix: bytes)
  }

  /// What a person reads below the representation.
  var lines: [String] {
    if let fault { return [form == .propertyList ? "\(form.noun): \(fault)" : "not \(form.noun): \(fault)"] }
    let all = (text ?? "").split(separator: "\n")
    var lines = all.prefix(PreviewText.maximumLineCount).map(String.init)
    if lines.count < all.count { lines.append("…") }
    if let byteCountOfWhole { lines.append("(cut: the text has \(byteCountOfWhole) bytes)") }
    return lines
  }
}
