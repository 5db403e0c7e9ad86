// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import DropTransport
internal import FoundationEssentials
internal import ItemTransfer
internal import UniformTypes

/// Takes one representation out of a file without reading the others.
struct ExtractCommand: ToolCommand {
  static let name = "extract"
  static let summary = "Takes one representation of an item out of a file, without reading the rest."
  static let forms = ["[-o OUT|-] [--overwrite] FILE ITEM TYPE"]
  static let operand = ArgumentCompletion.file
  static let options = [
    OptionSpecification(
      name: "output", short: "o", value: ArgumentValue("OUT|-", .file),
      summary: "write a file instead of standard output"),
    OptionSpecification(name: "overwrite", short: "f", summary: "let it take the place of a regular file"),
  ]
  static let notes = """
    ITEM is its number, from 1, as inspect shows it, or its name where only one item has it. TYPE is an identifier
    (public.png), a MIME type (image/png) or an extension with its period (.png). \(TypeFamily.note) Where the item is not there as just
    this, the first representation that conforms to it is taken. Where there is no such item or type, the exit code is
    3. A file gets its name once it is whole and checked; to standard output goes only what was checked before. On a
    terminal, bytes that are no text or would act on it are shown only with -o -. A folder comes out as the zip
    archive that it travels as. A stream that was redirected to FILE has no index, and is read as far as needed.

      dragpipe extract heroes.drop 2 public.utf8-plain-text
      dragpipe extract -o photo.png photos.drop "Bellerophon" .png
    """

  /// Where the bytes go.
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
      throw ToolFailure(.usage, "extract takes a file, an item of it and a type")
    }
    (file, item, type) = (arguments.operands[0], arguments.operands[1], arguments.operands[2])
    overwrites = arguments.has("overwrite")
    switch try arguments.value("output") {
    case nil: destination = .standardOutput(isAsked: false)
    case "-": destination = .standardOutput(isAsked: true)
    case let output?: destination = .file(output)
    }
    if overwrites, case .standardOutput = destination {
      throw ToolFailure(.usage, "--overwrite goes with --output FILE")
    }
    guard file != "-" else {
      throw ToolFailure(.usage, "items are found in a file only: of a stream, dragpipe receive takes them in order")
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
      guard !isDrop(status(path)) else { throw ToolFailure(.cannotCreate, "\(shown(path)) is the file that is read") }
      try await source.drop.extract(
        item: source.index, representation: choice.representation, to: path, replacing: overwrites)
    case .standardOutput(let isAsked):
      guard !isDrop(try? SystemCalls.status(environment.output)) else {
        throw ToolFailure(.cannotCreate, "standard output is the file that is read")
      }
      try await write(choice, of: source, isAsked: isAsked, environment)
    }
    if choice.isFolder {
      environment.note("\(choice.type.identifier.escapedForDisplay()) is a folder; it comes as a zip archive")
    }
  }

  /// Checks all of the bytes before the first is written: whoever reads them cannot give them back.
  private func write(
    _ choice: ExtractChoice, of source: ExtractSource, isAsked: Bool, _ environment: ToolEnvironment
  ) async throws {
    let isForPeople = environment.outputIsTerminal && !isAsked
    guard !isForPeople || choice.isText else { throw Self.onTerminal("what is no text") }
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

  /// Hands out the content up to where it would act on a terminal, where it is for one.
  private func forEachPiece(
    of choice: ExtractChoice, in source: ExtractSource, _ isForPeople: Bool, _ body: (Data) async throws -> Void
  ) async throws {
    var scan = TerminalScan()
    try await source.drop.forEachPiece(ofItem: source.index, representation: choice.representation) { piece in
      if isForPeople { scan.add(piece) }
      if scan.foundControl { throw Self.onTerminal("text that acts on it") }
      try await body(piece)
    }
    if scan.hasControl { throw Self.onTerminal("text that acts on it") }
  }

  /// More is read again once it is known to be sound.
  private static let mostBytesHeld = 1 << 20

  private static func onTerminal(_ what: String) -> ToolFailure {
    ToolFailure(.usage, "standard output is a terminal, and nothing for \(what); use -o FILE, or -o -")
  }

  private func isDrop(_ other: FileStatus?) -> Bool {
    guard let other, let drop = status(file) else { return false }
    return drop.isSameFile(as: other)
  }

  private func status(_ path: String) -> FileStatus? {
    try? SystemCalls.statusAt(DropEndpoint.currentDirectory, path)
  }

  private func shown(_ path: String) -> String { path.escapedForDisplay() }
}
