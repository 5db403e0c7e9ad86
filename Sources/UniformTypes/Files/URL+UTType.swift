// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials
internal import Glibc

extension URL {
  /// Makes a URL for an item of a type in this directory, with the type's extension where the name has none that fits.
  ///
  /// ```swift
  /// folder.appendingPathComponent("puppy", conformingTo: .jpeg)        // …/puppy.jpeg
  /// folder.appendingPathComponent("puppy.jpg", conformingTo: .image)   // …/puppy.jpg
  /// folder.appendingPathComponent("puppy.jpg", conformingTo: .plainText)  // …/puppy.jpg.txt
  /// ```
  ///
  /// - Parameters:
  ///   - partialName: The item's name, with an extension or without.
  ///   - contentType: Its type; one that has no extension leaves the name as it is.
  /// - Returns: The URL, which is that of a directory if the type conforms to ``UniformTypes/UTType/directory``.
  public func appendingPathComponent(_ partialName: String, conformingTo contentType: UTType) -> URL {
    appendingPathComponent(
      contentType.extending(partialName), isDirectory: contentType.conforms(to: .directory))
  }

  /// Appends the name of an item of a type, with the type's extension where the name has none that fits.
  ///
  /// - Parameters:
  ///   - partialName: The item's name, with an extension or without.
  ///   - contentType: Its type; one that has no extension leaves the name as it is.
  public mutating func appendPathComponent(_ partialName: String, conformingTo contentType: UTType) {
    self = appendingPathComponent(partialName, conformingTo: contentType)
  }

  /// Adds the type's extension to the last component, unless that has one that fits.
  ///
  /// - Parameter contentType: The type; one that has no extension leaves the URL as it is.
  /// - Returns: The URL, which is that of a directory if the type conforms to ``UniformTypes/UTType/directory``.
  public func appendingPathExtension(for contentType: UTType) -> URL {
    let name = lastPathComponent
    guard !UTType.namesWithoutExtension.contains(name) else { return self }
    let missing = contentType.missingExtension(of: name)
    let isDirectory = contentType.conforms(to: .directory)
    if missing == nil, !isDirectory { return self }
    return (missing.map(appendingPathExtension) ?? self).withDirectoryPath(isDirectory)
  }

  /// Adds the type's extension to the last component, unless that has one that fits.
  ///
  /// - Parameter contentType: The type; one that has no extension leaves the URL as it is.
  public mutating func appendPathExtension(for contentType: UTType) {
    self = appendingPathExtension(for: contentType)
  }

  /// With a slash at the end of the path, or without; nothing else of the URL changes.
  private func withDirectoryPath(_ isDirectory: Bool) -> URL {
    guard hasDirectoryPath != isDirectory, var parts = URLComponents(url: self, resolvingAgainstBaseURL: false) else {
      return self
    }
    var path = parts.percentEncodedPath
    if isDirectory { path += "/" } else { while path.hasSuffix("/") { path.removeLast() } }
    parts.percentEncodedPath = path
    return parts.url(relativeTo: baseURL) ?? self
  }

  /// Tells what the file is: see ``UniformTypes/UTType/identify(fileAt:by:)``.
  ///
  /// - Parameter evidence: What to look at. Of a URL that is not a file's, only the name can be looked at.
  /// - Returns: The type; in doubt ``UniformTypes/UTType/data`` or ``UniformTypes/UTType/plainText``.
  /// - Throws: When the file does not exist or cannot be read, unless the name is all to look at. `EINVAL` where the
  ///   content of something else than a file would have to be looked at.
  public func contentType(by evidence: FileEvidence = .nameAndContent) throws(FileTypeError) -> UTType {
    if isFileURL { return try UTType.identify(fileAt: path, by: evidence).type }
    guard evidence == .name else { throw FileTypeError(path: absoluteString, errorNumber: EINVAL) }
    return UTType.identify(fileNamed: lastPathComponent).type
  }
}

extension UTType {
  /// A name with this type's extension, where it has none by which a file of this type could be known.
  package func extending(_ name: String) -> String {
    missingExtension(of: name).map { "\(name).\($0)" } ?? name
  }

  /// The root, and what names no item but the way to one, cannot have an extension.
  fileprivate static let namesWithoutExtension: Set = ["", "/", ".", ".."]

  fileprivate func missingExtension(of name: String) -> String? {
    guard !Self.namesWithoutExtension.contains(name) else { return nil }
    // A dynamic type may tell of an empty one.
    guard let preferred = preferredFilenameExtension, !preferred.isEmpty else { return nil }
    guard let period = name.utf8.lastIndex(of: UInt8(ascii: ".")), period != name.startIndex else { return preferred }
    let present = String(name[name.utf8.index(after: period)...])
    let fitting = UTType.types(tag: present, tagClass: .filenameExtension, conformingTo: self)
    let isOwn = tags[.filenameExtension, default: []].contains { $0.isEqualIgnoringASCIICase(to: present) }
    return isOwn || fitting.contains(where: \.isDeclared) ? nil : preferred
  }
}
