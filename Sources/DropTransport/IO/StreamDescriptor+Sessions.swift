// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import Glibc

/// What a session needs: calls that never wait, waits of their own, and descriptors beside bytes.
extension StreamDescriptor {
  /// Reads what there is.
  ///
  /// - Parameters:
  ///   - buffer: Room for one byte at least.
  ///   - descriptors: Takes what came beside the bytes; they are the caller's to close. One that this process could
  ///     not take is -1.
  ///   - mayWait: Whether a socket may wait for the first byte, which nothing but ``endReading()`` interrupts: one call in
  ///     the place of three.
  /// - Returns: The number of bytes, 0 at the end; `nil` where nothing has come yet.
  /// - Throws: `peerGone`, `systemCall`.
  func readAvailable(
    into buffer: UnsafeMutableRawBufferPointer, descriptors: inout [CInt], mayWait: Bool
  ) throws(DropStreamError) -> Int? {
    if mode == .polled, try !isReady(for: POLLIN) { return nil }
    do throws(SystemError) {
      return mode == .socket
        ? try SystemCalls.receive(raw, buffer, descriptors: &descriptors, mayWait ? 0 : CInt(MSG_DONTWAIT))
        : try SystemCalls.read(raw, buffer)
    } catch {
      if error.errorNumber == EAGAIN { return nil }
      throw Self.failure(error, event: POLLIN)
    }
  }

  /// Writes as much as the descriptor takes now.
  ///
  /// - Parameters:
  ///   - bytes: One byte at least.
  ///   - descriptor: Travels with the first byte; only a socket takes one.
  /// - Returns: The number of bytes; 0 where it takes none yet.
  /// - Throws: `peerGone`, `systemCall`.
  func writeAvailable(_ bytes: UnsafeRawBufferPointer, with descriptor: CInt? = nil) throws(DropStreamError) -> Int {
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
      throw Self.failure(error, event: POLLOUT)
    }
  }

  /// Whether parts that lie apart are written at a time.
  var takesParts: Bool { mode == .socket }

  /// Writes what is taken of a frame in three parts; it ``takesParts``.
  ///
  /// - Parameters:
  ///   - head: Comes first.
  ///   - content: Comes behind it.
  ///   - tail: Comes last; of all three there is one byte at least.
  /// - Returns: The number of bytes; 0 where it takes none yet.
  /// - Throws: `peerGone`, `systemCall`.
  func writeAvailable(
    _ head: UnsafeRawBufferPointer, _ content: UnsafeRawBufferPointer, _ tail: UnsafeRawBufferPointer
  ) throws(DropStreamError) -> Int {
    do throws(SystemError) { return try SystemCalls.send(raw, head, content, tail) } catch {
      if error.errorNumber == EAGAIN { return 0 }
      throw Self.failure(error, event: POLLOUT)
    }
  }

  /// Limits how long a socket waits for its first byte; the best effort.
  func setReceiveTimeout(_ limit: Duration) {
    if mode == .socket { try? SystemCalls.setReceiveTimeout(raw, limit) }
  }

  /// Lets whoever waits to read from the socket find its end; may be called through another descriptor of it.
  func endReading() {
    if mode == .socket { try? SystemCalls.shutDown(raw, CInt(SHUT_RD)) }
  }

  /// Waits until there is something to read, or room to write.
  ///
  /// - Parameters:
  ///   - event: `POLLIN` or `POLLOUT`.
  ///   - limit: How long; for ever where there is none.
  ///   - heedsInterrupt: Whether an interrupt ends the wait.
  /// - Returns: Whether it is ready; `false` when the time has passed.
  /// - Throws: `cancelled` when interrupted, `systemCall`.
  func waits(for event: CInt, atMost limit: Duration?, heedsInterrupt: Bool = true) throws(DropStreamError) -> Bool {
    var descriptors = [pollfd(fd: raw, events: Int16(event), revents: 0)]
    if heedsInterrupt { descriptors.append(pollfd(fd: interrupt.descriptor, events: Int16(POLLIN), revents: 0)) }
    let milliseconds = limit.map { CInt(clamping: Int64(($0 / .milliseconds(1)).rounded(.up))) } ?? -1
    do throws(SystemError) {
      if try SystemCalls.poll(&descriptors, milliseconds) == 0 { return false }
    } catch {
      // The caller looks at its own clock, and waits again.
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
