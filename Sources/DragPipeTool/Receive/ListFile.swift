// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import DropTransport
internal import FoundationEssentials
internal import Glibc
internal import HeroCards
internal import ItemTransfer

/// A file with a list that several processes may add to: locked while it is changed, replaced as a whole.
struct ListFile: Sendable {
  let path: String
  /// Whether it is flushed to the disk before a change ends.
  let isDurable: Bool

  /// - Returns: How many heroes were new.
  func addFavourites(_ heroes: Favourites) async throws -> Int {
    try await change { old in
      var favourites = Favourites(try old.isEmpty ? [] : HeroReader.heroes(from: old))
      let added = favourites.add(contentsOf: heroes)
      var writer = HeroWriter()
      for hero in favourites { try writer.append(hero) }
      writer.finish()
      return (writer.takeBytes(), added)
    }
  }

  func addCards(_ cards: [Card], toColumn column: String?) async throws {
    try await change { old in
      var board = try old.isEmpty ? Board() : Board(jsonData: old)
      board.add(contentsOf: cards, toColumn: column)
      return (try board.jsonData(), ())
    }
  }

  /// Reads, changes and replaces the file while no other process does the same.
  ///
  /// - Parameter body: Makes the new content of the old, which is empty where there is no file yet.
  /// - Returns: What `body` returns beside it.
  /// - Throws: What `body` throws, or why the file cannot be changed.
  private func change<Result: Sendable>(
    _ body: @escaping @Sendable (Data) throws -> (Data, Result)
  ) async throws -> Result {
    while true {
      // The lock is polled for: waiting for it in the kernel could not be cancelled.
      if let result = try await runBlocking({ try attempt(body) }) { return result }
      try await Task.sleep(for: .milliseconds(20))
    }
  }

  /// - Returns: `nil` when somebody else is at it.
  private func attempt<Result>(_ body: (Data) throws -> (Data, Result)) throws -> Result? {
    let target = try resolved()
    guard let file = try opened(target) else {
      let (data, result) = try body(Data())
      return try replace(target, with: data, old: nil) ? result : nil
    }
    do throws(SystemError) {
      try SystemCalls.lock(file.raw, LOCK_EX | LOCK_NB)
    } catch {
      if error.errorNumber == EWOULDBLOCK { return nil }
      throw failure(error)
    }
    // Whoever had the lock before may have put another file in its place.
    let status = try SystemCalls.status(file.raw)
    guard let now = try? SystemCalls.statusAt(AT_FDCWD, target), now.isSameFile(as: status) else { return nil }
    let (data, result): (Data, Result)
    do {
      (data, result) = try body(try contents(of: file))
    } catch let error as HeroCardError {
      throw ToolFailure(.malformed, "\(path.escapedForDisplay()): \(error)")
    }
    let isReplaced = try replace(target, with: data, old: status)
    // Said aloud, because with the descriptor goes the lock.
    try? file.close()
    return isReplaced ? result : nil
  }

  private func contents(of file: borrowing OwnedDescriptor) throws(ToolFailure) -> Data {
    var data = Data()
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
    defer { buffer.deallocate() }
    do throws(SystemError) {
      while true {
        let count = try SystemCalls.read(file.raw, buffer)
        if count == 0 { return data }
        data.append(contentsOf: buffer[..<count])
      }
    } catch {
      throw ToolFailure(.inputOutput, "cannot read \(path.escapedForDisplay()): \(error)")
    }
  }

  /// The file itself, where the path is a link to it.
  private func resolved() throws(ToolFailure) -> String {
    guard let found = realpath(path, nil) else {
      let error = SystemError(errno, in: "realpath")
      let isLink = (try? SystemCalls.statusAt(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW))?.kind == .symbolicLink
      // A link to nothing can neither be opened nor be replaced by what it stands for.
      if error.errorNumber == ENOENT, !isLink { return path }
      throw failure(error)
    }
    defer { free(found) }
    return String(cString: found)
  }

  private func opened(_ target: String) throws(ToolFailure) -> OwnedDescriptor? {
    do throws(SystemError) {
      // Writable, so that a file which is protected stays as it is; a FIFO must not hold us up.
      let file = try OwnedDescriptor.open(target, O_RDWR | O_NONBLOCK | O_NOCTTY)
      guard try SystemCalls.status(file.raw).kind == .regular else { throw SystemError(EINVAL, in: "open") }
      return file
    } catch {
      if error.errorNumber == ENOENT { return nil }
      throw failure(error)
    }
  }

  /// Writes beside the file, then takes its place.
  ///
  /// - Parameters:
  ///   - target: The file.
  ///   - data: Its new content.
  ///   - old: The old file; nil where there was none, and none must have come meanwhile.
  /// - Returns: Whether the place was still free.
  /// - Throws: Why it cannot be replaced.
  private func replace(_ target: String, with data: Data, old: FileStatus?) throws(ToolFailure) -> Bool {
    do throws(DropStreamError) {
      let output = try StagedOutput(target, replaces: old != nil, isDurable: isDurable)
      let file = try output.open()
      let written = data.withUnsafeBytes { bytes in
        Result { () throws(SystemError) in try SystemCalls.writeAll(file.raw, bytes) }
      }
      do throws(SystemError) { try written.get() } catch {
        throw DropStreamError(.systemCall, "cannot write", errorNumber: error.errorNumber)
      }
      try output.publish(like: old)
      return true
    } catch {
      // Looked at again, it is told what is there.
      if error.code == .alreadyExists { return false }
      throw failure(SystemError(error.errorNumber ?? EIO, in: "rename"))
    }
  }

  private func failure(_ error: SystemError) -> ToolFailure {
    let isFull = [ENOSPC, EDQUOT, EIO, EFBIG].contains(error.errorNumber)
    return ToolFailure(isFull ? .inputOutput : .cannotCreate, "cannot change \(path.escapedForDisplay()): \(error)")
  }
}
