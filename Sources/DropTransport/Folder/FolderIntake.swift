// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import ItemTransfer
internal import UniformTypes

/// A collector that stages the accepted parts of each item and publishes them together at the end.
///
/// It does not depend on the transport: it is the sink of a stream, and takes the content of items that are loaded.
struct FolderIntake {
  /// A representation that becomes a file.
  struct Part {
    /// The index of the representation whose bytes it has.
    let index: Int
    let contentType: UTType
    /// Whether it is the archive of a folder, according to type declarations of this process or of the source.
    let isDirectory: Bool
    /// The number of bytes, if it is known beforehand.
    let byteCount: UInt64?
    /// Whether it is the representation that the item's name belongs to.
    let isFirst: Bool
  }

  /// A part that is being received.
  private struct Arriving {
    let part: Part
    let name: String
    /// The file to write to; `nil` after the representation has ended or failed.
    var file: StagedFile?
    var outcome: Outcome?
  }

  private enum Outcome {
    case file(DropFolder.File)
    case missing(DropFolder.MissingFile)
  }

  private let folder: DropFolder
  private let observer: DropFolder.Observer?
  private let precedingItems: Int
  /// The staging directory.
  ///
  /// It is created with the first item, so that invalid input leaves the file system unchanged.
  private var staging: StagingDirectory?
  private var itemCount = 0
  /// Whether at least one representation of any item was acceptable.
  private var hasParts = false
  /// The name that the source suggested for the item, if any.
  private var suggestedName: String?
  private var arriving: [Arriving] = []
  /// The number of bytes from interrupted receives that were continued.
  private var continuedCount: UInt64 = 0
  private var receipt = DropFolder.Receipt()
  /// The error of the first item that was left out because of a hidden name.
  private var hiddenName: DropStreamError?
  /// The number of bytes of all representations, for ``DropFolder/byteLimit``.
  private var byteCount: UInt64 = 0
  /// The number of bytes of the current representation.
  private var currentByteCount: UInt64 = 0
  /// Called at the verified end of a stream with the result.
  private let published: @Sendable (DropFolder.Receipt) -> Void
  /// In a stream, the indices of the item's representations that have bytes of their own, and the position of the
  /// current representation.
  private var turns: [Int] = []
  private var turn = 0

  /// Creates a collector.
  ///
  /// - Parameters:
  ///   - folder: The folder that receives the files.
  ///   - observer: Receives the names of files and the number of bytes.
  ///   - precedingItems: The number of items in earlier drops of the same stream.
  ///   - published: Called at the verified end of a stream with the result.
  init(
    _ folder: DropFolder, observer: DropFolder.Observer?, precedingItems: Int = 0,
    published: @escaping @Sendable (DropFolder.Receipt) -> Void = { _ in }
  ) {
    self.folder = folder
    self.observer = observer
    self.precedingItems = precedingItems
    self.published = published
  }

  private mutating func openStaging() throws(DropStreamError) -> StagingDirectory {
    if let staging { return staging }
    let opened = try StagingDirectory(in: folder)
    staging = opened
    report(opened)
    return opened
  }

  /// Begins an item.
  ///
  /// - Parameters:
  ///   - suggestedName: The name that the source suggests.
  ///   - attributes: The attributes that the source declares.
  ///   - parts: The representations that become files.
  ///   - contentTypes: Returns the types of all representations.
  /// - Throws: `unsafeName`, `duplicateName`, `alreadyExists`, `destinationUnavailable`, `systemCall`.
  mutating func begin(
    _ suggestedName: String?, _ attributes: ItemFileAttributes, _ parts: [Part], contentTypes: () -> [UTType]
  ) throws(DropStreamError) {
    let staging = try openStaging()
    arriving.removeAll(keepingCapacity: true)
    itemCount += 1
    self.suggestedName = suggestedName
    if parts.isEmpty {
      receipt.leftOut.append(leftOutItem(suggestedName, contentTypes()))
      return
    }
    // A fixed name belongs to one item: a second item is neither renamed nor left out.
    if case .fixed(let name) = folder.naming, hasParts { throw staging.duplicateName(name) }
    hasParts = true
    var requested: [StagingDirectory.Part] = []
    var path = ""
    do throws(DropStreamError) {
      for part in parts {
        var new = try stagingPart(for: part, suggestedName)
        if folder.isResumable { new.identity = identity(of: part, isFolder: new.isFolder, suggestedName, attributes) }
        requested.append(new)
      }
      if folder.naming == .suggested {
        path = try DropFolderPath.prefix(attributes.folder, allowsHidden: folder.allowsHiddenNames)
      }
    } catch {
      guard folder.leavesOutHiddenNames, error.detail == .hiddenName else { throw error }
      hiddenName = hiddenName ?? error
      var leftOut = leftOutItem(suggestedName, contentTypes())
      leftOut.isHidden = true
      receipt.leftOut.append(leftOut)
      return
    }
    // Only this policy leaves items out, and finding the types takes time.
    let description = folder.collision == .skip ? leftOutItem(suggestedName, contentTypes()) : nil
    switch try staging.makeItem(requested, in: path, attributes: attributes, description: description) {
    case .taken(let name):
      if var leftOut = description {
        leftOut.takenName = name
        receipt.leftOut.append(leftOut)
      }
    case .files(let files):
      for (part, file) in zip(parts, files) {
        arriving.append(Arriving(part: part, name: file.name, file: file))
        observer?.begin(file.name, part.byteCount)
      }
    }
  }

  private func stagingPart(
    for part: Part, _ suggestedName: String?
  ) throws(DropStreamError) -> StagingDirectory.Part {
    let isUnpacked = folder.unpacksFolders && part.isDirectory
    let name: String
    switch folder.naming {
    case .suggested:
      let preferred = self.name(for: part, suggestedName: suggestedName, isUnpacked: isUnpacked)
      name = try DropFileName(preferred, allowsHidden: folder.allowsHiddenNames).name
    case .fixed(let fixed): name = fixed
    case .numbered: name = "\(itemCount)-\(part.index)"
    }
    return StagingDirectory.Part(name: name, isFolder: isUnpacked)
  }

  /// Returns the identity of a part that is worth keeping.
  private func identity(
    of part: Part, isFolder: Bool, _ suggestedName: String?, _ attributes: ItemFileAttributes
  ) -> ResumableParts.Identity? {
    if let count = part.byteCount, count < ResumableParts.leastByteCount { return nil }
    return ResumableParts.Identity(
      origin: folder.origin, suggestedName: suggestedName, itemNumber: itemCount, folder: attributes.folder,
      typeIdentifier: part.contentType.identifier, byteCount: part.byteCount, isFolder: isFolder)
  }

  private func leftOutItem(_ name: String?, _ types: [UTType]) -> DropFolder.LeftOutItem {
    DropFolder.LeftOutItem(suggestedName: name, contentTypes: types, takenName: nil, itemIndex: itemCount - 1)
  }

  /// The indices of the representations of this item that are expected.
  var awaitedIndices: [Int] { arriving.map(\.part.index) }

  /// Returns the name to request for a part.
  ///
  /// An item without a name is named by its number and its type's extension. A representation other than the first gets
  /// the item's name with the extension of its type, unless the name already belongs to that type. An archive that is
  /// not unpacked gets `.tar`.
  private func name(for part: Part, suggestedName: String?, isUnpacked: Bool) -> String {
    let isArchive = !isUnpacked && part.isDirectory
    let archive = isArchive ? ".tar" : ""
    // The extension takes longer to find than all other steps, and most files do not need it.
    var fileExtension: String? { isUnpacked || isArchive ? nil : part.contentType.filenameExtensionForNewFile }
    guard let suggestedName else { return "item-\(itemCount)" + (fileExtension.map { ".\($0)" } ?? archive) }
    // A name that is too long is refused later, without truncation.
    if suggestedName.utf8.count > DropFileName.maximumLength { return suggestedName }
    guard !part.isFirst, let fileExtension else { return DropFileName.joined(suggestedName, archive) }
    if UTType.identify(fileNamed: suggestedName).type.conforms(to: part.contentType) { return suggestedName }
    return DropFileName.joined(DropFileName.stem(of: suggestedName), ".\(fileExtension)")
  }

  /// Returns the bytes of a representation that an interrupted receive has kept; `nil` if there are none.
  func start(of index: Int, hashing isHashed: Bool) throws(DropStreamError) -> ReceivedStart? {
    try arriving.first { $0.part.index == index }?.file?.start(hashing: isHashed)
  }

  /// Removes these bytes.
  mutating func restart(_ index: Int) throws(DropStreamError) {
    byteCount -= currentByteCount
    currentByteCount = 0
    try arriving.first { $0.part.index == index }?.file?.restart()
  }

  /// Counts these bytes as received.
  mutating func resume(after start: ReceivedStart) throws(DropStreamError) {
    try count(start.byteCount)
    observer?.advance(Int(clamping: start.byteCount))
    continuedCount += start.byteCount
  }

  private mutating func count(_ bytes: UInt64) throws(DropStreamError) {
    try checkRoom(for: bytes)
    byteCount += bytes
    currentByteCount += bytes
  }

  /// Checks that content of a size does not exceed the byte limit.
  func checkRoom(for expected: UInt64) throws(DropStreamError) {
    guard expected <= folder.byteLimit - byteCount else { throw .excess(ofBytes: folder.byteLimit) }
  }

  /// Appends bytes to a representation.
  ///
  /// Ignores bytes of a representation that was not accepted.
  mutating func append(_ bytes: UnsafeRawBufferPointer, to index: Int) throws(DropStreamError) {
    guard arriving.contains(where: { $0.part.index == index }) else { return }
    try count(UInt64(bytes.count))
    for position in arriving.indices where arriving[position].part.index == index {
      try arriving[position].file?.append(bytes)
      observer?.advance(bytes.count)
    }
  }

  /// Appends zeros to a representation.
  ///
  /// Ignores zeros of a representation that was not accepted.
  mutating func append(zeros count: UInt64, to index: Int) throws(DropStreamError) {
    guard arriving.contains(where: { $0.part.index == index }) else { return }
    try self.count(count)
    for position in arriving.indices where arriving[position].part.index == index {
      try arriving[position].file?.append(zeros: count)
      observer?.advance(Int(count))
    }
  }

  /// Ends a representation that is complete.
  mutating func end(_ index: Int, byteCount: UInt64) throws(DropStreamError) {
    currentByteCount = 0
    for position in arriving.indices where arriving[position].part.index == index {
      let (part, name) = (arriving[position].part, arriving[position].name)
      if let file = arriving[position].file.take() {
        try staging?.finish(file)
      }
      arriving[position].outcome = .file(
        DropFolder.File(
          name: name, contentType: part.contentType, byteCount: byteCount, itemIndex: itemCount - 1,
          suggestedName: suggestedName))
    }
  }

  /// Discards a representation that its source could not provide.
  mutating func fail(_ index: Int, _ failure: SenderFailure) {
    currentByteCount = 0
    for position in arriving.indices where arriving[position].part.index == index {
      let (part, name) = (arriving[position].part, arriving[position].name)
      if let file = arriving[position].file.take() { staging?.remove(file) }
      arriving[position].outcome = .missing(
        DropFolder.MissingFile(
          name: folder.naming == .numbered ? suggestedName ?? "item \(itemCount)" : name, contentType: part.contentType,
          failure: failure, itemIndex: itemCount - 1))
    }
  }

  mutating func endItem() {
    for part in arriving {
      switch part.outcome {
      case .file(let file): receipt.files.append(file)
      case .missing(let file): receipt.missing.append(file)
      case nil: break
      }
    }
    arriving.removeAll(keepingCapacity: true)
  }

  /// Gives all staged files their names.
  ///
  /// - Returns: The files, and the items that were not stored.
  /// - Throws: The errors of ``Publication/run()``. The files are rolled back then.
  mutating func publish() throws(DropStreamError) -> DropFolder.Receipt {
    // A drop of hidden items only is refused.
    if let hiddenName, receipt.files.isEmpty, receipt.missing.isEmpty { throw hiddenName }
    // An empty drop also requires that the folder exists.
    let staging = try openStaging()
    receipt.settle(try staging.publication().run())
    // A new directory is removed again if none of the items was acceptable or available.
    if itemCount == 0 || !receipt.files.isEmpty { staging.folder.keep() }
    report(staging)
    self.staging = nil
    return receipt
  }

  /// Discards the staged files, or keeps them for a later receive if the destination requests that.
  mutating func abandon() {
    arriving = []
    staging?.interrupt()
    if let staging { report(staging) }
    staging = nil
  }

  private mutating func report(_ staging: StagingDirectory) {
    if continuedCount > 0 { observer?.remark("\(continuedCount) bytes were kept from an interrupted receive") }
    continuedCount = 0
    for remark in staging.takeRemarks() { observer?.remark(remark) }
  }
}

extension FolderIntake: ItemSink {
  mutating func begin(_ offer: DropOffer) throws(DropStreamError) {
    turn = 0
    turns = offer.representations.indices.filter { offer.representations[$0].alias == nil }
    let parts = acceptedIndices(of: offer).map { index in
      let bytes = offer.representations[index].alias ?? index
      let traits = ItemRepresentation.Traits(offered: offer.representations[index], size: .unknown, aliasedType: nil)
      return Part(
        index: bytes, contentType: traits.contentType, isDirectory: traits.conforms(to: .directory),
        byteCount: offer.representations[bytes].byteCount, isFirst: index == 0)
    }
    try begin(offer.suggestedName, offer.attributes, parts) {
      offer.representations.map { UTType(named: $0.typeIdentifier) }
    }
  }

  private mutating func acceptedIndices(of offer: DropOffer) -> [Int] {
    // Most streams are received without a choice, and need no type lookup.
    if folder.acceptedTypes.isEmpty, !folder.keepsAllRepresentations, folder.selection == nil { return [0] }
    let traits = offer.representations.map { representation in
      let original = representation.alias.map { UTType(named: offer.representations[$0].typeIdentifier) }
      return ItemRepresentation.Traits(offered: representation, size: .unknown, aliasedType: original)
    }
    return acceptedIndices(among: traits, offer.suggestedName, in: offer.attributes.folder)
  }

  /// Returns the indices of the representations to keep of the next item.
  mutating func acceptedIndices(
    among offered: [ItemRepresentation.Traits], _ name: String?, in path: String?
  ) -> [Int] {
    folder.acceptedIndices(
      among: offered, ofItem: precedingItems + itemCount, name, in: path, matching: &receipt.matchedWords)
  }

  mutating func append(_ bytes: UnsafeRawBufferPointer) throws(DropStreamError) { try append(bytes, to: turns[turn]) }

  mutating func append(zeros count: UInt64) throws(DropStreamError) { try append(zeros: count, to: turns[turn]) }

  var copyTarget: CInt? {
    let parts = arriving.filter { $0.part.index == turns[turn] }
    return parts.count == 1 ? parts[0].file?.copyTarget : nil
  }

  mutating func append(_ copy: RangeCopy) throws(DropStreamError) {
    try count(copy.byteCount)
    for part in arriving where part.part.index == turns[turn] { part.file?.append(copy) }
    observer?.advance(Int(copy.byteCount))
  }

  mutating func endRepresentation(byteCount: UInt64) throws(DropStreamError) {
    try end(turns[turn], byteCount: byteCount)
    turn += 1
  }

  mutating func failRepresentation(_ failure: SenderFailure) throws(DropStreamError) {
    fail(turns[turn], failure)
    turn += 1
  }

  mutating func endStream() throws(DropStreamError) { published(try publish()) }
}
