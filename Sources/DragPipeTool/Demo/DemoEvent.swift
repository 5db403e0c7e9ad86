// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// What one of the two processes tells: a line of JSON.
enum DemoEvent: Codable, Sendable {
  /// The destination has taken a hero or a card.
  case item(DemoReport.Item)
  /// The destination has verified the end.
  case verified(favourites: [String], columns: [DemoReport.Column])
  /// The destination has so much of what is large.
  case moved(bytes: Int64)
  /// The destination has all of it, verified.
  case whole(bytes: Int64, seconds: Double)
  /// The destination has called it off.
  case cancelled(bytes: Int64)
  /// The source was told that, and made no more.
  case stopped(made: Int64, heard: String)
  /// One of them has ended its session, and has so many descriptors open more than before.
  case closed(descriptors: Int)

  /// Tells it.
  func tell(_ environment: ToolEnvironment) async throws {
    // One write, and so short that no other comes between.
    try await environment.write(try JSONOutput().text(self) + "\n")
  }
}
