// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import Glibc

extension UTType {
  /// Determines the type of a file with the system's MIME database, if there is one, and the built-in tables.
  ///
  /// ```swift
  /// let found = try UTType.identify(fileAt: "notes.tar.gz")
  /// found.type                // org.gnu.gnu-zip-tar-archive
  /// found.type.conforms(to: .archive)
  /// ```
  ///
  /// The call blocks and reads at most 64 KiB of the file. It follows symbolic links, and never opens devices, sockets
  /// or named pipes. A MIME type in the extended attribute `user.mime_type` takes precedence over the name and the
  /// content, unless `evidence` selects only one of these.
  ///
  /// - Parameters:
  ///   - path: The path of the file.
  ///   - evidence: The evidence to consult.
  /// - Returns: The type; if in doubt ``data`` or ``plainText``, or a dynamic type that conforms to one of them.
  /// - Throws: If the file does not exist or cannot be read, unless the name is the only evidence.
  public static func identify(
    fileAt path: String, by evidence: FileEvidence = .nameAndContent
  ) throws(FileTypeError) -> IdentifiedFile {
    let name = lastComponent(of: path)
    let kind: FileStatus.Kind
    do throws(FileTypeError) {
      kind = try fileKind(at: path)
    } catch {
      guard evidence == .name else { throw error }
      return identify(fileNamed: name)
    }
    if let mimeType = kind.mimeType { return identify(kind, mimeType, named: name) }
    if evidence == .name { return identify(fileNamed: name) }
    if evidence == .nameAndContent, let attached = attachedMIMEType(at: path) {
      return FileIdentification(name: "").identified(as: attached, .attribute)
    }
    let identification = FileIdentification(name: evidence == .content ? "" : name)
    let content = try fileContent(at: path, limit: identification.extent)
    return evidence == .content
      ? identification.byContent(content.span) : identification.byNameAndContent(content.span)
  }

  /// Returns the type of content that is stated to have this type, if the content refutes it or is more specific.
  ///
  /// - Parameter content: The first bytes.
  /// - Returns: The other type; `nil` if the content agrees with this type, or proves nothing.
  package func contradiction(by content: Span<UInt8>) -> UTType? {
    guard !content.isEmpty else { return nil }
    let identification = FileIdentification(name: "")
    let found = identification.byContent(content)
    // UTF-16 text without a byte order mark does not look like text.
    let isUTF16 = conforms(to: .utf16PlainText) || conforms(to: .utf16ExternalPlainText)
    if isUTF16, found.basis == .guess { return nil }
    if identification.isRefuted(identification.stated(self), by: found, content) { return found.type }
    return found.basis == .content && found.type.isSubtype(of: self) ? found.type : nil
  }

  /// Returns the type of a file to offer: that of its name, or of its content if the name does not determine a type.
  ///
  /// The content is not read for most files, since an offer may have many.
  ///
  /// - Parameters:
  ///   - path: The path of the file.
  ///   - name: The name in the offer; `nil` for the last component of the path.
  /// - Returns: The type; that of the name if the content cannot be read, and for pipes and devices.
  package static func offered(fileAt path: String, named name: String? = nil) -> UTType {
    let name = name ?? lastComponent(of: path)
    let kind = try? fileKind(at: path)
    if kind == .directory { return identify(.directory, "", named: name).type }
    let named = identify(fileNamed: name)
    guard kind == .regular, named.basis == .guess else { return named.type }
    let identification = FileIdentification(name: name)
    guard let content = try? fileContent(at: path, limit: identification.extent) else { return named.type }
    return identification.byNameAndContent(content.span).type
  }

  private static func lastComponent(of path: String) -> String {
    path.utf8.split(separator: UInt8(ascii: "/")).last.map { String(Substring($0)) } ?? ""
  }

  /// Determines the type of bytes, with a file name as additional evidence if there is one.
  ///
  /// - Parameters:
  ///   - content: The first bytes; more than 64 KiB do not change the result.
  ///   - name: The name of the file that the bytes come from; `nil` if they come from no file.
  /// - Returns: The type; if in doubt ``data`` or ``plainText``, or a dynamic type that conforms to one of them.
  public static func identify(content: Span<UInt8>, named name: String? = nil) -> IdentifiedFile {
    let identification = FileIdentification(name: name ?? "")
    return name == nil ? identification.byContent(content) : identification.byNameAndContent(content)
  }

  /// Determines the type of files with a name.
  ///
  /// - Parameter name: The last component of a path.
  /// - Returns: The type of the complete name (`Makefile`) or of its longest known extension. If neither is known, a
  ///   dynamic type for the last extension, or ``data`` if that extension is a number or the name has none.
  public static func identify(fileNamed name: String) -> IdentifiedFile {
    FileIdentification(name: name).byName()
      ?? IdentifiedFile(type: .data, mimeType: FileIdentification.unknown, basis: .guess)
  }

  /// Returns the type of an item that is not a regular file.
  ///
  /// The extension of a directory may identify a package.
  private static func identify(_ kind: FileStatus.Kind, _ mimeType: String, named name: String) -> IdentifiedFile {
    guard kind == .directory else { return IdentifiedFile(type: .item, mimeType: mimeType, basis: .kind) }
    let period = name.utf8.lastIndex(of: UInt8(ascii: "."))
    // A period at the start marks a hidden directory, and does not begin an extension.
    let package = period.flatMap { $0 == name.startIndex ? nil : $0 }.flatMap { period in
      UTType(filenameExtension: String(name[name.utf8.index(after: period)...]), conformingTo: .directory)
    }
    let type = package.flatMap { $0.isDeclared ? $0 : nil } ?? .folder
    return IdentifiedFile(type: type, mimeType: mimeType, basis: .kind)
  }

  // MARK: The file system

  /// Returns the kind of a file without opening the file; follows symbolic links.
  private static func fileKind(at path: String) throws(FileTypeError) -> FileStatus.Kind {
    // The system call would use only the part before the NUL.
    guard !path.utf8.contains(0) else { throw FileTypeError(path: path, errorNumber: EINVAL) }
    do throws(SystemError) {
      return try SystemCalls.status(ofPath: path).kind
    } catch {
      throw FileTypeError(path: path, errorNumber: error.errorNumber)
    }
  }

  /// Returns the MIME type in the file's extended attribute, by the convention of freedesktop.org; `nil` if the
  /// attribute is missing or invalid.
  private static func attachedMIMEType(at path: String) -> String? {
    guard let attached = try? SystemCalls.extendedAttribute("user.mime_type", ofPath: path, limit: 256),
      let text = String(validating: attached, as: UTF8.self), text.utf8.contains(UInt8(ascii: "/")),
      UTType.isValid(tag: text, of: .mimeType)
    else { return nil }
    let essence = MIMETypeText.essence(of: text)
    return MIMETypeText.normalized(essence) == nil ? nil : essence
  }

  /// Returns the first bytes of a regular file: the complete file if it is not longer than the limit.
  ///
  /// - Throws: If the file cannot be read. `EINVAL` if it is not a regular file, because an empty pipe would look like
  ///   an empty file.
  static func fileContent(at path: String, limit: Int) throws(FileTypeError) -> [UInt8] {
    do throws(SystemError) {
      let file = try ReadableFile(path: path)
      guard file.status.kind == .regular else { throw SystemError(EINVAL, in: "open") }
      return try file.read(upTo: limit)
    } catch {
      throw FileTypeError(path: path, errorNumber: error.errorNumber)
    }
  }
}

extension FileStatus.Kind {
  /// The MIME type that freedesktop.org specifies for the kind; `nil` for regular files and symbolic links.
  fileprivate var mimeType: String? {
    switch self {
    case .regular, .symbolicLink: nil
    case .directory: "inode/directory"
    case .pipe: "inode/fifo"
    case .socket: "inode/socket"
    case .characterDevice: "inode/chardevice"
    case .blockDevice: "inode/blockdevice"
    }
  }
}
