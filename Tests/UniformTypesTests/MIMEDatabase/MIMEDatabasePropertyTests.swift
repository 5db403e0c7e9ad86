// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import UniformTypes

/// Random database files.
///
/// No content may trap or take long.
@Suite(.serialized, .limited, .timeLimit(.minutes(10))) struct MIMEDatabasePropertyTests {
  private func seed() -> UInt64 {
    let seed = UInt64.random(in: 0...UInt64.max)
    print("MIMEDatabasePropertyTests: seed \(seed)")
    return seed
  }

  /// Calls functions of a database with random arguments and with its types.
  private func exercise(_ database: MIMEDatabase, _ numbers: inout SeededGenerator) {
    #expect(database.magicExtent <= MIMEDatabase.maximumMagicExtent)
    let content = (0..<512).map { _ in UInt8.random(in: 0...255, using: &numbers) }
    let name = String(decoding: content.prefix(20), as: UTF8.self) + ".tar.gz"
    _ = database.type(ofName: name, bytes: content)
    _ = database.sniff(content)
    for type in database.allTypes.shuffled(using: &numbers).prefix(20) {
      #expect(database.isKnown(type))
      #expect(database.canonicalType(of: type) == type)
      #expect(database.isSubtype(type, of: type))
      for parent in database.parents(of: type) { #expect(database.isSubtype(type, of: parent)) }
      for each in database.filenameExtensions(of: type) { _ = database.types(withFilenameExtension: each) }
    }
  }

  @Test func randomMagicFilesDoNotTrap() throws {
    var numbers = SeededGenerator(seed: seed())
    let alphabet = Array("[50:a/x]\n>0123456789=&~+\0\u{1}\u{2}ab".utf8)
    for _ in 0..<300 {
      var bytes = Array("MIME-Magic\0\n[50:a/x]\n".utf8)
      for _ in 0..<Int.random(in: 0...400, using: &numbers) {
        bytes.append(alphabet.randomElement(using: &numbers) ?? 0)
      }
      var reader = MIMEMagicReader()
      reader.read(bytes)
      let table = reader.table()
      let hit = table.firstMatch(in: bytes.span)
      #expect(hit == nil || hit?.type.contains("/") == true)
      #expect(table.extent <= MIMEMagicTable.maximumExtent)
    }
  }

  @Test func randomGlobsMatchLikeARecursiveMatcher() {
    var numbers = SeededGenerator(seed: seed())
    func random(_ alphabet: String, _ count: Int) -> [UInt8] {
      (0..<count).map { _ in Array(alphabet.utf8).randomElement(using: &numbers) ?? 0 }
    }
    func matches(_ pattern: ArraySlice<UInt8>, _ name: ArraySlice<UInt8>) -> Bool {
      guard let first = pattern.first else { return name.isEmpty }
      if first == UInt8(ascii: "*") {
        return matches(pattern.dropFirst(), name) || (!name.isEmpty && matches(pattern, name.dropFirst()))
      }
      guard let byte = name.first, first == UInt8(ascii: "?") || first == byte else { return false }
      return matches(pattern.dropFirst(), name.dropFirst())
    }
    for _ in 0..<3000 {
      let pattern = random("ab*?", Int.random(in: 1...7, using: &numbers))
      let name = random("ab", Int.random(in: 0...8, using: &numbers))
      let found = MIMEGlobPattern(pattern.span, ignoresCase: false).map { $0.matches(name.span) }
      #expect(found == matches(pattern[...], name[...]), "\(pattern) \(name)")
    }
  }

  @Test(.enabled(if: hasSystemDirectory))
  func mutatedSystemFilesDoNotTrap() throws {
    var numbers = SeededGenerator(seed: seed())
    let originals = MIMEDatabase.fileNames.compactMap { name in
      (try? MIMEDatabase.contents(of: "\(systemDirectory)/\(name)")?.get()).map { (name, $0) }
    }
    for _ in 0..<4 {
      let fixture = try MIMEFixture()
      for (name, original) in originals {
        var bytes = original
        for _ in 0..<200 where !bytes.isEmpty {
          let index = Int.random(in: 0..<bytes.count, using: &numbers)
          switch Int.random(in: 0..<4, using: &numbers) {
          case 0: bytes[index] = UInt8.random(in: 0...255, using: &numbers)
          case 1: bytes.remove(at: index)
          case 2: bytes.insert(UInt8.random(in: 0...255, using: &numbers), at: index)
          default: bytes.swapAt(index, Int.random(in: 0..<bytes.count, using: &numbers))
          }
        }
        try fixture.write(name, bytes)
      }
      exercise(fixture.database(), &numbers)
    }
  }

  @Test(.enabled(if: hasSystemDirectory))
  func readsTheSystemDatabase() {
    var numbers = SeededGenerator(seed: seed())
    let database = MIMEDatabase(directories: [systemDirectory])
    #expect(database.allTypes.count > 500)
    #expect(database.types(withFilenameExtension: "png").first == "image/png")
    #expect(database.filenameExtensions(of: "image/jpeg").first == "jpg")
    #expect(database.type(ofName: "a.tar.gz") == "application/x-compressed-tar")
    #expect(database.isSubtype("image/svg+xml", of: "text/plain"))
    #expect(database.documentedExtensions(of: "image/png") == ["png"])
    #expect(
      database.sniff([0x89] + Array("PNG\r\n".utf8) + [0x1A, 0x0A]) == .init(type: "image/png", evidence: .content))
    exercise(database, &numbers)
  }
}

private let systemDirectory = "/usr/share/mime"
private let hasSystemDirectory = FileManager.default.fileExists(atPath: "\(systemDirectory)/globs2")
