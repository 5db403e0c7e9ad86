// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import ItemTransfer
import TestSupport
import Testing
import UniformTypes

@testable import DropTransport

/// The bytes of the format, compared with golden files and with the article that describes them.
///
/// A change that breaks these tests breaks every existing stream.
///
/// To write the golden files again: `DRAGPIPE_WRITE_GOLDEN=1 swift test --filter FormatTests`.
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct FormatTests {
  private static let greeting = Array("Hail, Odysseus".utf8)

  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
  }

  private static func golden(_ name: String) -> URL {
    URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Golden/\(name)-1.0.drop")
  }

  /// Compares the output of a writer with a golden file.
  private func expect(
    _ bytes: some Sequence<UInt8>, in name: String, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let file = Self.golden(name)
    if ProcessInfo.processInfo.environment["DRAGPIPE_WRITE_GOLDEN"] == "1" { try Data(bytes).write(to: file) }
    #expect(Array(bytes).hexText == Array(try Data(contentsOf: file)).hexText, sourceLocation: sourceLocation)
  }

  @Test func oneWayStreamHasTheBytesOfTheGoldenFile() async throws {
    let options = DropStreamOptions.setting { $0.chunkLength = 4 }
    let bytes = try await writtenBytes(options) { writer in
      let greeting = ItemProvider(named: "greeting.txt", loading: .utf8PlainText) { _ in Data(Self.greeting) }
      greeting.register(.data, size: .exact(5)) { _ in Data([0, 1, 2, 3, 4]) }
      try await writer.write(greeting)
      try await writer.write(ItemProvider([]))
    }
    try expect(bytes, in: "one-way")
    let described = StreamBuilder.stream { builder in
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
    }
    try expect(described, in: "one-way")
    let items = [
      ReceivedItem("greeting.txt", ["public.utf8-plain-text": Self.greeting, "public.data": [0, 1, 2, 3, 4]]),
      ReceivedItem(nil, ["public.data": []]),
    ]
    try await expectItems(items, outcome(from: .file(Self.golden("one-way").path)))
  }

  @Test func shortestStreamHasTheExpectedBytes() async throws {
    let preamble = "d74452500d0a1a0a010001016aaa09ed"
    let header = "0500000000000000240000000000000000000000919f1da1"
    let counts = String(repeating: "00", count: 32)
    #expect(try await writtenBytes { _ in }.hexText == preamble + header + counts + "e831792e" + "0389a753")
  }

  @Test func sparseStreamHasTheBytesOfTheGoldenFile() throws {
    var encoder = FrameEncoder()
    var bytes: [UInt8] = []
    var attributes = ItemFileAttributes()
    attributes.folder = "a/b"
    encoder.appendPreamble(to: &bytes)
    encoder.appendOffer(
      DropOffer(
        suggestedName: "sparse", attributes: attributes, representations: [.init(typeIdentifier: "public.data")]),
      to: &bytes)
    encoder.appendZeros(1 << 20, to: &bytes)
    Self.greeting.withUnsafeBytes { encoder.appendData($0, whole: false, to: &bytes) }
    encoder.appendZeros(1 << 21, to: &bytes)
    encoder.appendEndOfRepresentation(byteCount: (3 << 20) + 14, to: &bytes)
    encoder.appendEndOfItem(representationCount: 1, to: &bytes)
    encoder.appendEndOfStream(to: &bytes)
    try expect(bytes, in: "sparse")
    let described = StreamBuilder.stream { stream in
      stream.offer(
        StreamBuilder.field(OfferField.suggestedName, Array("sparse".utf8))
          + StreamBuilder.field(OfferField.folder, Array("a/b".utf8)) + StreamBuilder.fields(["public.data"]))
      stream.zeros(1 << 20)
      stream.chunk(Self.greeting)
      stream.zeros(1 << 21)
      stream.endOfRepresentation((3 << 20) + 14)
      stream.endOfItem()
    }
    #expect(bytes.hexText == described.hexText)
    let content = [UInt8](repeating: 0, count: 1 << 20) + Self.greeting + [UInt8](repeating: 0, count: 1 << 21)
    expectItems([ReceivedItem("sparse", ["public.data": content])], outcome(of: bytes))
  }

  /// The golden file with an index has every element of the format.
  @Test func fileHasTheBytesOfTheGoldenFile() async throws {
    let drawing = UTType(named: "org.example.drawing")
    let path = directory.file("a.drop")
    try await DropStream.withWriter(to: .file(path.path)) { writer in
      let first = ItemProvider(named: "greeting.txt", loading: .utf8PlainText) { _ in Data(Self.greeting) }
      first.registerAlias(.plainText, of: .utf8PlainText)
      first.register(.png) { _ in throw TestFailure("no picture") }
      first.register(drawing, size: .estimated(5)) { _ in Data([0, 1, 2, 3, 4]) }
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
    try expect(Data(contentsOf: path), in: "file")

    let golden = Self.golden("file").path
    #expect(try await DropFile.verify(golden) == DropFile.Verification(itemCount: 2, hasIndex: true))
    let file = try await DropFile(path: golden)
    let first = try await file.item(at: 0)
    #expect(first.suggestedName == "greeting.txt")
    for type in [UTType.utf8PlainText, .plainText, .data] {
      try await first.expect(Data(Self.greeting), for: type)
    }
    try await first.expect(Data([0, 1, 2, 3, 4]), for: drawing)
    await #expect(throws: ItemProviderError.self) { try await first.data(for: .png) }
    try await file.item(at: 1).expect(Data(count: 70_000))
  }

  @Test func articleShowsExactlyTheBytesOfAWriter() async throws {
    let example = try FormatArticle.exampleBytes()
    #expect(example.count == 269)
    let file = try directory.write(Data(), to: "stream").path
    try await DropStream.withWriter(to: .descriptor(open(file, O_WRONLY))) { writer in
      let provider = ItemProvider(suggestedName: "greeting.txt")
      provider.fileAttributes = ItemFileAttributes(
        permissions: 0o644, modificationDate: Date(timeIntervalSince1970: 1_767_225_600))
      provider.register(
        ItemRepresentation(contentType: .plainText, size: .exact(14), form: .file) { _ in .data(Data(Self.greeting)) })
      try await writer.write(provider)
    }
    #expect(Array(try Data(contentsOf: URL(fileURLWithPath: file))).hexText == example.hexText)
    try await expectItems(
      [ReceivedItem("greeting.txt", ["public.plain-text": Self.greeting])], outcome(from: .file(file)))
  }
}
