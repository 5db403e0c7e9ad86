// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem

/// The command `demo`, which transfers items from a source process to a destination process.
struct DemoCommand: ToolCommand {
  static let name = "demo"
  static let summary = "Starts two processes and transfers heroes and cards between them."
  static let forms = ["[--json]", "--large [--size BYTES] [--progress WHEN] [--json]"]
  static let options = [
    OptionSpecification(name: "json", short: "j", summary: "write the report as one JSON document"),
    OptionSpecification(
      name: "large", short: "l", summary: "transfer one large item instead: once completely, once cancelled half way"),
    OptionSpecification(
      name: "size", short: "s", value: "BYTES",
      summary: "the size of the large item, at least 1M; K, M, G, T are powers of 1024; default 1G"),
    ProgressMode.option,
  ]
  static let notes = """
    JSON has the keys items (each with kind, name and types), favourites, columns (each with title and cards), processes
    and verified.

    With --large the source generates the bytes on request, and the destination discards them, so neither memory nor
    disk holds them. The destination cancels the second transfer half way and notifies the source. JSON then has the
    keys transferred (bytes, seconds, bytesPerSecond), cancelled, processes and verified. The key cancelled has bytes
    (received), made (sent by the source), left (remaining files and open descriptors, normally 0) and
    \(LargeDemoReport.Cancellation.CodingKeys.reason.rawValue) (the error at the source).
    """
  static let examples = ["dragpipe demo --large --size 4G", "dragpipe demo --json"]

  /// The role of a child process; the raw value is the operand on its command line.
  enum Child: String {
    case source
    case destination
  }

  /// The minimum size of the large item.
  ///
  /// A transfer of a smaller item could end before it is cancelled.
  private static let leastSize: Int64 = 1 << 20
  private static let usualSize: Int64 = 1 << 30

  /// The role of this process, or `nil` for the process that the user started.
  private let child: Child?
  private let isJSON: Bool
  /// The demo of a large item, or `nil` for heroes and cards.
  private let large: LargeDemo?

  init(_ arguments: ParsedArguments) throws(ToolFailure) {
    child = arguments.operands.first.flatMap(Child.init)
    guard arguments.operands.count == (child == nil ? 0 : 1) else {
      throw ToolFailure(.usage, "demo takes no operand")
    }
    isJSON = arguments.has("json")
    let size = try Self.size(try arguments.value("size"))
    let progress = try arguments.value("progress")
    guard arguments.has("large") else {
      guard size == nil, progress == nil else {
        throw ToolFailure(.usage, "--size and --progress need --large")
      }
      large = nil
      return
    }
    large = LargeDemo(
      byteCount: size ?? Self.usualSize, progressMode: try ProgressMode(option: progress, isQuiet: false))
  }

  private static func size(_ text: String?) throws(ToolFailure) -> Int64? {
    guard let text else { return nil }
    guard let size = Int64(exactly: try ByteCount(argument: text).value), size >= leastSize else {
      throw ToolFailure(.usage, "--size \(text.escapedForDisplay()) is out of range; use 1M up to 8388607T")
    }
    return size
  }

  func run(in environment: ToolEnvironment) async throws {
    if child != nil, environment.inputIsTerminal || environment.outputIsTerminal {
      throw ToolFailure(.usage, "demo takes no operand")
    }
    let output = DemoOutput(environment: environment, isJSON: isJSON)
    switch (child, large) {
    case (nil, let large?): try await large.show(output)
    case (.source, let large?): try await large.offer(environment)
    case (.destination, let large?): try await large.take(environment)
    case (nil, nil): try await HeroDemo().show(output)
    case (.source, nil): try await HeroDemo().offer(environment)
    case (.destination, nil): try await HeroDemo().take(environment)
    }
  }
}

/// The output of the process that the user started.
struct DemoOutput: Sendable {
  let environment: ToolEnvironment
  /// Whether to write one JSON document at the end instead of text.
  let isJSON: Bool

  /// Writes text about the progress, unless the output is JSON.
  func write(_ text: String) async throws {
    if !isJSON { try await environment.write(text) }
  }

  /// Writes the report as JSON or, if the output is text, `text`.
  func end(with report: some Encodable, _ text: String) async throws {
    try await environment.write(isJSON ? try JSONOutput().text(report) + "\n" : text)
  }
}
