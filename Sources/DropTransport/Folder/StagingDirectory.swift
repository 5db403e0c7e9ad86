// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import ItemCoding
internal import ItemTransfer

/// A directory inside the destination in which files wait, under numbers, for the end of the stream.
///
/// Everything is done relative to the two directories' descriptors: whatever happens to their paths meanwhile, nothing
/// is written elsewhere.
final class StagingDirectory {
  /// A part of an item that waits for its name.
  struct Entry {
    let wish: WishedName
    /// What it is to be called now.
    var name: String
    let isFolder: Bool
    let attributes: ItemFileAttributes
  }

  /// Parts that get their names together, or do not.
  struct Item {
    /// Which one it is for those outside.
    let index: Int
    /// Of the parts' entries.
    let entries: Range<Int>
    /// That of all its names; 1 stands for none.
    var number: Int
  }

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
  /// By the number of the file; `nil` of one that was given up.
  var entries: [Entry?] = []
  var items: [Item] = []
  /// Bytes, as for the file system: two strings may be equal and yet be two names.
  private(set) var taken: Set<[UInt8]> = []
  /// The numbers of the items that are folders, by the bytes of their names.
  private(set) var folderNumbers: [[UInt8]: Int] = [:]
  private var numbers = NameNumbers()
  /// Whether nothing is left to be removed.
  var isRemoved = false
  /// Below the destination, in the order in which they were made.
  var madeFolders: [String] = []
  /// The folders in the staging directory whose files ``ReplacedFileList`` has.
  var listedFolders: Set<[UInt8]> = []
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
  /// - Returns: The files, unless the item is to be left out.
  /// - Throws: `duplicateName`, `alreadyExists`, `systemCall`.
  func makeItem(
    _ parts: [Part], in path: String = "", index: Int, attributes: ItemFileAttributes = ItemFileAttributes()
  ) throws(DropStreamError) -> Place {
    let wishes = WishedName.list(parts.map(\.wish), in: path)
    var number = 1
    if let obstacle = try obstacle(to: wishes, parts) {
      // What another item of the stream is called is not what is there already.
      if collision == .skip, try isInFolder(wishes) { return .taken(obstacle) }
      number = numbers.take(for: wishes, isFree: isFree)
    }
    items.append(Item(index: index, entries: entries.count..<entries.count + parts.count, number: number))
    var files: [StagedFile] = []
    for (part, wish) in zip(parts, wishes) {
      files.append(try makeFile(part, wish, wish.name(number), attributes))
    }
    return .files(files)
  }

  private func makeFile(
    _ part: Part, _ wish: WishedName, _ name: String, _ attributes: ItemFileAttributes
  ) throws(DropStreamError) -> StagedFile {
    let number = entries.count
    taken.insert(Array(name.utf8))
    if part.isFolder { folderNumbers[Array(name.utf8)] = number }
    entries.append(Entry(wish: wish, name: name, isFolder: part.isFolder, attributes: attributes))
    do throws(SystemError) {
      let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW
      let staged = part.isFolder ? Self.archiveName(number) : String(number)
      return StagedFile(try .openAt(staging.raw, staged, flags, 0o600), name: name, number: number)
    } catch {
      throw DropStreamError(.systemCall, "cannot make \(name.escapedForDisplay())", error)
    }
  }

  /// - Returns: What makes it necessary to leave an item out or to call it otherwise; `nil` where its names are free, or
  ///   may be taken from the files that have them.
  private func obstacle(to wishes: [WishedName], _ parts: [Part]) throws(DropStreamError) -> String? {
    for (part, wish) in zip(parts, wishes) {
      let name = wish.name(1)
      try checkFolders(of: name)
      let isTaken = taken.contains(Array(name.utf8))
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
    !taken.contains(Array(name.utf8)) && (try? statusInFolder(of: name)) == nil
  }

  /// Gives the parts of an item the next names that are free.
  func renumber(_ item: inout Item) {
    let waiting = item.entries.compactMap { entries[$0]?.wish }
    item.number = numbers.take(for: waiting, isFree: isFree)
    for number in item.entries {
      guard let name = entries[number]?.wish.name(item.number) else { continue }
      taken.insert(Array(name.utf8))
      entries[number]?.name = name
    }
  }

  static func archiveName(_ number: Int) -> String { "\(number).zip" }

  /// Ends a file of which all has come, and makes the folder that it is the archive of.
  ///
  /// - Throws: `systemCall`; of an archive also `damaged`, `unsafeName`, `limitExceeded`; `cancelled`.
  func finish(_ file: StagedFile, isCancelled: () -> Bool) throws(DropStreamError) {
    try file.close()
    guard entries[file.number]?.isFolder == true else { return }
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

  /// Takes back a file that will not be whole.
  func remove(_ file: StagedFile) {
    guard let entry = entries[file.number].take() else { return }
    taken.remove(Array(entry.name.utf8))
    folderNumbers[Array(entry.name.utf8)] = nil
    if let item = items.last, item.entries.contains(file.number) { numbers.giveBack(item.number, of: entry.wish) }
    try? SystemCalls.unlinkAt(staging.raw, entry.isFolder ? Self.archiveName(file.number) : String(file.number))
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
    self = error.code == .cancelled ? .cancelled : DropStreamError(code, reason, errno: error.errno)
  }
}
