// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropTransport

/// What both sides of a transfer may be told about it.
struct TransferOptions: Sendable {
  static let specifications = [
    OptionSpecification(
      name: "timeout", value: "SECONDS",
      summary:
        "give up when nothing moves for so long; by default, a session waits 30 s for a handshake, "
        + "and send at unix:PATH 5 minutes for a receiver that shows no sign of life"),
    ProgressMode.option,
    OptionSpecification(name: "quiet", short: "q", summary: "say nothing but what goes wrong"),
  ]

  let idleTimeout: Duration?
  let progressMode: ProgressMode
  let isQuiet: Bool

  init(_ arguments: ParsedArguments) throws(ToolFailure) {
    idleTimeout = try Self.timeout(try arguments.value("timeout"))
    isQuiet = arguments.has("quiet")
    progressMode = try ProgressMode(option: try arguments.value("progress"), isQuiet: isQuiet)
  }

  var stream: DropStreamOptions {
    var options = DropStreamOptions()
    options.idleTimeout = idleTimeout
    return options
  }

  private static func timeout(_ value: String?) throws(ToolFailure) -> Duration? {
    guard let value else { return nil }
    guard let seconds = Double(value), (0.001...1_000_000).contains(seconds) else {
      throw ToolFailure(.usage, "--timeout wants a number of seconds, from 0.001 to 1000000")
    }
    return .seconds(seconds)
  }
}
