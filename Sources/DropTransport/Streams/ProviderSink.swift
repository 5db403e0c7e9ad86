// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import FoundationEssentials
internal import Glibc
internal import ItemTransfer
internal import UniformTypes

/// A sink that creates item providers, with short representations in memory and long representations in temporary
/// files.
struct ProviderSink: ItemSink {
  private let bytesInMemory: Int
  private var offer = DropOffer(representations: [])
  private var contents: [Content] = []
  private var data = Data()
  /// The number of bytes in memory of the complete representations of this item.
  private var keptByteCount = 0
  private var spool: SpoolFile?
  /// The traits of the previous offer, which the next offer often repeats.
  private var known: KnownTraits?

  private struct KnownTraits {
    let representations: [DropOffer.Representation]
    let traits: ItemRepresentation.Traits
  }

  private enum Content {
    case data(Data)
    case spool(TransientFile, byteCount: Int64)
    /// The source could not load the representation.
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

  /// Moves the bytes in memory to the temporary file, which is created if necessary, and returns the file.
  private mutating func openSpool() throws(DropStreamError) -> SpoolFile {
    let file: SpoolFile
    if let spool { file = spool } else { file = try SpoolFile() }
    spool = file
    if !data.isEmpty {
      let start = data
      data = Data()
      // `withUnsafeBytes` would erase the type of the error, so the closure returns a `Result`.
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
    // `Data(bytes)` allocates exactly the necessary memory.
    if keptByteCount + bytes.count <= bytesInMemory { data = Data(bytes) } else { try append(bytes) }
    try endRepresentation(byteCount: UInt64(bytes.count))
  }

  mutating func failRepresentation(_ failure: SenderFailure) {
    contents.append(.failure(failure))
    data = Data()
    spool = nil
    takeAliases()
  }

  /// Adds the aliases that follow, whose bytes have been received.
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
        let traits = ItemRepresentation.Traits(
          offered: representation, size: .exact(Int64(data.count)), aliasedType: original)
        return ItemRepresentation(traits, data: data)
      case .spool(let file, let count):
        size = .exact(count)
        // The loader retains the file.
        loaded = {
          .file(
            SentTransferredFile(
              URL(fileURLWithPath: file.path, isDirectory: false), allowAccessingOriginalFile: false,
              keepingAlive: nil))
        }
      case .failure(let failure):
        size = .unknown
        loaded = { throw failure.errorOfRepresentation }
      }
      return ItemRepresentation(offered: representation, size: size, aliasedType: original) { _ in try loaded() }
    }
    contents.removeAll(keepingCapacity: true)
    return provider
  }

  /// Ends an item with one short representation, the most frequent kind in long streams.
  private mutating func endItem(of data: Data) -> ItemProvider {
    contents.removeAll(keepingCapacity: true)
    let traits: ItemRepresentation.Traits
    if let known, known.representations.isSame(as: offer.representations) {
      traits = known.traits
    } else {
      traits = ItemRepresentation.Traits(offered: offer.representations[0], size: .unknown, aliasedType: nil)
      known = KnownTraits(representations: offer.representations, traits: traits)
    }
    var sized = traits
    sized.size = .exact(Int64(data.count))
    return ItemProvider(
      suggestedName: offer.suggestedName, fileAttributes: offer.attributes,
      only: ItemRepresentation(sized, data: data))
  }

  mutating func endStream() {}

  mutating func abandon() {
    data = Data()
    spool = nil
    contents = []
  }
}

extension Array {
  /// Returns whether both arrays share memory.
  ///
  /// If so, they are equal. Otherwise, they may still be equal.
  fileprivate func isSame(as other: [Element]) -> Bool {
    withUnsafeBufferPointer { elements in
      other.withUnsafeBufferPointer { elements.baseAddress == $0.baseAddress && elements.count == $0.count }
    }
  }
}

/// A temporary file for a representation that is too long for memory.
///
/// ``content`` owns the file, but not the open descriptor.
final class SpoolFile {
  let content: TransientFile
  private var descriptor: OwnedDescriptor?
  private(set) var byteCount: Int64 = 0

  init() throws(DropStreamError) {
    let raw: CInt
    (content, raw) = try mapError(TemporaryLocation.standard.makeFile()) { (error: FileError) in
      DropStreamError(
        .destinationUnavailable, error.description.escapedForDisplay(limit: 400), errorNumber: error.errorNumber)
    }
    descriptor = OwnedDescriptor(raw)
  }

  func append(_ bytes: UnsafeRawBufferPointer) throws(DropStreamError) {
    guard let raw = descriptor?.raw else { return }
    try mapError(SystemCalls.writeAll(raw, bytes)) { Self.failure($0) }
    byteCount += Int64(bytes.count)
  }

  /// Appends a hole.
  func append(zeros count: UInt64) throws(DropStreamError) {
    guard let raw = descriptor?.raw else { return }
    byteCount += Int64(count)
    do throws(SystemError) {
      try SystemCalls.truncate(raw, byteCount)
      _ = try SystemCalls.seek(raw, byteCount, SEEK_SET)
    } catch {
      throw Self.failure(error)
    }
  }

  /// Closes the file.
  ///
  /// - Throws: The error of an earlier write that the system reports late.
  func close() throws(DropStreamError) {
    guard let descriptor = descriptor.take() else { return }
    do throws(SystemError) { try descriptor.close() } catch { throw Self.failure(error) }
  }

  private static func failure(_ error: SystemError) -> DropStreamError {
    DropStreamError(.systemCall, "cannot write a temporary file", error)
  }
}
