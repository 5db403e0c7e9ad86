// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import DropTransport
internal import FoundationEssentials
internal import ItemCoding

/// The events that the demo's two processes send, in the order of arrival.
actor DemoEvents {
  /// The error that both processes ended before all expected events arrived.
  struct Silence: Error {}

  /// The maximum number of messages to keep.
  private static let remarkLimit = 3

  private var lines: ChunkSource?
  private var pending = Data()
  /// The first lines that are not events, escaped for display.
  ///
  /// They are error messages of the processes.
  private(set) var remarks: [String] = []

  init(_ lines: ChunkSource) {
    self.lines = lines
  }

  /// Returns the next event, or `nil` once both processes have closed the pipe, or after ``close()``.
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
  /// - Throws: `Silence` at the end of the events; otherwise the errors of ``next()``.
  func expected() async throws -> DemoEvent {
    guard let event = try await next() else { throw Silence() }
    return event
  }

  /// Closes the pipe.
  ///
  /// A process that writes to it afterwards gets an error.
  func close() {
    lines = nil
  }

  private func addRemark(_ line: String) {
    guard !line.isEmpty, remarks.count < Self.remarkLimit else { return }
    remarks.append(line.trimmingPrefix("dragpipe: ").escapedForDisplay())
  }
}

/// An event that one of the two processes sends as a line of JSON.
enum DemoEvent: Codable, Sendable {
  /// The destination has received a hero or a card.
  case item(DemoReport.Item)
  /// The destination has verified the end of the stream.
  case verified(favourites: [String], columns: [DemoReport.Column])

  /// Sends the event to the process that the user started.
  func send(to environment: ToolEnvironment) async throws {
    // The kernel does not interleave a write of at most PIPE_BUF bytes with other writes.
    try await environment.write(try JSONOutput().text(self) + "\n")
  }
}
