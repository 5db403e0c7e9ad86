// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DragPipe
import FoundationEssentials

/// Processes that write many bytes to standard output.
struct ByteSources: Sendable {
  let task: StreamRole.Task

  func run(_ role: StreamRole) async throws {
    switch role {
    case .dropFileSource:
      StreamRole.waitForStart(task)
      try await DropStream.withWriter(to: .standardOutput) {
        try await $0.write(ItemProvider(contentsOf: URL(fileURLWithPath: task.path)))
      }
    case .plainFileSource:
      StreamRole.waitForStart(task)
      try PlainPipe.copy(fileAt: task.path, length: task.length)
    case .dropMemorySource: try await sendMemory()
    default:
      StreamRole.waitForStart(task)
      try PlainPipe.writeMemory(task.amount, length: task.length)
    }
  }

  private func sendMemory() async throws {
    let item = ItemProvider(suggestedName: "memory")
    let chunk = Data((0..<(1 << 20)).map { UInt8(truncatingIfNeeded: $0 &* 31) })
    let count = task.amount
    item.registerStream(.data) { _ in RepeatedChunks(chunk: chunk, left: count) }
    StreamRole.waitForStart(task)
    try await DropStream.withWriter(to: .standardOutput) { try await $0.write(item) }
  }
}
