// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import Glibc
import TestSupport
import Testing

@testable import DropTransport

#if DEBUG
  extension FaultTests {
    @Test(
      "a failed call does not make a passed file corrupt",
      arguments: [SessionDescriptor.Kind.sealedMemory, .fileToCopy, .originalFile])
    func passedFileIsNotCorruptAfterAFailedCall(kind: SessionDescriptor.Kind) async throws {
      let content = pattern(1000)
      let check = kind == .sealedMemory ? content.withUnsafeBytes { CRC32C.check($0) } : nil
      let memory = SharedDescriptor(OwnedDescriptor(try SystemCalls.memoryFile("saga")))
      try content.withUnsafeBytes { try SystemCalls.writeAll(memory.raw, $0) }
      try SystemCalls.seal(memory.raw)
      let file = ReceivedDescriptor(SessionDescriptor(kind: kind, byteCount: 1000, check: check), memory)
      var failedCalls: [String] = []
      while true {
        SystemCallFaults.arm(after: failedCalls.count, isLasting: false)
        let code = await failureCode { try await file.content(expecting: 1000) }
        let failed = SystemCallFaults.disarm()
        #expect(code == nil || code == .systemCall, "\(failed)")
        guard let call = failed.first else { break }
        failedCalls.append(call)
      }
      #expect(failedCalls.contains("fcntl"))
    }
  }
#endif
