// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import DropTransport
internal import ItemCoding
internal import ItemTransfer
internal import UniformTypes

/// The command `inspect`, which lists and verifies a drop stream, or shows a file of CBOR.
struct InspectCommand: ToolCommand {
  static let name = "inspect"
  static let summary = "Lists the items of a drop stream, and verifies it."
  static let forms = [
    "[--tree | --json] [--content] [--entries] [FILE|-]", "--verify [--json] [FILE|-]",
    "[--tree | --json] [--whole] URL",
    "[--json] FILE.cbor",
  ]
  static let operand = ArgumentCompletion.file
  static let options = [
    OptionSpecification(
      name: "tree", short: "t", summary: "show each item with its representations below it, instead of a table"),
    OptionSpecification(name: "json", short: "j", summary: "write one JSON document"),
    OptionSpecification(name: "content", short: "c", summary: "show the beginning of CBOR in diagnostic notation"),
    OptionSpecification(name: "entries", short: "e", summary: "list the files in folders"),
    OptionSpecification(name: "diagnostic", summary: "the same as --content"),
    OptionSpecification(name: "whole", summary: "read the whole object of a URL, even if only its index is needed"),
    OptionSpecification(name: "verify", summary: "verify without a listing: the exit code is the result"),
    TransferOptions.timeoutOfReads,
  ]
  static let notes = """
    The exit code is 0 if the stream is complete and verified, and 65 if it is malformed, corrupt or truncated. In that
    case the items before the error are still shown. Each type is the declaration of the sender. If the first bytes look
    like another or a more specific type, that type is shown too, as a hint. --verify also compares the index of a file
    with its items.

    For a URL (https: or http:), only the index and the offers are read, by ranges. --verify, --content, --entries
    and --whole read the whole object. The program curl makes the requests; its settings in ~/.curlrc and ~/.netrc apply.

    Content is CBOR if the identifier of its type ends in .cbor, or if cbor is the type's extension. At most 2000
    characters of a representation are shown, and … marks the rest. Use extract for other content. A file that is not a
    drop stream is shown as a CBOR sequence, one item per line. This applies if its name ends in .cbor, or if --content
    is given and the file is not empty.

    \(InspectionDocument.keys) With --verify, JSON has verified; for a valid file itemCount and hasIndex, else error.
    """

  /// The size in bytes at which buffered output is written.
  ///
  /// On a terminal, each item is written at once.
  private static let bufferLength = 32 << 10

  private enum Form: Sendable {
    case table
    case tree
    case document
  }

  private let file: String?
  private let form: Form
  private let showsContent: Bool
  private let listsFolders: Bool
  private let verifiesOnly: Bool
  private let readsAll: Bool
  private let options: DropStreamOptions

  init(_ arguments: ParsedArguments) throws(ToolFailure) {
    guard arguments.operands.count <= 1 else { throw ToolFailure(.usage, "inspect takes at most one operand, FILE") }
    file = arguments.operands.first.flatMap { $0 == "-" ? nil : $0 }
    showsContent = arguments.has("content") || arguments.has("diagnostic")
    verifiesOnly = arguments.has("verify")
    listsFolders = arguments.has("entries")
    readsAll = arguments.has("whole") || showsContent || listsFolders
    options = try .unlimitedItems(arguments)
    if arguments.has("whole"), !(file.map(HTTPObject.isAddress) ?? false) {
      throw ToolFailure(.usage, "--whole needs a URL")
    }
    switch (arguments.has("tree"), arguments.has("json")) {
    case (true, true): throw ToolFailure(.usage, "--tree and --json exclude each other")
    case (true, false): form = .tree
    case (false, true): form = .document
    case (false, false): form = .table
    }
    if verifiesOnly, showsContent || listsFolders || form == .tree {
      throw ToolFailure(.usage, "--verify lists no items, so it may be combined with --json only")
    }
  }

  func run(in environment: ToolEnvironment) async throws {
    guard file != nil || !environment.inputIsTerminal else {
      throw ToolFailure(.usage, "standard input is a terminal; name a file, or pipe a stream in")
    }
    if verifiesOnly {
      return try await InspectionVerification(file: file, isJSON: form == .document, options: options).run(
        in: environment)
    }
    OwnTypes.declare()
    try await SniffedType.prepare()
    var report = report(environment)
    var text = report.start()
    var isEmpty = true
    func add(_ item: DropItemDescription) async throws {
      isEmpty = false
      text += try report.add(item)
      guard text.utf8.count >= Self.bufferLength || environment.outputIsTerminal, !text.isEmpty else { return }
      try await environment.write(text)
      text = ""
    }
    do {
      if let file, HTTPObject.isAddress(file), !readsAll {
        let object = try HTTPObject(file, idleTimeout: options.idleTimeout)
        let drop = try await DropFile(source: object, name: object.name, limits: options.limits)
        var fetchedEnd = 0
        for index in 0..<drop.itemCount {
          if index == fetchedEnd { fetchedEnd = try await drop.fetchOffers(from: index) }
          try await add(try await drop.description(ofItem: index))
        }
        return try await environment.write(text + report.end(nil, .offers))
      }
      try await Self.withInput(file, options, environment) { endpoint in
        try await DropStream.withInspector(
          from: endpoint, options: options, keeping: prefixLength, listingFolders: listsFolders
        ) { items in
          for try await item in items { try await add(item) }
        }
      }
    } catch let error as DropStreamError {
      if isEmpty, let file, mayBeSequence(file, error) {
        return try await SequenceInspection(file: file, isJSON: form == .document).run(in: environment)
      }
      try await environment.write(text + report.end(error, .all))
      throw file.map { ToolFailure(error, in: $0) } ?? ToolFailure(error)
    }
    try await environment.write(text + report.end(nil, .all))
  }

  /// Opens a file, a web object or standard input as a stream.
  ///
  /// - Parameters:
  ///   - file: The path or the address; `nil` for standard input.
  ///   - options: The idle timeout.
  ///   - environment: The tool's environment.
  ///   - body: Reads the stream.
  /// - Returns: The result of `body`.
  /// - Throws: The errors of `body`, and the errors of opening the input.
  static func withInput<Result>(
    _ file: String?, _ options: DropStreamOptions, _ environment: ToolEnvironment,
    _ body: (DropEndpoint) async throws -> Result
  ) async throws -> Result {
    guard let file else { return try await body(environment.inputEndpoint()) }
    return try await HTTPObject.withStream(at: file, idleTimeout: options.idleTimeout, body)
  }

  private func report(_ environment: ToolEnvironment) -> any InspectionReport {
    switch form {
    // On a terminal, each item of a slow stream is shown as it arrives.
    case .table:
      InspectionTable(
        width: environment.outputWidth, showsContent: showsContent,
        gathersRows: file != nil || !environment.outputIsTerminal)
    case .tree: InspectionTree(width: environment.outputWidth, showsContent: showsContent)
    case .document: InspectionDocument(showsContent: showsContent)
    }
  }

  private var prefixLength: @Sendable (UTType) -> Int {
    guard showsContent else { return { _ in SniffedType.prefixLength } }
    return { type in max(SniffedType.prefixLength, ContentPreview.prefixLength(of: type)) }
  }

  /// Whether `file`, which is not a readable stream because of `error`, is to be shown as a CBOR sequence.
  private func mayBeSequence(_ file: String, _ error: DropStreamError) -> Bool {
    let isNamedSo = file.lowercased().hasSuffix(".cbor")
    // An empty file is shown as a CBOR sequence only if its name ends in .cbor.
    guard error.code == .notADropStream && (isNamedSo || showsContent) || error.code == .empty && isNamedSo else {
      return false
    }
    return InspectionVerification.isRegular(file)
  }
}

/// The listing of a CBOR sequence in a file, written item by item.
struct SequenceInspection {
  /// The size limit of an item, which is in memory while it is shown.
  private static let limits = CBORSequenceLimits(itemBytes: 256 << 20)
  /// The size in bytes at which buffered output is written.
  private static let bufferLength = 32 << 10

  let file: String
  /// Whether to write one JSON document with `items`, `verified` and, after a fault, `error`; else one item a line.
  let isJSON: Bool

  func run(in environment: ToolEnvironment) async throws {
    let notation = CBORDiagnosticNotation()
    let json = JSONOutput()
    var reader = CBORItemReader(maximumDepth: notation.maximumDepth, limits: Self.limits)
    let source = try ChunkSource(.file(file))
    var text = isJSON ? #"{"items": ["# : ""
    var hasItems = false
    var isAtEnd = false
    do {
      while !isAtEnd {
        if let chunk = try await source.next() {
          reader.append(chunk)
        } else {
          reader.finish()
          isAtEnd = true
        }
        while let item = try reader.next() {
          let line = try notation.text(of: item, start: reader.offset - item.count)
          text += isJSON ? (hasItems ? ",\n" : "\n") + (try json.text(line)) : line + "\n"
          hasItems = true
          if text.utf8.count >= Self.bufferLength {
            try await environment.write(text)
            text = ""
          }
        }
      }
    } catch let error as DecodingError {
      let message = "\(file): \(error.sentence)".escapedForDisplay(limit: 400)
      let verdict = isJSON ? "\n], \"verified\": false, \"error\": \(try json.text(message))}\n" : ""
      try await environment.write(text + verdict)
      throw ToolFailure(.malformed, message)
    }
    try await environment.write(text + (isJSON ? "\n], \"verified\": true}\n" : ""))
  }
}

/// The verification of a stream without a listing.
///
/// For a regular file, the index is verified too, if there is one.
struct InspectionVerification {
  private struct Verdict: Encodable {
    let verified: Bool
    var itemCount: Int?
    var hasIndex: Bool?
    var error: String?
  }

  /// The path of the file or the address of the web object; `nil` for standard input.
  let file: String?
  /// Whether to write the verdict as JSON.
  let isJSON: Bool
  let options: DropStreamOptions

  func run(in environment: ToolEnvironment) async throws {
    do {
      let verdict = try await verify(environment)
      try await write(verdict, environment)
    } catch let error as DropStreamError {
      try await write(Verdict(verified: false, error: error.description), environment)
      throw file.map { ToolFailure(error, in: $0) } ?? ToolFailure(error)
    }
  }

  private func verify(_ environment: ToolEnvironment) async throws -> Verdict {
    if let file, Self.isRegular(file) {
      let verification = try await DropFile.verify(file, options: options)
      return Verdict(verified: true, itemCount: verification.itemCount, hasIndex: verification.hasIndex)
    }
    let count = try await InspectCommand.withInput(file, options, environment) { endpoint in
      try await DropStream.withInspector(from: endpoint, options: options) { items in
        var count = 0
        for try await _ in items { count += 1 }
        return count
      }
    }
    return Verdict(verified: true, itemCount: count)
  }

  /// Whether the path names a regular file.
  ///
  /// Another kind of file cannot be read twice, so its index would not be usable.
  static func isRegular(_ file: String) -> Bool {
    (try? SystemCalls.statusAt(DropEndpoint.currentDirectory, file))?.kind == .regular
  }

  private func write(_ verdict: Verdict, _ environment: ToolEnvironment) async throws {
    guard isJSON else { return }
    try await environment.write(try JSONOutput().text(verdict) + "\n")
  }
}
