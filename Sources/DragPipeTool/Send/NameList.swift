// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropTransport
internal import FoundationEssentials
internal import ItemTransfer

/// A list of files' names, which another program has written.
struct NameList: Sendable {
  /// The most bytes of one.
  private static let maximumByteCount = 64 << 20

  let path: String
  private let endsWithZero: Bool
  private let isURIs: Bool

  init?(_ arguments: ParsedArguments) throws(ToolFailure) {
    (endsWithZero, isURIs) = (arguments.has("null"), arguments.has("uris"))
    guard let path = try arguments.value("from-list") else {
      if endsWithZero || isURIs { throw ToolFailure(.usage, "--null and --uris say how --from-list reads") }
      return nil
    }
    if endsWithZero, isURIs { throw ToolFailure(.usage, "--null and --uris exclude each other") }
    self.path = path
  }

  func names(_ context: OfferContext) async throws -> [String] {
    let source = try context.chunks(of: path)
    var data = Data()
    while let chunk = try await source.next() {
      data += chunk
      guard data.count <= Self.maximumByteCount else {
        throw ToolFailure(.refused, "\(path.shownAsOperand) has more than \(Self.maximumByteCount) bytes of names")
      }
    }
    let end = endsWithZero ? UInt8(0) : UInt8(ascii: "\n")
    var names: [String] = []
    for (number, line) in data.split(separator: end, omittingEmptySubsequences: false).enumerated() where !line.isEmpty
    {
      guard let text = String(validating: line, as: UTF8.self) else {
        if isURIs { throw ToolFailure(.malformed, "\(path.shownAsOperand): name \(number + 1) is not UTF-8") }
        names.append(UndecodableName.marking(line))
        continue
      }
      guard !text.utf8.contains(0) else {
        throw ToolFailure(.malformed, "\(path.shownAsOperand): name \(number + 1) has a zero byte; see --null")
      }
      guard let name = isURIs ? try name(ofURI: text, number + 1) : text else { continue }
      // Elsewhere it would stand for standard input.
      names.append(name == "-" ? "./-" : name)
    }
    return names
  }

  /// As in RFC 2483: lines end with CR LF or LF, and those that begin with # say nothing.
  private func name(ofURI line: String, _ number: Int) throws(ToolFailure) -> String? {
    let uri = line.utf8.last == UInt8(ascii: "\r") ? String(line.dropLast()) : line
    if uri.isEmpty || uri.hasPrefix("#") { return nil }
    guard let url = URL(string: uri), url.isFileURL, ["", "localhost"].contains(url.host() ?? "") else {
      throw ToolFailure(.malformed, "\(path.shownAsOperand): line \(number) is no file: URI of this machine")
    }
    let name = url.path(percentEncoded: false)
    guard !name.isEmpty, !name.utf8.contains(0) else {
      throw ToolFailure(.malformed, "\(path.shownAsOperand): line \(number) names no file")
    }
    return name
  }
}
