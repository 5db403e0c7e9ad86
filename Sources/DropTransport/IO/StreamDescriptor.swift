// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import Glibc
internal import ItemTransfer

/// A descriptor whose reads and writes can be interrupted and time out.
///
/// `O_NONBLOCK` on an inherited descriptor would affect every process that shares it. These modes avoid that:
/// - A pipe is opened again through `/proc`.
/// - If that fails, and for terminals and devices, each call is preceded by `poll`, and writes are short.
/// - Calls on a socket that must not wait take the flag `MSG_DONTWAIT`.
/// - Files, and memory devices such as `/dev/null`, never wait.
struct StreamDescriptor: ~Copyable {
  enum Mode {
    case file
    case socket
    /// Opened in non-blocking mode for this process alone.
    case nonBlocking
    /// Shared with other processes; may block.
    case polled
  }

  /// The preferred capacities of a pipe in bytes.
  ///
  /// The system allows 1 MiB by default, but not for more than 64 pipes of a user without privileges.
  private static let pipeLengths = [1 << 20, 256 << 10]

  let kindOfFile: FileStatus.Kind
  private let owned: OwnedDescriptor
  let mode: Mode
  /// The maximum capacity of a pipe in bytes, if it is known.
  private(set) var pipeCapacity: Int?
  let interrupt: Interrupt
  /// The longest wait for a byte; `nil` waits without limit.
  private let idleTimeout: Duration?
  private var hasBeenReadable = false
  /// The holes of a regular file.
  private var holes: FileHoles

  init(
    _ owned: consuming OwnedDescriptor, access: CInt, interrupt: Interrupt, idleTimeout: Duration?
  ) throws(SystemError) {
    self.interrupt = interrupt
    self.idleTimeout = idleTimeout
    let status = try SystemCalls.status(owned.raw)
    kindOfFile = status.kind
    holes = FileHoles(size: UInt64(kindOfFile == .regular ? status.size : 0))
    // Best effort: a smaller pipe is only slower.
    for length in kindOfFile == .pipe ? Self.pipeLengths : [] where pipeCapacity == nil {
      // The peer may widen the pipe later.
      pipeCapacity = (try? SystemCalls.widenPipe(owned.raw, to: length)).map { max($0, Self.pipeLengths[0]) }
    }
    if kindOfFile == .pipe, let again = try? SystemCalls.open("/proc/self/fd/\(owned.raw)", access | O_NONBLOCK) {
      self.owned = OwnedDescriptor(again)
      mode = .nonBlocking
      return
    }
    self.owned = owned
    mode =
      switch kindOfFile {
      case _ where status.neverWaits: .file
      case .socket: .socket
      default: .polled
      }
  }

  /// Opens an endpoint for one direction, `O_RDONLY` or `O_WRONLY`, with an interrupt of its own.
  static func open(
    _ endpoint: DropEndpoint, access: CInt, idleTimeout: Duration? = nil
  ) throws(DropStreamError) -> StreamDescriptor {
    try open(try endpoint.open(access: access), of: endpoint, access: access, idleTimeout: idleTimeout)
  }

  /// Creates a stream descriptor that takes over the descriptor of an opened endpoint.
  static func open(
    _ owned: consuming OwnedDescriptor, of endpoint: DropEndpoint, access: CInt, idleTimeout: Duration?
  ) throws(DropStreamError) -> StreamDescriptor {
    do throws(SystemError) {
      return try StreamDescriptor(owned, access: access, interrupt: Interrupt(), idleTimeout: idleTimeout)
    } catch {
      throw access == O_RDONLY
        ? DropStreamError(.sourceUnavailable, "cannot read \(endpoint)", error)
        : DropStreamError(.destinationUnavailable, "cannot write to \(endpoint)", error)
    }
  }

  var raw: CInt { owned.raw }

  /// Closes the descriptor.
  ///
  /// - Throws: The error of an earlier write that the system reports late.
  consuming func close() throws(SystemError) {
    try owned.close()
  }

  /// Truncates a file that is being written, and continues at its new end.
  func truncate(to length: UInt64) throws(SystemError) {
    try SystemCalls.truncate(owned.raw, Int64(length))
    _ = try SystemCalls.seek(owned.raw, Int64(length), SEEK_SET)
  }

  /// Skips the hole of a regular file at its current offset.
  ///
  /// - Parameter limit: The maximum number of bytes to skip.
  /// - Returns: The number of bytes; 0 without a hole that is worth skipping.
  /// - Throws: `systemCall`, `cancelled`.
  mutating func skipHole(atMost limit: UInt64) throws(DropStreamError) -> UInt64 {
    guard limit >= FileHoles.shortest, let (file, position, _) = try data(atMost: limit) else { return 0 }
    let found = try mapError(
      holes.length(at: position) { (offset, target) throws(SystemError) in
        try SystemCalls.seek(file, offset, target)
      }
    ) { Self.failure($0, event: POLLIN) }
    guard let found else { return 0 }
    try seek(Int64(position + min(found, limit)), SEEK_SET)
    return min(found, limit)
  }

  /// Returns the file and the offset from which ``read(into:)`` would read, and how many bytes precede the next hole.
  ///
  /// - Parameter limit: The maximum number of bytes.
  /// - Returns: `nil` unless this is a regular file of at least ``FileHoles/shortest`` bytes.
  /// - Throws: `systemCall`, `cancelled`.
  func data(atMost limit: UInt64) throws(DropStreamError) -> (file: CInt, offset: UInt64, count: UInt64)? {
    guard holes.canBeFound else { return nil }
    if interrupt.hasBeenRaised { throw .cancelled }
    let offset = UInt64(try mapError(SystemCalls.seek(owned.raw, 0, SEEK_CUR)) { Self.failure($0, event: POLLIN) })
    return (owned.raw, offset, min(limit, holes.dataLength(at: offset)))
  }

  /// Copies bytes up to the next hole to the current offset of another file, within the kernel.
  ///
  /// - Returns: `nil` if nothing was copied. The caller reads the bytes instead.
  /// - Throws: `systemCall`, `cancelled`.
  func copy(atMost limit: UInt64, to output: CInt) throws(DropStreamError) -> RangeCopy? {
    guard let (file, offset, count) = try data(atMost: limit),
      let copy = RangeCopy(count, of: file, at: offset, to: output)
    else { return nil }
    try seek(Int64(offset + copy.byteCount), SEEK_SET)
    return copy
  }

  /// Continues at another offset of a regular file (lseek(2)).
  func seek(_ offset: Int64, _ origin: CInt) throws(DropStreamError) {
    _ = try mapError(SystemCalls.seek(owned.raw, offset, origin)) { Self.failure($0, event: POLLIN) }
  }

  /// Reads the bytes that have arrived, and waits for the first byte.
  ///
  /// - Returns: The number of bytes; 0 at the end.
  mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws(DropStreamError) -> Int {
    // A read from a FIFO without a writer returns 0, as at the end. The wait ends only after a writer has opened the
    // FIFO.
    if !hasBeenReadable, mode != .file { try wait(for: POLLIN) }
    hasBeenReadable = true
    return try transfer(waitingFor: POLLIN, deadline: nil) { () throws(SystemError) in
      mode == .socket
        ? try SystemCalls.receive(owned.raw, buffer, CInt(MSG_DONTWAIT))
        : try SystemCalls.read(owned.raw, buffer)
    }
  }

  /// Waits for the first bytes, and returns them without reading them.
  ///
  /// A writer may begin with few bytes. After the first of them, the call waits up to a second for 4 KiB, or the end.
  ///
  /// - Parameter limit: The maximum number of bytes, at most the capacity of a pipe.
  /// - Returns: The bytes; empty at the end, for a terminal or a device, and where the system cannot do it.
  /// - Throws: The errors of ``read(into:)``.
  func peek(atMost limit: Int) throws(DropStreamError) -> [UInt8] {
    guard kindOfFile == .regular || kindOfFile == .pipe || mode == .socket else { return [] }
    if mode != .file { try wait(for: POLLIN) }
    var bytes = [UInt8](repeating: 0, count: limit)
    let deadline = ContinuousClock.now + .seconds(1)
    var count = 0
    while true {
      let more = bytes.withUnsafeMutableBufferPointer { peek(into: UnsafeMutableRawBufferPointer($0)) }
      count = max(count, more)
      if mode == .file || count == 0 || count >= min(limit, 4096) || hasEnded || ContinuousClock.now > deadline {
        break
      }
      if interrupt.isRaised(within: 10) { throw .cancelled }
    }
    return Array(bytes.prefix(count))
  }

  /// Whether the peer has closed the pipe or socket.
  private var hasEnded: Bool {
    let hangUp = Int16(POLLHUP) | Int16(POLLERR) | 0x2000  // POLLRDHUP
    var descriptors = [pollfd(fd: owned.raw, events: hangUp, revents: 0)]
    _ = try? SystemCalls.poll(&descriptors, 0)
    return descriptors[0].revents & hangUp != 0
  }

  /// Copies the first bytes into a buffer, and returns their number; 0 if that fails.
  private func peek(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    do throws(SystemError) {
      if mode == .socket { return try SystemCalls.receive(owned.raw, buffer, CInt(MSG_PEEK | MSG_DONTWAIT)) }
      guard kindOfFile == .pipe else {
        return try SystemCalls.read(owned.raw, buffer, at: try SystemCalls.seek(owned.raw, 0, SEEK_CUR))
      }
      let copy = try SystemCalls.pipe()
      let source = OwnedDescriptor(copy.read)
      let target = OwnedDescriptor(copy.write)
      let count = try SystemCalls.tee(owned.raw, into: target.raw, buffer.count)
      return count > 0 ? try SystemCalls.read(source.raw, buffer) : 0
    } catch {
      return 0
    }
  }

  /// Writes all bytes from an offset on.
  ///
  /// - Parameters:
  ///   - bytes: The bytes.
  ///   - offset: The offset of the first byte to write; advanced past all written bytes, even if an error follows.
  ///   - grace: The time that the write may take, during which interrupts are ignored. With `nil`, the idle timeout
  ///     applies, and an interrupt ends the write.
  /// - Throws: `peerGone`, `timedOut`, `cancelled`, `systemCall`.
  func write(_ bytes: RawSpan, from offset: inout Int, grace: Duration? = nil) throws(DropStreamError) {
    let deadline = grace.map { ContinuousClock.now + $0 }
    try bytes.withUnsafeBytes { bytes throws(DropStreamError) in
      while offset < bytes.count {
        offset += try writeSome(UnsafeRawBufferPointer(rebasing: bytes[offset...]), deadline)
      }
    }
  }

  /// Waits until the descriptor accepts bytes, and writes as many of `bytes` as it accepts.
  private func writeSome(
    _ bytes: UnsafeRawBufferPointer, _ deadline: ContinuousClock.Instant? = nil
  ) throws(DropStreamError) -> Int {
    let piece = mode == .polled ? UnsafeRawBufferPointer(rebasing: bytes.prefix(Int(PIPE_BUF))) : bytes
    return try transfer(waitingFor: POLLOUT, deadline: deadline) { () throws(SystemError) in
      mode == .socket
        ? try SystemCalls.send(owned.raw, piece, CInt(MSG_DONTWAIT) | CInt(MSG_NOSIGNAL))
        : try SystemCalls.writeSilently(owned.raw, piece)
    }
  }

  /// Moves bytes of a file into a pipe without a copy in this process, and waits until the pipe accepts some.
  ///
  /// - Parameters:
  ///   - file: The descriptor of a regular file.
  ///   - offset: The offset of the first byte.
  ///   - count: The maximum number of bytes.
  /// - Returns: The number of bytes; 0 at the end of the file, and if the kernel cannot move them. A write of the bytes
  ///   then reports any error.
  /// - Throws: `timedOut`, `cancelled`, `systemCall`.
  func moveSome(of file: CInt, at offset: UInt64, _ count: Int) throws(DropStreamError) -> Int {
    try transfer(waitingFor: POLLOUT, deadline: nil) { () throws(SystemError) in
      do throws(SystemError) {
        return try SystemCalls.splice(file, at: Int64(offset), into: owned.raw, count)
      } catch {
        if error.errorNumber == EAGAIN { throw error }
        return 0
      }
    }
  }

  private func transfer(
    waitingFor event: CInt, deadline: ContinuousClock.Instant?, _ call: () throws(SystemError) -> Int
  ) throws(DropStreamError) -> Int {
    if mode == .polled { try wait(for: event, deadline: deadline) }
    while true {
      if deadline == nil, interrupt.hasBeenRaised { throw .cancelled }
      do throws(SystemError) {
        return try call()
      } catch {
        guard error.errorNumber == EAGAIN else { throw Self.failure(error, event: event) }
        try wait(for: event, deadline: deadline)
      }
    }
  }

  /// Returns the error for a failed call that reads (`POLLIN`) or writes (`POLLOUT`).
  ///
  /// Without a name for the peer, it is the sender or the receiver of a stream.
  static func failure(_ error: SystemError, event: CInt, peer: String? = nil) -> DropStreamError {
    switch error.errorNumber {
    case EPIPE, ECONNRESET:
      let peer = peer ?? (event == POLLIN ? "sender" : "receiver")
      return DropStreamError(.peerGone, "the \(peer) is gone", errorNumber: error.errorNumber)
    default: return DropStreamError(.systemCall, event == POLLIN ? "cannot read" : "cannot write", error)
    }
  }

  /// Waits until the descriptor is ready, for no longer than the deadline or the idle timeout allows.
  func wait(for event: CInt, deadline: ContinuousClock.Instant? = nil) throws(DropStreamError) {
    let limit = deadline ?? idleTimeout.map { ContinuousClock.now + $0 }
    var descriptors = [pollfd(fd: owned.raw, events: Int16(event), revents: 0)]
    // A write with a deadline is the final frame, which is also written after an interrupt.
    if deadline == nil { descriptors.append(pollfd(fd: interrupt.descriptor, events: Int16(POLLIN), revents: 0)) }
    while true {
      do throws(SystemError) {
        if try SystemCalls.poll(&descriptors, try milliseconds(until: limit)) == 0 { continue }
      } catch {
        switch error.errorNumber {
        case EINTR: continue
        case ETIMEDOUT: throw DropStreamError(.timedOut, "no byte was transferred within \(idleTimeout ?? .zero)")
        default: throw DropStreamError(.systemCall, "cannot wait", error)
        }
      }
      if descriptors.count > 1, descriptors[1].revents != 0 { throw .cancelled }
      if descriptors[0].revents & Int16(POLLNVAL) != 0 {
        throw DropStreamError(.systemCall, "cannot wait", SystemError(EBADF, in: "poll"))
      }
      if descriptors[0].revents != 0 { return }
    }
  }

  /// Returns the timeout of `poll`; throws `ETIMEDOUT` if the limit has passed.
  private func milliseconds(until limit: ContinuousClock.Instant?) throws(SystemError) -> CInt {
    guard let limit else { return -1 }
    let left = limit - .now
    guard left > .zero else { throw SystemError(ETIMEDOUT, in: "poll") }
    // The timeout is rounded up: a timeout of 0 would turn the rest of the last millisecond into a busy loop.
    return CInt(clamping: Int64((left / .milliseconds(1)).rounded(.up)))
  }
}

/// Operations for sessions: transfers without waiting, separate waits, and descriptors beside bytes.
extension StreamDescriptor {
  /// Reads the bytes that have arrived.
  ///
  /// - Parameters:
  ///   - buffer: Memory for at least one byte.
  ///   - descriptors: Receives the descriptors that were passed beside the bytes, which the caller closes. The value -1
  ///     stands for descriptors that this process could not accept.
  /// - Returns: The number of bytes, 0 at the end; `nil` if no byte has arrived.
  /// - Throws: `peerGone`, `systemCall`.
  func readAvailable(
    into buffer: UnsafeMutableRawBufferPointer, descriptors: inout [CInt]
  ) throws(DropStreamError) -> Int? {
    if mode == .polled, try !isReady(for: POLLIN) { return nil }
    do throws(SystemError) {
      return mode == .socket
        ? try SystemCalls.receive(raw, buffer, descriptors: &descriptors, CInt(MSG_DONTWAIT))
        : try SystemCalls.read(raw, buffer)
    } catch {
      if error.errorNumber == EAGAIN { return nil }
      throw Self.failure(error, event: POLLIN, peer: "peer")
    }
  }

  /// Writes as much as the descriptor accepts without waiting.
  ///
  /// - Parameters:
  ///   - bytes: At least one byte.
  ///   - descriptor: A descriptor to pass with the first byte; only to a socket.
  /// - Returns: The number of bytes; 0 if the descriptor is not ready.
  /// - Throws: `peerGone`, `systemCall`.
  func writeWithoutWaiting(_ bytes: UnsafeRawBufferPointer, with descriptor: CInt? = nil) throws(DropStreamError) -> Int
  {
    if mode == .polled, try !isReady(for: POLLOUT) { return 0 }
    do throws(SystemError) {
      switch mode {
      case .socket:
        if let descriptor { return try SystemCalls.send(raw, bytes, with: descriptor) }
        return try SystemCalls.send(raw, bytes, CInt(MSG_DONTWAIT) | CInt(MSG_NOSIGNAL))
      case .polled:
        return try SystemCalls.writeSilently(raw, UnsafeRawBufferPointer(rebasing: bytes.prefix(Int(PIPE_BUF))))
      case .file, .nonBlocking: return try SystemCalls.writeSilently(raw, bytes)
      }
    } catch {
      if error.errorNumber == EAGAIN { return 0 }
      throw Self.failure(error, event: POLLOUT, peer: "peer")
    }
  }

  /// Waits until the descriptor can be read or written.
  ///
  /// - Parameters:
  ///   - event: `POLLIN` or `POLLOUT`.
  ///   - limit: The longest wait; `nil` waits without limit.
  ///   - heedsInterrupt: Whether an interrupt ends the wait.
  /// - Returns: Whether the descriptor is ready; `false` if the time has passed or a signal has ended the wait.
  /// - Throws: `cancelled` if the wait is interrupted, `systemCall`.
  func waits(for event: CInt, atMost limit: Duration?, heedsInterrupt: Bool = true) throws(DropStreamError) -> Bool {
    var descriptors = [pollfd(fd: raw, events: Int16(event), revents: 0)]
    if heedsInterrupt { descriptors.append(pollfd(fd: interrupt.descriptor, events: Int16(POLLIN), revents: 0)) }
    let milliseconds = limit.map { CInt(clamping: Int64(($0 / .milliseconds(1)).rounded(.up))) } ?? -1
    do throws(SystemError) {
      if try SystemCalls.poll(&descriptors, milliseconds) == 0 { return false }
    } catch {
      // The caller checks the time, and waits again.
      if error.errorNumber == EINTR { return false }
      throw DropStreamError(.systemCall, "cannot wait", error)
    }
    if descriptors.count > 1, descriptors[1].revents != 0 { throw .cancelled }
    if descriptors[0].revents & Int16(POLLNVAL) != 0 {
      throw DropStreamError(.systemCall, "cannot wait", SystemError(EBADF, in: "poll"))
    }
    return true
  }

  private func isReady(for event: CInt) throws(DropStreamError) -> Bool {
    try waits(for: event, atMost: .zero, heedsInterrupt: false)
  }
}
