// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import Glibc
internal import ItemTransfer

/// A file that is being sent, which must have the promised size.
struct FileSource: ~Copyable {
  private var descriptor: StreamDescriptor
  private let path: String
  /// The promised size, or the size that the file states; `nil` if neither is known.
  let promised: UInt64?
  /// The status before the first read; `nil` if the source does not state a size.
  private let before: FileStatus?

  private init(_ descriptor: consuming StreamDescriptor, path: String, promised: UInt64?, before: FileStatus?) {
    self.before = before
    self.descriptor = descriptor
    self.path = path
    self.promised = promised
  }

  /// The name of the file in messages.
  private var name: String { Self.name(of: path) }

  private static func name(of path: String) -> String {
    DropEndpoint.descriptor(at: path) == STDIN_FILENO ? "standard input" : path.escapedForDisplay()
  }

  /// Opens a regular file, or another file that can be read to its end, such as a pipe.
  static func open(
    _ path: String, promised: UInt64?, interrupt: Interrupt, idleTimeout: Duration?
  ) throws(DropStreamError) -> FileSource {
    let shared = DropEndpoint.descriptor(at: path)
    do throws(SystemError) {
      // A FIFO must not block the open, and a terminal must not become the controlling terminal.
      let owned =
        if let shared {
          OwnedDescriptor(try SystemCalls.duplicate(shared))
        } else {
          try OwnedDescriptor.open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY)
        }
      let status = try SystemCalls.status(owned.raw)
      if status.kind == .directory { throw SystemError(EISDIR, in: "open") }
      // Another owner of a shared descriptor may have read a part.
      let stated = shared == nil ? status.statedSize.flatMap(UInt64.init(exactly:)) : nil
      let before = stated == nil ? nil : status
      return FileSource(
        try StreamDescriptor(owned, access: O_RDONLY, interrupt: interrupt, idleTimeout: idleTimeout), path: path,
        promised: promised ?? stated, before: before)
    } catch {
      throw DropStreamError(.sourceUnavailable, "cannot open \(name(of: path))", error)
    }
  }

  /// Appends a chunk of the source to `buffer`.
  ///
  /// A chunk of a regular file is shorter than `length` only before a hole and at the end of the file. From any other
  /// source, only the bytes that have arrived are appended.
  ///
  /// - Returns: The number of bytes, whether the source has ended, and the offset of the bytes in a file that this
  ///   process opened.
  /// - Throws: `sourceUnavailable` if the source cannot be read, `representationFailed` after the idle timeout,
  ///   `cancelled`.
  mutating func append(
    to buffer: inout [UInt8], atMost length: Int
  ) throws(DropStreamError) -> (count: Int, isLast: Bool, offset: UInt64?) {
    // The chunk ends before the next hole. Beyond the stated size, only a read shows whether the file has more bytes.
    let data = try reading { (source) throws(DropStreamError) in try source.data(atMost: UInt64(length)) }
    let limit = data.map { Int($0.count) } ?? length
    let isRegular = descriptor.kindOfFile == .regular
    let start = buffer.count
    let isLast = try buffer.appendBytes(atMost: limit) { room, count throws(DropStreamError) in
      repeat {
        let rest = UnsafeMutableRawBufferPointer(rebasing: room[count...])
        let more = try reading { (source) throws(DropStreamError) in try source.read(into: rest) }
        if more == 0 { return true }
        count += more
      } while isRegular && count < limit
      return false
    }
    return (buffer.count - start, isLast, before == nil ? nil : data?.offset)
  }

  var file: CInt { descriptor.raw }

  /// Copies bytes up to the next hole to the current offset of another file.
  ///
  /// - Returns: `nil` if nothing was copied, and for a source that may have been read in part.
  /// - Throws: `sourceUnavailable`, `cancelled`.
  mutating func copy(atMost limit: UInt64, to output: CInt) throws(DropStreamError) -> RangeCopy? {
    if before == nil { return nil }
    return try reading { (source) throws(DropStreamError) in try source.copy(atMost: limit, to: output) }
  }

  /// Skips a hole in the file, whose bytes are all zero.
  ///
  /// - Returns: The length of the hole in bytes; 0 without a hole that is worth skipping.
  /// - Throws: `sourceUnavailable`, `cancelled`.
  mutating func skipHole() throws(DropStreamError) -> UInt64 {
    try reading { (source) throws(DropStreamError) in try source.skipHole(atMost: .max) }
  }

  private mutating func reading<Value>(
    _ body: (inout StreamDescriptor) throws(DropStreamError) -> Value
  ) throws(DropStreamError) -> Value {
    do throws(DropStreamError) {
      return try body(&descriptor)
    } catch {
      if error.code == .timedOut {
        let cause = DropStreamError(.timedOut, "\(name): \(error.reason)")
        throw DropStreamError(.representationFailed, cause.reason, underlyingError: cause)
      }
      // Only the source has failed, so the stream can continue.
      guard error.code == .systemCall || error.code == .peerGone, let errorNumber = error.errorNumber else {
        throw error
      }
      throw DropStreamError(.sourceUnavailable, "cannot read \(name)", SystemError(errorNumber, in: "read"))
    }
  }

  /// Rejects a file that has grown or shrunk since it was offered, or was written to since it was opened.
  ///
  /// The bytes that were read of such a file may be partly old and partly new.
  func check(_ total: UInt64, isLast: Bool) throws(DropStreamError) {
    if let promised, total > promised || (isLast && total < promised) {
      let change = total > promised ? "grew beyond" : "ended at byte \(total), short of"
      throw DropStreamError(.sourceChanged, "\(name) changed while it was sent: it \(change) its \(promised) bytes")
    }
    guard let before else { return }
    let now = try mapError(SystemCalls.status(descriptor.raw)) {
      DropStreamError(.sourceUnavailable, "cannot read \(name)", $0)
    }
    if !now.isUnchanged(since: before) {
      throw DropStreamError(.sourceChanged, "\(name) changed while it was sent: it was written to")
    }
  }
}

extension [UInt8] {
  /// Appends bytes that `body` writes to uninitialized memory.
  mutating func appendBytes<Result>(
    atMost limit: Int, _ body: (UnsafeMutableRawBufferPointer, inout Int) throws(DropStreamError) -> Result
  ) throws(DropStreamError) -> Result {
    var result: Result?
    try append(addingCapacity: limit) { span throws(DropStreamError) in
      try span.withUnsafeMutableBufferPointer { memory, count throws(DropStreamError) in
        result = try body(
          UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(memory)[..<limit]), &count)
      }
    }
    return result.unsafelyUnwrapped
  }
}
