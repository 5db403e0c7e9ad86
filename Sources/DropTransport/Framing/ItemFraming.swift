// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import FoundationEssentials
internal import ItemTransfer

/// What a writer makes of items: frames that gather, and of a file where things are; pure, never waits.
struct ItemFraming {
  /// Never much longer than a chunk.
  var pending = PendingFrames()
  /// Of a file, where things are.
  var indexer: DropFileIndexer?
  /// Where the first frame of the content starts that was written last.
  var contentOffset: UInt64 = 0
  /// Keeps to what the reader allows.
  private var offer: OfferTemplate

  init(limits: DropStreamLimits, chunkLength: Int, isFile: Bool) {
    offer = OfferTemplate(limits: limits)
    if isFile { indexer = DropFileIndexer() }
    pending.bytes.reserveCapacity(chunkLength + 4096)
    pending.encoder.appendPreamble(to: &pending.bytes)
  }

  /// Adds the offer of an item.
  ///
  /// - Throws: `representationFailed` where the reader would refuse it.
  mutating func beginItem(
    _ representations: [ItemRepresentation], suggestedName: String?, attributes: ItemFileAttributes
  ) throws(DropStreamError) {
    try offer.fit(representations, suggestedName: suggestedName, folder: attributes.folder)
    indexer?.beginItem(at: pending.encoder.offset)
    pending.encoder.appendOffer(offer, suggestedName: suggestedName, attributes: attributes, to: &pending.bytes)
  }

  /// Counts a representation whose bytes have gone already.
  ///
  /// - Returns: Whether that of `index` is one.
  mutating func addAlias(at index: Int) -> Bool {
    guard let original = offer.representations[index].alias else { return false }
    pending.encoder.countAlias()
    indexer?.addAlias(of: original)
    return true
  }

  /// Adds a representation as one frame.
  mutating func addContent(_ data: Data) {
    contentOffset = pending.encoder.offset
    data.withUnsafeBytes { pending.encoder.appendData($0, whole: true, to: &pending.bytes) }
    indexer?.addRepresentation(at: contentOffset, byteCount: UInt64(data.count))
  }

  /// Notes where the content is whose frames have been made since; ``contentOffset`` says where they start.
  mutating func endContent(since before: FrameEncoder) {
    indexer?.addRepresentation(
      at: contentOffset, byteCount: pending.encoder.counts.bytes - before.counts.bytes)
  }

  /// Adds the reason in the place of a representation that cannot be made.
  mutating func addFailure(_ failure: SenderFailure) {
    indexer?.addRepresentation(
      at: pending.encoder.offset, byteCount: DropFileIndex.Representation.failureByteCount)
    pending.encoder.appendFailureOfRepresentation(failure, to: &pending.bytes)
  }

  mutating func endItem(representationCount: Int) {
    pending.encoder.appendEndOfItem(representationCount: UInt32(representationCount), to: &pending.bytes)
    addFullPage(isLast: false)
  }

  mutating func endStream() {
    addFullPage(isLast: true)
    if let footer = indexer?.end() { pending.encoder.appendIndexFooter(footer, to: &pending.bytes) }
    pending.encoder.appendEndOfStream(to: &pending.bytes)
  }

  /// Adds the page of the index that is full, or the last one as it is.
  private mutating func addFullPage(isLast: Bool) {
    guard let page = indexer?.endItem(isLast: isLast, at: pending.encoder.offset) else { return }
    pending.encoder.appendIndexPage(page, to: &pending.bytes)
  }
}
