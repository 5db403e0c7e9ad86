// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import FoundationEssentials
internal import ItemTransfer

/// The digest of the start of a content, with which a source and a destination compare it.
///
/// A checksum would not suffice: four chosen bytes give any content any CRC, and a destination may have received the
/// start from another source. The content is hashed in parts of 1 MiB, and the digest is the hash of their hashes. So a
/// hole of a file costs no time for each of its bytes.
///
/// It is an object, because few responses need it, and its state would enlarge the memory of every response.
final class StartDigest {
  private static let partLength = 1 << 20
  private static let hashOfZeros: [UInt8] = {
    var part = SHA256()
    ZeroBytes.chunk(of: UInt64(partLength)).withUnsafeBytes { part.update($0) }
    return part.value
  }()

  private var parts = SHA256()
  /// The part that more bytes continue, and its length.
  private var part = SHA256()
  private var partCount = 0

  /// The digest of all bytes so far, in 32 bytes.
  var value: [UInt8] {
    var all = parts
    if partCount > 0 { all.update(part.value) }
    return all.value
  }

  func update(_ bytes: UnsafeRawBufferPointer) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let piece = rest.prefix(Self.partLength - partCount)
      part.update(UnsafeRawBufferPointer(rebasing: piece))
      partCount += piece.count
      rest = rest.dropFirst(piece.count)
      if partCount == Self.partLength { endPart(part.value) }
    }
  }

  func update(zeros count: UInt64) {
    var rest = count
    while rest > 0 {
      if partCount == 0, rest >= UInt64(Self.partLength) {
        endPart(Self.hashOfZeros)
        rest -= UInt64(Self.partLength)
      } else {
        let chunk = ZeroBytes.chunk(of: min(rest, UInt64(Self.partLength - partCount)))
        chunk.withUnsafeBytes { update($0) }
        rest -= UInt64(chunk.count)
      }
    }
  }

  private func endPart(_ hash: [UInt8]) {
    parts.update(hash)
    part = SHA256()
    partCount = 0
  }
}
