// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import FoundationEssentials
internal import ItemTransfer

/// The content before a requested range, which the source reads and does not send.
struct SkippedContent {
  private let expected: (value: [UInt8], digest: StartDigest)?
  /// The number of bytes before the range that have not been read.
  private(set) var remaining: UInt64

  init(_ request: SessionRequest) {
    expected = request.startDigest.map { ($0, StartDigest()) }
    remaining = request.range?.lowerBound ?? 0
  }

  /// Returns a chunk without its bytes before the range.
  ///
  /// - Parameter chunk: The next chunk of the content.
  /// - Returns: The rest of the chunk.
  /// - Throws: `sourceChanged` if all bytes before the range have been read, and the request has another digest.
  mutating func drop(from chunk: Data) throws(DropStreamError) -> Data {
    guard remaining > 0 else { return chunk }
    let start = chunk.prefix(Int(clamping: remaining))
    remaining -= UInt64(start.count)
    if let expected {
      if start.isOfHole {
        expected.digest.update(zeros: UInt64(start.count))
      } else {
        start.withUnsafeBytes { expected.digest.update($0) }
      }
      if remaining == 0, expected.digest.value != expected.value { throw changed }
    }
    return chunk.dropFirst(start.count)
  }

  /// Ends the content.
  ///
  /// - Throws: `sourceChanged` if it is shorter than the bytes with the digest.
  func end() throws(DropStreamError) {
    if expected != nil, remaining > 0 { throw changed }
  }

  private var changed: DropStreamError {
    DropStreamError(.sourceChanged, "the content differs from the bytes that were sent before")
  }
}
