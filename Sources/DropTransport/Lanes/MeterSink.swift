// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import ItemTransfer
internal import UniformTypes

/// Measures what comes and keeps none of it, but for the first bytes where they are wanted.
struct MeterSink: ItemSink {
  /// How many bytes of a representation of a type are kept.
  private let prefixLength: (@Sendable (UTType) -> Int)?
  private var offer = DropOffer(representations: [])
  private var measured: [DropItemDescription.Representation] = []
  private var crc = CRC32C()
  private var prefix: [UInt8] = []
  /// How many more bytes of the representation are to be kept.
  private var wanted = 0

  init(prefixLength: (@Sendable (UTType) -> Int)? = nil) {
    self.prefixLength = prefixLength
  }

  mutating func begin(_ offer: DropOffer) {
    self.offer = offer
    measured.removeAll()
    beginRepresentation()
  }

  private mutating func beginRepresentation() {
    crc = CRC32C()
    guard let prefixLength else { return }
    prefix = []
    guard measured.count < offer.representations.count else { return }
    wanted = prefixLength(UTType(named: offer.representations[measured.count].typeIdentifier))
  }

  mutating func append(_ bytes: UnsafeRawBufferPointer) {
    crc.update(bytes)
    guard wanted > 0 else { return }
    prefix += bytes.prefix(wanted)
    wanted -= min(wanted, bytes.count)
  }

  mutating func append(zeros count: UInt64) {
    crc.update(zeros: count)
    let kept = Int(min(count, UInt64(wanted)))
    prefix += repeatElement(0, count: kept)
    wanted -= kept
  }

  mutating func endRepresentation(byteCount: UInt64) {
    let type = UTType(named: offer.representations[measured.count].typeIdentifier)
    measured.append(.init(contentType: type, byteCount: byteCount, crc32c: crc.value, prefix: prefix))
    takeAliases()
    beginRepresentation()
  }

  mutating func failRepresentation(_ failure: SenderFailure) {
    let type = UTType(named: offer.representations[measured.count].typeIdentifier)
    measured.append(.init(contentType: type, byteCount: 0, crc32c: 0, failure: failure))
    takeAliases()
    beginRepresentation()
  }

  /// Representations whose bytes have come already.
  private mutating func takeAliases() {
    for original in offer.originals(ofAliasesAt: measured.count) {
      let type = UTType(named: offer.representations[measured.count].typeIdentifier)
      measured.append(measured[original].aliased(as: type))
    }
  }

  mutating func endItem() -> DropItemDescription {
    DropItemDescription(
      suggestedName: offer.suggestedName, folder: offer.attributes.folder, representations: measured)
  }

  mutating func endStream() {}

  mutating func abandon() {}
}
