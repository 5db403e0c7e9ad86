// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
public import FoundationEssentials
internal import ItemTransfer
internal import Synchronization

/// A source of bytes that can be read at any offset, such as an object of a store.
///
/// ``DropFile/init(source:name:limits:)`` reads a drop file from it. The bytes must not change between reads: a source
/// that notices a change throws an error.
///
/// ```swift
/// struct Memory: RandomAccessSource {
///   let content: Data
///   func byteCount() async throws -> UInt64 { UInt64(content.count) }
///   func bytes(in ranges: [Range<UInt64>]) async throws -> [Data] {
///     ranges.map { content[content.startIndex + Int($0.lowerBound)..<content.startIndex + Int($0.upperBound)] }
///   }
/// }
/// ```
public protocol RandomAccessSource: Sendable {
  /// Returns the number of bytes.
  ///
  /// Called once, before any other read. A store can fetch the last bytes in the same request, because they are read
  /// next.
  ///
  /// - Throws: Any error, as ``bytes(in:)`` does.
  func byteCount() async throws -> UInt64

  /// Returns the bytes of ranges, several of which may be requested at once.
  ///
  /// - Parameter ranges: Non-empty ranges within the source, in any order.
  /// - Returns: All bytes of each range, in the same order.
  /// - Throws: Any error, which becomes the underlying error of `sourceUnavailable`. A `DropStreamError` is thrown as
  ///   it is, and a `CancellationError` becomes `cancelled`.
  func bytes(in ranges: [Range<UInt64>]) async throws -> [Data]
}

/// A random-access source with a cache of the bytes that were read last.
///
/// Code that parses a file is synchronous. It runs again from its start after the bytes that it lacked have been read.
final class SourceReader: Sendable {
  /// The minimum length of a read, since each has a cost of its own.
  static let shortestRead: UInt64 = 4 << 10
  /// The number of last bytes that are read first: most footers of indexes are shorter.
  static let tailLength: UInt64 = 64 << 10
  /// The maximum number of bytes that are kept.
  ///
  /// The ranges of the latest read, and two earlier ranges, are kept beyond this limit.
  private static let keptLength = 4 << 20

  private struct Segment {
    let offset: UInt64
    let bytes: Data
  }

  private let source: any RandomAccessSource
  /// The received bytes, most recently used first.
  private let segments = Lock<[Segment]>([])
  let shownName: String
  let size: UInt64

  /// Requests the length of a source.
  init(_ source: any RandomAccessSource, name: String) async throws(DropStreamError) {
    self.source = source
    shownName = name.escapedForDisplay()
    do { size = try await source.byteCount() } catch { throw Self.failure(error, shownName) }
    guard size <= UInt64(Int64.max) else {
      throw DropStreamError(.limitExceeded, "\(shownName) has \(size) bytes, more than a file can have")
    }
  }

  /// Copies bytes that have been read.
  ///
  /// - Returns: Whether all these bytes are in the cache. If not, a part of `buffer` may have been filled.
  func copy(at offset: UInt64, to buffer: UnsafeMutableRawBufferPointer) -> Bool {
    segments.withLock { segments in
      var done = 0
      while done < buffer.count {
        let wanted = offset + UInt64(done)
        guard
          let index = segments.firstIndex(where: { $0.offset <= wanted && wanted - $0.offset < UInt64($0.bytes.count) })
        else { return false }
        let segment = segments[index]
        // Pages of an index are used again and again, and the items between them once.
        if index > 0 { segments.insert(segments.remove(at: index), at: 0) }
        let rest = segment.bytes.dropFirst(Int(wanted - segment.offset)).prefix(buffer.count - done)
        rest.withUnsafeBytes { UnsafeMutableRawBufferPointer(rebasing: buffer[done...]).copyMemory(from: $0) }
        done += rest.count
      }
      return true
    }
  }

  /// Reads ranges, and keeps their bytes.
  ///
  /// - Parameters:
  ///   - ranges: Ranges within the source.
  ///   - gap: The maximum distance of two ranges that are read together, with the bytes between them.
  /// - Throws: `truncated` if the source returns too few bytes; `sourceUnavailable`; `cancelled`.
  func fetch(_ ranges: [Range<UInt64>], joiningOver gap: UInt64 = shortestRead) async throws(DropStreamError) {
    if Task.isCancelled { throw .cancelled }
    let merged = merged(ranges, gap)
    if merged.isEmpty { return }
    let contents: [Data]
    do { contents = try await source.bytes(in: merged) } catch { throw Self.failure(error, shownName) }
    guard contents.count == merged.count, zip(contents, merged).allSatisfy({ $0.count == $1.count }) else {
      throw DropStreamError(.truncated, "\(shownName) did not return the requested bytes")
    }
    segments.withLock { segments in
      for (range, bytes) in zip(merged, contents) {
        segments.insert(Segment(offset: range.lowerBound, bytes: bytes), at: 0)
      }
      var kept = 0
      segments = Array(
        segments.enumerated().prefix { number, segment in
          kept += segment.bytes.count
          return number < merged.count + 2 || kept <= Self.keptLength
        }.map(\.element))
    }
  }

  private func merged(_ ranges: [Range<UInt64>], _ gap: UInt64) -> [Range<UInt64>] {
    var merged: [Range<UInt64>] = []
    for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
      let end = min(max(range.upperBound, range.lowerBound + Self.shortestRead), size)
      guard range.lowerBound < end else { continue }
      if let last = merged.last, range.lowerBound <= last.upperBound + gap {
        merged[merged.count - 1] = last.lowerBound..<max(last.upperBound, end)
      } else {
        merged.append(range.lowerBound..<end)
      }
    }
    return merged
  }

  private static func failure(_ error: any Error, _ name: String) -> DropStreamError {
    switch error {
    case let error as DropStreamError: error
    case _ where error.isCancellation: .cancelled
    default: DropStreamError(.sourceUnavailable, "cannot read \(name): \(error)", underlyingError: error)
    }
  }
}

/// The bytes that parsing code lacked.
final class MissingBytes: Sendable {
  private let noted = Lock<Range<UInt64>?>(nil)

  var range: Range<UInt64>? { noted.withLock { $0 } }

  func note(_ range: Range<UInt64>) {
    noted.withLock { $0 = range }
  }
}
