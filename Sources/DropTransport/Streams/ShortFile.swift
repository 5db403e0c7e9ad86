// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import Glibc

/// A regular file whose bytes are read without waiting, in a task.
///
/// The file system must report what is in memory. Otherwise, a ``FileSource`` reads the file on a thread that may wait,
/// and reports all errors.
struct ShortFile {
  let path: String
  let promised: UInt64?
  /// The maximum number of bytes.
  let atMost: Int

  /// The maximum length of a file that is read without waiting, since the copy itself takes time.
  private static let longest = 256 << 10

  /// Appends all bytes of the file to `buffer`.
  ///
  /// - Returns: The number of bytes; `nil` if the file is not a regular file in memory, is too long, is written meanwhile,
  ///   has another size than promised, or cannot be read. The buffer may then have a part of the file.
  func append(to buffer: inout [UInt8]) -> Int? {
    guard DropEndpoint.descriptor(at: path) == nil else { return nil }
    do {
      let file = try OwnedDescriptor.openRegularAtOnce(path, O_RDONLY | O_NONBLOCK)
      let before = try SystemCalls.statusAtOnce(file.raw)
      guard before.size <= min(atMost, Self.longest), promised.map({ $0 == UInt64(before.size) }) ?? true
      else { return nil }
      let count = try buffer.appendAtOnce(from: file.raw, Int(before.size))
      return try SystemCalls.statusAtOnce(file.raw).isUnchanged(since: before) ? count : nil
    } catch {
      return nil
    }
  }
}

extension [UInt8] {
  /// Appends the first `count` bytes of a file; fails if the file has fewer bytes or more, or would have to wait.
  fileprivate mutating func appendAtOnce(from file: CInt, _ count: Int) throws(DropStreamError) -> Int {
    // One byte more shows whether the file has grown.
    try appendBytes(atMost: count + 1) { room, used throws(DropStreamError) in
      do throws(SystemError) {
        let read = try SystemCalls.readAtOnce(file, room, at: 0)
        guard read == count else { throw SystemError(EAGAIN, in: "preadv2") }
        used = read
      } catch {
        throw DropStreamError(.systemCall, "cannot read a file at once", error)
      }
      return count
    }
  }
}
