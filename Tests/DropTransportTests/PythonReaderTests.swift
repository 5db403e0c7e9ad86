// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import ItemTransfer
import TestSupport
import Testing
import UniformTypes

@testable import DropTransport

private let isPythonThere = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
  .contains { FileManager.default.isExecutableFile(atPath: $0 + "/python3") }

/// A reader that was written from the article about the format alone, in another language, reads what we write.
@Suite(.enabled(if: isPythonThere, "python3 is not there"))
struct PythonReaderTests {
  private struct Report: Decodable {
    struct Item: Decodable {
      struct Representation: Decodable {
        struct Failure: Decodable {
          var kind: String
          var reason: String
        }

        var type: String
        var size: Int?
        var alias: Int?
        var failure: Failure?
      }

      var name: String?
      var representations: [Representation]
    }

    var items: [Item]
    var hasIndex: Bool
  }

  private static let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()

  /// What the script prints of a file, and how it ends.
  private func run(_ path: String) throws -> (output: Data, status: Int32) {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [
      "python3", Self.tests.appendingPathComponent("Interoperability/drop_reader.py").path, path,
    ]
    let output = Pipe()
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (data, process.terminationStatus)
  }

  private func report(_ path: String) throws -> Report {
    let (output, status) = try run(path)
    #expect(status == 0)
    return try JSONDecoder().decode(Report.self, from: output)
  }

  @Test("it reads the golden files", arguments: ["one-way-1.0.drop", "file-1.0.drop"])
  func golden(name: String) async throws {
    let path = Self.tests.appendingPathComponent("DropTransportTests/Golden/\(name)").path
    let report = try report(path)
    #expect(report.hasIndex == (name == "file-1.0.drop"))
    var items: [DropItemDescription] = []
    try await DropStream.withInspector(from: .file(path)) { for try await item in $0 { items.append(item) } }
    #expect(report.items.map(\.name) == items.map(\.suggestedName))
    for (theirs, ours) in zip(report.items, items) { expect(theirs, ours) }
  }

  private func expect(_ theirs: Report.Item, _ ours: DropItemDescription) {
    #expect(theirs.representations.map(\.type) == ours.representations.map(\.contentType.identifier))
    #expect(theirs.representations.map { ($0.alias != nil) } == ours.representations.map(\.isAlias))
    #expect(theirs.representations.map(\.failure?.reason) == ours.representations.map(\.failure?.reason))
    #expect(
      theirs.representations.map { $0.size.map(UInt64.init) }
        == ours.representations.map { $0.failure == nil ? $0.byteCount : nil })
  }

  @Test("it reads streams and files made on the spot, and refuses them when a byte is changed")
  func random() async throws {
    var seeds = SeededGenerator.announced("drops for Python")
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    for number in 0..<4 {
      let drop = RandomDrop(seed: seeds.next())
      let path = directory.file("\(number).drop").path
      try await DropStream.withWriter(to: .file(path)) { writer in
        for provider in drop.providers { _ = try await writer.writeAvailable(provider) }
      }
      let report = try report(path)
      #expect(report.hasIndex)
      #expect(report.items.map(\.name) == drop.items.map(\.name))
      var damaged = try Data(contentsOf: URL(fileURLWithPath: path))
      damaged[Int(seeds.next() % UInt64(damaged.count))] ^= 0x10
      let broken = try directory.write(damaged, to: "broken.drop")
      #expect(try run(broken.path).status == 1)
    }
  }
}
