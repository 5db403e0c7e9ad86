// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

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
    // What has no name, such as the root, cannot have an extension.
    guard !name.isEmpty, name != "/" else { return self }
    let isDirectory = contentType.conforms(to: .directory)
    return deletingLastPathComponent().appendingPathComponent(contentType.extending(name), isDirectory: isDirectory)
  }

  /// Adds the type's extension to the last component, unless that has one that fits.
  ///
  /// - Parameter contentType: The type; one that has no extension leaves the URL as it is.
  public mutating func appendPathExtension(for contentType: UTType) {
    self = appendingPathExtension(for: contentType)
  }

  /// Tells what the file is: see ``UniformTypes/UTType/identify(fileAt:by:)``.
  ///
  /// - Parameter evidence: What to look at.
  /// - Returns: The type; in doubt ``UniformTypes/UTType/data`` or ``UniformTypes/UTType/plainText``.
  /// - Throws: When the file does not exist or cannot be read, unless the name is all to look at.
  public func contentType(by evidence: FileEvidence = .nameAndContent) throws(FileTypeError) -> UTType {
    try UTType.identify(fileAt: path, by: evidence).type
  }
}

extension UTType {
  /// A name with this type's extension, where it has none by which a file of this type could be known.
  fileprivate func extending(_ name: String) -> String {
    guard let preferred = preferredFilenameExtension else { return name }
    if let period = name.utf8.lastIndex(of: UInt8(ascii: ".")), period != name.startIndex {
      let present = String(name[name.utf8.index(after: period)...])
      let fitting = UTType.types(tag: present, tagClass: .filenameExtension, conformingTo: self)
      let isOwn = tags[.filenameExtension, default: []].contains { $0.isEqualIgnoringASCIICase(to: present) }
      if isOwn || fitting.contains(where: \.isDeclared) { return name }
    }
    return "\(name).\(preferred)"
  }
}
