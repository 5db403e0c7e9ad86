// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import Foundation
import TestSupport
import Testing

@testable import DropTransport

@Suite(.limited, .timeLimit(.minutes(5))) struct ShortFileTests {
  private static let content = Data("Andromeda".utf8)

  /// Whether the file system can read the file without waiting.
  private func isReadAtOnce(_ path: String) -> Bool {
    guard let file = try? OwnedDescriptor.open(path, O_RDONLY), (try? SystemCalls.statusAtOnce(file.raw)) != nil else {
      return false
    }
    var byte: UInt8 = 0
    return withUnsafeMutableBytes(of: &byte) { (try? SystemCalls.readAtOnce(file.raw, $0, at: 0)) != nil }
  }

  private func bytes(of path: String, promised: UInt64? = nil, atMost: Int = 100) -> [UInt8]? {
    var buffer: [UInt8] = [1, 2]
    let count = ShortFile(path: path, promised: promised, atMost: atMost).append(to: &buffer)
    #expect(buffer.starts(with: [1, 2]))
    #expect(count == nil || count == buffer.count - 2)
    return count.map { _ in Array(buffer[2...]) }
  }

  @Test func appendsAllBytesOfAFileInMemory() throws {
    try withTemporaryDirectory { directory in
      let path = directory.path + "/file"
      try Self.content.write(to: URL(fileURLWithPath: path))
      let expected = isReadAtOnce(path) ? Array(Self.content) : nil
      #expect(bytes(of: path) == expected)
      #expect(bytes(of: path, promised: 9, atMost: 9) == expected)
    }
  }

  @Test func leavesOtherFilesToABlockingThread() throws {
    try withTemporaryDirectory { directory in
      let path = directory.path + "/file"
      try Self.content.write(to: URL(fileURLWithPath: path))
      #expect(bytes(of: path, promised: 8) == nil)
      #expect(bytes(of: path, atMost: 8) == nil)
      #expect(bytes(of: directory.path) == nil)
      #expect(bytes(of: directory.path + "/missing") == nil)
      #expect(bytes(of: "/dev/null") == nil)
      #expect(bytes(of: "/proc/self/stat") == nil)
    }
  }

  @Test func doesNotOpenAFIFO() throws {
    try withTemporaryDirectory { directory in
      let path = directory.path + "/fifo"
      #expect(mkfifo(path, 0o600) == 0)
      #expect(bytes(of: path) == nil)
    }
  }
}
