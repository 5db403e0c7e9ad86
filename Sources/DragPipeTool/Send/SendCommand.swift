// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropTransport
internal import ItemTransfer

/// Offers items: down a pipe, into a file, or to whoever asks for them.
struct SendCommand: ToolCommand {
  static let name = "send"
  static let summary = "Offers files, folders, heroes or cards."
  static let forms = [
    "[--to ENDPOINT] FILE…", "[--to ENDPOINT] [--type TYPE=FILE]… [--lazy TYPE=COMMAND]… [--alias TYPE=TYPE]…",
    "[--to ENDPOINT] --as hero|card FILE…",
  ]
  static let operand = ArgumentCompletion.file
  static let options =
    [
      OptionSpecification(
        name: "to", value: ArgumentValue("ENDPOINT", .endpoint), summary: "where they go: \(EndpointArgument.summary)"),
      OptionSpecification(
        name: "type", short: "t", value: ArgumentValue("TYPE=FILE", .type), isRepeatable: true,
        summary: "one item in several representations, the best first"),
      OptionSpecification(
        name: "lazy", value: ArgumentValue("TYPE=COMMAND", .type), isRepeatable: true,
        summary: "a representation that a command writes when it is asked for"),
      OptionSpecification(
        name: "alias", value: ArgumentValue("TYPE=TYPE", .type), isRepeatable: true,
        summary: "another type for the bytes of a representation that is there"),
      OptionSpecification(
        name: "as", value: ArgumentValue("hero|card", .words(ItemKind.allCases.map(\.rawValue))),
        summary: "take the files' elements for items, not the files"),
      OptionSpecification(name: "name", short: "n", value: "NAME", summary: "what the one item is called"),
      OptionSpecification(
        name: "from-list", value: ArgumentValue("FILE", .file), summary: "read the files' names from FILE, one a line"),
      OptionSpecification(name: "null", short: "0", summary: "names in the list end with a zero byte"),
      OptionSpecification(name: "uris", summary: "the list has file: URIs, as text/uri-list has them"),
      OptionSpecification(name: "once", summary: "end when one receiver has taken something"),
      OptionSpecification(name: "until-taken", value: "N", summary: "end when N receivers have taken something"),
      OptionSpecification(name: "move", short: "m", summary: "let a receiver move files: they are removed here then"),
      OptionSpecification(
        name: "originals", summary: "with --move, let a receiver with --originals take the files themselves"),
      OptionSpecification(name: "keep-going", short: "k", summary: "send the rest when something cannot be made"),
      OptionSpecification(name: "overwrite", short: "f", summary: "let FILE.drop take the place of a file"),
      OptionSpecification(name: "sync", summary: "flush FILE.drop to the disk before ending"),
    ] + TransferOptions.specifications
  static let notes = """
    FILE may be a directory, - for standard input, or anything that can be read to an end. TYPE is an identifier
    (public.png), a MIME type (image/png), an extension with its period (.png), or any other text, which arrives as it
    is. Down a pipe or into a file everything that is offered is made; through unix:, exec:, stdio: or a socket only what
    is asked for, and what cannot be made keeps nothing else back. A file whose name no receiver takes (not UTF-8, or with
    control characters) is found before anything is sent; --keep-going leaves it out. At unix:PATH the sender listens, in the foreground,
    until it is interrupted, or as --once and --until-taken say; --timeout is for those who have come.

    FILE.drop and its name survive a crash of dragpipe once it has ended with 0, and with --sync a crash of the machine
    as well. With --move, a file is removed once the receiver has it on its disk: after a crash of either machine it is
    complete at the source, at the receiver, or at both. With --originals on both sides of a socket, a regular file with a single
    name is not copied where FILE and the receiver's directory are on one file system: it gets a name there, and loses its
    name here.

    Of a directory all is sent or nothing: one that has links or devices in it, names that are refused, or more than 64
    levels, is not. Names in a list may be those of directories, which are sent whole; what else is named of them is
    not sent again. Files of a list keep their paths below the directory that all of them have in common.
    """

  private let items: OfferedItems
  private let endpoint: EndpointArgument
  private let takerCount: Int?
  private let allowsMoving: Bool
  private let allowsOriginals: Bool
  private let keepsGoing: Bool
  private let overwrites: Bool
  private let isDurable: Bool
  private let transfer: TransferOptions

  init(_ arguments: ParsedArguments) throws(ToolFailure) {
    items = try OfferedItems(arguments)
    endpoint = try EndpointArgument(try arguments.value("to"), of: "to")
    transfer = try TransferOptions(arguments)
    keepsGoing = arguments.has("keep-going")
    overwrites = arguments.has("overwrite")
    allowsMoving = arguments.has("move")
    allowsOriginals = arguments.has("originals")
    isDurable = arguments.has("sync")
    if isDurable, !endpoint.isPath { throw ToolFailure(.usage, "--sync needs a file to flush: --to FILE.drop") }
    takerCount = try Self.takerCount(arguments)
    if arguments.has("originals"), !allowsMoving { throw ToolFailure(.usage, "--originals goes with --move") }
    if allowsMoving || takerCount != nil, !endpoint.isTwoWay {
      let option = allowsMoving ? "--move needs" : "--once and --until-taken need"
      throw ToolFailure(.usage, "\(option) a receiver that can answer: --to unix:PATH, exec:COMMAND or stdio:")
    }
  }

  private static func takerCount(_ arguments: ParsedArguments) throws(ToolFailure) -> Int? {
    guard let text = try arguments.value("until-taken") else { return arguments.has("once") ? 1 : nil }
    guard !arguments.has("once") else { throw ToolFailure(.usage, "--once and --until-taken exclude each other") }
    guard let count = Int(text), (1...1_000_000).contains(count) else {
      throw ToolFailure(.usage, "--until-taken wants a number, from 1 to 1000000")
    }
    return count
  }

  func run(in environment: ToolEnvironment) async throws {
    let context = OfferContext(
      environment, endpoint, allowsOriginals: allowsOriginals, idleTimeout: transfer.idleTimeout)
    try items.check(against: endpoint, context)
    if endpoint.isTwoWay {
      let sender = SessionSender(
        items: items, context: context, endpoint: endpoint, takerCount: takerCount, allowsMoving: allowsMoving,
        keepsGoing: keepsGoing, transfer: transfer)
      return try await sender.run()
    }
    if endpoint.isTerminal(standard: environment.output) {
      let what = endpoint == .standard ? "standard output" : "the descriptor of --to"
      throw ToolFailure(.usage, "\(what) is a terminal; try: dragpipe send … | dragpipe receive DIR")
    }
    // A receiver in the same pipeline draws on the same terminal.
    let isShared = endpoint == .standard && environment.outputIsPipe
    let progress = TransferProgress(
      "sending", mode: transfer.progressMode, environment: environment, isShared: isShared)
    let failures = LoadFailures()
    // Before the first byte, and before a file is made or a command is started.
    let leaveOut: @Sendable (DropStreamError) -> Void = { failures.add($0, notedIn: environment) }
    let names = try await items.names(context, leftOut: keepsGoing ? leaveOut : nil)
    try await progress.showing {
      try await DropStream.withWriter(
        to: endpoint.output(environment, replacing: overwrites, durable: isDurable), options: transfer.stream
      ) { writer in
        try await write(names, to: writer, progress, context, failures)
      }
    }
    if let failure = failures.failure(hasSentSome: true) { throw failure }
  }

  private func write(
    _ names: [OfferedName], to writer: DropStreamWriter, _ progress: TransferProgress, _ context: OfferContext,
    _ failures: LoadFailures
  ) async throws {
    try await items.forEach(of: names, context) { item in
      let work = ItemProgress()
      progress.begin(item: item.provider.suggestedName, byteCount: item.byteCount)
      progress.enter(.transferring)
      progress.follow(work)
      if keepsGoing {
        for failure in try await writer.writeAvailable(item.provider, progress: work) { failures.add(failure) }
      } else {
        try await writer.write(item.provider, progress: work)
      }
    }
  }
}
