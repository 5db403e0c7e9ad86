// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import FoundationEssentials
internal import Glibc
internal import ItemTransfer

/// The start of content that an interrupted receive has kept.
struct ReceivedStart: Sendable {
  /// The number of bytes, at least one.
  let byteCount: UInt64
  /// The checksum of these bytes, which continues the checksum of a frame.
  let crc: CRC32C
  /// The value of their ``StartDigest``; empty if it is not needed.
  let digest: [UInt8]
}

/// The content after such a start, in chunks.
typealias ContentRest = any AsyncSequence<Data, any Error> & Sendable

/// The parts of items that a receive keeps if it is interrupted, and the parts that earlier receives have kept.
///
/// ```
/// .dragpipe-NAME.partial/0, 1, …    the bytes of a part, as far as they have arrived
///                        2.tar      the same for a folder
///                        parts      a list of the identities and numbers of the parts
/// ```
///
/// A receive continues a part if it expects one of the same identity, and the list has a valid ``StagingSeal``. The
/// identity does not depend on the content, so the kept bytes must then be compared with the source's content.
///
/// While an object exists, no other receiver can use the directories of the earlier receives.
final class ResumableParts {
  /// A hash of the source's declaration of a part.
  struct Identity: Hashable {
    fileprivate let hash: [UInt8]

    /// Hashes a declaration; an item without a suggested name is known by its number.
    init(
      origin: String, suggestedName: String?, itemNumber: Int, folder: String?, typeIdentifier: String,
      byteCount: UInt64?, isFolder: Bool
    ) {
      var bytes: [UInt8] = []
      func add(_ text: String) {
        bytes.append(littleEndian: UInt64(text.utf8.count))
        bytes += text.utf8
      }
      func add<Value>(_ value: Value?, _ write: (Value) -> Void) {
        bytes.append(value == nil ? 0 : 1)
        if let value { write(value) }
      }
      add(origin)
      add(suggestedName, add)
      if suggestedName == nil { bytes.append(littleEndian: UInt64(itemNumber)) }
      add(folder, add)
      add(typeIdentifier)
      add(byteCount) { bytes.append(littleEndian: $0) }
      bytes.append(isFolder ? 1 : 0)
      hash = SHA256.hash(bytes)
    }

    fileprivate init(hash: [UInt8]) {
      self.hash = hash
    }
  }

  /// The staging directory of an earlier receive.
  private struct Former {
    let directory: StagingPlace
    /// The number of its parts that have not been continued.
    var partCount = 0
  }

  private struct Kept {
    let former: Int
    let number: Int
    let byteCount: UInt64
  }

  /// The minimum size of a part to keep, in bytes.
  ///
  /// A request for a smaller part takes longer than its transfer.
  static let leastByteCount: UInt64 = 4096

  static let listName = "parts"
  private static let archiveSuffix = ".tar"
  private static let entryLength = SHA256.length + 8
  private static let maximumListLength = 64 << 20

  private let list: OwnedDescriptor
  private let folder: DestinationDirectory
  private let staging: CInt
  let seal: StagingSeal
  private var formers: [Former] = []
  private var kept: [Identity: Kept] = [:]
  private var names: [String] = []

  /// Creates the list of a staging directory, and reads the lists of earlier receives.
  ///
  /// - Parameters:
  ///   - folder: The destination.
  ///   - staging: A descriptor of the staging directory, which the caller keeps open.
  ///   - stagingName: The name of the staging directory.
  ///   - seal: The proof for the lists.
  /// - Throws: The system error if the list cannot be created.
  init(
    in folder: DestinationDirectory, staging: CInt, named stagingName: String, _ seal: StagingSeal
  ) throws(SystemError) {
    self.folder = folder
    self.staging = staging
    self.seal = seal
    let names = try FolderUnpacking.names(in: folder.raw, ".", startingWith: StagingName.prefix)
    list = try .openAt(staging, Self.listName, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_NOFOLLOW, 0o600)
    try SystemCalls.writeAll(list.raw, try seal.code(of: staging, named: stagingName))
    for name in names where StagingName.isLocked(name.utf8) && StagingName.isResumable(name.utf8) {
      // Directories of living receivers, and directories that cannot be read, stay as they are.
      try? use(name)
    }
  }

  /// Returns the name of the file for the bytes of a part.
  static func fileName(_ number: Int, isFolder: Bool) -> String {
    String(number) + (isFolder ? archiveSuffix : "")
  }

  private func use(_ name: String) throws(SystemError) {
    let directory = try StagingPlace.ofDeadReceiver(name, in: folder.raw)
    // With a list of replaced files, a numbered file may be one of the user.
    guard try !directory.exists(ReplacedFileList.fileName) else { return }
    var former = Former(directory: directory)
    // Without a list, its receiver was killed before the first part.
    let entries = try directory.exists(Self.listName) ? entries(in: directory.raw, named: name) : []
    for (identity, number) in entries {
      guard let byteCount = Self.byteCount(of: number, in: directory.raw) else { continue }
      let found = Kept(former: formers.count, number: number, byteCount: byteCount)
      if let other = kept[identity], other.byteCount >= byteCount { continue }
      if let other = kept.updateValue(found, forKey: identity) {
        if other.former == formers.count { continue }
        formers[other.former].partCount -= 1
      }
      former.partCount += 1
    }
    formers.append(former)
  }

  /// - Throws: The system error; `EPERM` for a list that another program may have written.
  private func entries(in directory: CInt, named name: String) throws(SystemError) -> [(Identity, Int)] {
    let file = try OwnedDescriptor.openAt(directory, Self.listName, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
    let bytes = try file.contents(limit: Self.maximumListLength)
    guard try seal.confirms(bytes, of: directory, named: name) else { throw SystemError(EPERM, in: "open") }
    // A killed receiver may have left an incomplete entry.
    let (start, length) = (StagingSeal.length, Self.entryLength)
    return stride(from: start, through: bytes.count - length, by: length).map { offset in
      let number: UInt64 = bytes.withUnsafeBytes { $0.littleEndian(at: offset + SHA256.length) }
      return (Identity(hash: Array(bytes[offset..<offset + SHA256.length])), Int(clamping: number))
    }
  }

  private static func byteCount(of number: Int, in directory: CInt) -> UInt64? {
    for isFolder in [true, false] {
      let name = fileName(number, isFolder: isFolder)
      guard let status = try? SystemCalls.statusAt(directory, name, AT_SYMLINK_NOFOLLOW) else { continue }
      // A file with several names may be one of the user.
      guard status.kind == .regular, status.owner == geteuid(), status.linkCount == 1, status.size > 0 else {
        return nil
      }
      return UInt64(status.size)
    }
    return nil
  }

  /// Lists a part, and moves the bytes that an earlier receive has kept of it into the staging directory.
  ///
  /// - Returns: The file with these bytes; `nil` if there are none.
  /// - Throws: The system error if the part cannot be listed.
  func begin(_ identity: Identity, number: Int, isFolder: Bool) throws(SystemError) -> OwnedDescriptor? {
    let name = Self.fileName(number, isFolder: isFolder)
    var entry: [UInt8] = []
    entry += identity.hash
    entry.append(littleEndian: UInt64(number))
    try SystemCalls.writeAll(list.raw, entry)
    names.append(name)
    guard let found = kept.removeValue(forKey: identity) else { return nil }
    formers[found.former].partCount -= 1
    do throws(SystemError) {
      try SystemCalls.renameExclusivelyAt(
        formers[found.former].directory.raw, Self.fileName(found.number, isFolder: isFolder), staging, name)
      // A receive that was interrupted while it named files may have set the permissions of the source.
      try SystemCalls.changeModeAt(staging, name, 0o600)
      return try .openAt(staging, name, O_RDWR | O_NOFOLLOW)
    } catch {
      try? SystemCalls.unlinkAt(staging, name)
      return nil
    }
  }

  /// The number of bytes of the parts of this receive.
  var byteCount: UInt64 {
    names.reduce(0) { sum, name in
      sum + UInt64((try? SystemCalls.statusAt(staging, name, AT_SYMLINK_NOFOLLOW))?.size ?? 0)
    }
  }

  /// Removes the list and the archives of folders from the staging directory.
  func remove() {
    for name in names.filter({ $0.hasSuffix(Self.archiveSuffix) }) + [Self.listName] {
      try? SystemCalls.unlinkAt(staging, name)
    }
  }

  /// Removes the directories of earlier receives whose parts were all continued.
  func removeFormers() {
    for former in formers where former.partCount <= 0 {
      try? FolderUnpacking.remove(former.directory.raw, named: former.directory.name, in: folder.raw)
    }
  }
}

extension StagingPlace {
  /// Returns whether the directory has a file of a name.
  fileprivate func exists(_ name: String) throws(SystemError) -> Bool {
    do throws(SystemError) { _ = try SystemCalls.statusAt(raw, name, AT_SYMLINK_NOFOLLOW) } catch {
      guard error.errorNumber == ENOENT else { throw error }
      return false
    }
    return true
  }
}
