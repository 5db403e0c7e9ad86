// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import UniformTypes

/// Stages the first representation of each item as a file, and publishes all of them at the end.
struct FolderSink: ItemSink {
  private let folder: DropFolder
  /// Made with the first event, so that a stream that is none touches nothing.
  private var staging: StagingDirectory?
  private var file: StagedFile?
  private var offer = DropOffer(representations: [])
  private var name = ""
  private var itemCount = 0
  private var representationIndex = 0
  private var byteCount: UInt64 = 0
  /// Why the item will be no file.
  private var failure: SenderFailure?

  init(_ folder: DropFolder) {
    self.folder = folder
  }

  mutating func begin(_ offer: DropOffer) throws(DropStreamError) {
    itemCount += 1
    self.offer = offer
    representationIndex = 0
    failure = nil
    let staging = try openStaging()
    name = try DropFileName(suggestedName, allowsHidden: folder.allowsHiddenNames).name
    file = try staging.makeFile(named: name)
  }

  /// An item without a name is called by its number and its type's extension.
  ///
  /// A folder is kept as the archive that it travels as, and says so.
  private var suggestedName: String {
    let type = UTType(named: offer.representations[0].typeIdentifier)
    let archive = type.conforms(to: .directory) ? ".zip" : ""
    if let name = offer.suggestedName { return name + archive }
    if !archive.isEmpty { return "item-\(itemCount)\(archive)" }
    return "item-\(itemCount)" + (type.filenameExtensionForNewFile.map { ".\($0)" } ?? "")
  }

  private mutating func openStaging() throws(DropStreamError) -> StagingDirectory {
    if let staging { return staging }
    let opened = try StagingDirectory(in: folder)
    staging = opened
    return opened
  }

  mutating func append(_ bytes: UnsafeRawBufferPointer) throws(DropStreamError) {
    try file?.append(bytes)
  }

  mutating func endRepresentation(byteCount: UInt64) throws(DropStreamError) {
    if representationIndex == 0 {
      try file?.close()
      file = nil
      self.byteCount = byteCount
    }
    representationIndex += 1
  }

  mutating func failRepresentation(_ failure: SenderFailure) throws(DropStreamError) {
    if representationIndex == 0 {
      file = nil
      staging?.removeLastFile()
      self.failure = failure
    }
    representationIndex += 1
  }

  mutating func endItem() -> DropFolder.Arrival {
    let type = UTType(named: offer.representations[0].typeIdentifier)
    if let failure { return .missing(DropFolder.MissingFile(name: name, contentType: type, failure: failure)) }
    return .file(DropFolder.File(name: name, contentType: type, byteCount: byteCount))
  }

  mutating func endStream() throws(DropStreamError) {
    // An empty drop, too, wants a folder that is there.
    try openStaging().publish()
  }

  mutating func abandon() {
    file = nil
    staging?.remove()
    staging = nil
  }
}
