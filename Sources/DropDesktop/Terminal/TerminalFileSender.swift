// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DisplayWire
internal import DropSystem
internal import FoundationEssentials
internal import Glibc

/// A sender of the files of a drag to a terminal on another machine.
///
/// Symbolic links are sent as links, and never followed. Other kinds of files are left out of folders.
struct TerminalFileSender: Sendable {
  /// The maximum number of entries of a folder and of the folders in it.
  static let maximumEntries = 100_000
  /// The maximum number of folders on a path.
  static let maximumDepth = 64
  /// The number of bytes that are encoded together: a multiple of three.
  static let batchSize = 48 << 10

  let display: TerminalDisplay
  /// Called for each part that the terminal has taken.
  let activity: @Sendable () -> Void

  /// The place of a file in the drag.
  private struct Place: Sendable {
    /// The number of the address in the list, from 1.
    let address: Int
    /// The handle of the parent folder; 0 for none.
    var parent = 0
    /// The number of the entry in the parent folder, from 1.
    var number = 0

    func message(kind: Int) -> TerminalMessage {
      TerminalMessage(.file, x: address, y: number, upperX: kind, upperY: parent)
    }
  }

  /// Sends the file or the folder at an address.
  ///
  /// - Parameters:
  ///   - address: An entry of the list of addresses.
  ///   - number: Its number, from 1.
  /// - Throws: `SystemError`, the errors of the terminal, and `malformed` for a file of another host.
  func send(_ address: String, number: Int) async throws {
    guard URIList.isFile(address) else { throw SystemError(EINVAL, in: "open") }
    try await sendTree(try URIList.path(address), Place(address: number))
  }

  private func send(_ bytes: [UInt8], _ place: Place, kind: Int) async throws {
    try Task.checkCancellation()
    try await display.send(place.message(kind: kind), data: bytes)
    activity()
  }

  private func end(_ rest: [UInt8], _ place: Place, kind: Int) async throws {
    if !rest.isEmpty { try await send(rest, place, kind: kind) }
    try await send([], place, kind: kind)
  }

  // MARK: Files and folders

  /// A folder whose entries are not sent yet.
  private struct Folder: Sendable {
    let handle: Int
    let path: [String]
    let names: [String]
  }

  private func sendTree(_ path: String, _ top: Place) async throws {
    let status = try await runBlocking { try SystemCalls.statusAt(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW) }
    guard status.kind == .directory else {
      return try await sendFile(status.kind, top) {
        try $0 == .symbolicLink
          ? .link(SystemCalls.readLinkAt(AT_FDCWD, path)) : .file(Self.openFile(AT_FDCWD, path))
      }
    }
    let root = try await runBlocking { SharedDescriptor(try .open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)) }
    var (handle, count) = (2, 0)
    // Breadth first, as the protocol requires.
    var folders = FIFOQueue<Folder>()
    folders.append(try await sendNames(root, [], handle, top, &count))
    while let folder = folders.popFirst() {
      for (index, name) in folder.names.enumerated() {
        let place = Place(address: top.address, parent: folder.handle, number: index + 1)
        let path = folder.path + [name]
        let kind = try await runBlocking {
          let parent = try Self.open(folder.path, in: root)
          return try SystemCalls.statusAt(parent.descriptor.raw, name, AT_SYMLINK_NOFOLLOW).kind
        }
        if kind == .directory {
          guard path.count < Self.maximumDepth else { throw SystemError(ELOOP, in: "open") }
          handle += 1
          folders.append(try await sendNames(root, path, handle, place, &count))
        } else {
          try await sendFile(kind, place) { kind in
            let parent = try Self.open(folder.path, in: root)
            return try kind == .symbolicLink
              ? .link(SystemCalls.readLinkAt(parent.descriptor.raw, name))
              : .file(Self.openFile(parent.descriptor.raw, name))
          }
        }
      }
    }
  }

  private enum Source: Sendable {
    case file(SharedDescriptor)
    case link([UInt8])
  }

  private func sendFile(
    _ kind: FileStatus.Kind, _ place: Place, _ open: @Sendable (FileStatus.Kind) throws -> Source
  ) async throws {
    switch try await runBlocking({ try open(kind) }) {
    case .link(let target): try await end(target, place, kind: 1)
    case .file(let file):
      var bytes = try await runBlocking { try file.readBatch() }
      while bytes.count == Self.batchSize {
        try await send(bytes, place, kind: 0)
        bytes = try await runBlocking { try file.readBatch() }
      }
      try await end(bytes, place, kind: 0)
    }
  }

  /// Opens a regular file, and nothing else.
  private static func openFile(_ directory: CInt, _ path: String) throws(SystemError) -> SharedDescriptor {
    // The opening of a pipe or a device may have an effect.
    guard try SystemCalls.statusAt(directory, path, AT_SYMLINK_NOFOLLOW).kind == .regular else {
      throw SystemError(EINVAL, in: "open")
    }
    let file = try OwnedDescriptor.openAt(directory, path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY)
    guard try SystemCalls.status(file.raw).kind == .regular else { throw SystemError(EINVAL, in: "open") }
    return SharedDescriptor(file)
  }

  /// Opens a folder below the root, without following a link.
  private static func open(_ path: [String], in root: SharedDescriptor) throws(SystemError) -> SharedDescriptor {
    var folder = root
    for name in path {
      folder = SharedDescriptor(try .openAt(folder.descriptor.raw, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW))
    }
    return folder
  }

  /// Sends the names of a folder.
  private func sendNames(
    _ root: SharedDescriptor, _ path: [String], _ handle: Int, _ place: Place, _ count: inout Int
  ) async throws -> Folder {
    let room = Self.maximumEntries - count
    let names = try await runBlocking { try Self.names(in: try Self.open(path, in: root), limit: room) }
    count += names.count
    var batches = TerminalBatches()
    for batch in batches.append(Data(names.joined(separator: "\0").utf8)) {
      try await send(batch, place, kind: handle)
    }
    try await end(batches.rest, place, kind: handle)
    return Folder(handle: handle, path: path, names: names)
  }

  private static func names(in folder: SharedDescriptor, limit: Int) throws(SystemError) -> [String] {
    var reader = try DirectoryReader(folder.descriptor.raw)
    var names: [String] = []
    while let bytes = try reader.next() {
      guard let name = String(validating: bytes, as: UTF8.self) else { throw SystemError(EINVAL, in: "readdir") }
      let kind = try SystemCalls.statusAt(folder.descriptor.raw, name, AT_SYMLINK_NOFOLLOW).kind
      guard [.regular, .directory, .symbolicLink].contains(kind) else { continue }
      guard names.count < limit else { throw SystemError(EFBIG, in: "readdir") }
      names.append(name)
    }
    return names.sorted()
  }
}

/// Bytes that are joined to batches, whose length is a multiple of three.
struct TerminalBatches {
  /// The bytes after the last complete batch.
  private(set) var rest: [UInt8] = []

  /// Appends bytes.
  ///
  /// - Returns: The batches that are complete.
  mutating func append(_ bytes: Data) -> [[UInt8]] {
    rest += bytes
    let size = TerminalFileSender.batchSize
    guard rest.count >= size else { return [] }
    let end = rest.count / size * size
    defer { rest.removeFirst(end) }
    return stride(from: 0, to: end, by: size).map { Array(rest[$0..<$0 + size]) }
  }
}

/// A descriptor that several closures use.
final class SharedDescriptor: Sendable {
  let descriptor: OwnedDescriptor

  init(_ descriptor: consuming OwnedDescriptor) {
    self.descriptor = descriptor
  }

  /// Reads the next batch of a file; blocks.
  fileprivate func readBatch() throws(SystemError) -> [UInt8] {
    var failure: SystemError?
    let bytes = [UInt8](unsafeUninitializedCapacity: TerminalFileSender.batchSize) { buffer, count in
      do throws(SystemError) {
        while count < buffer.count {
          let room = UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[count...])
          let length = try SystemCalls.read(descriptor.raw, room)
          if length == 0 { break }
          count += length
        }
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
    return bytes
  }
}
