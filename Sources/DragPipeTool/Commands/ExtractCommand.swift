// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import DropTransport
internal import FoundationEssentials
internal import ItemTransfer
internal import UniformTypes

/// The command that writes one representation of an item in a file, without reading the others.
struct ExtractCommand: ToolCommand {
  static let name = "extract"
  static let summary = "Writes one representation of an item in a file, without reading the others."
  static let forms = ["[-o OUT|-] [--overwrite] FILE ITEM TYPE"]
  static let operand = ArgumentCompletion.file
  static let options = [
    OptionSpecification(
      name: "output", short: "o", value: ArgumentValue("OUT|-", .file),
      summary: "write a file instead of standard output"),
    OptionSpecification(name: "overwrite", short: "f", summary: "replace an existing regular file"),
  ]
  static let notes = """
    ITEM is a number, from 1, as inspect shows it, or a name that only one item has. TYPE is an identifier (public.png),
    a MIME type (image/png) or an extension with its period (.png). \(TypeFamily.note) If the item does not have exactly
    that type, extract writes its first representation that conforms to it. If there is no such item or type, the exit
    code is 3. A file gets its name only when it is complete and verified; standard output gets only verified bytes. A
    terminal gets text only; -o - writes everything. A folder is written as its tar archive. A stream that was
    redirected to FILE has no index: extract reads it as far as needed.

      dragpipe extract heroes.drop 2 public.utf8-plain-text
      dragpipe extract -o photo.png photos.drop "Bellerophon" .png
    """

  /// The destination of the bytes.
  private enum Destination {
    case standardOutput(isAsked: Bool)
    case file(String)
  }

  private let file: String
  private let item: String
  private let type: String
  private let destination: Destination
  private let overwrites: Bool

  init(_ arguments: ParsedArguments) throws(ToolFailure) {
    guard arguments.operands.count == 3 else {
      throw ToolFailure(.usage, "extract needs three operands: FILE, ITEM and TYPE")
    }
    (file, item, type) = (arguments.operands[0], arguments.operands[1], arguments.operands[2])
    overwrites = arguments.has("overwrite")
    switch try arguments.value("output") {
    case nil: destination = .standardOutput(isAsked: false)
    case "-": destination = .standardOutput(isAsked: true)
    case let output?: destination = .file(output)
    }
    if overwrites, case .standardOutput = destination {
      throw ToolFailure(.usage, "--overwrite needs --output FILE")
    }
    guard file != "-" else {
      throw ToolFailure(.usage, "extract needs a file; to receive items from a stream, use dragpipe receive")
    }
  }

  func run(in environment: ToolEnvironment) async throws {
    OwnTypes.declare()
    do {
      try await extract(environment)
    } catch let error as DropStreamError {
      throw ToolFailure(error, in: file)
    }
  }

  private func extract(_ environment: ToolEnvironment) async throws {
    let source = try await ExtractSource(item: item, of: file)
    let choice = try await ExtractChoice(type: type, in: source)
    switch destination {
    case .file(let path):
      guard !isDrop(status(path)) else {
        throw ToolFailure(.cannotCreate, "\(path.escapedForDisplay()) is the input file; choose another output file")
      }
      try await source.drop.extract(
        item: source.index, representation: choice.representation, to: path, replacing: overwrites)
    case .standardOutput(let isAsked):
      guard !isDrop(try? SystemCalls.status(environment.output)) else {
        throw ToolFailure(.cannotCreate, "standard output is the input file; choose another output file")
      }
      try await write(choice, of: source, isAsked: isAsked, environment)
    }
    if choice.isFolder {
      environment.note("\(choice.type.identifier.escapedForDisplay()) is a folder; it is written as a tar archive")
    }
  }

  /// Writes only verified bytes: the reader of standard output cannot return them.
  private func write(
    _ choice: ExtractChoice, of source: ExtractSource, isAsked: Bool, _ environment: ToolEnvironment
  ) async throws {
    let isForPeople = environment.outputIsTerminal && !isAsked
    guard !isForPeople || choice.isText else { throw Self.onTerminal("content that is not text") }
    var held: [Data] = []
    var byteCount = 0
    try await forEachPiece(of: choice, in: source, isForPeople) { piece in
      byteCount += piece.count
      if byteCount <= Self.mostBytesHeld { held.append(piece) } else { held = [] }
    }
    guard byteCount > Self.mostBytesHeld else {
      for piece in held { try await environment.write(piece) }
      return
    }
    try await forEachPiece(of: choice, in: source, isForPeople) { try await environment.write($0) }
  }

  /// Passes the content to `body`, for a terminal only up to the first control character.
  private func forEachPiece(
    of choice: ExtractChoice, in source: ExtractSource, _ isForPeople: Bool, _ body: (Data) async throws -> Void
  ) async throws {
    var scan = TerminalScan()
    try await source.drop.forEachPiece(ofItem: source.index, representation: choice.representation) { piece in
      if isForPeople { scan.add(piece) }
      if scan.foundControl { throw Self.onTerminal("text with control characters") }
      try await body(piece)
    }
    if scan.hasControl { throw Self.onTerminal("text with control characters") }
  }

  /// The most bytes kept in memory until they are verified; larger content is verified first and then read again.
  private static let mostBytesHeld = 1 << 20

  private static func onTerminal(_ content: String) -> ToolFailure {
    ToolFailure(.usage, "standard output is a terminal; \(content) needs -o FILE, or -o - to show it")
  }

  private func isDrop(_ other: FileStatus?) -> Bool {
    guard let other, let drop = status(file) else { return false }
    return drop.isSameFile(as: other)
  }

  private func status(_ path: String) -> FileStatus? {
    try? SystemCalls.statusAt(DropEndpoint.currentDirectory, path)
  }
}

/// The representation of an item that a TYPE operand selects.
struct ExtractChoice {
  /// The most types in a message.
  private static let namedCount = 8

  /// The index from 0, in the order of the source.
  let representation: Int
  /// The declared type.
  let type: UTType
  /// Whether the type is text, and whether it is a folder, by local and by the sender's declarations.
  let isText, isFolder: Bool

  /// Finds the representation.
  ///
  /// - Parameters:
  ///   - word: An identifier, a MIME type or an extension.
  ///   - source: The item.
  /// - Throws: `noAcceptableType` with the types of the item, if none fits; errors of reading the file.
  init(type word: String, in source: ExtractSource) async throws {
    let types = try await source.drop.types(ofItem: source.index)
    let provider = try await source.drop.item(at: source.index)
    // This may read the system's MIME database from the disk.
    let found = try await runBlocking {
      Self.representation(word, types, provider).map { found in
        let type = types[found]
        return (
          index: found, isText: provider.offers(type, conformingTo: .text),
          isFolder: provider.offers(type, conformingTo: .directory)
        )
      }
    }
    guard let found else {
      let offered = types.prefix(Self.namedCount).map { $0.identifier.escapedForDisplay() }.joined(separator: ", ")
      throw ToolFailure(
        .noAcceptableType,
        "item \(source.number) has no type \(word.escapedForDisplay()); its types are \(offered)"
          + (types.count > Self.namedCount ? " and \(types.count - Self.namedCount) more" : ""))
    }
    representation = found.index
    type = types[found.index]
    (isText, isFolder) = (found.isText, found.isFolder)
  }

  /// Returns the index of the exact type, else of the first type that conforms to it.
  private static func representation(_ word: String, _ types: [UTType], _ provider: ItemProvider) -> Int? {
    // The identifier need not be declared here.
    if let index = types.firstIndex(where: { $0.identifier.lowercased() == word.lowercased() }) { return index }
    guard let wanted = UTType(operand: word) else { return nil }
    return types.firstIndex(of: wanted) ?? types.firstIndex { provider.offers($0, conformingTo: wanted) }
  }
}
