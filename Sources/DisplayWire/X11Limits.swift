// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// The limits that protect a connection from too many events, too long responses and a server that does not read.
package struct X11Limits: Sendable, Hashable {
  /// The maximum number of queued bytes of requests that are not yet written.
  package var queuedBytes: Int
  /// The maximum number of bytes of a response.
  package var responseBytes: Int
  /// The maximum number of events that the program has not read yet.
  package var events: Int

  /// Creates limits.
  package init(queuedBytes: Int = 64 << 20, responseBytes: Int = 64 << 20, events: Int = 65_536) {
    self.queuedBytes = queuedBytes
    self.responseBytes = responseBytes
    self.events = events
  }
}
