// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import DropTransport
internal import ItemTransfer

/// The command `join`, which writes the items of several drops as one drop.
struct JoinCommand: ToolCommand {
  static let name = "join"
  static let summary = "Joins drops into one, with all representations as they are."
  static let forms = ["[--to FILE] FILE|URL…"]
  static let operand = ArgumentCompletion.file
  static let options = [
    OptionSpecification(
      name: "to", value: ArgumentValue("FILE", .file), summary: "write a file instead of standard output"),
    OptionSpecification(
      name: "overwrite", short: "f", summary: "replace an existing FILE, which may be one of the drops"),
    OptionSpecification(name: "indexed", summary: "write an index into a pipe"),
    OptionSpecification(name: "sync", summary: "flush FILE to the disk before ending"),
    TransferOptions.timeoutOfReads,
  ]
  static let notes = """
    A FILE may also be - for standard input. Each drop is verified as it is read. After an error, no new file remains. A
    representation that its sender could not load stays a failure, and is reported.
    """
  static let examples = ["dragpipe join monday.drop tuesday.drop --to week.drop"]

  private let drops: [String]
  private let endpoint: EndpointArgument
  private let overwrites: Bool
  private let isDurable: Bool
  private let options: DropStreamOptions

  init(_ arguments: ParsedArguments) throws(ToolFailure) {
    drops = arguments.operands
    guard !drops.isEmpty else { throw ToolFailure(.usage, "no drops to join; name a file, or - for standard input") }
    guard drops.count(where: { $0 == "-" }) <= 1 else {
      throw ToolFailure(.usage, "standard input (-) may be given only once")
    }
    endpoint = try EndpointArgument(try arguments.value("to"), of: "to")
    isDurable = arguments.has("sync")
    try endpoint.refuseUnwritable(isDurable: isDurable)
    guard !endpoint.isTwoWay else { throw ToolFailure(.usage, "--to takes a pipe or a file here") }
    overwrites = arguments.has("overwrite")
    var options = try DropStreamOptions.unlimitedItems(arguments)
    options.writesIndex = arguments.has("indexed")
    self.options = options
  }

  func run(in environment: ToolEnvironment) async throws {
    try endpoint.refuseTerminal(
      environment.output, "standard output", option: "to", hint: "try: dragpipe join … | dragpipe receive DIR")
    var options = options
    if let target = endpoint.file(standard: environment.output),
      let drop = drops.first(where: { environment.opens($0, target) })
    {
      // A new file gets its name when it is complete, so it may replace a drop that was read.
      guard endpoint.isPath else {
        throw ToolFailure(.usage, "\(drop.shownAsOperand) is both input and output; choose another output file")
      }
      options.formerFile = target
    }
    let output = try await endpoint.output(
      environment, replacing: overwrites, durable: isDurable, idleTimeout: options.idleTimeout)
    try await DropStream.withWriter(to: output, options: options) { writer in
      for drop in drops { try await DropCopy(drop: drop, options: options).write(to: writer, environment) }
    }
  }
}

/// A copy of the items of a drop.
struct DropCopy {
  /// The path or the address, or `-` for standard input.
  let drop: String
  let options: DropStreamOptions

  /// Writes the items with all representations as they are, and verifies the drop.
  ///
  /// - Throws: The errors of both drops.
  func write(to writer: DropStreamWriter, _ environment: ToolEnvironment) async throws {
    do {
      if drop == "-" { return try await write(from: environment.inputEndpoint(), to: writer, environment) }
      // The frames define the content of a drop, not its index, so it is read in order.
      try await HTTPObject.withStream(at: drop, idleTimeout: options.idleTimeout) { endpoint in
        try await write(from: endpoint, to: writer, environment)
      }
    } catch let error as DropStreamError {
      throw ToolFailure(error, in: drop)
    }
  }

  /// Writes some items of the drop, which is open.
  func write(
    _ file: DropFile, _ range: Range<Int>, to writer: DropStreamWriter, _ environment: ToolEnvironment
  ) async throws {
    var fetchedEnd = range.lowerBound
    for index in range {
      if index == fetchedEnd { fetchedEnd = try await file.fetchItems(index..<range.upperBound) }
      try await write(try await file.item(at: index), index, to: writer, environment)
    }
  }

  private func write(
    from endpoint: DropEndpoint, to writer: DropStreamWriter, _ environment: ToolEnvironment
  ) async throws {
    try await DropStream.withReader(from: endpoint, options: options) { items in
      var index = 0
      for try await item in items {
        try await write(item, index, to: writer, environment)
        index += 1
      }
    }
  }

  private func write(
    _ item: ItemProvider, _ index: Int, to writer: DropStreamWriter, _ environment: ToolEnvironment
  ) async throws {
    for failure in try await writer.writeAvailable(item) {
      // A failure of this process, such as a corrupt drop, must not look like a failure of the original sender.
      guard SenderFailure.original(failure) != nil else { throw failure }
      environment.note("\(drop.shownAsOperand): item \(index + 1): \(failure)")
    }
  }
}
