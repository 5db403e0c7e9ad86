// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import Glibc
internal import ItemTransfer

/// A file being sent, held to the size that was promised for it.
struct FileSource: ~Copyable {
  private var descriptor: StreamDescriptor
  private let name: String
  /// How many bytes there must be, where that is known.
  let promised: UInt64?
  /// Whether a read that returns less than was asked for has come to the end.
  private let isRegular: Bool
  /// What the system said of a file before it was read; `nil` for what has no content of its own.
  private let before: FileStatus?
  private var position: UInt64 = 0
  private var holes: FileHoles

  private init(_ descriptor: consuming StreamDescriptor, name: String, promised: UInt64?, before: FileStatus?) {
    self.before = before
    isRegular = descriptor.kindOfFile == .regular
    holes = FileHoles(size: UInt64(before?.statedSize ?? 0))
    self.descriptor = descriptor
    self.name = name
    self.promised = promised
  }

  /// Opens a file, or anything else that can be read to an end.
  static func open(
    _ path: String, promised: UInt64?, interrupt: Interrupt, idleTimeout: Duration?
  ) throws(DropStreamError) -> FileSource {
    let shared = DropEndpoint.descriptor(at: path)
    let name = shared == STDIN_FILENO ? "standard input" : path.escapedForDisplay()
    do throws(SystemError) {
      // A FIFO must not hold up the open, nor a terminal become ours.
      let owned =
        if let shared {
          OwnedDescriptor(try SystemCalls.duplicate(shared))
        } else {
          try OwnedDescriptor.open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY)
        }
      let status = try SystemCalls.status(owned.raw)
      if status.kind == .directory { throw SystemError(EISDIR, in: "open") }
      // Of a shared descriptor somebody may have read a part.
      let stated = shared == nil ? status.statedSize.flatMap(UInt64.init(exactly:)) : nil
      let before = stated == nil ? nil : status
      return FileSource(
        try StreamDescriptor(owned, access: O_RDONLY, interrupt: interrupt, idleTimeout: idleTimeout), name: name,
        promised: promised ?? stated, before: before)
    } catch {
      throw DropStreamError(.sourceUnavailable, "cannot open \(name)", error)
    }
  }

  /// Reads a chunk: as much as fits of a file, what there is of anything else.
  ///
  /// - Throws: `sourceUnavailable` where it cannot be read, `cancelled`.
  mutating func fill(_ chunk: UnsafeMutableRawBufferPointer) throws(DropStreamError) -> (count: Int, isLast: Bool) {
    var count = 0
    // Up to the next hole; beyond what is known now, only the system can tell whether there is more.
    let limit = holes.dataEnd > position ? Int(min(UInt64(chunk.count), holes.dataEnd - position)) : chunk.count
    repeat {
      let more = try read(into: UnsafeMutableRawBufferPointer(rebasing: chunk[count..<limit]))
      if more == 0 { return (count, true) }
      count += more
      position += UInt64(more)
    } while isRegular && count < limit
    return (count, false)
  }

  /// Goes over a hole in the file, whose bytes are all zero.
  ///
  /// - Returns: Its length; 0 where there is none worth it, or the file system cannot tell.
  /// - Throws: `sourceUnavailable`.
  mutating func skipHole() throws(DropStreamError) -> UInt64 {
    guard isRegular else { return 0 }
    do throws(SystemError) {
      let raw = descriptor.raw
      let found = try holes.length(at: position) { (offset, target) throws(SystemError) in
        try SystemCalls.seek(raw, offset, target)
      }
      guard let length = found else { return 0 }
      position += length
      _ = try SystemCalls.seek(raw, Int64(position), SEEK_SET)
      return length
    } catch {
      throw DropStreamError(.sourceUnavailable, "cannot read \(name)", error)
    }
  }

  private mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws(DropStreamError) -> Int {
    do throws(DropStreamError) {
      return try descriptor.read(into: buffer)
    } catch {
      if error.code == .timedOut {
        let cause = DropStreamError(.timedOut, "\(name): \(error.reason)")
        throw DropStreamError(.representationFailed, cause.reason, underlyingError: cause)
      }
      // It is the source that is gone or cannot be read: the stream that it is sent into is as sound as before.
      guard error.code == .systemCall || error.code == .peerGone, let errorNumber = error.errorNumber else {
        throw error
      }
      throw DropStreamError(.sourceUnavailable, "cannot read \(name)", SystemError(errorNumber, in: "read"))
    }
  }

  /// Refuses a file that has grown or shrunk since it was offered, or was written to since it was opened: a part may
  /// then be old, and another new.
  func check(_ total: UInt64, isLast: Bool) throws(DropStreamError) {
    if let promised, total > promised || (isLast && total < promised) {
      let change = total > promised ? "grew beyond" : "ended at byte \(total), short of"
      throw DropStreamError(.sourceChanged, "\(name) changed while it was sent: it \(change) its \(promised) bytes")
    }
    guard isLast, let before else { return }
    let now: FileStatus
    do throws(SystemError) { now = try SystemCalls.status(descriptor.raw) } catch {
      throw DropStreamError(.sourceUnavailable, "cannot read \(name)", error)
    }
    if !now.isUnchanged(since: before) {
      throw DropStreamError(.sourceChanged, "\(name) changed while it was sent: it was written to")
    }
  }
}
