// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// Limits of a connection against a server, or a program of this machine, that overwhelms it.
package struct X11Limits: Sendable, Hashable {
  /// The maximum number of bytes of requests that wait to be written.
  package var queuedBytes: Int
  /// The maximum number of bytes of a response.
  package var responseBytes: Int
  /// The maximum number of events that wait to be read.
  package var events: Int

  /// Creates limits.
  package init(queuedBytes: Int = 64 << 20, responseBytes: Int = 64 << 20, events: Int = 65_536) {
    self.queuedBytes = queuedBytes
    self.responseBytes = responseBytes
    self.events = events
  }
}
