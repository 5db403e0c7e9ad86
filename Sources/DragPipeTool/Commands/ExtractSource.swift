// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import DropTransport
internal import ItemTransfer

/// An open stream with an index, and the item in it that the operand ITEM selects.
struct ExtractSource {
  /// The maximum number of items that an error message names.
  private static let namedCount = 8

  let drop: DropFile
  /// The index of the item in ``drop``, from 0.
  let index: Int
  /// The number of the item in the original file, from 1, as messages show it.
  let number: Int

  /// Opens a file and finds an item.
  ///
  /// A stream that was redirected to a file has no index. In that case the item is copied to a private file with an
  /// index.
  ///
  /// - Parameters:
  ///   - word: The number of an item, from 1, or the name of an item.
  ///   - file: The path of the file, or the address of a web object.
  ///   - options: The limits and the idle timeout.
  ///   - readsAll: Whether a web object is read in order, as for a server without ranges.
  /// - Throws: `noAcceptableType` if no item matches, with the item count and the first names, or if several items have
  ///   the name; read errors of the file.
  init(item word: String, of file: String, _ options: DropStreamOptions, readsAll: Bool = false) async throws {
    let wanted = Wanted(word)
    guard let drop = try await readsAll ? nil : Self.opened(file, options) else {
      (self.drop, number) = try await Self.copy(wanted, of: file, options)
      index = 0
      return
    }
    self.drop = drop
    if let number = wanted.number, number <= drop.itemCount {
      (index, self.number) = (number - 1, number)
      return
    }
    let found = try await drop.items(named: word, limit: 2)
    guard let first = found.first else {
      var names: [String?] = []
      for index in 0..<min(drop.itemCount, Self.namedCount) {
        names.append(try await drop.item(at: index).suggestedName)
      }
      throw wanted.missing(in: file, count: drop.itemCount, names: names)
    }
    if found.count > 1 { throw wanted.ambiguous(found[0] + 1, found[1] + 1) }
    (index, number) = (first, first + 1)
  }

  /// Opens a file or a web object with an index.
  ///
  /// - Returns: The opened file or object, or `nil` for a file without an index.
  /// - Throws: `malformed` for a truncated file, and for a web object without an index; other errors of opening.
  static func opened(_ file: String, _ options: DropStreamOptions) async throws -> DropFile? {
    if HTTPObject.isAddress(file) {
      return try await opened(HTTPObject(file, idleTimeout: options.idleTimeout), options.limits)
    }
    do throws(DropStreamError) {
      return try await DropFile(path: file, limits: options.limits)
    } catch {
      switch error.code {
      case .noIndex: return nil
      case .truncated: throw ToolFailure(.malformed, "\(error); dragpipe inspect shows its intact part")
      default: throw error
      }
    }
  }

  /// Opens a web object by ranges.
  private static func opened(_ object: HTTPObject, _ limits: DropStreamLimits) async throws -> DropFile {
    do throws(DropStreamError) {
      return try await DropFile(source: object, name: object.name, limits: limits)
    } catch {
      guard error.code == .noIndex || error.code == .unsupported else { throw error }
      throw ToolFailure(
        error.code == .noIndex ? .malformed : .unsupported, "\(error.reason); --whole reads it in order")
    }
  }

  /// Copies the wanted item from a stream without an index.
  ///
  /// For a number, only the stream up to that item is read. For a name, the complete stream is read, since two items
  /// may have the same name.
  private static func copy(
    _ wanted: Wanted, of file: String, _ options: DropStreamOptions
  ) async throws -> (DropFile, Int) {
    try await HTTPObject.withStream(at: file, idleTimeout: options.idleTimeout) { endpoint in
      try await DropStream.withReader(from: endpoint, options: options) {
        try await copy(wanted, from: $0, of: file)
      }
    }
  }

  private static func copy(
    _ wanted: Wanted, from items: DropStreamReader, of file: String
  ) async throws -> (DropFile, Int) {
    var count = 0
    var named: ItemProvider?
    var number = 0
    var names: [String?] = []
    for try await item in items {
      count += 1
      if count <= namedCount { names.append(item.suggestedName) }
      if count == wanted.number { return (try await copy(item), count) }
      guard item.suggestedName == wanted.word else { continue }
      if named != nil { throw wanted.ambiguous(number, count) }
      named = item
      number = count
    }
    guard let named else { throw wanted.missing(in: file, count: count, names: names) }
    return (try await copy(named), number)
  }

  /// Copies the item to a new file, which is then open but already removed from its directory.
  private static func copy(_ item: ItemProvider) async throws -> DropFile {
    try await PrivateDirectory.with { directory in
      let copy = directory.path + "/item.drop"
      // Skips representations that the source failed to load: a request for one of them fails later.
      _ = try await DropStream.withWriter(to: .file(copy)) { try await $0.writeAvailable(item) }
      return try await DropFile(path: copy)
    }
  }

  /// The operand ITEM: a number or a name.
  private struct Wanted {
    let word: String
    let number: Int?

    init(_ word: String) {
      self.word = word
      let isNumber = word.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
      number = isNumber ? Int(word).flatMap { $0 > 0 ? $0 : nil } : nil
    }

    /// Returns the error for a missing item, with the item count and the first names.
    func missing(in file: String, count: Int, names: [String?]) -> ToolFailure {
      var shown: [String] = []
      for (index, name) in names.enumerated() {
        if let name { shown.append("\(index + 1) \"\(name.escapedForDisplay(limit: 40))\"") }
      }
      let rest = count > names.count ? ", …" : ""
      let list = shown.isEmpty ? "" : " (\(shown.joined(separator: ", "))\(rest))"
      let sentence = "\(file.escapedForDisplay()) has \(ToolHelp.count(count, "item"))\(list)"
      return ToolFailure(
        .noAcceptableType, "no item \(word.escapedForDisplay()): \(sentence); dragpipe inspect shows them")
    }

    func ambiguous(_ first: Int, _ second: Int) -> ToolFailure {
      ToolFailure(
        .noAcceptableType,
        "items \(first) and \(second) both have the name \(word.escapedForDisplay()); use the number of one of them")
    }
  }
}

extension DropStreamOptions {
  /// Returns the options of commands that keep no list of the items.
  static func unlimitedItems(_ arguments: ParsedArguments) throws(ToolFailure) -> DropStreamOptions {
    var options = DropStreamOptions()
    options.limits.items = .max
    options.idleTimeout = try TransferOptions.idleTimeout(arguments)
    return options
  }
}
