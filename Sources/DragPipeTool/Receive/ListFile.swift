// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import DropTransport
internal import FoundationEssentials
internal import Glibc
internal import HeroCards
internal import ItemTransfer

/// A list in a file that several processes may extend.
///
/// An existing file is locked during a change. It is replaced atomically.
struct ListFile: Sendable {
  let path: String
  /// Whether to flush each change to the disk.
  let isDurable: Bool

  /// Adds heroes to the list; a hero whose name is in the list is not added again.
  ///
  /// - Returns: The number of added heroes.
  func addFavourites(_ heroes: FavouritesText) async throws -> Int {
    try await change { old in
      var favourites = FavouritesText()
      for hero in try old.isEmpty ? [] : HeroReader.heroes(from: old) { try favourites.add(hero) }
      let before = favourites.count
      favourites.add(contentsOf: heroes)
      return (favourites.json(), favourites.count - before)
    }
  }

  func addCards(_ cards: [Card], toColumn column: String?) async throws {
    try await change { old in
      var board = try old.isEmpty ? Board() : Board(jsonData: old)
      board.add(contentsOf: cards, toColumn: column)
      return (try board.jsonData(), ())
    }
  }

  /// Reads, changes and replaces the file while it is locked.
  ///
  /// - Parameter body: A closure that returns the new content for the old. The old content is empty if the file does
  ///   not exist.
  /// - Returns: The result of `body`.
  /// - Throws: Errors of `body`, and errors of changing the file.
  private func change<Result: Sendable>(
    _ body: @escaping @Sendable (Data) throws -> (Data, Result)
  ) async throws -> Result {
    while true {
      // Tries the lock repeatedly, because a wait in the kernel cannot be cancelled.
      if let result = try await runBlocking({ try attempt(body) }) { return result }
      try await Task.sleep(for: .milliseconds(20))
    }
  }

  /// Tries once to change the file.
  ///
  /// - Returns: The result of `body`, or `nil` to try again, because another process has the lock, or has replaced or
  ///   created the file.
  private func attempt<Result>(_ body: (Data) throws -> (Data, Result)) throws -> Result? {
    let target = try resolved()
    guard let file = try opened(target) else {
      let (data, result) = try body(Data())
      return try replace(target, with: data, old: nil) ? result : nil
    }
    guard let status = try mapError(SystemCalls.lockedStatus(file.raw, named: target), failure) else { return nil }
    let (data, result): (Data, Result)
    do {
      (data, result) = try body(try contents(of: file))
    } catch let error as HeroCardError {
      throw ToolFailure(.malformed, "\(path.escapedForDisplay()): \(error)")
    }
    let isReplaced = try replace(target, with: data, old: status)
    // Closing releases the lock, so the descriptor must live until here.
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

  /// Returns the path with all symbolic links resolved, or the path itself if the file does not exist.
  private func resolved() throws(ToolFailure) -> String {
    do throws(SystemError) {
      return try SystemCalls.realPath(path)
    } catch {
      let isLink = (try? SystemCalls.statusAt(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW))?.kind == .symbolicLink
      // A dangling link cannot be opened, and replacing it would not create its target.
      if error.errorNumber == ENOENT, !isLink { return path }
      throw failure(error)
    }
  }

  private func opened(_ target: String) throws(ToolFailure) -> OwnedDescriptor? {
    do throws(SystemError) {
      // Opening for writing fails for a write-protected file, which must not be replaced. A FIFO must not block.
      let file = try OwnedDescriptor.open(target, O_RDWR | O_NONBLOCK | O_NOCTTY)
      guard try SystemCalls.status(file.raw).kind == .regular else { throw SystemError(EINVAL, in: "open") }
      return file
    } catch {
      if error.errorNumber == ENOENT { return nil }
      throw failure(error)
    }
  }

  /// Writes a new file and renames it to `target`.
  ///
  /// - Parameters:
  ///   - target: The path of the file to replace.
  ///   - data: The new content.
  ///   - old: The status of the old file, or `nil` if there is no file yet.
  /// - Returns: `false` if `old` is `nil` but a file of that name has been created meanwhile.
  /// - Throws: Errors of the write and the rename.
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
      // The caller tries again, and then reads the new file.
      if error.code == .alreadyExists { return false }
      throw failure(SystemError(error.errorNumber ?? EIO, in: "rename"))
    }
  }

  private func failure(_ error: SystemError) -> ToolFailure {
    let isFull = [ENOSPC, EDQUOT, EIO, EFBIG].contains(error.errorNumber)
    return ToolFailure(isFull ? .inputOutput : .cannotCreate, "cannot change \(path.escapedForDisplay()): \(error)")
  }
}

/// The JSON text of a list of favourites, which is encoded hero by hero while a stream arrives.
///
/// The order, the unique names and the bytes are those of ``Favourites`` and `HeroWriter`. A list of heroes would be
/// encoded only after the end of the stream, and would need more memory.
struct FavouritesText: Sendable {
  private struct Line: Sendable {
    let key: FavouriteSortKey
    /// The hero as JSON, with a newline at the end.
    let json: Data
  }

  private var lines: [Line] = []
  private var names: Set<String> = []
  private var writer = HeroWriter(style: .lines)

  var count: Int { lines.count }

  /// Adds a hero, unless the list has one with the same name.
  ///
  /// - Throws: `EncodingError` if the hero cannot be encoded.
  mutating func add(_ hero: Hero) throws {
    guard names.insert(hero.name).inserted else { return }
    try writer.append(hero)
    lines.append(Line(key: FavouriteSortKey(hero.name), json: writer.takeBytes()))
  }

  /// Adds the heroes of another list, except heroes whose names are already in the list.
  mutating func add(contentsOf other: FavouritesText) {
    lines += other.lines.filter { names.insert($0.key.name).inserted }
  }

  /// Returns the list as one sorted array.
  func json() -> Data {
    var list = HeroWriter()
    for line in lines.sorted(by: { $0.key < $1.key }) { list.append(encoded: line.json.dropLast()) }
    list.finish()
    return list.takeBytes()
  }
}
