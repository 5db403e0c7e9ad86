// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import ItemTransfer

/// A scanner that creates the index of a file from its frames, and compares it with the index in the file.
///
/// All methods block. They read headers and offers, but no content, because the caller has verified it before.
struct DropFileScanner {
  private let handle: DropFileHandle
  private let limits: DropStreamLimits
  private var indexer = DropFileIndexer()
  private var offer: DropOffer?
  /// The number of representations of the item that have been indexed.
  private var indexed = 0
  /// The offset of the current representation, and how many of its bytes have been counted.
  private var content: (offset: UInt64, byteCount: UInt64)?

  init(_ handle: DropFileHandle, limits: DropStreamLimits) {
    self.handle = handle
    self.limits = limits
  }

  /// Scans the file, and compares its index with the frames.
  ///
  /// - Throws: `damaged` if the index differs from the frames, `cancelled`.
  mutating func expectIndex() throws(DropStreamError) {
    var offset = UInt64(Preamble.length)
    let end = handle.size - DropFileFooterReader.endFrameLength
    var (hasNames, hasFooter) = (false, false)
    while offset < end {
      if Task.isCancelled { throw .cancelled }
      let header = try handle.header(at: offset)
      guard !hasFooter, !hasNames || header.type == .indexFooter else { throw disagreement(offset) }
      hasFooter = try take(header, at: offset)
      hasNames = header.type == .indexNames
      offset += UInt64(FrameHeader.length + FrameHeader.checkLength) + header.payloadLength
    }
    guard hasFooter, offset == end else { throw disagreement(end) }
  }

  /// Scans the frame with the given header.
  ///
  /// - Returns: Whether the frame is the footer.
  private mutating func take(_ header: FrameHeader, at offset: UInt64) throws(DropStreamError) -> Bool {
    switch header.type {
    case .offer:
      let payload = try handle.payload(of: .offer, at: offset, limit: UInt64(limits.metadataBytes))
      offer = try OfferParser(limits: limits, frameOffset: offset).parse(payload)
      indexed = 0
      indexer.beginItem(at: offset, named: offer?.suggestedName)
    case .data, .zeros, .endOfRepresentation, .failureOfRepresentation:
      // The stream was verified before, so the file has changed meanwhile.
      guard offer != nil else { throw disagreement(offset) }
      try takeContent(header, at: offset)
    case .endOfItem: offer = nil
    case .indexPage where offer == nil: try takePage(at: offset)
    case .indexPage: throw disagreement(offset)
    case .indexNames:
      let payload = try handle.payload(of: .indexNames, at: offset, limit: DropFileIndex.Names.maximumLength)
      var expected: [UInt8] = []
      indexer.names(ofFewItems: true)?.append(to: &expected, at: offset)
      guard payload == expected, indexer.isEmpty else { throw disagreement(offset) }
    case .indexFooter:
      let payload = try handle.payload(of: .indexFooter, at: offset, limit: DropFileFooterReader.maximumLength)
      var expected: [UInt8] = []
      indexer.end().append(to: &expected, at: offset)
      guard payload == expected, indexer.isEmpty else { throw disagreement(offset) }
      return true
    default: break
    }
    return false
  }

  private mutating func takeContent(_ header: FrameHeader, at offset: UInt64) throws(DropStreamError) {
    switch header.type {
    case .data:
      content = (content?.offset ?? offset, (content?.byteCount ?? 0) &+ header.payloadLength)
      if header.flags.contains(.whole) { endContent() }
    case .zeros:
      content = (content?.offset ?? offset, (content?.byteCount ?? 0) &+ (try handle.zeros(at: offset)))
    case .endOfRepresentation: endContent()
    default:
      content = (offset, DropFileIndex.Representation.failureByteCount)
      endContent()
    }
  }

  private mutating func endContent() {
    guard let content, let offer else { return }
    indexer.addRepresentation(at: content.offset, byteCount: content.byteCount)
    indexed += 1
    self.content = nil
    for original in offer.originals(ofAliasesAt: indexed) {
      indexer.addAlias(of: original)
      indexed += 1
    }
  }

  /// Compares a page of the index.
  ///
  /// Writers may divide the items into pages at other positions.
  private mutating func takePage(at offset: UInt64) throws(DropStreamError) {
    let payload = try handle.payload(of: .indexPage, at: offset, limit: DropFileIndex.Page.maximumLength)
    var expected: [UInt8] = []
    guard let page = indexer.endItem(isLast: true, at: offset) else { throw disagreement(offset) }
    page.append(to: &expected)
    guard payload == expected else { throw disagreement(offset) }
  }

  private func disagreement(_ offset: UInt64) -> DropStreamError {
    DropStreamError(.damaged, "corrupt: the index of \(handle.shownPath) differs from its items", at: offset)
  }
}
