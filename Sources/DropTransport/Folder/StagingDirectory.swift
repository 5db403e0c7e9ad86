// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import Glibc
internal import ItemTransfer

/// A directory inside the destination in which files wait, under numbers, for the end of the stream.
///
/// Everything is done relative to the two directories' descriptors: whatever happens to their paths meanwhile, nothing
/// is written elsewhere.
final class StagingDirectory {
  /// What a part of an item is to be.
  struct Part {
    let wish: String
    /// Whether it becomes a folder when it is finished.
    var isFolder = false
  }

  /// What has become of an item that was to be staged.
  enum Place {
    /// A file for each part, which may be called otherwise than was wished for.
    case files([StagedFile])
    /// It is to be left out, as the name is taken.
    case taken(String)
  }

  let folder: DestinationDirectory
  let staging: OwnedDescriptor
  let stagingName: String
  let collision: DropFolder.Collision
  let preservesAttributes: Bool
  /// Whether everything is flushed to the disk before ``publish()`` returns.
  let isDurable: Bool
  /// The items before the one that is being filled.
  private let records: RecordFile
  private var table = NameTable()
  /// The one that is being filled.
  var current: StagedItem?
  private(set) var fileCount = 0
  private(set) var hasFolders = false
  /// Names that were given at the last moment, as bytes.
  private var lateNames: Set<[UInt8]> = []
  private var numbers = NameNumbers()
  /// Whether nothing is left to be removed.
  var isRemoved = false
  /// Below the destination, in the order in which they were made.
  var madeFolders: [String] = []
  /// The folders in the staging directory whose files ``ReplacedFileList`` has.
  var listedFolders: Set<[UInt8]> = []
  /// The source's own files among the staged ones.
  var originals: OriginalFiles?
  /// What a person should know of this and other staging directories.
  var remarks: [String] = []

  /// Creates a staging directory, and removes those of receivers that were killed.
  ///
  /// - Throws: `destinationUnavailable`.
  init(in destination: DropFolder) throws(DropStreamError) {
    collision = destination.collision
    preservesAttributes = destination.preservesAttributes
    isDurable = destination.isDurable
    folder = try DestinationDirectory(destination)
    do throws(SystemError) {
      let place = try StagingPlace.make(in: folder.raw)
      stagingName = place.name
      staging = place.descriptor
    } catch {
      throw DropStreamError(.destinationUnavailable, "cannot write to the directory \(folder.shownPath)", error)
    }
    records = RecordFile(in: staging.raw)
    var cleaner = LeftoverCleaner(folder: folder)
    cleaner.clean()
    remarks = cleaner.leftovers.remarks
  }

  deinit {
    remove()
  }

  /// Returns what a person should know, once.
  func takeRemarks() -> [String] {
    defer { remarks = [] }
    return remarks
  }

  // MARK: Files

  /// Makes the files of an item's parts, or those that will be the archives of folders.
  ///
  /// - Parameters:
  ///   - parts: What becomes of it. They are told apart by numbers where they wish for the same name; what else has the
  ///     name of one of them is in the way of all.
  ///   - path: The folder below the destination that they go to, with a slash at its end.
  ///   - index: Which item it is.
  ///   - attributes: As the source says.
  ///   - note: Comes back with ``Outcome/leftOut``.
  /// - Returns: The files, unless the item is to be left out.
  /// - Throws: `duplicateName`, `alreadyExists`, `systemCall`.
  func makeItem(
    _ parts: [Part], in path: String = "", index: Int, attributes: ItemFileAttributes = ItemFileAttributes(),
    note: [UInt8] = []
  ) throws(DropStreamError) -> Place {
    endItem()
    let wishes = WishedName.list(parts.map(\.wish), in: path)
    var number = 1
    if let obstacle = try obstacle(to: wishes, parts) {
      // What another item of the stream is called is not what is there already.
      if collision == .skip, try isInFolder(wishes) { return .taken(obstacle) }
      number = numbers.take(for: wishes, isFree: isFree)
    }
    current = StagedItem(
      index: index, firstFile: fileCount, attributes: attributes, note: note, number: number,
      parts: zip(parts, wishes).map { part, wish in StagedItem.Part(wish: wish, isFolder: part.isFolder) })
    var files: [StagedFile] = []
    for (part, wish) in zip(parts, wishes) { files.append(try makeFile(part, wish.name(number))) }
    return .files(files)
  }

  /// Moves the item that was filled to the records.
  private func endItem() {
    guard let item = current.take() else { return }
    let offset = records.append(item.record)
    for name in item.names { table.insert(NameTable.hash(name), offset: offset) }
  }

  private func makeFile(_ part: Part, _ name: String) throws(DropStreamError) -> StagedFile {
    let number = fileCount
    fileCount += 1
    if part.isFolder { hasFolders = true }
    do throws(SystemError) {
      let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW
      let staged = part.isFolder ? Self.archiveName(number) : String(number)
      return StagedFile(try .openAt(staging.raw, staged, flags, 0o600), name: name, number: number)
    } catch {
      throw DropStreamError(.systemCall, "cannot make \(name.escapedForDisplay())", error)
    }
  }

  /// Whether another item of the stream has the name.
  func isTaken(_ name: String) throws(DropStreamError) -> Bool {
    if lateNames.contains(Array(name.utf8)) { return true }
    return try item(named: name) != nil
  }

  /// The number of the folder of another item that has the name; `nil` where there is none.
  func folderNumber(_ name: String) throws(DropStreamError) -> Int? {
    try item(named: name)?.files.first { $0.isFolder && $0.name.utf8.elementsEqual(name.utf8) }?.number
  }

  private func item(named name: String) throws(DropStreamError) -> StagedItem? {
    do throws(SystemError) {
      return try table.first(NameTable.hash(name)) { (offset) throws(SystemError) in
        let item = StagedItem(record: try records.record(at: offset).bytes)
        return item.hasName(name) ? item : nil
      }
    } catch {
      throw Self.unreadable(error)
    }
  }

  /// Reads the items one after the other, and ends the one that was filled last.
  ///
  /// - Parameter offset: 0 at first; moves on.
  /// - Returns: The next item; `nil` at the end.
  /// - Throws: `systemCall`.
  func nextItem(_ offset: inout UInt64) throws(DropStreamError) -> StagedItem? {
    endItem()
    guard offset < records.end else { return nil }
    do throws(SystemError) {
      let (record, next) = try records.record(at: offset)
      offset = next
      return StagedItem(record: record)
    } catch {
      throw Self.unreadable(error)
    }
  }

  private static func unreadable(_ error: SystemError) -> DropStreamError {
    DropStreamError(.systemCall, "cannot read a temporary file", error)
  }

  /// - Returns: What makes it necessary to leave an item out or to call it otherwise; `nil` where its names are free, or
  ///   may be taken from the files that have them.
  private func obstacle(to wishes: [WishedName], _ parts: [Part]) throws(DropStreamError) -> String? {
    for (part, wish) in zip(parts, wishes) {
      let name = wish.name(1)
      try checkFolders(of: name)
      let isTaken = try isTaken(name)
      let status = try statusInFolder(of: name)
      if !isTaken, status == nil { continue }
      switch collision {
      case .skip, .rename: return name
      case .replace where !isTaken:
        guard status?.kind == (part.isFolder ? .directory : .regular) else { throw irreplaceable(name) }
      case .replace, .refuse:
        guard isTaken else { throw alreadyExists(name) }
        throw duplicateName(name)
      }
    }
    return nil
  }

  private func isInFolder(_ wishes: [WishedName]) throws(DropStreamError) -> Bool {
    for wish in wishes where try statusInFolder(of: wish.name(1)) != nil { return true }
    return false
  }

  private func isFree(_ name: String) -> Bool {
    // If the check fails, the name counts as free: naming a file never replaces another one.
    (try? isTaken(name)) != true && (try? statusInFolder(of: name)) == nil
  }

  /// Gives the parts of an item the next names that are free.
  func renumber(_ item: inout StagedItem) {
    item.number = numbers.take(for: item.parts.compactMap { $0?.wish }, isFree: isFree)
    for name in item.names { lateNames.insert(Array(name.utf8)) }
  }

  static func archiveName(_ number: Int) -> String { "\(number).zip" }

  /// Ends a file of which all has come, and makes the folder that it is the archive of.
  ///
  /// - Parameters:
  ///   - file: Of the item that was made last.
  ///   - byteCount: How many bytes have come for it.
  ///   - isCancelled: Asked between steps.
  /// - Throws: `systemCall`; of an archive also `damaged`, `unsafeName`, `limitExceeded`; `cancelled`.
  func finish(
    _ file: StagedFile, byteCount: UInt64 = 0, isCancelled: () -> Bool
  ) throws(DropStreamError) {
    try file.close()
    guard let part = part(of: file) else { return }
    current?.parts[part]?.byteCount = byteCount
    guard current?.parts[part]?.isFolder == true else { return }
    let archiveName = Self.archiveName(file.number)
    let archive: OwnedDescriptor
    do throws(SystemError) {
      archive = try OwnedDescriptor.openAt(staging.raw, archiveName, O_RDONLY | O_NOFOLLOW)
    } catch {
      throw DropStreamError(.systemCall, "cannot unpack \(file.name.escapedForDisplay())", error)
    }
    do throws(FolderArchiveError) {
      try FolderUnpacking.unpack(
        archive: archive.raw, into: staging.raw, as: String(file.number), ignoringUmask: preservesAttributes,
        durable: isDurable, isCancelled: isCancelled)
    } catch {
      throw DropStreamError(unpacking: file.name, error)
    }
    try? SystemCalls.unlinkAt(staging.raw, archiveName)
  }

  /// Which part of the item that is being filled a file is.
  func part(of file: StagedFile) -> Int? {
    guard let current, file.number >= current.firstFile else { return nil }
    return file.number - current.firstFile
  }

  /// Takes back a file that will not be whole.
  func remove(_ file: StagedFile) {
    guard let index = part(of: file), let part = current?.parts[index] else { return }
    current?.parts[index] = nil
    if let number = current?.number { numbers.giveBack(number, of: part.wish) }
    try? SystemCalls.unlinkAt(staging.raw, part.isFolder ? Self.archiveName(file.number) : String(file.number))
  }

  func duplicateName(_ name: String) -> DropStreamError {
    DropStreamError(.duplicateName, "two items have the name \"\(name.escapedForDisplay())\"")
  }

  func alreadyExists(_ name: String) -> DropStreamError {
    DropStreamError(.alreadyExists, "\"\(name.escapedForDisplay())\" is in \(folder.shownPath) already")
  }

  func irreplaceable(_ name: String) -> DropStreamError {
    DropStreamError(
      .alreadyExists,
      "\"\(name.escapedForDisplay())\" is in \(folder.shownPath) already; only a file replaces a file, and a folder merges with a folder"
    )
  }
}

extension DropStreamError {
  /// Why an archive is no folder.
  fileprivate init(unpacking name: String, _ error: FolderArchiveError) {
    let reason = "cannot make the folder \(name.escapedForDisplay()): \(error)"
    let code: Code =
      switch error.code {
      case .malformed, .unsupported, .specialFile, .changedWhileRead: .damaged
      case .limitExceeded: .limitExceeded
      case .unsafeName: .unsafeName
      case .alreadyExists, .system: .systemCall
      case .cancelled: .cancelled
      }
    self = error.code == .cancelled ? .cancelled : DropStreamError(code, reason, errorNumber: error.errorNumber)
  }
}
