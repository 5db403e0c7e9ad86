// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropTransport
import Foundation
import ItemTransfer
import TestSupport
import Testing
import UniformTypes

@Suite("The article about the format", .serialized, .limited)
struct FormatArticleTests {
  /// The bytes of the article's example: its indented lines are an offset, bytes in hex, a meaning behind two spaces.
  private func exampleBytes() throws -> [UInt8] {
    let root = (0..<3).reduce(URL(fileURLWithPath: #filePath)) { url, _ in url.deletingLastPathComponent() }
    let article = root.appendingPathComponent("Sources/DropTransport/DropTransport.docc/DropStreamFormat.md")
    var bytes: [UInt8] = []
    for line in try String(contentsOf: article, encoding: .utf8).split(separator: "\n") {
      guard let match = line.firstMatch(of: /^    ([0-9a-f]{3})  ((?:[0-9a-f]{2} )*[0-9a-f]{2})(?: {2,}|$)/) else {
        continue
      }
      #expect(Int(match.1, radix: 16) == bytes.count, "\(line)")
      bytes += match.2.split(separator: " ").compactMap { UInt8($0, radix: 16) }
    }
    return bytes
  }

  @Test("shows exactly what a writer writes")
  func writing() async throws {
    let example = try exampleBytes()
    #expect(example.count == 239)
    try await withTemporaryDirectory { directory in
      let file = directory.appendingPathComponent("stream")
      let descriptor = open(file.path, O_WRONLY | O_CREAT, 0o600)
      try await DropStream.withWriter(to: .descriptor(descriptor)) { writer in
        let provider = ItemProvider(suggestedName: "greeting.txt")
        provider.register(.plainText, size: .exact(14)) { _ in Data("Hail, Odysseus".utf8) }
        try await writer.write(provider)
      }
      #expect(try Data(contentsOf: file) == Data(example))
    }
  }

  @Test("shows a stream that a reader reads")
  func reading() async throws {
    let example = Data(try exampleBytes())
    try await withTemporaryDirectory { directory in
      let file = directory.appendingPathComponent("stream")
      try example.write(to: file)
      try await DropStream.withReader(from: .file(file.path)) { items in
        var names: [String?] = []
        for try await item in items {
          names.append(item.suggestedName)
          #expect(try await item.data(for: .plainText) == Data("Hail, Odysseus".utf8))
        }
        #expect(names == ["greeting.txt"])
      }
    }
  }
}
