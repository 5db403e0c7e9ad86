// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropTransport
internal import FoundationEssentials
internal import ItemTransfer

/// A list of file names in a file or in standard input, as other programs write it.
struct NameList: Sendable {
  /// The maximum size of a list in bytes.
  private static let maximumByteCount = 64 << 20

  let path: String
  private let endsWithZero: Bool
  private let isURIs: Bool

  init?(_ arguments: ParsedArguments) throws(ToolFailure) {
    (endsWithZero, isURIs) = (arguments.has("null"), arguments.has("uris"))
    guard let path = try arguments.value("from-list") else {
      if endsWithZero || isURIs { throw ToolFailure(.usage, "--null and --uris need --from-list") }
      return nil
    }
    if endsWithZero, isURIs { throw ToolFailure(.usage, "--null and --uris exclude each other") }
    self.path = path
  }

  /// Passes each name to `body` while the list is read, so that a long list takes no memory of its own.
  func forEach(_ context: OfferContext, _ body: (String) throws -> Void) async throws {
    let end = endsWithZero ? UInt8(0) : UInt8(ascii: "\n")
    let source = try context.chunks(of: path)
    var (byteCount, number) = (0, 0)
    var rest = Data()
    func pass(_ line: Data) throws {
      number += 1
      if let name = try name(inLine: line, number) { try body(name) }
    }
    while let chunk = try await source.next() {
      byteCount += chunk.count
      guard byteCount <= Self.maximumByteCount else {
        throw ToolFailure(
          .refused, "\(path.shownAsOperand) exceeds the limit of \(Self.maximumByteCount) bytes of names")
      }
      rest += chunk
      // Only a chunk with an end can end a name, so a long name is not searched again for each chunk.
      guard chunk.contains(end) else { continue }
      var start = rest.startIndex
      while let lineEnd = rest[start...].firstIndex(of: end) {
        try pass(rest[start..<lineEnd])
        start = lineEnd + 1
      }
      rest = Data(rest[start...])
    }
    try pass(rest)
  }

  /// Returns the name in a line; `nil` if it has none.
  private func name(inLine line: Data, _ number: Int) throws(ToolFailure) -> String? {
    guard !line.isEmpty else { return nil }
    guard let text = String(validating: line, as: UTF8.self) else {
      if isURIs { throw ToolFailure(.malformed, "\(path.shownAsOperand): name \(number) is not UTF-8") }
      return UndecodableName.marking(line)
    }
    guard !text.utf8.contains(0) else {
      throw ToolFailure(
        .malformed, "\(path.shownAsOperand): name \(number) contains a zero byte; use --null for such lists")
    }
    guard let name = isURIs ? try name(ofURI: text, number) : text else { return nil }
    // A name - in the list is a file; only as an operand does it mean standard input.
    return name == "-" ? "./-" : name
  }

  /// Returns the file name of a line of a URI list, or `nil` for an empty line or a comment.
  ///
  /// RFC 2483 defines the format: lines end with CR LF, and a line that begins with # is a comment. A line may also end
  /// with LF only.
  private func name(ofURI line: String, _ number: Int) throws(ToolFailure) -> String? {
    let uri = line.utf8.last == UInt8(ascii: "\r") ? String(line.dropLast()) : line
    if uri.isEmpty || uri.hasPrefix("#") { return nil }
    guard let url = URL(string: uri), url.isFileURL, ["", "localhost"].contains(url.host() ?? "") else {
      throw ToolFailure(.malformed, "\(path.shownAsOperand): line \(number) is not a file: URI of this machine")
    }
    let name = url.path(percentEncoded: false)
    guard !name.isEmpty, !name.utf8.contains(0) else {
      throw ToolFailure(.malformed, "\(path.shownAsOperand): line \(number) has no file name")
    }
    return name
  }
}

/// The destination folders of listed files: the folders of each path below the deepest folder that contains all files.
///
/// Files of the same name in different folders thus stay in different folders. If all files are in one folder, they
/// get no destination folder.
struct ListedFolders: Sendable {
  private typealias Path = [ArraySlice<UInt8>]
  private static let separator = UInt8(ascii: "/")

  /// Whether all paths are compared as they are.
  ///
  /// Absolute paths, and paths that leave the current directory, can be compared only as paths from the root.
  private let isLocal: Bool
  /// The number of folders that contain all files.
  private var commonCount = 0

  /// Finds the folder that contains all files.
  ///
  /// This call blocks.
  ///
  /// - Parameter paths: The listed paths. If a folder is listed, it is sent completely, so paths of files in it are removed.
  /// - Throws: `CancellationError`.
  init(of paths: inout [String]) throws {
    isLocal = paths.allSatisfy { path in
      !path.utf8.starts(with: "/".utf8) && !Self.components(path).contains { $0.elementsEqual("..".utf8) }
    }
    // The paths are split again later, because the components of all paths would take far more memory than the paths.
    var folders: Set<Path> = []
    var common: Path?
    for path in paths {
      try Task.checkCancellation()
      guard let names = names(of: path) else { continue }
      if OfferedFile(path: path).isFolder { folders.insert(names) }
      let equal = common.map { zip($0, names.dropLast()).prefix { $0.elementsEqual($1) }.count }
      common = Path(names.dropLast().prefix(equal ?? .max))
    }
    commonCount = common?.count ?? 0
    if folders.isEmpty { return }
    try paths.removeAll { path in
      try Task.checkCancellation()
      guard let names = names(of: path) else { return false }
      return (0..<names.count).contains { folders.contains(Path(names.prefix($0))) }
    }
  }

  /// Returns the destination folder of a listed file; `nil` if it has none.
  func folder(of path: String) -> String? {
    guard let folder = names(of: path)?.dropLast().dropFirst(commonCount), !folder.isEmpty else { return nil }
    return String(decoding: Array(folder.joined(separator: [Self.separator])), as: UTF8.self)
  }

  /// Returns the components of a path; `nil` if they are unknown, because the path is not UTF-8 or does not exist.
  private func names(of path: String) -> Path? {
    guard UndecodableName.shown(path) == nil else { return nil }
    if isLocal { return Self.components(path) }
    return OfferedFile(path: path).existingPath.map(Self.components)
  }

  private static func components(_ path: String) -> Path {
    Array(path.utf8).split(separator: separator).filter { !$0.elementsEqual(".".utf8) }
  }
}

/// The names of the files to send: files of the command line, then files of a list.
///
/// A list may be long, so only its paths are in memory.
struct OfferedNames: Sendable, RandomAccessCollection {
  /// The paths of the command line.
  let given: [String]
  let listed: [String]
  /// The destination folders of the listed files.
  let folders: ListedFolders

  var startIndex: Int { 0 }
  var endIndex: Int { given.count + listed.count }

  subscript(index: Int) -> OfferedName {
    if index < given.count { return OfferedName(path: given[index]) }
    let path = listed[index - given.count]
    return OfferedName(path: path, folder: folders.folder(of: path))
  }
}
