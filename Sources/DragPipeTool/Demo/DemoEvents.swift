// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import DropTransport
internal import FoundationEssentials
internal import ItemCoding

/// What the processes of a demonstration tell, in the order in which it comes.
actor DemoEvents {
  /// Both have ended before they had told all.
  struct Silence: Error {}

  /// More of what nobody expects is not kept.
  private static let remarkLimit = 3

  private var lines: ChunkSource?
  private var pending = Data()
  /// Lines that are no event: what they say for people.
  private(set) var remarks: [String] = []

  init(_ lines: ChunkSource) {
    self.lines = lines
  }

  /// The next event; `nil` when both have closed the pipe.
  ///
  /// - Throws: `systemCall`; `cancelled` when the task is cancelled.
  func next() async throws -> DemoEvent? {
    while true {
      while let end = pending.firstIndex(of: UInt8(ascii: "\n")) {
        let line = pending[..<end]
        pending = pending[(end + 1)...]
        if let event = try? JSONDecoder().decode(DemoEvent.self, from: Data(line)) { return event }
        addRemark(String(decoding: line, as: UTF8.self))
      }
      guard let chunk = try await lines?.next() else { return nil }
      pending = Data(pending) + chunk
    }
  }

  /// The next event, where there must be one.
  ///
  /// - Throws: `Silence` where there is none, and as ``next()``.
  func expected() async throws -> DemoEvent {
    guard let event = try await next() else { throw Silence() }
    return event
  }

  /// Listens no more: whoever writes sees that nobody reads.
  func close() {
    lines = nil
  }

  private func addRemark(_ line: String) {
    guard !line.isEmpty, remarks.count < Self.remarkLimit else { return }
    remarks.append(line.trimmingPrefix("dragpipe: ").escapedForDisplay())
  }
}
