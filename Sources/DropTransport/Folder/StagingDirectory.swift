// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import Glibc
internal import ItemTransfer

/// A directory inside the destination that holds numbered files until the end of the stream.
///
/// All operations are relative to the descriptors of the two directories. Changes to their paths cannot redirect a
/// write.
final class StagingDirectory {
  /// The name and kind to request for a part of an item.
  struct Part {
    let name: String
    /// Whether the part becomes a folder.
    var isFolder = false
    /// The identity of a part that is kept if the receive is interrupted.
    var identity: ResumableParts.Identity?
  }

  /// The result of staging an item.
  enum Place {
    /// A file for each part.
    ///
    /// Its name may differ from the requested name.
    case files([StagedFile])
    /// The name that is taken.
    ///
    /// The item is left out.
    case taken(String)
  }

  let folder: DestinationDirectory
  let staging: StagingPlace
  let collision: DropFolder.Collision
  let preservesAttributes: Bool
  /// Whether everything is flushed to the disk before the publication ends.
  let isDurable: Bool
  private let folderOptions: FolderUnpacker.Options
  /// The items before the current item.
  private var items: [StagedItem] = []
  /// The number of the staged folder that has a name, by the UTF-8 bytes of the name; `nil` for the name of a file.
  private var names: [[UInt8]: Int?] = [:]
  /// The item that is being written.
  private var current: StagedItem?
  private var fileCount = 0
  private var numbers = NameNumbers()
  /// Whether no further removal is needed.
  private var isRemoved = false
  /// The proof for the lists of this directory; `nil` if there is no place for its key.
  private(set) lazy var seal = parts?.seal ?? (try? StagingSeal(in: stateDirectory))
  private let stateDirectory: String?
  /// The parts that are kept if the receive is interrupted; `nil` if none are kept.
  private let parts: ResumableParts?
  /// Messages for the user about this and other staging directories.
  private var remarks: [String] = []

  /// Creates a staging directory, and removes the staging directories of killed receivers.
  ///
  /// - Throws: `destinationUnavailable`.
  init(in destination: DropFolder) throws(DropStreamError) {
    collision = destination.collision
    preservesAttributes = destination.preservesAttributes
    isDurable = destination.isDurable
    folderOptions = destination.folderOptions
    stateDirectory = destination.stateDirectory
    var keyFailure: SystemError?
    var seal: StagingSeal?
    if destination.isResumable {
      do throws(SystemError) { seal = try StagingSeal(in: destination.stateDirectory) } catch { keyFailure = error }
    }
    folder = try DestinationDirectory(destination)
    do throws(SystemError) {
      staging = try StagingPlace.make(in: folder.raw, isResumable: seal != nil)
    } catch {
      throw DropStreamError(.destinationUnavailable, "cannot write to the directory \(folder.shownPath)", error)
    }
    var cleaner = LeftoverCleaner(folder, removesResumable: false, stateDirectory: destination.stateDirectory)
    cleaner.clean()
    remarks = cleaner.leftovers.remarks
    if let seal, StagingName.isResumable(staging.name.utf8) {
      do throws(SystemError) {
        parts = try ResumableParts(in: folder, staging: staging.raw, named: staging.name, seal)
      } catch {
        try? FolderUnpacking.remove(staging.raw, named: staging.name, in: folder.raw)
        throw DropStreamError(.destinationUnavailable, "cannot write to the directory \(folder.shownPath)", error)
      }
    } else {
      parts = nil
      if let keyFailure {
        remarks.append("an interrupted receive cannot be resumed: the receiver's key cannot be used: \(keyFailure)")
      } else if destination.isResumable {
        remarks.append("an interrupted receive cannot be resumed, because other machines may use \(folder.shownPath)")
      }
    }
  }

  deinit {
    remove()
  }

  /// Returns the messages for the user, and clears them.
  func takeRemarks() -> [String] {
    defer { remarks = [] }
    return remarks
  }

  // MARK: Files

  /// Creates a file for each part of an item.
  ///
  /// A folder is created from the archive that is written to its file.
  ///
  /// - Parameters:
  ///   - parts: The parts of the item. Parts with equal names get different numbers. If another item or file has the
  ///     name of one part, the collision policy applies to all parts.
  ///   - path: The path of the folder below the destination, with a trailing slash.
  ///   - attributes: The attributes that the source declares.
  ///   - description: The description of the item for ``Publication/Outcome/leftOut``.
  /// - Returns: The files, or the name that is taken if the item is left out.
  /// - Throws: `duplicateName`, `alreadyExists`, `destinationUnavailable`, `systemCall`; for a folder also the errors
  ///   of creating it.
  func makeItem(
    _ parts: [Part], in path: String = "", attributes: ItemFileAttributes = ItemFileAttributes(),
    description: DropFolder.LeftOutItem? = nil
  ) throws(DropStreamError) -> Place {
    endItem()
    let preferredNames = PreferredName.list(parts.map(\.name), in: path)
    var number = 1
    if let conflict = try conflict(to: preferredNames, parts) {
      // Only a name in the folder leaves the item out; a name of another item in the stream does not.
      if collision == .skip, try isInFolder(preferredNames) { return .taken(conflict) }
      number = numbers.take(for: preferredNames, isFree: isFree)
    }
    current = StagedItem(
      firstFile: fileCount, attributes: attributes, description: description, number: number,
      parts: zip(parts, preferredNames).map { part, preferredName in
        StagedItem.Part(preferredName: preferredName, isFolder: part.isFolder)
      })
    var files: [StagedFile] = []
    for (part, preferredName) in zip(parts, preferredNames) {
      files.append(try makeFile(part, preferredName.name(number)))
    }
    return .files(files)
  }

  private func endItem() {
    guard let item = current.take() else { return }
    items.append(item)
    for file in item.files { names.updateValue(file.isFolder ? file.number : nil, forKey: Array(file.name.utf8)) }
  }

  /// Ends the last item, and returns the publication of all items.
  func publication() -> Publication {
    endItem()
    return Publication(of: items, in: self)
  }

  private func makeFile(_ part: Part, _ name: String) throws(DropStreamError) -> StagedFile {
    let number = fileCount
    fileCount += 1
    let identity = parts == nil ? nil : part.identity
    let isArchive = part.isFolder && identity != nil
    if part.isFolder, !isArchive {
      return StagedFile(try unpacker(number, name), name: name, number: number)
    }
    do throws(SystemError) {
      if let parts, let identity,
        let former = try parts.begin(identity, number: number, isFolder: isArchive)
      {
        return StagedFile(former, name: name, number: number, isArchive: isArchive, isDurable: isDurable)
      }
      let file = try OwnedDescriptor.openAt(
        staging.raw, ResumableParts.fileName(number, isFolder: isArchive), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600
      )
      return StagedFile(file, name: name, number: number, isArchive: isArchive, isDurable: isDurable)
    } catch {
      throw DropStreamError(.systemCall, "cannot create \(name.escapedForDisplay())", error)
    }
  }

  private func unpacker(_ number: Int, _ name: String) throws(DropStreamError) -> FolderUnpacker {
    try StagedFile.unpacking(name) { () throws(FolderArchiveError) in
      try FolderUnpacker(into: staging.raw, as: String(number), options: folderOptions)
    }
  }

  /// Creates a folder from its complete archive.
  private func unpack(_ archive: StagedFile) throws(DropStreamError) {
    let path = ResumableParts.fileName(archive.number, isFolder: true)
    let folder = StagedFile(try unpacker(archive.number, archive.name), name: archive.name, number: archive.number)
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)
    defer { buffer.deallocate() }
    do throws(DropStreamError) {
      let file = try mapError(OwnedDescriptor.openAt(staging.raw, path, O_RDONLY | O_NOFOLLOW), Self.unreadable)
      while true {
        let count = try mapError(SystemCalls.read(file.raw, buffer), Self.unreadable)
        if Task.isCancelled { throw .cancelled }
        if count == 0 { break }
        try folder.append(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
      }
      try folder.close()
    } catch {
      folder.discard()
      throw error
    }
  }

  /// Returns whether another item of the stream has the name.
  func isTaken(_ name: String) -> Bool { names[Array(name.utf8)] != nil }

  /// Returns the number under which another item's folder called `name` is staged; `nil` if there is none.
  func folderNumber(_ name: String) -> Int? { names[Array(name.utf8)] ?? nil }

  private static func unreadable(_ error: SystemError) -> DropStreamError {
    DropStreamError(.systemCall, "cannot read a temporary file", error)
  }

  /// Finds the first name of an item that the collision policy must resolve.
  ///
  /// - Returns: The name; `nil` if all names are free or may replace the files that have them.
  /// - Throws: `duplicateName`, `alreadyExists`, `destinationUnavailable`, `systemCall`.
  private func conflict(to preferredNames: [PreferredName], _ parts: [Part]) throws(DropStreamError) -> String? {
    for (part, preferredName) in zip(parts, preferredNames) {
      let name = preferredName.name(1)
      try checkFolders(of: name)
      let isTaken = isTaken(name)
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

  private func isInFolder(_ preferredNames: [PreferredName]) throws(DropStreamError) -> Bool {
    for preferredName in preferredNames where try statusInFolder(of: preferredName.name(1)) != nil { return true }
    return false
  }

  private func isFree(_ name: String) -> Bool {
    // If the check fails, the name is treated as free: naming a file never replaces a different one.
    !isTaken(name) && (try? statusInFolder(of: name)) == nil
  }

  /// Gives the parts of an item the next free names.
  func renumber(_ item: inout StagedItem) {
    item.number = numbers.take(for: item.parts.compactMap { $0?.preferredName }, isFree: isFree)
    for name in item.names { names.updateValue(nil, forKey: Array(name.utf8)) }
  }

  /// Ends a file or folder that is complete.
  ///
  /// - Throws: `systemCall`; for a folder also `damaged`, `unsafeName`, `limitExceeded`.
  func finish(_ file: StagedFile) throws(DropStreamError) {
    try file.close()
    if file.isArchive { try unpack(file) }
  }

  /// Removes a file of the current item that remains incomplete.
  func remove(_ file: StagedFile) {
    guard let item = current, let part = item.parts[file.number - item.firstFile] else { return }
    current?.parts[file.number - item.firstFile] = nil
    numbers.giveBack(item.number, of: part.preferredName)
    file.discard()
    if file.isArchive || !part.isFolder {
      try? SystemCalls.unlinkAt(staging.raw, ResumableParts.fileName(file.number, isFolder: file.isArchive))
    }
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

/// Folders below the destination.
extension StagingDirectory {
  /// Returns the status of a path without following links; `nil` if nothing has the name, or its status cannot be read.
  ///
  /// - Throws: `destinationUnavailable` if a component of its path is not a folder.
  func statusInFolder(of name: String) throws(DropStreamError) -> FileStatus? {
    do throws(SystemError) {
      return try folder.inFolder(of: name) { (raw, last) throws(SystemError) in
        try SystemCalls.statusAt(raw, last, AT_SYMLINK_NOFOLLOW)
      }
    } catch {
      guard error.errorNumber == ENOTDIR || error.errorNumber == ELOOP else { return nil }
      throw DropStreamError(
        .destinationUnavailable,
        "cannot create \"\(name.escapedForDisplay())\" in \(folder.shownPath): a folder in its path is not a directory",
        errorNumber: error.errorNumber)
    }
  }

  /// Checks that no earlier item has the name of a parent folder of a new item, unless the new item may join it.
  ///
  /// With ``DropFolder/Collision/replace``, a new item joins an earlier folder unless the folder already contains its
  /// name. With ``DropFolder/Collision/rename`` and ``DropFolder/Collision/skip`` it always joins. It then gets a
  /// number if the folder contains its name.
  ///
  /// - Throws: `duplicateName`.
  private func checkFolders(of name: String) throws(DropStreamError) {
    guard name.utf8.contains(DropFolderPath.separator) else { return }
    let path = Array(name.utf8)
    for end in path.indices where path[end] == DropFolderPath.separator {
      let folder = String(decoding: path[..<end], as: UTF8.self)
      guard isTaken(folder) else { continue }
      guard let number = folderNumber(folder), collision != .refuse else { throw duplicateName(folder) }
      guard collision == .replace else { continue }
      do throws(SystemError) {
        let inside = String(decoding: path[end...], as: UTF8.self)
        _ = try SystemCalls.statusAt(staging.raw, "\(number)" + inside, AT_SYMLINK_NOFOLLOW)
      } catch {
        if error.errorNumber == ENOENT { continue }
      }
      throw duplicateName(name)
    }
  }
}

/// Removal of a staging directory.
extension StagingDirectory {
  /// Removes the remaining staged files and the directory, and records a failure as a remark.
  func remove() {
    guard !isRemoved else { return }
    isRemoved = true
    var failure: SystemError?
    // The list is removed first: without it, a later receiver restores no file from the directory.
    if collision == .replace {
      do throws(SystemError) { try SystemCalls.unlinkAt(staging.raw, ReplacedFileList.fileName) } catch {
        if error.errorNumber != ENOENT { failure = error }
      }
    }
    parts?.remove()
    parts?.removeFormers()
    // If all files have their names, the directory is empty.
    if (try? FolderUnpacking.removeEmpty(staging.raw, named: staging.name, in: folder.raw)) != nil { return }
    for number in 0..<fileCount {
      do throws(SystemError) {
        try SystemCalls.unlinkAt(staging.raw, String(number))
      } catch {
        switch error.errorNumber {
        case ENOENT: break
        case EISDIR, EPERM: FolderUnpacking.remove(String(number), in: staging.raw)
        default: failure = failure ?? error
        }
      }
    }
    do throws(SystemError) { try FolderUnpacking.removeEmpty(staging.raw, named: staging.name, in: folder.raw) } catch {
      if error.errorNumber != ENOENT { failure = failure ?? error }
    }
    if let failure { remarks.append("cannot remove \(folder.shownPath)/\(staging.name): \(failure)") }
  }

  /// Keeps the received parts for a later receiver, if the destination requests that.
  func interrupt() {
    guard let parts, !isRemoved, case let count = parts.byteCount, count > 0 else { return remove() }
    isRemoved = true
    parts.removeFormers()
    remarks.append(
      "kept \(count) bytes in \(folder.shownPath)/\(staging.name); repeat the receive to continue")
  }

  /// Keeps the directory with the former files that could not be restored.
  ///
  /// A later receiver reports them.
  func keep(_ reason: SystemError) {
    isRemoved = true
    remarks.append("former files are in \(folder.shownPath)/\(staging.name): \(reason)")
  }
}

/// An open staging directory, locked until its last reference is released.
///
/// The kernel releases the lock (`flock`) when the process ends, for any reason. Some file systems do not show locks to
/// every program that may use them. On these, the directory is not locked, and its name shows that.
final class StagingPlace: Sendable {
  let name: String
  private let descriptor: OwnedDescriptor
  var raw: CInt { descriptor.raw }

  private init(_ name: String, in folder: CInt) throws(SystemError) {
    self.name = name
    descriptor = try OwnedDescriptor.openAt(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
  }

  deinit {
    // Closing it is not enough: a process that another thread has just forked has a copy of the descriptor until it
    // runs its program, and the copy keeps the lock.
    try? SystemCalls.lock(raw, LOCK_UN)
  }

  /// Creates and locks a directory.
  ///
  /// - Parameters:
  ///   - folder: A descriptor of the parent directory.
  ///   - isResumable: Whether an interrupted receiver keeps the directory, if it is locked.
  /// - Returns: The empty directory.
  /// - Throws: The system error.
  static func make(in folder: CInt, isResumable: Bool) throws(SystemError) -> StagingPlace {
    var isLocked = !SystemCalls.isSharedWithMachines(folder)
    var attempts = 0
    while true {
      attempts += 1
      let name = StagingName.random(isLocked: isLocked, isResumable: isResumable)
      try SystemCalls.makeDirectoryAt(folder, name, 0o700)
      do throws(SystemError) {
        let place = try StagingPlace(name, in: folder)
        if isLocked { try place.lock(in: folder) }
        return place
      } catch {
        // Before the lock, another receiver may have removed the directory as a leftover of a killed receiver.
        let isTaken = error.errorNumber == ENOENT || error.errorNumber == EWOULDBLOCK
        if isTaken, attempts < 100 { continue }
        try? SystemCalls.unlinkAt(folder, name, AT_REMOVEDIR)
        guard isLocked, !isTaken, error.call == "flock" else { throw error }
        isLocked = false
      }
    }
  }

  /// Opens and locks the staging directory of a killed receiver of this user.
  ///
  /// - Throws: `EWOULDBLOCK` if its receiver is alive; other system errors.
  static func ofDeadReceiver(_ name: String, in folder: CInt) throws(SystemError) -> StagingPlace {
    let place = try StagingPlace(name, in: folder)
    let status = try SystemCalls.status(place.raw)
    guard status.owner == geteuid(), status.permissions == 0o700 else { throw SystemError(EPERM, in: "flock") }
    try place.lock(in: folder)
    return place
  }

  /// Locks the directory without waiting.
  ///
  /// - Parameter folder: A descriptor of the parent directory.
  /// - Throws: `EWOULDBLOCK` if another process has the lock, `ENOENT` if the directory was removed meanwhile.
  private func lock(in folder: CInt) throws(SystemError) {
    try SystemCalls.lock(raw, LOCK_EX | LOCK_NB)
    try FolderUnpacking.check(name, of: raw, in: folder)
  }
}
