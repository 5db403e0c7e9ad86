// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials
internal import Glibc

extension URL {
  /// Returns a URL for an item in this directory, with the type's extension unless the name has an extension of the type.
  ///
  /// ```swift
  /// folder.appendingPathComponent("puppy", conformingTo: .jpeg)        // …/puppy.jpeg
  /// folder.appendingPathComponent("puppy.jpg", conformingTo: .image)   // …/puppy.jpg
  /// folder.appendingPathComponent("puppy.jpg", conformingTo: .plainText)  // …/puppy.jpg.txt
  /// ```
  ///
  /// - Parameters:
  ///   - partialName: The item's name, with an extension or without.
  ///   - contentType: The type of the item; a type without an extension leaves the name unchanged.
  /// - Returns: The URL, with a directory path if the type conforms to ``UniformTypes/UTType/directory``.
  public func appendingPathComponent(_ partialName: String, conformingTo contentType: UTType) -> URL {
    appendingPathComponent(
      contentType.extending(partialName), isDirectory: contentType.conforms(to: .directory))
  }

  /// Appends the name of an item, and adds the type's extension unless the name has an extension of the type.
  ///
  /// - Parameters:
  ///   - partialName: The item's name, with an extension or without.
  ///   - contentType: The type of the item; a type without an extension leaves the name unchanged.
  public mutating func appendPathComponent(_ partialName: String, conformingTo contentType: UTType) {
    self = appendingPathComponent(partialName, conformingTo: contentType)
  }

  /// Returns the URL with the type's extension, unless its last component has an extension of the type.
  ///
  /// - Parameter contentType: The type; for a type without an extension, no extension is added.
  /// - Returns: The URL, with a directory path if the type conforms to ``UniformTypes/UTType/directory``.
  public func appendingPathExtension(for contentType: UTType) -> URL {
    let name = lastPathComponent
    guard !UTType.namesWithoutExtension.contains(name) else { return self }
    let missing = contentType.missingExtension(of: name)
    let isDirectory = contentType.conforms(to: .directory)
    if missing == nil, !isDirectory { return self }
    return (missing.map(appendingPathExtension) ?? self).withDirectoryPath(isDirectory)
  }

  /// Adds the type's extension to the last component, unless that component has an extension of the type.
  ///
  /// - Parameter contentType: The type; for a type without an extension, no extension is added.
  public mutating func appendPathExtension(for contentType: UTType) {
    self = appendingPathExtension(for: contentType)
  }

  /// Returns the URL with or without a slash at the end of its path, and otherwise unchanged.
  private func withDirectoryPath(_ isDirectory: Bool) -> URL {
    guard hasDirectoryPath != isDirectory, var parts = URLComponents(url: self, resolvingAgainstBaseURL: false) else {
      return self
    }
    var path = parts.percentEncodedPath
    if isDirectory { path += "/" } else { while path.hasSuffix("/") { path.removeLast() } }
    parts.percentEncodedPath = path
    return parts.url(relativeTo: baseURL) ?? self
  }

  /// Determines the type of the file: see ``UniformTypes/UTType/identify(fileAt:by:)``.
  ///
  /// - Parameter evidence: The evidence to consult; it must be ``UniformTypes/FileEvidence/name`` for a URL that is not
  ///   a file URL.
  /// - Returns: The type; if in doubt ``UniformTypes/UTType/data`` or ``UniformTypes/UTType/plainText``, or a dynamic
  ///   type that conforms to one of them.
  /// - Throws: If the file does not exist or cannot be read, unless the name is the only evidence. `EINVAL` if the URL
  ///   is not a file URL and `evidence` includes the content.
  public func contentType(by evidence: FileEvidence = .nameAndContent) throws(FileTypeError) -> UTType {
    if isFileURL { return try UTType.identify(fileAt: path, by: evidence).type }
    guard evidence == .name else { throw FileTypeError(path: absoluteString, errorNumber: EINVAL) }
    return UTType.identify(fileNamed: lastPathComponent).type
  }
}

extension UTType {
  /// Returns a name with this type's extension appended.
  ///
  /// Returns the name unchanged if it has an extension of this type, if this type has no extension, or if the name
  /// cannot have one, such as `..`.
  package func extending(_ name: String) -> String {
    missingExtension(of: name).map { "\(name).\($0)" } ?? name
  }

  /// Components that cannot have an extension: the root, and the references to a directory and its parent.
  fileprivate static let namesWithoutExtension: Set = ["", "/", ".", ".."]

  /// Returns the extension to add to a name; `nil` if the name needs or allows none, or the type has none.
  fileprivate func missingExtension(of name: String) -> String? {
    guard !Self.namesWithoutExtension.contains(name) else { return nil }
    // The identifier of a dynamic type may contain an empty extension.
    guard let preferred = preferredFilenameExtension, !preferred.isEmpty else { return nil }
    guard let period = name.utf8.lastIndex(of: UInt8(ascii: ".")), period != name.startIndex else { return preferred }
    let present = String(name[name.utf8.index(after: period)...])
    let types = UTType.types(tag: present, tagClass: .filenameExtension, conformingTo: self)
    let isOwn = tags[.filenameExtension, default: []].contains { $0.isEqualIgnoringASCIICase(to: present) }
    if isOwn || types.contains(where: \.isDeclared) { return nil }
    // The extension can consist of several parts of the name, such as "tar.gz".
    return UTType.identify(fileNamed: name).type.conforms(to: self) ? nil : preferred
  }
}
