// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import DropTransport
internal import FoundationEssentials
internal import ItemTransfer
internal import UniformTypes

/// The command `extract`, which writes one representation of an item, or several complete items as a drop stream.
///
/// If the input has an index, other content is not read.
struct ExtractCommand: ToolCommand {
  static let name = "extract"
  static let summary = "Writes one representation of an item, or some complete items, of a drop file."
  static let forms = [
    "[-o OUT|-] [--overwrite] FILE|URL ITEM [TYPE]", "[-o OUT.drop|-] [--overwrite] --items FIRST[-LAST] FILE|URL",
  ]
  static let operand = ArgumentCompletion.file
  static let options = [
    OptionSpecification(
      name: "output", short: "o", value: ArgumentValue("OUT|-", .file),
      summary: "write a file instead of standard output"),
    OptionSpecification(name: "overwrite", short: "f", summary: "replace an existing regular file"),
    OptionSpecification(
      name: "items", value: "FIRST[-LAST]", summary: "write complete items, numbered from 1, as a drop stream"),
    OptionSpecification(
      name: "whole", summary: "read a URL in order, for a server without ranges or an object without an index"),
    TransferOptions.timeoutOfReads,
  ]
  static let notes = """
    ITEM is a number, from 1, as inspect shows it, or a name that only one item has. TYPE is an identifier (public.png),
    a MIME type (image/png) or an extension with its period (.png). \(TypeFamily.note) If the item does not have exactly
    that type, extract writes its first representation that conforms to it. Without TYPE, it writes the first, which is
    the best. If there is no such item or type, the exit code is 3. A file gets its name only when it is complete and
    verified; standard output gets only verified bytes. A terminal gets text only; -o - writes everything. A folder is
    written as its tar archive. A stream that was
    redirected to FILE has no index: extract reads it as far as needed.

    For a URL (https: or http:), only the index and the requested content are read, by ranges. The program curl makes
    the requests; its settings in ~/.curlrc and ~/.netrc apply.

      dragpipe extract heroes.drop 2 public.utf8-plain-text
      dragpipe extract notes.drop notes.txt
      dragpipe extract -o photo.png photos.drop "Bellerophon" .png
      dragpipe extract --items 10-19 https://store.example/a.drop > b.drop
    """

  /// The destination of the content.
  private enum Destination {
    case standardOutput(isAsked: Bool)
    case file(String)
  }

  private enum Selection {
    case representation(item: String, type: String?)
    case items(Range<Int>)
  }

  private let file: String
  private let selection: Selection
  private let readsAll: Bool
  private let destination: Destination
  private let overwrites: Bool
  private let options: DropStreamOptions

  init(_ arguments: ParsedArguments) throws(ToolFailure) {
    let operands = arguments.operands
    if let items = try arguments.value("items") {
      guard operands.count == 1 else { throw ToolFailure(.usage, "extract --items needs one operand, FILE or URL") }
      selection = .items(try Self.range(items))
    } else {
      guard (2...3).contains(operands.count) else {
        throw ToolFailure(.usage, "extract needs two or three operands: FILE, ITEM and TYPE")
      }
      selection = .representation(item: operands[1], type: operands.count == 3 ? operands[2] : nil)
    }
    file = operands[0]
    readsAll = arguments.has("whole")
    if readsAll, !HTTPObject.isAddress(file) { throw ToolFailure(.usage, "--whole needs a URL") }
    overwrites = arguments.has("overwrite")
    options = try .unlimitedItems(arguments)
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

  /// Converts FIRST or FIRST-LAST, numbered from 1, to a range of indices from 0.
  private static func range(_ text: String) throws(ToolFailure) -> Range<Int> {
    let numbers = text.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false).map { Int($0) }
    guard let first = numbers[0], let last = numbers.count == 2 ? numbers[1] : first, first > 0, last >= first,
      last < Int.max
    else {
      throw ToolFailure(.usage, "--items \(text.escapedForDisplay()) is not in the form FIRST-LAST, such as 1-10")
    }
    return first - 1..<last
  }

  func run(in environment: ToolEnvironment) async throws {
    OwnTypes.declare()
    do {
      switch selection {
      case .representation(let item, let type): try await extract(item, type, environment)
      case .items(let range): try await extract(range, environment)
      }
    } catch let error as DropStreamError {
      throw ToolFailure(error, in: file)
    }
  }

  /// Writes complete items as a drop stream.
  private func extract(_ range: Range<Int>, _ environment: ToolEnvironment) async throws {
    let output: DropEndpoint =
      switch destination {
      case .file(let path): .file(path, replacing: overwrites)
      case .standardOutput: try environment.outputEndpoint()
      }
    if case .standardOutput = destination, environment.outputIsTerminal {
      throw ToolFailure(.usage, "standard output is a terminal; try: dragpipe extract --items … | dragpipe receive DIR")
    }
    guard !readsAll, let drop = try await ExtractSource.opened(file, options) else {
      throw ToolFailure(.malformed, "--items needs an index; \(file.escapedForDisplay()) can only be read in order")
    }
    guard range.upperBound <= drop.itemCount else {
      throw ToolFailure(
        .noAcceptableType, "there is no item \(range.upperBound): \(ToolHelp.count(drop.itemCount, "item"))")
    }
    try await DropStream.withWriter(to: output) { writer in
      try await DropCopy(drop: file, options: options).write(drop, range, to: writer, environment)
    }
  }

  private func extract(_ item: String, _ type: String?, _ environment: ToolEnvironment) async throws {
    let source = try await ExtractSource(item: item, of: file, options, readsAll: readsAll)
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

  /// Verifies the content, then writes it: bytes on standard output cannot be withdrawn.
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

  /// Passes the content to `body` in pieces.
  ///
  /// Throws an error if the content is shown on a terminal and has a control character.
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

  /// The maximum size, in bytes, of content that is kept in memory until it is verified.
  ///
  /// Larger content is read twice: first to verify it, then to write it.
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

/// The representation that the operand TYPE selects from an item.
struct ExtractChoice {
  /// The maximum number of types that an error message names.
  private static let namedCount = 8

  /// The index of the representation, from 0, in the order of the source.
  let representation: Int
  /// The type of the representation, as the sender declared it.
  let type: UTType
  /// Whether the type is text, and whether it is a directory.
  ///
  /// The declarations of this process and of the sender decide.
  let isText, isFolder: Bool

  /// Finds the representation of an item.
  ///
  /// - Parameters:
  ///   - word: An identifier, a MIME type, an extension or a family; `nil` for the best representation.
  ///   - source: The item.
  /// - Throws: `noAcceptableType`, with the first types of the item, if none matches; read errors of the file.
  init(type word: String?, in source: ExtractSource) async throws {
    let types = try await source.drop.types(ofItem: source.index)
    let provider = try await source.drop.item(at: source.index)
    // The conformance tests may read the system's MIME database from the disk, which blocks.
    let found = await runBlocking {
      // The source lists the best representation first.
      (word.map { Self.representation($0, types, provider) } ?? types.indices.first).map { found in
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
        "item \(source.number) has no type \((word ?? "").escapedForDisplay()); its types are \(offered)"
          + (types.count > Self.namedCount ? " and \(types.count - Self.namedCount) more" : ""))
    }
    representation = found.index
    type = types[found.index]
    (isText, isFolder) = (found.isText, found.isFolder)
  }

  /// Returns the index of the representation with the exact type or, without one, of the first that conforms to it.
  ///
  /// The result is `nil` if no representation conforms to the type.
  private static func representation(_ word: String, _ types: [UTType], _ provider: ItemProvider) -> Int? {
    // Compares identifiers first, since this process need not have declared the type.
    if let index = types.firstIndex(where: { $0.identifier.lowercased() == word.lowercased() }) { return index }
    guard let wanted = UTType(operand: word) else { return nil }
    return types.firstIndex(of: wanted) ?? types.firstIndex { provider.offers($0, conformingTo: wanted) }
  }
}
