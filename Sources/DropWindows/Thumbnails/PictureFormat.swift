// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// The picture formats that thumbnails are made of.
///
/// Others are left out: their decoders have fewer users, and more faults.
enum PictureFormat: String, Sendable, CaseIterable {
  case png = "image/png"
  case jpeg = "image/jpeg"
  case gif = "image/gif"
  case webp = "image/webp"

  /// Recognizes the format by the first bytes.
  init?(_ bytes: some Sequence<UInt8>) {
    let start = Array(bytes.prefix(12))
    switch start {
    case _ where start.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]): self = .png
    case _ where start.starts(with: [0xFF, 0xD8, 0xFF]): self = .jpeg
    case _ where start.starts(with: Array("GIF8".utf8)): self = .gif
    case _ where start.starts(with: Array("RIFF".utf8)) && start.dropFirst(8) == ArraySlice(Array("WEBP".utf8)):
      self = .webp
    default: return nil
    }
  }
}
