// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import ItemTransfer
import TestSupport
import Testing
import UniformTypes

@testable import DropTransport

/// The bytes of the format, compared with a golden file.
///
/// A change that breaks these tests breaks every existing stream.
///
/// To write the golden file again: `DRAGPIPE_WRITE_GOLDEN=1 swift test --filter FormatTests`.
@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct FormatTests {
  private static let golden = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("Golden/one-way-1.0.drop")

  private static let items = [
    ReceivedItem(
      "greeting.txt",
      ["public.utf8-plain-text": Array("Hail, Odysseus".utf8), "public.data": [0, 1, 2, 3, 4]]),
    ReceivedItem(nil, ["public.data": []]),
  ]

  /// Writes a stream with the public API, in chunks of four bytes.
  ///
  /// The size of one representation is promised.
  private func written() async throws -> [UInt8] {
    var options = DropStreamOptions()
    options.chunkLength = 4
    let pair = try DescriptorPair.pipe()
    async let bytes = readAll(pair.read)
    try await DropStream.withWriter(to: pair.writer, options: options) { writer in
      let greeting = ItemProvider(suggestedName: "greeting.txt")
      greeting.register(.utf8PlainText) { _ in Data("Hail, Odysseus".utf8) }
      greeting.register(.data, size: .exact(5)) { _ in Data([0, 1, 2, 3, 4]) }
      try await writer.write(greeting)
      let empty = ItemProvider()
      empty.register(.data) { _ in Data() }
      try await writer.write(empty)
    }
    return try await bytes
  }

  @Test("a writer writes exactly the bytes of the golden file")
  func writerProducesTheGoldenFile() async throws {
    let bytes = try await written()
    if ProcessInfo.processInfo.environment["DRAGPIPE_WRITE_GOLDEN"] == "1" { try Data(bytes).write(to: Self.golden) }
    #expect(bytes.hexText == Array(try Data(contentsOf: Self.golden)).hexText)
  }

  @Test("a reader reads the golden file")
  func readerReadsTheGoldenFile() async throws {
    #expect(try await outcome(from: .file(Self.golden.path)) == Self.items)
    #expect(outcome(of: Array(try Data(contentsOf: Self.golden))) == Self.items)
  }

  @Test("the golden file has the bytes of the format's description")
  func goldenFileHasTheDescribedBytes() throws {
    let bytes = Array(try Data(contentsOf: Self.golden))
    var builder = StreamBuilder()
    builder.offer(
      StreamBuilder.fields(["public.utf8-plain-text"], name: "greeting.txt")
        + StreamBuilder.fields(["public.data"], byteCount: 5))
    for chunk in ["Hail", ", Od", "ysse", "us"] { builder.chunk(Array(chunk.utf8)) }
    builder.endOfRepresentation(14)
    builder.chunk([0, 1, 2, 3])
    builder.chunk([4])
    builder.endOfRepresentation(5)
    builder.endOfItem(2)
    builder.item([])
    builder.end()
    #expect(bytes.hexText == builder.bytes.hexText)
    #expect(bytes[..<16].elementsEqual(Preamble.bytes))
  }

  @Test("the shortest stream has these bytes")
  func shortestStreamHasTheExpectedBytes() async throws {
    let pair = try DescriptorPair.pipe()
    try await DropStream.withWriter(to: pair.writer) { _ in }
    let bytes = try await readAll(pair.read)
    let preamble = "d74452500d0a1a0a010001016aaa09ed"
    let header = "0500000000000000240000000000000000000000919f1da1"
    let counts = String(repeating: "00", count: 32)
    #expect(bytes.hexText == preamble + header + counts + "e831792e" + "0389a753")
  }

  private static let goldenFile = golden.deletingLastPathComponent().appendingPathComponent("file-1.0.drop")

  /// Writes a file with every element of the format.
  private func writeFile(_ path: String) async throws {
    try await DropStream.withWriter(to: .file(path)) { writer in
      let first = ItemProvider(suggestedName: "greeting.txt")
      first.register(.utf8PlainText) { _ in Data("Hail, Odysseus".utf8) }
      first.registerAlias(.plainText, of: .utf8PlainText)
      first.register(.png) { _ in throw TestFailure("no picture") }
      first.register(UTType(named: "org.example.drawing"), size: .estimated(5)) { _ in Data([0, 1, 2, 3, 4]) }
      first.registerStream(.data) { _ in
        AsyncStream { continuation in
          for text in ["Hail", ", Odysseus"] { continuation.yield(Data(text.utf8)) }
          continuation.finish()
        }
      }
      _ = try await writer.writeAvailable(first)
      // A long representation becomes one aligned frame. Its bytes are compressible, to save space in the repository.
      let second = ItemProvider()
      second.register(.data, size: .exact(70_000)) { _ in Data(count: 70_000) }
      try await writer.write(second)
    }
  }

  @Test("a writer writes exactly the bytes of the golden file with an index")
  func writerProducesTheGoldenFileWithAnIndex() async throws {
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    let path = directory.file("a.drop")
    try await writeFile(path.path)
    if ProcessInfo.processInfo.environment["DRAGPIPE_WRITE_GOLDEN"] == "1" {
      try Data(contentsOf: path).write(to: Self.goldenFile)
    }
    #expect(try Data(contentsOf: path) == Data(contentsOf: Self.goldenFile))
  }

  @Test("the golden file is read in order and by its index")
  func goldenFileIsReadInOrderAndByItsIndex() async throws {
    let path = Self.goldenFile.path
    #expect(try await DropFile.verify(path) == DropFile.Verification(itemCount: 2, hasIndex: true))
    let file = try await DropFile(path: path)
    let first = try await file.item(at: 0)
    #expect(first.suggestedName == "greeting.txt")
    for type in [UTType.utf8PlainText, .plainText, .data] {
      #expect(try await first.data(for: type) == Data("Hail, Odysseus".utf8))
    }
    #expect(try await first.data(for: UTType(named: "org.example.drawing")) == Data([0, 1, 2, 3, 4]))
    await #expect(throws: ItemProviderError.self) { try await first.data(for: .png) }
    #expect(try await file.item(at: 1).data(for: .data) == Data(count: 70_000))
  }
}
