// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

@testable import DropTransport

/// A builder that creates a stream frame by frame.
///
/// It can create invalid streams, but the checksums of all frames are correct.
struct StreamBuilder {
  private(set) var bytes: [UInt8]
  /// The range of each frame in ``bytes``.
  private(set) var frames: [Range<Int>] = []
  /// The counts for the end frame.
  ///
  /// The builder counts each frame that is added. The named methods update the other counts.
  var counts = StreamCounts()
  private var digest: StreamDigest

  init(preamble: [UInt8] = Preamble.bytes) {
    bytes = preamble
    let check = preamble.withUnsafeBytes { $0.count == Preamble.length ? $0.littleEndian(at: 12) : Preamble.check }
    digest = StreamDigest(preambleCheck: check)
  }

  mutating func frame(
    _ type: UInt8, flags: UInt8 = 0, reserved: UInt16 = 0, request: UInt32 = 0, length: UInt64? = nil,
    sequence: UInt32? = nil, payload: [UInt8] = []
  ) {
    var frame: [UInt8] = [type, flags]
    frame.append(littleEndian: reserved)
    frame.append(littleEndian: request)
    frame.append(littleEndian: length ?? UInt64(payload.count))
    frame.append(littleEndian: sequence ?? UInt32(truncatingIfNeeded: counts.frames))
    let check = (frame + payload).crc32c
    frame.append(littleEndian: frame.crc32c)
    frame += payload
    frame.append(littleEndian: check)
    digest.add(frameCheck: check)
    counts.frames += 1
    frames.append(bytes.count..<bytes.count + frame.count)
    bytes += frame
  }

  mutating func offer(_ fields: [UInt8]) {
    frame(FrameType.offer.rawValue, payload: fields)
  }

  mutating func offer(_ types: [String] = ["public.data"], name: String? = nil, byteCount: UInt64? = nil) {
    offer(Self.fields(types, name: name, byteCount: byteCount))
  }

  mutating func whole(_ content: [UInt8], flags: UInt8 = FrameFlags.whole.rawValue) {
    frame(FrameType.data.rawValue, flags: flags, payload: content)
    counts.bytes += UInt64(content.count)
    counts.representations += 1
  }

  mutating func chunk(_ content: [UInt8]) {
    frame(FrameType.data.rawValue, payload: content)
    counts.bytes += UInt64(content.count)
  }

  mutating func zeros(_ count: UInt64) {
    frame(FrameType.zeros.rawValue, payload: [UInt8](littleEndian: count))
    counts.bytes &+= count
  }

  mutating func endOfRepresentation(_ byteCount: UInt64) {
    frame(FrameType.endOfRepresentation.rawValue, payload: [UInt8](littleEndian: byteCount))
    counts.representations += 1
  }

  mutating func endOfItem(_ representations: UInt32 = 1) {
    frame(FrameType.endOfItem.rawValue, payload: [UInt8](littleEndian: representations))
    counts.items += 1
  }

  /// Adds an item with one representation.
  mutating func item(_ content: [UInt8] = [1, 2, 3], name: String? = nil) {
    offer(name: name)
    whole(content)
    endOfItem()
  }

  mutating func failure(_ payload: [UInt8]) {
    frame(FrameType.failure.rawValue, payload: payload)
  }

  mutating func failure(kind: UInt8, reason: [UInt8] = []) {
    failure(Self.field(1, [kind]) + (reason.isEmpty ? [] : Self.field(2, reason)))
  }

  /// Ends a representation with a failure.
  mutating func failureOfRepresentation(kind: UInt8 = 1, reason: [UInt8] = []) {
    frame(
      FrameType.failureOfRepresentation.rawValue,
      payload: Self.field(1, [kind]) + (reason.isEmpty ? [] : Self.field(2, reason)))
    counts.representations += 1
  }

  mutating func end(_ stated: StreamCounts? = nil, digest wrongDigest: UInt32? = nil) {
    let stated = stated ?? counts
    var payload = stated.encoded
    payload.append(littleEndian: wrongDigest ?? digest.value(with: stated))
    frame(FrameType.endOfStream.rawValue, payload: payload)
  }

  /// Returns an encoded field of an offer.
  static func field(_ tag: UInt8, _ value: [UInt8]) -> [UInt8] {
    [tag] + [UInt8](littleEndian: UInt32(value.count)) + value
  }

  static func fields(_ types: [String], name: String? = nil, byteCount: UInt64? = nil) -> [UInt8] {
    let size = byteCount.map { field(OfferField.byteCount, [UInt8](littleEndian: $0)) } ?? []
    let named = name.map { field(OfferField.suggestedName, Array($0.utf8)) } ?? []
    return types.reduce(named) {
      $0 + field(OfferField.representation, field(OfferField.typeIdentifier, Array($1.utf8)) + size)
    }
  }

  /// Returns a representation that is an alias of an earlier representation.
  static func alias(_ type: String, of index: UInt32, byteCount: UInt64? = nil) -> [UInt8] {
    let size = byteCount.map { field(OfferField.byteCount, [UInt8](littleEndian: $0)) } ?? []
    let alias = field(OfferField.alias, [UInt8](littleEndian: index))
    return field(OfferField.representation, field(OfferField.typeIdentifier, Array(type.utf8)) + size + alias)
  }

  /// Returns a stream with an end frame.
  static func stream(_ body: (inout StreamBuilder) -> Void) -> [UInt8] {
    var builder = StreamBuilder()
    body(&builder)
    builder.end()
    return builder.bytes
  }
}

extension [UInt8] {
  init<Value: FixedWidthInteger>(littleEndian value: Value) {
    self = []
    append(littleEndian: value)
  }

  var crc32c: UInt32 { withUnsafeBytes { CRC32C.check($0) } }
}

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
