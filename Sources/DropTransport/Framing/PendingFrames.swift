// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// Frames that are made and not written yet.
struct PendingFrames: Sendable {
  var encoder = FrameEncoder()
  var bytes: [UInt8] = []

  /// Makes frames: what makes them is given the encoder and what has gathered.
  mutating func add(_ frames: (inout FrameEncoder, inout [UInt8]) -> Void) {
    frames(&encoder, &bytes)
  }
}
