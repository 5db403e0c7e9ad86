// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import DropTransport
internal import FoundationEssentials
internal import ItemCoding

/// The events of a demo's processes, in the order of arrival.
actor DemoEvents {
  /// Both processes ended before the expected events.
  struct Silence: Error {}

  /// The most unexpected lines to keep.
  private static let remarkLimit = 3

  private var lines: ChunkSource?
  private var pending = Data()
  /// Lines that are not events: messages.
  private(set) var remarks: [String] = []

  init(_ lines: ChunkSource) {
    self.lines = lines
  }

  /// Returns the next event, or `nil` when both processes have closed the pipe.
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

  /// Returns the next event, which must exist.
  ///
  /// - Throws: `Silence` at the end of the events; otherwise as ``next()``.
  func expected() async throws -> DemoEvent {
    guard let event = try await next() else { throw Silence() }
    return event
  }

  /// Closes the pipe, so that a process that writes to it fails.
  func close() {
    lines = nil
  }

  private func addRemark(_ line: String) {
    guard !line.isEmpty, remarks.count < Self.remarkLimit else { return }
    remarks.append(line.trimmingPrefix("dragpipe: ").escapedForDisplay())
  }
}

/// An event of one of the two processes: a line of JSON.
enum DemoEvent: Codable, Sendable {
  /// The destination has received a hero or a card.
  case item(DemoReport.Item)
  /// The destination has verified the end.
  case verified(favourites: [String], columns: [DemoReport.Column])
  /// The number of bytes of the large item that the destination has received.
  case moved(bytes: Int64)
  /// The destination has received and verified the complete large item.
  case completed(bytes: Int64, seconds: Double)
  /// The destination has cancelled the transfer.
  case cancelled(bytes: Int64)
  /// The source has received the cancellation, as `reason`, and has stopped.
  case stopped(made: Int64, reason: String)
  /// A process has ended its session, with this many more open descriptors than before.
  case closed(descriptors: Int)

  /// Writes the event.
  func send(to environment: ToolEnvironment) async throws {
    // One write of at most PIPE_BUF bytes is not interleaved with others.
    try await environment.write(try JSONOutput().text(self) + "\n")
  }
}
