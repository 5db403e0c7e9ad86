// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

extension UTType {
  /// Tells what a file is, by the system's MIME database where there is one and by what is built in.
  ///
  /// ```swift
  /// let found = try UTType.identify(fileAt: "notes.tar.gz")
  /// found.type                // org.gnu.gnu-zip-tar-archive
  /// found.type.conforms(to: .archive)
  /// ```
  ///
  /// At most 64 KiB of the file are read, in a blocking call; devices, sockets and named pipes are never opened. Links
  /// are followed. A MIME type that somebody attached to the file (`user.mime_type`) counts more than its name.
  ///
  /// - Parameters:
  ///   - path: The path of the file.
  ///   - evidence: What to look at.
  /// - Returns: The type; in doubt ``data`` or ``plainText``, or a dynamic type that conforms to them.
  /// - Throws: When the file does not exist or cannot be read, unless the name is all to look at.
  public static func identify(
    fileAt path: String, by evidence: FileEvidence = .nameAndContent
  ) throws(FileTypeError) -> IdentifiedFile {
    let name = path.utf8.split(separator: UInt8(ascii: "/")).last.map { String(Substring($0)) } ?? ""
    let head: FileHead
    do throws(FileTypeError) {
      head = try FileHead(path: path)
    } catch {
      guard evidence == .name else { throw error }
      return identify(fileNamed: name)
    }
    if let kind = head.specialKind { return identify(kind, named: name) }
    if evidence == .name { return identify(fileNamed: name) }
    if evidence == .nameAndContent, let attached = head.attachedMIMEType, MIMETypeText.normalized(attached) != nil {
      return FileIdentification(name: "").identified(as: attached, .attribute)
    }
    let identification = FileIdentification(name: evidence == .content ? "" : name)
    let content = try head.content(extent: identification.extent)
    return evidence == .content
      ? identification.byContent(content.span) : identification.byNameAndContent(content.span)
  }

  /// Tells what bytes are, with the help of a name where there is one.
  ///
  /// - Parameters:
  ///   - content: The first bytes; more than 64 KiB do not change the answer.
  ///   - name: The name of the file they come from.
  /// - Returns: The type; in doubt ``data`` or ``plainText``.
  public static func identify(content: Span<UInt8>, named name: String? = nil) -> IdentifiedFile {
    let identification = FileIdentification(name: name ?? "")
    return name == nil ? identification.byContent(content) : identification.byNameAndContent(content)
  }

  /// Tells what a file of this name would be.
  ///
  /// - Parameter name: The last component of a path.
  /// - Returns: The type of its longest known extension, or of its whole name (`Makefile`); in doubt a dynamic type, or
  ///   ``data`` where there is no extension.
  public static func identify(fileNamed name: String) -> IdentifiedFile {
    FileIdentification(name: name).byName()
      ?? IdentifiedFile(type: .data, mimeType: FileIdentification.unknown, basis: .guess)
  }

  /// A directory may be a package by its extension.
  private static func identify(_ kind: FileHead.SpecialKind, named name: String) -> IdentifiedFile {
    guard kind == .directory else { return IdentifiedFile(type: .item, mimeType: kind.mimeType, basis: .kind) }
    let period = name.utf8.lastIndex(of: UInt8(ascii: "."))
    // A period at the start hides a directory, and begins no extension.
    let package = period.flatMap { $0 == name.startIndex ? nil : $0 }.flatMap { period in
      UTType(filenameExtension: String(name[name.utf8.index(after: period)...]), conformingTo: .directory)
    }
    let type = package.flatMap { $0.isDeclared ? $0 : nil } ?? .folder
    return IdentifiedFile(type: type, mimeType: kind.mimeType, basis: .kind)
  }
}
