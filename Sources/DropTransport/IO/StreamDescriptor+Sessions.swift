// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import Glibc

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

  /// Whether a frame in three parts can be written in one system call.
  var takesParts: Bool { mode == .socket }

  /// Writes as much of a frame in three parts as the descriptor accepts without waiting; requires ``takesParts``.
  ///
  /// - Parameters:
  ///   - head: The first part.
  ///   - content: The second part.
  ///   - tail: The last part. All three together are at least one byte.
  /// - Returns: The number of bytes; 0 if the descriptor is not ready.
  /// - Throws: `peerGone`, `systemCall`.
  func writeWithoutWaiting(
    _ head: UnsafeRawBufferPointer, _ content: UnsafeRawBufferPointer, _ tail: UnsafeRawBufferPointer
  ) throws(DropStreamError) -> Int {
    do throws(SystemError) { return try SystemCalls.send(raw, head, content, tail) } catch {
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
