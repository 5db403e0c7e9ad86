// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem

/// The report of a transfer of heroes and cards.
struct DemoReport: Encodable, Sendable {
  struct Item: Codable, Sendable {
    let kind: ItemKind
    let name: String
    /// The offered types, best first.
    let types: [String]

    /// The lines that the text output shows for the item.
    var text: String {
      let title = "\(kind.rawValue)  \(name)".escapedForDisplay(limit: 70)
      return "  \(title)\n        as \(types.map { $0.escapedForDisplay() }.joined(separator: ", "))\n"
    }
  }

  struct Column: Codable, Sendable {
    let title: String
    /// The number of cards.
    let cards: Int
  }

  let processes: DemoProcessNumbers
  /// The received items, in the order of arrival.
  var items: [Item] = []
  var favourites: [String] = []
  var columns: [Column] = []
  var verified = false

  /// The text that follows the lines of the items.
  var summary: String {
    let columns = columns.map { "\($0.title) (\($0.cards))" }.joined(separator: ", ")
    return """
      complete and verified
      favourites   \(favourites.joined(separator: ", "))
      columns      \(columns)

      """
  }
}

/// The report about a large item that was transferred twice: once completely, and once until it was cancelled.
struct LargeDemoReport: Encodable, Sendable {
  /// A complete, verified transfer.
  struct Transfer: Encodable, Sendable {
    let bytes: Int64
    let seconds: Double

    var bytesPerSecond: UInt64 {
      UInt64(exactly: (Double(bytes) / max(seconds, 1e-6)).rounded()) ?? 0
    }

    private enum CodingKeys: String, CodingKey {
      case bytes, seconds, bytesPerSecond
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(bytes, forKey: .bytes)
      try container.encode((seconds * 1000).rounded() / 1000, forKey: .seconds)
      try container.encode(bytesPerSecond, forKey: .bytesPerSecond)
    }
  }

  /// A cancelled transfer.
  struct Cancellation: Encodable, Sendable {
    /// The numbers of files and descriptors that exist after the transfer but did not exist before.
    struct Rest: Encodable, Sendable {
      /// The number of files in the temporary directory of both processes.
      var files = 0
      /// The number of additional open descriptors of both processes together.
      var descriptors = 0

      var isEmpty: Bool { files == 0 && descriptors == 0 }
      var text: String {
        isEmpty
          ? "nothing" : "\(ToolHelp.count(files, "file")) and \(ToolHelp.count(descriptors, "open descriptor"))"
      }
    }

    /// The number of bytes that the destination received.
    let bytes: Int64
    /// The number of bytes that the source had generated when it stopped.
    let made: Int64
    /// The error that the source received.
    let reason: String
    let left: Rest

    enum CodingKeys: String, CodingKey {
      case bytes, made, left
      case reason = "heard"
    }
  }

  let processes: DemoProcessNumbers
  let transferred: Transfer
  let cancelled: Cancellation
  let verified = true

  var text: String {
    let seconds = (transferred.seconds * 100).rounded() / 100
    return """
      complete and verified
      transferred  \(transferred.bytes) bytes in \(seconds) s, \(ProgressAmounts.bytes(transferred.bytesPerSecond))/s
      cancelled    after \(cancelled.bytes) bytes; error at the source: \(cancelled.reason.escapedForDisplay())
      stopped      after the source had generated \(cancelled.made) bytes
      remaining    \(cancelled.left.text)

      """
  }
}

/// The process identifiers of the source and the destination.
struct DemoProcessNumbers: Encodable, Sendable {
  let source: Int32
  let destination: Int32
}
