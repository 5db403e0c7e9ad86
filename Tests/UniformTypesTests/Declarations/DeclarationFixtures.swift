// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation

@testable import UniformTypes

/// A property list to encode.
///
/// It may be a valid or an invalid list of declarations.
indirect enum ListValue: Encodable {
  case dictionary([String: ListValue])
  case array([ListValue])
  case string(String)
  case integer(Int64)
  case real(Double)
  case bool(Bool)
  case date(Date)
  case data(Data)

  func encode(to encoder: any Encoder) throws {
    // Without a container, the encoder does not preserve dates and data.
    var container = encoder.singleValueContainer()
    switch self {
    case .dictionary(let values): try container.encode(values)
    case .array(let values): try container.encode(values)
    case .string(let value): try container.encode(value)
    case .integer(let value): try container.encode(value)
    case .real(let value): try container.encode(value)
    case .bool(let value): try container.encode(value)
    case .date(let value): try container.encode(value)
    case .data(let value): try container.encode(value)
    }
  }

  /// A value of each kind, with the name of the kind in error messages.
  static let kinds: [(name: String, value: ListValue)] = [
    ("a dictionary", ["key": "value"]), ("an array", [.integer(1)]), ("a string", "text"), ("a number", .integer(1)),
    ("a number", .real(1.5)), ("a boolean", .bool(true)), ("a date", .date(Date(timeIntervalSinceReferenceDate: 0))),
    ("data", .data(Data([1, 2, 3]))),
  ]

  func encoded(as format: PropertyListDecoder.PropertyListFormat = .xml) throws -> Data {
    let encoder = PropertyListEncoder()
    encoder.outputFormat = format
    return try encoder.encode(self)
  }
}

extension ListValue: ExpressibleByStringLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral {
  init(stringLiteral value: String) {
    self = .string(value)
  }

  init(arrayLiteral elements: ListValue...) {
    self = .array(elements)
  }

  init(dictionaryLiteral elements: (String, ListValue)...) {
    self = .dictionary(Dictionary(elements) { $1 })
  }

  /// Returns a declaration with an identifier and further keys.
  static func entry(_ identifier: String, _ more: [String: ListValue] = [:]) -> ListValue {
    .dictionary(more.merging(["UTTypeIdentifier": .string(identifier)]) { old, _ in old })
  }

  static func declarations(exported: [ListValue] = [], imported: [ListValue] = []) -> ListValue {
    ["UTExportedTypeDeclarations": .array(exported), "UTImportedTypeDeclarations": .array(imported)]
  }
}

/// The property lists in `Samples/TypeDeclarations`.
enum SampleList: String, CaseIterable {
  case sagaEditor = "SagaEditor"
  case scrollReader = "ScrollReader"
  case libraryOfAlexandria = "LibraryOfAlexandria"
  case binaryLibraryOfAlexandria = "LibraryOfAlexandria-binary"
  case argoLogbook = "ArgoLogbook"
  case labyrinth = "Labyrinth"

  var data: Data {
    get throws {
      let root = URL(filePath: #filePath).appending(path: "../../../..").standardized
      return try Data(contentsOf: root.appending(path: "Samples/TypeDeclarations/\(rawValue).plist"))
    }
  }
}

extension RefusedDeclaration {
  /// The key path and the reason of a refusal, which most tests compare.
  var location: String { "\(keyPath): \(reason)" }
}

extension TypeRegistry {
  func identifiers(above identifier: String) -> Set<String> {
    guard let slot = find(identifier)?.slot else { return [] }
    return Set(ancestors(of: slot).map(\.identifier))
  }

  func claimants(ofExtension filenameExtension: String) -> [String] {
    claimants(of: filenameExtension, .filenameExtension).map(\.identifier)
  }
}

#if DEBUG
  /// The divisor for the sizes of lists.
  ///
  /// In unoptimized builds, a quadratic algorithm would still take minutes.
  let testSizeDivisor = 10
#else
  let testSizeDivisor = 1
#endif
