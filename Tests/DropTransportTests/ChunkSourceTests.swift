// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import Foundation
import TestSupport
import Testing

@testable import DropTransport

@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct ChunkSourceTests {
  @Test func fileAndPipeAreReadInChunksToTheirEnd() async throws {
    let directory = try TemporaryDirectory()
    for count in [0, 1, 131_072, 500_000] {
      let file = try directory.write(Data(pattern(count)), to: "\(count)")
      for endpoint in [DropEndpoint.file(file.path), .descriptor(try pipe(holding: pattern(count)))] {
        let source = try ChunkSource(endpoint)
        var all = Data()
        while let chunk = try await source.next() {
          #expect(!chunk.isEmpty)
          all += chunk
        }
        #expect(all == Data(pattern(count)))
        #expect(try await source.next() == nil)
      }
    }
  }

  @Test(arguments: ["/nowhere/at/all", "/"])
  func missingSourceAndDirectoryCannotBeOpened(_ path: String) throws {
    let error = try #require(throws: DropStreamError.self) { _ = try ChunkSource(.file(path)) }
    #expect(error.code == .sourceUnavailable)
    #expect(error.errorNumber == (path == "/" ? EISDIR : ENOENT))
  }

  @Test func idleReadTimesOutAndTheNextReadContinues() async throws {
    let pair = try DescriptorPair.pipe()
    let source = try ChunkSource(pair.reader, idleTimeout: .milliseconds(100))
    try await requireDropError(.timedOut) { try await source.next() }
    try [UInt8](pattern(3)).withUnsafeBytes { try SystemCalls.writeAll(pair.write, $0) }
    #expect(try await source.next() == Data(pattern(3)))
    try SystemCalls.close(pair.write)
    #expect(try await source.next() == nil)
  }

  @Test func waitingReadIsCancelledWithItsTask() async throws {
    let pair = try DescriptorPair.pipe()
    let source = try ChunkSource(pair.reader)
    let task = Task { try await source.next() }
    try await Task.sleep(for: .milliseconds(30))
    task.cancel()
    try await requireDropError(.cancelled) { try await task.value }
    try SystemCalls.close(pair.write)
  }
}
