// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropTransport
import Foundation
import ItemTransfer
import TestSupport
import Testing
import UniformTypes

@Suite("The article about the format", .serialized, .limited, .timeLimit(.minutes(5)))
struct FormatArticleTests {
  @Test("shows exactly what a writer writes")
  func articleShowsExactlyTheBytesOfAWriter() async throws {
    let example = try FormatArticle.exampleBytes()
    #expect(example.count == 263)
    try await withTemporaryDirectory { directory in
      let file = directory.appendingPathComponent("stream")
      let descriptor = open(file.path, O_WRONLY | O_CREAT, 0o600)
      try await DropStream.withWriter(to: .descriptor(descriptor)) { writer in
        let provider = ItemProvider(suggestedName: "greeting.txt")
        provider.fileAttributes = ItemFileAttributes(
          permissions: 0o644, modificationDate: Date(timeIntervalSince1970: 1_767_225_600))
        provider.register(.plainText, size: .exact(14)) { _ in Data("Hail, Odysseus".utf8) }
        try await writer.write(provider)
      }
      #expect(try Data(contentsOf: file) == Data(example))
    }
  }

  @Test func writerSendsFoldersAsTarArchives() async throws {
    try await withTemporaryDirectory { directory in
      let folder = directory.appendingPathComponent("Tales")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
      try Data("Hail".utf8).write(to: folder.appendingPathComponent("a.txt"))
      let stream = directory.appendingPathComponent("stream").path
      let item = ItemProvider(contentsOf: folder)
      try await DropStream.withWriter(to: .file(stream)) { try await $0.write(item) }
      let archive = try await DropStream.withReader(from: .file(stream)) { items in
        for try await item in items { return Array(try await item.data(for: .folder)) }
        return []
      }
      let top = try #require(archive.firstRange(of: Array("Tales/\0".utf8)))
      #expect(top.lowerBound % 512 == 0)
      #expect(archive[(top.lowerBound + 257)..<(top.lowerBound + 265)] == Array("ustar\u{0}00".utf8)[...])
      let file = try #require(archive.firstRange(of: Array("Tales/a.txt\0".utf8)))
      #expect(file.lowerBound % 512 == 0 && file.lowerBound > top.lowerBound)
      #expect(archive[(file.lowerBound + 124)..<(file.lowerBound + 136)] == Array("00000000004\u{0}".utf8)[...])
      #expect(archive[(file.lowerBound + 512)..<(file.lowerBound + 516)] == Array("Hail".utf8)[...])
      #expect(archive.count == file.lowerBound + 2048 && archive.suffix(1024).allSatisfy { $0 == 0 })
    }
  }

  @Test("shows a stream that a reader reads")
  func articleShowsAStreamThatAReaderReads() async throws {
    let example = Data(try FormatArticle.exampleBytes())
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
