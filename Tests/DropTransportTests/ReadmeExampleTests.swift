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

@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct ReadmeExampleTests {
  @Test func recipeCrossesAPipe() async throws {
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

  @Test func recipeCrossesASession() async throws {
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

  private static func text(of path: String) throws -> String {
    let root = (0..<3).reduce(URL(fileURLWithPath: #filePath)) { url, _ in url.deletingLastPathComponent() }
    return try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
  }

  /// Returns the Swift code blocks of a Markdown file.
  private static func programs(in path: String) throws -> [String] {
    try text(of: path).components(separatedBy: "```swift\n").dropFirst().map { $0.components(separatedBy: "```")[0] }
  }

  private static let article = "Sources/DragPipe/DragPipe.docc/GettingStarted.md"

  @Test func programsCatchErrorsAtTopLevel() throws {
    let programs = try Self.programs(in: "README.md") + Self.programs(in: Self.article)
    #expect(programs.count { $0.contains("try await DropStream.") } == 4)
    for line in programs.flatMap({ $0.split(separator: "\n") }) { #expect(!line.hasPrefix("try "), "\(line)") }
  }

  @Test func sampleRecipesEqualsTheExampleInTheReadme() throws {
    let programs = try Self.programs(in: "README.md")
    let lines = try Self.text(of: "Samples/Recipes/main.swift").components(separatedBy: "\n")
    let program = lines.drop(while: { line in line.hasPrefix("//") || line.isEmpty }).joined(separator: "\n")
    #expect(programs == [program])
  }

  @Test func gettingStartedShowsTheTestedCode() throws {
    let article = try Self.text(of: Self.article)
    for line in [
      "static let recipe = UTType(exportedAs: \"org.example.recipe\", conformingTo: .json)",
      "CodableRepresentation(contentType: .recipe)",
      "DataRepresentation(exportedContentType: .utf8PlainText) { Data($0.title.utf8) }",
      "try await stream.write(ItemProvider(Recipe(title: \"Ambrosia\")))",
      "let receipt = try await session.offer([ItemProvider(Recipe(title: \"Ambrosia\"))], allowing: [.copy, .move])",
      "try await DropStream.withSession(over: .unixSocket(named: \"recipes\")) { session in",
      "try await drop.items[0].value(as: Recipe.self).title",
    ] {
      #expect(article.contains(line), "\(line)")
    }
  }
}
