// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

@testable import DropTransport

/// A stream of two items, with content in one frame, in chunks and empty.
///
/// It is short enough for every possible corruption.
enum SmallStream {
  static let items = [
    ReceivedItem("greeting.txt", ["public.utf8-plain-text": Array("Hail, Odysseus".utf8), "public.data": [0, 1, 2]]),
    ReceivedItem(nil, ["public.data": []]),
  ]

  static let built: (bytes: [UInt8], frames: [Range<Int>]) = {
    var encoder = FrameEncoder()
    var bytes: [UInt8] = []
    var frames: [Range<Int>] = []
    func add(_ append: (inout FrameEncoder, inout [UInt8]) -> Void) {
      let start = bytes.count
      append(&encoder, &bytes)
      frames.append(start..<bytes.count)
    }

    encoder.appendPreamble(to: &bytes)
    for (number, item) in items.enumerated() {
      let offer = DropOffer(
        suggestedName: item.name,
        representations: item.representations.enumerated().map {
          // Only the first representation has a promised size.
          .init(typeIdentifier: $1.type, byteCount: $0 == 0 ? UInt64($1.content.count) : nil)
        })
      add { $0.appendOffer(offer, to: &$1) }
      for (index, representation) in item.representations.enumerated() {
        let content = representation.content
        if number == 0, index == 0 {
          for piece in [content[..<5], content[5...]] {
            add { encoder, bytes in piece.withUnsafeBytes { encoder.appendData($0, whole: false, to: &bytes) } }
          }
          add { $0.appendEndOfRepresentation(byteCount: UInt64(content.count), to: &$1) }
        } else {
          add { encoder, bytes in content.withUnsafeBytes { encoder.appendData($0, whole: true, to: &bytes) } }
        }
      }
      add { $0.appendEndOfItem(representationCount: UInt32(item.representations.count), to: &$1) }
    }
    add { $0.appendEndOfStream(to: &$1) }
    return (bytes, frames)
  }()

  static var bytes: [UInt8] { built.bytes }
  static var frames: [Range<Int>] { built.frames }
}
