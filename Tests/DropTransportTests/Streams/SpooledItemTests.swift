// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import Foundation
import ItemTransfer
import TestSupport
import Testing
import UniformTypes

@testable import DropTransport

/// Representations that are too long to keep in memory.
@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct SpooledItemTests {
  private let options: DropStreamOptions = {
    var options = DropStreamOptions()
    options.limits.bytesInMemory = 1000
    return options
  }()

  /// Returns the path of an item's first representation, if it is a file.
  private func file(of provider: ItemProvider) async throws -> URL? {
    guard case .file(let sent) = try await provider.representations.first?.content(progress: ItemProgress())
    else { return nil }
    return sent.file
  }

  private func exists(_ url: URL) -> Bool { FileManager.default.fileExists(atPath: url.path) }

  @Test("content within the limit stays in memory, and a byte more becomes a private file", arguments: [1, 400, 5000])
  func contentBeyondTheMemoryLimitBecomesAPrivateFile(_ chunkLength: Int) async throws {
    let bytes = StreamBuilder.stream {
      for count in [0, 999, 1000, 1001, 6000] {
        $0.add(ReceivedItem("\(count)", ["public.data": pattern(count)]), chunkLength: chunkLength)
      }
    }
    try await DropStream.withReader(from: .descriptor(try pipe(holding: bytes)), options: options) { reader in
      for try await item in reader {
        let count = try #require(item.suggestedName.flatMap { Int($0) })
        let file = try await file(of: item)
        #expect((file != nil) == (count > 1000), "\(count)")
        if let file {
          let status = try SystemCalls.statusAt(DropEndpoint.currentDirectory, file.path)
          #expect(status.permissions == 0o600)
          #expect(status.size == Int64(count))
        }
        #expect(try await item.data(for: .data) == Data(pattern(count)))
        #expect(item.representations.first?.size.promised == Int64(count))
      }
    }
  }

  @Test("the file exists as long as its provider, even after the end of the reader")
  func fileExistsAsLongAsItsProvider() async throws {
    let bytes = StreamBuilder.stream { $0.item(pattern(5000)) }
    var kept: ItemProvider?
    let stream = DropEndpoint.descriptor(try pipe(holding: bytes))
    let item = try await DropStream.withReader(from: stream, options: options) { reader in
      for try await item in reader { kept = item }
      return try await file(of: try #require(kept))
    }
    let url = try #require(item)
    #expect(exists(url))
    for _ in 0..<2 {
      let data = try await kept?.data(for: .data)
      #expect(data.map { Array($0) } == pattern(5000))
    }
    #expect(exists(url))
    kept = nil
    #expect(try await eventually { !exists(url) })
  }

  @Test("a provider that is released removes its file, though the stream continues")
  func releasedProviderRemovesItsFileDuringTheStream() async throws {
    var builder = StreamBuilder()
    builder.item(pattern(3000))
    builder.item(pattern(2000))
    let pair = try DescriptorPair.pipe()
    try builder.bytes.withUnsafeBytes { try SystemCalls.writeAll(pair.write, $0) }
    let options = options
    let seen = Collector<URL>()
    let task = Task {
      try await DropStream.withReader(from: pair.reader, options: options) { reader in
        for try await item in reader { seen.add(try #require(try await file(of: item))) }
      }
    }
    #expect(try await eventually { seen.values.count == 2 })
    #expect(try await eventually { seen.values.allSatisfy { !exists($0) } })
    task.cancel()
    try await requireDropError(.cancelled) { try await task.value }
    try SystemCalls.close(pair.write)
  }

  @Test("providers that are kept keep no descriptor open")
  func retainedProvidersKeepNoDescriptorOpen() async throws {
    let bytes = StreamBuilder.stream { stream in for _ in 0..<20 { stream.item(pattern(1500)) } }
    var kept: [ItemProvider] = []
    try await DropStream.withReader(from: .descriptor(try pipe(holding: bytes)), options: options) { reader in
      for try await item in reader { kept.append(item) }
    }
    for provider in kept {
      let url = try #require(try await file(of: provider))
      #expect(exists(url))
      #expect(try openDescriptors(to: url.path) == 0)
    }
  }

  @Test("a truncated, cancelled or abandoned stream leaves no file")
  func truncatedOrCancelledStreamLeavesNoFile() async throws {
    var builder = StreamBuilder()
    builder.offer(["a", "b"])
    builder.whole(pattern(2000))
    builder.chunk(pattern(3000))
    for how in ["cut", "cancelled"] {
      let pair = try DescriptorPair.pipe()
      try builder.bytes.withUnsafeBytes { try SystemCalls.writeAll(pair.write, $0) }
      let options = options
      let task = Task { try await outcome(from: pair.reader, options: options) }
      // Gives the reader time to create both temporary files.
      try await Task.sleep(for: .milliseconds(50))
      if how == "cancelled" { task.cancel() } else { try SystemCalls.close(pair.write) }
      try requireFailure(how == "cut" ? .truncated : .cancelled, try await task.value)
      if how == "cancelled" { try SystemCalls.close(pair.write) }
    }
    #expect(try await eventually { try openSpoolFiles().isEmpty })
  }

  /// Returns the temporary files that this process has open.
  ///
  /// Files of parallel tests disappear after a moment.
  private func openSpoolFiles() throws -> [String] {
    let temporary = FileManager.default.temporaryDirectory.path
    return try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap { name in
      let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(name)")
      return target?.hasPrefix(temporary + "/dragpipe-") == true && target?.contains("tests") == false ? target : nil
    }
  }

  @Test("a spooled item can be loaded as a file, and into a folder")
  func spooledItemCanBeLoadedAsAFile() async throws {
    let bytes = StreamBuilder.stream { $0.item(pattern(5000), name: "name.bin") }
    try await DropStream.withReader(from: .descriptor(try pipe(holding: bytes)), options: options) { reader in
      for try await item in reader {
        try await item.withFile(for: .data) { url in
          #expect(url.lastPathComponent == "name.bin")
          let content = try Data(contentsOf: url)
          #expect(content == Data(pattern(5000)))
        }
      }
    }
  }

  @Test("a spooled item can be forwarded")
  func spooledItemCanBeForwarded() async throws {
    let bytes = StreamBuilder.stream { $0.item(pattern(5000), name: "a") }
    let pair = try DescriptorPair.pipe()
    async let received = outcome(from: pair.reader)
    try await DropStream.withReader(from: .descriptor(try pipe(holding: bytes)), options: options) { reader in
      try await DropStream.withWriter(to: pair.writer) { writer in
        for try await item in reader { try await writer.write(item) }
      }
    }
    #expect(try await received == [ReceivedItem("a", ["public.data": pattern(5000)])])
  }
}
