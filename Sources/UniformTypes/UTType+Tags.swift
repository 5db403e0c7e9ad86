// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

extension UTType {
  /// Finds the type of files with this extension; `nil` when no declared type bears it.
  ///
  /// Where several types claim an extension, the one declared first has it: the system's, then those this process
  /// exports, then those it imports.
  ///
  /// - Parameters:
  ///   - filenameExtension: Without its period, in any case.
  ///   - parent: Only a type that conforms to this one is found.
  public init?(filenameExtension: String, conformingTo parent: UTType = .data) {
    self.init(tags: [filenameExtension.asciiLowercased], of: .filenameExtension, conformingTo: parent)
  }

  /// Finds the type that a MIME type stands for; `nil` when no declared type bears it.
  ///
  /// Each parameter counts where a type declares it (`text/plain;charset=utf-8`) and is ignored otherwise.
  ///
  /// - Parameters:
  ///   - mimeType: In any case, with or without parameters (RFC 2045, section 5.1).
  ///   - parent: Only a type that conforms to this one is found.
  public init?(mimeType: String, conformingTo parent: UTType = .data) {
    let parts = mimeType.asciiLowercased.filter { !$0.isWhitespace && $0 != "\"" }.split(separator: ";")
    guard let essence = parts.first.map(String.init) else { return nil }
    self.init(
      tags: parts.dropFirst().map { "\(essence);\($0)" } + [essence], of: .mimeType, conformingTo: parent)
  }

  private init?(tags: [String], of kind: TypeDeclaration.TagKind, conformingTo parent: UTType) {
    for tag in tags {
      if let match = TypeRegistry.shared.types(withTag: tag, of: kind).first(where: { $0.conforms(to: parent) }) {
        self = match
        return
      }
    }
    return nil
  }

  /// The extension a new file of this type should get, without its period.
  public var preferredFilenameExtension: String? {
    TypeRegistry.shared.declaration(of: identifier)?.filenameExtensions.first
  }

  /// The MIME type to announce data of this type with.
  public var preferredMIMEType: String? {
    TypeRegistry.shared.declaration(of: identifier)?.mimeTypes.first
  }
}
