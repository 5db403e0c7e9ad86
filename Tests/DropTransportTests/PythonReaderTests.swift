// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing
import UniformTypes

@testable import DropTransport
@testable import ItemTransfer

/// This package's output, read by an independent reader that was written in Python from the format article alone.
@Suite(.serialized, .limited, .peers("python3"), .timeLimit(minutes: 5)) struct PythonReaderTests {
  private struct Report: Decodable {
    struct Item: Decodable {
      struct Representation: Decodable {
        struct Failure: Decodable {
          var kind: String
          var reason: String
        }

        var type: String
        var size: Int?
        var crc32: UInt32?
        var alias: Int?
        var failure: Failure?
      }

      var name: String?
      var representations: [Representation]
    }

    var items: [Item]
    var hasIndex: Bool
    var hasNames: Bool
  }

  let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
  }

  static let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()

  /// Runs the script on bytes.
  func run(on bytes: some Sequence<UInt8>) async throws -> ProgramRun {
    try await run([try directory.write(Data(bytes), to: "input").path])
  }

  func run(_ arguments: [String]) async throws -> ProgramRun {
    try await ProgramRun(
      "python3", [Self.tests.appendingPathComponent("Interoperability/drop_reader.py").path] + arguments)
  }

  private func report(_ path: String) async throws -> Report {
    let run = try await run([path])
    #expect(run.exitCode == 0, "\(run.errors)")
    return try JSONDecoder().decode(Report.self, from: Data(run.output.utf8))
  }

  @Test(arguments: ["one-way-1.0.drop", "file-1.0.drop", "sparse-1.0.drop"])
  func pythonReaderReadsTheGoldenFiles(name: String) async throws {
    let path = Self.tests.appendingPathComponent("DropTransportTests/Golden/\(name)").path
    let report = try await report(path)
    #expect(report.hasIndex == (name == "file-1.0.drop"))
    var items: [ItemProvider] = []
    try await DropStream.withReader(from: .file(path)) { for try await item in $0 { items.append(item) } }
    try await expect(report.items, items)
    var reasons: [[String?]] = []
    try await DropStream.withInspector(from: .file(path)) {
      for try await item in $0 { reasons.append(item.representations.map(\.failure?.reason)) }
    }
    #expect(report.items.map { $0.representations.map(\.failure?.reason) } == reasons)
  }

  /// Compares the script's results with the items, byte for byte.
  private func expect(_ theirs: [Report.Item], _ ours: [ItemProvider]) async throws {
    #expect(theirs.map(\.name) == ours.map(\.suggestedName))
    for (theirs, ours) in zip(theirs, ours) {
      #expect(theirs.representations.map(\.type) == ours.contentTypes.map(\.identifier))
      #expect(theirs.representations.map { $0.alias != nil } == ours.representations.map { $0.aliasedType != nil })
      for (theirs, ours) in zip(theirs.representations, ours.representations) {
        let data = try? await ours.data(progress: ItemProgress())
        #expect((theirs.failure == nil) == (data != nil), "\(ours.contentType)")
        #expect(theirs.size == data?.count, "\(ours.contentType)")
        #expect(theirs.crc32 == data.map { $0.withUnsafeBytes { CRC32.check($0) } }, "\(ours.contentType)")
      }
    }
  }

  @Test func pythonReaderReadsNewFilesAndRejectsChangedFiles() async throws {
    var seeds = SeededGenerator.announced("drops for Python")
    for number in 0..<4 {
      let drop = RandomDrop(seed: seeds.next())
      let path = directory.file("\(number).drop").path
      try await DropStream.withWriter(to: .file(path)) { writer in
        for provider in drop.providers { _ = try await writer.writeAvailable(provider) }
      }
      let report = try await report(path)
      #expect(report.hasIndex)
      try await expect(report.items, drop.providers)
      var damaged = try Data(contentsOf: URL(fileURLWithPath: path))
      damaged[Int(seeds.next() % UInt64(damaged.count))] ^= 0x10
      #expect(try await run(on: damaged).exitCode == 1)
    }
  }

  @Test(arguments: [64, 65]) func pythonReaderReadsTheIndexNames(itemCount: Int) async throws {
    let path = directory.file("names.drop").path
    let items = (0..<itemCount).map { ItemProvider([1], name: $0 % 5 == 4 ? nil : "item \($0 % 60) é") }
    try await DropStream.withWriter(to: .file(path)) { writer in for item in items { try await writer.write(item) } }
    let report = try await report(path)
    #expect(report.hasNames == (itemCount > 64))
    try await expect(report.items, items)
  }

  @Test func pythonReaderAcceptsTheSameFieldsAsTheParser() async throws {
    let later = StreamBuilder.field(0x90, [9, 9])
    let critical = StreamBuilder.field(0x10, [9, 9])
    let sized = StreamBuilder.fields(["public.png"], byteCount: 2)
    let type = StreamBuilder.fields(["public.png"])
    for (offer, end, isSound) in [
      (type, later, true), (type, critical, false), (type, [1], false),
      (sized + StreamBuilder.alias("public.image", of: 0), [], true),
      (sized + StreamBuilder.alias("public.image", of: 0, byteCount: 2), [], true),
      (sized + StreamBuilder.alias("public.image", of: 0, byteCount: 3), [], false),
      (type + StreamBuilder.alias("public.image", of: 0, byteCount: 2), [], false),
      (type + StreamBuilder.alias("public.image", of: 1), [], false),
    ] as [([UInt8], [UInt8], Bool)] {
      let count: UInt32 = offer == type ? 1 : 2
      for isOfItem in [false, true] {
        let bytes = StreamBuilder.stream { stream in
          stream.offer(offer)
          stream.chunk([1, 2])
          stream.frame(
            FrameType.endOfRepresentation.rawValue, payload: [UInt8](littleEndian: UInt64(2)) + (isOfItem ? [] : end))
          stream.frame(FrameType.endOfItem.rawValue, payload: [UInt8](littleEndian: count) + (isOfItem ? end : []))
          stream.counts.representations = UInt64(count)
          stream.counts.items = 1
        }
        #expect((outcome(of: bytes).code == nil) == isSound)
        let run = try await run(on: bytes)
        #expect(run.exitCode == (isSound ? 0 : 1) && run.errorLines.count == (isSound ? 0 : 1), "\(run.errors)")
      }
    }
  }

  @Test func pythonReaderReportsAWrongCallInOneLine() async throws {
    let missing = directory.file("missing").path
    for (arguments, status, word) in [([], 64, "usage"), (["a", "b"], 64, "usage"), ([missing], 66, "No such file")]
      as [([String], Int32, String)]
    {
      let run = try await run(arguments)
      #expect(run.exitCode == status && run.errors.contains(word) && run.errorLines.count == 1, "\(run.errors)")
    }
  }
}

/// The CRC of Python's `zlib` module.
enum CRC32 {
  private static let table = (UInt32(0)..<256).map { byte in
    (0..<8).reduce(byte) { crc, _ in crc & 1 == 0 ? crc >> 1 : crc >> 1 ^ 0xEDB8_8320 }
  }

  static func check(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
    ~bytes.reduce(.max) { crc, byte in crc >> 8 ^ table[Int(UInt8(truncatingIfNeeded: crc) ^ byte)] }
  }
}
