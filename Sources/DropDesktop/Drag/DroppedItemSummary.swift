// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropTransport
internal import FoundationEssentials
internal import ItemTransfer
internal import UniformTypes

/// The description of an item of a drop, which arrives before the content.
///
/// A drop stream is received completely before its items are known. Sources of this package also offer a list of
/// summaries, so that the target can show the items from the start. The list is JSON, and an untrusted claim.
package struct DroppedItemSummary: Sendable, Hashable, Codable {
  /// The target name of the list.
  static let target = "application/vnd.dragpipe.items+json"
  /// The maximum length of the list in bytes.
  static let maximumBytes = 4 << 20

  /// The suggested name.
  package let name: String?
  /// The identifier of the type of the best representation.
  package let type: String
  /// The number of bytes of the best representation, if known.
  package let byteCount: UInt64?
  /// The number of bytes of all representations in the stream, if known.
  package let streamByteCount: UInt64?

  /// Describes an item.
  init(_ item: ItemProvider) {
    let all = item.representations(visibleTo: .all)
    func count(_ representation: ItemRepresentation) -> UInt64? {
      // An address is short.
      if representation.contentType.conforms(to: .fileURL) { return 0 }
      return representation.size.expected.flatMap { UInt64(exactly: $0) }
    }
    name = item.suggestedName
    type = (all.first?.contentType ?? .data).identifier
    byteCount = all.first.flatMap(count)
    let counts = all.filter { $0.aliasedType == nil }.map(count)
    streamByteCount = counts.reduce(0) { sum, count in
      guard let sum, let count else { return nil }
      return sum.addingReportingOverflow(count).overflow ? nil : sum + count
    }
  }
}

extension DesktopDrop.Session {
  /// The summaries of the items; empty if the source offers none.
  ///
  /// - Throws: The errors of the selection; `malformed` for an invalid list.
  package var summaries: [DroppedItemSummary] {
    get async throws {
      let names = position.typeNames
      guard names.contains(TargetName.drop), names.contains(DroppedItemSummary.target) else { return [] }
      do {
        let data = try await drop.content.data(of: DroppedItemSummary.target, limit: DroppedItemSummary.maximumBytes)
        return try JSONDecoder().decode([DroppedItemSummary].self, from: data)
      } catch is DecodingError {
        throw DesktopError(.malformed, "the list of the dropped items is not valid")
      } catch {
        throw DesktopError(caught: error)
      }
    }
  }
}
