// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import UniformTypes

/// Invalid lists.
///
/// Each entry must be declared or refused, and no input may trap.
@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct CorruptPropertyListTests {
  private static let formats: [PropertyListDecoder.PropertyListFormat] = [.xml, .binary]

  /// Declares a list and checks the result.
  ///
  /// - Returns: The number of declared and of refused entries, or `nil` if the complete list was refused.
  @discardableResult
  private func declare(_ data: Data) -> (held: Int, refused: Int)? {
    let registry = TypeRegistry()
    guard let list = try? TypeDeclarationList(propertyList: data) else { return nil }
    let all = registry.declare(list)
    for refusal in all { #expect(!refusal.description.isEmpty) }
    for declaration in registry.declarations {
      #expect(!registry.identifiers(above: declaration.identifier).contains(declaration.identifier))
    }
    let refused = all.filter { !$0.isRemark }
    #expect(Set(refused.map { "\($0.keyPath.prefix { $0 != "]" })" }).count == refused.count)
    let count = list.declarations.count + list.refused.count { !$0.isRemark }
    return (count - refused.count, refused.count)
  }

  @Test(arguments: SampleList.allCases)
  func changedRemovedAndAddedBytesDoNotTrap(sample: SampleList) throws {
    var generator = SeededGenerator.announced("corrupt \(sample)")
    let sound = try Array(sample.data)
    for _ in 0..<300 {
      var bytes = sound
      for _ in 0..<Int.random(in: 1...4, using: &generator) {
        let start = Int.random(in: bytes.indices, using: &generator)
        let end = min(bytes.count, start + Int.random(in: 0...8, using: &generator))
        switch Int.random(in: 0..<5, using: &generator) {
        case 0: bytes[start] = .random(in: 0...255, using: &generator)
        case 1: bytes[start] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
        case 2: bytes.removeSubrange(start..<end)
        case 3: bytes.insert(contentsOf: bytes[start..<end], at: Int.random(in: bytes.indices, using: &generator))
        default: bytes.swapAt(start, Int.random(in: bytes.indices, using: &generator))
        }
        if bytes.isEmpty { bytes = sound }
      }
      declare(Data(bytes))
    }
  }

  @Test(arguments: SampleList.allCases)
  func truncatedListsAreRefused(sample: SampleList) throws {
    let sound = try sample.data
    // White space may follow the last tag of XML.
    let end = sound.lastIndex { $0 != 0x0A } ?? 0
    for count in stride(from: 0, to: end, by: max(1, end / 400)) { #expect(declare(sound.prefix(count)) == nil) }
    #expect(declare(sound.prefix(end + 1)) != nil)
  }

  @Test(arguments: formats)
  func unexpectedValueRefusesAtMostItsDeclaration(format: PropertyListDecoder.PropertyListFormat) throws {
    var generator = SeededGenerator.announced("any value")
    for _ in 0..<300 {
      let entries = (0..<3).map { _ in randomEntry(&generator) }
      let isExported = Bool.random(using: &generator)
      let first = ListValue.entry("org.example.first", ["UTTypeConformsTo": "public.data"])
      let last = ListValue.entry("org.example.last", ["UTTypeConformsTo": ["public.text"]])
      let all = [first] + entries + [last]
      let data = try ListValue.declarations(exported: isExported ? all : [], imported: isExported ? [] : all)
        .encoded(as: format)
      let list = try TypeDeclarationList(propertyList: data)
      #expect(list.declarations.first?.identifier == "org.example.first")
      #expect(list.declarations.last?.identifier == "org.example.last")
      #expect(list.declarations.count + list.refused.count { !$0.isRemark } == 5)
      let counts = try #require(declare(data))
      #expect(counts.held + counts.refused == 5)
    }
  }

  private func randomEntry(_ generator: inout SeededGenerator) -> ListValue {
    guard Int.random(in: 0..<8, using: &generator) > 0 else { return randomValue(&generator, depth: 0) }
    var entry: [String: ListValue] = [:]
    for key in [
      "UTTypeIdentifier", "UTTypeConformsTo", "UTTypeTagSpecification", "UTTypeDescription", "UTTypeReferenceURL",
      "UTTypeVersion", "UTTypeIconFiles", "Unknown",
    ] where Bool.random(using: &generator) {
      entry[key] = randomValue(&generator, depth: 0)
    }
    if Bool.random(using: &generator) { entry["UTTypeIdentifier"] = .string(randomText(&generator)) }
    return .dictionary(entry)
  }

  private func randomValue(_ generator: inout SeededGenerator, depth: Int) -> ListValue {
    switch Int.random(in: 0..<(depth < 3 ? 11 : 6), using: &generator) {
    case 0: .integer(.random(in: .min...(.max), using: &generator))
    case 1: .real([0, -1.5, 1e300, -.infinity, .nan].randomElement(using: &generator) ?? 0)
    case 2: .bool(.random(using: &generator))
    case 3: .date(Date(timeIntervalSinceReferenceDate: .random(in: -1e9...1e9, using: &generator)))
    case 4: .data(Data(repeating: 7, count: .random(in: 1...40, using: &generator)))
    case 5, 6: .string(randomText(&generator))
    case 7, 8:
      .array((0..<Int.random(in: 0...3, using: &generator)).map { _ in randomValue(&generator, depth: depth + 1) })
    default:
      .dictionary(
        Dictionary(
          (0..<Int.random(in: 0...3, using: &generator)).map { _ in
            (randomText(&generator), randomValue(&generator, depth: depth + 1))
          }
        ) { $1 })
    }
  }

  private func randomText(_ generator: inout SeededGenerator) -> String {
    let texts = [
      "", "a", "a.b", "public.data", "public.png", "org.example.first", ".saga", "a/b", "a b", "dyn.x",
      "\u{E9}.\u{1F9B8}",
      "$null", "public.filename-extension", "public.mime-type", "http://[", "1", "&<>", "\u{202E}", "UTTypeIdentifier",
    ]
    return texts.randomElement(using: &generator) ?? ""
  }
}
