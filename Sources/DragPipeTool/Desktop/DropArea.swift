// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropDesktop
internal import DropSystem
internal import DropTransport
internal import ItemTransfer

/// An area of a drop window, with the destination of its drops.
struct DropArea: Sendable {
  /// The destination of dropped items.
  enum Destination: Sendable {
    /// A destination of `receive`, such as a directory or a command.
    case receiver(ReceiveCommand)
    /// A stream or a session.
    case forwarder(DropForwarder)
    /// Standard output, for the addresses only.
    case printer(AddressPrinter)
  }

  let name: String
  var detail = ""
  let destination: Destination
}

/// The sender of dropped items to a stream or a session.
struct DropForwarder: Sendable {
  let endpoint: EndpointArgument
  let replacesFile: Bool
  let isDurable: Bool
  let transfer: TransferOptions

  /// Reads the option `--to` and the other options of the transfer.
  ///
  /// - Throws: `usage` for an endpoint to which drops cannot be sent, and for `--sync` without a file.
  init(_ arguments: ParsedArguments) throws(ToolFailure) {
    endpoint = try EndpointArgument(try arguments.value("to"), of: "to")
    transfer = try TransferOptions(arguments)
    replacesFile = arguments.has("overwrite")
    isDurable = arguments.has("sync")
    try endpoint.refuseUnwritable(isDurable: isDurable)
    switch endpoint {
    case .selection, .desktop:
      throw ToolFailure(.usage, "--to takes a pipe, a file or a session here; use dragpipe copy for the clipboard")
    case .standardIO, .descriptor:
      guard endpoint.isTwoWay, !arguments.has("once") else { break }
      throw ToolFailure(.usage, "a session at --to \(try arguments.value("to") ?? "") has one drop; use --once")
    default: break
    }
  }

  /// Whether the endpoint takes a stream, and not a session for each drop.
  var isStream: Bool { !endpoint.isTwoWay }

  /// Opens the stream, passes its writer to `body`, and ends the stream.
  func withWriter<Result>(
    _ environment: ToolEnvironment, _ body: (DropStreamWriter) async throws -> Result
  ) async throws -> Result {
    let output = try await endpoint.output(
      environment, replacing: replacesFile, durable: isDurable, idleTimeout: transfer.idleTimeout)
    return try await DropStream.withWriter(to: output, options: transfer.stream, body)
  }

  /// Writes items to the stream.
  ///
  /// - Returns: The failure of content that could not be loaded; `nil` if all content was loaded. The receiver gets the
  ///   failure and the other content.
  /// - Throws: Errors of the stream, which cannot be used after an error.
  func write(_ items: [ItemProvider], to writer: DropStreamWriter) async throws -> ToolFailure? {
    let failures = LoadFailures()
    var hasSentSome = false
    for item in items {
      let missing = try await writer.writeAvailable(item)
      for failure in missing { failures.add(failure) }
      // An alias has no content of its own.
      let contentCount = item.representations(visibleTo: .all).count { $0.aliasedType == nil }
      hasSentSome = hasSentSome || missing.count < contentCount
    }
    // Otherwise the receiver would get the end of these items only with the next drop.
    try await writer.flush()
    return failures.failure(hasSentSome: hasSentSome)
  }

  /// Offers items in a new session, and waits until the receiver has finished with them.
  ///
  /// - Throws: The receiver's refusal; `cancelledByPeer` if the receiver has kept nothing; errors of the session. If
  ///   some content failed to load, throws `partial`, or its failure if no item was kept.
  func offer(_ items: [ItemProvider], _ environment: ToolEnvironment) async throws {
    let sender = SessionSender(
      context: OfferContext(environment, endpoint, idleTimeout: transfer.idleTimeout), endpoint: endpoint,
      takerCount: 1, transfer: transfer)
    guard try await sender.send(items.map { OfferedItems.Item(provider: $0) }) else {
      throw ToolFailure(.cancelledByPeer, "the receiver has kept nothing")
    }
  }
}
