// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropTransport
internal import ItemCoding
internal import UniformTypes

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// The beginning of a representation in CBOR's diagnostic notation.
struct DiagnosticPreview {
  private static let characterCount = 2000

  /// How many bytes are kept of a representation of a type: a character takes four at most.
  static let prefixLength: @Sendable (UTType) -> Int = { type in isCBOR(type) ? 4 * characterCount : 0 }

  /// The notation; `nil` where there is a fault.
  let text: String?
  /// What is wrong with the bytes, and where.
  let fault: String?

  /// - Returns: `nil` where no bytes were kept to be shown.
  init?(_ representation: DropItemDescription.Representation) {
    guard !representation.prefix.isEmpty else { return nil }
    var notation = CBORDiagnosticNotation()
    notation.maximumLength = Self.characterCount
    let bytes = Data(representation.prefix)
    do {
      text =
        UInt64(bytes.count) == representation.byteCount
        ? try notation.text(ofSequence: bytes) : try notation.text(ofSequencePrefix: bytes)
      fault = nil
    } catch {
      text = nil
      fault = ((error as? DecodingError)?.sentence ?? "\(error)").escapedForDisplay()
    }
  }

  /// What a person reads below the representation.
  var lines: [Substring] {
    if let fault { return ["not CBOR: \(fault)"] }
    return text?.split(separator: "\n") ?? []
  }

  /// Whether content of `type` is CBOR, by the name of the type or by that of its files.
  private static func isCBOR(_ type: UTType) -> Bool {
    type.identifier.lowercased().hasSuffix(".cbor") || type.preferredFilenameExtension?.lowercased() == "cbor"
  }
}
