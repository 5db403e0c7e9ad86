// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DragPipe
import Foundation
import TestSupport
import Testing

extension UTType {
  fileprivate static let recipe = UTType(exportedAs: "org.example.recipe", conformingTo: .json)
}

private struct Recipe: Codable, Transferable {
  var title: String

  static var transferRepresentation: some TransferRepresentation {
    CodableRepresentation(contentType: .recipe)
    DataRepresentation(exportedContentType: .utf8PlainText) { Data($0.title.utf8) }
  }
}

@Suite("The README's example", .serialized, .limited)
struct ReadmeExampleTests {
  @Test("compiles as it stands, with no import but the umbrella, and the recipe arrives")
  func recipe() async throws {
    var ends: [CInt] = [-1, -1]
    try #require(pipe(&ends) == 0)
    let (reading, writing) = (DropEndpoint.descriptor(ends[0]), DropEndpoint.descriptor(ends[1]))

    try await DropStream.withWriter(to: writing) { stream in
      try await stream.write(ItemProvider(Recipe(title: "Ambrosia")))
    }
    try await DropStream.withReader(from: reading) { items in
      var titles: [String] = []
      for try await item in items where item.hasRepresentation(conformingTo: .recipe) {
        titles.append(try await item.value(as: Recipe.self).title)
        #expect(item.contentTypes == [.recipe, .utf8PlainText])
      }
      #expect(titles == ["Ambrosia"])
    }
  }

  @Test("so does the one of a session")
  func session() async throws {
    let path = "/tmp/dragpipe-\(UUID().uuidString.prefix(8))"
    let titles = try await DropStream.withListener(at: .unixSocket(path)) { listener in
      let serving = Task {
        try await listener.serve { session in
          let receipt = try await session.offer([ItemProvider(Recipe(title: "Ambrosia"))], allowing: [.copy, .move])
          #expect(receipt.action == .copy)
        }
      }
      var titles: [String] = []
      try await DropStream.withSession(over: .unixSocket(path)) { session in
        for try await drop in session.drops {
          titles.append(try await drop.items[0].value(as: Recipe.self).title)
          try await drop.finish(.copy)
        }
      }
      serving.cancel()
      _ = await serving.result
      return titles
    }
    #expect(titles == ["Ambrosia"])
  }

  private static func readme() throws -> String {
    let root = (0..<3).reduce(URL(fileURLWithPath: #filePath)) { url, _ in url.deletingLastPathComponent() }
    return try String(contentsOf: root.appendingPathComponent("README.md"), encoding: .utf8)
  }

  @Test func noProgramThrowsAtTopLevel() throws {
    let programs = try Self.readme().components(separatedBy: "```swift\n").dropFirst().map {
      $0.components(separatedBy: "```")[0].split(separator: "\n")
    }
    #expect(programs.count { $0.contains { $0.contains("try await DropStream.") } } == 3)
    for line in programs.joined() { #expect(!line.hasPrefix("try "), "\(line)") }
  }

  @Test("the Swift code in the README is this code")
  func sameCode() throws {
    let readme = try Self.readme()
    for line in [
      "static let recipe = UTType(exportedAs: \"org.example.recipe\", conformingTo: .json)",
      "CodableRepresentation(contentType: .recipe)",
      "DataRepresentation(exportedContentType: .utf8PlainText) { Data($0.title.utf8) }",
      "try await stream.write(ItemProvider(Recipe(title: \"Ambrosia\")))",
      "for try await item in items where item.hasRepresentation(conformingTo: .recipe) {",
      "let receipt = try await session.offer([ItemProvider(Recipe(title: \"Ambrosia\"))], allowing: [.copy, .move])",
      "try await DropStream.withSession(over: .unixSocket(named: \"recipes\")) { session in",
      "try await drop.items[0].value(as: Recipe.self).title",
    ] {
      #expect(readme.contains(line))
    }
  }
}
