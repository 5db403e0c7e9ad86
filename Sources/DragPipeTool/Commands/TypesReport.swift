// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import ItemTransfer
internal import UniformTypes

/// What a subcommand of `types` says of one thing: an element of a JSON array, or text.
///
/// Both are made outside the cooperative pool: what a type is may have to be read from the system's database.
protocol TypesRecord: Encodable, Sendable {
  /// Whole lines, with everything from outside escaped; none where there is nothing to say.
  var text: String { get }
}

/// Writes records as they come: there may be more of them than fit in memory.
struct TypesReport {
  static let option = OptionSpecification(name: "json", short: "j", summary: "write one JSON array")

  /// Output gathers until there is so much of it, but for a terminal.
  private static let bufferLength = 32 << 10

  private let isJSON: Bool
  private let separator: String
  private let environment: ToolEnvironment
  private let json = JSONOutput()
  private var pending = ""
  private var isEmpty = true

  /// - Parameters:
  ///   - isJSON: Whether to write one JSON array, a line for each element, rather than text.
  ///   - separator: What stands between two records of text.
  ///   - environment: Where to write.
  init(isJSON: Bool, separator: String = "", to environment: ToolEnvironment) {
    self.isJSON = isJSON
    self.separator = separator
    self.environment = environment
  }

  mutating func add(_ record: some TypesRecord) async throws {
    let piece = try await runBlocking { [isJSON, json] in
      isJSON ? try json.text(record) : record.text
    }
    guard !piece.isEmpty else { return }
    pending += isJSON ? (isEmpty ? "[\n" : ",\n") + piece : (isEmpty ? "" : separator) + piece
    isEmpty = false
    if pending.utf8.count >= Self.bufferLength || environment.outputIsTerminal { try await flush() }
  }

  /// Ends the array.
  ///
  /// - Parameter usesDatabase: Whether the records depend on the system's MIME database. If so, the files of it that
  ///   were not read are reported on standard error.
  /// - Throws: What stops the output.
  mutating func end(usesDatabase: Bool = true) async throws {
    if isJSON { pending += isEmpty ? "[]\n" : "\n]\n" }
    try await flush()
    // Asking for the remarks loads the database.
    guard usesDatabase else { return }
    for remark in try await runBlocking({ UTType.databaseRemarks }) { environment.note(remark) }
  }

  private mutating func flush() async throws {
    guard !pending.isEmpty else { return }
    try await environment.write(pending)
    pending = ""
  }
}
