// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import CDropShims
internal import Glibc
internal import ItemCoding
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
  /// A shorter hole costs little to read, and what is read every reader of the format understands.
  private static let shortestHole: UInt64 = 1 << 20
  private var position: UInt64 = 0
  /// Up to where there is no hole worth skipping.
  private var dataEnd: UInt64 = 0

  private init(_ descriptor: consuming StreamDescriptor, name: String, promised: UInt64?, before: FileStatus?) {
    self.before = before
    isRegular = descriptor.kindOfFile == .regular
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
    let limit = dataEnd > position ? Int(min(UInt64(chunk.count), dataEnd - position)) : chunk.count
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
    guard isRegular, let size = before?.statedSize.map({ UInt64($0) }), size >= Self.shortestHole, position >= dataEnd,
      position < size
    else { return 0 }
    do throws(SystemError) {
      let raw = descriptor.raw
      let start = min(size, try Self.seek(raw, position, CInt(dragpipe_seek_data)) ?? size)
      let length = start - position
      if length >= Self.shortestHole { position = start }
      // Holes that are too short are read with the data around them, so that chunks are long.
      var next = start
      repeat {
        dataEnd = min(size, try Self.seek(raw, next, CInt(dragpipe_seek_hole)) ?? size)
        next = min(size, try Self.seek(raw, dataEnd, CInt(dragpipe_seek_data)) ?? size)
      } while dataEnd < size && next - dataEnd < Self.shortestHole && dataEnd - position < Self.shortestHole
      _ = try SystemCalls.seek(raw, Int64(position), SEEK_SET)
      return length >= Self.shortestHole ? length : 0
    } catch {
      throw DropStreamError(.sourceUnavailable, "cannot read \(name)", error)
    }
  }

  /// Returns where the next data or hole is; `nil` where nothing but a hole follows.
  private static func seek(_ raw: CInt, _ offset: UInt64, _ whence: CInt) throws(SystemError) -> UInt64? {
    do throws(SystemError) {
      return UInt64(try SystemCalls.seek(raw, Int64(offset), whence))
    } catch {
      switch error.errno {
      case ENXIO: return nil
      // A file system that knows no holes: all is data.
      case EINVAL, EOPNOTSUPP: return whence == CInt(dragpipe_seek_data) ? offset : nil
      default: throw error
      }
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
      guard error.code == .systemCall || error.code == .peerGone, let errno = error.errno else { throw error }
      throw DropStreamError(.sourceUnavailable, "cannot read \(name)", SystemError(errno, in: "read"))
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
