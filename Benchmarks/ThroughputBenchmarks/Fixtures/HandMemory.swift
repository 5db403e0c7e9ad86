// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import CAllocationCounter
import FoundationEssentials

/// Bytes copied to where there is room already: new memory takes longer to be had than to be written.
struct HandMemory {
  private let room: UnsafeMutableRawBufferPointer

  /// Makes room for so many bytes, which stays for good.
  init(for data: Data) {
    room = .allocate(byteCount: data.count, alignment: 16)
    room.initializeMemory(as: UInt8.self, repeating: 1)
  }

  func copy(_ data: Data) {
    data.withUnsafeBytes { room.copyMemory(from: $0) }
    if let base = room.baseAddress { keep_memory(base) }
  }
}
