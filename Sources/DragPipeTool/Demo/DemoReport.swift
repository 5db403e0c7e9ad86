// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem

/// What the demo tells of a transfer of heroes and cards.
struct DemoReport: Encodable, Sendable {
  struct Item: Codable, Sendable {
    let kind: ItemKind
    let name: String
    /// As which it was offered, the best first.
    let types: [String]

    /// What a person reads of it.
    var text: String {
      let what = "\(kind.rawValue)  \(name)".escapedForDisplay(limit: 70)
      return "  \(what)\n        as \(types.map { $0.escapedForDisplay() }.joined(separator: ", "))\n"
    }
  }

  struct Column: Codable, Sendable {
    let title: String
    /// How many it has.
    let cards: Int
  }

  let processes: DemoProcessNumbers
  /// In the order in which they were taken.
  var items: [Item] = []
  var favourites: [String] = []
  var columns: [Column] = []
  var verified = false

  /// The lines behind the items.
  var summary: String {
    let columns = columns.map { "\($0.title) (\($0.cards))" }.joined(separator: ", ")
    return """
      whole and verified
      favourites   \(favourites.joined(separator: ", "))
      columns      \(columns)

      """
  }
}

/// What the demo tells of something large that has crossed, and then has not.
struct LargeDemoReport: Encodable, Sendable {
  /// What was taken to its end, which was verified.
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

  /// What was called off.
  struct Cancellation: Encodable, Sendable {
    /// What is there afterwards and was not before.
    struct Rest: Encodable, Sendable {
      /// In the directory that both processes had for temporary files.
      var files = 0
      /// Open in one of them.
      var descriptors = 0

      var isEmpty: Bool { files == 0 && descriptors == 0 }
      var text: String {
        isEmpty
          ? "nothing" : "\(ToolHelp.count(files, "file")) and \(ToolHelp.count(descriptors, "open descriptor"))"
      }
    }

    /// How many the destination had.
    let bytes: Int64
    /// How many the source had made when it stopped.
    let made: Int64
    /// What the source was told.
    let heard: String
    let left: Rest
  }

  let processes: DemoProcessNumbers
  let transferred: Transfer
  let cancelled: Cancellation
  let verified = true

  var text: String {
    let seconds = (transferred.seconds * 100).rounded() / 100
    return """
      whole and verified
      transferred  \(transferred.bytes) bytes in \(seconds) s, \(ProgressAmounts.bytes(transferred.bytesPerSecond))/s
      cancelled    after \(cancelled.bytes) bytes; the source heard: \(cancelled.heard.escapedForDisplay())
      stopped      when the source had made \(cancelled.made) bytes
      left of it   \(cancelled.left.text)

      """
  }
}

/// Which processes took part.
struct DemoProcessNumbers: Encodable, Sendable {
  let source: Int32
  let destination: Int32
}
