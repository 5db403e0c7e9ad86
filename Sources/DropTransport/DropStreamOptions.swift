// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

public import ItemTransfer

/// How a drop stream is written or read.
public struct DropStreamOptions: Sendable, Hashable {
  /// What a reader allows.
  ///
  /// A writer offers no more representations and no longer types than that, and leaves out further supertypes: raise
  /// these where every reader will, too.
  public var limits = DropStreamLimits()
  /// The longest time that may pass without a byte moving.
  ///
  /// In a session it limits each wait for the other side, from the handshake to the acknowledgement. Time in which this
  /// side makes what was requested does not count, nor time in which the other side works on an offer that it has taken.
  /// `nil` waits for ever, but 30 seconds for a session's handshake, and
  /// ``DropListener/defaultSilenceTimeout`` for a peer of a listener that shows no sign of life.
  public var idleTimeout: Duration?
  /// How near the reader is: a writer leaves out the representations that are not visible there.
  ///
  /// A pipe cannot tell, so that whoever writes to one must know. A reader has no use for it.
  public var audience = ItemVisibility.all
  /// Whether a session's files may come as open files, which are quick to have but which nothing checks.
  ///
  /// Their owner may change them meanwhile. ``IncomingDrop/uncheckedTypes(ofItem:)`` tells which did.
  ///
  /// A file that is asked for in place always comes so, and memory that nobody can change any more needs no leave.
  public var acceptsUncheckedFiles = false
  /// The length of a chunk of content, and about how much is written at once; in bytes, from 1 to 16 MiB.
  public var chunkLength: Int {
    didSet { chunkLength = min(max(chunkLength, 1), 1 << 24) }
  }

  /// The defaults: no timeout, chunks that make frames of 64 KiB, which stay in a processor's cache on their way.
  public init() {
    chunkLength = (64 << 10) - FrameHeader.length - FrameHeader.checkLength
  }
}
