// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import FoundationEssentials

/// A writer of addresses for scripts, on standard output.
struct AddressPrinter: Sendable {
  static let options = [
    OptionSpecification(
      name: "print", value: ArgumentValue("uri|path", .words(["uri", "path"])),
      summary: "write the addresses of files and pages, one per line, and receive nothing"),
    OptionSpecification(name: "null", short: "0", summary: "with --print, end each address with a zero byte"),
  ]

  private let printsPaths: Bool
  private let endsWithZero: Bool

  /// Reads the options; the result is `nil` without `--print`.
  ///
  /// - Parameters:
  ///   - arguments: The arguments.
  ///   - others: The options of the command that cannot be combined with `--print`.
  /// - Throws: `usage` for an unknown form, `--null` without `--print`, and arguments that `--print` excludes.
  init?(_ arguments: ParsedArguments, excluding others: [String]) throws(ToolFailure) {
    endsWithZero = arguments.has("null")
    guard let form = try arguments.value("print") else {
      if endsWithZero { throw ToolFailure(.usage, "--null needs --print") }
      return nil
    }
    printsPaths = form == "path"
    guard ["uri", "path"].contains(form) else {
      throw ToolFailure(.usage, "--print \(form.escapedForDisplay()) is unknown; use uri or path")
    }
    try ReceiveDestination.refuse(arguments, others, "cannot be combined with --print")
    guard arguments.operands.isEmpty else { throw ToolFailure(.usage, "--print takes no directory") }
  }

  /// Writes addresses.
  ///
  /// - Throws: `refused` if an address contains a line end, unless zero bytes end the addresses; write errors.
  func write(_ addresses: [URL], to environment: ToolEnvironment) async throws {
    let texts = addresses.map { printsPaths && $0.isFileURL ? $0.path : $0.absoluteString }
    if !endsWithZero, let text = texts.first(where: { $0.utf8.contains(0x0A) }) {
      throw ToolFailure(.refused, "\(text.escapedForDisplay()) contains a line end; use -0")
    }
    for text in texts { try await environment.write("\(text)\(endsWithZero ? "\0" : "\n")") }
  }
}
