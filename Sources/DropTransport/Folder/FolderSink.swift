// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import ItemTransfer
internal import UniformTypes

/// A sink that stores the items of a stream in a folder, in the order of the stream.
struct FolderSink: ItemSink {
  private var intake: FolderIntake
  private let wanted: WantedRepresentations
  private let publish: @Sendable (DropFolder.Receipt) -> Void
  /// The indices of the item's representations that have bytes of their own, and the position of the current
  /// representation.
  private var turns: [Int] = []
  private var turn = 0

  /// Creates a sink.
  ///
  /// - Parameters:
  ///   - folder: The folder that receives the files.
  ///   - observer: Receives the names of files and the number of bytes.
  ///   - published: Called at the end with the result.
  init(
    _ folder: DropFolder, observer: DropFolder.Observer?,
    published: @escaping @Sendable (DropFolder.Receipt) -> Void
  ) {
    intake = FolderIntake(folder, observer: observer)
    wanted = folder.wanted
    publish = published
  }

  mutating func begin(_ offer: DropOffer) throws(DropStreamError) {
    turn = 0
    turns = offer.representations.indices.filter { offer.representations[$0].alias == nil }
    let parts = indices(of: offer).map { index in
      let bytes = offer.representations[index].alias ?? index
      let traits = ItemRepresentation.Traits(offered: offer.representations[index], size: .unknown, aliasedType: nil)
      return FolderIntake.Part(
        index: bytes, contentType: traits.contentType, isDirectory: traits.conforms(to: .directory),
        byteCount: offer.representations[bytes].byteCount, isFirst: index == 0)
    }
    try intake.begin(offer.suggestedName, offer.attributes, parts) {
      offer.representations.map { UTType(named: $0.typeIdentifier) }
    }
  }

  private func indices(of offer: DropOffer) -> [Int] {
    // Most streams are received without a choice of types, and need no type lookup.
    if wanted.acceptedTypes.isEmpty, !wanted.isAll { return [0] }
    let traits = offer.representations.map { representation in
      let original = representation.alias.map { UTType(named: offer.representations[$0].typeIdentifier) }
      return ItemRepresentation.Traits(offered: representation, size: .unknown, aliasedType: original)
    }
    return wanted.indices(among: traits)
  }

  mutating func append(_ bytes: UnsafeRawBufferPointer) throws(DropStreamError) {
    try intake.append(bytes, to: turns[turn])
  }

  mutating func append(zeros count: UInt64) throws(DropStreamError) {
    try intake.append(zeros: count, to: turns[turn])
  }

  mutating func endRepresentation(byteCount: UInt64) throws(DropStreamError) {
    try intake.end(turns[turn], byteCount: byteCount)
    turn += 1
  }

  mutating func failRepresentation(_ failure: SenderFailure) throws(DropStreamError) {
    intake.fail(turns[turn], failure)
    turn += 1
  }

  mutating func endItem() { intake.endItem() }

  mutating func endStream() throws(DropStreamError) { publish(try intake.publish()) }

  mutating func abandon() { intake.abandon() }
}
