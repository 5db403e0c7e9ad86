// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import Glibc
internal import ItemTransfer
internal import Synchronization

/// The destination's files that are hard links to the source's files, until one side removes its name.
///
/// The link count shows whether the source has removed its name, independently of the reports of the peer. A file that
/// the source keeps is replaced by a copy here. At every moment each side's name leads to the complete file.
final class OriginalFiles: Sendable {
  private struct Entry: Sendable {
    /// The path relative to the directory.
    let name: String
    let status: FileStatus
  }

  /// The maximum time between two removals by the source.
  private static let limit = Duration.seconds(10)
  private static let interval = Duration.milliseconds(2)

  private let directory: SharedDescriptor
  /// The status of the source's files, by the numbers of the staged files.
  private let staged = Lock<[Int: FileStatus]>([:])
  private let entries = Lock<[Entry]>([])

  init(in directory: CInt) throws(SystemError) {
    self.directory = SharedDescriptor(try .openAt(directory, ".", O_RDONLY | O_DIRECTORY))
  }

  /// Records that a staged file is the source's file.
  func stage(_ status: FileStatus, number: Int) {
    staged.withLock { $0[number] = status }
  }

  func isStaged(_ number: Int) -> Bool { staged.withLock { $0[number] != nil } }

  /// Adds a staged file that has its name now, if it is the source's file.
  func add(_ name: String, number: Int) {
    guard let status = staged.withLock({ $0[number] }) else { return }
    entries.withLock { $0.append(Entry(name: name, status: status)) }
  }

  /// Waits until the source has removed its names, and replaces the files that it keeps by copies.
  ///
  /// The wait ends after 10 seconds without a removal, if `mayWait` returns false, or if the task is cancelled.
  ///
  /// - Parameter mayWait: Returns whether the source may still remove a name.
  /// - Throws: `systemCall` if a file cannot be copied and is still shared with the source.
  func settle(whileRemoving mayWait: () -> Bool) async throws(DropStreamError) {
    var shared = entries.withLock { $0 }
    var deadline = ContinuousClock.now + Self.limit
    while true {
      let isAwaited = mayWait() && !Task.isCancelled && ContinuousClock.now < deadline
      let before = shared
      shared = try await runBlockingWork { () throws(DropStreamError) in
        // If the check fails, the copy reports the reason.
        before.filter { (try? self.isShared($0)) ?? true }
      }
      if shared.isEmpty { return }
      guard isAwaited else { break }
      if shared.count < before.count { deadline = .now + Self.limit }
      try? await Task.sleep(for: Self.interval)
    }
    let kept = shared
    try await runBlockingWork { () throws(DropStreamError) in try self.separate(kept) }
  }

  private func isShared(_ entry: Entry) throws(SystemError) -> Bool {
    do throws(SystemError) {
      return try DestinationDirectory.descend(directory.raw, entry.name) { (raw, last) throws(SystemError) in
        let now = try SystemCalls.statusAt(raw, last, AT_SYMLINK_NOFOLLOW)
        return now.isSameFile(as: entry.status) && now.linkCount > 1
      }
    } catch {
      // Another program has removed the file or replaced its folder.
      guard [ENOENT, ENOTDIR, ELOOP].contains(error.errorNumber) else { throw error }
      return false
    }
  }

  private func separate(_ kept: [Entry]) throws(DropStreamError) {
    var failure: DropStreamError?
    for entry in kept {
      do throws(SystemError) {
        guard try isShared(entry) else { continue }
        try DestinationDirectory.descend(directory.raw, entry.name) { (raw, last) throws(SystemError) in
          try separate(entry, raw, last)
        }
      } catch {
        failure = DropStreamError(
          .systemCall, "\(entry.name.escapedForDisplay()) is still the source's file, and cannot be copied", error)
      }
    }
    if let failure { throw failure }
  }

  /// Replaces a file by a copy with its permissions and time, and flushes the copy to the disk.
  private func separate(_ entry: Entry, _ directory: CInt, _ name: String) throws(SystemError) {
    let original = try OwnedDescriptor.openAt(directory, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
    let temporary = ".dragpipe-\(RandomName.text()).part"
    let copy = try OwnedDescriptor.openAt(directory, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600)
    do throws(SystemError) {
      try Self.copy(original.raw, to: copy.raw)
      let status = try SystemCalls.status(original.raw)
      try SystemCalls.changeMode(copy.raw, status.permissions & 0o777)
      if let time = status.modificationTime { try SystemCalls.changeTime(copy.raw, time) }
      try SystemCalls.sync(copy.raw)
      // Meanwhile the source may have removed its name, or another program may have replaced this file.
      guard try isShared(entry) else { return try SystemCalls.unlinkAt(directory, temporary) }
      try SystemCalls.renameAt(directory, temporary, directory, name)
    } catch {
      try? SystemCalls.unlinkAt(directory, temporary)
      throw error
    }
    try SystemCalls.syncDirectory(directory)
  }

  /// Copies from the current offset to the end.
  ///
  /// Long runs of zeros become holes.
  private static func copy(_ original: CInt, to copy: CInt) throws(SystemError) {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 << 10, alignment: 16)
    defer { buffer.deallocate() }
    var output = SparseFileOutput(copy)
    while case let count = try SystemCalls.read(original, buffer), count > 0 {
      let bytes = UnsafeRawBufferPointer(rebasing: buffer[..<count])
      try output.append(bytes, isHole: bytes.isHole)
    }
    try output.finish()
  }
}
