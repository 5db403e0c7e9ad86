// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import FoundationEssentials
internal import ItemTransfer
internal import UniformTypes

/// Makes item providers of what comes: short representations in memory, long ones in temporary files.
struct ProviderSink: ItemSink {
  private let bytesInMemory: Int
  private var offer = DropOffer(representations: [])
  private var contents: [Content] = []
  private var data = Data()
  /// Of this item's finished representations, those in memory.
  private var keptByteCount = 0
  private var spool: SpoolFile?
  /// What the offer before meant, of which this one is often the same.
  private var known: (representations: [DropOffer.Representation], traits: ItemRepresentation.Traits)?

  private enum Content {
    case data(Data)
    case spool(TransientFile, byteCount: Int64)
    /// The source could not make it.
    case failure(SenderFailure)
  }

  init(bytesInMemory: Int) {
    self.bytesInMemory = bytesInMemory
  }

  mutating func begin(_ offer: DropOffer) {
    self.offer = offer
    contents.removeAll(keepingCapacity: true)
    keptByteCount = 0
  }

  mutating func append(_ bytes: UnsafeRawBufferPointer) throws(DropStreamError) {
    if spool == nil, keptByteCount + data.count + bytes.count <= bytesInMemory {
      data.append(contentsOf: bytes)
      return
    }
    try openSpool().append(bytes)
  }

  mutating func append(zeros count: UInt64) throws(DropStreamError) {
    if spool == nil, count <= UInt64(max(0, bytesInMemory - keptByteCount - data.count)) {
      data.append(Data(count: Int(count)))
      return
    }
    try openSpool().append(zeros: count)
  }

  /// The temporary file, with what has been kept in memory until now.
  private mutating func openSpool() throws(DropStreamError) -> SpoolFile {
    let file: SpoolFile
    if let spool { file = spool } else { file = try SpoolFile() }
    spool = file
    if !data.isEmpty {
      let start = data
      data = Data()
      // The standard function would erase the type of the error.
      let written = start.withUnsafeBytes { start in
        Result { () throws(DropStreamError) in try file.append(start) }
      }
      try written.get()
    }
    return file
  }

  mutating func endRepresentation(byteCount: UInt64) throws(DropStreamError) {
    try spool?.close()
    contents.append(spool.map { .spool($0.content, byteCount: $0.byteCount) } ?? .data(data))
    keptByteCount += data.count
    data = Data()
    spool = nil
    takeAliases()
  }

  mutating func take(representation bytes: UnsafeRawBufferPointer) throws(DropStreamError) {
    // With the room that it needs, and no more.
    if keptByteCount + bytes.count <= bytesInMemory { data = Data(bytes) } else { try append(bytes) }
    try endRepresentation(byteCount: UInt64(bytes.count))
  }

  mutating func failRepresentation(_ failure: SenderFailure) {
    contents.append(.failure(failure))
    data = Data()
    spool = nil
    takeAliases()
  }

  /// Representations whose bytes have come already.
  private mutating func takeAliases() {
    for original in offer.originals(ofAliasesAt: contents.count) { contents.append(contents[original]) }
  }

  mutating func endItem() -> ItemProvider {
    if offer.representations.count == 1, case .data(let data) = contents.first { return endItem(of: data) }
    let provider = ItemProvider(offer) { [contents] representation, index, original in
      let size: ItemSize
      let loaded: @Sendable () throws -> ItemContent
      switch contents[index] {
      case .data(let data):
        size = .exact(Int64(data.count))
        loaded = { .data(data) }
      case .spool(let file, let count):
        size = .exact(count)
        // The file lives as long as the loader that reads it.
        loaded = { .file(SentTransferredFile(URL(fileURLWithPath: file.path, isDirectory: false))) }
      case .failure(let failure):
        size = .unknown
        loaded = { throw failure.errorOfRepresentation }
      }
      return ItemRepresentation(offered: representation, size: size, aliasedType: original) { _ in try loaded() }
    }
    contents.removeAll(keepingCapacity: true)
    return provider
  }

  /// By far the most items that come in great numbers are short, and one representation each.
  private mutating func endItem(of data: Data) -> ItemProvider {
    contents.removeAll(keepingCapacity: true)
    let traits: ItemRepresentation.Traits
    if let known, known.representations.isSame(as: offer.representations) {
      traits = known.traits
    } else {
      traits = ItemRepresentation.Traits(offered: offer.representations[0], size: .unknown, aliasedType: nil)
      known = (offer.representations, traits)
    }
    var sized = traits
    sized.size = .exact(Int64(data.count))
    return ItemProvider(
      suggestedName: offer.suggestedName, fileAttributes: offer.attributes,
      only: ItemRepresentation(sized) { _ in .data(data) })
  }

  mutating func endStream() {}

  mutating func abandon() {
    data = Data()
    spool = nil
    contents = []
  }
}

extension Array {
  /// Whether both are one in memory, which says that they are equal; the opposite says nothing.
  fileprivate func isSame(as other: [Element]) -> Bool {
    withUnsafeBufferPointer { elements in
      other.withUnsafeBufferPointer { elements.baseAddress == $0.baseAddress && elements.count == $0.count }
    }
  }
}
