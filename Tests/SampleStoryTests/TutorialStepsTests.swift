// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// The article with the steps of the tutorials.
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct TutorialStepsTests {
  /// The cells of the table's rows, except the titles of tutorials.
  private static func steps() throws -> [[String]] {
    let article = repository.appending(path: "Sources/DropScenes/DropScenes.docc/TutorialSteps.md")
    let lines = try String(contentsOf: article, encoding: .utf8).split(separator: "\n").filter { $0.hasPrefix("| ") }
    return lines.dropFirst().filter { !$0.hasPrefix("| **") }.map { line in
      line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
    }
  }

  @Test func eachStepNamesAStoryOfASample() throws {
    let directory = repository.appending(path: "Tests/SampleStoryTests")
    var tests: Set<Substring> = []
    for file in try FileManager.default.contentsOfDirectory(at: directory, includingPropertiesForKeys: nil)
    where file.pathExtension == "swift" {
      let text = try String(contentsOf: file, encoding: .utf8)
      tests.formUnion(text.matches(of: /func (\w+)\(/).map(\.output.1))
    }
    let steps = try Self.steps()
    #expect(steps.count == 76)
    for step in steps {
      try #require(step.count == 4, "\(step)")
      let name = step[3].trimmingCharacters(in: ["`"])
      // The expectation of a set would print the whole set.
      let exists = tests.contains(Substring(name))
      #expect(exists, "\(step[0]): \(name)")
    }
  }
}
