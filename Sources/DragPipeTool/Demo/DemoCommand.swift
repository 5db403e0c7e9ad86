// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// Shows a hand-over: starts a source process and a destination process, joined by a pipe or a socket.
struct DemoCommand: ToolCommand {
  static let name = "demo"
  static let summary = "Starts two processes and lets heroes and cards cross from one to the other."
  static let forms = ["[--json]", "--large [--size BYTES] [--progress WHEN] [--json]"]
  static let options = [
    OptionSpecification(name: "json", short: "j", summary: "tell it as one JSON document"),
    OptionSpecification(
      name: "large", short: "l", summary: "let something large cross instead, once whole and once cancelled half way"),
    OptionSpecification(
      name: "size", short: "s", value: "BYTES", summary: "how large, from 1M on; K, M, G, T are 1024; 1G if not given"),
    ProgressMode.option,
  ]
  static let notes = """
    JSON has the keys items (each with kind, name and types), favourites, columns (each with title and cards), processes
    and verified.

    With --large the source makes the bytes as they are asked for, and the destination keeps none of them: neither
    memory nor disk has to hold them. The destination calls the second transfer off half way, of which the source hears.
    JSON then has the keys transferred (bytes, seconds, bytesPerSecond), cancelled (bytes that were taken and made, what
    the source heard, files and descriptors that are left, of which there are none), processes and verified.
    """
  static let examples = ["dragpipe demo --large --size 4G", "dragpipe demo --json"]

  /// Which of the two children a process is, by its operand.
  enum Child: String {
    case source
    case destination
  }

  /// A size of which there is a half way.
  private static let leastSize: Int64 = 1 << 20
  private static let usualSize: Int64 = 1 << 30

  /// `nil` for the process that a person has started.
  private let child: Child?
  private let isJSON: Bool
  /// `nil` for heroes and cards.
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
        throw ToolFailure(.usage, "--size and --progress go with --large: heroes and cards are there at once")
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
      throw ToolFailure(.usage, "--size wants at least 1M, and less than 8 of a million T")
    }
    return size
  }

  func run(in environment: ToolEnvironment) async throws {
    if child != nil, environment.inputIsTerminal || environment.outputIsTerminal {
      throw ToolFailure(.usage, "demo takes no operand; its children have one, and no terminal")
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
