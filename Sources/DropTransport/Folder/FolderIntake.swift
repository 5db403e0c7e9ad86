// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import ItemTransfer
internal import UniformTypes

/// Stages what is wanted of each item, and publishes all of it at the end; knows nothing of what brings it.
struct FolderIntake {
  /// A representation that becomes a file.
  struct Part {
    /// Whose bytes it has.
    let index: Int
    let contentType: UTType
    /// Whether it is the archive of a folder, by what is known here or its source has said of the type.
    let isDirectory: Bool
    /// Where that is known beforehand.
    let byteCount: UInt64?
    /// Whether it is what the item's name was meant for.
    let isFirst: Bool
  }

  /// A part on its way.
  private struct Arriving {
    let part: Part
    let name: String
    /// `nil` once all of it has come, or it is known that it will not.
    var file: StagedFile?
    var isOriginal = false
    var outcome: DropFolder.Arrival?
  }

  private let folder: DropFolder
  private let observer: DropFolder.Observer?
  /// Made with the first item, so that a stream that is none touches nothing.
  private var staging: StagingDirectory?
  private var itemCount = 0
  /// Whether anything of any item was acceptable.
  private var hasParts = false
  /// What the source calls the item.
  private var suggestedName: String?
  private var arriving: [Arriving] = []
  /// Of an item of which nothing is wanted.
  private var leftOut: DropFolder.LeftOutItem?

  init(_ folder: DropFolder, observer: DropFolder.Observer?) {
    self.folder = folder
    self.observer = observer
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
  ///   - suggestedName: As the source says.
  ///   - attributes: As the source says.
  ///   - parts: What becomes of it.
  ///   - contentTypes: All that it was offered as.
  /// - Throws: `unsafeName`, `duplicateName`, `alreadyExists`, `destinationUnavailable`, `systemCall`.
  mutating func begin(
    _ suggestedName: String?, _ attributes: ItemFileAttributes, _ parts: [Part], contentTypes: () -> [UTType]
  ) throws(DropStreamError) {
    let staging = try openStaging()
    arriving.removeAll(keepingCapacity: true)
    leftOut = nil
    itemCount += 1
    self.suggestedName = suggestedName
    if parts.isEmpty {
      leftOut = leftOutItem(suggestedName, contentTypes(), takenName: nil)
      return
    }
    // A name that is given by the destination is one item's: no second one is called otherwise, or left out, for it.
    if case .fixed(let name) = folder.naming, hasParts { throw staging.duplicateName(name) }
    hasParts = true
    var wishes: [StagingDirectory.Part] = []
    for part in parts { wishes.append(try wish(for: part, suggestedName)) }
    var path = ""
    if folder.naming == .suggested {
      path = try DropFolderPath.prefix(attributes.folder, allowsHidden: folder.allowsHiddenNames)
    }
    switch try staging.makeItem(
      wishes, in: path, index: itemCount - 1, attributes: attributes, note: note(suggestedName, contentTypes))
    {
    case .taken(let name): leftOut = leftOutItem(suggestedName, contentTypes(), takenName: name)
    case .files(let files):
      for (part, file) in zip(parts, files) {
        arriving.append(Arriving(part: part, name: file.name, file: file))
        observer?.begin(file.name, part.byteCount)
      }
    }
  }

  private func wish(
    for part: Part, _ suggestedName: String?
  ) throws(DropStreamError) -> StagingDirectory.Part {
    let isUnpacked = folder.unpacksFolders && part.isDirectory
    let name: String
    switch folder.naming {
    case .suggested:
      let wish = self.name(for: part, suggestedName: suggestedName, isUnpacked: isUnpacked)
      name = try DropFileName(wish, allowsHidden: folder.allowsHiddenNames).name
    case .fixed(let fixed): name = fixed
    case .numbered: name = "\(itemCount)-\(part.index)"
    }
    return StagingDirectory.Part(wish: name, isFolder: isUnpacked)
  }

  /// What is told of the item if it is left out at the last moment.
  private func note(_ suggestedName: String?, _ contentTypes: () -> [UTType]) -> [UInt8] {
    guard folder.collision == .skip else { return [] }
    var writer = RecordWriter()
    writer.add(suggestedName) { $0.add($1) }
    let types = contentTypes()
    writer.add(types.count)
    for type in types { writer.add(type.identifier) }
    return writer.bytes
  }

  private static func leftOutItem(index: Int, name: String, note: [UInt8]) -> DropFolder.LeftOutItem {
    var reader = RecordReader(note)
    let suggestedName = reader.optional { $0.string() }
    let count: Int = reader.integer()
    return DropFolder.LeftOutItem(
      suggestedName: suggestedName, contentTypes: (0..<count).map { _ in UTType(named: reader.string()) },
      takenName: name, itemIndex: index)
  }

  private func leftOutItem(_ name: String?, _ types: [UTType], takenName: String?) -> DropFolder.LeftOutItem {
    DropFolder.LeftOutItem(suggestedName: name, contentTypes: types, takenName: takenName, itemIndex: itemCount - 1)
  }

  /// The representations of this item that are awaited.
  var awaitedIndices: [Int] { arriving.map(\.part.index) }

  /// An item without a name is called by its number and its type's extension; another representation than the first has
  /// the item's name with an extension that fits it.
  private func name(for part: Part, suggestedName: String?, isUnpacked: Bool) -> String {
    let isArchive = !isUnpacked && part.isDirectory
    let archive = isArchive ? ".zip" : ""
    let fileExtension = isUnpacked || isArchive ? nil : part.contentType.filenameExtensionForNewFile
    guard let suggestedName else { return "item-\(itemCount)" + (fileExtension.map { ".\($0)" } ?? archive) }
    // One that is too long is refused, whatever could be made of it.
    if suggestedName.utf8.count > DropFileName.maximumLength { return suggestedName }
    guard !part.isFirst, let fileExtension else { return DropFileName.joined(suggestedName, archive) }
    if UTType.identify(fileNamed: suggestedName).type.conforms(to: part.contentType) { return suggestedName }
    return DropFileName.joined(DropFileName.stem(of: suggestedName), ".\(fileExtension)")
  }

  /// Takes bytes of a representation, wanted or not.
  mutating func append(_ bytes: UnsafeRawBufferPointer, to index: Int) throws(DropStreamError) {
    for position in arriving.indices where arriving[position].part.index == index {
      try arriving[position].file?.append(bytes)
      observer?.advance(bytes.count)
    }
  }

  /// Takes zeros of a representation, wanted or not.
  mutating func append(zeros count: UInt64, to index: Int) throws(DropStreamError) {
    for position in arriving.indices where arriving[position].part.index == index {
      try arriving[position].file?.append(zeros: count)
      observer?.advance(Int(count))
    }
  }

  /// Takes the source's own file in place of the bytes of a representation.
  ///
  /// - Returns: Whether it is staged; else its bytes are awaited still.
  mutating func take(_ original: CInt, as index: Int, byteCount: UInt64) -> Bool {
    guard let position = arriving.firstIndex(where: { $0.part.index == index }), let file = arriving[position].file,
      staging?.link(original, as: file) == true
    else { return false }
    arriving[position].isOriginal = true
    observer?.advance(Int(byteCount))
    return true
  }

  /// Ends a representation of which all has come.
  mutating func end(_ index: Int, byteCount: UInt64, isCancelled: () -> Bool) throws(DropStreamError) {
    for position in arriving.indices where arriving[position].part.index == index {
      let (part, name) = (arriving[position].part, arriving[position].name)
      if let file = arriving[position].file.take() {
        try staging?.finish(file, byteCount: byteCount, isCancelled: isCancelled)
      }
      arriving[position].outcome = .file(
        DropFolder.File(
          name: name, contentType: part.contentType, byteCount: byteCount, itemIndex: itemCount - 1,
          suggestedName: suggestedName, isOriginal: arriving[position].isOriginal))
    }
  }

  /// Gives up a representation that its source could not make.
  mutating func fail(_ index: Int, _ failure: SenderFailure) {
    for position in arriving.indices where arriving[position].part.index == index {
      let (part, name) = (arriving[position].part, arriving[position].name)
      if let file = arriving[position].file.take() { staging?.remove(file) }
      arriving[position].outcome = .missing(
        DropFolder.MissingFile(
          name: folder.naming == .numbered ? suggestedName ?? "item \(itemCount)" : name, contentType: part.contentType,
          failure: failure, itemIndex: itemCount - 1))
    }
  }

  mutating func endItem() -> [DropFolder.Arrival] {
    let arrivals = arriving.compactMap(\.outcome)
    arriving.removeAll(keepingCapacity: true)
    return arrivals + [leftOut.take().map { .leftOut($0) }].compactMap(\.self)
  }

  /// Names everything.
  ///
  /// - Returns: What could not be as it should.
  /// - Throws: `alreadyExists`, `destinationUnavailable`; nothing is there then.
  mutating func publish() throws(DropStreamError) -> DropFolder.Publication {
    // An empty drop, too, wants a folder that is there.
    let staging = try openStaging()
    let outcome = try staging.publish()
    // One that was made for items of which none was acceptable, or could be made, goes again.
    if itemCount == 0 || outcome.fileCount > 0 { staging.folder.keep() }
    report(staging)
    self.staging = nil
    return DropFolder.Publication(
      finalNames: outcome.finalNames, leftOut: outcome.leftOut.map(Self.leftOutItem), fileCount: outcome.fileCount,
      byteCount: outcome.byteCount, originals: staging.originals)
  }

  mutating func abandon() {
    arriving = []
    staging?.remove()
    if let staging { report(staging) }
    staging = nil
  }

  private func report(_ staging: StagingDirectory) {
    for remark in staging.takeRemarks() { observer?.remark(remark) }
  }
}
