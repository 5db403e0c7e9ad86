// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import UniformTypes

/// Measures what comes and keeps none of it.
struct MeterSink: ItemSink {
  private var offer = DropOffer(representations: [])
  private var measured: [DropItemDescription.Representation] = []
  private var crc = CRC32C()

  mutating func begin(_ offer: DropOffer) {
    self.offer = offer
    measured.removeAll()
    crc = CRC32C()
  }

  mutating func append(_ bytes: UnsafeRawBufferPointer) {
    crc.update(bytes)
  }

  mutating func endRepresentation(byteCount: UInt64) {
    let type = UTType(named: offer.representations[measured.count].typeIdentifier)
    measured.append(.init(contentType: type, byteCount: byteCount, crc32c: crc.value))
    crc = CRC32C()
  }

  mutating func endItem() -> DropItemDescription {
    DropItemDescription(suggestedName: offer.suggestedName, representations: measured)
  }

  mutating func endStream() {}

  mutating func abandon() {}
}
