// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropTransport
internal import UniformTypes

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// Shows what a drop stream holds, and whether it is whole.
struct InspectCommand: ToolCommand {
  static let name = "inspect"
  static let summary = "Lists what a drop stream holds, and verifies it."
  static let forms = ["[--json] [FILE|-]"]
  static let options = [OptionSpecification(name: "json", summary: "write one JSON document")]
  static let notes = ""

  private let file: String?
  private let isJSON: Bool

  init(_ arguments: ParsedArguments) throws(ToolFailure) {
    guard arguments.operands.count <= 1 else { throw ToolFailure(.usage, "inspect takes one stream") }
    file = arguments.operands.first.flatMap { $0 == "-" ? nil : $0 }
    isJSON = arguments.has("json")
  }

  func run(in environment: ToolEnvironment) async throws {
    guard file != nil || !environment.inputIsTerminal else {
      throw ToolFailure(.usage, "standard input is a terminal; name a file, or pipe a stream in")
    }
    let endpoint = if let file { DropEndpoint.file(file) } else { try environment.inputEndpoint() }
    var report = InspectionReport()
    do {
      try await DropStream.withInspector(from: endpoint) { items in
        for try await item in items {
          report.add(item)
          if !isJSON { try environment.write(report.lines(of: item)) }
        }
      }
      report.verified = true
    } catch let error as DropStreamError {
      report.error = error.description
      if isJSON { try environment.write(report.json()) }
      throw error
    }
    try environment.write(isJSON ? report.json() : report.summary)
  }
}

/// What `inspect` has found, in the form of its JSON document.
struct InspectionReport: Encodable {
  struct Representation: Encodable {
    var type: String
    var bytes: UInt64
    var crc32c: String
  }

  struct Item: Encodable {
    var name: String?
    var representations: [Representation]
  }

  var items: [Item] = []
  var verified = false
  var error: String?

  mutating func add(_ item: DropItemDescription) {
    let representations = item.representations.map {
      Representation(type: $0.contentType.identifier, bytes: $0.byteCount, crc32c: Self.hex($0.crc32c))
    }
    items.append(Item(name: item.suggestedName, representations: representations))
  }

  /// The item that was added last, for people.
  func lines(of item: DropItemDescription) -> String {
    let name = item.suggestedName.map { "\"\($0.escapedForDisplay())\"" } ?? "(no name)"
    let representations = item.representations.map { representation in
      let type = representation.contentType.identifier.escapedForDisplay()
      return "     \(type)  \(representation.byteCount) bytes  crc32c \(Self.hex(representation.crc32c))\n"
    }
    return "\(items.count)  \(name)\n" + representations.joined()
  }

  var summary: String {
    let representations = items.reduce(0) { $0 + $1.representations.count }
    let bytes = items.reduce(0) { $0 + $1.representations.reduce(0) { $0 + $1.bytes } }
    return "whole and verified: \(items.count) items, \(representations) representations, \(bytes) bytes\n"
  }

  func json() throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(self), as: UTF8.self) + "\n"
  }

  private static func hex(_ value: UInt32) -> String {
    let digits = String(value, radix: 16)
    return String(repeating: "0", count: 8 - digits.count) + digits
  }
}
