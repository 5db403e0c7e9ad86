// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import Glibc
internal import ItemTransfer
package import UniformTypes

/// A namespace for verified transfers of items from one process to another.
///
/// ```
/// source: ItemProvider -> DropStreamWriter == frames ==> DropStreamReader -> ItemProvider :destination
/// ```
///
/// Each function opens its endpoint, and closes it before it returns or throws.
///
/// ```swift
/// // one process                                          // the other
/// try await DropStream.withWriter(to: .standardOutput) {  try await DropStream.withReader(from: .standardInput) {
///   try await $0.write(ItemProvider(hero))                  for try await item in $0 { print(item.contentTypes) }
/// }                                                       }
/// ```
public enum DropStream {
  /// Writes a stream.
  ///
  /// When `body` returns, the writer writes the end of the stream, which every reader requires. When `body` throws, or
  /// its task is cancelled before the end is written, the writer reports the failure to the reader if it still can.
  ///
  /// - Parameters:
  ///   - endpoint: The destination of the stream.
  ///   - options: Chunk length and idle timeout.
  ///   - isolation: The caller's isolation; omit it.
  ///   - body: Writes the items.
  /// - Returns: The result of `body`, after the complete stream has been written.
  /// - Throws: The error of `body`; `DropStreamError` if the endpoint cannot be opened or the end cannot be written, or
  ///   if the program of a ``DropEndpoint/process(_:)`` fails.
  public static func withWriter<Result>(
    to endpoint: DropEndpoint, options: DropStreamOptions = DropStreamOptions(),
    isolation: isolated (any Actor)? = #isolation, _ body: (DropStreamWriter) async throws -> Result
  ) async throws -> Result {
    let program = try await StreamProgram(endpoint, access: O_WRONLY, within: options.idleTimeout)
    let writer = try DropStreamWriter(endpoint: program.endpoint, options: options)
    let result: Result
    do {
      result = try await body(writer)
      try await writer.finish()
    } catch {
      await writer.fail(error)
      throw await program.fail(with: error)
    }
    try await program.succeed()
    return result
  }

  /// Reads a stream as item providers.
  ///
  /// - Parameters:
  ///   - endpoint: The source of the stream.
  ///   - options: Limits and idle timeout.
  ///   - isolation: The caller's isolation; omit it.
  ///   - body: Iterates over the items. The stream is verified when the loop ends without an error.
  /// - Returns: The result of `body`.
  /// - Throws: The error of `body`; `DropStreamError` if the endpoint cannot be opened, or if `body` fails because the
  ///   program that writes the stream has failed.
  public static func withReader<Result>(
    from endpoint: DropEndpoint, options: DropStreamOptions = DropStreamOptions(),
    isolation: isolated (any Actor)? = #isolation, _ body: (DropStreamReader) async throws -> Result
  ) async throws -> Result {
    let sink = ProviderSink(bytesInMemory: options.limits.bytesInMemory)
    return try await withItems(from: endpoint, options, sink) { try await body(DropStreamReader(items: $0)) }
  }

  /// Reads a stream without retaining its content.
  ///
  /// - Parameters:
  ///   - endpoint: The source of the stream.
  ///   - options: Limits and idle timeout.
  ///   - isolation: The caller's isolation; omit it.
  ///   - body: Iterates over the descriptions. The stream is verified when the loop ends without an error.
  /// - Returns: The result of `body`.
  /// - Throws: The error of `body`; `DropStreamError` if the endpoint cannot be opened, or if `body` fails because the
  ///   program that writes the stream has failed.
  public static func withInspector<Result>(
    from endpoint: DropEndpoint, options: DropStreamOptions = DropStreamOptions(),
    isolation: isolated (any Actor)? = #isolation, _ body: (DropStreamInspector) async throws -> Result
  ) async throws -> Result {
    try await withInspector(from: endpoint, options: options, keeping: nil, body)
  }

  /// Reads a stream, and retains only the first bytes of each representation.
  ///
  /// - Parameters:
  ///   - endpoint: The source of the stream.
  ///   - options: Limits and idle timeout.
  ///   - prefixLength: Returns the number of bytes to retain of a representation of a type.
  ///   - listsFolders: Whether to list the entries of folders, which are kept in memory for one item at a time.
  ///   - isolation: The caller's isolation; omit it.
  ///   - body: Iterates over the descriptions. The stream is verified when the loop ends without an error.
  /// - Returns: The result of `body`.
  /// - Throws: The error of `body`; `DropStreamError` if the endpoint cannot be opened, or if `body` fails because the
  ///   program that writes the stream has failed.
  package static func withInspector<Result>(
    from endpoint: DropEndpoint, options: DropStreamOptions = DropStreamOptions(),
    keeping prefixLength: (@Sendable (UTType) -> Int)?, listingFolders listsFolders: Bool = false,
    isolation: isolated (any Actor)? = #isolation,
    _ body: (DropStreamInspector) async throws -> Result
  ) async throws -> Result {
    let sink = MeterSink(prefixLength: prefixLength, listsFolders: listsFolders)
    return try await withItems(from: endpoint, options, sink) { try await body(DropStreamInspector(items: $0)) }
  }

  private static func withItems<Sink, Result>(
    from endpoint: DropEndpoint, _ options: DropStreamOptions, _ sink: sending Sink,
    isolation: isolated (any Actor)? = #isolation, _ body: (StreamReader<Sink>) async throws -> Result
  ) async throws -> Result {
    let program = try await StreamProgram(endpoint, access: O_RDONLY, within: options.idleTimeout)
    let reader = try StreamReader(program.endpoint, options, sink: sink)
    let result: Result
    do {
      result = try await body(reader)
    } catch {
      await reader.abandon()
      throw await program.fail(with: error)
    }
    await reader.abandon()
    // The stream itself shows whether it is complete. A program whose output was not read to the end may fail.
    await program.end()
    return result
  }
}
